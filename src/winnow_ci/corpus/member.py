"""Something in an archive."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


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
