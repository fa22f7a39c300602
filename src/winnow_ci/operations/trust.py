"""The rules that a change is judged by, read from the commit that has them (``rules_commit``) or from the work tree.

Where a commit has the rules, so it has the configuration, the boilerplate, the baseline and the indexes: it is the tip
of the branch that the change is for. The commit where the change left that branch may be old, and its author has chosen
it, so that commit says what is new and nothing else. What the change makes of the rules counts once it is merged; a
notice says where that makes a difference.
"""

from __future__ import annotations

import datetime as dt
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import git
from winnow_ci.config.baseline import load_baseline, parse_baseline
from winnow_ci.config.settings import Settings, load_settings, parse_settings
from winnow_ci.errors import ConfigError, IndexFileError, UsageError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations import CONFIGURATION, nearest_configuration
from winnow_ci.operations.asked_hosts import refuse_new
from winnow_ci.operations.base_files import BaseFiles
from winnow_ci.operations.named_indexes import NamedIndex, indexes_of, required
from winnow_ci.operations.rules_commit import rules_commit
from winnow_ci.operations.shared_configuration import ReadSettings, extended
from winnow_ci.scanner import Suppressions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from winnow_ci.config.index_reference import IndexReference
    from winnow_ci.git import Repository
    from winnow_ci.model import Counting
    from winnow_ci.model.changes import ChangedFile, ChangeSet
    from winnow_ci.model.findings import BaselineEntry
    from winnow_ci.operations.rules_commit import PolicyFrom
    from winnow_ci.operations.scratch_folder import ScratchFolder
    from winnow_ci.policy.allow_comments import CommentTrust


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
    policy_from: PolicyFrom | None = None
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
        commit: the one that has them; None for the work tree.
    """

    settings: Settings
    written: Settings
    indexes: tuple[NamedIndex, ...]
    boilerplate: Sequence[ChangedFile]
    suppressions: Suppressions
    notices: tuple[str, ...] = ()
    commit: str | None = None


def rules(
    repository: Repository, changes: ChangeSet, choice: RuleChoice, scratch: ScratchFolder, counting: Counting
) -> Rules:
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
        WinnowError: what ``rules_commit`` raises.
    """
    commit, notices = rules_commit(repository, changes, choice.policy_from)
    if commit is None or repository.root is None:
        by = _of_work_tree(repository, choice, counting)
        return by._replace(notices=(*notices, *by.notices))
    if choice.update_baseline:
        problem = "the baseline is not written: the one that counts here is that of the base"
        raise UsageError(problem, "write it on a machine of your own, or with --policy-from head")
    # In other modes, the base may be a commit of the change itself.
    began = changes.scope.base if changes.is_of_event or changes.target == commit else None
    files = BaseFiles(repository, repository.root, commit, began, scratch)
    by = _Base(files, counting).rules(choice)
    return by._replace(notices=(*notices, *by.notices), commit=commit)


def configuration_path(repository: Repository, choice: RuleChoice) -> Path:
    """Where the configuration of the work tree is. In the folder of a bare repository it is its administrator's."""
    return choice.config or nearest_configuration(repository.root or repository.git_dir)


def folder_of_rules(root: Path | None, path: Path, choice: RuleChoice) -> str:
    """The folder that patterns of paths begin at, as git calls it: that of a configuration which nobody has named."""
    return "" if choice.config or root is None or path.parent == root else path.parent.relative_to(root).as_posix()


def _of_work_tree(repository: Repository, choice: RuleChoice, counting: Counting) -> Rules:
    path = configuration_path(repository, choice)
    is_there = choice.config or os.path.lexists(path)
    read = extended(partial(load_settings, path), counting) if is_there else ReadSettings()
    read = read.below(folder_of_rules(repository.root, path, choice))
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


class _Configuration(NamedTuple):
    """What the base says of the rules, and notices; ``is_first`` if the change brings it, with its index."""

    read: ReadSettings
    notices: tuple[str, ...] = ()
    is_first: bool = False


class _Base(NamedTuple):
    """The rules of the base."""

    files: BaseFiles
    counting: Counting

    def rules(self, choice: RuleChoice) -> Rules:
        files = self.files
        path = choice.config or self._nearest()
        read, noticed, is_first = self._configuration(path, choice)
        settings, written = read.below(folder_of_rules(files.root, path, choice))
        indexes, notices = [], [*noticed]
        for entry in required(choice.indexes or settings.index, path):
            found, more = self._indexes(entry, is_first=is_first)
            indexes += found
            notices += more
        entries, of_baseline = self._recorded(settings.baseline)
        by = _suppressions(settings, entries, "base")._replace(commit=files.commit)
        everything = (
            git.between_commits(files.repository, None, files.commit, "boilerplate").files
            if settings.boilerplate
            else ()
        )
        return _rules(settings, written, indexes, everything, by, (*notices, *of_baseline))

    def _nearest(self) -> Path:
        """The nearest configuration that the base has; only if it has none, that which the change brings."""
        root = self.files.root
        found = nearest_configuration(root, lambda place: self.files.has(place.relative_to(root).as_posix()))
        is_in_base = found.parent != root or self.files.has(CONFIGURATION)
        return found if is_in_base else nearest_configuration(root)

    def _configuration(self, path: Path, choice: RuleChoice) -> _Configuration:
        files, name = self.files, self.files.name_of(path)
        if name is None:
            return _Configuration(extended(partial(load_settings, path), self.counting))
        before = files.contents(name).get(name)
        if before is not None:
            read = partial(parse_settings, before, f"{path} at {files.commit[:12]}", path.parent)
            return _Configuration(extended(read, self.counting), tuple(files.edits(path, name, before)))
        if files.has(name):
            raise _no_file(f"{name} is no regular file in the base")
        if not os.path.lexists(path) and path == files.root / CONFIGURATION:
            return _Configuration(ReadSettings())
        if not files.is_tracked(name):
            return _Configuration(extended(partial(load_settings, path), self.counting))
        return self._first(path, name, choice)

    def _first(self, path: Path, name: str, choice: RuleChoice) -> _Configuration:
        """What counts of a configuration that the change brings."""
        if not self.files.is_in_place(path, name):
            raise _no_file(f"{name} is new, and is or lies behind a symbolic link")
        if choice.indexes:
            # An index that the command line names was there before any configuration.
            return _Configuration(ReadSettings(), (f"{name} is new: nothing of it counts yet",))
        # A first scan needs an index; nothing else of a stranger's first configuration counts.
        written = load_settings(path)
        refuse_new(written)
        first = Settings(index=written.index)
        notice = f"{name} is new: only the index that it names counts yet"
        return _Configuration(ReadSettings(first, first), (notice,), is_first=True)

    def _indexes(self, entry: IndexReference, *, is_first: bool) -> tuple[list[NamedIndex], list[str]]:
        """The index files of an entry, as the base has them if it has any, and notices."""
        files = self.files
        name = files.name_of(entry) if isinstance(entry, Path) else None
        if name and (known := files.indexes(name)):
            edits = [edit for path, content in known.items() for edit in files.edits(files.root / path, path, content)]
            return [NamedIndex(files.as_in_base(path, content), path) for path, content in known.items()], edits
        if name is None or not files.is_tracked(name):
            return indexes_of(entry, files.root, self.counting), []
        if not is_first:
            problem = f"{name} is not in the base: the change brings the index that it would be looked up in"
            raise IndexFileError(problem, "merge the index first, or decide for it with --policy-from head")
        notice = f"{name} is new: the change brings the index that it is looked up in"
        return indexes_of(entry, files.root, self.counting), [notice]

    def _recorded(self, path: Path | None) -> tuple[tuple[BaselineEntry, ...], tuple[str, ...]]:
        """The entries of the baseline as the base has it, and notices."""
        name = self.files.name_of(path) if path else None
        if path is None or name is None:
            return _recorded(path)
        before = self.files.contents(name).get(name)
        if before is not None:
            entries = parse_baseline(before, f"{path} at {self.files.commit[:12]}")
            return entries, tuple(self.files.edits(path, name, before))
        if not os.path.lexists(path):
            return (), ()
        if self.files.is_tracked(name) or not self.files.is_in_place(path, name):
            return (), (f"{name} is new: it suppresses nothing yet",)
        return _recorded(path)


def _no_file(problem: str) -> ConfigError:
    """What a link leads to could be changed without it, or lie outside, where messages must not quote from."""
    return ConfigError(problem, "put the configuration itself there, or decide for it with --policy-from head")
