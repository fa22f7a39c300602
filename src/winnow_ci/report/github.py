"""Annotations for GitHub Actions, then the report as text.

A runner obeys lines of a step's log that begin with ``::``; ``::error file=F,line=L,endLine=E,title=T::MESSAGE`` is
an annotation beside the code (``actions/toolkit``, ``packages/core/src/command.ts``). Columns are left out: the runner
ignores them in annotations of several lines.

A step shows ten annotations per level and silently drops the rest. So with more findings, each file's longest gets an
annotation that also names the file's others; with more than ten files, the last annotation counts the rest.

The text stands between ``::stop-commands::WORD`` and ``::WORD::``, so that the runner obeys no code in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from winnow_ci.model import Level, LineRange, Skipped
from winnow_ci.model.findings import Finding, ScanReport
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report import addresses, text, wording
from winnow_ci.report.printable import name
from winnow_ci.report.shown import LEVELS, ReportStyle, first_added, not_scanned, ranked, readable, with_rest

_MOST_ANNOTATIONS = 10
_LONGEST_MESSAGE = 4096  # the runner cuts there
_LONGEST_TITLE = 120
_MOST_LINES = 10
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


class _Annotation(NamedTuple):
    level: Level
    title: str
    lines: list[str]
    path: str | None = None
    region: LineRange | None = None


def render(report: ScanReport, style: ReportStyle) -> str:
    """At most ten annotations per level, then the text report, in which commands are stopped."""
    commands = [_command(annotation) for level in LEVELS for annotation in _annotations(report, level)]
    guarded = [f"::stop-commands::{style.guard}", text.render(report, style).rstrip("\n"), f"::{style.guard}::"]
    return "\n".join(commands + guarded) + "\n"


def _annotations(report: ScanReport, level: Level) -> list[_Annotation]:
    annotations = [_of_not_scanned(not_scanned(report))] if level == "error" and not report.complete else []
    if level == "warning" and report.notices:
        notices = [f"winnow-ci: {name(notice)}" for notice in report.notices]
        annotations.append(_Annotation("warning", "How winnow-ci judged this change", notices))
    findings = [finding for finding in ranked(readable(report)) if finding.level == level]
    groups, left = _groups(findings, _MOST_ANNOTATIONS - len(annotations))
    annotations += map(_of_group, groups)
    return [*annotations, _of_left(left)] if left else annotations


def _groups(findings: list[Finding], room: int) -> tuple[list[list[Finding]], list[Finding]]:
    """Groups of findings for one annotation each, and the findings for one that counts them: ``room`` in all."""
    by_file: dict[str, list[Finding]] = {}
    alone: list[list[Finding]] = []
    left = room - len({finding.path for finding in findings})
    for finding in findings:
        if finding.path in by_file and len(alone) < left:
            alone.append([finding])
        else:
            by_file.setdefault(finding.path, []).append(finding)
    groups = [*by_file.values(), *alone]
    if len(groups) <= room:
        return groups, []
    return groups[: room - 1], [finding for group in groups[room - 1 :] for finding in group]


def _of_group(group: list[Finding]) -> _Annotation:
    first = group[0]
    title = f"{wording.COPIED_IN_SHORT[first.kind]} from {wording.licensed(first.source.file.source)}"
    if len(group) > 1:
        title += f", and {wording.counted(len(group) - 1, 'more finding')}"
    return _Annotation(first.level, title, [_line(finding) for finding in group], first.path, first_added(first))


def _line(finding: Finding) -> str:
    """The message begins with the place, since the log shows nothing else of an annotation."""
    address = addresses.of_source(finding.source.file.source)
    parts = wording.facts(finding, wording.copied_lines, wording.likeness, wording.reordered, wording.renamed)
    parts += wording.facts(finding, wording.file_licence, wording.also_in) + ([f"see {address}"] if address else [])
    return f"{name(f'{finding.path}:{first_added(finding).first}')}: {'; '.join(parts)}"


def _of_left(findings: Sequence[Finding]) -> _Annotation:
    files = Counter(finding.path for finding in findings)
    title = f"{wording.counted(len(findings), 'more finding')} in {wording.counted(len(files), 'more file')}"
    lines = [f"winnow-ci: {title}; the log of this step lists all, as do its summary and reports"]
    lines += [f"{name(path)}: {wording.counted(count, 'finding')}" for path, count in files.items()]
    return _Annotation(findings[0].level, title, lines)


def _of_not_scanned(skipped: Sequence[Skipped]) -> _Annotation:
    title = f"winnow-ci could not scan {wording.counted(len(skipped), 'file')}"
    lines = [name(f"{skip.path}:1: not scanned: {skip.reason}") for skip in skipped]
    return _Annotation("error", title, lines, skipped[0].path if len(skipped) == 1 else None)


def _command(annotation: _Annotation) -> str:
    properties = {} if annotation.path is None else {"file": name(annotation.path)}
    if annotation.region is not None:
        properties |= {"line": str(annotation.region.first), "endLine": str(annotation.region.last)}
    properties["title"] = wording.shortened(annotation.title, _LONGEST_TITLE)
    escaped = (f"{key}={_escaped(value).replace(':', '%3A').replace(',', '%2C')}" for key, value in properties.items())
    message = wording.shortened("\n".join(with_rest(annotation.lines, _MOST_LINES)), _LONGEST_MESSAGE)
    return f"::{_COMMANDS[annotation.level]} {','.join(escaped)}::{_escaped(message)}"


def _escaped(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
