"""Write the HTML report: one file, which loads nothing, works without its script, and prints.

``templates`` make the page of values and words; ``page.css`` and ``page.js`` stand beside them. Here is the page of a
scan; ``report.comparison`` has that of ``winnow-ci compare``. Only ``markup`` imports Jinja2.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from winnow_ci.model import RESTATED
from winnow_ci.model.findings import Finding, ScanReport
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report import addresses, shown, wording
from winnow_ci.report.coverage import coverage_sentences
from winnow_ci.report.html.markup import body_of, page_of
from winnow_ci.report.html.panes import WHOLE_BAND, panes, ribbon
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    from markupsafe import Markup

    from winnow_ci.report.shown import ReportStyle

_DENIED, _WEAK, _ALLOWED = "denied", "weak", "allowed"
"""The levels of an error that the policy denies by name, of a weak note and of a suppressed finding, on the page."""
_LEVELS = (_DENIED, *shown.LEVELS, _WEAK, _ALLOWED)
_NAMED_SOURCES = 3


class ListedFinding(NamedTuple):
    """A line of the list of findings."""

    finding: Finding
    others: tuple[Finding, ...]  # the same lines of the source in other places
    anchor: str  # its name in the page
    level: str  # one of ``_LEVELS``
    source: str  # with the version


class Bar(NamedTuple):
    """A line of a list of bars: a name, its copied lines, and its worst level."""

    name: str
    lines: int
    level: str


def render(report: ScanReport, style: ReportStyle) -> str:
    """The page of a scan: the same bytes for the same report."""
    listed = listed_findings(report)
    present = {one.level for one in listed}
    words, css = verdict(report)
    return page_of(
        "scan.html.j2",
        listed,
        lambda most_rows: _bodies(report, listed, style.documentation, most_rows),
        verdict=words,
        verdict_css=css,
        sentence=sentence(report),
        report=report,
        not_scanned=shown.not_scanned(report),
        not_scanned_page=addresses.of_rule(style.documentation, shown.NOT_SCANNED),
        coverage=tuple(coverage_sentences(report)),
        bars=bars_by_source(listed),
        levels=[level for level in _LEVELS if level in present],
        # A reader has to ask for them, if there are worse ones.
        folded={level for level in ("note", _WEAK) if present & set(_LEVELS[: _LEVELS.index(level)])},
    )


def listed_findings(report: ScanReport) -> list[ListedFinding]:
    """All findings, by cause, those that nothing suppresses first, each with an anchor of its own."""
    taken: Counter[str] = Counter()
    entries = []
    for finding, *others in shown.causes(report.findings):
        anchor, source = _anchor(finding.id, taken), shown.versioned(finding.source.file.source)
        entries.append(ListedFinding(finding, tuple(others), anchor, _level(finding), source))
    return sorted(entries, key=lambda one: _LEVELS.index(one.level))


def _level(finding: Finding) -> str:
    if finding.suppressed:
        return _ALLOWED
    if finding.denied and finding.level == "error":
        return _DENIED
    return _WEAK if finding.level == "note" and finding.strength == "weak" else finding.level


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
    if denied := sum(_level(one) == _DENIED for one in report.findings):
        words[0] += f", {denied:,} of them denied" if denied < counts["error"] else ", denied"
    if allowed := len(report.findings) - sum(counts.values()):
        words.append(f"{allowed:,} {_ALLOWED}")
    if not report.complete:
        return " · ".join(["INCOMPLETE", *words]), "error"
    return " · ".join(words), next((level for level in shown.LEVELS if counts[level]), "clean")


def sentence(report: ScanReport) -> str:
    """The verdict in words: what was copied from where, and what to do about it."""
    found = shown.ranked(shown.readable(report))
    denied = [one for one in found if _level(one) == _DENIED]
    errors = [one for one in found if _level(one) == "error"]
    parts = [f"{_copied_from(denied)}, which the policy denies"] if denied else []
    parts += [f"{_copied_from(errors)}, which nobody has allowed"] if errors else []
    if parts:
        done = "removed, allowed or approved" if errors else "removed or approved"
        return f"{'; '.join(parts)}. Do not merge until {'each' if parts[1:] else 'this'} is {done}."
    if found:
        return f"{_copied_from(found)}. None of this fails the check."
    return ""


def _copied_from(findings: Sequence[Finding]) -> str:
    """``2 places were copied from minio 1.0 (AGPL-3.0-or-later)``, or may restate it."""
    places = (one.source.file.source for one in findings)
    sources = list(dict.fromkeys(f"{shown.versioned(source)} ({source.license})" for source in places))
    more = [f"{len(sources) - _NAMED_SOURCES:,} more"] if sources[_NAMED_SOURCES:] else []
    *before, last = [*sources[:_NAMED_SOURCES], *more]
    named = f"{', '.join(before)} and {last}" if before else last
    if all(one.kind in RESTATED for one in findings):
        return f"{counted(len(findings), 'place')} may restate {named}"
    return f"{counted(len(findings), 'place was', 'places were')} copied from {named}"


def bars_by_source(findings: Sequence[ListedFinding]) -> list[Bar]:
    """Copied lines by source, the longest bar first; a chart of one source would say nothing."""
    bars = []
    for name, some in shown.by_key(findings, lambda one: one.source).items():
        lines = shown.covered_lines(finding for one in some for finding in (one.finding, *one.others))
        bars.append(Bar(name, lines, min((one.level for one in some), key=_LEVELS.index)))
    return [] if len(bars) == 1 else sorted(bars, key=lambda bar: (-bar.lines, bar.name))


def _bodies(
    report: ScanReport, listed: list[ListedFinding], documentation: str | None, most_rows: int
) -> Iterator[Markup]:
    approvals = wording.when_approvals_count(report)
    for number, one in enumerate(listed):
        finding = one.finding
        source, beside = finding.source.file.source, finding.beside
        renames = (beside and beside.renames) or finding.renames or ()
        yield body_of(
            "finding.html.j2",
            listed,
            number,
            renames,
            rule_page=addresses.of_rule(documentation, shown.rule_id(finding)),
            ribbon=None if (drawn := ribbon(finding)).bands == (WHOLE_BAND,) else drawn,
            panes=panes(beside, most_rows) if beside else None,
            advice=report.advice,
            approvals=approvals,
            command=f"winnow-ci report REPORT.json --source {shlex.quote(source.name)}=DIR --format html:FILE",
        )
