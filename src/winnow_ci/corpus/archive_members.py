"""What is in an archive, and the path that each member gets in a corpus.

Nothing is ever written under a member's name, so a name cannot lead anywhere; but reports show paths, the language of a
file depends on its path, and no two files may have the same path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Debian keeps its own files of a source in a tar of a folder of this name, beside the tar of the source.
_NEVER_LEADING = frozenset({"debian"})


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


def leading_folder(names: Iterable[tuple[str, ...]]) -> str | None:
    """The folder that all members are in, unless sources have such a folder themselves: ``curl-8.1.0`` or ``.``."""
    first = None
    for name in names:
        if len(name) < 2 or first not in {None, name[0]}:
            return None
        first = name[0]
    return None if first in _NEVER_LEADING else first


def path_of(name: tuple[str, ...], leading: str | None) -> str:
    """The path of a member below the leading folder; empty if its name has no usable part."""
    return "/".join(name[1:] if name and name[0] in {leading, "."} else name)
