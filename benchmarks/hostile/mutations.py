"""Random edits of bytes: the ones that a fuzzer makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

# What ends, escapes or widens something in some format.
AWKWARD = (
    *(b"\0", b"\r", b"\n", b"\r\n", b"\\", b"'", b'"', b"`", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\x1b[2J"),
    *("\u2028\u200b\u202e\uff57\u0301\U0001f600".encode(), b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"),
    *(b"0", b"-1", b"1e999", b"9" * 40, b"NaN", b"%s%n", b"../", b"/dev/zero", b"{}", b"[]", b"()", b"<>", b"--"),
)
MOST_EDITS = 6
LONGEST_REPEAT = 400


def mutated(content: bytes, chance: Random, fragments: Sequence[bytes] = AWKWARD, other: bytes = b"") -> bytes:
    """The content after some random edits.

    Args:
        content: what to edit.
        chance: decides.
        fragments: what is put in.
        other: a content whose parts are put in, too.
    """
    data = bytearray(content)
    for _ in range(chance.randint(1, MOST_EDITS)):
        at = chance.randint(0, len(data))
        end = min(len(data), at + int(chance.expovariate(1 / 20)))
        match chance.randrange(9):
            case 0:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del data[at:end]
            case 2:
                data[at:at] = data[at:end] * chance.randint(1, LONGEST_REPEAT if chance.random() < 0.1 else 3)
            case 3 | 4 | 5:
                data[at:at] = chance.choice(fragments) * (
                    chance.randint(2, LONGEST_REPEAT) if chance.random() < 0.1 else 1
                )
            case 6:
                start = chance.randint(0, len(other))
                data[at:at] = other[start : start + 60]
            case 7:
                del data[at:]
            case _:
                start = chance.randint(0, len(data))
                data[at:end] = data[start : start + end - at]
    return bytes(data)


def soup(chance: Random, fragments: Sequence[bytes], most: int) -> bytes:
    """Fragments in a row."""
    return b"".join(chance.choice(fragments) for _ in range(chance.randint(1, most)))


def pumped(chance: Random, fragments: Sequence[bytes], longest: int) -> bytes:
    """A prefix, something many times, a suffix."""
    unit = soup(chance, fragments, 4)
    times = chance.randint(1, longest) // len(unit) + 1
    return soup(chance, fragments, 4) + unit * times + soup(chance, fragments, 4)
