"""The words that formats for people share, so that all of them say the same thing of a finding.

Whatever comes from a change or an index has gone through ``printable`` here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.report import printable
from winnow_ci.report.style import LEVELS, hundredths, not_scanned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.model import Finding, LineRange, Place, ScanReport, Source

_EXCERPT_LINES = 6
_NARROWEST = 40
_RANGES = 5
_COPIED = {"verbatim": "copied from", "renamed": "copied with names changed from"}


def copied(finding: Finding) -> str:
    """What a finding is: ``copied from curl 8.1.0 (curl), lib/url.c:100-131``."""
    return f"{_COPIED[finding.kind]} {place(finding.source)}"


def copied_lines(finding: Finding) -> str:
    """The same of the whole region, and which of its lines the change adds, if not all of them."""
    noun = "line" if finding.lines.first == finding.lines.last else "lines"
    text = f"{noun} {lines(finding.lines)} {copied(finding)}"
    if finding.added in ((), (finding.lines,)):
        return text
    more = len(finding.added) - _RANGES
    ranges = ", ".join(lines(added) for added in finding.added[:_RANGES])
    return f"{text}; the change adds {ranges}" + (f" and {number(more, 'more stretch', 'es')}" if more > 0 else "")


def likeness(finding: Finding) -> str:
    """How, how much and how closely: ``verbatim, 180 tokens, 97% the same``."""
    return f"{finding.kind}, {number(finding.tokens, 'token')}, {hundredths(finding.similarity)}% the same"


def also_in(finding: Finding) -> str | None:
    """Where else the copied code stands; first, where the policy denies what it does not deny of the source."""
    if not finding.also_in:
        return None
    more = len(finding.also_in) - 1
    denied = ", which the policy denies" if finding.objection else ""
    return f"also in {place(finding.objection or finding.also_in[0])}{denied}" + (
        f", and {more:,} more" if more else ""
    )


def place(where: Place) -> str:
    """Source, licence and lines: ``curl 8.1.0 (curl), lib/url.c:100-131``."""
    return printable.name(f"{_origin(where.file.source)}, {where.file.path}:") + lines(where.lines)


def origin(source: Source) -> str:
    """A source with its version and licence: ``curl 8.1.0 (curl)``."""
    return printable.name(_origin(source))


def _origin(source: Source) -> str:
    version = f" {source.version}" if source.version else ""
    licence = "unknown licence" if source.license == "unknown" else source.license
    return f"{source.name}{version} ({licence})"


def located(path: str, where: LineRange) -> str:
    """A place in the change: ``src/a.c:10-42``."""
    return printable.name(f"{path}:{lines(where)}")


def lines(where: LineRange) -> str:
    """A range of lines: ``10-42``, or ``7``."""
    return str(where.first) if where.first == where.last else f"{where.first}-{where.last}"


def number(count: int, noun: str, plural: str = "s") -> str:
    """A number of things: ``1 file``, ``2,000 files``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}{plural}"


def frame(finding: Finding, width: int) -> Iterator[tuple[str, str]]:
    """The first lines of a finding, each as a numbered margin and the code, cut so that both fit into the width."""
    first, last = finding.lines
    excerpt = finding.excerpt[: min(_EXCERPT_LINES, last - first + 1)]
    digits = len(str(first + len(excerpt)))
    room = max(width, _NARROWEST) - digits - len("   │ ")
    for line_number, line in enumerate(excerpt, first):
        # Cut before escaping too: a line may be megabytes long.
        code = printable.code(line[: room + 1])
        yield f"{line_number:>{digits}} │", cut(code, room)
    if last - first + 1 > len(excerpt) > 0:
        yield f"{'…':>{digits}} │", ""


def cut(text: str, room: int) -> str:
    """The text, its end dropped if it has more characters than there is room for."""
    return text if len(text) <= room else f"{text[: room - 1]}…"


def summary(report: ScanReport) -> str:
    """The findings of a scan, counted; of an incomplete one it says so first."""
    counts = {level: report.count(level) for level in LEVELS}
    total = sum(counts.values())
    levels = ", ".join(number(count, level) for level, count in counts.items() if count)
    text = f"{number(total, 'finding')} ({levels})" if total else "no findings"
    if suppressed := len(report.findings) - total:
        text += f", {suppressed:,} suppressed"
    if not report.complete:
        failed = number(len(not_scanned(report)), "file")
        text = f"incomplete: {failed} not scanned; in the others {text}"
    return text
