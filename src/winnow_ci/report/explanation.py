"""Write the texts of ``explain``: everything about a finding, or the accepted copies."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from glob import escape

from winnow_ci.model import RESTATED
from winnow_ci.model.findings import Advice, BaselineEntry, Finding, ScanReport, ShownCode
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report import wording
from winnow_ci.report.excerpts import code_of
from winnow_ci.report.printable import name, table
from winnow_ci.report.shown import ReportStyle, accepted_by_people, paint, undecided_count, versioned
from winnow_ci.report.text import heading

SHOWN_CODE = ShownCode(lines=200, marks=True)
ACCEPTED_COLUMNS = ("where", "source", "licence", "how", "by", "on", "until", "reason")
_INDENT = "  "
_COUNTS = "such a copy counts if the added lines have at least"
_KINDS = {
    "verbatim": "all its tokens, or all but a few, equal the source's",
    "renamed": "it has the source's structure, and most names correspond one to one",
    "restated": "it has the source's rare words, and little of its structure",
    "translated": "it has the source's rare words; the source is in another language",
}


class Explanation(NamedTuple):
    """A finding, and what else there is to say about it."""

    finding: Finding  # with as much code as ``SHOWN_CODE`` says
    neighbours: tuple[Finding, ...]  # the other findings in its file
    least: int  # tokens on added lines that a copy of its kind needs to count
    guarantees: tuple[int, ...]  # ``Parameters.guarantee`` of the indexes
    level_reasons: tuple[str, ...]  # the rules that gave it its level
    to_allow: tuple[str, ...] = ()  # licences that the policy would have to allow to accept it
    is_prose: bool = False  # it is in prose or settings, where every word is a token
    advice: Advice = Advice()
    requirements: tuple[str, ...] = ()  # what its licences require


_OF_A_PERSON = frozenset({"the code", "other findings in the file", "to allow it"})


def render(explanation: Explanation, style: ReportStyle, *, for_program: bool = False) -> str:
    """A heading, then a paragraph for each topic; a program gets no code, and no way to allow a copy."""
    finding = explanation.finding
    paragraphs = {
        f"id {name(finding.id)}": (),
        "what matches": _likeness(explanation),
        "for and against a copy, by weight": (
            f"{odds:>5}  {words}" for odds, words in wording.weighed_reasons(finding)
        ),
        "the code": code_of(finding, style, SHOWN_CODE.lines),
        "names": _names(finding, style),
        "the sources": _sources(finding),
        "what the licence requires": map(name, explanation.requirements),
        "the level": _level(explanation),
        "other findings in the file": (
            f"{wording.numbered(one.lines)}: {one.level}: {wording.copied(one)}, id {name(one.id)}"
            for one in explanation.neighbours
        ),
        "to allow it": _permissions(finding, explanation),
    }
    blocks = [heading(finding, style)]
    for title, lines in paragraphs.items():
        if for_program and title in _OF_A_PERSON:
            continue
        written = [line if title == "the code" else _INDENT + line for line in lines]
        if written or title.startswith("id "):
            blocks.append("\n".join([paint(title, "path", style), *written]))
    return "\n\n".join(blocks) + "\n"


def _likeness(explanation: Explanation) -> Iterator[str]:
    finding = explanation.finding
    fingerprints = f", {wording.counted(finding.fingerprints, 'fingerprint')}" if finding.kind not in RESTATED else ""
    yield f"{wording.likeness(finding, len(finding.words))}{fingerprints}"
    yield from wording.facts(finding, wording.reordered)
    if finding.strength == "strong" and not finding.identical:
        yield wording.evidence(finding)
    yield from _exact(finding)
    yield _added(finding)
    if finding.identical:
        yield f"the whole file equals the source's, except for line endings and a final line break; {_COUNTS}"
        yield f"{explanation.least} tokens"
    elif explanation.is_prose:
        yield f"its words equal the source's; {_COUNTS}"
        yield f"{explanation.least} words"
    elif finding.kind in RESTATED:
        yield f"{_KINDS[finding.kind]}; unrelated code may have them, too"
    else:
        is_verbatim = finding.kind == "verbatim"
        key = "min_tokens" if is_verbatim else "min_tokens_renamed"
        runs = " or ".join(str(guarantee) for guarantee in dict.fromkeys(explanation.guarantees))
        run = f" and a run of {runs} of them, or" if is_verbatim else " and"
        yield f"{_KINDS[finding.kind]}; {_COUNTS}"
        yield f"{explanation.least} tokens (report.{key}){run} enough evidence against chance"


def _exact(finding: Finding) -> Iterator[str]:
    """The longest runs, where both texts are known."""
    equal, renamed = (finding.beside and finding.beside.exact) or (None, None)
    is_longer = renamed and (equal is None or renamed.tokens > equal.tokens)
    for run, what in ((renamed if is_longer else None, "with names changed one to one"), (equal, "of equal tokens")):
        if run:
            places = f"{wording.numbered(run.lines)}, of the source {wording.range_of(run.lines_there)}"
            yield f"the longest run {what}: {wording.counted(run.tokens, 'token')}, {places}"


def _added(finding: Finding) -> str:
    total = wording.counted(finding.lines.last - finding.lines.first + 1, "line")
    if finding.added == (finding.lines,):
        return f"the change adds all of its {total}" if total != "1 line" else "the change adds its line"
    return f"of its {total} the change adds {wording.several_ranges(finding.added, len(finding.added)) or 'none'}"


def _names(finding: Finding, style: ReportStyle) -> list[str]:
    """All changed names, as many on a line as fit; every line begins with a name."""
    room, lines = max(style.width, 40) - len(_INDENT), list[str]()
    for pair in wording.renamed_pairs(finding):
        if lines and len(lines[-1]) + len(pair) + 2 < room:
            lines[-1] += f", {pair}"
        else:
            lines.append(pair)
    return lines


def _sources(finding: Finding) -> Iterator[str]:
    yield from wording.facts(finding, wording.licence_origin, wording.file_licence)
    for place in (finding.source, *finding.also_in):
        url = place.file.source.url
        yield wording.source_place(place) + (f", {name(url)}" if url else "")


def _level(explanation: Explanation) -> Iterator[str]:
    finding = explanation.finding
    yield finding.level
    yield from map(name, explanation.level_reasons)
    if finding.strength == "weak":
        why = f", since it is {name(finding.filter)}" if finding.filter else ""
        yield f"it is weak{why}: report.weak limits its level"
    allowed_by = wording.allowed_by(finding)
    yield f"suppressed: {allowed_by}" if allowed_by else "nothing suppresses it"


def _permissions(finding: Finding, explanation: Explanation) -> Iterator[str]:
    advice, source = explanation.advice, finding.source.file.source
    on_ci = "also in CI, where a change cannot allow its own copies"
    if finding.suppressed:
        if finding.suppressed == "inline":
            yield f"{on_ci}: {wording.approval(finding, advice)}"
        return
    # A pattern without a slash would match files of that name in any folder.
    file = finding.path if "/" in finding.path else f"/{finding.path}"
    line = wording.permission_line(finding) if advice.comments else None
    if line:
        yield f"this copy: {line}"
    yield f"this copy{f', {on_ci}' if line else ''}: {wording.approval(finding, advice)}"
    yield f"all code of this source, if it is yours: own: [{_pattern(source.name)}] in .winnow.yml"
    yield f"all code of this file, if everybody has it: boilerplate: [{_pattern(file)}] in .winnow.yml"
    if licences := ", ".join(json.dumps(one, ensure_ascii=False) for one in explanation.to_allow):
        yield f"all code on such terms: {name(f'policy: {{allow: [{licences}]}}')} in .winnow.yml"
    update = shlex.join(["winnow-ci", "scan", *advice.options, "--update-baseline"])
    yield f"all present copies: {name(update)}"


def _pattern(text: str) -> str:
    """The pattern that matches a name and no other, in quotes."""
    return name(json.dumps(escape(text), ensure_ascii=False))


def accepted_copies(report: ScanReport) -> str:
    """A table of the accepted copies and of approvals that wait for their copies, and how many there are."""
    rows, awaited, undecided = list(accepted_rows(report)), len(report.baseline.waiting), undecided_count(report)
    accepted = len(rows) - awaited
    parts = [wording.counted(accepted, "accepted copy", "accepted copies") if accepted else "no accepted copies"]
    parts += [f"{awaited:,} still to come"] if awaited else []
    parts += [f"{undecided:,} in the baseline without a decision"] if undecided else []
    drawn = [table([tuple(map(str.upper, ACCEPTED_COLUMNS)), *rows]), ""] if rows else []
    return "\n".join([*drawn, ", ".join(parts)]) + "\n"


def accepted_rows(report: ScanReport) -> Iterator[tuple[str, ...]]:
    """A row of text for each accepted copy, then for each approval that waits for its copy."""
    for one in accepted_by_people(report):
        source, how = one.source.file.source, "comment" if one.suppressed == "inline" else "baseline"
        where = f"{one.path}:{wording.range_of(one.lines)}"
        yield where, versioned(source), source.license, how, *_recorded(one)
    for entry in report.baseline.waiting:
        yield entry.path, entry.source, entry.license, "to come", *_recorded(entry)


def _recorded(one: Finding | BaselineEntry) -> tuple[str, ...]:
    return tuple(str(value or "") for value in (one.recorded_by, one.recorded_on, one.expires, one.reason))
