"""Reports to standard output and to files: formats, the meaning of ``auto``, and safe writing.

The author of a change controls the checkout: a link in place of a report, or of a folder on its path, could lead to any
file that the job may write. So a path into the checkout is followed part by part, and a link is not accepted as
a folder. Links elsewhere, and above the checkout, are the system's or the user's.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from winnow_ci import ci, report, system
from winnow_ci.cli.messages import note, terminal_width
from winnow_ci.errors import ReportFileError, UsageError, WinnowError
from winnow_ci.model.findings import ScanReport
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report import wording
from winnow_ci.report.printable import name
from winnow_ci.report.shown import GroupBy
from winnow_ci.start_up import replace

AUTO = "auto"
CODE_QUALITY = "gl-code-quality-report.json"
SUMMARY_LIMIT = 1 << 20
"""Bytes of a step's summary; a larger one is not shown at all."""
TOO_LONG = "The report of winnow-ci does not fit into this summary; see the log for the findings.\n"
# The address of the documentation: the action knows its repository and commit.
_DOCUMENTATION = "WINNOW_CI_DOCUMENTATION"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


class Output(NamedTuple):
    """A report to write."""

    format: str
    file: Path | None = None  # None for standard output
    is_summary: bool = False  # of a step on GitHub, which others write to as well


def output(value: str) -> Output:
    """Parse an argument: ``FORMAT`` or ``FORMAT:FILE``."""
    kind, colon, file = value.partition(":")
    if (kind == AUTO and colon) or kind not in {AUTO, *report.FORMATS} or value.endswith(":"):
        msg = f"{value!r} is not one of {', '.join([AUTO, *report.FORMATS])}; all but {AUTO} take :FILE"
        raise argparse.ArgumentTypeError(msg)
    return Output(kind, Path(file) if file else None)


def planned(arguments: argparse.Namespace) -> list[Output]:
    """Return the reports to write (``arguments.add_reports``)."""
    outputs: list[Output] = []
    for one in arguments.format or [Output("text", None)]:
        outputs.extend(_best(os.environ) if one.format == AUTO else [one])
    for one in outputs:
        if one.file is None and one.format in report.IN_A_FILE:
            raise UsageError(f"{one.format} is a page for a browser and needs a file", f"--format {one.format}:FILE")
        if one.format == report.PROOF and "policy_from" not in vars(arguments):
            raise UsageError("only the scan of a commit can write a proof", "winnow-ci scan --format in-toto:FILE")
        if one.format in report.EXTRAS and find_spec(report.EXTRAS[one.format]) is None:
            problem = f"the format {one.format} needs a package that is not installed"
            raise UsageError(problem, f"pip install 'winnow-ci[{one.format}]'")
        if one.file and not one.is_summary and not one.file.parent.is_dir():
            problem = f"{one.file}: the folder {one.file.parent} does not exist"
            raise UsageError(problem, "make it, or name another file")
    for file, count in Counter(one.file for one in outputs).items():
        if count > 1:
            problem = f"more than one report for {file or 'standard output'}"
            raise UsageError(problem, "give each report a file of its own: --format json:FILE")
    return outputs


def _best(environment: Mapping[str, str]) -> list[Output]:
    """The best formats for a CI; some runners like GitHub's have no summaries, and name no file for one."""
    service = ci.service(environment)
    if service == "github":
        summary = environment.get("GITHUB_STEP_SUMMARY")
        return [Output("github"), *([Output("markdown", Path(summary), is_summary=True)] if summary else [])]
    if service == "gitlab":
        return [Output("text"), Output("gitlab", Path(environment.get("CI_PROJECT_DIR", ""), CODE_QUALITY))]
    return [Output("text")]


@contextmanager
def reporting(outputs: Sequence[Output], root: Path | None) -> Iterator[None]:
    """If the block fails, write the reason into the reports that people read in a browser.

    Reports that came with the checkout are removed first: they say nothing about this scan.
    """
    for one in outputs:
        parts = _below(one.file, root) if one.file and not one.is_summary else None
        if one.file and parts:
            with suppress(OSError, ReportFileError), _folder(one.file, parts) as folder:
                folder.remove(parts[-1])
    try:
        yield
    except ReportFileError:
        raise
    except Exception as error:
        from winnow_ci.report import markdown

        lines = error.lines if isinstance(error, WinnowError) else [f"{type(error).__name__}: see the log"]
        pages = [one for one in outputs if one.format == "markdown" and one.file]
        _write_all([(one, partial(markdown.render_failure, lines)) for one in pages], root)
        raise


def write_reports(
    scan_report: ScanReport, outputs: Sequence[Output], root: Path | None, group_by: GroupBy | None = None
) -> None:
    """Write all reports; if one fails, still write the others. No link in the checkout at ``root`` is followed."""
    renders = [(one, partial(report.FORMATS[one.format], scan_report, _style_of(one, group_by))) for one in outputs]
    _write_all(renders, root)


def say_written(scan_report: ScanReport, outputs: Sequence[Output]) -> None:
    """Say which files were written and, if standard output has no report, how many findings there are."""
    files = [str(one.file) for one in outputs if one.file and not one.is_summary]
    if len(files) == len(outputs):
        note(wording.summary(scan_report))
    if files:
        note(f"wrote {', '.join(map(name, files))}")


def _write_all(reports: Sequence[tuple[Output, Callable[[], str]]], root: Path | None) -> None:
    failures = []
    for one, render in reports:
        text = render()
        try:
            if one.file is None:
                sys.stdout.write(text)
            elif one.is_summary:
                _append(one.file, text)
            else:
                write_file(one.file, text, root)
        except ReportFileError as failure:
            failures.append(failure)
    if failures:
        others = f" ({len(failures) - 1} more cannot be written either)" if failures[1:] else ""
        raise ReportFileError(failures[0].problem + others, failures[0].remedy)


def style() -> report.ReportStyle:
    """Return the style of standard output: colour on a terminal (https://no-color.org, https://force-color.org)."""
    is_seen = sys.stdout.isatty()
    is_forced = os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE", "0") not in {"", "0"}
    colour = is_forced or (is_seen and system.show_colours())
    width = terminal_width(100) if is_seen else 100
    return report.ReportStyle(bool(colour and not os.environ.get("NO_COLOR")), width, wraps=is_seen)


def _style_of(one: Output, group_by: GroupBy | None) -> report.ReportStyle:
    bare, repository = report.ReportStyle() if one.file else style(), ci.web_repository(os.environ)
    return replace(bare, group_by=group_by, repository=repository, documentation=os.environ.get(_DOCUMENTATION))


def _append(summary: Path, text: str) -> None:
    """Append to a summary that others write to; replace a text that does not fit by a short one, or leave it out."""
    try:
        with summary.open("ab") as file:
            room = SUMMARY_LIMIT - file.tell()
            for candidate in (text, TOO_LONG):
                added = f"\n{candidate}".encode()
                if len(added) <= room:
                    file.write(added)
                    return
    except OSError as error:
        remedy = "the runner named this file: fix that and retry"
        raise ReportFileError(f"{summary}: {error.strerror}", remedy) from error


def write_file(file: Path, text: str, root: Path | None = None) -> None:
    """Write a report; ``root`` is the root of the checkout, if any."""
    try:
        if (parts := _below(file, root)) is None:
            # Outside of the checkout a link is also replaced, unless it is the system's.
            if file.is_symlink() and file.absolute().parts[1] not in {"dev", "proc"}:
                file.unlink()
            file.write_text(text, encoding="utf-8", newline="\n")
            return
        with _folder(file, parts) as folder:
            if folder.is_link(parts[-1]):
                folder.remove(parts[-1])
            with os.fdopen(folder.open(parts[-1], _NEW), "w", encoding="utf-8", newline="\n") as opened:
                opened.write(text)
    except OSError as error:
        raise ReportFileError(f"{file}: {error.strerror}", "name a file that you can write") from error


def _below(file: Path, root: Path | None) -> tuple[str, ...] | None:
    """The root of the checkout and the parts of the path below it; None for a path elsewhere."""
    # Unlike ``resolve``, which follows links.
    path = Path(os.path.normpath(file.absolute()))
    for folder in (root, root and Path(os.path.realpath(root))):
        if folder and path != folder and path.is_relative_to(folder):
            return (str(folder), *path.relative_to(folder).parts)
    return None


@contextmanager
def _folder(file: Path, parts: tuple[str, ...]) -> Iterator[system.OpenFolder]:
    """The folder that a path into the checkout leads to."""
    root, *folders, _ = parts
    with system.OpenFolder(Path(root)) as current:
        for name in folders:
            if current.is_link(name):
                problem = f"{file}: {name} is a symbolic link, which the change may have made"
                raise ReportFileError(problem, "replace it with a folder, or name a file outside the checkout")
            current.enter(name)
        yield current
