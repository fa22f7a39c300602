"""The same change gives the same findings, however a scan is told to look at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.command import winnow
from support.donor import CHANGE, SHORTEST_ROUTE
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Ended

BOTH = ["src/bookings.py", "src/plan.py"]


def scan(checkout: Checkout, known: Path, *arguments: str, folder: str = ".") -> Ended:
    return winnow("scan", "--index", known, "--format", "json", *arguments, cwd=checkout.root / folder)


def paths(ended: Ended) -> list[str]:
    return [finding["path"] for finding in ended.findings()]


def uncommitted(checkout: Checkout) -> None:
    pass


def staged(checkout: Checkout) -> None:
    checkout.git("add", "--all")


def committed(checkout: Checkout) -> None:
    checkout.git("switch", "--quiet", "--create", "feature")
    checkout.commit()


def half_committed(checkout: Checkout) -> None:
    checkout.git("switch", "--quiet", "--create", "feature")
    checkout.git("add", "src/bookings.py")
    checkout.git("commit", "--quiet", "--message", "bookings")


@pytest.fixture(scope="module")
def expected(known: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The findings of a scan of everything, in a repository of its own."""
    checkout = Checkout.create(tmp_path_factory.mktemp("expected"))
    for path, text in CHANGE.items():
        checkout.write(path, text)
    findings = scan(checkout, known, "--all").findings()
    assert [finding["path"] for finding in findings] == BOTH
    return findings


@pytest.mark.parametrize(
    ("prepare", "arguments", "mode"),
    [
        (uncommitted, [], "branch"),
        (half_committed, [], "branch"),
        (committed, [], "branch"),
        (uncommitted, ["--since", "HEAD"], "since"),
        (staged, ["--since", "main"], "since"),
        (committed, ["--since", "main"], "since"),
        (half_committed, ["--since=main"], "since"),
        (staged, ["--staged"], "staged"),
        (committed, ["--range", "main..HEAD"], "range"),
        (committed, ["--range", "main...feature"], "range"),
        (uncommitted, ["--all"], "all"),
        (committed, ["--all"], "all"),
        (uncommitted, ["src"], "branch"),
        (committed, ["--range", "main..", "src/bookings.py", "src/plan.py"], "range"),
    ],
)
def test_every_mode_finds_the_same(
    copied: Checkout, known: Path, expected: list[dict[str, Any]], *, prepare: Any, arguments: list[str], mode: str
) -> None:
    prepare(copied)
    ended = scan(copied, known, *arguments)
    assert (ended.status, ended.report()["scan"]["mode"]) == (1, mode)
    assert _comparable(ended.findings()) == _comparable(expected)


def _comparable(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without the lines added, which depend on what a change is compared with."""
    return [{key: value for key, value in finding.items() if key != "added_lines"} for finding in findings]


@pytest.mark.parametrize(
    ("folder", "arguments", "found"),
    [
        (".", ["src/plan.py"], ["src/plan.py"]),
        (".", ["src/greetings.py"], []),
        (".", ["src/greetings.py", "src/bookings.py"], ["src/bookings.py"]),
        (".", ["--", "src"], BOTH),
        ("src", [], BOTH),
        ("src", ["."], BOTH),
        ("src", ["plan.py"], ["src/plan.py"]),
        ("src", [".."], BOTH),
        ("src/below", ["../plan.py", "../../src/greetings.py"], ["src/plan.py"]),
        ("src/below", ["."], []),
    ],
)
def test_paths_narrow_and_are_relative_to_the_current_folder(
    copied: Checkout, known: Path, folder: str, arguments: list[str], found: list[str]
) -> None:
    (copied.root / "src" / "below").mkdir()
    ended = scan(copied, known, *arguments, folder=folder)
    assert (paths(ended), ended.status) == (found, 1 if found else 0)
    if arguments:
        assert ", only " in ended.errors


@pytest.mark.parametrize(
    ("prepare", "arguments"),
    [(uncommitted, ["--staged"]), (half_committed, ["--staged"]), (committed, ["--staged"]), (committed, [".github"])],
)
def test_what_a_mode_does_not_look_at_is_not_reported(
    copied: Checkout, known: Path, prepare: Any, arguments: list[str]
) -> None:
    prepare(copied)
    copied.write(".github/empty.yml", "")
    assert (scan(copied, known, *arguments).status, paths(scan(copied, known, *arguments))) == (0, [])


def test_staged_scans_the_index_and_not_the_work_tree(copied: Checkout, known: Path) -> None:
    staged(copied)
    copied.write("src/plan.py", "")
    (copied.root / "src" / "bookings.py").unlink()
    assert paths(scan(copied, known, "--staged")) == BOTH
    assert paths(scan(copied, known)) == []


def test_a_range_scans_commits_and_not_the_work_tree(copied: Checkout, known: Path) -> None:
    half_committed(copied)
    assert paths(scan(copied, known, "--range", "main..HEAD")) == ["src/bookings.py"]


def test_what_the_default_branch_has_got_meanwhile_is_not_the_change(copied: Checkout, known: Path) -> None:
    committed(copied)
    copied.git("switch", "--quiet", "main")
    copied.commit({"src/theirs.py": SHORTEST_ROUTE.text})
    copied.git("switch", "--quiet", "feature")
    for arguments in ([], ["--since", "main"], ["--range", "main...HEAD"]):
        assert paths(scan(copied, known, *arguments)) == BOTH


def test_a_clone_compares_with_the_branch_of_its_remote(copied: Checkout, known: Path, tmp_path: Path) -> None:
    copied.git("stash", "--include-untracked", "--quiet")
    copied.git("clone", "--quiet", ".", str(tmp_path / "clone"))
    clone = Checkout(tmp_path / "clone")
    clone.commit(dict(CHANGE))
    ended = scan(clone, known)
    assert paths(ended) == BOTH
    assert "origin/main (" in ended.errors
