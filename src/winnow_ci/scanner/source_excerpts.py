"""What convinces a person of a finding: its code beside the source's own, and what exactly was changed.

Lines and names of the source need its text, which an index keeps only on request. To find them means reading the text,
and lexing it if the lines are not the same, so they are found only for findings that are shown. To mark single tokens
means to cut both texts once more, so that is done only for reports that show the marks.

A scan and ``winnow-ci report`` show a finding by the same steps: what the scan has at hand, the report reads again, and
checks that the copied tokens are still those of the finding (its ``anchor``).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import xxhash

from winnow_ci.arrays import ranges
from winnow_ci.evidence import literal_bits
from winnow_ci.languages import Untokenizable, front_end_of, normalise, quoted_code
from winnow_ci.matching.thresholds import RARE
from winnow_ci.model import NUMBER_SKETCH, Tokens
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.scanner.correspondence import are_there, exactly
from winnow_ci.scanner.side_text import SideText, known_side, read_side

if TYPE_CHECKING:
    from collections.abc import Iterable

    from winnow_ci.model import TokenMap
    from winnow_ci.model.findings import FileReading, Finding, ShownCode
    from winnow_ci.model.regions import Evidence
    from winnow_ci.model.side_by_side import SideBySide

KEPT_TEXTS = 4


class CopiedFile(NamedTuple):
    """The changed file of a finding: its bytes, and the copied tokens; None to read them from the file."""

    content: bytes
    reading: FileReading
    tokens: Tokens | None = None


class KnownFile(NamedTuple):
    """The source's file of a finding.

    Attributes:
        content: its bytes; None if nobody has them.
        reading: how it was read for the index.
        tokens: what the index keeps of its tokens; None without the index.
    """

    content: bytes | None
    reading: FileReading
    tokens: TokenMap | None = None


class SourceExcerpts:
    """Shows findings with their code, beside the source's as far as that is known.

    Args:
        wanted: how much is shown.
    """

    def __init__(self, wanted: ShownCode) -> None:
        self._wanted = wanted
        self._text = lru_cache(KEPT_TEXTS)(normalise)
        self._read = lru_cache(KEPT_TEXTS)(read_side)

    def shown(self, finding: Finding, copied: CopiedFile, known: KnownFile) -> Finding:
        """Add its code to a finding.

        Raises:
            Untokenizable: the text of the source is none.
        """
        most, (first, last) = self._wanted.lines, finding.lines
        excerpt = SideText(self._text(copied.content)).between(first, min(last, first + most - 1))
        finding = finding._replace(excerpt=_decoded(excerpt.split(b"\n")))
        if finding.identical:
            # The text of the source is that of the change.
            finding = finding._replace(renames=()) if self._wanted.marks else finding
            return self._marked(finding, copied, None)
        if known.content is not None:
            return self._with_source(finding, copied, known)
        return self._marked(finding, copied, SideText(tokens=known.tokens))

    def _marked(self, finding: Finding, copied: CopiedFile, there: SideText | None) -> Finding:
        """A finding beside what is known without the text of its source, if single tokens are to be marked."""
        if not self._wanted.marks:
            return finding
        here = self._here(finding, copied)
        return finding._replace(beside=self._beside(finding, here, here if there is None else there))

    def _with_source(self, finding: Finding, copied: CopiedFile, known: KnownFile) -> Finding:
        """A finding beside the text of its source."""
        here, there = self._here(finding, copied), SideText(self._text(known.content or b""), known.tokens)
        # Where the lines are equal nothing was changed, and the source need not be lexed to know it.
        if is_equal := here.between(*finding.lines) == there.between(*finding.source.lines):
            finding = finding._replace(agreement=finding.agreement._replace(exact=True), renames=())
        if self._wanted.marks or not is_equal:
            there = self._there(known)
        shown = self._beside(finding, here, there)
        if isinstance(here.tokens, Tokens) and isinstance(there.tokens, Tokens) and not is_equal:
            exact = exactly(finding.agreement, finding.stretches, here.tokens, there.tokens, here.first_token)
            renames = () if finding.kind == "verbatim" else shown.renames
            evidence = exact_evidence(finding, here, there.tokens)
            finding = finding._replace(agreement=exact, renames=renames, evidence=evidence)
        return finding._replace(beside=shown)

    def _beside(self, finding: Finding, here: SideText, there: SideText) -> SideBySide:
        from winnow_ci.scanner.side_by_side import beside  # noqa: PLC0415 - few hooks know the text of a source

        return beside(finding, here, there, self._wanted.lines)

    def _there(self, known: KnownFile) -> SideText:
        """The file of the source, of which the text is known."""
        side = self._read(known.content or b"", *known.reading, has_places=self._wanted.marks)
        # Without an index, the text has the key of a content, so its tokens are those of the content.
        return side if known.tokens is None else known_side(side, known.tokens)

    def _here(self, finding: Finding, copied: CopiedFile) -> SideText:
        """The changed file; the tokens of quoted code have no places."""
        if copied.tokens is not None and (finding.in_text or not self._wanted.marks):
            first = finding.stretches[0].start
            return SideText(self._text(copied.content), copied.tokens, None, copied.reading.front_end, first)
        if finding.in_text:
            return _quoted(finding, self._text(copied.content), copied.reading)
        side = self._read(copied.content, *copied.reading, has_places=self._wanted.marks)
        is_found = isinstance(side.tokens, Tokens) and _has_copy(finding, side.tokens)
        return side if is_found else SideText(side.text, front_end=side.front_end)


def _has_copy(finding: Finding, tokens: Tokens, moved: int = 0) -> bool:
    """Whether the copied tokens stand where the finding says, or so many tokens further on."""
    first = finding.stretches[0].start + moved if finding.stretches else 0
    copied = tokens.verbatim[first : first + finding.tokens]
    return not finding.anchor or xxhash.xxh3_128(copied.tobytes()).hexdigest() == finding.anchor


def _quoted(finding: Finding, text: bytes, reading: FileReading) -> SideText:
    """Quoted code, read again; how its tokens are numbered depends on what else the change has added."""
    side = SideText(text, front_end=reading.front_end)
    if not finding.stretches:
        return side
    try:
        own = front_end_of(reading.language).read(text, reading.language)
    except Untokenizable:
        return side
    everywhere = np.ones(text.count(b"\n") + 1, np.bool_)
    found, _ = quoted_code(reading.language, text, own, frozenset([reading.front_end]), everywhere)
    first = finding.stretches[0].start
    for tokens in (one.tokens for one in found):
        for start in np.flatnonzero(tokens.first_lines == finding.lines.first).tolist():
            if _has_copy(finding, tokens, start - first):
                part = tokens.copied(start, start + finding.tokens)
                return SideText(text, part, None, reading.front_end, first)
    return side


def exact_evidence(finding: Finding, here: SideText, there: Tokens) -> Evidence:
    """The evidence of a finding with names and literals counted by their text: sketches may agree by chance."""
    assert isinstance(here.tokens, Tokens)
    parts = [part._replace(start=part.start - here.first_token) for part in finding.stretches]
    if not are_there(parts, len(here.tokens), len(there)):
        return finding.evidence
    starts, starts_there, lengths = np.array(parts, np.int64).reshape(-1, 3).T
    ours, theirs = ranges(starts, lengths), ranges(starts_there, lengths)
    same = ours[here.tokens.verbatim[ours] == there.verbatim[theirs]]
    rare = same[literal_bits(here.tokens)[same] >= RARE]
    texts, sketches = np.unique(here.tokens.verbatim[rare], return_index=True)
    names = int((here.tokens.sketch[rare[sketches]] < NUMBER_SKETCH.start).sum())
    known = finding.evidence
    return known._replace(names=min(known.names, names), literals=min(known.literals, len(texts) - names))


def _decoded(lines: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(line.decode("utf-8", "replace") for line in lines)
