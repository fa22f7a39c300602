"""The report for people: a paragraph per finding, and a summary in one line.

All text from the change or the index goes through ``printable``. An incomplete scan never reads as clean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.report import excerpts, groups, printable, wording
from winnow_ci.report.painting import paint
from winnow_ci.report.shown import listed, not_scanned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.model.findings import Advice, Finding, ScanReport
    from winnow_ci.report.groups import FindingGroup
    from winnow_ci.report.shown import GroupBy, ReportStyle

_LONGEST_NAME = 60
_OTHERS = {"source": "LICENCES", "licence": "SOURCES", "folder": "LICENCES"}


def render(report: ScanReport, style: ReportStyle) -> str:
    """The findings that nothing suppresses, the files that were not scanned, and the summary."""
    paragraphs = list(_findings(report, style))
    if not report.complete:
        paragraphs.append("\n".join(_not_scanned(report, style)))
    if merging := wording.when_approvals_count(report):
        paragraphs.append(merging)
    paragraphs.append(wording.summary(report))
    return "\n\n".join(paragraphs) + "\n"


def _findings(report: ScanReport, style: ReportStyle) -> Iterator[str]:
    """A paragraph each; in groups, the table of these first and a line each; of many, the table last."""
    findings = listed(report)
    if style.group_by and findings:
        found = groups.grouped(findings, style.group_by)
        yield _overview(found, style.group_by)
        yield from ("\n".join(_group(group, style.group_by, style)) for group in found)
        if report.advice.commands:
            yield f"more on one: {wording.command('explain', 'ID', report.advice)}"
        return
    yield from ("\n".join(_finding(finding, report.advice, style)) for finding in findings)
    if len(findings) > groups.LONG:
        hint = "with --group-by source, licence or folder each finding has one line"
        yield f"{_overview(groups.grouped(findings, 'source'), 'source')}\n{hint}"


def _overview(found: list[FindingGroup], by: GroupBy) -> str:
    rows: list[tuple[str, ...]] = [(by.upper(), "LEVEL", "FINDINGS", "LINES", "FILES", _OTHERS[by])]
    for group in found:
        counts = (f"{count:,}" for count in (len(group.findings), group.lines, group.files))
        level = f"{group.worst}, denied" if group.denied else group.worst
        rows.append((_short(group.name), level, *counts, _short(groups.others(group, by))))
    return printable.table(rows)


def _group(group: FindingGroup, by: GroupBy, style: ReportStyle) -> Iterator[str]:
    has_one_licence = len({finding.source.file.source.license for finding in group.findings}) == 1
    yield paint(printable.name(group.name), "path", style)
    for finding in group.findings:
        level = paint(finding.level, finding.level, style)
        is_told = by == "source" and has_one_licence
        origin = wording.place_in_source(finding.source) if is_told else wording.place(finding.source)
        told = f"{wording.likeness_in_short(finding)} from {origin}"
        yield f"  {wording.located(finding.path, finding.lines)}: {level}: {told}  {printable.name(finding.id)}"


def _short(name: str) -> str:
    return wording.cut(printable.name(name), _LONGEST_NAME)


def _finding(finding: Finding, advice: Advice, style: ReportStyle) -> Iterator[str]:
    yield heading(finding, style)
    more = f"; more: {wording.command('explain', finding.id, advice)}" if advice.commands else ""
    yield f"  {wording.likeness(finding)}{more}"
    if reordered := wording.reordered(finding):
        yield f"  {reordered}"
    if renamed := wording.renamed(finding):
        yield f"  {renamed}"
    yield from code(finding, style, excerpts.LINES)
    source = finding.source.file.source
    if where := source.url or source.purl:
        yield f"  see {printable.name(where)}"
    for told in (wording.file_licence(finding), wording.also_in(finding), wording.permission(finding, advice)):
        if told:
            yield f"  {told}"


def heading(finding: Finding, style: ReportStyle) -> str:
    """Where a finding is, its level, and where it was copied from."""
    where = paint(wording.located(finding.path, finding.lines), "path", style)
    return f"{where}: {paint(finding.level, finding.level, style)}: {wording.copied(finding)}"


def code(finding: Finding, style: ReportStyle, most: int) -> Iterator[str]:
    """The code of a finding and, if known, of its source; at most ``most`` lines of each."""
    for margin, line, *beside in excerpts.rows(finding, style, most):
        text = f"{paint(f'  {margin}', 'faint', style)} {line}"
        if beside:
            text += f" {paint(beside[0], 'faint', style)} {beside[1]}"
        yield text.rstrip()


def _not_scanned(report: ScanReport, style: ReportStyle) -> Iterator[str]:
    skipped = not_scanned(report)
    yield f"{paint('not scanned', 'error', style)}: {wording.counted(len(skipped), 'file')}"
    for skip in skipped:
        yield "  " + printable.name(f"{skip.path}: {skip.reason}")
