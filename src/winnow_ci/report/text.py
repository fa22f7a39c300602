"""The report for people: a paragraph per finding, a line per note, and a summary in one line, the worst ones first.

An incomplete scan never reads as clean.

A coding assistant whose code is refused reads a text of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.report import printable, shown, wording
from winnow_ci.report.excerpts import code_of
from winnow_ci.report.shown import paint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.model.findings import Advice, Finding, ScanReport
    from winnow_ci.report.shown import FindingGroup, GroupBy, ReportStyle

_LONGEST_NAME = 60
_MOST_REFUSED = 10
_MOST_SOURCES = 5
_REFUSAL = """\
This is known third-party code, which the rules of this project do not allow. Do not write it to any file, not even
with other names or another layout. Write your own code from the requirements of the task, call a library that may be
used, or ask the user: only people can allow a copy."""


def render(report: ScanReport, style: ReportStyle) -> str:
    """The findings that nothing suppresses, the files that were not scanned, and the summary."""
    paragraphs = list(_findings(report, style))
    if silenced := [one for one in shown.accepted_by_people(report) if one.denied and one.suppressed == "inline"]:
        paragraphs.append("\n".join(map(_silenced, silenced)))
    if skipped := shown.not_scanned(report):
        title = f"{paint('not scanned', 'error', style)}: {wording.counted(len(skipped), 'file')}"
        lines = ["  " + printable.name(f"{skip.path}: {skip.reason}") for skip in skipped]
        paragraphs.append("\n".join([title, *lines]))
    if merging := wording.when_approvals_count(report):
        paragraphs.append(merging)
    paragraphs.append("; ".join([wording.summary(report), *_by_source(shown.readable(report))]))
    return "\n\n".join(paragraphs) + "\n"


def _silenced(finding: Finding) -> str:
    return f"{wording.located(finding.path, finding.lines)}: denied, but a comment allows it: {wording.copied(finding)}"


def assistant_refusal(report: ScanReport) -> str:
    """Why a coding assistant must not write something, and what to do instead.

    It shows no code of the source, which the assistant would then have before its eyes, and does not say how to allow a
    copy: that is for people.
    """
    errors = [finding for finding in shown.unsuppressed(report) if finding.level == "error"]
    lines = [f"{wording.located_copy(one)}, {wording.likeness(one)}" for one in errors]
    more = [f"and {len(lines) - _MOST_REFUSED:,} more"] if lines[_MOST_REFUSED:] else []
    return "\n".join((*lines[:_MOST_REFUSED], *more, _REFUSAL, ""))


def _findings(report: ScanReport, style: ReportStyle) -> Iterator[str]:
    """A paragraph each; in groups, the table of these first and a line each; of many, the table last."""
    findings = sorted(shown.readable(report), key=lambda one: (shown.LEVELS.index(one.level), not one.denied))
    if style.group_by and findings:
        groups = shown.finding_groups(findings, style.group_by)
        yield _overview(groups, style.group_by)
        yield from ("\n".join(_group(group, style.group_by, style)) for group in groups)
        yield from _more(report.advice)
        return
    yield from ("\n".join(_finding(one, report.advice, style)) for one in findings if one.level != "note")
    if notes := [_note(one, style) for one in findings if one.level == "note"]:
        yield "\n".join(notes)
        yield from _more(report.advice)
    if len(findings) > shown.MANY_FINDINGS:
        hint = "with --group-by source, licence or folder each finding has one line"
        yield f"{_overview(shown.finding_groups(findings, 'source'), 'source')}\n{hint}"


def _note(finding: Finding, style: ReportStyle) -> str:
    sure = f"; {wording.odds(finding)}" if finding.strength == "weak" else ""
    return f"{heading(finding, style)}{sure}  {printable.name(finding.id)}"


def _more(advice: Advice) -> Iterator[str]:
    if advice.commands:
        yield f"more on one: {wording.command('explain', 'ID', advice)}"


def _by_source(findings: list[Finding]) -> Iterator[str]:
    """How many findings each source has, if there are several."""
    groups = shown.finding_groups(findings, "source")
    if len(groups) > 1:
        named = [
            f"{len(group.findings):,} from {_short(group.name)}{' (denied)' if group.is_denied else ''}"
            for group in groups[:_MOST_SOURCES]
        ]
        more = len(groups) - len(named)
        yield ", ".join([*named, *([wording.counted(more, "more source")] if more else [])])


def _overview(groups: list[FindingGroup], by: GroupBy) -> str:
    heading = (by.upper(), "LEVEL", "FINDINGS", "LINES", "FILES", shown.OTHERS_OF_GROUP[by].upper())
    rows = [(_short(group.name), group.level, *group.counts, _short(group.others(by))) for group in groups]
    return printable.table([heading, *rows])


def _short(name: str) -> str:
    return wording.shortened(printable.name(name), _LONGEST_NAME)


def _group(group: FindingGroup, by: GroupBy, style: ReportStyle) -> Iterator[str]:
    has_one_licence = len({finding.source.file.source.license for finding in group.findings}) == 1
    yield paint(printable.name(group.name), "path", style)
    for finding in group.findings:
        place = finding.source
        level = paint(finding.level, finding.level, style)
        is_known = by == "source" and has_one_licence
        origin = wording.located(place.file.path, place.lines) if is_known else wording.source_place(place)
        copy = f"{wording.likeness_in_short(finding)} from {origin}"
        yield f"  {wording.located(finding.path, finding.lines)}: {level}: {copy}  {printable.name(finding.id)}"


def _finding(finding: Finding, advice: Advice, style: ReportStyle) -> Iterator[str]:
    yield heading(finding, style)
    more = f"; more: {wording.command('explain', finding.id, advice)}" if advice.commands else ""
    yield f"  {wording.likeness(finding)}{more}"
    yield from (f"  {fact}" for fact in wording.facts(finding, wording.reordered, wording.renamed))
    yield from code_of(finding, style)
    source = finding.source.file.source
    if where := source.url or source.purl:
        yield f"  see {printable.name(where)}"
    yield from (f"  {fact}" for fact in wording.facts(finding, wording.file_licence, wording.also_in))
    if permission := wording.permission(finding, advice):
        yield f"  {permission}"


def heading(finding: Finding, style: ReportStyle) -> str:
    """Where a finding is, its level, and where it was copied from."""
    where = paint(wording.located(finding.path, finding.lines), "path", style)
    level, denied = paint(finding.level, finding.level, style), "denied: " if finding.denied else ""
    return f"{where}: {level}: {denied}{wording.copied(finding)}"
