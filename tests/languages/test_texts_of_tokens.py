"""Names, values of numbers and places of tokens are found again in the text."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from support.golden_tokens import GOLDEN, code
from winnow_ci.languages import FALLBACK, NumberValue, TextNumbers, front_end_named, front_end_of, names_in, tokenize
from winnow_ci.languages.families import FAMILIES, FAMILY_OF, LanguageFamily
from winnow_ci.languages.normalisation import normalise
from winnow_ci.languages.table_tokenizer import classifier
from winnow_ci.languages.texts_of_tokens import NUMBER_WORDS, token_places
from winnow_ci.languages.tokens import Alphabet, line_numbers
from winnow_ci.model import IDENTIFIER_SKETCH

# ---- identifiers ----------------------------------------------------------------------------------------------------

NAMED = {
    "c": (b"int add_all(node *first) { return first->size + sum2(first); }", "add_all node first size sum2"),
    "python": ("def größe(self, x1):\n    return self._größe + x1\n".encode(), "größe self x1 _größe"),
    "javascript": (b"const $el = jQuery(el$1, _);", "$el jQuery el$1 _"),
    "go": (b"func (s *Store) Put(key string) error { return s.put(key) }", "s Store Put key put"),
    "haskell": (b"step' x = grow x' where x' = x.size", "step' x grow x'"),
    "bash": (b"for f in $FILES; do grow ${f} $((by + 1)); done", "f $FILES grow ${f by"),
    "powershell": (b"Get-Item $Path -Filter $_ | grow-It", "Get-Item $Path -Filter grow-It"),
    "sql": (b"SELECT Users.Name FROM Users WHERE @Id = Users.Id", "Users Name @Id Id"),
    "scss": (b".my-box { @include grow-by($the-size); }", "my-box grow-by $the-size"),
    "vue": (b"<a>x</a><script>const $a = grow(b)</script><style>.my-box {}</style>", "$a grow b my-box"),
    "nasm": (b".loop: mov [_total], eax", ".loop _total eax"),
    "ruby": (b"def grow(by)\n  @size += by\n  $all << self.name\nend\n", "grow by @size $all name"),
    "perl": (b"sub grow { my ($by) = @_; $self->{size} += $$by[0]; }", "grow $by $self size $$by"),
    "php": (b"<?php function grow($by) { return $this->size + $by; }", "grow $by $this size"),
    "rust": (b"fn grow(by: usize) -> Node { self.size += by; make_node(by) }", "grow by size make_node"),
    "elixir": (b"def empty?(list), do: list == @none or save!(list)\n", "empty? list none save!"),
    "r": (b"is.even <- function(.x, `a b`) .x %% 2 == `a b`\n", "is.even .x"),
    "zig": (b"fn grow(by: usize) Node { return make_node(by); }", "grow by make_node"),
}


@pytest.mark.parametrize("language", NAMED)
def test_names_of_tokens_are_got_back_from_the_text(language: str) -> None:
    code, names = NAMED[language]
    tokens = tokenize(language, code)
    is_name = (tokens.sketch >= IDENTIFIER_SKETCH.start) & (tokens.sketch < IDENTIFIER_SKETCH.stop)
    known = names_in(code, front_end_of(language).name)
    found = {known.get(token, "?") for token in tokens.verbatim[is_name].tolist()}
    assert "?" not in found
    assert set(names.split()) <= found


# ---- number values --------------------------------------------------------------------------------------------------

LONG = {
    "c": (b"x = 0x6a09e667u + 0xBB67'AE85ULL * 4'294'967'291 - 12345.75f / 6.02214e23;", 5),
    "python": (b"x = [0x6A09_E667, 1_234_567, 23.417, .98765, 7654321j]\n", 5),
    "javascript": (b"const x = [0x6a09e667n, 4294967291, 0.123456, 1234.5e-7];", 4),
    "java": (b"long[] x = {0x6a09e667L, 4294967291L, 0.123456d, 98765_43};", 4),
    "go": (b"var x = []float64{0x6a09e667, 1_234_567, 0.123456, 765432i}\n", 4),
    "rust": (b"let x = [0x6a09e667u32, 1_234_567usize, 0.123456f32];", 3),
    "sql": (b"INSERT INTO t VALUES (0X6A09E667, 1234567, 1.23456E7)", 3),
    "vue": (b"<script>const x = [0x6a09e667]</script><style>.a { z-index: 1234567 }</style>", 2),
}


@pytest.mark.parametrize("language", LONG)
def test_the_values_of_tokens_are_got_back_from_the_text(language: str) -> None:
    code, count = LONG[language]
    known = TextNumbers(code, front_end_of(language).name).values()
    found = {known[token] for token in tokenize(language, code).verbatim.tolist() if token in known}
    assert len({number.value for number in found if number.long}) == count


def value_of(number: str) -> NumberValue | None:
    code = number.encode()
    (token,) = tokenize("c", code).verbatim.tolist()
    return TextNumbers(code, "c").values().get(token)


@pytest.mark.parametrize(
    ("number", "value"),
    [("12345", 12345), ("0x1235", 0x1235), ("1.2345", 1.2345), ("0.00012345", 0.00012345), ("123450000", 123450000)],
)
def test_five_decimal_or_four_hexadecimal_digits_are_enough(number: str, value: float) -> None:
    assert value_of(number) == (value, True)


@pytest.mark.parametrize(
    ("number", "value"),
    [
        *(("1234", 1234), ("0x123", 0x123), ("0x00ab", 0xAB), ("1.234", 1.234), ("0.0123", 0.0123), ("0", 0)),
        *(("12340000", 12340000), ("0x12300000", 0x12300000), ("1e9", 1e9), ("7", 7)),
    ],
)
def test_fewer_digits_between_zeros_are_not_enough(number: str, value: float) -> None:
    assert value_of(number) == (value, False)


@pytest.mark.parametrize(
    "number",
    [
        *("65536", "0x80000000", "0.015625", "65535", "4294967295", "0xffff00", "0x7fffffffL", "18446744073709551615u"),
        *("0x55555555", "0x00FF00ff", "99999", "1.01010"),
    ],
)
def test_powers_of_two_and_masks_are_not_long(number: str) -> None:
    found = value_of(number)
    assert found is not None
    assert not found.long


def test_numbers_of_very_many_digits_are_not_read() -> None:
    assert value_of("15" + 98 * "7") is not None
    assert value_of("15" + 99 * "7") is None
    assert value_of("0x" + 100_000 * "7f") is None


def test_a_number_within_a_name_is_none() -> None:
    assert TextNumbers(b"x_123456 = sha123456(x.123456)", "c").values() == {}


# A word that begins with a digit, or with a point and a digit, behind neither a word nor a point.
A_WORD = re.compile(rb"(?<![\w.])(?:0[xX][0-9A-Fa-f_']+|\.?[0-9][0-9_']*\.?[0-9_']*(?:[eEpP][+-]?[0-9]+)?)\w*")


PARTS = *("0x1F", "0X", "12", ".5", "1.", "e+3", "p-2"), *"019._'xEP+-fz \n("


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=8).map(lambda parts: "".join(parts).encode()))
def test_words_are_found_as_they_are_defined(text: bytes) -> None:
    words = A_WORD.findall(text)
    event(f"{min(len(words), 3)} words, a point first: {any(word.startswith(b'.') for word in words)}")
    assert NUMBER_WORDS.findall(text) == words


@given(
    st.lists(st.sampled_from((*PARTS, "3579", "a1b2")), min_size=1, max_size=8).map(
        lambda parts: "".join(parts).encode()
    )
)
def test_the_long_numbers_are_those_of_all_that_are_long(text: bytes) -> None:
    numbers = TextNumbers(text, "c")
    long = {token: number.value for token, number in numbers.values().items() if number.long}
    event(f"long numbers: {min(len(long), 2)}")
    assert numbers.long_values() == long


# ---- token places ---------------------------------------------------------------------------------------------------

SCHEME = b';; caf\xc3\xa9\n(define (caf\xc3\xa9 x) ; \xc3\xa9\n  (string-append "\xc3\xa9\n" x))\n'
PAGE = b"<p class='a'>\xc3\xa9 &amp; more\n<script>let a = `\n`; // no\n</script><style>p { top: 1px }</style>\n"


def checked(text: bytes, language: str, front_end: str = "") -> list[bytes]:
    """The text of each token, after places and lines have been found to agree."""
    reader = front_end_named(front_end) if front_end else front_end_of(language)
    tokens, places = reader.read(text, language), token_places(text, language, reader.name)
    assert places is not None
    assert len(places.starts) == len(places.ends) == len(tokens)
    assert (places.starts < places.ends).all()
    assert (places.ends[:-1] <= places.starts[1:]).all()
    lines = line_numbers(text)
    np.testing.assert_array_equal(lines[places.starts], tokens.first_lines)
    np.testing.assert_array_equal(lines[places.ends - 1], tokens.last_lines)
    found = [text[start:end] for start, end in zip(places.starts.tolist(), places.ends.tolist(), strict=True)]
    family = FAMILY_OF.get(language)
    if family and not front_end and not family.unicode_escapes and b"\r" not in text:
        classify = classifier(family)
        ids = [classify(token) for token in found]
        assert [each and each.verbatim for each in ids] == tokens.verbatim.tolist()
    return found


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.languages[0])
def test_the_text_at_the_place_of_a_token_is_the_tokens(family: LanguageFamily) -> None:
    text = normalise(code(family))
    assert len(checked(text, family.languages[0])) >= 9
    checked(text.replace(b"\n", b"\n\r"), family.languages[0])


def test_all_golden_languages_are_read() -> None:
    assert {path.stem for path in GOLDEN.glob("*.code")} == {family.languages[0] for family in FAMILIES}


def test_places_in_a_page() -> None:
    found = checked(PAGE, "html")
    assert [found.count(word) for word in (b"let", b"`\n`", b"top", b"more", b"no")] == [1, 1, 1, 1, 0]


def test_places_in_a_language_of_pygments_are_bytes() -> None:
    found = checked(SCHEME, "scheme")
    assert found.count("café".encode()) == 1
    assert '"é\n"'.encode() in found


def test_places_of_the_fallback_tokenizer() -> None:
    found = checked(SCHEME, "scheme", FALLBACK)
    assert found[:3] == [b";", b";", "café".encode()]


def test_places_of_words_leave_out_known_texts() -> None:
    known = b"Permission is hereby granted, free of charge, to any person obtaining a copy of this software and "
    known += b"associated documentation files (the Software), to deal in the Software without restriction, including"
    words = b" ".join(b"w\xc3\xb6rd%d" % number for number in range(70))
    found = checked(known + b"\n\n" + words + b"\n", "markdown")
    assert found[-70:] == words.split()
    assert b"Permission" not in found


def test_text_that_is_not_utf_8_has_places() -> None:
    assert checked(b"a = b\xe9 + c\n", "python") == [b"a", b"=", b"b\xe9", b"+", b"c"]
    assert checked(b"w\xe9rd %s\n" % (b"more " * 70), "markdown")[:2] == [b"w\xe9rd", b"more"]


def test_tokens_of_a_notebook_have_no_places() -> None:
    assert token_places(b'{"cells": [{"cell_type": "code", "source": ["a = 1"]}]}', "notebook", "notebook") is None


def test_of_a_lexer_that_fails_there_are_no_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("winnow_ci.languages.pygments_lexer.MOST_SECONDS", 0.0001)
    assert token_places(SCHEME * 2000, "scheme", "pygments") is None


TEXT_PARTS = st.sampled_from(
    [
        "a",
        " ",
        "\n",
        "\r",
        "é",
        '"',
        "'",
        "`",
        "/*",
        "*/",
        "//",
        "#",
        "\\",
        "{",
        "0x1",
        "<script>",
        "</script>",
        "\\u002f",
    ]
)


@given(
    st.lists(TEXT_PARTS, max_size=30).map("".join),
    st.sampled_from(["c", "python", "java", "javascript", "html", "php"]),
)
def test_whatever_the_text_places_and_lines_agree(text: str, language: str) -> None:
    found = checked(normalise(text.encode()), language)
    event("a token has a line break" if any(b"\n" in token for token in found) else "each token is on a line")


def test_the_ids_of_a_token_are_those_of_its_text_at_its_place() -> None:
    """An identifier's verbatim id is a hash of nothing but its text, in the family's alphabet."""
    text = b"first = second\n"
    tokens, places = front_end_of("python").read(text, "python"), token_places(text, "python", "python")
    assert places is not None
    ids = [Alphabet("python").identifier(text[places.starts[n] : places.ends[n]]).verbatim for n in (0, 2)]
    assert ids == tokens.verbatim[[0, 2]].tolist()
