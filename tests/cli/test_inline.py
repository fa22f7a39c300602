"""Comments that allow a copy, and whose they are; ``tests/cases/inline`` has which comments count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import Ended, build, winnow
from support.donor import MERGE_CLOSURES, PLAN, SHORTEST_ROUTE, write_known
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


def test_what_a_change_allows_itself_is_told(branch: Checkout) -> None:
    ended = winnow("scan", cwd=scan_root(branch, COMMENT + ROUTE))
    assert (ended.status, ended.output) == (0, "no findings, 1 suppressed (1 accepted)\n")
    said = "the change allows its own copy on line 1: src/route.py:2-26 is copied from roads (GPL-3.0-only)"
    assert f"notice: {said}: with its author's leave" in ended.errors


def scan_root(branch: Checkout, text: str) -> Path:
    branch.commit({"src/route.py": text})
    return branch.root


def test_by_the_rules_of_the_base_a_change_cannot_allow_its_own_copy(branch: Checkout) -> None:
    ended = scan(branch, "--policy-from", "base", text=COMMENT + ROUTE)
    assert (ended.status, judged(ended)) == (1, [None])
    (notice,) = told(ended)
    assert notice.startswith("src/route.py:1: this winnow-ci: allow is part of the change, and has an effect only if")


def test_the_base_may_say_that_it_can(tmp_path: Path, known: Path, branch: Checkout) -> None:
    branch.git("switch", "--quiet", "main")
    branch.commit({".winnow.yml": f"index: ['{known}']\nsuppressions: {{inline: always}}\n"})
    branch.git("switch", "--quiet", "change")
    branch.git("rebase", "--quiet", "main")
    ended = scan(branch, "--policy-from", "base", text=COMMENT + ROUTE)
    assert (ended.status, judged(ended)) == (0, ["inline"])
    assert told(ended)[0].startswith("the change allows its own copy on line 1")


def test_a_comment_of_the_base_counts_for_the_copy_that_it_was_made_for(branch: Checkout) -> None:
    lines = ROUTE.splitlines(keepends=True)
    branch.git("switch", "--quiet", "main")
    branch.commit({"src/route.py": COMMENT + "".join(lines[:8] + lines[17:]), "src/merge.py": f"{COMMENT}\n"})
    branch.git("switch", "--quiet", "change")
    branch.git("rebase", "--quiet", "main")
    branch.commit({"src/merge.py": COMMENT + MERGE_CLOSURES.text})
    ended = scan(branch, "--policy-from", "base", text=COMMENT + ROUTE)
    assert [(f["path"], f["suppressed"]) for f in ended.findings()] == [
        ("src/merge.py", None),
        ("src/route.py", "inline"),
    ]
    assert told(ended) == ["src/merge.py:1: this winnow-ci: allow was there before the copy, so it does not allow it"]


def test_without_a_base_all_comments_are_those_that_are_there(branch: Checkout, known: Path) -> None:
    branch.commit({".winnow.yml": f"index: ['{known}']\nsuppressions: {{inline: base}}\n"})
    assert judged(scan(branch, text=COMMENT + ROUTE)) == [None]
    ended = winnow("scan", "--all", "--format", "json", cwd=branch.root)
    assert (ended.status, judged(ended), told(ended)) == (0, ["inline"], [])


def test_comments_can_be_switched_off(branch: Checkout, known: Path) -> None:
    branch.commit({".winnow.yml": f"index: ['{known}']\nsuppressions: {{inline: never}}\n"})
    ended = scan(branch, text=COMMENT + ROUTE)
    assert (ended.status, judged(ended)) == (1, [None])
    assert "has no effect: the configuration has suppressions.inline: never" in told(ended)[0]


def test_a_stale_comment_is_told_where_it_is_looked_at(branch: Checkout) -> None:
    branch.git("switch", "--quiet", "main")
    branch.commit({"src/old.py": f"{COMMENT}x = 1\n"})
    branch.git("switch", "--quiet", "change")
    branch.git("rebase", "--quiet", "main")
    branch.commit({"src/old.py": f"{COMMENT}x = 1\ny = 2\n"})
    assert told(scan(branch)) == []
    ended = winnow("scan", "--all", "--format", "json", cwd=branch.root)
    assert told(ended) == ["src/old.py:1: winnow-ci: allow roads: no such copy at this comment"]


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
