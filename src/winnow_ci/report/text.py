"""The report for people: a paragraph a finding, and a line that sums up.

Nothing that the change or the index says reaches the screen but through ``printable``. A scan that could not look at
everything never reads as clean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.report import printable
from winnow_ci.report.style import Style, hundredths, in_order

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.model import Finding, Level, LineRange, Place, ScanReport

_EXCERPT_LINES = 6
_NARROWEST = 40
_SGR = {"error": "1;31", "warning": "1;33", "note": "1;36", "path": "1", "faint": "2"}
_COPIED = {"verbatim": "copied from", "renamed": "copied with names changed from"}


def render(report: ScanReport, style: Style) -> str:
    """The findings that nothing suppresses, the files that were not scanned, and the sum."""
    shown = [finding for finding in in_order(report.findings) if finding.suppressed is None]
    paragraphs = ["\n".join(_finding(finding, style)) for finding in shown]
    if not report.complete:
        paragraphs.append("\n".join(_not_scanned(report, style)))
    paragraphs.append(_sum(report))
    return "\n\n".join(paragraphs) + "\n"


def _finding(finding: Finding, style: Style) -> Iterator[str]:
    where = _paint(printable.name(f"{finding.path}:{_lines(finding.lines)}"), "path", style)
    level = _paint(finding.level, finding.level, style)
    yield f"{where}: {level}: {_COPIED[finding.kind]} {_place(finding.source)}"
    yield f"  {finding.kind}, {_number(finding.tokens, 'token')}, {hundredths(finding.similarity)}% the same"
    yield from _excerpt(finding, style)
    if url := finding.source.file.source.url:
        yield f"  see {printable.name(url)}"
    if finding.also_in:
        more = len(finding.also_in) - 1
        yield f"  also in {_place(finding.also_in[0])}" + (f", and {more:,} more" if more else "")


def _place(place: Place) -> str:
    source = place.file.source
    version = f" {source.version}" if source.version else ""
    licence = "unknown licence" if source.license == "unknown" else source.license
    return printable.name(f"{source.name}{version} ({licence}), {place.file.path}:") + _lines(place.lines)


def _excerpt(finding: Finding, style: Style) -> Iterator[str]:
    first, last = finding.lines
    lines = finding.excerpt[: min(_EXCERPT_LINES, last - first + 1)]
    digits = len(str(first + len(lines)))
    room = max(style.width, _NARROWEST) - digits - len("   │ ")
    for number, line in enumerate(lines, first):
        # Cut before escaping too: a line may be megabytes long.
        code = printable.code(line[: room + 1])
        cut = code if len(code) <= room else f"{code[: room - 1]}…"
        yield f"{_paint(f'  {number:>{digits}} │', 'faint', style)} {cut}".rstrip()
    if last - first + 1 > len(lines) > 0:
        yield _paint(f"  {'…':>{digits}} │", "faint", style)


def _not_scanned(report: ScanReport, style: Style) -> Iterator[str]:
    skipped = [skip for skip in report.skipped if skip.state == "not-scanned"]
    yield f"{_paint('not scanned', 'error', style)}: {_number(len(skipped), 'file')}"
    for skip in skipped:
        yield "  " + printable.name(f"{skip.path}: {skip.reason}")


def _sum(report: ScanReport) -> str:
    counts: dict[Level, int] = {level: report.count(level) for level in ("error", "warning", "note")}
    total = sum(counts.values())
    levels = ", ".join(_number(count, level) for level, count in counts.items() if count)
    text = f"{_number(total, 'finding')} ({levels})" if total else "no findings"
    if suppressed := len(report.findings) - total:
        text += f", {suppressed:,} suppressed"
    if not report.complete:
        failed = sum(skip.state == "not-scanned" for skip in report.skipped)
        text = f"incomplete: {_number(failed, 'file')} not scanned; in the others {text}"
    return text


def _lines(lines: LineRange) -> str:
    return str(lines.first) if lines.first == lines.last else f"{lines.first}-{lines.last}"


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _paint(text: str, role: str, style: Style) -> str:
    return f"\x1b[{_SGR[role]}m{text}\x1b[0m" if style.colour else text
