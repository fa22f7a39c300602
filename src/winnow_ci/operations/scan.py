"""Scan a change: find its rules, look it up in their indexes, add notices."""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import ExitStack
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import ci, git, run_log, scanner
from winnow_ci.config.index_reference import ServedIndex
from winnow_ci.errors import IndexFileError
from winnow_ci.model import Parameters
from winnow_ci.model.changes import ChangedFile, ChangeSet
from winnow_ci.model.findings import FIRST_LINES, Advice, Scope, UsedIndex
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations.compared_commits import event_changes
from winnow_ci.operations.named_elsewhere import NamedIndex, in_files, start_opening
from winnow_ci.operations.trust import RuleChoice, Rules, configuration_path, rules
from winnow_ci.operations.written_files import ScratchFolder
from winnow_ci.policy.acceptance import is_of, notices
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from winnow_ci.config.settings import Settings
    from winnow_ci.index import IndexReader
    from winnow_ci.model import Counting
    from winnow_ci.model.findings import BaselineEntry, BaselineInForce, BaselineUse, Finding, ScanReport, ShownCode
    from winnow_ci.operations.baseline import BaselineUpdate

MOST_VERSIONS = 20
"""Versions of one file that are looked up, the newest: each takes a moment."""
_DIGITS = 12


class ChangeChoice(NamedTuple):
    """Which change is meant; without any of these, that of the CI's event, else the branch."""

    since: str | None = None  # the changes since the merge base with this revision, uncommitted work included
    staged: bool = False  # what is staged for the next commit
    commits: str | None = None  # ``A..B``, or ``A...B`` from their merge base on
    everything: bool = False  # every file, as if all of it were new
    paths: tuple[str, ...] = ()  # only these files and folders

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the command line that name this change, without its paths."""
        if self.since is not None:
            return "--since", self.since
        if self.commits is not None:
            return "--range", self.commits
        return ("--staged",) if self.staged else ("--all",) if self.everything else ()


class ScanOptions(NamedTuple):
    """How to scan."""

    rules: RuleChoice = RuleChoice()
    including_denied: bool = False  # whether the baseline, if it is updated, may get copies that the policy denies
    mode: tuple[str, ...] = ()  # the options of the command line that name the change, if they do
    is_read_elsewhere: bool = False  # whether people in other clones read the report


class ChangeScan(NamedTuple):
    """A report, the rules that it was judged by, and the parameters of each index."""

    report: ScanReport
    rules: Rules
    parameters: tuple[Parameters, ...]


def chosen_change(repository: git.Repository, choice: ChangeChoice) -> ChangeSet:
    """Return the chosen change of a repository."""
    with run_log.stage("change"):
        if choice.staged:
            change = git.staged(repository)
        elif choice.since is not None:
            change = git.since(repository, choice.since)
        elif choice.commits is not None:
            change = git.between(repository, choice.commits)
        elif choice.everything:
            change = git.everything(repository)
        elif event := ci.current_event(os.environ):
            change = event_changes(repository, event)._replace(is_of_event=True)
        else:
            change = git.on_branch(repository)
        return git.narrow(repository, change, choice.paths)


def scan_change(
    repository: git.Repository,
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
        opened = None
        if by.commit is not None:
            from winnow_ci.operations.newly_in_scope import newly_in_scope  # noqa: PLC0415 - no hook is judged so

            opened = newly_in_scope(repository, change, by.settings, options.rules)
        if opened:
            change, by = opened.change, opened.applied_to(by)
        opening = [start_opening(index.place, stack) for index in by.indexes]
        read = opened.read(repository, by.settings) if opened else None
        if not opened and any(isinstance(index.place, ServedIndex) for index in by.indexes):
            read = scanner.read_ahead(repository, change, by.settings)
        indexes = finish_opening(opening, by)
        choices = scanner.ScanChoices(progress=progress, shown_code=shown_code, shows=shows, read=read)
        report = look_up_by(by, indexes, (repository, change), choices, scratch)
        with run_log.stage("baseline"):
            report = report._replace(baseline=_with_waiting(repository, change, by, report.baseline, indexes))
    advice = _reader_advice(repository, change, options.rules, by, options.mode, is_elsewhere=options.is_read_elsewhere)
    return ChangeScan(report._replace(advice=advice), by, tuple(index.parameters for index in indexes))


def finish_opening(opening: Sequence[Callable[[], IndexReader]], by: Rules) -> list[IndexReader]:
    """Wait until all indexes are open, and check their parameters."""
    with run_log.stage("opening"):
        readers = [opened() for opened in opening]
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
    changes: tuple[git.Repository | None, ChangeSet],
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
    find = texts.find if texts else None
    choices = choices._replace(boilerplate=by.boilerplate, suppressions=by.suppressions, texts=find)
    report = scanner.scan(repository, change, indexes, by.settings, choices)
    used = tuple(UsedIndex(named.name, index.digest) for named, index in zip(by.indexes, indexes, strict=True))
    return report._replace(indexes=used, lacking=tuple(texts.notices) if texts else ())


def finished(
    repository: git.Repository, scan: ChangeScan, options: ScanOptions
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


def _with_waiting(
    repository: git.Repository, change: ChangeSet, by: Rules, use: BaselineUse, indexes: Sequence[IndexReader]
) -> BaselineUse:
    """Separate entries that wait for their copies from stale ones.

    A pull request is judged by the baseline of its target, so an approval is merged before the copy comes. Until then
    its entry matches nothing, like an entry whose copy is gone. History tells them apart: an entry is stale if its file
    has had the copy in a version since the commit that brought the entry, or in any version if no commit has it yet.
    What a shallow clone cannot show counts as waiting: an entry too many does less harm than a lost approval. An
    expired entry waits for nothing.
    """
    today = by.suppressions.today
    pending = [entry for entry in use.stale if entry.expires is None or entry.expires >= today]
    if not pending:
        return use
    versions = _versions(repository, change, by.settings.baseline, pending)
    for number, blobs in enumerate(zip_longest(*versions.values())):
        if number == MOST_VERSIONS or not pending:
            break
        files = [ChangedFile(path, "file", None, blob) for path, blob in zip(versions, blobs, strict=True) if blob]
        found = _findings(repository, files, by, indexes)
        pending = [entry for entry in pending if not any(is_of(entry, finding) for finding in found)]
    return use._replace(stale=tuple(entry for entry in use.stale if entry not in pending), waiting=tuple(pending))


def _versions(
    repository: git.Repository, change: ChangeSet, baseline: Path | None, entries: Sequence[BaselineEntry]
) -> dict[str, list[str]]:
    """Path of an entry → blobs of its versions since the entry came, the newest first."""
    head = change.scope.head or git.head_commit(repository)
    if head is None:
        return {}
    since = _arrivals(repository, change, head, baseline, entries)
    paths = defaultdict[str | None, list[str]](list)
    for entry in entries:
        paths[since.get(entry.anchor)].append(entry.path)
    found: dict[str, list[str]] = {}
    for commit, of_commit in paths.items():
        for path, blobs in git.path_versions(repository, head, of_commit, commit).items():
            found[path] = [*found.get(path, ()), *blobs]
    return found


def _arrivals(
    repository: git.Repository, change: ChangeSet, head: str, baseline: Path | None, entries: Sequence[BaselineEntry]
) -> dict[str, str]:
    """Anchor of an entry → the commit that brought it, if one here has it."""
    if baseline is None or repository.root is None or not baseline.is_relative_to(repository.root):
        return {}
    name = baseline.relative_to(repository.root).as_posix()
    found: dict[bytes, str] = {}
    # A change that was begun before the entry came does not have it.
    for tip in dict.fromkeys((head, change.target or head)):
        marks = {entry.anchor.encode() for entry in entries} - found.keys()
        found |= git.first_with(repository, tip, name, marks) if marks else {}
    return {mark.decode(): commit for mark, commit in found.items()}


def _findings(
    repository: git.Repository, files: Sequence[ChangedFile], by: Rules, indexes: Sequence[IndexReader]
) -> Sequence[Finding]:
    change = ChangeSet(Scope("all", None, None, "past versions"), tuple(files))
    # An entry may be for a weak finding, which the scan may have left out.
    settings = replace(by.settings, report=by.settings.report._replace(weak="note"))
    choices = scanner.ScanChoices(by.boilerplate, shows=lambda _: False)
    return scanner.scan(repository, change, indexes, settings, choices).findings


def _reader_advice(
    repository: git.Repository,
    change: ChangeSet,
    choice: RuleChoice,
    by: Rules,
    mode: tuple[str, ...],
    *,
    is_elsewhere: bool,
) -> Advice:
    """Return the options that repeat a scan, and whether a comment would count.

    In another clone, as the author of a pull request has one, paths of the machine that scanned are of no use, and
    commits of a CI may be missing; the branch that the change is for is there.
    """
    indexes = () if is_elsewhere and by.settings.index else choice.indexes
    local = {index for index in indexes if is_elsewhere and isinstance(index, Path) and index.is_absolute()}
    shown = (index.as_posix() if isinstance(index, Path) else str(index) for index in indexes if index not in local)
    named = [("--index", index) for index in shown]
    if choice.config and not (is_elsewhere and choice.config.is_absolute()):
        named.append(("--config", choice.config.as_posix()))
    baseline: BaselineInForce = "base" if is_elsewhere or choice.policy_from == "base" else "here"
    if is_elsewhere and repository.root is None:
        baseline = "server"
    trust = by.suppressions.trust
    comments = trust == "always" or (trust == "base" and change.scope.mode == "all" and by.commit is None)
    return Advice((*(mode or _mode(change)), *chain.from_iterable(named)), comments, baseline)


def _mode(change: ChangeSet) -> tuple[str, ...]:
    """The options that name a change; that of a branch needs none."""
    scope = change.scope
    if change.branch is not None:
        return "--since", change.branch
    if scope.mode == "branch":
        return ()
    if scope.mode == "staged" and (change.bases or scope.base is None):
        return ("--staged",)
    if scope.mode == "since" and scope.base:
        return "--since", scope.base[:_DIGITS]
    if scope.mode == "range" and scope.base and scope.head:
        return "--range", f"{scope.base[:_DIGITS]}..{scope.head[:_DIGITS]}"
    return ("--all",)
