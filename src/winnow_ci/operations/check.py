"""A check: documents, wherever they are, are looked up in indexes, and all of what is given counts as new.

The steps are those of a scan. What a scan learns from git, a check goes without: the base, whose code is not new, and
the history of the baseline.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from winnow_ci import ci, run_log, scanner
from winnow_ci.config.settings import load_settings
from winnow_ci.errors import ConfigError
from winnow_ci.languages import BINARY_DATA
from winnow_ci.model.changes import ChangedFile, ChangeSet
from winnow_ci.model.findings import FIRST_LINES, Advice, Scope
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations import CONFIGURATION
from winnow_ci.operations.given_documents import contents_of, files_below, obstacle, path_below, place_of, require_own
from winnow_ci.operations.opening import OpeningIndex
from winnow_ci.operations.rules_commit import NO_TARGET
from winnow_ci.operations.scan import fitting, text_search, used_indexes
from winnow_ci.operations.scratch_folder import ScratchFolder
from winnow_ci.operations.shared_configuration import ReadSettings, extended
from winnow_ci.operations.trust import RuleChoice, rules_of
from winnow_ci.policy.acceptance import notices
from winnow_ci.policy.patterns import PathPatterns
from winnow_ci.report.wording import counted
from winnow_ci.scanner.preparation import LARGEST_FILE, prepare_all, prepare_as
from winnow_ci.scanner.source_texts import no_texts
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from winnow_ci.config.settings import Settings
    from winnow_ci.model import Counting, Skipped
    from winnow_ci.model.findings import ScanReport, ShownCode
    from winnow_ci.operations.given_documents import GivenDocument
    from winnow_ci.operations.trust import Rules
    from winnow_ci.policy.allow_comments import CommentTrust
    from winnow_ci.scanner.values import Contents, ReadFile


class CheckOptions(NamedTuple):
    """How to check.

    Attributes:
        rules: what the command line says about the rules.
        language: what the documents are read as, whatever their names and the rules for paths say; None to ask these.
        trust: which comments count, unless the configuration says so.
    """

    rules: RuleChoice = RuleChoice()
    language: str | None = None
    trust: CommentTrust = "always"


def check(
    folder: Path,
    given: Sequence[GivenDocument],
    options: CheckOptions,
    counting: Counting,
    shown_code: ShownCode = FIRST_LINES,
) -> ScanReport:
    """Look documents up.

    Args:
        folder: that they belong to (``given_documents.folder_of``).
        given: the documents.
        options: how.
        counting: shows the progress.
        shown_code: how much of a finding is shown.

    Raises:
        WinnowError: what ``trust.rules`` and ``scanner.scan`` raise.
    """
    documents = {path_below(folder, document.name): document for document in given}
    contents = contents_of(folder, documents)
    missing = [each for path, one in documents.items() if one.text is None and (each := _obstacle(folder, path))]
    change = _change(documents, {skip.path for skip in missing})
    with ExitStack() as stack:
        scratch = stack.enter_context(ScratchFolder())
        progress = stack.enter_context(counting("checking", " files"))
        with run_log.stage("rules"):
            by = _rules(folder, options, counting)
        opening = [stack.enter_context(OpeningIndex(index.place)) for index in by.indexes]
        with run_log.stage("opening"):
            readers = [one.reader() for one in opening]
        indexes = [fitting(one, named, by.settings) for one, named in zip(readers, by.indexes, strict=True)]
        texts = text_search(scratch, folder, by) if shown_code.marks else None
        report = scanner.scan(
            None,
            change,
            indexes,
            by.settings,
            by.boilerplate,
            suppressions=by.suppressions,
            progress=progress,
            texts=texts.find if texts else no_texts,
            shown_code=shown_code,
            read=_read(contents, change, by.settings, options.language),
            contents=contents,
        )
        report = report._replace(indexes=used_indexes(by, indexes), lacking=tuple(texts.notices) if texts else ())
    return _told(report, by, missing)


def _obstacle(folder: Path, path: str) -> Skipped | None:
    return obstacle(folder, path, LARGEST_FILE)


def _change(documents: Mapping[str, GivenDocument], missing: set[str]) -> ChangeSet:
    """The documents as a change without a base."""
    paths = sorted(documents, key=os.fsencode)
    described = paths[0] if len(paths) == 1 else counted(len(paths), "given document")
    files = (ChangedFile(path, "file", None, None) for path in paths if path not in missing)
    return ChangeSet(Scope("check", None, None, described), tuple(files), is_narrowed=True)


def _rules(folder: Path, options: CheckOptions, counting: Counting) -> Rules:
    """What documents of a folder are judged by."""
    choice = options.rules
    path = choice.config or folder / CONFIGURATION
    read, on_trust = ReadSettings(), tuple[str, ...]()
    if choice.config or os.path.lexists(path):
        if not choice.config:
            on_trust = _trusted(path)
        read = extended(partial(load_settings, path), counting)
    files = files_below(folder, read.settings.boilerplate)
    by = rules_of(read, path, folder, choice, counting, files=files, trust=options.trust)
    # A baseline names paths from the root of the repository.
    entries = [entry._replace(path=entry.path.removeprefix(place_of(folder))) for entry in by.suppressions.baseline]
    suppressions = by.suppressions._replace(baseline=tuple(entries))
    return by._replace(suppressions=suppressions, notices=(*on_trust, *by.notices))


def _trusted(configuration: Path) -> tuple[str, ...]:
    """Require a configuration that no change request can have brought; a notice where nobody can say."""
    require_own(configuration)
    if ci.service(os.environ) or ci.is_request(os.environ):
        problem = f"on a CI, a check does not trust {configuration}, which a change may have brought"
        raise ConfigError(problem, "name it with --config if you trust it, or look the change up: winnow-ci scan")
    return (f"the rules are those of {configuration}: {NO_TARGET}",) if ci.is_ci(os.environ) else ()


def _read(contents: Contents, change: ChangeSet, settings: Settings, language: str | None) -> Iterator[ReadFile]:
    """Read the documents; rules for paths are about those below the folder."""
    if language:
        return prepare_as(language, contents, change.files)
    of_all = replace(settings, include=None, exclude=PathPatterns(), boilerplate=PathPatterns())
    below = [file for file in change.files if not file.path.startswith("/")]
    elsewhere = [file for file in change.files if file.path.startswith("/")]
    return chain(prepare_all(contents, below, settings), prepare_all(contents, elsewhere, of_all))


def _told(report: ScanReport, by: Rules, missing: Sequence[Skipped]) -> ScanReport:
    """The report with what a person should know, and with every document that nobody could look at."""
    skipped = [skip._replace(state="not-scanned") if skip.reason == BINARY_DATA else skip for skip in report.skipped]
    # Only history tells an entry that is over from one whose copy is to come.
    baseline = report.baseline._replace(stale=())
    return report._replace(
        skipped=tuple(sorted((*skipped, *missing), key=lambda skip: skip.path)),
        baseline=baseline,
        notices=(*by.notices, *report.notices, *notices(baseline)),
        advice=Advice(comments=by.suppressions.trust == "always", commands=False),
    )
