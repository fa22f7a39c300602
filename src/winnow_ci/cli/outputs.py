"""Where reports go: formats and files from the command line, and what ``auto`` stands for where we are."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.cli import report_files, terminal
from winnow_ci.errors import ReportFileError, UsageError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from winnow_ci.model.findings import ScanReport
    from winnow_ci.report import ReportStyle
    from winnow_ci.report.shown import GroupBy

AUTO = "auto"
# Where the documentation is: the action knows from which repository and commit it comes.
DOCUMENTATION = "WINNOW_CI_DOCUMENTATION"
CODE_QUALITY = "gl-code-quality-report.json"
# A step's summary that is larger is not shown at all.
SUMMARY_LIMIT = 1 << 20
TOO_LONG = "winnow-ci: there is no room left in this summary for its report; the log has the findings.\n"


class Output(NamedTuple):
    """A report to write.

    Attributes:
        format: its format.
        file: where to; None for standard output.
        is_summary: the file is GitHub's summary of a step, which others write to as well.
    """

    format: str
    file: Path | None
    is_summary: bool = False


def output(value: str) -> Output:
    """Parse an argument: ``FORMAT`` or ``FORMAT:FILE``."""
    from winnow_ci.report import FORMATS

    name, colon, file = value.partition(":")
    if (name == AUTO and colon) or name not in {AUTO, *FORMATS} or value.endswith(":"):
        msg = f"{value!r} is not one of {', '.join([AUTO, *FORMATS])}, nor one of these but {AUTO} with :FILE"
        raise argparse.ArgumentTypeError(msg)
    return Output(name, Path(file) if file else None)


def planned(asked: Sequence[Output], environment: Mapping[str, str]) -> list[Output]:
    """Return the reports to write.

    Raises:
        UsageError: two of them have the same place, or one needs a file or a package and has none.
    """
    from winnow_ci.report import EXTRAS, IN_A_FILE

    outputs = []
    for one in asked or [Output("text", None)]:
        outputs.extend(_shown_best(environment) if one.format == AUTO else [one])
    for one in outputs:
        if one.file is None and one.format in IN_A_FILE:
            raise UsageError(f"{one.format} is a page for a browser and needs a file", f"--format {one.format}:FILE")
        if one.format in EXTRAS and find_spec(EXTRAS[one.format]) is None:
            problem = f"the format {one.format} needs a package that is not installed"
            raise UsageError(problem, f"pip install 'winnow-ci[{one.format}]'")
    for file, count in Counter(one.file for one in outputs).items():
        if count > 1:
            problem = f"more than one report for {file or 'standard output'}"
            raise UsageError(problem, "give each report a file of its own: --format json:FILE")
    return outputs


def _shown_best(environment: Mapping[str, str]) -> list[Output]:
    """What the place shows best; runners of GitHub's kind that know no summaries name no file for one."""
    from winnow_ci import ci

    service = ci.service(environment)
    if service == "github":
        summary = environment.get("GITHUB_STEP_SUMMARY")
        return [Output("github", None), *([Output("markdown", Path(summary), is_summary=True)] if summary else [])]
    if service == "gitlab":
        return [Output("text", None), Output("gitlab", Path(environment.get("CI_PROJECT_DIR", ""), CODE_QUALITY))]
    return [Output("text", None)]


def clear(outputs: Sequence[Output], root: Path | None) -> None:
    """Remove the files of reports that came with the checkout: they say nothing about this scan."""
    for one in outputs:
        if one.file and not one.is_summary:
            report_files.remove(one.file, root)


def write(report: ScanReport, outputs: Sequence[Output], root: Path | None, group_by: GroupBy | None = None) -> None:
    """Write a report in each format to its place; one that cannot be written loses no other.

    Args:
        report: the report.
        outputs: the formats and places.
        root: of the checkout, in which no link is followed.
        group_by: what findings are to be grouped by, in formats for people.

    Raises:
        ReportFileError: a file cannot be written.
    """
    from winnow_ci.report import FORMATS

    _write_all([(one, partial(FORMATS[one.format], report, _style_of(one, group_by))) for one in outputs], root)


def write_failure(lines: Sequence[str], outputs: Sequence[Output], root: Path | None) -> None:
    """Say in the reports that people read in a browser why there was no scan.

    Args:
        lines: what is wrong, and what to do about it.
        outputs: the formats and places.
        root: of the checkout, in which no link is followed.

    Raises:
        ReportFileError: a file cannot be written.
    """
    from winnow_ci.report import markdown

    _write_all(
        [(one, partial(markdown.render_failure, lines)) for one in outputs if one.format == "markdown" and one.file],
        root,
    )


def _write_all(reports: Sequence[tuple[Output, Callable[[], str]]], root: Path | None) -> None:
    attempts = [_failure(one, render, root) for one, render in reports]
    failures = [failure for failure in attempts if failure]
    if failures:
        others = f" ({len(failures) - 1} more cannot be written either)" if failures[1:] else ""
        raise ReportFileError(failures[0].problem + others, failures[0].remedy)


def _failure(one: Output, render: Callable[[], str], root: Path | None) -> ReportFileError | None:
    """Write a report, and return why that cannot be done."""
    try:
        _write(one, render(), root)
    except ReportFileError as failure:
        return failure
    return None


def _write(one: Output, text: str, root: Path | None) -> None:
    if one.file is None:
        sys.stdout.write(text)
    elif one.is_summary:
        _append(one.file, text)
    else:
        report_files.write(one.file, text, root)


def _style_of(one: Output, group_by: GroupBy | None) -> ReportStyle:
    from winnow_ci import ci
    from winnow_ci.report import ReportStyle

    return replace(
        ReportStyle() if one.file else style(),
        group_by=group_by,
        repository=ci.web_repository(os.environ),
        documentation=os.environ.get(DOCUMENTATION),
    )


def _append(summary: Path, text: str) -> None:
    """Add to what others have written; what does not fit is replaced by a word on that, or left out."""
    try:
        with summary.open("ab") as file:
            room = SUMMARY_LIMIT - file.tell()
            for candidate in (text, TOO_LONG):
                added = f"\n{candidate}".encode()
                if len(added) <= room:
                    file.write(added)
                    return
    except OSError as error:
        raise ReportFileError(
            f"{summary}: {error.strerror}", "the runner names this file: fix that and retry"
        ) from error


def style() -> ReportStyle:
    """Colour where somebody can see it (https://no-color.org)."""
    from winnow_ci.report import ReportStyle

    is_seen = sys.stdout.isatty()
    colour = is_seen and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return ReportStyle(colour=colour, width=terminal.width(100) if is_seen else 100)
