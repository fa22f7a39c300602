r"""GitHub-flavoured Markdown, for step summaries and comments.

A table of the findings, the first lines of each, and what the scan covered. Names stand in code spans, where nothing
is a link, a mention or HTML; in them ``|``, ``<`` and backticks are written as escapes (``\x7c``), since programs
disagree on what a backslash before them does. Code stands in fences longer than any run of backticks in it.

GitHub drops a step's summary of more than 1 MiB. So the table and the code have a limited size, the most severe and
the longest findings come first, and the others are counted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from winnow_ci.report import excerpts, printable, wording
from winnow_ci.report.coverage import coverage
from winnow_ci.report.shown import not_scanned, ranked, unsuppressed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from winnow_ci.model.findings import Finding, ScanReport
    from winnow_ci.report.shown import ReportStyle

_TABLE_ROOM = 400_000  # bytes
_CODE_ROOM = 400_000
_LONGEST_NAME = 200
_LONGEST_LINE = 500
_ACTIVE = re.compile(r"[`|<]")
_BACKTICKS = re.compile("`+")
_PLAIN_URL = re.compile(r"https?://[A-Za-z0-9./~%-]+")

_HEADER = "| Level | Lines | Licence | Copied from | Likeness |\n|---|---|---|---|---|"


def render(report: ScanReport, style: ReportStyle) -> str:
    """The findings, then their code, then what was scanned; below 1 MiB."""
    return "\n\n".join(_parts(report, ranked(unsuppressed(report)), style)) + "\n"


def _parts(report: ScanReport, findings: list[Finding], style: ReportStyle) -> Iterator[str]:
    yield f"## winnow-ci: {wording.summary(report)}"
    if not report.complete:
        failed = wording.counted(len(not_scanned(report)), "file")
        yield f"**This is not a clean result:** {failed} could not be scanned. The first of them are listed at the end."
    if findings:
        rows = _fitting((_row(finding) for finding in findings), _TABLE_ROOM)
        yield "\n".join([_HEADER, *rows])
        yield from _left_out(findings, rows, "Not in this table, for want of room")
        blocks = _fitting((_code(finding, style) for finding in findings), _CODE_ROOM)
        yield from blocks
        yield from _left_out(findings, blocks, "Code not shown, for want of room")
    yield _fenced([wording.cut(line, _LONGEST_LINE) for line in coverage(report).split("\n")])


def _fitting(blocks: Iterable[str], room: int) -> list[str]:
    kept = []
    for block in blocks:
        room -= len(block.encode()) + 2
        if room < 0:
            break
        kept.append(block)
    return kept


def _left_out(findings: Sequence[Finding], kept: Sequence[str], what: str) -> Iterator[str]:
    if more := len(findings) - len(kept):
        yield f"{what}: {wording.counted(more, 'finding')} of {len(findings):,}."


def _row(finding: Finding) -> str:
    source = finding.source.file.source
    version = f" {source.version}" if source.version else ""
    there = f"{finding.source.file.path}:{wording.lines(finding.source.lines)}"
    cells = [
        finding.level,
        _span(f"{finding.path}:{wording.lines(finding.lines)}"),
        "unknown" if source.license == "unknown" else _span(source.license),
        f"{_span(f'{source.name}{version}')}, {_span(there)}",
        wording.likeness(finding),
    ]
    return f"| {' | '.join(cells)} |"


def _code(finding: Finding, style: ReportStyle) -> str:
    heading = f"### {_span(f'{finding.path}:{wording.lines(finding.lines)}')}"
    details = [f"{finding.level}: {_span(wording.copied(finding))}"]
    if reordered := wording.reordered(finding):
        details.append(reordered)
    if renamed := wording.renamed(finding):
        details.append(_span(renamed))
    if also_in := wording.also_in(finding):
        details.append(_span(also_in))
    if url := finding.source.file.source.url:
        details.append(f"see {_link(url)}")
    code = [f"{margin} {code}".rstrip() for margin, code in excerpts.of_change(finding, style)]
    return "\n\n".join([heading, "; ".join(details), *([_fenced(code)] if code else [])])


def _span(name: str) -> str:
    """A name in a code span, on one line."""
    # Cut before escaping as well as after, since there may be many long names.
    short = wording.cut(printable.name(name[: _LONGEST_NAME + 1]), _LONGEST_NAME)
    shown = _ACTIVE.sub(lambda active: f"\\x{ord(active[0]):02x}", short)
    return f"`{shown}`" if shown else "(no name)"


def _link(url: str) -> str:
    """A link, but only if nothing in the URL can be taken for anything else."""
    plain = _PLAIN_URL.fullmatch(url) and len(url) <= _LONGEST_NAME
    return f"[the source]({url})" if plain else _span(url)


def _fenced(lines: Sequence[str]) -> str:
    longest = max((len(run) for line in lines for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(longest + 1, 3)
    return "\n".join([fence, *lines, fence])
