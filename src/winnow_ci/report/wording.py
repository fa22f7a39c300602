"""Words that all formats share, so they describe a finding alike.

All text from a change or an index has gone through ``printable`` here.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence

from winnow_ci.model import RESTATED, LineRange, Place, Source
from winnow_ci.model.findings import REASON_HERE, Advice, Finding, Reason, ScanReport
from winnow_ci.report import printable, shown
from winnow_ci.start_up import compiled_on_use

_RANGES = 5
_RENAMES = 6
_LONGEST_WORD = 40


def first_few(words: Sequence[str], most: int = 5) -> str:
    """Join the first words, and count the others."""
    more = len(words) - most
    return ", ".join(words[:most]) + (f" and {more:,} more" if more > 0 else "")


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A number of things: ``1 file``, ``2,000 files``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def shortened(text: str, room: int) -> str:
    """The text, cut to at most ``room`` characters."""
    return text if len(text) <= room else f"{text[: room - 1]}…"


def range_of(lines: LineRange) -> str:
    """A range of lines: ``10-42``, or ``7``."""
    return str(lines.first) if lines.first == lines.last else f"{lines.first}-{lines.last}"


def numbered(lines: LineRange) -> str:
    """A range of lines after its noun: ``lines 10-42``, or ``line 7``."""
    return f"{'line' if lines.first == lines.last else 'lines'} {range_of(lines)}"


def several_ranges(found: Sequence[LineRange], most: int = _RANGES) -> str:
    """Ranges of lines, the first few: ``10-12, 20 and 3 more stretches``."""
    more = f" and {counted(len(found) - most, 'more stretch', 'more stretches')}" if found[most:] else ""
    return ", ".join(map(range_of, found[:most])) + more


def located(path: str, lines: LineRange) -> str:
    """A place in the change, or in a source that the reader knows: ``src/a.c:10-42``."""
    return printable.name(f"{path}:{range_of(lines)}")


def source_place(place: Place) -> str:
    """Source, licence and lines: ``curl 8.1.0 (curl), lib/url.c:100-131``."""
    return f"{licensed(place.file.source)}, {located(place.file.path, place.lines)}"


def licensed(source: Source) -> str:
    """A source with its version and licence: ``curl 8.1.0 (curl)``."""
    licence = "unknown licence" if source.license == "unknown" else source.license
    return printable.name(f"{shown.versioned(source)} ({licence})")


_COPIED = {
    "verbatim": "copied",
    "renamed": "copied and edited",
    "restated": "maybe rewritten",
    "translated": "maybe translated",
}
COPIED_IN_SHORT = {kind: text.split(" and ")[0].capitalize() for kind, text in _COPIED.items()}


def facts(finding: Finding, *tell: Callable[[Finding], str | None]) -> list[str]:
    """The facts about a finding from some functions of this module, without empty ones."""
    return [text for one in tell if (text := one(finding))]


def copied(finding: Finding) -> str:
    """What a finding is: ``copied from curl 8.1.0 (curl), lib/url.c:100-131``."""
    return f"{_COPIED[finding.kind]}{' as text' if finding.in_text else ''} from {source_place(finding.source)}"


def occurrence(finding: Finding) -> str:
    """All about a copy, for bills of materials: ``lines 10-42 from lib/url.c:100-131: …; error; id 5f0c2d9a``."""
    there = f"from {finding.source.file.path}:{range_of(finding.source.lines)}"
    licence = f"licence of the file: {finding.source.file.source.license}"
    accepted = f"; accepted ({finding.suppressed}): {finding.reason or 'no reason'}" if finding.suppressed else ""
    alike = "; ".join(facts(finding, likeness, reordered))
    text = f"{numbered(finding.lines)} {there}: {alike}; {licence}; {finding.level}{accepted}; id {finding.id}"
    return printable.name(text)


def located_copy(finding: Finding) -> str:
    """Where a finding is, and what: ``src/a.c:10-42: copied from curl 8.1.0 (curl), lib/url.c:100-131``."""
    return f"{located(finding.path, finding.lines)}: {copied(finding)}"


def copied_lines(finding: Finding) -> str:
    """``lines 10-42 copied from …``, and the lines that the change adds unless it adds all of them."""
    text = f"{numbered(finding.lines)} {copied(finding)}"
    if finding.added not in ((), (finding.lines,)):
        text += f"; the change adds {several_ranges(finding.added)}"
    return text


def likeness(finding: Finding, most_words: int = _RENAMES) -> str:
    """How many tokens are the source's: ``verbatim but for 6 of 180 tokens, 2 others on its lines``."""
    if finding.identical:
        return f"identical file, {counted(finding.tokens, 'token')}"
    if finding.kind in RESTATED:
        return f"{shared_words(finding, most_words)}; {odds(finding)}"
    found = finding.agreement
    others = f", {counted(found.others, 'other')} on its lines" if found.others else ""
    missing = f", {found.missing:,} of the source's missing" if found.missing else ""
    weak = f"; {evidence(finding)}" if finding.strength == "weak" else ""
    return f"{_agreement(finding)}{others}{missing}{weak}"


def shared_words(finding: Finding, most: int) -> str:
    """Which rare words both sides have: ``has its rare words baseMinusTMin, ucs2decode, … 12 words``."""
    words = map(_word, finding.words[:most])
    named = ", ".join(f'"{word}"' if " " in word else word for word in words)
    count = f", … {len(finding.words):,} words" if len(finding.words) > most else ""
    return f"has its rare words {named}{count}"


def _agreement(finding: Finding) -> str:
    """What kind of copy a finding is, in terms of its own tokens; identical only if nothing at all differs."""
    found, tokens = finding.agreement, counted(finding.tokens, "token")
    if finding.kind == "renamed":
        matched = f"all {tokens}" if found.matched == finding.tokens else f"{found.matched:,} of {tokens}"
        unchanged = "" if found.verbatim is None else f", {found.verbatim:,} of them unchanged"
        return f"names changed: {matched} line up with the source{unchanged}"
    if changed := finding.tokens - (found.verbatim or 0):
        return f"verbatim but for {changed:,} of {tokens}"
    is_identical = found.exact and found.in_order and not found.others and not found.missing
    return f"{'identical' if is_identical else 'verbatim'}, all {tokens}"


def likeness_in_short(finding: Finding) -> str:
    """How much of a copy is the source's: ``97% of 180 tokens verbatim``; 100% only if all are."""
    if finding.identical:
        return "identical file"
    if finding.kind in RESTATED:
        return f"{counted(len(finding.words), 'rare word')} {finding.kind}"
    return f"{shown.hundredths(finding.similarity)}% of {counted(finding.tokens, 'token')} {finding.kind}"


def reordered(finding: Finding) -> str | None:
    """Where blocks in another order come from: ``in another order: lines 10-20 from 150-160, 21-42 from 100-120``."""
    blocks = finding.block_lines
    if len(blocks) == 1:
        return None
    origins = ", ".join(f"{range_of(block.here)} from {range_of(block.there)}" for block in blocks[:_RANGES])
    more = f" and {counted(len(blocks) - _RANGES, 'more block')}" if blocks[_RANGES:] else ""
    return f"in another order: lines {origins}{more}"


def also_in(finding: Finding) -> str | None:
    """Where else the copied code is; a place whose licence the policy denies, unlike the source's, is named first."""
    if not finding.also_in:
        return None
    denied = ", which the policy denies" if finding.objection else ""
    more = f", and {len(finding.also_in) - 1:,} more" if finding.also_in[1:] else ""
    return f"also in {source_place(finding.objection or finding.also_in[0])}{denied}{more}"


def repeated(others: Sequence[Finding], most: int = _RANGES) -> str | None:
    """Where else in the change the same lines of the source are: ``the same in 2 more places: b.js:1-9 (id), …``."""
    named = shown.with_rest((f"{located(one.path, one.lines)} ({printable.name(one.id)})" for one in others), most)
    return f"the same in {counted(len(others), 'more place')}: {', '.join(named)}" if others else None


def renamed(finding: Finding) -> str | None:
    """Which names have become which: ``renamed: buf→data, len→size, … 12 names``."""
    renames = finding.renames or ()
    more = [f"… {len(renames):,} names"] if renames[_RENAMES:] else []
    return f"renamed: {', '.join(renamed_pairs(finding, _RENAMES) + more)}" if renames else None


def renamed_pairs(finding: Finding, most: int | None = None) -> list[str]:
    """Names of the source and what they have become, ``buf→data``: the first ``most``, or all."""
    return [f"{_word(old)}→{_word(new)}" for old, new, _ in (finding.renames or ())[:most]]


def _word(text: str) -> str:
    return shortened(printable.name(text[: _LONGEST_WORD + 1]), _LONGEST_WORD)


def file_licence(finding: Finding) -> str | None:
    """The licences of a file and its source, if different: ``licence: this file GPL-3.0-only, zlib as a whole MIT``."""
    file = finding.source.file
    text = f"licence: this file {file.source.license}, {file.source.name} as a whole {file.package_license}"
    return None if file.package_license in {None, "unknown"} else printable.name(text)


def licence_origin(finding: Finding) -> str | None:
    """Where the licence of a source was read, if the index says so: ``licence MIT, from LICENSE.txt``."""
    source = finding.source.file.source
    text = f"licence {source.license}, from {source.license_from}"
    return None if source.license_from is None else printable.name(text)


# ---- how likely a finding is a copy ----------------------------------------------------------------------------

# Log-odds from which a copy is very likely: nine to one. A probability would need to know how many copies there are
# among all changes.
_VERY_LIKELY = 2.2
# Smaller weights are not shown.
_LEAST_SHOWN = 0.05
_EVIDENCE = ("whole line", "rare name", "rare literal", "phrase")
# The features of ``evidence.model``; one that this version does not know is shown by its name.
_FEATURES = {
    "score": "bits of structure and text",
    "whole": "share on lines that are complete in both files",
    "remarks": "bits of equal comments and strings",
    "names": "equal rare names",
    "run": "tokens in the longest equal run",
    "flow": "recurring names that always match the same name",
    "bare": "no equal line and no equal comment",
    "short": "tokens fewer than 40",
    "again": "share that also occurs elsewhere in the file",
    "places": "other known files with it",
    "files": "other changed files that match the same lines (3 for two and more)",
    "breaks": "breaks per ten tokens",
    "astray": "names per ten tokens that match several names",
    "unlearnt": "a language without tables of common code",
    "words": "bits of shared rare words",
    "share": "sixteenths of its rare words that are the source's",
}
# Features that count on a scale of powers of two.
_LOGARITHMIC = {"names", "flow", "places", "share"}


def likelihood(finding: Finding) -> str:
    """``very likely``, ``likely`` or ``possible``: a weak finding is only possible."""
    is_sure = finding.identical or (finding.log_odds is not None and finding.log_odds >= _VERY_LIKELY)
    return "possible" if finding.strength == "weak" else "very likely" if is_sure else "likely"


def odds(finding: Finding) -> str:
    """How likely a copy is, with its log-odds if they are known: ``very likely a copy (log-odds 6.5)``."""
    words = "possibly" if finding.strength == "weak" else likelihood(finding)
    known = "" if finding.log_odds is None or finding.identical else f" (log-odds {finding.log_odds:.1f})"
    return f"{words} a copy{known}"


def evidence(finding: Finding) -> str:
    """How likely a copy is, and what is equal: ``likely a copy (log-odds 1.9): 12 whole lines, 5 rare names equal``."""
    found = zip(_EVIDENCE, finding.evidence, strict=True)
    parts = [counted(count, one) for one, count in found if count]
    return f"{odds(finding)}: {', '.join(parts) or 'structure'} equal"


def weighed_reasons(finding: Finding) -> Iterator[tuple[str, str]]:
    """The evidence for a copy, then against it, by weight: log-odds with a sign, and the feature in words."""
    for reason in sorted(finding.reasons, key=lambda reason: -reason.log_odds):
        if abs(reason.log_odds) >= _LEAST_SHOWN or reason.feature == "unlearnt":
            yield f"{reason.log_odds:+.1f}", _feature(reason)


def _feature(reason: Reason) -> str:
    words = _FEATURES.get(reason.feature, printable.name(reason.feature))
    value = 2**reason.value - 1 if reason.feature in _LOGARITHMIC else reason.value
    return words if reason.feature in {"bare", "unlearnt"} else f"{words}: {value:.3g}"


# ---- what allows a finding -------------------------------------------------------------------------------------

# What can be one word in a comment of any language.
_PLAIN = compiled_on_use(r"[A-Za-z0-9][A-Za-z0-9.+@/_-]{0,99}")
_ALLOWED_BY = {
    "baseline": "it is in the baseline",
    "inline": "a comment in the file allows it",
    "boilerplate": "it is boilerplate",
    "policy": "the policy allows it",
}
_WHEN_APPROVALS_COUNT = {
    "base": "A change cannot approve its own copies: approve a copy, and merge the baseline first.",
    "server": "A push cannot approve its own copies: approve a copy, and have the entry added to the server's "
    "baseline first.",
}


def allowed_by(finding: Finding) -> str | None:
    """What suppresses a finding: ``it is in the baseline, by Ada <a@b.c>, on 2026-11-28, until 2027-01-31: asked``."""
    parts = ((", by ", finding.recorded_by), (", on ", finding.recorded_on), (", until ", finding.expires))
    record = "".join(word + printable.name(str(value)) for word, value in (*parts, (": ", finding.reason)) if value)
    return f"{_ALLOWED_BY[finding.suppressed]}{record}" if finding.suppressed else None


def command(verb: str, which: str, advice: Advice, *options: str) -> str:
    """The command on a finding, with its id or ``ID``: ``winnow-ci explain ID --since main``."""
    return printable.name(shlex.join(["winnow-ci", verb, which, *options, *advice.options]))


def approval(finding: Finding, advice: Advice) -> str:
    """The command that records a copy in the baseline: ``winnow-ci approve … --reason TEXT --since main``."""
    denied = ("--including-denied",) if finding.denied or finding.objection else ()
    return command("approve", finding.id, advice, "--reason", REASON_HERE, *denied)


def permission(finding: Finding, advice: Advice) -> str | None:
    """What to do about a copy: ``to allow it, put this above line 4:  # winnow-ci: allow curl <reason>``."""
    if finding.denied:
        otherwise = f", or have it approved:  {approval(finding, advice)}" if advice.commands else ""
        return f"remove it{otherwise}"
    if line := permission_line(finding) if advice.comments else None:
        return f"to allow it, {line}"
    return f"to allow it:  {approval(finding, advice)}" if advice.commands else None


def permission_line(finding: Finding) -> str | None:
    """The comment that allows a copy, and where to put it; None if the policy denies it or no comment can name it."""
    if finding.denied or finding.objection:
        return None
    source, (opening, closing) = finding.source.file.source, finding.comment
    where = f"{'above' if opening else 'in a comment above'} line {finding.lines.first}"
    for word in (source.name, source.license):
        if _PLAIN.fullmatch(word) and word != "unknown":
            return f"put this {where}:  {opening}winnow-ci: allow {word} <reason>{closing}"
    return None


def when_approvals_count(report: ScanReport) -> str | None:
    """The notice for readers who cannot allow findings in the change itself; None if it concerns nobody."""
    if report.advice.comments or not any(finding.suppressed is None for finding in report.findings):
        return None
    return _WHEN_APPROVALS_COUNT.get(report.advice.baseline)


def summary(report: ScanReport) -> str:
    """How many findings a scan has; an incomplete scan is called so first."""
    counts = {level: report.count(level) for level in shown.LEVELS}
    folded = sum(counts.values()) - len(shown.readable(report))
    counts["note"] -= folded
    levels = ", ".join(counted(count, level) for level, count in counts.items() if count)
    text = f"{counted(sum(counts.values()), 'finding')} ({levels})" if levels else "no findings"
    if folded:
        text += f", {counted(folded, 'note')} in generated code (JSON lists them)"
    if suppressed := shown.suppressed_count(report):
        text += f", {suppressed:,} suppressed"
        kinds = ((len(shown.accepted_by_people(report)), "accepted"), (shown.undecided_count(report), "baseline"))
        parts = ", ".join(f"{count:,} {kind}" for count, kind in kinds if count)
        text += f" ({parts})" if parts else ""
    if not report.complete:
        failed = counted(len(shown.not_scanned(report)), "file")
        text = f"incomplete: {failed} not scanned; in the others {text}"
    return text
