"""winnow-ci as a library: scan a change, check documents, open an index.

These functions, their arguments by name, and what docs/python.md says of their results follow semantic versioning. All
raise ``WinnowError``: its ``problem`` says what is wrong, its ``remedy`` what to do. They print nothing and read no
arguments; the configuration, the baseline and the indexes are found as the commands find them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from winnow_ci import git
from winnow_ci.config.index_reference import parse_index_reference
from winnow_ci.errors import UsageError
from winnow_ci.index import IndexReader
from winnow_ci.model import Progress, no_progress
from winnow_ci.model.findings import ScanReport
from winnow_ci.operations.check import CheckOptions, folder_of, name_of, scan_documents
from winnow_ci.operations.check import GivenDocument as Document
from winnow_ci.operations.named_elsewhere import indexes_of, open_place
from winnow_ci.operations.scan import ChangeChoice, ScanOptions, chosen_change, finished, scan_change
from winnow_ci.operations.trust import RuleChoice
from winnow_ci.report import FORMATS, ReportStyle

__all__ = ["ChangeChoice", "Document", "check", "open_index", "quiet", "scan", "to_json"]


_BRANCH = ChangeChoice()


def scan(
    folder: str | os.PathLike[str] = ".",
    *,
    change: ChangeChoice = _BRANCH,
    indexes: Iterable[str | os.PathLike[str]] = (),
    config: str | os.PathLike[str] | None = None,
) -> ScanReport:
    """Look a change of a repository up in indexes of known code.

    Args:
        folder: a folder of the repository.
        change: which change; by default that of the branch, as ``winnow-ci scan`` without options takes it.
        indexes: files or URIs of indexes; by default those of the configuration.
        config: a configuration; by default the nearest ``.winnow.yml``.
    """
    repository = git.Repository.find(Path(_name(folder)))
    for text in (change.since, change.commits, *change.paths):
        _name(text or "")
    options = ScanOptions(_rules(indexes, config), mode=change.options)
    found = scan_change(repository, chosen_change(repository, change), options, quiet)
    return finished(repository, found, options)[0]._replace(checkout=git.checked_out(repository))


def check(
    documents: Iterable[Document | str | os.PathLike[str]],
    *,
    folder: str | os.PathLike[str] | None = None,
    language: str | None = None,
    indexes: Iterable[str | os.PathLike[str]] = (),
    config: str | os.PathLike[str] | None = None,
) -> ScanReport:
    """Look files or texts up in indexes of known code, without git; every line counts as new.

    Args:
        documents: names of files, or ``Document(name, text)``: a text in bytes, and the name that decides its language.
        folder: that of the configuration; by default found from the working folder, as ``winnow-ci check`` does.
        language: read all documents as this language, by a name that Pygments knows.
        indexes: as for ``scan``.
        config: as for ``scan``.
    """
    given = [one if isinstance(one, Document) else Document(os.fspath(one)) for one in documents]
    given = [one._replace(name=_name(one.name)) for one in given]
    options = CheckOptions(_rules(indexes, config), language)
    return scan_documents(Path(_name(folder)) if folder else folder_of(Path.cwd()), given, options, quiet).report


def open_index(index: str | os.PathLike[str]) -> IndexReader:
    """Open an index for reading: a file, or a URI with its hash or root. Close it with ``with``."""
    (named,) = indexes_of(parse_index_reference(_name(index)), None, quiet)
    return open_place(named.place)


def to_json(report: ScanReport) -> dict[str, Any]:
    """Return a report as the JSON that ``--format json`` writes (docs/winnow-ci.json)."""
    found: dict[str, Any] = json.loads(FORMATS["json"](report, ReportStyle()))
    return found


def quiet(_task: str, _unit: str) -> AbstractContextManager[Progress]:
    """Show no progress."""
    return nullcontext(no_progress)


def _rules(indexes: Iterable[str | os.PathLike[str]], config: str | os.PathLike[str] | None) -> RuleChoice:
    references = tuple(parse_index_reference(_name(one)) for one in indexes)
    return RuleChoice(Path(_name(config)) if config else None, references)


def _name(value: str | os.PathLike[str]) -> str:
    """A name that a system can have. Those of the command line cannot be others."""
    text = name_of(os.fspath(value))
    if "\0" in text:
        raise UsageError("a name with a NUL character", "use names that the system accepts")
    return text
