"""The view of one finding: facts, evidence in words, renamed names, and what to do about it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report import wording
from winnow_ci.report.html.markup import link
from winnow_ci.report.html.panes import panes
from winnow_ci.report.html.ribbon import ribbon
from winnow_ci.report.likelihood import odds, reasons
from winnow_ci.report.rules import HELP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.model.findings import Advice, Finding
    from winnow_ci.report.html.overview import ListedFinding
    from winnow_ci.report.html.panes import Panes
    from winnow_ci.report.html.ribbon import Ribbon

MOST_CHIPS = 60
MOST_RANGES = 8


class AdviceLine(NamedTuple):
    """What can be done, and what to type or write for it, ready to copy."""

    words: str
    text: str


class FindingView(NamedTuple):
    """All that a template needs to show a finding.

    Attributes:
        listed: the finding, as it stands in the list.
        number: its place in the list, from 1.
        previous, following: anchors of its neighbours in the list.
        source: its source, with the version.
        url: of the source, if it may be a link.
        how: what kind of copy it is, in a few words.
        added: the lines that the change adds.
        evidence: sentences on what is the same.
        likelihood: how likely it is a copy, in words.
        reasons: what speaks for a copy, then against it: log-odds and words.
        allowed: why it is allowed; None if it is not.
        renames: names of the source, their names in the change, and how often.
        renames_left_out: how many more there are.
        ribbon: which lines match which.
        panes: both sides; None if neither is known.
        advice: what can be done.
        command: what shows both sides if the source's text is not known.
        help: what is best done, in words.
    """

    listed: ListedFinding
    number: int
    previous: str | None
    following: str | None
    source: str
    url: str | None
    how: str
    added: str
    evidence: tuple[str, ...]
    likelihood: str
    reasons: tuple[tuple[str, str], ...]
    allowed: str | None
    renames: tuple[tuple[str, str, int], ...]
    renames_left_out: int
    ribbon: Ribbon
    panes: Panes | None
    advice: tuple[AdviceLine, ...]
    command: str
    help: tuple[tuple[str, str], ...]


def finding_view(findings: list[ListedFinding], number: int, advice: Advice, most_rows: int) -> FindingView:
    """The view of the finding with that place in the list, counted from 0."""
    listed = findings[number]
    finding = listed.finding
    source = finding.source.file.source
    renames = (finding.beside and finding.beside.renames) or finding.renames or ()
    return FindingView(
        listed,
        number + 1,
        findings[number - 1].anchor if number else None,
        findings[number + 1].anchor if number + 1 < len(findings) else None,
        wording.versioned(source),
        link(source.url),
        _how(finding, len(renames)),
        wording.ranges(finding.added, MOST_RANGES) or "none of its lines",
        tuple(sentence[:1].upper() + sentence[1:] for sentence in _evidence(finding)),
        odds(finding),
        tuple(reasons(finding)),
        wording.allowed_by(finding),
        renames[:MOST_CHIPS],
        max(len(renames) - MOST_CHIPS, 0),
        ribbon(finding),
        panes(finding.beside, most_rows) if finding.beside else None,
        tuple(_advice(finding, advice)),
        f"winnow-ci report REPORT.json --source {shlex.quote(source.name)}=DIR --format html:FILE",
        tuple(HELP.items())[1:] if finding.suppressed is None else (),
    )


def _how(finding: Finding, renames: int) -> str:
    words: str = "identical file" if finding.identical else finding.kind
    if renames:
        words += f", {wording.counted(renames, 'name')} changed"
    if finding.in_text:
        words += ", copied as text"
    return words + (", in another order" if len(finding.block_lines) > 1 else "")


def _evidence(finding: Finding) -> Iterator[str]:
    yield f"{wording.likeness(finding)}."
    if finding.identical:
        yield "The whole file is the source's, but for line ends and a last line break."
    elif finding.strength == "strong":
        yield f"{wording.evidence(finding)}."
    else:
        yield "Unrelated code may have as much in common."
    if finding.in_text:
        yield "The lines stand in a comment, in a string or in prose; they were read as code and compared."
    for words in (wording.reordered(finding), wording.file_licence(finding), wording.also_in(finding)):
        if words:
            yield f"{words}."


def _advice(finding: Finding, advice: Advice) -> Iterator[AdviceLine]:
    line = wording.permission_line(finding) if advice.comments else None
    if line and not finding.suppressed:
        words, _, text = line.partition(":  ")
        yield AdviceLine(f"to allow it in the file, {words}", text)
    if not advice.commands:
        return
    if finding.suppressed in {None, "inline"}:
        yield AdviceLine("to approve it, with a reason", wording.approval(finding, advice))
    yield AdviceLine("to see all of it in a terminal", wording.command("explain", finding.id, advice))
