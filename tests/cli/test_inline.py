"""Comments that allow a copy, and whose they are; ``tests/cases/inline`` has which comments count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import Ended, build, winnow
from support.donor import PLAN, SHORTEST_ROUTE, write_known
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

COMMENT = "# winnow-ci: allow roads with its author's leave\n"
ROUTE = SHORTEST_ROUTE.text


@pytest.fixture
def branch(tmp_path: Path, known: Path) -> Checkout:
    """A branch of a repository with a configuration."""
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"src/plan.py": PLAN, ".winnow.yml": f"index: ['{known}']\n"})
    checkout.git("switch", "--quiet", "--create", "change")
    return checkout


def scan(checkout: Checkout, *arguments: str | Path, text: str | None = None) -> Ended:
    if text is not None:
        checkout.commit({"src/route.py": text})
    return winnow("scan", "--range", "main...HEAD", "--format", "json", *arguments, cwd=checkout.root)


def told(ended: Ended) -> list[str]:
    return list(ended.report()["scan"]["notices"])


def judged(ended: Ended) -> list[str | None]:
    return [finding["suppressed"] for finding in ended.findings()]


def test_a_comment_counts_in_a_file_with_other_line_ends(branch: Checkout) -> None:
    ended = scan(branch, text=f"{PLAN}\n{COMMENT}{ROUTE}".replace("\n", "\r\n"))
    assert (ended.status, judged(ended)) == (0, ["inline"])
    assert ended.findings()[0]["reason"] == "with its author's leave"


def test_thousands_of_comments_are_counted(branch: Checkout) -> None:
    ended = scan(branch, text="x = 1  # winnow-ci: allow nothing at all here\n" * 5000)
    assert len(told(ended)) == 11
    assert told(ended)[-1] == "4,990 more comments without a copy"


def test_other_languages_have_comments_too(tmp_path: Path) -> None:
    ruby = "def total(rows, limit)\n" + "".join(
        f"  raise ArgumentError, 'row {n}' if rows[{n}].nil? || limit < {n}\n  sum += rows[{n}].value * {n}\n"
        for n in range(6)
    )
    (tmp_path / "known").mkdir()
    (tmp_path / "known" / "total.rb").write_text(f"{ruby}end\n")
    build(tmp_path / "known", tmp_path / "known.db", name="sums")
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.write("total.rb", f"# winnow-ci: allow sums as we agreed\n{ruby}end\n")
    ended = winnow("scan", "--all", "--index", tmp_path / "known.db", "--format", "json", cwd=checkout.root)
    assert set(judged(ended)) == {"inline"}


def test_no_comment_allows_a_licence_that_is_denied(tmp_path: Path) -> None:
    for name, licence in (("a", "MIT"), ("b", "GPL-3.0-only")):
        build(write_known(tmp_path / name), tmp_path / "known.db", "--license", licence, name=name)
    checkout = Checkout.create(tmp_path / "checkout")
    policy = "policy: {warn: [MIT], deny: ['GPL-*']}\n"
    for pattern, said in (("MIT", "no such copy"), ("a", "has no effect: policy.deny names GPL-3.0-only")):
        checkout.commit({".winnow.yml": policy, "route.py": COMMENT.replace("roads", pattern) + ROUTE})
        ended = winnow("scan", "--all", "--index", tmp_path / "known.db", "--format", "json", cwd=checkout.root)
        assert judged(ended) == [None]
        assert said in told(ended)[0]
