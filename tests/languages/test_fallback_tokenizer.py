"""The fallback tokenizer, which knows no language."""

from __future__ import annotations

import pytest

from support.token_rows import rows_of, written
from winnow_ci.languages import FALLBACK, tokenize


def test_token_stream() -> None:
    code = b'IF x1 == 0x1F.5 then // a "b\n  y := "c \\" d"; -- \'e\' `f`\n'
    stream = {
        1: ["w IF", "i x1", "w =", "w =", "n 0x1F.5", "w then", "w /", "w /", "i a", 'w "', "i b"],
        2: ["i y", "w :", "w =", 's "c \\" d"', "w ;", "w -", "w -", "s 'e'", "s `f`"],
    }
    assert rows_of(tokenize(FALLBACK, code)) == written("generic", stream)


def test_letters_of_any_script_are_names() -> None:
    assert rows_of(tokenize(FALLBACK, "größe价".encode())) == written("generic", {1: ["i größe价"]})


def test_a_quotation_mark_without_a_partner_hides_nothing() -> None:
    tokens = tokenize(FALLBACK, b"don't\n" + b"a = b + c\n" * 9)
    assert len(tokens) == 3 + 45
    assert tokens.last_lines.max() == 10


@pytest.mark.parametrize("marks", ["/* %s */", "# %s", '"""\n%s\n"""', "<!-- %s -->", "=begin\n%s\n=end"])
def test_nothing_can_be_called_a_comment(marks: str) -> None:
    code = "if a < 1 then b(c) end"
    within = tokenize(FALLBACK, (marks % code).encode()).verbatim.tolist()
    alone = tokenize(FALLBACK, code.encode()).verbatim.tolist()
    assert any(within[start : start + len(alone)] == alone for start in range(len(within)))


@pytest.mark.parametrize(("text", "count"), [(b"a" * 400, 1), (b"a" * 401, 3), (b"\\a" * 20, 1), (b"\\a" * 21, 44)])
def test_how_long_a_string_is_read_as_one(text: bytes, count: int) -> None:
    assert len(tokenize(FALLBACK, b'"' + text + b'"')) == count


def test_a_string_that_is_very_long_is_read_as_its_words() -> None:
    assert len(tokenize(FALLBACK, b'"' + b"a " * 100_000 + b'"')) == 100_002
