"""GitHub-flavoured Markdown, for step summaries and comments.

A table of the findings, the first lines of some, and what the scan covered. Of many findings, a table of their sources
comes first, and the findings of each source have a table of their own. Lines are links where the service is known that
shows them. What names and code can do to the markup is the business of ``markdown_text``.

GitHub drops a step's summary of more than 1 MiB. So the tables have a limited size, the most severe and the longest
findings come first, and the others are counted. The first line always begins with the same words, by which a comment on
a pull request can be found again.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from winnow_ci.model.findings import REASON_HERE
from winnow_ci.report import addresses, excerpts, groups, printable, rules, wording
from winnow_ci.report.coverage import coverage
from winnow_ci.report.markdown_text import fenced, linked, row, span, table
from winnow_ci.report.shown import listed, not_scanned, ranked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from winnow_ci.model.findings import Finding, ScanReport
    from winnow_ci.report.groups import FindingGroup
    from winnow_ci.report.shown import GroupBy, ReportStyle

_TITLE = "## winnow-ci: "
_NOT_CLEAN = "**This is not a clean result:**"
_OVERVIEW_ROOM = 100_000  # bytes
_TABLE_ROOM = 400_000
_LONGEST_LINE = 500
_HEADING = ("Level", "Lines", "Licence", "Copied from", "Likeness", "Id")
_OTHERS = {"source": "Licences", "licence": "Sources", "folder": "Licences"}


def render(report: ScanReport, style: ReportStyle) -> str:
    """The findings, then the code of the first ones, then what was scanned; below 1 MiB."""
    return "\n\n".join(_parts(report, ranked(listed(report)), style)) + "\n"


def failure(lines: Sequence[str]) -> str:
    """What stands in the place of a report if there was no scan: what is wrong, and what to do about it."""
    told = [wording.cut(printable.name(line), _LONGEST_LINE) for line in lines]
    return f"{_TITLE}could not scan\n\n{_NOT_CLEAN} nothing was scanned.\n\n{fenced(told)}\n"


def _parts(report: ScanReport, findings: list[Finding], style: ReportStyle) -> Iterator[str]:
    commit = report.scope.head
    yield f"{_TITLE}{wording.summary(report)}"
    if not report.complete:
        failed = wording.counted(len(not_scanned(report)), "file")
        meant = _linked_rule(rules.NOT_SCANNED, style)
        yield f"{_NOT_CLEAN} {failed} could not be scanned{meant}. The first of them are listed at the end."
    if findings:
        if report.advice.commands:
            yield _advice(report)
        yield from _tables(findings, commit, style)
        yield from _details(findings, commit, style)
    yield fenced([wording.cut(line, _LONGEST_LINE) for line in coverage(report).split("\n")])


def _advice(report: ScanReport) -> str:
    explain = span(wording.command("explain", "ID", report.advice))
    told = f"{explain} shows a copy beside its source, and how to settle it."
    if merging := wording.when_approvals_count(report):
        approve = span(wording.command("approve", "ID", report.advice, "--reason", REASON_HERE))
        told += f" {merging} The command: {approve}"
        if any(finding.suppressed is None and (finding.denied or finding.objection) for finding in report.findings):
            told += f" (for what the policy denies, with {span('--including-denied')})"
    return told


def _tables(findings: list[Finding], commit: str | None, style: ReportStyle) -> Iterator[str]:
    by = style.group_by or ("source" if len(findings) > groups.LONG else None)
    if by is None:
        yield table(_HEADING, [_row(finding, commit, style) for finding in findings])
        return
    found = groups.grouped(findings, by)
    heading = ("Level", by.capitalize(), "Findings", "Lines", "Files", _OTHERS[by])
    overview = _fitting((_group_row(group, by) for group in found), _OVERVIEW_ROOM)
    yield table(heading, overview)
    yield from _left_out(len(found) - len(overview), wording.counted(len(found), "group"))
    listed = [(group, finding) for group in found for finding in group.findings]
    rows = _fitting((_row(finding, commit, style) for _, finding in listed), _TABLE_ROOM)
    for name, members in groupby(zip(listed, rows, strict=False), key=lambda one: one[0][0].name):
        yield f"### {span(name)}"
        yield table(_HEADING, [line for _, line in members])
    yield from _left_out(len(findings) - len(rows), wording.counted(len(findings), "finding"))


def _details(findings: list[Finding], commit: str | None, style: ReportStyle) -> Iterator[str]:
    """The code of the first findings; where somebody asked for groups, a line each is what they want."""
    if style.group_by is None:
        yield from (_code(finding, commit, style) for finding in findings[: groups.LONG])
        if more := len(findings) - groups.LONG:
            yield from [f"Code not shown: {wording.counted(more, 'more finding')}."] if more > 0 else []


def _fitting(rows: Iterable[str], room: int) -> list[str]:
    kept = []
    for line in rows:
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(line)
    return kept


def _left_out(count: int, whole: str) -> Iterator[str]:
    if count:
        yield f"Not in these tables, for want of room: {count:,} of {whole}."


def _group_row(group: FindingGroup, by: GroupBy) -> str:
    level = f"{group.worst}, denied" if group.denied else group.worst
    counts = (f"{count:,}" for count in (len(group.findings), group.lines, group.files))
    return row((level, span(group.name), *counts, span(groups.others(group, by))))


def _row(finding: Finding, commit: str | None, style: ReportStyle) -> str:
    source = finding.source.file.source
    there = f"{finding.source.file.path}:{wording.lines(finding.source.lines)}"
    origin = linked(span(wording.versioned(source)), addresses.of_source(source))
    return row(
        (
            f"{finding.level}, denied" if finding.denied else finding.level,
            _place(finding, commit, style),
            "unknown" if source.license == "unknown" else span(source.license),
            f"{origin}, {span(there)}",
            wording.likeness(finding),
            span(finding.id),
        )
    )


def _place(finding: Finding, commit: str | None, style: ReportStyle) -> str:
    """The lines of a finding; a link, where somebody shows them."""
    address = addresses.of_lines(style.repository, commit, finding.path, finding.lines)
    return linked(span(f"{finding.path}:{wording.lines(finding.lines)}"), address)


def _linked_rule(rule: str, style: ReportStyle) -> str:
    """A link to the page of a rule, behind what falls under it; nothing if nobody knows the page."""
    address = addresses.of_rule(style.documentation, rule)
    return f" ({linked(span(rule), address)})" if address else ""


def _code(finding: Finding, commit: str | None, style: ReportStyle) -> str:
    heading = f"### {_place(finding, commit, style)}"
    told = (wording.renamed, wording.file_licence, wording.also_in)
    details = [f"{finding.level}: {span(wording.copied(finding))}{_linked_rule(rules.rule(finding).id, style)}"]
    if reordered := wording.reordered(finding):
        details.append(reordered)
    details += [span(text) for tell in told if (text := tell(finding))]
    if address := addresses.of_source(finding.source.file.source):
        details.append(f"see {linked('the source', address)}")
    elif url := finding.source.file.source.url:
        details.append(f"see {span(url)}")
    code = [f"{margin} {code}".rstrip() for margin, code in excerpts.of_change(finding, style)]
    return "\n\n".join([heading, "; ".join(details), *([fenced(code)] if code else [])])
