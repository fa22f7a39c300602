"""What convinces a person of a finding: its code beside the source's own, and what exactly was changed.

Lines and names of the source need its text, which an index keeps only on request. To find them means reading the text,
and lexing it if the lines are not the same, so they are found only for findings that are shown. To mark single tokens
means to cut both texts once more, so that is done only for reports that show the marks.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from winnow_ci.languages import Untokenizable, normalise
from winnow_ci.model import Tokens
from winnow_ci.scanner.correspondence import exactly, lines_of
from winnow_ci.scanner.side_by_side import beside
from winnow_ci.scanner.side_text import SideText, known_side, read_side

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from winnow_ci.index import IndexReader
    from winnow_ci.model import TokenMap
    from winnow_ci.model.findings import Finding
    from winnow_ci.model.side_by_side import ShownCode
    from winnow_ci.scanner.values import Match

KEPT_TEXTS = 4


class SourceExcerpts:
    """Shows findings with their code, also from the texts that an index keeps.

    Args:
        index: known code.
        token_map: gives the token map of a content.
        wanted: how much is shown.
    """

    def __init__(self, index: IndexReader, token_map: Callable[[int], TokenMap], wanted: ShownCode) -> None:
        self._index = index
        self._token_map = token_map
        self._wanted = wanted
        self._text = lru_cache(KEPT_TEXTS)(normalise)
        self._read = lru_cache(KEPT_TEXTS)(read_side)
        self._known = lru_cache(KEPT_TEXTS)(self._known_side)
        self._kept = lru_cache(KEPT_TEXTS)(index.text)

    def shown(self, finding: Finding, match: Match) -> Finding:
        """Add its code to a finding, given the match that it was made of.

        Raises:
            IndexFileError: the index is damaged.
        """
        most, (first, last) = self._wanted.lines, match.lines
        excerpt = SideText(self._text(match.content)).between(first, min(last, first + most - 1))
        finding = finding._replace(excerpt=_decoded(excerpt.split(b"\n")), comment=match.comment)
        if finding.identical:
            # The text of the source is that of the change.
            here = self._here(match)
            return (
                finding._replace(beside=beside(finding, here, here, most), renames=())
                if self._wanted.marks
                else finding
            )
        if match.tokens is not None and self._kept(match.region.content) is not None:
            return self._with_source(finding, match, match.tokens)
        if not self._wanted.marks:
            return finding
        there = SideText(tokens=self._token_map(match.region.content))
        return finding._replace(beside=beside(finding, self._here(match), there, most))

    def _with_source(self, finding: Finding, match: Match, copied: Tokens) -> Finding:
        """A finding beside the text of its source."""
        region, known = match.region, self._token_map(match.region.content)
        here, there = self._here(match), SideText(self._source_text(region.content), known)
        lines = lines_of(known, region.source_start, region.source_end)
        # Where the lines are equal nothing was changed, and the source need not be lexed to know it.
        if is_equal := here.between(*match.lines) == there.between(*lines):
            finding = finding._replace(agreement=match.agreement._replace(exact=True), renames=())
        if self._wanted.marks or not is_equal:
            there = self._known(region.content)
        shown = beside(finding, here, there, self._wanted.lines)
        if isinstance(there.tokens, Tokens) and not is_equal:
            exact = exactly(match.agreement, copied, there.tokens, region)
            finding = finding._replace(agreement=exact, renames=shown.renames)
        return finding._replace(beside=shown)

    def _source_text(self, content: int) -> bytes:
        try:
            return self._text(self._kept(content) or b"")
        except Untokenizable as error:
            raise self._index.damaged(f"text of content {content}") from error

    def _here(self, match: Match) -> SideText:
        """The changed file; the tokens of quoted code have no places."""
        if self._wanted.marks and not match.in_text:
            return self._read(match.content, match.language, match.front_end)
        return SideText(self._text(match.content), match.tokens, None, match.front_end, match.region.start)

    def _known_side(self, content: int) -> SideText:
        """The file of the source, of which the index keeps the text."""
        row, known = self._index.content(content), self._token_map(content)
        try:
            return known_side(self._kept(content), row.language, row.front_end, known, has_places=self._wanted.marks)
        except Untokenizable as error:
            raise self._index.damaged(f"text of content {content}") from error


def _decoded(lines: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(line.decode("utf-8", "replace") for line in lines)
