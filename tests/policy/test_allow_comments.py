"""Comments that allow a copy: how they are read, which copies they are about, and whom they are believed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from support.reports import finding, place
from winnow_ci.model import LineRange, Source
from winnow_ci.policy.allow_comments import COMMENT_MARK, AllowComment, CommentTrust, allow, read_comment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.model.findings import Finding

NEW = (LineRange(1, 100),)


def read(text: str, line: int = 5, last: int | None = None, added: Sequence[LineRange] = ()) -> list[AllowComment]:
    last = line + text.count("\n") if last is None else last
    return list(read_comment("src/a.c", text, line, LineRange(line, last), added))


def comment(line: int = 9, pattern: str = "curl", reason: str = "as agreed", *, new: bool = False) -> AllowComment:
    return AllowComment("src/a.c", line, line, line, pattern, reason, is_new=new, on_new=new)


def outcome(
    comments: Sequence[AllowComment],
    found: Finding | None = None,
    trust: CommentTrust = "always",
    *,
    has_base: bool = True,
) -> tuple[str | None, list[str]]:
    """What suppresses a finding of the lines 10 to 42, and the notices."""
    (judged,), notices = allow([found or finding()], {"src/a.c": comments}, trust, has_base=has_base)
    return judged.suppressed, notices


# ---- reading ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "pattern", "reason"),
    [
        ("// winnow-ci: allow curl as agreed", "curl", "as agreed"),
        ("/* winnow-ci:allow\tcurl\tas agreed */", "curl", "as agreed"),
        ("<!-- winnow-ci: allow cu*l  as agreed  -->", "cu*l", "as agreed"),
        ("{# winnow-ci: allow curl as agreed #}", "curl", "as agreed"),
        ("(* winnow-ci: allow curl as agreed *)", "curl", "as agreed"),
        ("{- winnow-ci: allow curl as agreed -}", "curl", "as agreed"),
        ("<% winnow-ci: allow curl as agreed %>", "curl", "as agreed"),
        ("#| winnow-ci: allow curl as agreed |#", "curl", "as agreed"),
        ("/* winnow-ci: allow curl*/", "curl", ""),
        ("// winnow-ci: allow", "", ""),
        ("// winnow-ci: allow curl as agreed\rx = 1", "curl", "as agreed"),
        ("// winnow-ci: allow curl " + "x" * 201, "curl", "x" * 200),
        ("// winnow-ci: allow " + "x" * 201 + " as agreed", "x" * 200, "as agreed"),
    ],
)
def test_a_comment_names_a_pattern_and_a_reason(text: str, pattern: str, reason: str) -> None:
    (read_one,) = read(text)
    assert (read_one.pattern, read_one.reason) == (pattern, reason)
    assert read_one[:4] == ("src/a.c", 5, 5, 5)


@pytest.mark.parametrize("text", ["// winnow-ci: allowed curl as agreed", "// winnow: allow curl", "// allow curl"])
def test_other_comments_allow_nothing(text: str) -> None:
    assert read(text) == []


def test_every_such_comment_has_the_mark() -> None:
    assert read(f"// {COMMENT_MARK} allow curl as agreed")
    assert not read(f"// {COMMENT_MARK[:-1]} allow curl as agreed")


def test_each_line_of_a_comment_may_allow_a_copy() -> None:
    text = "/* winnow-ci: allow curl as agreed\n *\n * winnow-ci: allow zlib as agreed */"
    assert [(each.line, each.first, each.last, each.pattern) for each in read(text, last=9)] == [
        (5, 5, 9, "curl"),
        (7, 5, 9, "zlib"),
    ]


@pytest.mark.parametrize(
    ("added", "is_new", "on_new"),
    [
        ([], False, False),
        ([(1, 4)], False, False),
        ([(6, 9)], False, False),
        ([(5, 5)], True, False),
        ([(1, 5)], True, False),
        ([(5, 6)], True, True),
        ([(1, 2), (5, 5), (6, 6)], True, True),
        ([(5, 5), (7, 9)], True, False),
    ],
)
def test_whether_the_change_adds_a_comment_and_the_line_after_it(
    added: list[tuple[int, int]], is_new: bool, on_new: bool
) -> None:
    (read_one,) = read("// winnow-ci: allow curl as agreed", added=[LineRange(*each) for each in added])
    assert (read_one.is_new, read_one.on_new) == (is_new, on_new)


@pytest.mark.parametrize(
    ("pattern", "reason", "problem"),
    [
        ("curl", "as agreed", None),
        ("c*", "as agreed", None),
        ("curl", "agreed", "gives no reason (at least two words)"),
        ("curl", "agreed -", "gives no reason (at least two words)"),
        ("curl", "", "gives no reason (at least two words)"),
        ("*", "as agreed", "names neither a source nor a licence"),
        ("", "", "names neither a source nor a licence"),
    ],
)
def test_a_comment_without_a_name_or_a_reason_counts_for_nothing(
    pattern: str, reason: str, problem: str | None
) -> None:
    assert comment(pattern=pattern, reason=reason).problem == problem
    suppressed, notices = outcome([comment(pattern=pattern, reason=reason)])
    assert suppressed == (None if problem else "inline")
    assert notices == ([f"src/a.c:9: this winnow-ci: allow {problem}"] if problem else [])


# ---- which copies ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("line", "suppressed"), [(8, None), (9, "inline"), (10, "inline"), (42, "inline"), (43, None)])
def test_a_comment_is_about_copies_on_its_lines_and_the_next(line: int, suppressed: str | None) -> None:
    assert outcome([comment(line)]) == (suppressed, [])


def test_all_lines_of_a_comment_count_not_only_its_own() -> None:
    assert outcome([comment(5)._replace(last=9)])[0] == "inline"
    assert outcome([comment(50)._replace(first=42)])[0] == "inline"


def test_comments_are_looked_up_among_many() -> None:
    around = [comment(line) for line in (1, 3, 50, 60)]
    assert outcome(around)[0] is None
    assert outcome([*around[:2], comment(20), *around[2:]])[0] == "inline"


def test_no_more_than_a_hundred_comments_at_a_copy_count() -> None:
    others = [comment(9 + number % 3, "zlib") for number in range(100)]
    others.sort(key=lambda each: each.line)
    assert outcome([*others[:99], comment(11)])[0] == "inline"
    assert outcome([*others, comment(11)])[0] is None


@pytest.mark.parametrize(
    ("pattern", "suppressed"),
    [
        ("curl", "inline"),
        ("cu*", "inline"),
        ("Curl", None),
        ("GPL-2.0-only", "inline"),
        ("gpl-*", "inline"),
        ("MIT", None),
        ("(GPL", None),
    ],
)
def test_a_comment_names_the_source_or_its_licence(pattern: str, suppressed: str | None) -> None:
    assert outcome([comment(pattern=pattern)], finding(license="GPL-2.0-only"))[0] == suppressed


def test_a_licence_does_not_allow_a_copy_of_which_the_policy_denies_a_source() -> None:
    denied = finding(license="MIT")._replace(objection=place(Source("fork", license="GPL-2.0-only"), "x.c", 1, 9))
    assert outcome([comment(pattern="MIT")], denied)[0] is None
    assert outcome([comment(pattern="curl")], denied)[0] == "inline"


def test_another_reason_to_suppress_stays_and_uses_the_comment() -> None:
    new = comment(new=True)
    assert outcome([new], finding()._replace(suppressed="policy")) == ("policy", [])


def test_the_reason_stands_in_the_finding() -> None:
    (judged,), _ = allow([finding()], {"src/a.c": [comment(reason="asked its author")]}, "always")
    assert judged.reason == "asked its author"
    (judged,), _ = allow([finding()], {"src/b.c": [comment()]}, "always")
    assert (judged.suppressed, judged.reason) == (None, None)


# ---- whom they are believed ------------------------------------------------------------------------------------

HALF_NEW = finding(first=1, last=20)._replace(added=(LineRange(1, 6), LineRange(11, 14)))
MORE_NEW = HALF_NEW._replace(lines=LineRange(1, 21), added=(LineRange(1, 6), LineRange(11, 15)))


@pytest.mark.parametrize(
    ("trust", "new", "has_base", "found", "notice"),
    [
        ("always", False, True, MORE_NEW, None),
        ("base", False, True, HALF_NEW, None),
        ("base", False, True, MORE_NEW, "was there before the copy, so it does not allow it"),
        ("base", True, True, HALF_NEW, "is part of the change, and has an effect only if the base has"),
        ("base", False, False, MORE_NEW, None),
        ("base", True, False, MORE_NEW, None),
        ("never", False, True, HALF_NEW, "has no effect: the configuration has suppressions.inline: never"),
        ("never", False, False, HALF_NEW, "has no effect: the configuration has suppressions.inline: never"),
    ],
)
def test_which_comments_count(
    trust: CommentTrust, new: bool, has_base: bool, found: Finding, notice: str | None
) -> None:
    suppressed, notices = outcome([comment(9, new=new)], found, trust, has_base=has_base)
    assert suppressed == (None if notice else "inline")
    assert len(notices) == (1 if notice else 0)
    assert all(f"src/a.c:9: this winnow-ci: allow {notice}" in text for text in notices)


def test_a_comment_that_counts_is_found_behind_one_that_does_not() -> None:
    suppressed, notices = outcome([comment(9, new=True), comment(10)], HALF_NEW, "base")
    assert suppressed == "inline"
    assert ["is part of the change" in text for text in notices] == [True]


def test_what_a_change_allows_itself_is_reported() -> None:
    assert outcome([comment(new=True)]) == (
        "inline",
        ["the change allows its own copy on line 9: src/a.c:10-42 is copied from curl (curl): as agreed"],
    )
    assert outcome([comment(new=True)], has_base=False) == ("inline", [])


# ---- notices ---------------------------------------------------------------------------------------------------

STALE = "src/a.c:60: winnow-ci: allow curl: no such copy at this comment"


@pytest.mark.parametrize(
    ("on_new", "whole", "trust", "notices"),
    [
        (True, (), "base", [STALE]),
        (False, ["src/a.c"], "base", [STALE]),
        (False, ["src/b.c"], "base", []),
        (True, ["src/a.c"], "never", []),
    ],
)
def test_a_comment_without_a_copy_is_reported_where_it_is_looked_at(
    on_new: bool, whole: list[str], trust: CommentTrust, notices: list[str]
) -> None:
    comments = {"src/a.c": [comment(60)._replace(on_new=on_new)]}
    assert allow([finding()], comments, trust, whole=whole)[1] == notices


def test_a_comment_at_a_copy_of_something_else_is_stale() -> None:
    suppressed, notices = outcome([comment(9, "zlib", new=True), comment(10)])
    assert suppressed == "inline"
    assert notices == ["src/a.c:9: winnow-ci: allow zlib: no such copy at this comment"]


def test_a_stale_comment_with_a_problem_is_reported_by_its_problem() -> None:
    comments = {"src/a.c": [comment(60, pattern="*", new=True)]}
    assert allow([], comments, "always")[1] == [
        "src/a.c:60: this winnow-ci: allow names neither a source nor a licence"
    ]


@pytest.mark.parametrize(("count", "more"), [(10, 0), (11, 1)])
@pytest.mark.parametrize(
    ("reason", "kind"), [("as agreed", "comments without a copy"), ("", "comments without effect")]
)
def test_ten_notices_of_a_kind_are_given(count: int, more: int, reason: str, kind: str) -> None:
    comments = [comment(60 + number, reason=reason, new=True) for number in range(count)]
    notices = allow([], {"src/a.c": comments}, "always")[1]
    assert (len(notices), notices[10:]) == (10 + more, [f"1 more {kind}"] * more)


@pytest.mark.parametrize(("count", "more"), [(200, []), (1201, ["1,001 more copies that the change itself allows"])])
def test_two_hundred_copies_that_a_change_allows_itself_are_shown(count: int, more: list[str]) -> None:
    found = [finding(first=10 * number, last=10 * number + 5) for number in range(1, count + 1)]
    comments = [comment(each.lines.first, new=True) for each in found]
    notices = allow(found, {"src/a.c": comments}, "always")[1]
    assert (len(notices), notices[200:]) == (200 + len(more), more)


def test_the_same_is_said_once() -> None:
    assert len(outcome([comment(pattern="*")] * 3)[1]) == 1


# ---- against a plain definition --------------------------------------------------------------------------------


@given(
    spans=st.lists(st.tuples(st.integers(1, 4), st.integers(0, 2)), max_size=6),
    first=st.integers(1, 12),
    length=st.integers(1, 4),
)
def test_the_comments_at_a_copy_agree_with_looking_at_all(
    spans: list[tuple[int, int]], first: int, length: int
) -> None:
    last, at = first + length - 1, 0
    comments = []
    for gap, more in spans:
        comments.append(comment(at + gap)._replace(last=at + gap + more))
        at += gap + more
    near = [each for each in comments if each.first <= last and each.last + 1 >= first]
    event(f"{len(near)} of {len(comments)} comments are near")
    found = finding(first=first, last=last)
    assert (outcome(comments, found)[0] == "inline") == bool(near)
