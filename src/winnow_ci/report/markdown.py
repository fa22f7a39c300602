r"""GitHub-flavoured Markdown, for step summaries and comments.

GitHub drops a step's summary of more than 1 MiB. So the tables have a limited size, the most severe and the longest
findings come first, and the others are counted. The first line always begins with the same words, by which a comment on
a pull request can be found again.

Names and code of others are never markup. Names stand in code spans, where nothing is a link, a mention or HTML; in
them ``|``, ``<`` and backticks are written as escapes (``\x7c``), since programs disagree on the meaning of a backslash
before them. Code stands in fences longer than any run of backticks in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from winnow_ci.model import Source
from winnow_ci.model.findings import OURS, REASON_HERE, Finding, ScanReport, ShownCode
from winnow_ci.report import addresses, printable, shown, wording
from winnow_ci.report.coverage import coverage
from winnow_ci.report.excerpts import excerpt_of_change

_TITLE = "## winnow-ci: "
_NOT_CLEAN = "**This is not a clean result:**"
_OVERVIEW_ROOM = 100_000  # bytes
_TABLE_ROOM = 400_000
_LONGEST_LINE = 500
_LONGEST_NAME = 200
_HEADING = ("Level", "Lines", "Licence", "Copied from", "Likeness", "Id")
_ACTIVE = re.compile(r"[`|<]")
_BACKTICKS = re.compile("`+")


def render(report: ScanReport, style: shown.ReportStyle) -> str:
    """The findings, then the code of the first ones, then what was scanned; below 1 MiB."""
    return "\n\n".join(_parts(report, shown.ranked(shown.readable(report)), style)) + "\n"


def render_failure(lines: Sequence[str]) -> str:
    """The report if there was no scan: what is wrong, and what to do about it."""
    return f"{_TITLE}could not scan\n\n{_NOT_CLEAN} nothing was scanned.\n\n{fenced(map(printable.name, lines))}\n"


def _parts(report: ScanReport, findings: list[Finding], style: shown.ReportStyle) -> Iterator[str]:
    yield f"{_TITLE}{wording.summary(report)}"
    if not report.complete:
        failed = wording.counted(len(shown.not_scanned(report)), "file")
        meant = _linked_rule(shown.NOT_SCANNED, style)
        yield f"{_NOT_CLEAN} {failed} could not be scanned{meant}. The first of them are listed at the end."
    if findings:
        commit = report.scope.head
        if report.advice.commands:
            yield _advice(report)
        yield from _tables(findings, commit, style)
        if style.group_by is None:  # who asks for groups wants a line for each finding
            yield from (_code(finding, commit, style) for finding in findings[: shown.MANY_FINDINGS])
            if (more := len(findings) - shown.MANY_FINDINGS) > 0:
                yield f"Code not shown: {wording.counted(more, 'more finding')}."
    yield fenced(coverage(report).split("\n"))


def _advice(report: ScanReport) -> str:
    explain = span(wording.command("explain", "ID", report.advice))
    text = f"{explain} shows a copy next to its source, and how to resolve it."
    if merging := wording.when_approvals_count(report):
        approve = span(wording.command("approve", "ID", report.advice, "--reason", REASON_HERE))
        text += f" {merging} The command: {approve}"
        if any(finding.suppressed is None and (finding.denied or finding.objection) for finding in report.findings):
            text += f" (copies under a denied licence need {span('--including-denied')})"
    return text


def _tables(findings: list[Finding], commit: str | None, style: shown.ReportStyle) -> Iterator[str]:
    by = style.group_by or ("source" if len(findings) > shown.MANY_FINDINGS else None)
    if by is None:
        yield _table(_HEADING, [_row(finding, commit, style) for finding in findings])
        return
    groups = shown.finding_groups(findings, by)
    lines = (_line_of((one.level, span(one.name), *one.counts, span(one.others(by)))) for one in groups)
    overview = _fitting(lines, _OVERVIEW_ROOM)
    yield _table(("Level", by.capitalize(), "Findings", "Lines", "Files", shown.OTHERS_OF_GROUP[by]), overview)
    yield from _left_out(len(groups) - len(overview), wording.counted(len(groups), "group"))
    listed = [(group, finding) for group in groups for finding in group.findings]
    rows = _fitting((_row(finding, commit, style) for _, finding in listed), _TABLE_ROOM)
    for name, members in groupby(zip(listed, rows, strict=False), key=lambda one: one[0][0].name):
        yield f"### {span(name)}"
        yield _table(_HEADING, [line for _, line in members])
    yield from _left_out(len(findings) - len(rows), wording.counted(len(findings), "finding"))


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
        yield f"These tables are full. Not shown: {count:,} of {whole}."


def _row(finding: Finding, commit: str | None, style: shown.ReportStyle) -> str:
    source, path = finding.source.file.source, finding.source.file.path
    origin = _linked(span(shown.versioned(source)), addresses.of_source(source))
    level, place = shown.level_in_words(finding.level, denied=finding.denied), _place(finding, commit, style)
    licence = "unknown" if source.license == "unknown" else span(source.license)
    copied_from = f"{origin}, {span(f'{path}:{wording.range_of(finding.source.lines)}')}"
    return _line_of((level, place, licence, copied_from, wording.likeness(finding), span(finding.id)))


def _place(finding: Finding, commit: str | None, style: shown.ReportStyle) -> str:
    address = addresses.of_lines(style.repository, commit, finding.path, finding.lines)
    return _linked(span(f"{finding.path}:{wording.range_of(finding.lines)}"), address)


def _linked_rule(rule: str, style: shown.ReportStyle) -> str:
    """A link to the page of a rule in brackets; nothing if the page has no address."""
    address = addresses.of_rule(style.documentation, rule)
    return f" ({_linked(span(rule), address)})" if address else ""


def _code(finding: Finding, commit: str | None, style: shown.ReportStyle) -> str:
    details = [f"{finding.level}: {span(wording.copied(finding))}{_linked_rule(shown.rule_id(finding), style)}"]
    details += wording.facts(finding, wording.reordered)
    details += map(span, wording.facts(finding, wording.renamed, wording.file_licence, wording.also_in))
    source = finding.source.file.source
    if address := addresses.of_source(source):
        details.append(f"see {_linked('the source', address)}")
    elif source.url:
        details.append(f"see {span(source.url)}")
    paragraphs = [f"### {_place(finding, commit, style)}", "; ".join(details)]
    if code := excerpt_of_change(finding, style):
        paragraphs.append(fenced(code))
    return "\n\n".join(paragraphs)


def span(name: str) -> str:
    """A name in a code span, on one line."""
    # Cut before escaping as well as after, since there may be many long names.
    short = wording.shortened(printable.name(name[: _LONGEST_NAME + 1]), _LONGEST_NAME)
    safe = _ACTIVE.sub(lambda active: f"\\x{ord(active[0]):02x}", short)
    return f"`{safe}`" if safe else "(no name)"


def _linked(text: str, address: str | None) -> str:
    """Markdown as a link, if there is an address; nothing ends it, since ``addresses`` leave no brackets and spaces."""
    return text if address is None else f"[{text}]({address})"


def fenced(lines: Iterable[str]) -> str:
    """Lines of code, which are harmless on a line of their own already."""
    cut = [wording.shortened(line, _LONGEST_LINE) for line in lines]
    run = max((len(run) for line in cut for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(run + 1, 3)
    return "\n".join([fence, *cut, fence])


def _line_of(cells: Iterable[str]) -> str:
    """The line of a table with these cells, which are Markdown already."""
    return f"| {' | '.join(cells)} |"


def _table(heading: Sequence[str], rows: Iterable[str]) -> str:
    return "\n".join([_line_of(heading), "|---" * len(heading) + "|", *rows])


_UNKNOWN = "not known"
WITH_COPYRIGHT = ShownCode(lines=1, marks=True)


def is_attributed(finding: Finding) -> bool:
    """Whether a notice names a finding: a strong one, unless everybody has its code or it is ours."""
    return finding.strength == "strong" and finding.suppressed != "boilerplate" and finding.reason != OURS


def notice_text(findings: Iterable[Finding], requirements: Callable[[str], Sequence[str]]) -> str:
    """A section for each source and licence, by name; ``requirements`` says what an expression requires."""

    def key(finding: Finding) -> tuple[str, str, str]:
        source = finding.source.file.source
        return source.name, source.version or "", source.license

    groups = shown.by_key(sorted(findings, key=lambda one: (one.path, one.lines)), key)
    return "\n".join("\n".join(_section(groups[one], requirements)) for one in sorted(groups))


def _section(findings: Sequence[Finding], requirements: Callable[[str], Sequence[str]]) -> Iterator[str]:
    source = findings[0].source.file.source
    yield f"## {span(shown.versioned(source))}\n"
    yield f"- from: {_address(source)}"
    yield f"- licence: {span(source.license)}"
    for text in requirements(source.license) or ["not known here: read the licence"]:
        yield f"- requires: {printable.name(text)}"
    for one in findings:
        yield f"- copy: {span(wording.located(one.path, one.lines))} from {span(one.source.file.path)}"
    lines = dict.fromkeys(line for one in findings for line in one.copyright_lines)
    if not all(one.copyright_lines for one in findings):
        yield f"- copyright: {'see ' if _address(source) != _UNKNOWN else ''}{_address(source)}"
    yield f"\n{fenced(map(printable.name, lines))}\n" if lines else ""


def listed_sources(sources: Iterable[Source]) -> str:
    """A line for each source: name, version, licence and address."""
    return "".join(f"- {span(shown.versioned(one))}, {span(one.license)}, {_address(one)}\n" for one in sources)


def _address(source: Source) -> str:
    address = addresses.of_source(source)
    known = source.url or source.purl
    return f"<{address}>" if address else span(known) if known else _UNKNOWN
