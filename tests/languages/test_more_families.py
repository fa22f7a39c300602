"""What is peculiar to languages beyond the first five families."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.golden_tokens import code
from winnow_ci.languages import comments, endings, front_end_of, language_of, tokenize
from winnow_ci.languages.families import FAMILIES

FAMILY = {language: family for family in FAMILIES for language in family.languages}

FIRST_OF_FAMILY = (
    *("bash", "css", "erlang", "fortran", "fortranfixed", "gas", "haskell", "matlab", "nasm", "ocaml", "powershell"),
    *("protobuf", "solidity", "sql", "terraform", "verilog", "vhdl", "zig"),
)


@pytest.mark.parametrize("language", FIRST_OF_FAMILY)
def test_a_fragment_has_the_tokens_that_it_has_in_its_file(language: str) -> None:
    """Whatever stands before, closed or not: tokens of a following line are the same."""
    text = code(FAMILY[language])
    alone = tokenize(language, text).verbatim.tolist()
    for before in (b"x = 'it\n", b'x = "it\n', b"# it's\n", b"} ) ]\n"):
        assert tokenize(language, before + text.removeprefix(b"#!/bin/sh\n")).verbatim.tolist()[-len(alone) :] == alone


@pytest.mark.parametrize("name", ["haskell", "ocaml"])
@given(text=st.text("o c\n", max_size=40))
def test_nested_comments_end_where_their_depth_does(name: str, text: str) -> None:
    opens, closes = {"haskell": ("{-", "-}"), "ocaml": ("(*", "*)")}[name]
    comments_only = text.replace("o", f" {opens} ").replace("c", f" {closes} ")
    parts, depth = comments_only.split(), 0
    for mark in parts:
        depth = depth + 1 if mark == opens else max(0, depth - 1)
    if depth:
        return
    expected, depth = 0, 0
    for mark in parts:
        expected += mark == closes and depth == 0
        depth = depth + 1 if mark == opens else max(0, depth - 1)
    assert len(tokenize(name, comments_only.encode())) == 2 * expected


def test_an_unclosed_depth_hides_no_code() -> None:
    assert len(tokenize("haskell", b"{- {- -} x\ny {- -} z {- {- -} -}")) == len(b"xyz")


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("sql", b"SELECT Id FROM T", b"select id from t"),
        ("vhdl", b"END Entity;", b"end ENTITY;"),
        ("fortran", b"Call F(1.D0)", b"CALL f(1.d0)"),
        ("powershell", b"Get-Item $A -EQ 1", b"GET-ITEM $a -eq 1"),
        ("html", b"<DIV Class=a>", b"<div class=a>"),
        ("nasm", b"MOV EAX, 1", b"mov eax, 1"),
        ("fortran", b"call f(a, b)", b"call f(a, & ! why\n  & b)"),
        ("matlab", b"f(a, b)", b"f(a, ... why\n b)"),
        ("powershell", b"f -a b", b"f -a `\n b"),
        ("bash", b"f -a b", b"f -a \\\n b"),
    ],
)
def test_what_changes_no_token(language: str, one: bytes, other: bytes) -> None:
    assert tokenize(language, one).verbatim.tolist() == tokenize(language, other).verbatim.tolist()


def test_both_forms_of_fortran_have_the_same_tokens() -> None:
    fixed, free = tokenize("fortranfixed", b"c x\n      call f(a,\n     1 b)"), tokenize("fortran", b"call f(a, &\n b)")
    assert fixed.verbatim.tolist() == free.verbatim.tolist()
    assert front_end_of("fortran").name == front_end_of("fortranfixed").name


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("haskell", 'x = \'"\' -- one\ny = "-- no"\n{- two {- three -}\n-}\n', [(1, 1, 1), (3, 3, 4)]),
        ("bash", "x=${#a} # one\n", [(1, 1, 1)]),
        ("powershell", "x 'no' <# one\n#>\n", [(1, 1, 2)]),
        ("fortranfixed", "c winnow\n      x = '! no'\n", [(1, 1, 1)]),
        ("ocaml", 'let x = "(* no"\n(* one *)\n', [(2, 2, 2)]),
        (
            "vue",
            "<p>// no</p>\n<script>\n// one\n</script>\n<!-- two -->\n<style>\n/* three */",
            [(3, 3, 3), (5, 5, 5), (7, 7, 7)],
        ),
        ("css", "a { b: url(//no) } /* one */", [(1, 1, 1)]),
    ],
)
def test_comments(language: str, text: str, found: list[tuple[int, int, int]]) -> None:
    assert [(c.line, c.first, c.last) for c in comments(language, text.encode())] == found


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.hs", "haskell"),
        ("a.erl", "erlang"),
        ("a.psm1", "powershell"),
        ("a.scss", "scss"),
        ("a.svelte", "vue"),
        ("a.f90", "fortran"),
        ("a.f", "fortranfixed"),
        ("a.F90", "fortran"),
        ("a.vhd", "vhdl"),
        ("a.tf", "terraform"),
        ("a.proto", "protobuf"),
        ("a.sol", "solidity"),
        ("a.zig", "zig"),
    ],
)
def test_files(path: str, language: str) -> None:
    assert language_of(path, b"") == language
    assert front_end_of(language).name != "pygments"


@pytest.mark.parametrize(
    ("language", "among", "not_among"),
    [
        ("typescript", {".js", ".mjs", ".tsx", ".vue", ".html"}, {".css", ".java"}),
        ("vue", {".js", ".ts", ".scss", ".html", ".svelte"}, {".java"}),
        ("css", {".less", ".vue"}, {".js"}),
        ("fortran", {".f90", ".f"}, {".m"}),
        ("c", {".c", ".h", ".cpp"}, {".go"}),
    ],
)
def test_endings_are_those_of_all_files_that_can_match(language: str, among: set[str], not_among: set[str]) -> None:
    found = endings(front_end_of(language))
    assert among <= found
    assert not found & not_among


@pytest.mark.parametrize("language", ["yaml", "markdown"])
def test_other_front_ends_have_no_endings(language: str) -> None:
    assert not endings(front_end_of(language))


@pytest.mark.parametrize(
    ("language", "comment"),
    [("haskell", b"-- a"), ("haskell", b"--- a"), ("bash", b"# a"), ("sql", b"# a"), ("terraform", b"// a")],
)
def test_a_comment_of_more_than_one_mark(language: str, comment: bytes) -> None:
    assert [found.text.encode() for found in comments(language, b"x = 1 " + comment + b"\n")] == [comment]


def test_an_operator_that_begins_like_a_comment_is_none() -> None:
    assert comments("haskell", b"a --> b\n") == []
    assert len(tokenize("haskell", b"a --> b\n")) == 3
