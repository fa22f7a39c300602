r"""The same code in other letters: ``\uXXXX``, digraphs, trigraphs, names on two lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.kernels import need_kernel, without_kernel
from winnow_ci.languages import quoted_code, tokenize
from winnow_ci.languages.families import FAMILY_OF

if TYPE_CHECKING:
    from winnow_ci.model import Tokens

CODE = """\
int distance(int[] row, int limit) {
    int total = 0; // of all
    for (int at = 0; at < limit; at += 1) {
        total = row[at] != 0 ? total + row[at] : total;
    }
    return total;
}
"""
NATIVE = CODE.replace("int[] row", "int row[]")


def _escaped(pattern: str, text: str = CODE, form: str = "\\u{:04x}") -> str:
    return re.sub(pattern, lambda found: form.format(ord(found[0])), text)


def _replaced(text: str, pairs: str) -> str:
    written = dict(pair.split() for pair in pairs.split(", "))
    return re.sub("|".join(map(re.escape, written)), lambda found: written[found[0]], text)


DIGRAPHS = "{ <%, } %>, [ <:, ] :>"
TRIGRAPHS = "{ ??<, } ??>, [ ??(, ] ??)"
SAME = [
    ("java", CODE, _escaped(r"[{}()\[\];=]")),
    ("java", CODE, _escaped(r"\S")),
    ("java", CODE, _escaped(r"[^\n]", form="\\uuu{:04X}")),
    ("java", CODE, _escaped(r"/").replace("\\u002f\\u002f of all", "\\u002f* of all *\\u002f")),
    ("java", 's = "a\u00e9\U0001f600";', r's = "a\u00e9\uD83D\uuude00";'),
    ("java", r's = "a\\u007b";', r's = "a\u005c\u005cu007b";'),
    ("groovy", CODE, _escaped(r"[();=\[\]]")),
    ("scala", CODE, _escaped(r"[a-z();=\[\]]")),
    ("c", NATIVE, _replaced(NATIVE, DIGRAPHS)),
    ("cpp", NATIVE, _replaced(NATIVE, TRIGRAPHS)),
    ("cpp", "#define a(b) b ## b\nx<::y> z; p || q ^ ~r;", "%:define a(b) b %:%: b\nx<::y> z; p ??!??! q ??' ??-r;"),
    ("c", NATIVE, re.sub(r"(\w\w)(\w)", "\\1\\\\\n\\2", NATIVE)),
]


@pytest.mark.parametrize(("language", "plain", "other"), SAME)
def test_what_means_the_same_has_the_same_tokens(language: str, plain: str, other: str) -> None:
    expected, found = tokenize(language, plain.encode()), tokenize(language, other.encode())
    assert other != plain
    assert found.verbatim.tolist() == expected.verbatim.tolist()
    assert found.structural.tolist() == expected.structural.tolist()
    if plain.count("\n") == other.count("\n"):
        assert found.first_lines.tolist() == expected.first_lines.tolist()


NAMES = [
    ("javascript", "a = merged / b / c", r"a = m\u0065r\u{67}ed / b / c"),
    ("typescript", "merged.spans", r"\u006derged.\u{000073}pans"),
    ("csharp", "merged.spans", r"m\u0065rged.\U00000073pans"),
    ("c", "merged + spans", r"merg\u00e9 + \U000000e9spans"),
]


@pytest.mark.parametrize(("language", "plain", "other"), NAMES)
def test_a_name_with_escapes_is_one_name(language: str, plain: str, other: str) -> None:
    assert (
        tokenize(language, other.encode()).structural.tolist() == tokenize(language, plain.encode()).structural.tolist()
    )


@pytest.mark.parametrize(
    ("language", "text", "count"),
    [
        ("java", r's = "a\\u0022 + b";', 4),
        ("java", "a \\u000a b", 2),
        ("java", r"a \u0000 b \uD83D c", 5),
        ("groovy", r's = "a\u0022 + b"', 3),
        ("kotlin", r"a\u007b", 2),
        ("go", r"a\u007b", 2),
        ("cpp", "x<::y>", 5),
        ("c", 's = "<%d%>??<"', 3),
    ],
)
def test_what_is_no_other_spelling_stays(language: str, text: str, count: int) -> None:
    assert len(tokenize(language, text.encode())) == count


def test_a_line_feed_that_is_written_as_an_escape_is_not_counted() -> None:
    found = tokenize("java", b"a; // \\u000a b;\nc;")
    assert found.first_lines.tolist() == [1, 1, 1, 1, 2, 2]


def test_the_kernel_spells_alike() -> None:
    need_kernel()
    for language, *texts in SAME + NAMES:
        for text in texts:
            native = tokenize(language, text.encode())
            with without_kernel():
                assert tokenize(language, text.encode()).verbatim.tolist() == native.verbatim.tolist()


def test_code_in_a_comment_that_begins_with_an_escape_has_the_lines_of_the_file() -> None:
    text = ("x();\n\\u002f\\u002a \\u000a\n" + CODE + "*/\n" + CODE).encode()
    tokens: Tokens = tokenize("java", text)
    found, _ = quoted_code("java", text, tokens, {FAMILY_OF["java"].name}, np.ones(text.count(b"\n") + 1, np.bool_))
    lines = sorted({line for quoted in found for line in quoted.tokens.first_lines.tolist()})
    # The code behind the comment has a comment of its own, on line 12.
    assert lines == [3, 4, 5, 6, 7, 8, 9, 12]
