"""Which numbers are a document's own."""

from __future__ import annotations

import random

import pytest

from winnow_ci.evidence.weights import rare_numbers, text_grams
from winnow_ci.languages import TextNumbers, tokenize


def rare(*numbers: object) -> list[bool]:
    """Which of some numbers in a table of C are rare."""
    code = ", ".join(map(str, numbers)).encode()
    tokens = tokenize("c", code)
    found = rare_numbers(tokens, TextNumbers(code, "c"))
    assert len(found) == len(tokens)
    return found[::2].tolist()


def test_random_constants_are_rare_and_small_numbers_are_not() -> None:
    chance = random.Random(7)
    assert rare(*(hex(chance.getrandbits(32)) for _ in range(200))) == [True] * 200
    assert rare(*(chance.getrandbits(8) for _ in range(200))) == [False] * 200
    assert rare(*range(1900, 2030)) == [False] * 130


def test_numbers_that_many_programs_have_are_not_rare() -> None:
    assert rare(12345, 123456789, "0xdeadbeef") == [False] * 3
    assert rare(12347, 123456798, "0xdeadbeee") == [True] * 3


def test_constants_of_standards_are_not_rare() -> None:
    # Of CRC-32, MD5, SHA-256 and SHA-512: the first and the last.
    assert rare("0x77073096", "0x2D02EF8DL", "0xd76aa478", "0xeb86d391", "0x428a2f98", 0xC67178F2) == [False] * 6
    assert rare("0x428a2f98d728ae22ULL", "0x6c44198c4a475817") == [False] * 2
    assert rare("0x77073097", "0xd76aa479", "0x428a2f99", "0x428b2f98d728ae22ULL") == [True] * 4


@pytest.mark.parametrize(("beside", "first"), [((), 3), ((5,), 3), ((5, 777777), 3)])
def test_numbers_that_follow_in_equal_steps_are_not_rare(beside: tuple[int, ...], first: int) -> None:
    rows = [(132501 + 7 * n, *beside) for n in range(12)]
    found = rare(*(number for row in rows for number in row))[:: 1 + len(beside)]
    assert found == [True] * first + [False] * (12 - first)


def test_slow_measurements_are_rare_though_some_steps_are_equal() -> None:
    chance = random.Random(7)
    levels = [23417]
    for _ in range(400):
        levels.append(levels[-1] + chance.randrange(-9, 10))
    assert sum(rare(*(f"{level / 1000:.3f}" for level in levels))) > 0.9 * len(levels)


def test_without_number_values_all_numbers_count_as_equal() -> None:
    tokens = tokenize("c", b"1, 22, 333, 4444")
    none = rare_numbers(tokens, TextNumbers(b"", "c"))
    assert not none.any()
    grams = text_grams(tokens, none)
    assert grams[0] == grams[2]
    assert grams[0] != text_grams(tokens, ~none)[0] != text_grams(tokens, ~none)[2]
