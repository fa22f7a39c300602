"""Reference code from folders.

Only regular files are read, and symbolic links are not followed: a link or a named pipe in somebody's source tree must
neither lead out of it nor block. A file or folder that cannot be read is an error, since an index that silently lacks
files makes scans that are silently clean.

The folders of version control are left out, and so are those that tools fill with other people's code or with compiled
code, which would be reported under this source's name and licence. A ``vendor`` folder stays: the source distributes
what is in it.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from winnow_ci import system
from winnow_ci.errors import CorpusError, UsageError
from winnow_ci.start_up import field, record

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

LEFT_OUT_FOLDERS = frozenset({".git", ".hg", ".svn", ".venv", "__pycache__", "node_modules"})
_READABLE = "make it readable, or build from a copy without it"


@record(frozen=True, slots=True)
class CorpusFile:
    """A file of reference code."""

    path: str  # relative to the root, with ``/``; bytes that are not UTF-8 are surrogates (PEP 383)
    root: Path  # the folder that it is relative to, or the archive that it is in
    size: int  # in bytes, when it was listed
    # of a member of an archive, since that cannot be read later
    content: bytes | None = field(default=None, repr=False)
    reason: str | None = None  # why it is not to be read, if so

    def by_bytes(self) -> bytes:
        """Return its path in bytes, by which files are ordered whatever the system or its locale."""
        return self.path.encode("utf-8", "surrogateescape")

    @property
    def location(self) -> Path:
        """Where to read it."""
        return self.root / self.path


def documents(root: Path) -> Iterator[CorpusFile]:
    """Yield the files below a folder, by the bytes of their paths."""
    remedy = "name a folder with the source's code"
    try:
        mode = root.stat().st_mode
    except OSError as error:
        raise UsageError(f"{root}: {error.strerror}", remedy) from error
    if not stat.S_ISDIR(mode):
        raise UsageError(f"{root} is not a folder", remedy)
    files = sorted(files_below(root), key=CorpusFile.by_bytes)
    if not files:
        raise CorpusError(f"{root} has no files", remedy)
    yield from files


def files_below(root: Path, tops: frozenset[str] | None = None, without: Collection[str] = ()) -> Iterator[CorpusFile]:
    """Give the files below a folder, in any order.

    ``tops`` are the only entries of it to look at, if not None; ``without`` has paths of folders to leave out.
    """
    folders = [""]
    while folders:
        prefix = folders.pop()
        try:
            with os.scandir(system.place_below(root, prefix)) as entries:
                for entry in entries:
                    path = f"{prefix}{system.path_of_name(entry.name)}"
                    if not (prefix or tops is None or entry.name in tops) or (without and str(root / path) in without):
                        continue
                    found = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(found.st_mode):
                        yield CorpusFile(path, root, found.st_size)
                    elif stat.S_ISDIR(found.st_mode) and not (entry.name in LEFT_OUT_FOLDERS or system.is_link(found)):
                        folders.append(f"{path}/")
        except OSError as error:
            raise CorpusError(f"{root / prefix}: {error.strerror}", _READABLE) from error


def read_file(file: CorpusFile, limit: int) -> bytes:
    """Read a file of at most ``limit`` bytes."""
    if file.content is not None:
        return file.content
    try:
        # Since it was listed, a file may have become a link, or a named pipe, whose opening would wait for a writer.
        descriptor = system.open_file(system.place_below(file.root, file.path), os.O_RDONLY)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise CorpusError(f"{file.location}: no longer a regular file", "run this again")
            content = os.read(descriptor, min(found.st_size, limit) + 1)
            # It may have grown, and some file systems give less than they could.
            while len(content) not in {found.st_size, limit + 1} and (
                part := os.read(descriptor, min(limit + 1 - len(content), 1 << 16))
            ):
                content += part
        finally:
            os.close(descriptor)
    except OSError as error:
        raise CorpusError(f"{file.location}: {error.strerror}", _READABLE) from error
    if len(content) > limit:
        raise CorpusError(f"{file.location}: larger than {limit:,} bytes", "build from a copy without it")
    return content
