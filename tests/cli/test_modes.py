"""The same change gives the same findings, however a scan is told to look at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.command import winnow
from support.donor import CHANGE
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Ended

BOTH = ["src/bookings.py", "src/plan.py"]


def scan(checkout: Checkout, known: Path, *arguments: str, folder: str = ".") -> Ended:
    return winnow("scan", "--index", known, "--format", "json", *arguments, cwd=checkout.root / folder)


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
