"""Whose rules a change is judged by: those of the branch that it is for, or those of the work tree.

On a CI, the change may be a stranger's and must not bring the rules that let it through. There the configuration, the
boilerplate, the baseline and the indexes are those of the base: of the tip of the branch that the change is for. The
commit where the change left that branch may be old, and its author has chosen it, so that commit says what is new and
nothing else. What the change makes of the rules counts once it is merged; a notice says where that makes a difference.
On one's own machine the rules are those of the work tree.
"""

from __future__ import annotations

import datetime as dt
import os
import stat
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from xxhash import xxh3_64_hexdigest

from winnow_ci import ci, git, run_log
from winnow_ci.config import (
    Settings,
    load_baseline,
    load_settings,
    parse_baseline,
    parse_settings,
)
from winnow_ci.errors import ConfigError, IndexFileError, UsageError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations import CONFIGURATION
from winnow_ci.operations.asked_hosts import check_hosts, refuse_new
from winnow_ci.operations.named_indexes import NamedIndex, indexes_of, required
from winnow_ci.operations.shared_configuration import ReadSettings, extended
from winnow_ci.scanner import Suppressions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from winnow_ci.config import IndexReference
    from winnow_ci.git import Repository
    from winnow_ci.model import Counting
    from winnow_ci.model.changes import ChangedFile, ChangeSet
    from winnow_ci.model.findings import BaselineEntry
    from winnow_ci.policy import CommentTrust


class RuleChoice(NamedTuple):
    """What the command line says about the rules.

    Attributes:
        config: the configuration; None for the one at the root of the repository.
        indexes: those that it names; empty for those that the configuration names.
        policy_from: whose rules count; None for the base on a CI and for the work tree elsewhere.
        update_baseline: whether the baseline of the work tree is to be written, by an update or an approval.
    """

    config: Path | None = None
    indexes: tuple[IndexReference, ...] = ()
    policy_from: Literal["base", "head"] | None = None
    update_baseline: bool = False


class Rules(NamedTuple):
    """What a change is judged by.

    Attributes:
        settings: the configuration.
        written: what of it is the repository's own, and not that of the configuration which it extends.
        indexes: those that it is looked up in.
        boilerplate: files whose code counts as everybody's.
        suppressions: what may suppress a finding besides the policy.
        notices: what a person should know about the rules.
    """

    settings: Settings
    written: Settings
    indexes: tuple[NamedIndex, ...]
    boilerplate: Sequence[ChangedFile]
    suppressions: Suppressions
    notices: tuple[str, ...] = ()


def rules(repository: Repository, changes: ChangeSet, choice: RuleChoice, scratch: Path, counting: Counting) -> Rules:
    """Find the rules for a change.

    Args:
        repository: where the change is.
        changes: the change.
        choice: what the command line says.
        scratch: folder for copies of the indexes of the base.
        counting: shows the progress of a download.

    Raises:
        ConfigError: the configuration or the baseline has a mistake.
        IndexFileError: there is no index.
        FetchError: an index at a URL could not be downloaded.
        UsageError: the baseline is to be updated, but the rules are those of the base.
    """
    base = changes.target or changes.scope.base
    if base is None or repository.root is None or not _judged_by_base(choice):
        return _of_work_tree(repository, choice, counting)
    if choice.update_baseline:
        problem = "the baseline is not written: the one that counts here is that of the base"
        raise UsageError(problem, "write it on a machine of your own, or with --policy-from head")
    return _Base(repository, repository.root, base, changes.scope.base, scratch, counting).rules(choice)


def is_judged_by_base(repository: Repository, changes: ChangeSet, choice: RuleChoice) -> bool:
    """Whether a change is judged by the rules of its base, and not by those of the work tree."""
    return bool(changes.target or changes.scope.base) and repository.root is not None and _judged_by_base(choice)


def configuration_path(repository: Repository, choice: RuleChoice) -> Path:
    """Where the configuration of the work tree is. In the folder of a bare repository it is its administrator's."""
    return choice.config or (repository.root or repository.git_dir) / CONFIGURATION


def _judged_by_base(choice: RuleChoice) -> bool:
    return (choice.policy_from or ("base" if ci.service(os.environ) else "head")) == "base"


def _of_work_tree(repository: Repository, choice: RuleChoice, counting: Counting) -> Rules:
    path = configuration_path(repository, choice)
    read = _read_here(repository, path, choice, counting)
    files = git.everything(repository).files if read.settings.boilerplate else ()
    # Anybody may have pushed to a repository without a work tree.
    trust: CommentTrust = "always" if repository.root else "base"
    return rules_of(read, path, repository.root, choice, counting, files=files, trust=trust)


def rules_of(  # noqa: PLR0913 - what it says, where it is, and who asks
    read: ReadSettings,
    configuration: Path,
    root: Path | None,
    choice: RuleChoice,
    counting: Counting,
    *,
    files: Iterable[ChangedFile],
    trust: CommentTrust,
) -> Rules:
    """The rules of a configuration as it is.

    Args:
        read: its settings.
        configuration: its file, which need not exist.
        root: what names of indexes begin at; None if they are told in full.
        choice: what the command line says.
        counting: shows the progress of a download.
        files: among which those are that the settings call boilerplate.
        trust: which comments count, unless the settings say so.

    Raises:
        ConfigError: the baseline has a mistake.
        IndexFileError: there is no index.
        FetchError: an index at a URL could not be downloaded.
    """
    settings, written = read
    entries_of_index = required(choice.indexes or settings.index, configuration)
    indexes = [index for entry in entries_of_index for index in indexes_of(entry, root, counting)]
    entries, notices = _recorded(settings.baseline)
    suppressions = _suppressions(settings, entries, trust)
    return _rules(settings, written, indexes, files, suppressions, () if choice.update_baseline else notices)


def _read_here(repository: Repository, path: Path, choice: RuleChoice, counting: Counting) -> ReadSettings:
    """The settings of the work tree; in a job for a change, that may have those of the change."""
    if not choice.config and not os.path.lexists(path):
        return ReadSettings()
    place = Path(os.path.normpath(path.absolute()))
    if not _judged_by_base(choice) or (repository.root and not place.is_relative_to(repository.root)):
        return extended(partial(load_settings, path), counting)
    check = partial(check_hosts, repository, None, is_index_named=bool(choice.indexes))
    return extended(partial(load_settings, path), counting, check)


def _rules(
    settings: Settings,
    written: Settings,
    indexes: Iterable[NamedIndex],
    files: Iterable[ChangedFile],
    suppressions: Suppressions,
    notices: Iterable[str],
) -> Rules:
    boilerplate = [file for file in files if settings.boilerplate.matches(file.path)]
    once = {index.place: index for index in indexes}
    return Rules(settings, written, tuple(once.values()), boilerplate, suppressions, tuple(notices))


def _recorded(path: Path | None) -> tuple[tuple[BaselineEntry, ...], tuple[str, ...]]:
    """The entries of a baseline, which need not exist yet, and notices."""
    if path is None:
        return (), ()
    if not os.path.lexists(path):
        return (), (
            f"the baseline that {CONFIGURATION} names is not there yet: approve and scan --update-baseline write it",
        )
    return load_baseline(path), ()


def _suppressions(settings: Settings, entries: tuple[BaselineEntry, ...], otherwise: CommentTrust) -> Suppressions:
    return Suppressions(entries, dt.date.today(), settings.inline or otherwise)


class _Base(NamedTuple):
    """The commit whose rules count, and the one with which the change is compared."""

    repository: Repository
    root: Path
    commit: str
    compared: str | None
    scratch: Path
    counting: Counting

    def rules(self, choice: RuleChoice) -> Rules:
        path = choice.config or self.root / CONFIGURATION
        (settings, written), notices, is_first = self._settings(path, choice)
        indexes: list[NamedIndex] = []
        for entry in required(choice.indexes or settings.index, path):
            found, more = self._indexes(entry, is_first=is_first)
            indexes += found
            notices += more
        files = git.commits(self.repository, None, self.commit, "boilerplate").files if settings.boilerplate else ()
        entries, of_baseline = self._recorded(settings.baseline)
        by = _suppressions(settings, entries, "base")
        return _rules(settings, written, indexes, files, by, (*notices, *of_baseline))

    def _settings(self, path: Path, choice: RuleChoice) -> tuple[ReadSettings, list[str], bool]:
        """The configuration, notices, and whether its index is that of a first one, which the change brings."""
        name = self._name(path)
        if name is None:
            return extended(partial(load_settings, path), self.counting), [], False
        before = self._contents(name).get(name)
        if before is not None:
            read = partial(parse_settings, before, f"{path} at {self.commit[:12]}", path.parent)
            check = partial(check_hosts, self.repository, self.commit, is_index_named=bool(choice.indexes))
            return extended(read, self.counting, check), self._edits(path, name, before), False
        if self.repository.run("ls-tree", "-z", "--full-tree", self.commit, "--", name):
            raise _no_file(f"{name} is no regular file in the base")
        if not os.path.lexists(path) and path == self.root / CONFIGURATION:
            return ReadSettings(), [], False
        if not self._is_tracked(name):
            return extended(partial(load_settings, path), self.counting), [], False
        if not self._is_in_place(path, name):
            raise _no_file(f"{name} is new, and is or lies behind a symbolic link")
        if choice.indexes:
            # An index that the command line names was there before any configuration.
            return ReadSettings(), [f"{name} is new: nothing of it counts yet"], False
        # A first scan needs an index; nothing else of a stranger's first configuration counts.
        written = load_settings(path)
        refuse_new(written)
        first = Settings(index=written.index)
        return ReadSettings(first, first), [f"{name} is new: only the index that it names counts yet"], True

    def _indexes(self, entry: IndexReference, *, is_first: bool) -> tuple[list[NamedIndex], list[str]]:
        """The index files of an entry, as the base has them if it has any, and notices."""
        if not isinstance(entry, Path):
            return indexes_of(entry, self.root, self.counting), []
        name = self._name(entry)
        before = self._contents(name) if name else {}
        known = {path: content for path, content in before.items() if path == name or _is_index_in(path, name)}
        if known:
            edits = [edit for path, content in known.items() for edit in self._edits(self.root / path, path, content)]
            return [NamedIndex(self._as_in_base(path, content), path) for path, content in known.items()], edits
        if name is None or not self._is_tracked(name):
            return indexes_of(entry, self.root, self.counting), []
        if not is_first:
            problem = f"{name} is not in the base: the change brings the index that it would be looked up in"
            raise IndexFileError(problem, "merge the index first, or decide for it with --policy-from head")
        return indexes_of(entry, self.root, self.counting), [
            f"{name} is new: the change brings the index that it is looked up in"
        ]

    def _recorded(self, path: Path | None) -> tuple[tuple[BaselineEntry, ...], tuple[str, ...]]:
        """The entries of the baseline as the base has it, and notices."""
        name = self._name(path) if path else None
        if path is None or name is None:
            return _recorded(path)
        before = self._contents(name).get(name)
        if before is not None:
            entries = parse_baseline(before, f"{path} at {self.commit[:12]}")
            return entries, tuple(self._edits(path, name, before))
        if not os.path.lexists(path):
            return (), ()
        if self._is_tracked(name) or not self._is_in_place(path, name):
            return (), (f"{name} is new: it suppresses nothing yet",)
        return _recorded(path)

    def _is_in_place(self, path: Path, name: str) -> bool:
        """Whether a path leads to where its name says, and not through a link."""
        return os.path.realpath(path) == os.path.join(os.path.realpath(self.root), name)  # noqa: PTH118

    def _as_in_base(self, name: str, content: bytes) -> Path:
        path = self.root / name
        if _has(path, content):
            return path
        kept = self.scratch / f"{xxh3_64_hexdigest(name.encode('utf-8', 'surrogateescape'))}.db"
        kept.write_bytes(content)
        return kept

    def _edits(self, path: Path, name: str, content: bytes) -> list[str]:
        """A notice if the change edits what counts. A branch may also have what was there when it began."""
        if _has(path, content):
            return []
        compared = self.compared if self.compared != self.commit else None
        began = dict(git.contents_at(self.repository, compared, name)).get(name) if compared else None
        return [] if began is not None and _has(path, began) else [_edited(name)]

    def _name(self, path: Path) -> str | None:
        """A path as git calls it; None outside the work tree, which no change reaches.

        Links are followed only to find the root: a change may turn any file of its own into a link.
        """
        for candidate in (os.path.normpath(path.absolute()), os.path.realpath(path)):
            with suppress(ValueError):
                return Path(candidate).relative_to(self.root).as_posix()
        return None

    def _is_tracked(self, name: str) -> bool:
        """Whether the change may have brought a file, or the file behind a link; if not, an earlier step wrote it."""
        names = {name, self._name(Path(os.path.realpath(self.root / name)))}
        return any(git.is_tracked(self.repository, each) for each in names if each)

    def _contents(self, name: str) -> dict[str, bytes]:
        found = dict(git.contents_at(self.repository, self.commit, name))
        for path in found:
            run_log.tell(f"reading {path} as the base has it, at {self.commit[:12]}")
        return found


def _edited(name: str) -> str:
    return f"the change edits {name}: that of the base counts"


def _no_file(problem: str) -> ConfigError:
    """What a link leads to could be changed without it, or lie outside, where messages must not quote from."""
    return ConfigError(problem, "put the configuration itself there, or decide for it with --policy-from head")


def _is_index_in(path: str, folder: str | None) -> bool:
    parent, _, name = path.rpartition("/")
    return parent == folder and name.endswith(".db") and not name.startswith(".")


def _has(path: Path, content: bytes) -> bool:
    """Whether a file, not a link to one, has that content. A file of another size may be huge and is not read."""
    found = path.lstat() if os.path.lexists(path) else None
    is_candidate = found is not None and stat.S_ISREG(found.st_mode) and found.st_size == len(content)
    return is_candidate and path.read_bytes() == content
