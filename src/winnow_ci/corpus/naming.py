"""Names of members → paths of files.

Nothing is ever written under them, so a name cannot lead anywhere; but reports show them, languages are told by them,
and two members must not have one path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Debian keeps its own files of a source in a tar of a folder of this name, beside the tar of the source.
_NEVER_LEADING = frozenset({"debian"})


def components(name: str) -> tuple[str, ...]:
    """The parts of a name, without those that lead nowhere (empty, ``.``, ``..``), but for a ``.`` that begins it.

    A backslash is a character like others, and NUL is replaced.
    """
    parts = name.replace("\0", "\N{REPLACEMENT CHARACTER}").split("/")
    inner = tuple(part for part in parts if part not in {"", ".", ".."})
    return (".", *inner) if parts[0] == "." else inner


def leading_folder(names: Iterable[tuple[str, ...]]) -> str | None:
    """The folder that all names have in common and no source calls its own: ``curl-8.1.0``, ``package`` or ``.``."""
    first = None
    for name in names:
        if len(name) < 2 or first not in {None, name[0]}:
            return None
        first = name[0]
    return None if first in _NEVER_LEADING else first


def path_of(name: tuple[str, ...], leading: str | None) -> str:
    """The path of a member; the empty string if its name says nothing."""
    return "/".join(name[1:] if name and name[0] in {leading, "."} else name)
