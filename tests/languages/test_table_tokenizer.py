"""The table-driven tokenizer: token streams of each family, what must not change them, and what must."""

from __future__ import annotations

import random
import re
import time
from itertools import pairwise

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from support.golden_tokens import accepted, code
from support.marks import MARKS, OPENERS
from support.token_rows import rows_of, written
from winnow_ci.languages import comment_marks, comments, revisions, tokenize
from winnow_ci.languages.families import FAMILIES, LanguageFamily
from winnow_ci.languages.families.braces import C
from winnow_ci.languages.families.syntax import sought_openers
from winnow_ci.languages.normalisation import normalise
from winnow_ci.languages.table_tokenizer import family_pieces, family_tokens, unescaped

BY_LANGUAGE = {family.languages[0]: family for family in FAMILIES}

families = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.languages[0])


def texts_of(family: LanguageFamily, *others: bytes) -> st.SearchStrategy[bytes]:
    """Marks of all languages, and as many that open or close the family's own spans."""
    own = [*OPENERS[family.languages[0]].split(b" "), *(mark for span in family.spans for mark in span.nests or ())]
    ends = (b"*/", b'"', b"'", b"`", b"\n", b"]]", b"\nE\n", b"\nX\n")
    marks = st.sampled_from((*MARKS, *others)) | st.sampled_from((*own, *ends))
    return st.lists(marks, max_size=20).map(b"".join)


def language(family: LanguageFamily) -> str:
    return family.languages[0]


def ids(family: LanguageFamily, content: bytes) -> list[tuple[int, ...]]:
    return [row[1:] for row in rows_of(tokenize(language(family), content))]


def texts(family: LanguageFamily, content: bytes) -> list[bytes]:
    """Pieces that are not white space, comments included."""
    return [piece.strip() for piece in family_pieces(normalise(content), family) if piece.strip()]


@families
def test_token_stream(family: LanguageFamily) -> None:
    assert rows_of(tokenize(language(family), code(family))) == written(family.name, accepted(family))


def test_last_line_is_that_of_the_closing_quote() -> None:
    tokens = tokenize("python", b'a = """x\n\ny""" + """z\n"""')
    assert tokens.first_lines.tolist() == [1, 1, 1, 3, 3]
    assert tokens.last_lines.tolist() == [1, 1, 3, 3, 4]


@families
@given(data=st.data())
@settings(max_examples=50)
def test_an_opener_is_found_without_what_it_may_lack(family: LanguageFamily, data: st.DataObject) -> None:
    text = data.draw(texts_of(family, b'L R"x(', b"u8", b'f"""', b"rb'''", b"[bc]"))
    found = [bool(re.search(b"|".join(span.openers), text)) for span in family.spans]
    event(f"some span opens: {any(found)}")
    assert [bool(re.search(b"|".join(sought_openers(span)), text)) for span in family.spans] == found


@families
def test_every_language_of_a_family_yields_the_same(family: LanguageFamily) -> None:
    streams = [rows_of(tokenize(name, code(family))) for name in family.languages]
    assert all(one == other for one, other in pairwise(streams))


def test_families_share_no_id() -> None:
    by_name = {family.name: family for family in FAMILIES}.values()
    seen = [set(tokenize(language(family), b"if (a) { return 1; }").structural.tolist()) for family in by_name]
    assert len(set.union(*seen)) == sum(map(len, seen))


@families
def test_entries_that_share_a_name_share_a_revision(family: LanguageFamily) -> None:
    """Else a change of one would leave indexes with the other's revision."""
    assert revisions()[family.name].endswith(f".{family.revision}")


@families
@pytest.mark.parametrize(
    "change",
    [
        lambda code: code.replace(b"\n", b"\r\n"),
        lambda code: code.replace(b"\n", b"\r"),
        lambda code: code.replace(b" ", b"\t"),
        lambda code: code.replace(b" ", b" \f "),
        lambda code: code.replace(b" ", b"\xc2\xa0"),
        lambda code: code.replace(b" =", b"\0= "),
        lambda code: b"\xef\xbb\xbf" + code,
        lambda code: code.removesuffix(b"\n"),
        lambda code: code.decode().encode("utf-16"),
        lambda code: code.decode().encode("utf-16-le"),
        lambda code: code.decode().encode("utf-16-be"),
        lambda code: code.decode().encode("utf-32"),
    ],
    ids=["crlf", "cr", "tab", "ff", "nbsp", "nul", "bom", "no-final-newline", "utf-16", "16le", "16be", "utf-32"],
)
def test_the_form_of_the_text_does_not_matter(family: LanguageFamily, change) -> None:
    text = b"if (abc) {\n  x = y + 17 ;\n\n  return 'q' ;\n}\n"
    assert rows_of(tokenize(language(family), change(text))) == rows_of(tokenize(language(family), text))


@families
def test_comments_and_white_space_do_not_matter(family: LanguageFamily) -> None:
    text = b"if ( a ) { return b [ 1 ] }"
    opening, closing = (mark.encode() for mark in comment_marks(language(family)))
    comment = opening + b'it\'s "odd" /* `' + closing + b"\n"
    assert ids(family, text.replace(b" ", b"  " + comment)) == ids(family, text)
    assert ids(family, text.replace(b" ", b"")[:4]) == ids(family, text)[:3]


@families
def test_renaming_changes_verbatim_ids_only(family: LanguageFamily) -> None:
    before = tokenize(language(family), b"if (total) { return count + total * 2; }")
    after = tokenize(language(family), b"if (summe) { return zahl + summe * 2; }")
    changed = before.verbatim != after.verbatim
    assert before.structural.tolist() == after.structural.tolist()
    assert changed.nonzero()[0].tolist() == [2, 6, 8]


@families
def test_verbatim_ids_tell_numbers_and_strings_apart(family: LanguageFamily) -> None:
    before, after = (tokenize(language(family), code) for code in (b'f(1, "a")', b'f(2, "b")'))
    assert before.structural.tolist() == after.structural.tolist()
    assert (before.verbatim != after.verbatim).nonzero()[0].tolist() == [2, 4]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("python", b"'a'", b'"a"'),
        ("python", b"'''a'''", b'"""a"""'),
        ("python", b"Rb'a'", b'rB"a"'),
        ("javascript", b"'a'", b'"a"'),
    ],
)
def test_quote_style_does_not_matter(language: str, one: bytes, other: bytes) -> None:
    assert rows_of(tokenize(language, one)) == rows_of(tokenize(language, other))


@pytest.mark.parametrize(
    ("name", "opener", "kept"),
    [
        ("c", b"/*", 0),
        ("c", b'R"x(', 1),
        ("c", b'u8R"(', 1),
        ("python", b'"""', 1),
        ("python", b"rb'''", 1),
        ("javascript", b"/*", 0),
        ("javascript", b"`", 1),
        ("java", b"/*", 0),
        ("java", b'"""', 1),
        ("go", b"/*", 0),
        ("go", b"`", 1),
        ("kotlin", b"/* /* */", 0),
        ("lua", b"--[==[", 0),
        ("lua", b"[=[", 1),
        ("perl", b"qw(", 1),
        ("ruby", b"%w[", 1),
        ("rust", b'r##"', 1),
    ],
)
def test_an_unclosed_span_loses_its_opener_only(name: str, opener: bytes, kept: int) -> None:
    family = BY_LANGUAGE[name]
    tokens = tokenize(language(family), b"a\n" + opener + b" b\nc + d\n")
    expected = tokenize(language(family), b"a\n b\nc + d\n")
    assert tokens.first_lines.tolist() == [1, *[2] * kept, *expected.first_lines.tolist()[1:]]
    assert tokens.verbatim.tolist()[-4:] == expected.verbatim.tolist()[-4:]


@families
def test_all_spans_unclosed_at_once(family: LanguageFamily) -> None:
    text = OPENERS[family.languages[0]] + b"\nif (a) { b }"
    assert ids(family, text)[-7:] == ids(family, b"if (a) { b }")


@families
def test_an_unclosed_string_ends_with_its_line(family: LanguageFamily) -> None:
    for quote in dict.fromkeys(family.quotes + b"\"'"):
        assert ids(family, b"a = %cit\nif (b)" % quote)[-4:] == ids(family, b"if (b)")


@pytest.mark.parametrize(
    ("name", "code", "expected"),
    [
        ("c", b'x "*/" y /* " */ z', [b"x", b'"*/"', b"y", b'/* " */', b"z"]),
        ("c", b'a "/*" b */ c', [b"a", b'"/*"', b"b", b"*", b"/", b"c"]),
        ("c", b"a // b \\\n c\nd", [b"a", b"// b \\\n c", b"d"]),
        ("c", b'"a\\\nb" c', [b'"a\\\nb"', b"c"]),
        ("c", b'R"(a)" R"x()")x" b', [b'R"(a)"', b'R"x()")x"', b"b"]),
        ("c", b"a+++b>>=c->*d", [b"a", b"++", b"+", b"b", b">>=", b"c", b"->*", b"d"]),
        ("c", b"8'000 u8'a' L\"b\" 1.f 1.e5 0x1.8p-3", [b"8'000", b"u8'a'", b'L"b"', b"1.f", b"1.e5", b"0x1.8p-3"]),
        ("c", b"/*/ a */ b /***/ c /**/ d", [b"/*/ a */", b"b", b"/***/", b"c", b"/**/", b"d"]),
        ("python", b"0xfe+1.real 0..n 1.", [b"0xfe", b"+", b"1", b".", b"real", b"0", b".", b".", b"n", b"1."]),
        ("python", b"''' \\''' ''' a", [b"''' \\''' '''", b"a"]),
        ("python", b'""" \'\'\' """ \'"""\' a', [b'""" \'\'\' """', b'\'"""\'', b"a"]),
        ("python", b"''''a'''' b", [b"''''a'''", b"' b"]),
        ("python", b"'\\\\' '\\\\\\' \\\\' a", [b"'\\\\'", b"'\\\\\\' \\\\'", b"a"]),
        ("python", b"'a\\\nb' 'c\\\\\nd", [b"'a\\\nb'", b"'c\\\\", b"d"]),
        ("python", b'"""\\"""" a """b\\\\""" c', [b'"""\\""""', b"a", b'"""b\\\\"""', b"c"]),
        ("python", b"x: r'\\' #'", [b"x", b":", b"r'\\' #'"]),
        ("javascript", b"a / b / c", [b"a", b"/", b"b", b"/", b"c"]),
        ("javascript", b"(a) / b[/'/] / 2", [b"(", b"a", b")", b"/", b"b", b"[", b"/'/", b"]", b"/", b"2"]),
        ("javascript", b'return /"/;', [b"return", b'/"/', b";"]),
        ("javascript", b"f(\n /`/, a)", [b"f", b"(", b"/`/", b",", b"a", b")"]),
        ("javascript", b"x = a++ / b; // c", [b"x", b"=", b"a", b"++", b"/", b"b", b";", b"// c"]),
        ("javascript", b"x /= 2", [b"x", b"/=", b"2"]),
        ("javascript", b"`a\\`b` c", [b"`a\\`b`", b"c"]),
        ("go", b"`a\\` b", [b"`a\\`", b"b"]),
        ("java", b'"""a\\""" " """ b', [b'"""a\\""" " """', b"b"]),
        ("rust", b"/* /* */ */ a /* */ b /* /* */ c", [b"/* /* */ */", b"a", b"/* */", b"b", b"/* /* */", b"c"]),
        ("rust", b'"/*" a /*/* */*/ b', [b'"/*"', b"a", b"/*/* */*/", b"b"]),
        ("rust", b"'a' 'b 'c' '\\'' '\"' d", [b"'a'", b"'b", b"'c'", b"'\\''", b"'\"'", b"d"]),
        ("csharp", b'@"\\" @"""a""" $@"{b}""" ;', [b'@"\\"', b'@"""a"""', b'$@"{b}"""', b";"]),
        ("kotlin", b'"""a"""" b', [b'"""a""""', b"b"]),
        ("julia", b"a' 'b' (c)' d.e''", [b"a", b"'", b"'b'", b"(", b"c", b")", b"'", b"d", b".", b"e", b"'", b"'"]),
        ("lua", b"[==[ ]=] ]==] a --[[ b ]] c -- d", [b"[==[ ]=] ]==]", b"a", b"--[[ b ]]", b"c", b"-- d"]),
        ("perl", b"=pod\n\nit's\n\n=cut\n$a", [b"=pod\n\nit's\n\n=cut", b"$a"]),
        ("perl", b"q{a {b} \\} c} $h{s} $s/2", [b"q{a {b} \\} c}", b"$h", b"{", b"s", b"}", b"$s", b"/", b"2"]),
        ("php", b"$a ?> it's <?php $b // c ?> d", [*b"$a ?> it ' s <?php $b".split(), b"// c", *b"?> d".split()]),
        ("php", b"a #[B] # c", [b"a", b"#", b"[", b"B", b"]", b"# c"]),
        ("ruby", b"%w[a [b] c] x %y =~ /'/", [b"%w[a [b] c]", b"x", b"%", b"y", b"=~", b"/'/"]),
        ("ruby", b"a <<~X\n '\n X\nb", [b"a", b"<<~X\n '\n X", b"b"]),
        ("elixir", b"~r/'/i ?\" a? b", [b"~r/'/i", b'?"', b"a?", b"b"]),
    ],
)
def test_pieces(name: str, code: bytes, expected: list[bytes]) -> None:
    assert texts(BY_LANGUAGE[name], code) == expected


@families
@given(data=st.data())
def test_the_pieces_are_the_text(family: LanguageFamily, data: st.DataObject) -> None:
    text = unescaped(data.draw(texts_of(family)), family.unicode_escapes)
    assume(not text.startswith(b"#!") and b"\\" * 13 not in text)
    found = family_pieces(text, family)
    event(f"something opens: {any(re.search(b'|'.join(span.openers), text) for span in family.spans)}")
    joined = b"".join(found)
    assert len(joined) == len(text) if family.rewritten else joined == text
    assert all(found)
    family_tokens(text, family)


@given(st.lists(st.sampled_from([b"/*", b"*/", b"a", b" ", b"\n"]), max_size=20).map(b" ".join))
def test_a_comment_ends_where_those_in_it_have_ended(inner: bytes) -> None:
    text = b"/*" + inner
    depth = 0
    ends = []
    for mark in re.finditer(rb"/\*|\*/", text):
        depth += 1 if mark.group() == b"/*" else -1
        ends += [mark.end()] if depth == 0 else []
    first_end = text.find(b"*/", 2) + 2
    expected = text[: ends[0]] if ends else text[:first_end] if first_end > 1 else b"/*"
    assert family_pieces(text, BY_LANGUAGE["rust"])[0] == expected


@families
def test_a_first_line_for_the_system_is_a_comment(family: LanguageFamily) -> None:
    for line in (b"#!/usr/bin/env x -y 'z", b"#!"):
        assert not ids(family, line)
        assert ids(family, line + b"\nif (a)") == ids(family, b"if (a)")
    found = comments(language(family), b"#!/bin/x\n") if family.line_comment else []
    assert all(comment.line == 1 for comment in found)


@pytest.mark.parametrize("backslashes", [*range(10, 18), 99, 100])
def test_backslashes_before_a_quote_are_counted(backslashes: int) -> None:
    assert len(texts(BY_LANGUAGE["python"], b"'x" + b"\\" * backslashes + b"' b")) == 2 - backslashes % 2


@pytest.mark.parametrize(("lines", "count"), [(4095, 1), (4096, 2)])
def test_a_comment_is_continued_on_so_many_lines(lines: int, count: int) -> None:
    assert len(texts(C, b"// a" + b"\\\n" * lines + b"b")) == count


def test_a_string_may_be_as_long_as_it_likes() -> None:
    assert texts(C, b'"' + b"\\x00" * 100_000 + b'" b') == [b'"' + b"\\x00" * 100_000 + b'"', b"b"]


@pytest.mark.parametrize("name", ["h\xe9 = \xfc".encode("latin-1"), "hé = ü".encode(), b"h\xff = \x80"])
def test_bytes_beyond_ascii_are_letters(name: str) -> None:
    assert [row[0] for row in ids(C, name)] == [row[0] for row in ids(C, b"a = b")]


def test_a_lone_carriage_return_ends_a_comment_but_not_a_line() -> None:
    tokens = tokenize("c", b"// x\rint a;\nint b;\n")
    assert rows_of(tokens) == written("c", {1: ["w int", "i a", "w ;"], 2: ["w int", "i b", "w ;"]})


def test_a_line_separator_ends_a_comment() -> None:
    assert len(tokenize("javascript", "// x\u2028steal()".encode())) == 3


@pytest.mark.parametrize("language", ["perl", "ruby"])
@pytest.mark.parametrize("unit", ["(*<</", "f <<A ", "$a << 1, "])
def test_shifts_on_a_long_line_stay_cheap(language: str, unit: str) -> None:
    """The rest of the line was searched for each of them: twice as long a line took four times as long."""
    text = normalise(f".{unit * (200_000 // len(unit))}[=[\n".encode())
    began = time.process_time()
    tokenize(language, text)
    assert time.process_time() - began < 5


@families
def test_pumps_stay_cheap(family: LanguageFamily) -> None:
    """Not a proof (``benchmarks/lexer_linearity.py`` looks harder): a square law takes seconds at this size."""
    fragments = [
        *b'a 1 0x1. e+ . " \' ` \'\'\' """ /* */ // # \\ \n \\\n R"( )" R"x( )x" u8 =/ [ ] / ( = \xe9 { '.split(b" "),
        *b"<< <<'A'".split(b" "),
    ]
    chooser = random.Random(f"pumps {family.name}")
    for _ in range(150):
        unit = b"".join(chooser.choices(fragments, k=chooser.randrange(1, 5))) or b" "
        text = normalise(b"".join(chooser.choices(fragments, k=2)) + unit * (20_000 // len(unit)))
        began = time.process_time()
        family_tokens(text, family)
        assert time.process_time() - began < 1, unit
