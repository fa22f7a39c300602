"""What is in an archive, and the path that each member gets in a corpus.

Nothing is ever written under a member's name, so a name cannot lead anywhere; but reports show paths, the language of a
file depends on its path, and no two files may have the same path.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Debian keeps its own files of a source in a tar of a folder of this name, beside the tar of the source.
_NEVER_LEADING = frozenset({"debian"})
_VERSIONED = re.compile(r"@v\d")


class Member(NamedTuple):
    """Something in an archive.

    Attributes:
        name: as it is stored; bytes that are not UTF-8 are surrogates (PEP 383).
        size: in bytes, as the archive says.
        reason: why it is not to be read, if so.
        read: gives its content; only before the next member is asked for.
    """

    name: str
    size: int
    reason: str | None
    read: Callable[[], bytes]


def components(name: str) -> tuple[str, ...]:
    """Split a name at ``/``, and drop the parts ``..``, ``.`` and empty ones, but for a ``.`` at its beginning.

    A backslash is a character like others, and NUL is replaced.
    """
    parts = name.replace("\0", "\N{REPLACEMENT CHARACTER}").split("/")
    inner = tuple(part for part in parts if part not in {"", ".", ".."})
    return (".", *inner) if parts[0] == "." else inner


def leading_folder(names: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The folder that all members are in, unless sources have such a folder themselves: ``curl-8.1.0`` or ``.``.

    The zip of a Go module has one of several parts, the last of which ends with the version: ``example.org/a@v1.0.0``.
    """
    shared: tuple[str, ...] | None = None
    for name in names:
        shared = name[:-1] if shared is None else _beginning(shared, name[:-1])
        if not shared:
            return ()
    if not shared or shared[0] in _NEVER_LEADING:
        return ()
    return shared[: next((number for number, part in enumerate(shared, 1) if _VERSIONED.search(part)), 1)]


def path_of(name: tuple[str, ...], leading: tuple[str, ...]) -> str:
    """The path of a member below the leading folder; empty if its name has no usable part."""
    if leading and name[: len(leading)] == leading:
        return "/".join(name[len(leading) :])
    return "/".join(name[1:] if name and name[0] == "." else name)


def _beginning(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The parts that two folders have in common."""
    for number, (part, counterpart) in enumerate(zip(one, other, strict=False)):
        if part != counterpart:
            return one[:number]
    return one[: len(other)]
