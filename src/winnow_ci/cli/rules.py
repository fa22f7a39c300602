"""Whose rules a change is judged by.

On a CI, the change may be a stranger's, and must not bring the rules that let it through. There the configuration, the
boilerplate, the baseline and the indexes are those of the base that the change is compared with: what the change makes
of them holds once it is merged. A notice says so where it would have made a difference. On one's own machine they are
those of the work tree.
"""

from __future__ import annotations

import datetime as dt
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from xxhash import xxh3_64_hexdigest

from winnow_ci.cli.indexes import indexes_at
from winnow_ci.errors import ConfigError, IndexFileError, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from winnow_ci.config import PinnedIndex, Settings
    from winnow_ci.git import ChangedFile, ChangeSet, Repository
    from winnow_ci.model import BaselineEntry
    from winnow_ci.policy import CommentTrust
    from winnow_ci.scanner import Suppressions

CONFIGURATION = ".winnow.yml"
MANIFEST = ".winnow/sources.yml"


class Rules(NamedTuple):
    """What a change is judged by.

    Attributes:
        settings: the configuration.
        indexes: index files.
        boilerplate: files whose code is everybody's.
        suppressions: what may suppress a finding besides the policy.
        notices: what a person should know about it.
    """

    settings: Settings
    indexes: tuple[Path, ...]
    boilerplate: Sequence[ChangedFile]
    suppressions: Suppressions
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
        UsageError: the baseline is to be updated, but not that of the work tree counts.
    """
    base = changes.scope.base
    if base is None or repository.root is None or not _judged_by_base(arguments):
        return _of_work_tree(repository, arguments)
    if arguments.update_baseline:
        problem = "--update-baseline: the baseline that counts here is that of the base"
        raise UsageError(problem, "update it on a machine of your own, or with --policy-from head")
    return _Base(repository, repository.root, base, scratch).rules(arguments)


def _judged_by_base(arguments: argparse.Namespace) -> bool:
    from winnow_ci import ci

    chosen = arguments.policy_from or ("base" if ci.service(os.environ) else "head")
    return bool(chosen == "base")


def _of_work_tree(repository: Repository, arguments: argparse.Namespace) -> Rules:
    from winnow_ci import git
    from winnow_ci.config import Settings, load_settings

    # What lies in the folder of a bare repository is its administrator's: nobody can push it there.
    path = arguments.config or (repository.root or repository.git_dir) / CONFIGURATION
    settings = load_settings(path) if arguments.config or os.path.lexists(path) else Settings()
    indexes = [file for entry in _some(arguments.index or settings.index) for file in indexes_at(entry)]
    boilerplate = git.everything(repository).files if settings.boilerplate else ()
    common = [file for file in boilerplate if settings.boilerplate.matches(file.path)]
    entries, notices = _recorded(settings.baseline)
    if arguments.update_baseline:
        notices = ()
    # To a repository without a work tree, anybody may have pushed.
    trust: CommentTrust = "always" if repository.root else "base"
    by = _suppressions(settings, entries, trust)
    return Rules(settings, tuple(dict.fromkeys(indexes)), common, by, notices)


def _recorded(path: Path | None) -> tuple[tuple[BaselineEntry, ...], tuple[str, ...]]:
    """The entries of a baseline that need not be there yet, and notices."""
    from winnow_ci.config import load_baseline

    if path is None:
        return (), ()
    if not os.path.lexists(path):
        return (), (f"the baseline that {CONFIGURATION} names is not there yet: scan --update-baseline writes it",)
    return load_baseline(path), ()


def _suppressions(settings: Settings, entries: tuple[BaselineEntry, ...], otherwise: CommentTrust) -> Suppressions:
    from winnow_ci.scanner import Suppressions

    return Suppressions(entries, dt.date.today(), settings.inline or otherwise)


def _some(indexes: Sequence[Path | PinnedIndex]) -> Sequence[Path | PinnedIndex]:
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
            # An index that the command line names was there before any configuration.
            found, more = self._indexes(entry, is_first=is_first and not arguments.index)
            indexes += found
            notices += more
        files = git.commits(self.repository, None, self.commit, "boilerplate").files if settings.boilerplate else ()
        boilerplate = [file for file in files if settings.boilerplate.matches(file.path)]
        entries, of_baseline = self._recorded(settings.baseline)
        by = _suppressions(settings, entries, "base")
        return Rules(settings, tuple(dict.fromkeys(indexes)), boilerplate, by, (*notices, *of_baseline))

    def _settings(self, path: Path) -> tuple[Settings, list[str], bool]:
        """The configuration, notices, and whether the change brings the first configuration that there is."""
        from winnow_ci.config import Settings, load_settings, parse_settings

        name = self._name(path)
        if name is None:
            return load_settings(path), [], False
        before = self._contents(name).get(name)
        if before is not None:
            settings = parse_settings(before, f"{path} at {self.commit[:12]}", path.parent)
            edited = [] if _has(path, before) else [f"the change edits {name}: that of the base counts"]
            return settings, edited, False
        if self.repository.run("ls-tree", "-z", "--full-tree", self.commit, "--", name):
            raise _no_file(f"{name} is no regular file in the base")
        if not os.path.lexists(path) and path == self.root / CONFIGURATION:
            return Settings(), [], False
        if not self._is_tracked(name):
            return load_settings(path), [], False
        if not self._is_in_place(path, name):
            raise _no_file(f"{name} is new, and is or lies behind a symbolic link")
        # There must be an index to begin with; nothing else of a stranger's first configuration counts.
        return (
            Settings(index=load_settings(path).index),
            [f"{name} is new: only the index that it names counts yet"],
            True,
        )

    def _indexes(self, entry: Path | PinnedIndex, *, is_first: bool) -> tuple[list[Path], list[str]]:
        """The index files of an entry as the base has them, if it has any."""
        if not isinstance(entry, Path):
            return self._at_url(entry, is_first=is_first), []
        name = self._name(entry)
        before = self._contents(name) if name else {}
        known = {path: content for path, content in before.items() if path == name or _is_index_in(path, name)}
        if known:
            found = [self._as_in_base(path, content) for path, content in known.items()]
            return [path for path, _ in found], [notice for _, notice in found if notice]
        if name is None or not self._is_tracked(name):
            return indexes_at(entry), []
        if not is_first:
            problem = f"{name} is not in the base: the change brings the index that it would be looked up in"
            raise IndexFileError(problem, "merge the index first, or decide for it with --policy-from head")
        return indexes_at(entry), [f"{name} is new: the change brings the index that it is looked up in"]

    @staticmethod
    def _at_url(entry: PinnedIndex, *, is_first: bool) -> list[Path]:
        if is_first:
            # A stranger could have our network asked for anything, and read in the log what it answers.
            problem = f"{CONFIGURATION} is new, and names an index at a URL, which is not fetched for a change"
            raise IndexFileError(problem, "merge the configuration first, or decide for it with --policy-from head")
        return indexes_at(entry)

    def _recorded(self, path: Path | None) -> tuple[tuple[BaselineEntry, ...], tuple[str, ...]]:
        """The entries of the baseline as the base has it, and notices."""
        from winnow_ci.config import parse_baseline

        name = self._name(path) if path else None
        if path is None or name is None:
            return _recorded(path)
        before = self._contents(name).get(name)
        if before is not None:
            entries = parse_baseline(before, f"{path} at {self.commit[:12]}")
            return entries, () if _has(path, before) else (f"the change edits {name}: that of the base counts",)
        if not os.path.lexists(path):
            return (), ()
        if self._is_tracked(name) or not self._is_in_place(path, name):
            return (), (f"{name} is new: it suppresses nothing yet",)
        return _recorded(path)

    def _is_in_place(self, path: Path, name: str) -> bool:
        """Whether a path leads to where its name says, and not behind a link."""
        return os.path.realpath(path) == os.path.join(os.path.realpath(self.root), name)  # noqa: PTH118

    def _as_in_base(self, name: str, content: bytes) -> tuple[Path, str | None]:
        path = self.root / name
        if _has(path, content):
            return path, None
        kept = self.scratch / f"{xxh3_64_hexdigest(name.encode('utf-8', 'surrogateescape'))}.db"
        kept.write_bytes(content)
        return kept, f"the change edits {name}: that of the base counts"

    def _name(self, path: Path) -> str | None:
        """A path as git calls it; None outside the work tree, where no change reaches.

        Links are followed only to find the root: a change may turn any file of its own into a link.
        """
        for candidate in (os.path.abspath(path), os.path.realpath(path)):  # noqa: PTH100 - resolve fails for loops
            with suppress(ValueError):
                return Path(candidate).relative_to(self.root).as_posix()
        return None

    def _is_tracked(self, name: str) -> bool:
        """Whether the change may have brought a file, if need be behind a link; otherwise an earlier step has."""
        names = {name, self._name(Path(os.path.realpath(self.root / name)))}
        return any(self.repository.run("ls-files", "-z", "--", each) for each in names if each)

    def _contents(self, name: str) -> dict[str, bytes]:
        from winnow_ci import git

        return dict(git.contents_at(self.repository, self.commit, name))


def _no_file(problem: str) -> ConfigError:
    """What a link stands for could be changed without it, or lie outside, where messages must not quote from."""
    return ConfigError(problem, "put the configuration itself there, or decide for it with --policy-from head")


def _is_index_in(path: str, folder: str | None) -> bool:
    parent, _, name = path.rpartition("/")
    return parent == folder and name.endswith(".db") and not name.startswith(".")


def _has(path: Path, content: bytes) -> bool:
    """Whether a file, and no link to one, has that content. What has another size may be huge, and is not read."""
    found = path.lstat() if os.path.lexists(path) else None
    is_candidate = found is not None and stat.S_ISREG(found.st_mode) and found.st_size == len(content)
    return is_candidate and path.read_bytes() == content
