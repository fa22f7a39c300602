"""A change is judged by the rules of what it is compared with, unless its reader decides otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import Ended, winnow
from support.donor import CHANGE
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

ALLOWING = "index: [.winnow/index.db]\npolicy: {default: allow}\n"


@pytest.fixture
def pull_request(tmp_path: Path, known: Path) -> Checkout:
    """A repository with index and configuration on main, and a branch that brings copies."""
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit(
        {"a.py": "a = 1\n", ".winnow.yml": "index: [.winnow/index.db]\n", ".winnow/index.db": known.read_bytes()}
    )
    checkout.git("switch", "--quiet", "--create", "change")
    checkout.commit(dict(CHANGE))
    return checkout


def scan(checkout: Checkout, *arguments: str | Path, **environment: str) -> Ended:
    return winnow("scan", "--range", "main...HEAD", "--format", "json", *arguments, cwd=checkout.root, **environment)


def judged(ended: Ended) -> tuple[int, list[str], list[str]]:
    levels = [finding["level"] for finding in ended.findings()]
    return ended.status, levels, ended.report()["scan"]["notices"]


def test_an_index_that_is_a_link_now_is_that_of_the_base(pull_request: Checkout) -> None:
    path = pull_request.root / ".winnow" / "index.db"
    pull_request.write("mine.db", path.read_bytes())
    path.unlink()
    path.symlink_to("../mine.db")
    pull_request.commit()
    status, _, notices = judged(scan(pull_request, "--policy-from", "base"))
    assert (status, notices) == (1, ["the change edits .winnow/index.db: the base's version applies"])


@pytest.mark.parametrize(
    ("tracked", "brought"),
    [
        ({".WINNOW.YML": ALLOWING}, {".winnow.yml": ALLOWING}),
        ({".Winnow.yml": "paths: {exclude: ['**']}\nindex: [.winnow/index.db]\n"}, None),
        ({".win\u200cnow.yml": ALLOWING}, {".winnow.yml": ALLOWING}),
    ],
    ids=["upper case", "mixed case", "a character without width"],
)
def test_a_configuration_under_another_spelling_is_the_change_s(
    tmp_path: Path, known: Path, tracked: dict[str, str], brought: dict[str, str] | None
) -> None:
    """Where case makes no difference, the second name opens the first file; here it is a file of the same content."""
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"a.py": "a = 1\n", ".winnow/index.db": known.read_bytes()})
    checkout.git("switch", "--quiet", "--create", "change")
    checkout.commit({**CHANGE, **tracked})
    (content,) = (brought or tracked).values()
    checkout.write(".winnow.yml", content)
    status, levels, notices = judged(scan(checkout, GITHUB_ACTIONS="true"))
    assert (status, levels) == (1, ["error", "error"])
    assert notices == [".winnow.yml is new: only its index is used yet"]


def test_a_baseline_and_an_index_under_another_spelling_are_the_change_s(tmp_path: Path, known: Path) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    rules = "index: [cache/index.db]\nbaseline: accepted.json\n"
    checkout.commit({"a.py": "a = 1\n", ".winnow.yml": rules})
    checkout.git("switch", "--quiet", "--create", "change")
    checkout.commit({**CHANGE, "CACHE/INDEX.DB": known.read_bytes()})
    checkout.write("cache/index.db", known.read_bytes())
    problem, _ = scan(checkout, GITHUB_ACTIONS="true").complaint(3)
    assert problem == "cache/index.db is not in the base: the change adds the index that it would be compared with"
    checkout.git("mv", "CACHE/INDEX.DB", "other.db")
    accepting = winnow("scan", "--all", "--update-baseline", "--index", known, cwd=checkout.root)
    assert accepting.status == 0, accepting
    recorded = (checkout.root / "accepted.json").read_text()
    checkout.commit({"ACCEPTED.JSON": recorded})
    status, _, notices = judged(scan(checkout, "--index", known, GITHUB_ACTIONS="true"))
    assert status == 1
    assert "accepted.json is new: it suppresses nothing yet" in notices
