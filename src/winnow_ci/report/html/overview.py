"""The first view: the verdict, what was compared, three lists of bars, and the list of all findings."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report import wording
from winnow_ci.report.shown import LEVELS, copied_lines, hundredths, not_scanned, ranked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from winnow_ci.model.findings import Finding, ScanReport

ALLOWED = "allowed"
"""The level of what is suppressed, in the words of the page."""
MOST_BARS = 8
WIDEST_BAR = 78  # percent: the number stands beside it
MOST_NOT_SCANNED = 200
SHORT_ID = 12


class Bar(NamedTuple):
    """A line of a list of bars: a name, its copied lines, the width of its bar in percent, and its worst level."""

    name: str
    lines: int
    width: float
    level: str


class BarList(NamedTuple):
    """A list of bars, the longest first, and how many are not shown."""

    title: str
    bars: tuple[Bar, ...]
    more: int


class ListedFinding(NamedTuple):
    """A line of the list of findings.

    Attributes:
        finding: the finding.
        anchor: its name in the page.
        level: its level, or ``allowed``.
        source: its source, with the version.
        percent: how much of it is the source's.
    """

    finding: Finding
    anchor: str
    level: str
    source: str
    percent: int


class Verdict(NamedTuple):
    """What a scan came to, in words, and the class that colours it."""

    words: str
    css: str


def listed(report: ScanReport) -> list[ListedFinding]:
    """All findings, those that nothing suppresses first, each with an anchor of its own."""
    shown = [finding for finding in report.findings if finding.suppressed is None]
    allowed = [finding for finding in report.findings if finding.suppressed]
    taken: Counter[str] = Counter()
    return [_listed(finding, taken) for finding in (*ranked(shown), *ranked(allowed))]


def verdict(report: ScanReport) -> Verdict:
    """``INCOMPLETE · 2 errors · 1 warning · 3 allowed``."""
    counts = {level: report.count(level) for level in LEVELS}
    told = [wording.counted(count, level) for level, count in counts.items() if count] or ["no copies found"]
    if allowed := len(report.findings) - sum(counts.values()):
        told.append(f"{allowed:,} {ALLOWED}")
    worst = next((level for level in LEVELS if counts[level]), "clean")
    if report.complete:
        return Verdict(" · ".join(told), worst)
    return Verdict(" · ".join(["INCOMPLETE", *told]), "error")


def compared(report: ScanReport) -> tuple[str, str]:
    """The commits that were compared, shortened."""
    scope = report.scope
    base = scope.base[:SHORT_ID] if scope.base else "nothing"
    return base, scope.head[:SHORT_ID] if scope.head else "index" if scope.mode == "staged" else "work tree"


def covered(report: ScanReport) -> str:
    """``5 files, 5,871 tokens · everything in scope was scanned``."""
    scanned = f"{wording.counted(report.files_scanned, 'file')}, {wording.counted(report.tokens, 'token')}"
    missing = len(not_scanned(report))
    if not missing:
        return f"{scanned} · everything in scope was scanned"
    return f"{scanned} · {wording.counted(missing, 'file')} NOT scanned"


def bar_lists(findings: Sequence[ListedFinding]) -> tuple[BarList, ...]:
    """Copied lines by source, by licence, and by file, or by folder if there are many files."""
    by_file = _bars("by file", findings, lambda one: one.finding.path)
    by_folder = _bars("by folder", findings, lambda one: one.finding.path.rpartition("/")[0] or ".")
    return (
        _bars("Copied lines by source", findings, lambda one: one.source),
        _bars("by licence", findings, lambda one: one.finding.source.file.source.license),
        by_folder if by_file.more and len(by_folder.bars) > 1 else by_file,
    )


def level_of(finding: Finding) -> str:
    """The level of a finding in the words of the page."""
    return ALLOWED if finding.suppressed else finding.level


def _listed(finding: Finding, taken: Counter[str]) -> ListedFinding:
    anchor = _anchor(finding.id, taken)
    source = wording.versioned(finding.source.file.source)
    return ListedFinding(finding, anchor, level_of(finding), source, hundredths(finding.similarity))


def _anchor(finding_id: str, taken: Counter[str]) -> str:
    """A name for a link, unlike all before it; ids of a stored report may be anything."""
    plain = "f-" + "".join(letter for letter in finding_id if letter.isascii() and letter.isalnum())
    taken[plain] += 1
    return plain if taken[plain] == 1 else f"{plain}-{taken[plain]}"


def _bars(title: str, findings: Iterable[ListedFinding], key: Callable[[ListedFinding], str]) -> BarList:
    """Lines are counted once for each name, however many findings have them."""
    named: defaultdict[str, list[ListedFinding]] = defaultdict(list)
    for one in findings:
        named[key(one)].append(one)
    lines = ((copied_lines(one.finding for one in some), name) for name, some in named.items())
    counts = sorted(lines, key=lambda one: (-one[0], one[1]))
    longest = counts[0][0] if counts else 1
    worst = {name: _worst({one.level for one in some}) for name, some in named.items()}
    bars = (Bar(name, count, round(WIDEST_BAR * count / longest, 1), worst[name]) for count, name in counts)
    return BarList(title, tuple(bars)[:MOST_BARS], max(len(counts) - MOST_BARS, 0))


def _worst(levels: set[str]) -> str:
    return min(levels, key=[*LEVELS, ALLOWED].index)
