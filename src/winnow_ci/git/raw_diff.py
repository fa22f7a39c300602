"""Parses the raw diff format of git's plumbing (``--raw -z``, gitdiff-core(7), "Raw output format").

An entry is ``:old-mode new-mode old-id new-id status`` NUL path NUL, with a second path, the new one, if the status is
R (renamed) or C (copied). Names are any bytes but NUL and are never quoted. Anything else is an error, since a misread
entry would be a file that nobody looks at.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from winnow_ci.git.plumbing import not_understood
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from winnow_ci.model.changes import FileKind

_HEADER = re.compile(rb":(\d{6}) (\d{6}) ((?:[0-9a-f]{2}){20,32}) ((?:[0-9a-f]{2}){20,32}) ([ACDMRTU])\d*")
_KINDS: dict[bytes, FileKind] = {
    b"000000": "unmerged",
    b"100644": "file",
    b"100755": "file",
    b"120000": "symlink",
    b"160000": "submodule",
}


class RawEntry(NamedTuple):
    """One path that differs.

    Attributes:
        path: its name on the new side.
        status: git's letter: A(dded), C(opied), D(eleted), M(odified), R(enamed), T(ype changed), U(nmerged).
        kind: what is on the new side; meaningless if deleted.
        old: id of the old content, None if there is none or it is no file's.
        new: id of the new content, None if git has not computed it (work tree).
        was: the path that was renamed or copied; None if none was.
    """

    path: str
    status: str
    kind: FileKind
    old: str | None
    new: str | None
    was: str | None = None


def entries(records: Iterable[bytes]) -> Iterator[RawEntry]:
    """Parse the output of a command, cut at each NUL.

    Raises:
        GitError: it is not in the raw format.
    """
    fields = iter(records)
    for header in fields:
        found = _HEADER.fullmatch(header)
        if found is None or found[2] not in _KINDS:
            raise not_understood(header)
        path = next(fields, b"")
        was = None
        if found[5] in b"RC":
            was, path = decoded(path), next(fields, b"")
        if not path:
            raise not_understood(header)
        old = _object_id(found[3]) if _KINDS.get(found[1]) == "file" else None
        # A conflict has a mode in the work tree, but in the index no one mode.
        kind = "unmerged" if found[5] == b"U" else _KINDS[found[2]]
        yield RawEntry(decoded(path), found[5].decode(), kind, old, _object_id(found[4]), was)


def decoded(path: bytes) -> str:
    """Return a path as text; bytes that are not UTF-8 become surrogates (PEP 383)."""
    return path.decode("utf-8", "surrogateescape")


def _object_id(digits: bytes) -> str | None:
    return digits.decode() if digits.strip(b"0") else None
