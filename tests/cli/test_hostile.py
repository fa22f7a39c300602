"""Names are chosen by the author of a change or of known code: they neither hide anything nor act on a terminal."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from support.command import LONGEST, command, environment, winnow
from support.donor import CHANGE, SHORTEST_ROUTE

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Ended
    from support.repository import Checkout

# Name → how it reads in a report; in JSON it is itself, but for bytes that are not UTF-8.
NAMES = {
    b"new\nline.py": r"new\nline.py",
    b"::error::forged.py": r"\x3a:error::forged.py",
    b"##[error]forged.py": r"#\x23[error]forged.py",
    b"\x1b[2J\x1b]0;title\x07.py": r"\x1b[2J\x1b]0;title\x07.py",
    b"byte\xff.py": r"byte\xff.py",
    "bidi\u202egnp.py".encode(): r"bidi\u202egnp.py",
    b"carriage\rreturn\t.py": r"carriage\rreturn\t.py",
    b"%0A::error::.py": "%0A::error::.py",
    b"-option.py": "-option.py",
    b" space .py": " space .py",
    b":(glob)*.py": ":(glob)*.py",
    b"<script>](x)`.py": "<script>](x)`.py",
    b'"quoted"\\.py': '"quoted"\\.py',
}
# Controls but the line feed, and what turns the direction of text.
HARMFUL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|^::|##\\[", re.MULTILINE)


def harmless(ended: Ended) -> bool:
    return not HARMFUL.search(ended.output) and not HARMFUL.search(ended.errors)


@pytest.fixture
def hostile(checkout: Checkout) -> Checkout:
    """Copies under hostile names, staged, and one under a usual name."""
    for name in NAMES:
        checkout.stage(name, CHANGE["src/plan.py"])
    checkout.stage("plain.py", CHANGE["src/plan.py"])
    return checkout


def test_findings_under_hostile_names(hostile: Checkout, known: Path) -> None:
    scan = ("scan", "--staged", "--index", known)
    text, report = winnow(*scan, cwd=hostile.root), winnow(*scan, "--format", "json", cwd=hostile.root)
    assert (text.status, report.status) == (1, 1)
    assert harmless(text)
    assert harmless(report)
    assert text.output.count(": error: copied from ") == 1
    assert f"the same in {len(NAMES)} more places: " in text.output
    listed = winnow(*scan, "--format", "gitlab", cwd=hostile.root)
    assert harmless(listed)
    assert len(json.loads(listed.output)) == len(NAMES) + 1
    # A spreadsheet gets an apostrophe before what looks like a formula.
    rows = csv.DictReader(io.StringIO(winnow(*scan, "--format", "csv", cwd=hostile.root).output))
    assert sorted(row["path"].removeprefix("'") for row in rows) == sorted([*NAMES.values(), "plain.py"])
    expected = [name.decode("utf-8", "backslashreplace") for name in (*NAMES, b"plain.py")]
    assert sorted(finding["path"] for finding in report.findings()) == sorted(expected)


def test_skipped_files_with_hostile_names(checkout: Checkout, known: Path) -> None:
    for name in NAMES:
        checkout.stage(name, "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
        checkout.stage(name.removesuffix(b".py") + b".png", b"")
    checkout.stage("plain.py", CHANGE["src/plan.py"])
    ended = winnow("scan", "--staged", "--index", known, "--format", "json", cwd=checkout.root)
    assert [finding["path"] for finding in ended.findings()] == ["plain.py"]
    assert len(ended.report()["scan"]["files_skipped"]) == 2 * len(NAMES)
    assert harmless(ended)
    assert ended.errors.count("\n") == 1 + 10 + 1
    text = winnow("scan", "--staged", "--index", known, cwd=checkout.root)
    assert harmless(text)
    assert all(f"\n  {name}: Git LFS pointer" in text.output for name in NAMES.values())


def test_code_with_control_characters(checkout: Checkout, known: Path) -> None:
    code = SHORTEST_ROUTE.text.replace("roads, start, goal):", 'roads, start, goal):  # \x1b[2J\u202e\x07 ##[error]"')
    checkout.write("src/plan.py", "::error::'\n\n" + code)
    ended = winnow("scan", "--index", known, cwd=checkout.root)
    assert "def shortest_route(roads, start, goal):" in ended.output
    assert harmless(ended)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["scan", "--since", "\x1b[2J\n::error::"], r"unknown revision: \x1b[2J\n::error::"),
        (["scan", "\x1b\n::error::"], r"no such file or folder: \x1b\n::error::"),
        (["scan", "--index", "\x1b\u202e.db"], r"no index at \x1b\u202e.db"),
        (["scan", "--config", "\x1b.yml"], r"\x1b.yml: No such file"),
        (["scan", "--format", "\x1b"], r"\x1b"),
        (["scan", "--\x1b\n::error::"], r"unrecognized arguments: --\x1b\n::error::"),
        (["scan", "--format", "json:absent/\x1b"], r"absent/\x1b: the folder absent does not exist"),
        (["\x1b"], r"\x1b"),
    ],
)
def test_arguments_in_messages(checkout: Checkout, known: Path, arguments: list[str], said: str) -> None:
    index = () if "--index" in arguments or arguments[0] != "scan" else ("--index", str(known))
    ended = winnow(*arguments, *index, cwd=checkout.root)
    assert ended.status in {2, 3}
    assert said in ended.last_words()[0]
    assert harmless(ended)


def test_hostile_known_code(copied: Checkout, tmp_path: Path) -> None:
    source = tmp_path / "source" / "\x1b[2J\n::error::"
    source.mkdir(parents=True)
    (source / "a\u202e.py").write_text(CHANGE["src/plan.py"])
    index, evil = tmp_path / "\x1b.db", "evil\n::error::\x1b[2J"
    described = ("--name", evil, "--version", evil, "--url", evil)
    for arguments in (
        ("index", "build", source.parent, "--output", index, *described),
        ("index", "list", index),
        ("index", "verify", index),
    ):
        ended = winnow(*arguments, cwd=tmp_path)
        assert ended.status == 0
        assert harmless(ended)
    text, report = (winnow("scan", "--index", index, "--format", name, cwd=copied.root) for name in ("text", "json"))
    assert (text.status, report.status) == (1, 1)
    assert harmless(text)
    assert harmless(report)
    (finding,) = report.findings()
    assert (finding["source"]["name"], finding["source"]["version"], finding["source"]["url"]) == (evil, evil, evil)
    assert finding["source"]["path"] == f"{source.name}/a\u202e.py"


@pytest.mark.parametrize("option", ["--name", "--version", "--url", "--license"])
def test_what_describes_a_source_is_utf_8(tmp_path: Path, known: Path, option: str) -> None:
    arguments = ["index", "build", ".", "--output", "new.db", *(("--name", "x") if option != "--name" else ()), option]
    (tmp_path / "a.py").write_text(CHANGE["src/plan.py"])
    done = subprocess.run(
        [*command(*arguments), b"\xff"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        timeout=LONGEST,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    problem, remedy = done.stderr.decode().splitlines()
    assert r"\udcff" in problem or r"\xff" in problem
    assert remedy


def test_a_path_in_bytes_that_are_not_utf_8(hostile: Checkout, known: Path) -> None:
    done = subprocess.run(
        [*command("scan", "--staged", "--index", known, "--format", "json", "--"), b"byte\xff.py", b"new\nline.py"],
        cwd=hostile.root,
        env=environment(),
        capture_output=True,
        timeout=LONGEST,
        check=False,
    )
    assert done.returncode == 1
    found = [finding["path"] for finding in json.loads(done.stdout)["findings"]]
    assert found == [r"byte\xff.py", "new\nline.py"]
