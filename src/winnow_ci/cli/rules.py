"""Whose rules a change is judged by.

On a CI, the change may be a stranger's, and must not bring the rules that let it through. There the configuration, the
boilerplate and the indexes are those of the base that the change is compared with: what the change makes of them holds
once it is merged. A notice says so where it would have made a difference. On one's own machine they are those of the
work tree.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from xxhash import xxh3_64_hexdigest

from winnow_ci.errors import IndexFileError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from winnow_ci.config import Settings
    from winnow_ci.git import ChangedFile, ChangeSet, Repository

CONFIGURATION = ".winnow.yml"


class Rules(NamedTuple):
    """What a change is judged by.

    Attributes:
        settings: the configuration.
        indexes: index files.
        boilerplate: files whose code is everybody's.
        notices: what a person should know about it.
    """

    settings: Settings
    indexes: tuple[Path, ...]
    boilerplate: Sequence[ChangedFile]
    notices: tuple[str, ...] = ()


def rules(repository: Repository, changes: ChangeSet, arguments: argparse.Namespace, scratch: Path) -> Rules:
    """Find the rules for a change.

    Args:
        repository: where the change is.
        changes: the change.
        arguments: ``config``, ``index`` and ``policy_from`` of the command line.
        scratch: folder for indexes as the base has them.

    Raises:
        ConfigError: the configuration is not what it should be.
        IndexFileError: there is no index.
    """
    base = changes.scope.base
    if base is None or repository.root is None or not _judged_by_base(arguments):
        return _of_work_tree(repository, arguments)
    return _Base(repository, repository.root, base, scratch).rules(arguments)


def _judged_by_base(arguments: argparse.Namespace) -> bool:
    from winnow_ci import ci

    chosen = arguments.policy_from or ("base" if ci.service(os.environ) else "head")
    return bool(chosen == "base")


def _of_work_tree(repository: Repository, arguments: argparse.Namespace) -> Rules:
    from winnow_ci import git
    from winnow_ci.config import Settings, index_files, load

    # What lies in the folder of a bare repository is its administrator's: nobody can push it there.
    path = arguments.config or (repository.root or repository.git_dir) / CONFIGURATION
    settings = load(path) if arguments.config or os.path.lexists(path) else Settings()
    indexes = index_files(_some(arguments.index or settings.index))
    boilerplate = git.everything(repository).files if settings.boilerplate else ()
    return Rules(settings, indexes, [file for file in boilerplate if settings.boilerplate.matches(file.path)])


def _some(indexes: Sequence[Path]) -> Sequence[Path]:
    if not indexes:
        raise IndexFileError(
            "no index to look the change up in", f"name one with --index, or under index: in {CONFIGURATION}"
        )
    return indexes


class _Base(NamedTuple):
    """The commit that the change is compared with."""

    repository: Repository
    root: Path
    commit: str
    scratch: Path

    def rules(self, arguments: argparse.Namespace) -> Rules:
        from winnow_ci import git

        settings, notices, is_first = self._settings(arguments.config or self.root / CONFIGURATION)
        indexes: list[Path] = []
        for entry in _some(arguments.index or settings.index):
            found, more = self._indexes(entry, is_first=is_first)
            indexes += found
            notices += more
        files = git.commits(self.repository, None, self.commit, "boilerplate").files if settings.boilerplate else ()
        boilerplate = [file for file in files if settings.boilerplate.matches(file.path)]
        return Rules(settings, tuple(dict.fromkeys(indexes)), boilerplate, tuple(notices))

    def _settings(self, path: Path) -> tuple[Settings, list[str], bool]:
        """The configuration, notices, and whether the change brings the first configuration that there is."""
        from winnow_ci.config import Settings, load, parse

        name = self._name(path)
        if name is None:
            return load(path), [], False
        before, now = self._contents(name).get(name), _content(path)
        if before is not None:
            settings = parse(before, f"{path} at {self.commit[:12]}", path.parent)
            return settings, [] if before == now else [f"the change edits {name}: that of the base counts"], False
        if now is None and path == self.root / CONFIGURATION:
            return Settings(), [], False
        if now is None or not self._is_tracked(name):
            return load(path), [], False
        # There must be an index to begin with; nothing else of a stranger's first configuration counts.
        return Settings(index=load(path).index), [f"{name} is new: only the index that it names counts yet"], True

    def _indexes(self, entry: Path, *, is_first: bool) -> tuple[list[Path], list[str]]:
        """The index files of an entry as the base has them, if it has any."""
        from winnow_ci.config import index_files

        name = self._name(entry)
        before = self._contents(name) if name else {}
        known = {path: content for path, content in before.items() if path == name or _is_index_in(path, name)}
        if known:
            found = [self._as_in_base(path, content) for path, content in known.items()]
            return [path for path, _ in found], [notice for _, notice in found if notice]
        if name is None or not self._is_tracked(name):
            return list(index_files([entry])), []
        if not is_first:
            problem = f"{name} is not in the base: the change brings the index that it would be looked up in"
            raise IndexFileError(problem, "merge the index first, or decide for it with --policy-from head")
        return list(index_files([entry])), [f"{name} is new: the change brings the index that it is looked up in"]

    def _as_in_base(self, name: str, content: bytes) -> tuple[Path, str | None]:
        path = self.root / name
        if _content(path) == content and not path.is_symlink():
            return path, None
        kept = self.scratch / f"{xxh3_64_hexdigest(name.encode('utf-8', 'surrogateescape'))}.db"
        kept.write_bytes(content)
        return kept, f"the change edits {name}: that of the base counts"

    def _name(self, path: Path) -> str | None:
        """A path as git calls it; None outside the work tree, where no change reaches.

        Links are followed only to find the root: a change may turn any file of its own into a link.
        """
        for candidate in (Path(os.path.abspath(path)), path.resolve()):  # noqa: PTH100 - resolve would follow links
            with suppress(ValueError):
                return candidate.relative_to(self.root).as_posix()
        return None

    def _is_tracked(self, name: str) -> bool:
        """Whether the change may have brought a file; otherwise an earlier step of the job has."""
        return bool(self.repository.run("ls-files", "-z", "--", name))

    def _contents(self, name: str) -> dict[str, bytes]:
        from winnow_ci import git

        return dict(git.contents_at(self.repository, self.commit, name))


def _is_index_in(path: str, folder: str | None) -> bool:
    parent, _, name = path.rpartition("/")
    return parent == folder and name.endswith(".db") and not name.startswith(".")


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
