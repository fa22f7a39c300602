"""Long numbers are found again by the ids of tokens, and only those whose digits say something."""

from __future__ import annotations

import re

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.languages import NumberValue, TextNumbers, front_end_of, tokenize
from winnow_ci.languages.texts_of_tokens import NUMBER_WORDS

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
