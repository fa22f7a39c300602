"""The report for people: a paragraph per finding, a line per note, and a summary in one line, the worst ones first.

An incomplete scan never reads as clean. A coding assistant whose code is refused reads a text of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from winnow_ci.model import RESTATED
from winnow_ci.model.findings import Advice, Finding, ScanReport
from winnow_ci.report import printable, shown, wording
from winnow_ci.report.excerpts import code_of
from winnow_ci.report.shown import FindingGroup, GroupBy, ReportStyle, paint

_LONGEST_NAME = 60
_MOST_REFUSED = 10
_LONGEST = 500
_MOST_SOURCES = 5
_MOST_WEAK = 3
_MOST_WITH_CODE = 3
_REFUSAL = """\
This is known third-party code, which the rules of this project do not allow. Do not write it to any file, not even
with other names or another layout. Write your own code from the requirements of the task, call a library that may be
used, or ask the user: only people can allow a copy."""


def render(report: ScanReport, style: ReportStyle) -> str:
    """The findings that nothing suppresses, the files that were not scanned, and the summary."""
    paragraphs = list(_findings(report, style))
    if skipped := shown.not_scanned(report):
        title = f"{paint('not scanned', 'error', style)}: {wording.counted(len(skipped), 'file')}"
        lines = ["  " + printable.name(f"{skip.path}: {skip.reason}") for skip in skipped]
        paragraphs.append("\n".join([title, *lines]))
    paragraphs += filter(None, [wording.when_approvals_count(report)])
    paragraphs.append("; ".join([wording.summary(report), *_by_source(shown.readable(report))]))
    text = "\n\n".join(paragraphs) + "\n"
    return "\n".join(_fitted(line, style) for line in text.split("\n")) if style.wraps else text


def _fitted(line: str, style: ReportStyle) -> str:
    """A line that a terminal would break within a word, broken before; commands and code stay whole."""
    if len(line) <= style.width or "│" in line:
        return line
    words, more, command = line.partition("; more: ")
    if not more and "winnow-ci " in line:
        return line
    import textwrap  # noqa: PLC0415 - most lines fit

    lines = textwrap.wrap(words, style.width, subsequent_indent=" " * 4, break_long_words=False, break_on_hyphens=False)
    return "\n".join([*lines, *([f"  more: {command}"] if more else [])])


def assistant_refusal(report: ScanReport) -> str:
    """Why a coding assistant must not write something; the code, and how to allow a copy, are only for people."""
    errors = [finding for finding in shown.unsuppressed(report) if finding.level == "error"]
    # Whoever has named a file or a source may want to give the assistant orders.
    lines = [wording.shortened(f"{wording.located_copy(one)}, {wording.likeness(one)}", _LONGEST) for one in errors]
    return "\n".join([*shown.with_rest(lines, _MOST_REFUSED), _REFUSAL, ""])


def _findings(report: ScanReport, style: ReportStyle) -> Iterator[str]:
    """A paragraph for each cause, a line for each of four and more, and for a note; of many, a table before."""
    entries = shown.causes(shown.readable(report))
    folded = list(filter(_is_weak, entries)) if style.group_by is None else []
    if len(folded) > _MOST_WEAK:
        entries = [entry for entry in entries if not _is_weak(entry)]
    by = style.group_by or ("source" if len(entries) > shown.MANY_FINDINGS else None)
    if by and entries:
        groups = shown.finding_groups((one for entry in entries for one in entry), by)
        columns = (by.upper(), "LEVEL", "FINDINGS", "LINES", "FILES", shown.OTHERS_OF_GROUP[by].upper())
        rows = [(_short(group.name), group.level, *group.counts, _short(group.others(by))) for group in groups]
        yield printable.table([columns, *rows])
        yield from ("\n".join(_group(group, by, style)) for group in groups)
    else:
        first = [entry for entry in entries if entry[0].level != "note"]
        in_a_line = entries if len(first) > _MOST_WITH_CODE else entries[len(first) :]
        yield from ("\n".join(_finding(entry, report.advice, style)) for entry in entries[: -len(in_a_line) or None])
        yield from filter(None, ["\n".join(_in_a_line(entry, style) for entry in in_a_line)])
    if len(folded) > _MOST_WEAK:
        yield f"{sum(map(len, folded)):,} weak notes, which unrelated code may have too: --group-by source lists them"
    if report.advice.commands and (by or in_a_line or len(folded) > _MOST_WEAK):
        yield f"more on one, and how to allow it: {wording.command('explain', 'ID', report.advice)}"


def _is_weak(entry: tuple[Finding, ...]) -> bool:
    return entry[0].level == "note" and entry[0].strength == "weak"


def _in_a_line(entry: tuple[Finding, ...], style: ReportStyle) -> str:
    finding, *others = entry
    said = [f"{heading(finding, style)}{_and_more(others)}"]
    said += [wording.likeness_in_short(finding)] if finding.level != "note" else []
    if finding.kind in RESTATED:
        said.append(wording.likeness(finding))
    elif finding.strength == "weak":
        said.append(wording.odds(finding))
    return f"{'; '.join(said)}  {printable.name(finding.id)}"


def _and_more(others: Sequence[Finding]) -> str:
    return f", and {wording.counted(len(others), 'more place')}" if others else ""


def _by_source(findings: list[Finding]) -> Iterator[str]:
    """How many findings each source has, if there are several."""
    groups = shown.finding_groups(findings, "source")
    named = [
        f"{len(group.findings):,} from {_short(group.name)}{' (denied)' if group.is_denied else ''}" for group in groups
    ]
    more = [wording.counted(len(groups[_MOST_SOURCES:]), "more source")] if groups[_MOST_SOURCES:] else []
    if len(groups) > 1:
        yield ", ".join(named[:_MOST_SOURCES] + more)


def _short(name: str) -> str:
    return wording.shortened(printable.name(name), _LONGEST_NAME)


def _group(group: FindingGroup, by: GroupBy, style: ReportStyle) -> Iterator[str]:
    has_one_licence = len({finding.source.file.source.license for finding in group.findings}) == 1
    yield paint(printable.name(group.name), "path", style)
    for finding, *others in shown.causes(group.findings):
        place = finding.source
        level = paint(shown.level_in_words(finding.level, denied=finding.denied), finding.level, style)
        is_known = by == "source" and has_one_licence
        origin = wording.located(place.file.path, place.lines) if is_known else wording.source_place(place)
        copy = f"{wording.likeness_in_short(finding)} from {origin}{_and_more(others)}"
        yield f"  {wording.located(finding.path, finding.lines)}: {level}: {copy}  {printable.name(finding.id)}"


def _finding(entry: tuple[Finding, ...], advice: Advice, style: ReportStyle) -> Iterator[str]:
    finding, *others = entry
    yield heading(finding, style)
    more = f"; more: {wording.command('explain', finding.id, advice)}" if advice.commands else ""
    yield f"  {wording.likeness(finding)}{more}"
    yield from (f"  {fact}" for fact in wording.facts(finding, wording.reordered, wording.renamed))
    if again := wording.repeated(others):
        yield f"  {again}"
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
