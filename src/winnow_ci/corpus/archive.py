"""An archive → its members, one after the other, each read as a stream and none written to disk.

What is done here meets hostile bytes, and is done in a process of its own (``archive_process``): a library that goes
round in circles, or takes all memory, takes nothing with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.corpus import tarball, zipped
from winnow_ci.corpus.limits import LimitError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from winnow_ci.corpus.limits import Limits
    from winnow_ci.corpus.member import Member


def members(file: BinaryIO, kind: str, size: int, limits: Limits) -> Iterator[Member]:
    """The members of an archive but for folders, in the order in which they are stored.

    Raises:
        CorpusError: it is damaged, or exceeds a limit.
        Exception: the libraries raise what they like at hostile input.
    """
    found = zipped.members(file, size, limits) if kind == "zip" else tarball.members(file, kind, size, limits)
    names = 0
    for number, member in enumerate(found, 1):
        if number > limits.members:
            raise LimitError(f"has more than {limits.members:,} members")
        length = len(member.name.encode("utf-8", "surrogateescape"))
        names += length
        if length > limits.name:
            raise LimitError(f"has a name of more than {limits.name:,} bytes")
        if names > limits.names:
            raise LimitError(f"has names of more than {limits.names:,} bytes")
        if not member.name.endswith("/"):
            yield member
