"""Regular expressions of the syntax that the kernel serves, made by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

LETTERS = b'ab\n\\"_1 '
_SETS = (rb"[ab]", rb"[^a]", rb"[^\n\0]", rb"\w", rb"\s", rb"\S", rb"[\s\S]", rb"[a-c1]", rb".", rb"[^\\\"]", rb"[]_-]")
_LITERALS = (rb"a", rb"b", rb"\n", rb"\\", rb"\"", rb"_", rb"1", rb" ", rb"ab", rb"\x61")
_PLACES = (rb"\b", rb"\A", rb"\Z", rb"^")
_BOUNDS = (b"*", b"+", b"?", b"{0,3}", b"{2}", b"{1,2}", b"{2,}", b"{,2}")


def pattern(chooser: random.Random) -> bytes:
    """A pattern, now and then with a group and references to it."""
    prefix = b"(?m)" if chooser.random() < 0.1 else b""
    if chooser.random() < 0.2:
        group, name = _either(chooser, 2), chooser.choice((b"", b"?P<name>"))
        same = rb"(?P=name)" if name else rb"\1"
        return prefix + b"%b(%b%b)%b%b%b" % (
            _part(chooser, 1),
            name,
            group,
            _either(chooser, 1),
            same,
            _part(chooser, 1),
        )
    return prefix + _either(chooser, 3)


def text(chooser: random.Random) -> bytes:
    """A short text of the same letters."""
    return bytes(chooser.choices(LETTERS, k=chooser.randrange(14)))


def _either(chooser: random.Random, depth: int) -> bytes:
    return b"|".join(_sequence(chooser, depth) for _ in range(chooser.choice((1, 1, 1, 2, 3))))


def _sequence(chooser: random.Random, depth: int) -> bytes:
    return b"".join(_part(chooser, depth) for _ in range(chooser.randrange(1, 4)))


def _part(chooser: random.Random, depth: int) -> bytes:
    kind = chooser.randrange(12 if depth else 7)
    if kind < 3:
        return chooser.choice(_LITERALS)
    if kind < 6:
        return chooser.choice(_SETS) + chooser.choice((b"", *_BOUNDS)) + chooser.choice((b"", b"", b"?")) * (kind == 5)
    if kind == 6:
        return chooser.choice(_PLACES)
    inner = _either(chooser, depth - 1)
    if kind < 9:
        bounds = chooser.choice((b"", *_BOUNDS))
        return b"(?:%b)%b" % (inner, bounds + chooser.choice((b"", b"", b"?")) * bool(bounds))
    if kind == 9:
        return b"(?%b%b)" % (chooser.choice((b"=", b"!")), inner)
    width = b"".join(
        chooser.choice((rb"a", rb"[ab]", rb"\\", rb"[^\n]", rb"\s")) for _ in range(chooser.randrange(1, 3))
    )
    return b"(?%b%b)" % (chooser.choice((b"<=", b"<!")), width)
