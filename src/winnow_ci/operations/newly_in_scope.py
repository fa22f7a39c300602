"""Find files that the rules leave out, but a change's own configuration would not.

No scan has read them. Once that configuration is merged, their code counts as old, and could move anywhere. So the
change that brings them into scope has to account for them: all of their code counts as new.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from winnow_ci import git, scanner
from winnow_ci.config.settings import Settings, parse_settings
from winnow_ci.errors import ConfigError
from winnow_ci.languages import language_by_name
from winnow_ci.model import Change, Skipped
from winnow_ci.model.changes import ChangedFile, ChangeSet
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations.trust import RuleChoice, Rules, configuration_path, folder_of_rules
from winnow_ci.report.wording import counted
from winnow_ci.scanner.files import ReadFile
from winnow_ci.scanner.read import LARGEST_SCANNED, language_in_scope, skip_by_path


class NewlyInScope(NamedTuple):
    """A change with the files that it brings into scope, each of the two, and the scope of these files."""

    change: ChangeSet
    known: ChangeSet
    opened: ChangeSet
    settings: Settings

    def read(self, repository: git.Repository, settings: Settings) -> Iterator[ReadFile]:
        """Read the files; ``settings`` are those of the change itself."""
        yield from scanner.read_ahead(repository, self.known, settings)
        yield from scanner.read_ahead(repository, self.opened, self.settings)

    def applied_to(self, rules: Rules) -> Rules:
        """Return rules without these files as boilerplate, and a notice."""
        paths = {file.path for file in self.opened.files}
        files = counted(len(paths), "file")
        notice = f"the configuration of the change no longer leaves {files} out; all their code counts as new"
        boilerplate = [file for file in rules.boilerplate if file.path not in paths]
        return rules._replace(boilerplate=boilerplate, notices=(*rules.notices, notice))


def newly_in_scope(
    repository: git.Repository, change: ChangeSet, settings: Settings, choice: RuleChoice
) -> NewlyInScope | None:
    """Return the files that a change of commits brings into scope by its own configuration, if any.

    ``settings`` count now; ``choice`` may name the configuration.
    """
    base, head, root = change.scope.base, change.scope.head, repository.root
    path = Path(os.path.normpath(configuration_path(repository, choice).absolute()))
    if base is None or head is None or root is None or not path.is_relative_to(root):
        return None
    name, folder = path.relative_to(root).as_posix(), folder_of_rules(root, path, choice)
    before, after = (dict(git.contents_at(repository, commit, name)).get(name, b"") for commit in (base, head))
    if before == after:
        return None
    try:
        began, brought = (parse_settings(content, name, root).below(folder) for content in (before, after))
    except ConfigError:
        # Once it is merged, no scan ends with 0.
        return None
    # A configuration at a URL that a change names is not fetched.
    if brought.extends or _scope(began) == _scope(brought):
        return None
    everything = git.between_commits(repository, None, head, "files that were left out")
    opened = tuple(_opened(repository, everything.files, (settings, began), brought))
    if not opened:
        return None
    paths = {file.path for file in opened}
    files = tuple(file for file in change.files if file.path not in paths)
    in_order = sorted((*files, *opened), key=lambda file: file.path.encode("utf-8", "surrogateescape"))
    whole = change._replace(files=tuple(in_order))
    return NewlyInScope(whole, change._replace(files=files), everything._replace(files=opened), brought)


def _scope(settings: Settings) -> object:
    return settings.include, settings.exclude, settings.boilerplate, settings.languages


def _opened(
    repository: git.Repository, files: Iterable[ChangedFile], before: Sequence[Settings], brought: Settings
) -> Iterator[ChangedFile]:
    """The files that all settings before leave out, and the new ones do not."""

    def opens(skip: Callable[[Settings], object]) -> bool:
        return all(skip(settings) for settings in before) and not skip(brought)

    yield from (file for file in files if opens(partial(skip_by_path, file.path)))
    every = (*before, brought)
    if len({settings.languages for settings in every}) == 1:
        return
    # The language of scripts without an ending follows from their content.
    undecided = [file for file in files if language_by_name(file.path) is None]
    undecided = [file for file in undecided if not any(skip_by_path(file.path, settings) for settings in every)]
    for file, change in git.read_changes(repository, undecided, LARGEST_SCANNED):
        if isinstance(change, Change) and opens(partial(_is_skipped, change)):
            yield file


def _is_skipped(change: Change, settings: Settings) -> bool:
    return isinstance(language_in_scope(change, settings), Skipped)
