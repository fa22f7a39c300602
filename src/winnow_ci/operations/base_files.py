"""The files that decide on a change, as its base has them: configuration, baseline and indexes.

A change may edit them, bring them, or turn any of them into a link. So each is read from the commit that is the base,
and what lies in the work tree counts only where it is the same, or where no change reaches it.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from xxhash import xxh3_64_hexdigest

from winnow_ci import git, run_log
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from winnow_ci.git import Repository
    from winnow_ci.operations.scratch_folder import ScratchFolder


class BaseFiles(NamedTuple):
    """The base of a change, which has files that decide on it.

    Attributes:
        repository: where both are.
        root: of the work tree.
        commit: the base.
        compared: the commit where the change began, which may be older; None if nobody knows it.
        scratch: folder for copies of files.
    """

    repository: Repository
    root: Path
    commit: str
    compared: str | None
    scratch: ScratchFolder

    def is_in_place(self, path: Path, name: str) -> bool:
        """Whether a path leads to where its name says, and not through a link."""
        return os.path.realpath(path) == os.path.join(os.path.realpath(self.root), name)  # noqa: PTH118

    def as_in_base(self, name: str, content: bytes) -> Path:
        """A file with the content that the base has: the one in the work tree, if it is the same."""
        path = self.root / name
        if _holds(path, content):
            return path
        kept = self.scratch.path / f"{xxh3_64_hexdigest(name.encode('utf-8', 'surrogateescape'))}.db"
        kept.write_bytes(content)
        return kept

    def edits(self, path: Path, name: str, content: bytes) -> list[str]:
        """A notice if the change edits what counts. A branch may also have what was there when it began."""
        if _holds(path, content):
            return []
        compared = self.compared if self.compared != self.commit else None
        began = dict(git.contents_at(self.repository, compared, name)).get(name) if compared else None
        has_what_was = began is not None and _holds(path, began)
        return [] if has_what_was else [f"the change edits {name}: that of the base counts"]

    def name_of(self, path: Path) -> str | None:
        """A path as git calls it; None outside the work tree, which no change reaches.

        Links are followed only to find the root: a change may turn any file of its own into a link.
        """
        for candidate in (os.path.normpath(path.absolute()), os.path.realpath(path)):
            with suppress(ValueError):
                return Path(candidate).relative_to(self.root).as_posix()
        return None

    def is_tracked(self, name: str) -> bool:
        """Whether the change may have brought a file, or the file behind a link; if not, an earlier step wrote it."""
        names = {name, self.name_of(Path(os.path.realpath(self.root / name)))}
        return any(git.is_tracked(self.repository, each) for each in names if each)

    def has(self, name: str) -> bool:
        """Whether the base has anything of that name: a file, a folder, a link."""
        return bool(self.repository.run("ls-tree", "-z", "--full-tree", self.commit, "--", name))

    def indexes(self, name: str) -> dict[str, bytes]:
        """The index files of the base of that name, or in the folder of that name."""
        return {path: content for path, content in self.contents(name).items() if path == name or _is_in(path, name)}

    def contents(self, name: str) -> dict[str, bytes]:
        """The file of that name, or the files in the folder, by path."""
        found = dict(git.contents_at(self.repository, self.commit, name))
        for path in found:
            run_log.tell(f"reading {path} as the base has it, at {self.commit[:12]}")
        return found


def _is_in(path: str, folder: str) -> bool:
    """Whether an index file lies in a folder itself."""
    parent, _, name = path.rpartition("/")
    return parent == folder and name.endswith(".db") and not name.startswith(".")


def _holds(path: Path, content: bytes) -> bool:
    """Whether a file, not a link to one, has that content. A file of another size may be huge and is not read."""
    found = path.lstat() if os.path.lexists(path) else None
    is_candidate = found is not None and stat.S_ISREG(found.st_mode) and found.st_size == len(content)
    return is_candidate and path.read_bytes() == content
