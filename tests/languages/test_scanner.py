"""The fast scanner: token streams of each family, what must not change them, and what must."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest

from support.token_rows import rows_of, written
from winnow_ci.languages import comment_marks, scanner, tokenize
from winnow_ci.languages.families import FAMILIES, C, Family
from winnow_ci.languages.text import normalise

BY_NAME = {family.name: family for family in FAMILIES}

SNIPPETS = {
    "c": b"""\
#include <stdio.h> // not "code
int main(void) { /* nor
   this */ return x->y <<= 0x1F + 1'000 + .5f; }
char *s = u8"a\\"b" "*/";  auto r = R"x(a)" // )x";
""",
    "python": b'''\
def f(x, *, y=1_0.5e-3j):  # it's nothing
    return rb"a\\"" if x // y else \\
        f"""{x}
""" + '#'
''',
    "javascript": b"""\
#!/usr/bin/env node
const $a = `x ${b}
` ?? /[/"]\\//g.test(b) / 2; // `
type = x => /y/ && a?.b === 'c';
""",
    "java": b'''\
@A final String s = """
  "/*" """; /* " */
x >>>= 0b1L; List<T> t = A::new;
''',
    "go": b"""\
func f() (a chan int) { // `
\ts := `raw \\
"`
\ta <- 'x'; return 1i }
""",
}

STREAMS = {
    "c": {
        1: ["w #", "w include", "w <", "i stdio", "w .", "i h", "w >"],
        2: ["w int", "i main", "w (", "w void", "w )", "w {"],
        3: ["w return", "i x", "w ->", "i y", "w <<=", "n 0x1F", "w +", "n 1'000", "w +", "n .5f", "w ;", "w }"],
        4: [
            "w char",
            "w *",
            "i s",
            "w =",
            's u8"a\\"b"',
            's "*/"',
            "w ;",
            "w auto",
            "i r",
            "w =",
            's R"x(a)" // )x"',
            "w ;",
        ],
    },
    "python": {
        1: ["w def", "i f", "w (", "i x", "w ,", "w *", "w ,", "i y", "w =", "n 1_0.5e-3j", "w )", "w :"],
        2: ["w return", 's rb"a\\""', "w if", "i x", "w //", "i y", "w else"],
        3: ['s f"""{x}\n"""'],
        4: ["w +", "s '#'"],
    },
    "javascript": {
        2: ["w const", "i $a", "w =", "s `x ${b}\n`"],
        3: ["w ??", 's /[/"]\\//g', "w .", "i test", "w (", "i b", "w )", "w /", "n 2", "w ;"],
        4: ["i type", "w =", "i x", "w =>", "s /y/", "w &&", "i a", "w ?.", "i b", "w ===", "s 'c'", "w ;"],
    },
    "java": {
        1: ["w @", "i A", "w final", "i String", "i s", "w =", 's """\n  "/*" """'],
        2: ["w ;"],
        3: [
            "i x",
            "w >>>=",
            "n 0b1L",
            "w ;",
            "i List",
            "w <",
            "i T",
            "w >",
            "i t",
            "w =",
            "i A",
            "w ::",
            "w new",
            "w ;",
        ],
    },
    "go": {
        1: ["w func", "i f", "w (", "w )", "w (", "i a", "w chan", "i int", "w )", "w {"],
        2: ["i s", "w :=", 's `raw \\\n"`'],
        4: ["i a", "w <-", "s 'x'", "w ;", "w return", "n 1i", "w }"],
    },
}

families = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)


def language(family: Family) -> str:
    return family.languages[0]


def ids(family: Family, content: bytes) -> list[tuple[int, ...]]:
    return [row[1:] for row in rows_of(tokenize(language(family), content))]


def texts(family: Family, content: bytes) -> list[bytes]:
    """Pieces that are not white space, comments included."""
    return [piece.strip() for piece in scanner.pieces(normalise(content), family) if piece.strip()]


@pytest.mark.parametrize("family", [BY_NAME[name] for name in SNIPPETS], ids=SNIPPETS)
def test_token_stream(family: Family) -> None:
    tokens = tokenize(language(family), SNIPPETS[family.name])
    assert rows_of(tokens) == written(family.name, STREAMS[family.name])


def test_last_line_is_that_of_the_closing_quote() -> None:
    tokens = tokenize("python", b'a = """x\n\ny""" + """z\n"""')
    assert tokens.first_lines.tolist() == [1, 1, 1, 3, 3]
    assert tokens.last_lines.tolist() == [1, 1, 3, 3, 4]


@pytest.mark.parametrize("family", [BY_NAME[name] for name in SNIPPETS], ids=SNIPPETS)
def test_every_language_of_a_family_yields_the_same(family: Family) -> None:
    streams = [rows_of(tokenize(name, SNIPPETS[family.name])) for name in family.languages]
    assert all(one == other for one, other in pairwise(streams))


def test_families_share_no_id() -> None:
    seen = [set(tokenize(language(one), b"if (a) { return 1; }").structural.tolist()) for one in BY_NAME.values()]
    assert len(set.union(*seen)) == sum(map(len, seen))


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
def test_the_form_of_the_text_does_not_matter(family: Family, change) -> None:
    code = b"if (abc) {\n  x = y + 17 ;\n\n  return 'q' ;\n}\n"
    assert rows_of(tokenize(language(family), change(code))) == rows_of(tokenize(language(family), code))


@families
def test_comments_and_white_space_do_not_matter(family: Family) -> None:
    code = b"if ( a ) { return b [ 1 ] }"
    opening, closing = comment_marks(language(family))
    comment = opening.encode() + b'it\'s "odd" /* `' + closing.encode() + b"\n"
    assert ids(family, code.replace(b" ", b"  " + comment)) == ids(family, code)
    assert ids(family, code.replace(b" ", b"")[:4]) == ids(family, code)[:3]


@families
def test_renaming_changes_verbatim_ids_only(family: Family) -> None:
    before = tokenize(language(family), b"if (total) { return count + total * 2; }")
    after = tokenize(language(family), b"if (summe) { return zahl + summe * 2; }")
    changed = before.verbatim != after.verbatim
    assert before.structural.tolist() == after.structural.tolist()
    assert changed.nonzero()[0].tolist() == [2, 6, 8]


@families
def test_verbatim_ids_tell_numbers_and_strings_apart(family: Family) -> None:
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
    ],
)
def test_an_unclosed_span_loses_its_opener_only(name: str, opener: bytes, kept: int) -> None:
    family = BY_NAME[name]
    tokens = tokenize(language(family), b"a\n" + opener + b" b\nc + d\n")
    expected = tokenize(language(family), b"a\n b\nc + d\n")
    assert tokens.first_lines.tolist() == [1, *[2] * kept, *expected.first_lines.tolist()[1:]]
    assert tokens.verbatim.tolist()[-4:] == expected.verbatim.tolist()[-4:]


@pytest.mark.parametrize("family", [BY_NAME[name] for name in SNIPPETS], ids=SNIPPETS)
def test_all_spans_unclosed_at_once(family: Family) -> None:
    openers = {"c": b'/* R"(', "python": b"''' \"\"\"", "javascript": b"` /*", "java": b'""" /*', "go": b"/* `"}
    code = openers[family.name] + b"\nif (a) { b }"
    assert ids(family, code)[-7:] == ids(family, b"if (a) { b }")


@families
def test_an_unclosed_string_ends_with_its_line(family: Family) -> None:
    for quote in family.quotes + family.doubled:
        assert ids(family, b"a = %cit\nif (b)" % quote)[3:] == ids(family, b"if (b)")


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
    ],
)
def test_pieces(name: str, code: bytes, expected: list[bytes]) -> None:
    assert texts(BY_NAME[name], code) == expected


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


@families
def test_pumps_stay_cheap(family: Family) -> None:
    """Not a proof (``benchmarks/lexer_linearity.py`` looks harder): a square law takes seconds at this size."""
    fragments = b'a 1 0x1. e+ . " \' ` \'\'\' """ /* */ // # \\ \n \\\n R"( )" R"x( )x" u8 =/ [ ] / ( = \xe9 { '.split(
        b" "
    )
    chooser = random.Random(f"pumps {family.name}")
    for _ in range(150):
        unit = b"".join(chooser.choices(fragments, k=chooser.randrange(1, 5))) or b" "
        text = normalise(b"".join(chooser.choices(fragments, k=2)) + unit * (20_000 // len(unit)))
        began = time.process_time()
        scanner.scan(text, family)
        assert time.process_time() - began < 1, unit
