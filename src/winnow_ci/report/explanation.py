"""Everything about one finding, for people who ask whether it is right and what to do about it."""

from __future__ import annotations

import json
import shlex
from glob import escape
from typing import TYPE_CHECKING

from winnow_ci.model.findings import Advice, ShownCode
from winnow_ci.report import likelihood, printable, text, wording
from winnow_ci.report.painting import paint
from winnow_ci.start_up import field, record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.model.findings import Finding
    from winnow_ci.model.side_by_side import ExactRun
    from winnow_ci.report.shown import ReportStyle

SHOWN_CODE = ShownCode(lines=200, marks=True)
_INDENT = "  "


@record(frozen=True, slots=True)
class Explanation:
    """A finding, and what else there is to say about it.

    Attributes:
        finding: the finding, with as much code as ``SHOWN_CODE`` says.
        neighbours: the other findings in its file.
        least: how many tokens on added lines a copy of its kind needs to count.
        guarantees: guarantee thresholds (``Parameters.guarantee``) of the indexes.
        level_reasons: the rules that gave it its level.
        policy_edit: what the policy would have to say to accept it, in words; None if nothing helps.
        is_prose: whether it is in prose or settings, of which every word is a token.
        advice: what can be done about it here.
    """

    finding: Finding
    neighbours: tuple[Finding, ...]
    least: int
    guarantees: tuple[int, ...]
    level_reasons: tuple[str, ...]
    policy_edit: str | None
    is_prose: bool = False
    advice: Advice = field(default_factory=Advice)


def render(explanation: Explanation, style: ReportStyle) -> str:
    """A heading, then a paragraph for each topic."""
    finding = explanation.finding
    paragraphs = {
        f"id {printable.name(finding.id)}": (),
        "what matches": _likeness(explanation),
        "for and against a copy, by weight": _reasons(finding),
        "the code": text.code(finding, style, SHOWN_CODE.lines),
        "names": _names(finding, style),
        "the sources": _sources(finding),
        "the level": _level(explanation),
        "other findings in the file": map(_neighbour, explanation.neighbours),
        "to allow it": _permissions(finding, explanation),
    }
    blocks = [text.heading(finding, style)]
    for title, lines in paragraphs.items():
        written = [line if title == "the code" else _INDENT + line for line in lines]
        if written or title.startswith("id "):
            blocks.append("\n".join([paint(title, "path", style), *written]))
    return "\n\n".join(blocks) + "\n"


def _likeness(explanation: Explanation) -> Iterator[str]:
    finding = explanation.finding
    yield f"{wording.likeness(finding)}, {wording.counted(finding.fingerprints, 'fingerprint')}"
    if reordered := wording.reordered(finding):
        yield reordered
    if finding.strength == "strong" and not finding.identical:
        yield wording.evidence(finding)
    yield from _exact(finding)
    yield _added(finding)
    if finding.identical:
        yield f"the whole file is the source's, but for line ends and a last line break; {_COUNTS}"
        yield f"{explanation.least} tokens (docs/matching.md)"
        return
    if explanation.is_prose:
        yield f"its words are those of the source; {_COUNTS}"
        yield f"{explanation.least} words (docs/matching.md)"
        return
    key = "min_tokens" if finding.kind == "verbatim" else "min_tokens_renamed"
    runs = " or ".join(str(guarantee) for guarantee in dict.fromkeys(explanation.guarantees))
    yield f"{_KINDS[finding.kind]}; {_COUNTS}"
    run = f" and a run of {runs} of them, or" if finding.kind == "verbatim" else " and"
    yield f"{explanation.least} tokens (report.{key}){run} enough evidence that it is no chance (docs/matching.md)"


def _reasons(finding: Finding) -> Iterator[str]:
    """What adds to the log-odds of a copy; together with the base of the model they are those of the finding."""
    for odds, words in likelihood.reasons(finding):
        yield f"{odds:>5}  {words}"


def _exact(finding: Finding) -> Iterator[str]:
    """The longest runs, where both texts are known."""
    runs = finding.beside.exact if finding.beside else None
    equal, renamed = runs or (None, None)
    if renamed and (equal is None or renamed.tokens > equal.tokens):
        yield f"the longest run with names changed one to one, compared token by token: {_run(renamed)}"
    if equal:
        yield f"the longest run of equal tokens: {_run(equal)}"


def _run(run: ExactRun) -> str:
    places = f"lines {wording.lines(run.lines)}, of the source {wording.lines(run.lines_there)}"
    return f"{wording.counted(run.tokens, 'token')}, {places}"


_COUNTS = "such a copy counts if, on added lines, it has at least"
_KINDS = {
    "verbatim": "its tokens are those of the source, or all but a few",
    "renamed": "its structure is that of the source, and most names stand for one name each",
}


def _added(finding: Finding) -> str:
    total = wording.counted(finding.lines.last - finding.lines.first + 1, "line")
    if finding.added == (finding.lines,):
        return f"the change adds all of its {total}" if total != "1 line" else "the change adds its line"
    return f"of its {total} the change adds {', '.join(map(wording.lines, finding.added)) or 'none'}"


def _names(finding: Finding, style: ReportStyle) -> list[str]:
    """All changed names, as many on a line as fit; every line begins with a name."""
    room, lines = max(style.width, 40) - len(_INDENT), [""]
    for pair in wording.renamed_pairs(finding):
        longer = f"{lines[-1]}, {pair}" if lines[-1] else pair
        if len(longer) < room:
            lines[-1] = longer
        else:
            lines.append(pair)
    return [line for line in lines if line]


def _sources(finding: Finding) -> Iterator[str]:
    for told in (wording.licence_origin(finding), wording.file_licence(finding)):
        if told:
            yield told
    for place in (finding.source, *finding.also_in):
        url = place.file.source.url
        yield wording.place(place) + (f", {printable.name(url)}" if url else "")


def _level(explanation: Explanation) -> Iterator[str]:
    finding = explanation.finding
    yield finding.level
    yield from map(printable.name, explanation.level_reasons)
    if finding.strength == "weak":
        why = f", since it is {printable.name(finding.filter)}" if finding.filter else ""
        yield f"it is weak{why}: no more than report.weak says (docs/matching.md)"
    allowed_by = wording.allowed_by(finding)
    yield f"suppressed: {allowed_by}" if allowed_by else "nothing suppresses it"


def _neighbour(finding: Finding) -> str:
    where = f"lines {wording.lines(finding.lines)}: {finding.level}: {wording.copied(finding)}"
    return f"{where}, id {printable.name(finding.id)}"


def _permissions(finding: Finding, explanation: Explanation) -> Iterator[str]:
    advice, source = explanation.advice, finding.source.file.source
    if finding.suppressed not in {None, "inline"}:
        return
    if finding.suppressed:
        yield f"also where a change cannot allow its own copies, as on a CI: {wording.approval(finding, advice)}"
        return
    # A pattern without a slash would match files of that name in any folder.
    file = finding.path if "/" in finding.path else f"/{finding.path}"
    line = wording.permission_line(finding) if advice.comments else None
    if line:
        yield f"this copy: {line}"
    where = ", also where a change cannot allow its own copies, as on a CI" if line else ""
    yield f"this copy{where}: {wording.approval(finding, advice)}"
    yield f"all code of this source, if it is yours: own: [{_pattern(source.name)}] in .winnow.yml"
    yield f"all code that this file has, if it is everybody's: boilerplate: [{_pattern(file)}] in .winnow.yml"
    if edit := explanation.policy_edit:
        yield f"all code on such terms: {printable.name(edit)} in .winnow.yml"
    update = shlex.join(["winnow-ci", "scan", *advice.options, "--update-baseline"])
    yield f"all copies that are here now: {printable.name(update)}"


def _pattern(name: str) -> str:
    """The pattern that matches a name and no other, in quotes."""
    return printable.name(json.dumps(escape(name), ensure_ascii=False))
