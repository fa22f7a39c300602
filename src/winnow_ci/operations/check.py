"""A check: look up documents, in a repository or not, without git; all of their text counts as new.

The steps are those of a scan, without those that need git: no base, whose code is not new, and no history of the
baseline.

Documents belong to a folder: the nearest one, from the working folder upwards, that has a configuration or is the root
of a repository, else the working folder. Its rules for paths are about files below it; any other document is looked at
whatever they say. The author of a configuration decides what passes, so one that belongs to another user is not read
(git refuses such repositories as well, CVE-2022-24765).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from errno import EINVAL
from functools import partial
from itertools import chain, takewhile
from pathlib import Path
from typing import BinaryIO

from winnow_ci import ci, run_log, scanner, system
from winnow_ci.config import CONFIGURATION
from winnow_ci.config.settings import Settings, load_settings
from winnow_ci.errors import ConfigError, UsageError
from winnow_ci.git.line_diff import added_lines
from winnow_ci.languages import BINARY_DATA
from winnow_ci.model import Change, Counting, Skipped
from winnow_ci.model.changes import ChangedFile, ChangeSet
from winnow_ci.model.findings import FIRST_LINES, Advice, ScanReport, Scope, ShownCode
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations.compared_commits import NO_TARGET
from winnow_ci.operations.named_elsewhere import extended, start_opening
from winnow_ci.operations.scan import ChangeScan, finish_opening, look_up_by
from winnow_ci.operations.trust import RuleChoice, Rules, rules_of
from winnow_ci.operations.written_files import ScratchFolder
from winnow_ci.policy.acceptance import notices
from winnow_ci.policy.allow_comments import CommentTrust
from winnow_ci.policy.patterns import PathPatterns
from winnow_ci.regular_file import open_regular
from winnow_ci.report.wording import counted
from winnow_ci.scanner.files import Contents, ReadFile
from winnow_ci.scanner.read import LARGEST_SCANNED, read_as, read_in_scope
from winnow_ci.start_up import replace

NAMELESS = "<stdin>"
"""Name of a text that has none."""
_REPOSITORY = ".git"
_LONGEST_NAME = 4096
_WILDCARD = re.compile(r"[*?[]")


class GivenDocument(NamedTuple):
    """A document: its name, its text (None: that of the file; or why there is none), and text that is not new."""

    name: str
    text: bytes | Skipped | None = None
    before: bytes | None = None


class CheckOptions(NamedTuple):
    """How to check: the options about rules, the language of all documents, and which comments count by default."""

    rules: RuleChoice = RuleChoice()
    language: str | None = None
    trust: CommentTrust = "always"


def scan_documents(
    folder: Path, given: Sequence[GivenDocument], asked: CheckOptions, counting: Counting, code: ShownCode = FIRST_LINES
) -> ChangeScan:
    """Look up the documents of a folder (``folder_of``)."""
    documents = _by_path(folder, given)
    contents = _contents_of(folder, documents)
    found = (read_given(folder / path, path) if one.text is None else one.text for path, one in documents.items())
    missing = [one for one in found if isinstance(one, Skipped)]
    change = _change(documents, {skip.path for skip in missing})
    with ExitStack() as stack:
        scratch = stack.enter_context(ScratchFolder())
        progress = stack.enter_context(counting("checking", " files"))
        with run_log.stage("rules"):
            by = rules_of_folder(folder, asked, counting)
        indexes = finish_opening([start_opening(index.place, stack) for index in by.indexes], by)
        read = _read(contents, change, by.settings, asked.language)
        choices = scanner.ScanChoices(progress=progress, shown_code=code, read=read, contents=contents)
        report = look_up_by(by, indexes, (None, change), choices, scratch, folder)
    return ChangeScan(_with_notices(report, by, missing), by, tuple(index.parameters for index in indexes))


def _by_path(folder: Path, given: Iterable[GivenDocument]) -> dict[str, GivenDocument]:
    """The documents by path. If one is given with several texts, none may hide another: all are looked at."""
    same: dict[str, list[GivenDocument]] = {}
    for one in given:
        same.setdefault(_path_below(folder, one.name), []).append(one)
    return {path: _joined(path, documents) for path, documents in same.items()}


def _joined(path: str, documents: Sequence[GivenDocument]) -> GivenDocument:
    if all(one[1:] == documents[0][1:] for one in documents):
        return documents[0]
    texts = [one.text for one in documents if isinstance(one.text, bytes)]
    if len(texts) < len(documents):
        raise UsageError(f"a document is given both with a text and without one: {path}", "give each document once")
    return GivenDocument(path, b"\n".join(texts), b"\n".join(one.before or b"" for one in documents))


def _change(documents: Mapping[str, GivenDocument], missing: set[str]) -> ChangeSet:
    paths = sorted(documents, key=os.fsencode)
    described = paths[0] if len(paths) == 1 else counted(len(paths), "given document")
    files = (ChangedFile(path, "file", None, None) for path in paths if path not in missing)
    return ChangeSet(Scope("check", None, None, described), tuple(files), is_narrowed=True)


def _read(contents: Contents, change: ChangeSet, settings: Settings, language: str | None) -> Iterator[ReadFile]:
    """Rules for paths are about documents below the folder."""
    if language:
        return read_as(language, contents, change.files)
    of_all = replace(settings, include=None, exclude=PathPatterns(), boilerplate=PathPatterns())
    below = [file for file in change.files if not file.path.startswith("/")]
    elsewhere = [file for file in change.files if file.path.startswith("/")]
    return chain(read_in_scope(contents, below, settings), read_in_scope(contents, elsewhere, of_all))


def _with_notices(report: ScanReport, by: Rules, missing: Sequence[Skipped]) -> ScanReport:
    """The report with notices, and with every document that could not be looked at."""
    skipped = [skip._replace(state="not-scanned") if skip.reason == BINARY_DATA else skip for skip in report.skipped]
    # Only history tells a stale entry from one that waits for its copy.
    baseline = report.baseline._replace(stale=())
    return report._replace(
        skipped=tuple(sorted((*skipped, *missing), key=lambda skip: skip.path)),
        baseline=baseline,
        notices=(*by.notices, *report.notices, *notices(baseline)),
        advice=Advice(comments=by.suppressions.trust == "always", commands=False),
    )


def folder_of(start: Path) -> Path:
    """Return the folder that documents given in the folder ``start`` belong to."""
    for folder in (start, *start.parents):
        if any(os.path.lexists(folder / name) for name in (CONFIGURATION, _REPOSITORY)):
            return folder
    return start


def settings_of(folder: Path, config: Path | None, counting: Counting) -> tuple[Settings, tuple[str, ...]]:
    """Read the settings for documents of a folder; return notices on who wrote them, too."""
    path = config or folder / CONFIGURATION
    if not (config or os.path.lexists(path)):
        return Settings(), ()
    on_trust = () if config else _require_trusted(path)
    return extended(partial(load_settings, path), counting), on_trust


def rules_of_folder(folder: Path, options: CheckOptions, counting: Counting) -> Rules:
    """Find the rules for documents of a folder."""
    choice = options.rules
    path = choice.config or folder / CONFIGURATION
    read, on_trust = settings_of(folder, choice.config, counting)
    files = _files_below(folder, read.boilerplate)
    by = rules_of(read, path, folder, choice, counting, files=files, trust=options.trust)
    # A baseline names paths from the root of the repository.
    root = next((one for one in (folder, *folder.parents) if os.path.lexists(one / _REPOSITORY)), folder)
    prefix = "" if root == folder else f"{folder.relative_to(root).as_posix()}/"
    entries = tuple(entry._replace(path=entry.path.removeprefix(prefix)) for entry in by.suppressions.baseline)
    suppressions = by.suppressions._replace(baseline=entries)
    return by._replace(suppressions=suppressions, notices=(*on_trust, *by.notices))


def _require_trusted(configuration: Path) -> tuple[str, ...]:
    """Refuse a configuration that may come from a change request; if unknown, return a notice."""
    if not system.belongs_to_us(configuration):
        raise ConfigError(f"{configuration} belongs to another user", "name it with --config if you trust it")
    if ci.service(os.environ) or ci.is_request(os.environ):
        problem = f"in CI, a check does not trust {configuration}, which may come from a change"
        raise ConfigError(problem, "name it with --config if you trust it, or scan the change: winnow-ci scan")
    return (f"the rules come from {configuration}: {NO_TARGET}",) if ci.is_ci(os.environ) else ()


def name_of(text: str) -> str:
    """Return a text from JSON as the name of a file: no system takes half of a surrogate pair, or a very long name."""
    if len(text) > _LONGEST_NAME:
        raise UsageError(f"a name of more than {_LONGEST_NAME:,} characters", "use a file name that the system accepts")
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")


def _path_below(folder: Path, name: str) -> str:
    """The path of a file below the folder; a file elsewhere keeps its absolute path."""
    full = Path(os.path.normpath(folder.joinpath(Path.cwd(), name)))
    for candidate in (full, full.parent.resolve() / full.name):
        if candidate.is_relative_to(folder):
            return candidate.relative_to(folder).as_posix()
    return full.as_posix()


def _contents_of(folder: Path, given: Mapping[str, GivenDocument]) -> Contents:
    """Make a reader of documents, by path, and of other files of the folder."""

    def read(files: Iterable[ChangedFile], most: int) -> Iterator[tuple[ChangedFile, Change | Skipped]]:
        for file in files:
            _, text, before = given.get(file.path, GivenDocument(file.path))
            found = read_given(folder / file.path, file.path, most) if text is None else text
            if isinstance(found, Skipped):
                yield file, found
            elif len(found) > most:
                yield file, _too_large(file.path, most)
            else:
                yield file, Change(file.path, found, added_lines(before or b"", found), before)

    return read


def _files_below(folder: Path, patterns: PathPatterns) -> Iterator[ChangedFile]:
    """The files of a folder that patterns match, each once, whether or not git tracks them."""
    starts = sorted({_start(pattern) for pattern in patterns.patterns})
    paths = dict.fromkeys(path for start in starts for path in _files(folder, start))
    return (ChangedFile(path, "file", None, None) for path in paths if patterns.matches(path))


def _start(pattern: str) -> str:
    """The path at or below which everything lies that a pattern matches."""
    plain = pattern.removeprefix("./")
    if "/" not in plain.rstrip("/"):
        return ""
    return "/".join(takewhile(lambda step: not _WILDCARD.search(step), plain.strip("/").split("/")))


def _files(folder: Path, start: str) -> Iterator[str]:
    """The paths of the files at or below a path; links are not followed, as in a scan."""
    if (folder / start).is_file():
        yield start
    for place, folders, names in os.walk(folder / start):
        folders[:] = sorted(name for name in folders if name != _REPOSITORY)
        files = (Path(place, name) for name in sorted(names))
        yield from (file.relative_to(folder).as_posix() for file in files if not file.is_symlink())


def read_given(
    place: Path, path: str, most: int = LARGEST_SCANNED, opened: Callable[[Path], BinaryIO] = open_regular
) -> bytes | Skipped:
    """Read a regular file, or return the reason why it cannot be read; ``path`` is its name for people."""
    try:
        if place.is_dir():
            return Skipped(path, "a folder", "not-scanned")
        with opened(place) as file:
            content = file.read(most + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == EINVAL:
            return Skipped(path, "not a regular file", "not-scanned")
        return Skipped(path, f"cannot be read: {getattr(error, 'strerror', None) or error}", "not-scanned")
    return _too_large(path, most) if len(content) > most else content


def _too_large(path: str, most: int) -> Skipped:
    return Skipped(path, f"larger than {most >> 20} MiB", "not-scanned")
