"""winnow-ci as a library: what docs/python.md says, from a program that only imports ``winnow_ci``."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import winnow_ci
from support.command import build, environment, winnow
from support.donor import BASE, CHANGE, INNOCENT, MERGE_CLOSURES, SHORTEST_ROUTE, write_known
from support.repository import Checkout

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("known")
    build(write_known(folder / "source"), folder / "known.db", "--version", "2.1", "--license", "GPL-3.0-only")
    return folder / "known.db"


@pytest.fixture
def checkout(tmp_path: Path, known: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Checkout]:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({**BASE, ".winnow.yml": f"index: ['{known}']\n"})
    for path, text in CHANGE.items():
        checkout.write(path, text)
    monkeypatch.chdir(checkout.root)
    return checkout


def test_a_scan_finds_what_the_command_finds(checkout: Checkout) -> None:
    report = winnow_ci.scan()
    command = winnow("scan", "--format", "json", cwd=checkout.root)
    assert winnow_ci.to_json(report) == json.loads(command.output)
    assert (report.failed, report.complete) == (True, True)
    assert {one.path for one in report.findings} == {"src/bookings.py", "src/plan.py"}


@pytest.mark.parametrize(
    ("change", "options"),
    [
        (winnow_ci.ChangeChoice(since="main"), ["--since", "main"]),
        (winnow_ci.ChangeChoice(staged=True), ["--staged"]),
        (winnow_ci.ChangeChoice(commits="HEAD~1..HEAD"), ["--range", "HEAD~1..HEAD"]),
        (winnow_ci.ChangeChoice(everything=True, paths=("src",)), ["--all", "src"]),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_each_change_is_that_of_the_option(
    checkout: Checkout, change: winnow_ci.ChangeChoice, options: list[str]
) -> None:
    checkout.git("checkout", "--quiet", "-b", "work")
    checkout.commit({"src/more.py": SHORTEST_ROUTE.text})
    checkout.write("src/staged.py", MERGE_CLOSURES.text)
    checkout.git("add", "--all")
    command = winnow("scan", *options, "--format", "json", cwd=checkout.root)
    report = winnow_ci.to_json(winnow_ci.scan(change=change))
    assert report == json.loads(command.output)
    assert report["findings"]


def test_documents_are_checked_by_name_and_by_text(checkout: Checkout, known: Path, tmp_path: Path) -> None:
    (path,) = (path for path in CHANGE if path == "src/plan.py")
    text = winnow_ci.Document("src/route.py", SHORTEST_ROUTE.text.encode())
    report = winnow_ci.check([path, text, winnow_ci.Document("own.py", INNOCENT.encode())])
    assert {one.path for one in report.findings} == {path, "src/route.py"}
    elsewhere = winnow_ci.check([text], folder=tmp_path, indexes=[known], language="python")
    assert [one.source.file.source.name for one in elsewhere.findings] == ["roads"]


def test_an_index_says_what_it_holds(known: Path) -> None:
    with winnow_ci.open_index(known) as index:
        assert [source.name for source in index.sources] == ["roads"]
        assert index.postings > 0
        assert len(index.digest) == 32


def test_a_mistake_is_an_error_with_a_remedy(checkout: Checkout) -> None:
    with pytest.raises(winnow_ci.WinnowError) as caught:
        winnow_ci.scan(indexes=["nowhere.db"])
    assert "nowhere.db" in caught.value.problem
    assert caught.value.remedy
    with pytest.raises(winnow_ci.WinnowError, match="unknown revision"):
        winnow_ci.scan(change=winnow_ci.ChangeChoice(since="nowhere"))


def test_to_import_it_costs_nothing_and_prints_nothing(checkout: Checkout) -> None:
    program = "import sys, winnow_ci; print(sorted(m for m in sys.modules if m.startswith(('winnow', 'numpy'))))"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout == "['winnow_ci', 'winnow_ci.named_tuples', 'winnow_ci.start_up']\n"


def test_the_examples_of_the_page_run(checkout: Checkout, known: Path) -> None:
    (checkout.root / "known.db").write_bytes(known.read_bytes())
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 3
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks)],
        cwd=checkout.root,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "['roads']" in done.stdout
