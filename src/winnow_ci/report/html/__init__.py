"""Write the HTML report: one file, which loads nothing, works without its script, and prints.

Python says in plain values what a page shows, ``templates`` turn them into HTML, and ``page.css`` and ``page.js`` stand
beside them. Here is the page of a scan; ``report.comparison`` has that of ``winnow-ci compare``. Only ``markup``
imports Jinja2.
"""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report import addresses, shown, wording
from winnow_ci.report.coverage import coverage_sentences
from winnow_ci.report.html.markup import ROOM, body_of, link, page_of
from winnow_ci.report.html.panes import panes, ribbon
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from markupsafe import Markup

    from winnow_ci.model.findings import Advice, Finding, ScanReport
    from winnow_ci.report.shown import ReportStyle

MOST_BARS = 8
_ALLOWED = "allowed"
"""The level of a suppressed finding, in the words of the page."""
_WIDEST_BAR = 78  # percent: the number stands beside it
_MOST_NOT_SCANNED = 200
_SHORT_ID = 12
_MOST_RANGES = 8
_NAMED_SOURCES = 3


class ListedFinding(NamedTuple):
    """A line of the list of findings."""

    finding: Finding
    anchor: str  # its name in the page
    level: str  # or ``allowed``
    source: str  # with the version
    sure: str  # how likely it is a copy
    percent: int  # how much of it is the source's


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


def render(report: ScanReport, style: ReportStyle) -> str:
    """The page; a browser knows best what its screen can show."""
    return scan_page(report, documentation=style.documentation)


def scan_page(report: ScanReport, room: int = ROOM, documentation: str | None = None) -> str:
    """The page of a scan, with ``room`` bytes for its findings: the same bytes for the same report.

    It links to the documentation, if that has an address.
    """
    listed, skipped, scope = listed_findings(report), shown.not_scanned(report), report.scope
    present = {one.level for one in listed}
    words, css = verdict(report)
    return page_of(
        "scan.html.j2",
        listed,
        lambda most_rows: _bodies(report, listed, documentation, most_rows),
        room,
        verdict=words,
        verdict_css=css,
        sentence=sentence(report),
        base=scope.base[:_SHORT_ID] if scope.base else "nothing",
        head=scope.head[:_SHORT_ID] if scope.head else "index" if scope.mode == "staged" else "work tree",
        scope=scope,
        covered=_covered(report),
        not_scanned=skipped[:_MOST_NOT_SCANNED],
        not_scanned_count=len(skipped),
        not_scanned_page=addresses.of_rule(documentation, shown.NOT_SCANNED),
        notices=report.all_notices,
        coverage=tuple(coverage_sentences(report)),
        bar_lists=bar_lists(listed),
        levels=[level for level in (*shown.LEVELS, _ALLOWED) if level in present],
        folded={"note"} if present & {"error", "warning"} else set(),
    )


# ---- the overview ----------------------------------------------------------------------------------------------


def listed_findings(report: ScanReport) -> list[ListedFinding]:
    """All findings, those that nothing suppresses first, each with an anchor of its own."""
    open_findings = [finding for finding in report.findings if finding.suppressed is None]
    allowed = [finding for finding in report.findings if finding.suppressed]
    taken: Counter[str] = Counter()
    return [
        ListedFinding(
            finding,
            _anchor(finding.id, taken),
            _ALLOWED if finding.suppressed else finding.level,
            shown.versioned(finding),
            wording.likelihood(finding),
            shown.hundredths(finding.similarity),
        )
        for finding in (*shown.ranked(open_findings), *shown.ranked(allowed))
    ]


def _anchor(finding_id: str, taken: Counter[str]) -> str:
    """A name for a link, unlike all before it; ids of a stored report may be anything."""
    plain = "f-" + "".join(letter for letter in finding_id if letter.isascii() and letter.isalnum())
    taken[plain] += 1
    return plain if taken[plain] == 1 else f"{plain}-{taken[plain]}"


def verdict(report: ScanReport) -> tuple[str, str]:
    """``INCOMPLETE · 2 errors · 1 warning · 3 allowed``, and the class that colours it."""
    counts = {level: report.count(level) for level in shown.LEVELS}
    if not report.files_scanned and report.complete and not report.findings:
        return "nothing to look at", "empty"
    words = [counted(count, level) for level, count in counts.items() if count] or ["no copies found"]
    if allowed := len(report.findings) - sum(counts.values()):
        words.append(f"{allowed:,} {_ALLOWED}")
    if not report.complete:
        return " · ".join(["INCOMPLETE", *words]), "error"
    return " · ".join(words), next((level for level in shown.LEVELS if counts[level]), "clean")


def sentence(report: ScanReport) -> str:
    """The verdict in words: what was copied from where, and what to do about it."""
    found = shown.ranked(shown.readable(report))
    denied, errors = [one for one in found if one.denied], [one for one in found if one.level == "error"]
    if denied:
        return f"{_copied_from(denied)}, which the policy denies. Do not merge until this is removed or approved."
    if errors:
        return f"{_copied_from(errors)}, which nobody has allowed. Remove, allow or approve this before you merge."
    if found:
        return f"{_copied_from(found)}. None of this fails the check."
    return ""


def _copied_from(findings: Sequence[Finding]) -> str:
    """``2 places were copied from minio 1.0 (AGPL-3.0-or-later)``."""
    sources = list(dict.fromkeys(f"{shown.versioned(one)} ({one.source.file.source.license})" for one in findings))
    more = [f"{len(sources) - _NAMED_SOURCES:,} more"] if sources[_NAMED_SOURCES:] else []
    *before, last = [*sources[:_NAMED_SOURCES], *more]
    named = f"{', '.join(before)} and {last}" if before else last
    return f"{counted(len(findings), 'place was', 'places were')} copied from {named}"


def _covered(report: ScanReport) -> str:
    """``5 files, 5,871 tokens · everything in scope was scanned``."""
    missing = len(shown.not_scanned(report))
    left = f"{counted(missing, 'file')} NOT scanned" if missing else "everything in scope was scanned"
    return f"{counted(report.files_scanned, 'file')}, {counted(report.tokens, 'token')} · {left}"


def bar_lists(findings: Sequence[ListedFinding]) -> tuple[BarList, ...]:
    """Copied lines by source, by licence, and by file, or by folder if there are many files."""
    by_file = _bars("by file", findings, lambda one: one.finding.path)
    by_folder = _bars("by folder", findings, lambda one: one.finding.path.rpartition("/")[0] or ".")
    return (
        _bars("Copied lines by source", findings, lambda one: one.source),
        _bars("by licence", findings, lambda one: one.finding.source.file.source.license),
        by_folder if by_file.more and len(by_folder.bars) > 1 else by_file,
    )


def _bars(title: str, findings: Iterable[ListedFinding], key: Callable[[ListedFinding], str]) -> BarList:
    """Lines are counted once for each name, however many findings have them."""
    named: defaultdict[str, list[ListedFinding]] = defaultdict(list)
    for one in findings:
        named[key(one)].append(one)
    counts = {name: shown.covered_lines(one.finding for one in some) for name, some in named.items()}
    longest = max(counts.values(), default=1)
    bars = [
        Bar(name, count, round(_WIDEST_BAR * count / longest, 1), _worst_level(named[name]))
        for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]
    return BarList(title, tuple(bars[:MOST_BARS]), max(len(bars) - MOST_BARS, 0))


def _worst_level(findings: Iterable[ListedFinding]) -> str:
    return min((one.level for one in findings), key=[*shown.LEVELS, _ALLOWED].index)


# ---- one finding -----------------------------------------------------------------------------------------------


def _bodies(
    report: ScanReport, listed: list[ListedFinding], documentation: str | None, most_rows: int
) -> Iterator[Markup]:
    approvals = wording.when_approvals_count(report)
    for number, one in enumerate(listed):
        finding = one.finding
        source, beside, rule = finding.source.file.source, finding.beside, shown.rule_id(finding)
        renames = (beside and beside.renames) or finding.renames or ()
        yield body_of(
            "finding.html.j2",
            listed,
            number,
            renames,
            url=link(source.url),
            how=_how(finding, len(renames)),
            rule=rule,
            rule_page=addresses.of_rule(documentation, rule),
            added=wording.several_ranges(finding.added, _MOST_RANGES) or "none of its lines",
            evidence=[sentence[:1].upper() + sentence[1:] for sentence in _evidence(finding)],
            likelihood=wording.odds(finding),
            reasons=list(wording.weighed_reasons(finding)),
            allowed=wording.allowed_by(finding),
            ribbon=ribbon(finding),
            panes=panes(beside, most_rows) if beside else None,
            advice=list(_advice(finding, report.advice)),
            approvals=approvals,
            command=f"winnow-ci report REPORT.json --source {shlex.quote(source.name)}=DIR --format html:FILE",
            help=list(shown.HELP.items())[1:] if finding.suppressed is None else (),
        )


def _how(finding: Finding, renames: int) -> str:
    """What kind of copy a finding is, in a few words."""
    words: str = "identical file" if finding.identical else finding.kind
    if renames:
        words += f", {counted(renames, 'name')} changed"
    if finding.in_text:
        words += ", copied as text"
    return words + (", in another order" if len(finding.block_lines) > 1 else "")


def _evidence(finding: Finding) -> Iterator[str]:
    yield f"{wording.likeness(finding)}."
    if finding.identical:
        yield "The whole file equals the source's, except for line endings and a final line break."
    elif finding.strength == "strong":
        yield f"{wording.evidence(finding)}."
    else:
        yield "Unrelated code may have this much in common."
    if finding.in_text:
        yield "The lines are in a comment, a string or prose, and were compared as code."
    yield from (f"{fact}." for fact in wording.facts(finding, wording.reordered, wording.file_licence, wording.also_in))


def _advice(finding: Finding, advice: Advice) -> Iterator[tuple[str, str]]:
    """What can be done, and what to type or write for it, ready to copy."""
    line = wording.permission_line(finding) if advice.comments else None
    if line and not finding.suppressed:
        words, _, text = line.partition(":  ")
        yield f"to allow it in the file, {words}", text
    if not advice.commands:
        return
    if finding.suppressed in {None, "inline"}:
        yield "to approve it, with a reason", wording.approval(finding, advice)
    yield "to see it all in a terminal", wording.command("explain", finding.id, advice)
