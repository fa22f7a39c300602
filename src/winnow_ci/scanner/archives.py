"""Look up members of archives in a change like files, under the archive's path, ``!/`` and their own.

Nothing is unpacked to disk. The process that reads archives for an index reads them here, within the same limits. What
cannot be read is not scanned. A member that the old archive has, under any name, is not new. Archives inside archives
are read, too, up to limits of their own.
"""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from winnow_ci import git
from winnow_ci.corpus.archive import ArchiveLimits, is_readable_kind, kind_of_content
from winnow_ci.corpus.archive_process import ArchiveProcess
from winnow_ci.corpus.collecting import components
from winnow_ci.errors import CorpusError
from winnow_ci.languages import is_archive_name, is_binary_data
from winnow_ci.model import Change, Skipped
from winnow_ci.model.changes import INSIDE, ChangedFile
from winnow_ci.start_up import sha256

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from winnow_ci.scanner.files import Contents

    # Returns why a path is out of scope, if it is.
    Skips: TypeAlias = Callable[[str], Skipped | None]

LIMITS = ArchiveLimits(members=100_000, seconds=20.0, total=2 << 30)
DEEPEST_ARCHIVE = 3
"""Archives that may be inside each other, the outermost counted."""
MOST_INSIDE = 256
"""Archives that are read inside one file of the change."""
MOST_WAITING = 256 << 20
"""Bytes of archives that wait to be read."""
MOST_OLD = 64 << 20
"""Bytes of old members that are kept to be compared line by line; beyond, all lines of a changed member are new."""
_LONGEST_NAME = 100


def with_members(
    contents: Contents, files: Iterable[ChangedFile], most: int, skips: Skips
) -> Iterator[tuple[ChangedFile, Change | Skipped]]:
    """Yield files like ``contents``, with the members of archives that are in scope instead of archives.

    ``files`` may hold members that an earlier call gave, and ``most`` is the size of the largest file to look at.
    """
    asked = list(files)
    wanted = {file.path for file in asked}
    outermost = dict.fromkeys(file.outermost for file in asked)
    with ExitStack() as stack:
        unpacking = _Unpacking(stack)
        for file, change in contents(tuple(outermost), most):
            if isinstance(change, Skipped) or not is_archive_name(file.path):
                yield file, change
                continue
            for member, found in _new_members(unpacking, file, change, skips):
                if file.path in wanted or member.path in wanted:
                    yield member, found


def texts_in(path: str, content: bytes, most: int) -> Iterator[tuple[str, bytes]]:
    """Yield the readable members of an archive with their paths, up to ``most`` bytes."""
    with ExitStack() as stack:
        for at, found in _Unpacking(stack).members(path, content):
            most -= 0 if isinstance(found, Skipped) else len(found)
            if most < 0:
                return
            if not isinstance(found, Skipped):
                yield at, found


def _new_members(
    unpacking: _Unpacking, file: ChangedFile, change: Change, skips: Skips
) -> Iterator[tuple[ChangedFile, Change | Skipped]]:
    """Yield the members that the old archive lacks, and what could not be read."""
    (old, old_texts), count = _old_members(unpacking, file.path, change.old, skips), 0
    for path, found in unpacking.members(file.path, change.content):
        if isinstance(found, bytes) and _identity(path, found) in old:
            continue
        count += 1
        member = file._replace(path=path, was=None, archive=file.path) if path != file.path else file
        if skipped := skips(path):
            yield member, skipped
        elif isinstance(found, Skipped):
            yield member, found
        else:
            before = old_texts.get(path)
            yield member, Change(path, found, git.added_lines(before or b"", found), before)
    if not count:
        yield file, Skipped(file.path, "archive without new files", "out-of-scope")


def _old_members(
    unpacking: _Unpacking, path: str, content: bytes | None, skips: Skips
) -> tuple[set[tuple[str, bytes]], dict[str, bytes]]:
    """The identities of all members in scope of the old archive, and the contents of some, by path."""
    identities, texts, room = set[tuple[str, bytes]](), dict[str, bytes](), MOST_OLD
    for member, text in unpacking.members(path, content) if content else ():
        if isinstance(text, bytes) and not skips(member):
            identities.add(_identity(member, text))
            room -= len(text)
            if room >= 0:
                texts[member] = text
    return identities, texts


def _identity(path: str, content: bytes) -> tuple[str, bytes]:
    """Members that are read alike have the same: the ending of the name, and the sha256."""
    return path.rpartition("/")[2].rpartition(".")[2], sha256(content).digest()


class _Unpacking:
    """Reads archives, one after the other, in a process that begins with the first one."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._process: ArchiveProcess | None = None
        self._folder = Path()

    def members(self, path: str, content: bytes) -> Iterator[tuple[str, bytes | Skipped]]:
        """Yield the members of an archive and of those inside it, with their paths; also what could not be read."""
        waiting, opened = deque([(path, content, 1)]), 1
        while waiting:
            path, content, depth = waiting.popleft()
            for at, found in self._of_one(path, content):
                if isinstance(found, Skipped) or at == path or not is_archive_name(at):
                    yield at, found
                elif (
                    depth == DEEPEST_ARCHIVE
                    or opened == MOST_INSIDE
                    or sum(len(content) for _, content, _ in waiting) + len(found) > MOST_WAITING
                ):
                    reason = "an archive nested too deeply, or inside one that is too large"
                    yield at, Skipped(at, reason, "not-scanned")
                else:
                    opened += 1
                    waiting.append((at, found, depth + 1))

    def _of_one(self, path: str, content: bytes) -> Iterator[tuple[str, bytes | Skipped]]:
        kind = kind_of_content(content, path)
        if not is_readable_kind(kind):
            if kind is None and not is_binary_data(path, "text", content):
                # Only named like an archive: text is read as the file itself.
                yield path, content
            else:
                reason = f"archive not read: winnow-ci reads no {kind or 'such'} archives"
                yield path, Skipped(path, reason, "not-scanned")
            return
        process = self._started()
        # The end of its name may say what is in it.
        name = path.replace("\0", "").rpartition("/")[2].encode("utf-8", "replace").decode()[-_LONGEST_NAME:]
        place = self._folder / name
        place.write_bytes(content)
        try:
            for member in process.members(place, contents=True, kind=kind):
                at = f"{path}{INSIDE}{'/'.join(components(member.name)) or '?'}"
                if member.content is not None:
                    yield at, member.content
                else:
                    reason = member.reason or f"larger than {LIMITS.member >> 20} MiB"
                    yield at, Skipped(at, reason, "out-of-scope" if reason == "link" else "not-scanned")
        except CorpusError as error:
            problem = error.problem.removeprefix(f"{place}: ")
            yield path, Skipped(path, f"archive not read: {problem}", "not-scanned")
        finally:
            place.unlink()

    def _started(self) -> ArchiveProcess:
        if self._process is None:
            self._folder = Path(self._stack.enter_context(TemporaryDirectory(prefix="winnow-ci-")))
            self._process = ArchiveProcess(LIMITS)
            self._stack.callback(self._process.end)
        return self._process
