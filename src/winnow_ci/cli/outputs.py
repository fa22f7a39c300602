"""Where reports go: formats and files from the command line, and what ``auto`` stands for where we are."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from winnow_ci.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from winnow_ci.model import ScanReport
    from winnow_ci.report import ReportStyle

AUTO = "auto"
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
        UsageError: two of them have the same place.
    """
    outputs = []
    for one in asked or [Output("text", None)]:
        outputs.extend(_shown_best(environment) if one.format == AUTO else [one])
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


def write(report: ScanReport, outputs: Sequence[Output]) -> None:
    """Write a report in each format to its place."""
    from winnow_ci.report import FORMATS, ReportStyle

    for one in outputs:
        text = FORMATS[one.format](report, ReportStyle() if one.file else style())
        if one.file is None:
            sys.stdout.write(text)
        elif one.is_summary:
            _append(one.file, text)
        else:
            _replace(one.file, text)


def _replace(file: Path, text: str) -> None:
    """Write a file. A link in its place leads wherever the author of the change likes, unless it is the system's."""
    if file.is_symlink() and file.absolute().parts[1] not in {"dev", "proc"}:
        file.unlink()
    file.write_text(text, encoding="utf-8")


def _append(summary: Path, text: str) -> None:
    """Add to what others have written; what does not fit is replaced by a word on that, or left out."""
    with summary.open("ab") as file:
        room = SUMMARY_LIMIT - file.tell()
        for candidate in (text, TOO_LONG):
            added = f"\n{candidate}".encode()
            if len(added) <= room:
                file.write(added)
                return


def style() -> ReportStyle:
    """Colour where somebody can see it (https://no-color.org)."""
    from winnow_ci.report import ReportStyle

    terminal = sys.stdout.isatty()
    colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return ReportStyle(colour=colour, width=shutil.get_terminal_size((100, 24)).columns if terminal else 100)
