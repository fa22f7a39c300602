"""Scan a change: find its rules, look it up in their indexes, add notices."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING

from winnow_ci import ci, git, run_log, scanner
from winnow_ci.errors import IndexFileError
from winnow_ci.model import Parameters
from winnow_ci.model.findings import FIRST_LINES, UsedIndex
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations.named_elsewhere import OpeningIndex, in_files
from winnow_ci.operations.scan_notices import reader_advice, with_waiting
from winnow_ci.operations.trust import RuleChoice, Rules, configuration_path, folder_of_rules, rules
from winnow_ci.operations.written_files import ScratchFolder
from winnow_ci.policy.acceptance import notices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from winnow_ci.config.settings import Settings
    from winnow_ci.git import Repository
    from winnow_ci.index import IndexReader
    from winnow_ci.model import Counting
    from winnow_ci.model.changes import ChangeSet
    from winnow_ci.model.findings import Finding, ScanReport, ShownCode
    from winnow_ci.operations.baseline import BaselineUpdate
    from winnow_ci.operations.named_elsewhere import NamedIndex
    from winnow_ci.operations.newly_in_scope import NewlyInScope


class ChangeChoice(NamedTuple):
    """Which change is meant; without any of these, that of the CI's event, elsewhere the branch (``default_change``).

    Attributes:
        since: everything since the merge base with this revision, uncommitted work included.
        staged: what is staged for the next commit.
        commits: ``A..B``, or ``A...B`` from their merge base on.
        everything: every file, as if all of it were new.
        paths: only these files and folders.
    """

    since: str | None = None
    staged: bool = False
    commits: str | None = None
    everything: bool = False
    paths: tuple[str, ...] = ()

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the command line that name this change, without its paths."""
        if self.since is not None:
            return "--since", self.since
        if self.commits is not None:
            return "--range", self.commits
        return ("--staged",) if self.staged else ("--all",) if self.everything else ()


class ScanOptions(NamedTuple):
    """How to scan.

    Attributes:
        rules: the options of the command line about the rules.
        including_denied: whether the baseline, if it is updated, may get copies that the policy denies.
        mode: the options of the command line that name the change; empty if something else does.
        is_read_elsewhere: whether people in other clones read the report.
    """

    rules: RuleChoice = RuleChoice()
    including_denied: bool = False
    mode: tuple[str, ...] = ()
    is_read_elsewhere: bool = False


class ChangeScan(NamedTuple):
    """A report, the rules that it was judged by, and the parameters of each index."""

    report: ScanReport
    rules: Rules
    parameters: tuple[Parameters, ...]


def default_change(repository: Repository) -> ChangeSet:
    """Return the change that a scan without a mode means: that of the CI's event, elsewhere the branch."""
    if event := ci.current_event(os.environ):
        from winnow_ci.operations.compared_commits import event_changes  # noqa: PLC0415 - few scans run on a CI

        return event_changes(repository, event)
    return git.on_branch(repository)


def chosen_change(repository: Repository, choice: ChangeChoice) -> ChangeSet:
    """Return the chosen change of a repository."""
    with run_log.stage("change"):
        if choice.staged:
            change = git.staged(repository)
        elif choice.since is not None:
            change = git.since(repository, choice.since)
        elif choice.commits is not None:
            change = git.between(repository, choice.commits)
        else:
            change = git.everything(repository) if choice.everything else default_change(repository)
        return git.narrow(repository, change, choice.paths)


def scan_change(
    repository: Repository,
    change: ChangeSet,
    options: ScanOptions,
    counting: Counting,
    shown_code: ShownCode = FIRST_LINES,
    shows: Callable[[Finding], bool] | None = None,
) -> ChangeScan:
    """Look a change up in the indexes of its rules.

    If much code is shown, that of sources that no index keeps comes from the user's cache. ``shows`` says whether a
    finding is shown with its code; without it, ``shown_code`` does.
    """
    with ExitStack() as stack:
        repository = stack.enter_context(repository.keeping_answers())
        scratch = stack.enter_context(ScratchFolder())
        progress = stack.enter_context(counting("scanning", " files"))
        with run_log.stage("rules"):
            by = rules(repository, change, options.rules, scratch, counting)
        opened = _newly_in_scope(repository, change, by, options.rules)
        if opened:
            change, by = opened.change, opened.applied_to(by)
        opening = start_opening(by, stack)
        read = opened.read(repository, by.settings) if opened else None
        if not opened and any(one.is_waiting for one in opening):
            read = scanner.read_ahead(repository, change, by.settings)
        indexes = finish_opening(opening, by)
        choices = scanner.ScanChoices(progress=progress, shown_code=shown_code, shows=shows, read=read)
        report = look_up_by(by, indexes, (repository, change), choices, scratch)
        with run_log.stage("baseline"):
            report = report._replace(baseline=with_waiting(repository, change, by, report.baseline, indexes))
    advice = reader_advice(repository, change, options.rules, by, options.mode, is_elsewhere=options.is_read_elsewhere)
    return ChangeScan(report._replace(advice=advice), by, tuple(index.parameters for index in indexes))


def _newly_in_scope(repository: Repository, change: ChangeSet, by: Rules, choice: RuleChoice) -> NewlyInScope | None:
    if by.commit is None:
        return None
    from winnow_ci.operations.newly_in_scope import newly_in_scope  # noqa: PLC0415 - no hook is judged so

    path = configuration_path(repository, choice)
    return newly_in_scope(repository, change, by.settings, path, folder_of_rules(repository.root, path, choice))


def start_opening(by: Rules, stack: ExitStack) -> list[OpeningIndex]:
    """Start to open the indexes of the rules."""
    return [stack.enter_context(OpeningIndex(index.place)) for index in by.indexes]


def finish_opening(opening: Sequence[OpeningIndex], by: Rules) -> list[IndexReader]:
    """Wait until all indexes are open, and check their parameters."""
    with run_log.stage("opening"):
        readers = [one.reader() for one in opening]
    for reader, named in zip(readers, by.indexes, strict=True):
        _check_parameters(reader, named, by.settings)
    return readers


def _check_parameters(index: IndexReader, named: NamedIndex, settings: Settings) -> None:
    p = index.parameters
    size = f"{index.contents:,} contents, {index.postings:,} fingerprints"
    run_log.tell(f"index {named.name}: {size}, {p.described(', ')}, digest {index.digest}")
    asked = Parameters(settings.k or p.k, settings.w or p.w, settings.selection or p.selection)
    if asked != p:
        problem = f"{named.name} was made with {p.described()}, but the configuration wants {asked.described()}"
        options = f"-k {asked.k} -w {asked.w} --selection {asked.selection}"
        remedy = f"build the index again: winnow-ci index build DIR --output INDEX --name NAME {options}"
        raise IndexFileError(problem, remedy)


def look_up_by(
    by: Rules,
    indexes: Sequence[IndexReader],
    changes: tuple[Repository | None, ChangeSet],
    choices: scanner.ScanChoices,
    scratch: ScratchFolder,
    folder: Path | None = None,
) -> ScanReport:
    """Look a change up by rules; a change without a repository belongs to a ``folder``."""
    repository, change = changes
    texts = None
    if choices.shown_code.marks:
        from winnow_ci.operations.source_texts import SourceTexts, locks_of  # noqa: PLC0415 - a hook does not need it

        texts = SourceTexts(scratch, locks_of(repository.root if repository else folder, in_files(by.indexes)))
    choices = choices._replace(
        boilerplate=by.boilerplate, suppressions=by.suppressions, texts=texts.find if texts else None
    )
    report = scanner.scan(repository, change, indexes, by.settings, choices)
    used = tuple(UsedIndex(named.name, index.digest) for named, index in zip(by.indexes, indexes, strict=True))
    return report._replace(indexes=used, lacking=tuple(texts.notices) if texts else ())


def finished(
    repository: Repository, scan: ChangeScan, options: ScanOptions
) -> tuple[ScanReport, BaselineUpdate | None]:
    """Return the report with all notices; the baseline is written if that was asked for."""
    report, update = scan.report, None
    if options.rules.update_baseline:
        from winnow_ci.operations.baseline import record_all  # noqa: PLC0415 - a hook does not write one

        configuration = configuration_path(repository, options.rules)
        recorded_by, denied = git.identity(repository), options.including_denied
        report, update = record_all(report, scan.rules, configuration, recorded_by, including_denied=denied)
    every = (*scan.rules.notices, *report.notices, *notices(report.baseline))
    return report._replace(notices=every), update
