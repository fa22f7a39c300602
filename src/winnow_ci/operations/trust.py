"""Find the rules for a change, in the commit that has them (``rules_commit``) or from the work tree.

The commit with the rules is the tip of the branch that the change is for. It has the configuration, the boilerplate,
the baseline and the indexes. The commit where the change left that branch may be old, and its author has chosen it, so
that one only says which code is new. Edits of the rules count once they are merged; notices say where that matters.

A change may edit a file of the rules, bring it, or turn it into a link. So each file is read from the base, and the
work tree counts only where it is the same, or where no change reaches it.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from xxhash import xxh3_64_hexdigest

from winnow_ci import git, run_log
from winnow_ci.config import CONFIGURATION
from winnow_ci.config.baseline import load_baseline, parse_baseline
from winnow_ci.config.index_reference import IndexReference
from winnow_ci.config.settings import Settings, load_settings, parse_settings
from winnow_ci.errors import ConfigError, IndexFileError, UsageError
from winnow_ci.model import Counting
from winnow_ci.model.changes import ChangedFile, ChangeSet
from winnow_ci.model.findings import BaselineEntry
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations import named_elsewhere
from winnow_ci.operations.compared_commits import PolicyFrom, rules_commit
from winnow_ci.operations.named_elsewhere import NamedIndex
from winnow_ci.operations.written_files import ScratchFolder
from winnow_ci.policy.allow_comments import CommentTrust
from winnow_ci.scanner import Suppressions
from winnow_ci.start_up import replace

_DIGITS = 12


class RuleChoice(NamedTuple):
    """The options of the command line about the rules; ``update_baseline`` also stands for an approval."""

    config: Path | None = None
    indexes: tuple[IndexReference, ...] = ()
    policy_from: PolicyFrom | None = None
    update_baseline: bool = False


class Rules(NamedTuple):
    """The rules that a change is judged by."""

    settings: Settings  # the configuration, together with the one that it extends
    indexes: tuple[NamedIndex, ...]  # those to look the change up in
    boilerplate: Sequence[ChangedFile]  # files that everybody has: their code is no evidence
    suppressions: Suppressions  # what may suppress a finding besides the policy
    notices: tuple[str, ...] = ()  # about the rules, for people
    commit: str | None = None  # the one that has them; None for the work tree


def rules(
    repository: git.Repository, changes: ChangeSet, choice: RuleChoice, scratch: ScratchFolder, counting: Counting
) -> Rules:
    """Find the rules for a change; ``scratch`` gets copies of the indexes of the base."""
    commit, notices = rules_commit(repository, changes, choice.policy_from)
    if commit is None or repository.root is None:
        by = rules_here(repository, choice, counting, is_trusted=True)
        return by._replace(notices=(*notices, *by.notices))
    if choice.update_baseline:
        problem = "the baseline is not written: this scan uses the baseline of the base commit"
        raise UsageError(problem, "write it on your own machine, or with --policy-from head")
    # In other modes, the base may be a commit of the change itself.
    began = changes.scope.base if changes.is_of_event or changes.target == commit else None
    by = _Base(repository, repository.root, commit, began, scratch, choice, counting).rules()
    return by._replace(notices=(*notices, *by.notices), commit=commit)


def configuration_path(repository: git.Repository, choice: RuleChoice) -> Path:
    """Return the configuration of the work tree. In the folder of a bare repository it is its administrator's."""
    return choice.config or named_elsewhere.nearest_configuration(repository.root or repository.git_dir)


def folder_of_rules(root: Path | None, path: Path, choice: RuleChoice) -> str:
    """Return the folder that patterns of paths begin at, as git calls it; the root if ``--config`` names the file."""
    return "" if choice.config or root is None or path.parent == root else path.parent.relative_to(root).as_posix()


def rules_of(  # noqa: PLR0913 - what it says, where it is, and who asks
    read: Settings,
    configuration: Path,
    root: Path | None,
    choice: RuleChoice,
    counting: Counting,
    *,
    files: Iterable[ChangedFile],
    trust: CommentTrust,
) -> Rules:
    """Return the rules of a configuration, whose file need not exist.

    Names of indexes begin at ``root``; without it they are absolute. ``files`` may be boilerplate. Comments count as
    ``trust`` says, unless the settings do.
    """
    entries_of_index = named_elsewhere.required(choice.indexes or read.index, configuration)
    indexes = [index for entry in entries_of_index for index in named_elsewhere.indexes_of(entry, root, counting)]
    entries, notices = _recorded(read.baseline)
    by = Suppressions(entries, dt.date.today(), read.inline or trust)
    return _rules(read, indexes, files, by, () if choice.update_baseline else notices)


def rules_here(
    repository: git.Repository, choice: RuleChoice, counting: Counting, *, is_trusted: bool = False
) -> Rules:
    """Find the rules of the work tree; that of a change request may name any host, unless ``is_trusted``."""

    # A job that names the configuration trusts it.
    def check(read: Settings) -> None:
        if not (is_trusted or choice.config):
            named_elsewhere.refuse_checkout(repository, replace(read, index=()) if choice.indexes else read)

    path = configuration_path(repository, choice)
    is_there = choice.config or os.path.lexists(path)
    read = named_elsewhere.extended(partial(load_settings, path), counting, check) if is_there else Settings()
    read = read.below(folder_of_rules(repository.root, path, choice))
    files = git.everything(repository).files if read.boilerplate else ()
    # Anybody may have pushed to a repository without a work tree.
    trust: CommentTrust = "always" if repository.root else "base"
    return rules_of(read, path, repository.root, choice, counting, files=files, trust=trust)


def _rules(
    read: Settings, indexes: Iterable[NamedIndex], files: Iterable[ChangedFile], by: Suppressions, said: Iterable[str]
) -> Rules:
    boilerplate = [file for file in files if read.boilerplate.matches(file.path)]
    once = {index.place: index for index in indexes}
    of_indexes = (index.notice for index in once.values() if index.notice)
    return Rules(read, tuple(once.values()), boilerplate, by, (*said, *of_indexes))


def _recorded(path: Path | None) -> tuple[tuple[BaselineEntry, ...], tuple[str, ...]]:
    """The entries of a baseline, which need not exist yet, and notices."""
    if path is None:
        return (), ()
    if not os.path.lexists(path):
        return (), ("the baseline does not exist yet; the first `winnow-ci approve` creates it",)
    return load_baseline(path), ()


class _Base(NamedTuple):
    """The base, whose files decide on a change that began at ``compared``, which may be older; None if unknown."""

    repository: git.Repository
    root: Path
    commit: str
    compared: str | None
    scratch: ScratchFolder
    choice: RuleChoice
    counting: Counting

    def rules(self) -> Rules:
        path = self.choice.config or self._nearest()
        read, noticed, is_first = self._configuration(path)
        read = read.below(folder_of_rules(self.root, path, self.choice))
        indexes, notices = [], [*noticed]
        for entry in named_elsewhere.required(self.choice.indexes or read.index, path):
            found, more = self._indexes(entry, is_first=is_first)
            indexes += found
            notices += more
        entries, of_baseline = self._recorded(read.baseline)
        by = Suppressions(entries, dt.date.today(), read.inline or "base", commit=self.commit)
        every = git.between_commits(self.repository, None, self.commit, "boilerplate").files if read.boilerplate else ()
        return _rules(read, indexes, every, by, (*notices, *of_baseline))

    def _nearest(self) -> Path:
        """The nearest configuration in the base; only if there is none, that of the change."""
        found = named_elsewhere.nearest_configuration(
            self.root, lambda place: self._has(place.relative_to(self.root).as_posix())
        )
        is_in_base = found.parent != self.root or self._has(CONFIGURATION)
        return found if is_in_base else named_elsewhere.nearest_configuration(self.root)

    def _configuration(self, path: Path) -> tuple[Settings, Sequence[str], bool]:
        """The settings of the base, notices, and whether the change adds the first configuration and its index."""
        name = self._name_of(path)
        if name is None:
            return named_elsewhere.extended(partial(load_settings, path), self.counting), (), False
        before = self._contents(name).get(name)
        if before is not None:
            read = partial(parse_settings, before, f"{path} at {self.commit[:_DIGITS]}", path.parent)
            return named_elsewhere.extended(read, self.counting), self._edits(path, name, before), False
        if self._has(name):
            raise _no_file(f"{name} is not a regular file in the base")
        if not os.path.lexists(path) and path == self.root / CONFIGURATION:
            return Settings(), (), False
        if not self._is_tracked(name):
            return named_elsewhere.extended(partial(load_settings, path), self.counting), (), False
        if not self._is_in_place(path, name):
            raise _no_file(f"{name} is new, and is a symbolic link or lies behind one")
        if self.choice.indexes:
            # An index that the command line names was there before any configuration.
            return Settings(), (f"{name} is new: it has no effect yet",), False
        # A first scan needs an index; a stranger's first configuration has no other effect.
        written = load_settings(path)
        named_elsewhere.refuse_new(written)
        return Settings(index=written.index), (f"{name} is new: only its index is used yet",), True

    def _indexes(self, entry: IndexReference, *, is_first: bool) -> tuple[list[NamedIndex], list[str]]:
        """The index files of an entry, as the base has them if it has any, and notices."""
        name = self._name_of(entry) if isinstance(entry, Path) else None
        if name and (known := self._index_files(name)):
            edits = [edit for path, content in known.items() for edit in self._edits(self.root / path, path, content)]
            places = {path: self._as_in_base(path, content) for path, content in known.items()}
            return [NamedIndex(place, path) for path, place in places.items()], edits
        if name is None or not self._is_tracked(name):
            return named_elsewhere.indexes_of(entry, self.root, self.counting), []
        if not is_first:
            problem = f"{name} is not in the base: the change adds the index that it would be compared with"
            raise IndexFileError(problem, "merge the index first, or trust the change with --policy-from head")
        notice = f"{name} is new: the change adds the index that it is compared with"
        return named_elsewhere.indexes_of(entry, self.root, self.counting), [notice]

    def _recorded(self, path: Path | None) -> tuple[tuple[BaselineEntry, ...], Sequence[str]]:
        name = self._name_of(path) if path else None
        if path is None or name is None:
            return _recorded(path)
        before = self._contents(name).get(name)
        if before is not None:
            entries = parse_baseline(before, f"{path} at {self.commit[:_DIGITS]}")
            return entries, self._edits(path, name, before)
        if not os.path.lexists(path):
            return (), ()
        if self._is_tracked(name) or not self._is_in_place(path, name):
            return (), (f"{name} is new: it suppresses nothing yet",)
        return _recorded(path)

    def _is_in_place(self, path: Path, name: str) -> bool:
        """Whether a path leads to where its name says, and not through a link."""
        return Path(os.path.realpath(path)) == Path(os.path.realpath(self.root), name)

    def _as_in_base(self, name: str, content: bytes) -> Path:
        """A file with the content that the base has: the one in the work tree, if it is the same."""
        path = self.root / name
        if _holds(path, content):
            return path
        kept = self.scratch.path / f"{xxh3_64_hexdigest(name.encode('utf-8', 'surrogateescape'))}.db"
        kept.write_bytes(content)
        return kept

    def _edits(self, path: Path, name: str, content: bytes) -> list[str]:
        """A notice if the change edits a file of the rules. A branch may also have the file as it began with it."""
        if _holds(path, content):
            return []
        compared = self.compared if self.compared != self.commit else None
        began = dict(git.contents_at(self.repository, compared, name)).get(name) if compared else None
        is_unchanged = began is not None and _holds(path, began)
        return [] if is_unchanged else [f"the change edits {name}: the base's version applies"]

    def _name_of(self, path: Path) -> str | None:
        """A path as git calls it; None outside the work tree, which no change reaches.

        Links are followed only to find the root: a change may turn any file of its own into a link.
        """
        for candidate in (os.path.normpath(path.absolute()), os.path.realpath(path)):
            with suppress(ValueError):
                return Path(candidate).relative_to(self.root).as_posix()
        return None

    def _is_tracked(self, name: str) -> bool:
        """Whether the change may have brought a file, or the file behind a link; if not, an earlier step wrote it."""
        names = {name, self._name_of(Path(os.path.realpath(self.root / name)))}
        return any(git.is_tracked(self.repository, each) for each in names if each)

    def _has(self, name: str) -> bool:
        """Whether the base has anything of that name: a file, a folder, a link."""
        return bool(self.repository.run("ls-tree", "-z", "--full-tree", self.commit, "--", name))

    def _index_files(self, name: str) -> dict[str, bytes]:
        """The index file of that name, or those in the folder of that name, but not in folders below."""
        in_folder = re.compile(re.escape(name) + r"(?:/(?!\.)[^/]*\.db)?", re.DOTALL)
        return {path: content for path, content in self._contents(name).items() if in_folder.fullmatch(path)}

    def _contents(self, name: str) -> dict[str, bytes]:
        """The file of that name, or the files in the folder, by path."""
        found = dict(git.contents_at(self.repository, self.commit, name))
        for path in found:
            run_log.tell(f"reading {path} as the base has it, at {self.commit[:_DIGITS]}")
        return found


def _no_file(problem: str) -> ConfigError:
    """A link could lead to a file that changes without it, or lies outside, where messages must not quote from."""
    return ConfigError(problem, "replace the link with the file, or trust the change with --policy-from head")


def _holds(path: Path, content: bytes) -> bool:
    """Whether a file, not a link to one, has that content. A file of another size may be huge and is not read."""
    found = path.lstat() if os.path.lexists(path) else None
    is_candidate = found is not None and stat.S_ISREG(found.st_mode) and found.st_size == len(content)
    return is_candidate and path.read_bytes() == content
