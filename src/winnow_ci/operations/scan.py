"""A scan: the rules of a change, its look-up in their indexes, and what a person should know of the result."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from winnow_ci import ci, git, run_log, scanner
from winnow_ci.errors import IndexFileError
from winnow_ci.model import Parameters
from winnow_ci.model.findings import FIRST_LINES, UsedIndex
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations.awaited_copies import sorted_out
from winnow_ci.operations.named_indexes import NamedIndex, in_files
from winnow_ci.operations.opening import OpeningIndex
from winnow_ci.operations.reader_advice import reader_advice
from winnow_ci.operations.scratch_folder import ScratchFolder
from winnow_ci.operations.trust import RuleChoice, Rules, configuration_path, folder_of_rules, rules
from winnow_ci.operations.unused_patterns import unused_patterns
from winnow_ci.policy.acceptance import notices
from winnow_ci.report.wording import counted
from winnow_ci.scanner.questions import EVERYTHING
from winnow_ci.scanner.source_texts import no_texts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from winnow_ci.config.settings import Settings
    from winnow_ci.git import Repository
    from winnow_ci.index import IndexReader
    from winnow_ci.model import Counting
    from winnow_ci.model.changes import ChangeSet
    from winnow_ci.model.findings import ScanReport, ShownCode
    from winnow_ci.operations.baseline_update import BaselineUpdate
    from winnow_ci.operations.source_texts import SourceTexts
    from winnow_ci.scanner.questions import Narrowing


class ScanOptions(NamedTuple):
    """How to scan.

    Attributes:
        rules: what the command line says about the rules.
        narrowing: how to look up less than the indexes ask for.
        including_denied: whether the baseline, if it is updated, may get copies that the policy denies.
        mode: the options of the command line that name the change; empty if something else does.
        is_read_elsewhere: whether people read the report who work in another clone.
    """

    rules: RuleChoice = RuleChoice()
    narrowing: Narrowing = EVERYTHING
    including_denied: bool = False
    mode: tuple[str, ...] = ()
    is_read_elsewhere: bool = False


class ChangeScan(NamedTuple):
    """What the scan of a change gave.

    Attributes:
        report: on the change.
        rules: what it was judged by.
        parameters: of each index.
        unused: notices about patterns that match nothing.
    """

    report: ScanReport
    rules: Rules
    parameters: tuple[Parameters, ...]
    unused: tuple[str, ...]


def default_change(repository: Repository) -> ChangeSet:
    """The change that a scan without a mode means: what the CI's event asks for, elsewhere the branch.

    Raises:
        GitError: there is no such change.
    """
    if event := ci.current_event(os.environ):
        from winnow_ci.operations import ci_changes  # noqa: PLC0415 - few scans run on a CI

        return ci_changes.changes(repository, event)
    return git.on_branch(repository)


def scan_change(
    repository: Repository,
    change: ChangeSet,
    options: ScanOptions,
    counting: Counting,
    shown_code: ShownCode = FIRST_LINES,
    **shown: Any,
) -> ChangeScan:
    """Look a change up in the indexes of its rules; ``shown`` goes to ``scanner.scan``.

    If much code is shown, that of sources that no index keeps comes from the user's cache.

    Raises:
        WinnowError: what ``trust.rules`` and ``scanner.scan`` raise.
    """
    with ExitStack() as stack:
        repository = stack.enter_context(repository.keeping_answers())
        scratch = stack.enter_context(ScratchFolder())
        progress = stack.enter_context(counting("scanning", " files"))
        with run_log.stage("rules"):
            by = rules(repository, change, options.rules, scratch, counting)
        opened = None
        if by.commit is not None:
            from winnow_ci.operations.newly_in_scope import newly_in_scope  # noqa: PLC0415 - no hook is judged so

            path = configuration_path(repository, options.rules)
            folder = folder_of_rules(repository.root, path, options.rules)
            opened = newly_in_scope(repository, change, by.settings, path, folder)
        if opened:
            change, by = opened.change, opened.applied_to(by)
        opening = [stack.enter_context(OpeningIndex(index.place)) for index in by.indexes]
        is_ahead = any(one.is_waiting for one in opening)
        read = scanner.read_ahead(repository, change, by.settings) if is_ahead and not opened else None
        with run_log.stage("opening"):
            readers = [one.reader() for one in opening]
        indexes = [fitting(one, named, by.settings) for one, named in zip(readers, by.indexes, strict=True)]
        texts = text_search(scratch, repository.root, by) if shown_code.marks else None
        report = scanner.scan(
            repository,
            change,
            indexes,
            by.settings,
            by.boilerplate,
            suppressions=by.suppressions,
            progress=progress,
            narrowing=options.narrowing,
            texts=texts.find if texts else no_texts,
            shown_code=shown_code,
            read=opened.read(repository, by.settings) if opened else read,
            **shown,
        )
        report = report._replace(indexes=used_indexes(by, indexes), lacking=tuple(texts.notices) if texts else ())
        # A narrowed scan may not see a copy that is there, now or in the past.
        if not options.narrowing.is_any:
            with run_log.stage("baseline"):
                report = report._replace(baseline=sorted_out(repository, change, by, report.baseline, indexes))
        are_all = not options.rules.indexes
        unused = unused_patterns(repository, change, by.written, indexes, are_all=are_all)
    advice = reader_advice(repository, change, options.rules, by, options.mode, is_elsewhere=options.is_read_elsewhere)
    report = report._replace(advice=advice)
    return ChangeScan(report, by, tuple(index.parameters for index in indexes), unused)


def used_indexes(by: Rules, indexes: Sequence[IndexReader]) -> tuple[UsedIndex, ...]:
    """What a report says of the indexes of its rules."""
    return tuple(UsedIndex(named.name, index.digest) for named, index in zip(by.indexes, indexes, strict=True))


def text_search(scratch: ScratchFolder, root: Path | None, by: Rules) -> SourceTexts:
    """What finds texts of sources in the user's cache, given the root of the repository or folder, if there is one."""
    from winnow_ci.operations.source_texts import SourceTexts, locks_of  # noqa: PLC0415 - a hook does not need it

    return SourceTexts(scratch, locks_of(root, in_files(by.indexes)))


def finished(
    repository: Repository, scan: ChangeScan, options: ScanOptions
) -> tuple[ScanReport, BaselineUpdate | None]:
    """The report with all that a person should know; the baseline is written where that was asked for.

    Raises:
        UsageError: there is no place for the baseline.
    """
    report, update = scan.report, None
    if options.narrowing.is_any:
        # A copy that was not found may still exist.
        report = report._replace(baseline=report.baseline._replace(stale=()))
    if options.rules.update_baseline:
        from winnow_ci.operations.baseline_update import recorded  # noqa: PLC0415 - a hook does not write one

        configuration = configuration_path(repository, options.rules)
        report, update = recorded(report, scan.rules, configuration, including_denied=options.including_denied)
    coarser = _coarser(options.narrowing, report, scan.parameters)
    told = (*scan.rules.notices, *coarser, *scan.unused, *report.notices, *notices(report.baseline))
    return report._replace(notices=told), update


def fitting(index: IndexReader, named: NamedIndex, settings: Settings) -> IndexReader:
    """An index. The configuration may say which parameters it expects; those of the index are used."""
    p = index.parameters
    size = f"{index.contents:,} contents, {index.postings:,} fingerprints"
    run_log.tell(f"index {named.name}: {size}, {p.described(', ')}, digest {index.digest}")
    asked = Parameters(settings.k or p.k, settings.w or p.w, settings.selection or p.selection)
    if asked != p:
        msg = f"{named.name} was made with {p.described()}, the configuration asks for {asked.described()}"
        options = f"-k {asked.k} -w {asked.w} --selection {asked.selection}"
        raise IndexFileError(
            msg, f"build the index again: winnow-ci index build DIR --output INDEX --name NAME {options}"
        )
    return index


def _coarser(narrowing: Narrowing, report: ScanReport, parameters: Sequence[Parameters]) -> tuple[str, ...]:
    """What a person should know of a scan that did not look up everything."""
    if narrowing.window is not None:
        tokens = max(narrowing.window + each.k - 1 for each in parameters)
        asked = f"one k-gram of each {narrowing.window} was looked up (--window)"
        return (f"{asked}: copies of fewer than {tokens} tokens may go unseen",)
    if narrowing.smallest is not None:
        first = counted(narrowing.smallest, "smallest fingerprint was", "smallest fingerprints were")
        over = counted(report.passed_over, "file")
        asked = f"of each file the {first} looked up first (--smallest)"
        return (f"{asked}, and nothing more of {over}: of these no index has one, and a small copy goes unseen",)
    return ()
