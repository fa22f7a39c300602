"""The pieces that a tokenizer has met, numbered, and what each is: most pieces of a file have stood in earlier files.

So a file costs one look-up a piece, and a piece is classified once for many files. The rest is arrays with one element
a piece, indexed by its number.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages.phrase_extraction import phrase_of, phrases_in
from winnow_ci.model import IDENTIFIER_SKETCH, STRING_SKETCH, Phrases, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from winnow_ci.languages.phrase_extraction import Phrase
    from winnow_ci.languages.tokens import TokenIds
    from winnow_ci.model import I32

# Beyond these, everything is forgotten after the file, so that memory does not grow with the corpus.
MOST_PIECES = 1 << 16
MOST_BYTES = 1 << 22

IMPORTS = (b"import", b"from", b"include", b"require", b"use", b"using")
"""Names that follow these words on a line are other people's."""
_NO_TOKEN = -1
_NO_IDS = 0, 0
_NO_ENDS = 0, 0, 0
_NO_PHRASES = Phrases(
    hashes=np.empty(0, np.uint64),
    words=np.empty(0, np.uint8),
    names=np.empty(0, np.bool_),
    positions=np.empty(0, np.int32),
    lines=np.empty(0, np.int32),
)


class Vocabulary(dict[bytes, int]):
    """Numbers of pieces, from 0, in the order in which they were met.

    Args:
        classify: as for ``tokens.assemble``.
        is_marked: whether a piece is one of those that ``marked`` finds.
    """

    def __init__(
        self, classify: Callable[[bytes], TokenIds | None], is_marked: Callable[[bytes], bool] | None = None
    ) -> None:
        super().__init__()
        self._classify = classify
        self._is_marked = is_marked
        self._forget()

    def __missing__(self, piece: bytes) -> int:
        number = self[piece] = len(self)
        self._new.append(piece)
        return number

    def numbers(self, pieces: Sequence[bytes]) -> NDArray[np.intp]:
        """The number of each piece of a text, until the next call of ``tokens``.

        Args:
            pieces: the whole text, in order, without gaps.
        """
        numbers = np.fromiter(map(self.__getitem__, pieces), np.intp, len(pieces))
        self._learn(self._new)
        self._new.clear()
        return numbers

    def _learn(self, pieces: Sequence[bytes]) -> None:
        """Take note of what new pieces are, in the order of their numbers."""
        ids = list(map(self._classify, pieces))
        self._bytes += sum(map(len, pieces))
        self._ids.fromlist([number for own in ids for number in (own[:2] if own else _NO_IDS)])
        self._sketches.fromlist([own[2] if own else _NO_TOKEN for own in ids])
        ends = (_line_ends(piece) if b"\n" in piece else _NO_ENDS for piece in pieces)
        self._ends.fromlist([number for own in ends for number in own])
        for phrases in map(_phrases, pieces, ids):
            for phrase in phrases:
                self._phrases.extend(phrase)
            self._phrase_ends.append(len(self._phrases) // 3)
        self._marks.extend(map(self._is_marked, pieces) if self._is_marked else bytes(len(pieces)))

    def marked(self, numbers: NDArray[np.intp]) -> list[int]:
        """The places of the marked pieces among those of a text."""
        if self._is_marked is None:
            return []
        return list(np.flatnonzero(np.frombuffer(self._marks, np.uint8)[numbers]).tolist())

    def tokens(self, numbers: NDArray[np.intp]) -> Tokens:
        """The tokens of a text, given the numbers of its pieces."""
        all_ends, inside, before = np.frombuffer(self._ends, np.int32).reshape(-1, 3).T
        structural, verbatim = np.frombuffer(self._ids, np.uint64).reshape(-1, 2).T
        sketches, ends = np.frombuffer(self._sketches, np.int16)[numbers], all_ends[numbers]
        kept = np.flatnonzero(sketches != _NO_TOKEN)
        all_lines = np.cumsum(ends, dtype=np.int32) - ends + np.int32(1)
        phrases = self._phrases_of(numbers, sketches, kept, all_lines)
        lines, numbers = all_lines[kept], numbers[kept]
        tokens = Tokens(
            structural=structural[numbers],
            verbatim=verbatim[numbers],
            first_lines=lines + before[numbers],
            last_lines=lines + inside[numbers],
            sketch=sketches[kept].astype(np.uint8),
            phrases=phrases,
        )
        if len(self) > MOST_PIECES or self._bytes > MOST_BYTES:
            self._forget()
        return tokens

    def _phrases_of(
        self, numbers: NDArray[np.intp], sketches: NDArray[np.int16], kept: NDArray[np.intp], lines: I32
    ) -> Phrases:
        """The phrases of a text, given its pieces, their sketches, which of them are tokens, and their first lines."""
        ends = np.frombuffer(self._phrase_ends, np.int32)
        at = np.flatnonzero(ends[numbers + 1] > ends[numbers])
        if not len(at):
            return _NO_PHRASES
        at = at[~self._are_imported(numbers, at, lines)]
        starts = ends[numbers[at]]
        counts = ends[numbers[at] + 1] - starts
        numbered = np.arange(counts.sum()) + np.repeat(starts - (np.cumsum(counts) - counts), counts)
        within, hashes, words = np.frombuffer(self._phrases, np.uint64).reshape(-1, 3)[numbered].T
        return Phrases(
            hashes=hashes.copy(),
            words=words.astype(np.uint8),
            names=np.repeat(_are_names(sketches[at]), counts),
            positions=np.repeat(np.searchsorted(kept, at).astype(np.int32), counts),
            lines=np.repeat(lines[at], counts) + within.astype(np.int32),
        )

    def _are_imported(self, numbers: NDArray[np.intp], at: NDArray[np.intp], lines: I32) -> NDArray[np.bool_]:
        """Which of some pieces also stand on a line that imports something, and so are names of other people's."""
        imports, imported = np.zeros((2, len(self)), np.bool_)
        imports[[self[word] for word in IMPORTS if word in self]] = True
        on_line = np.zeros(int(lines.max(initial=0)) + 1, np.bool_)
        on_line[lines[imports[numbers]]] = True
        imported[numbers[at[on_line[lines[at]]]]] = True
        return np.asarray(imported[numbers[at]], np.bool_)

    def _forget(self) -> None:
        self.clear()
        self._new: list[bytes] = []
        self._bytes = 0
        self._ids, self._sketches, self._ends = array("Q"), array("h"), array("i")
        self._marks = array("B")
        # Line within the piece, hash and number of words of each phrase; and, after a 0, where each piece's end.
        self._phrases, self._phrase_ends = array("Q"), array("i", [0])


def _are_names(sketches: NDArray[np.int16]) -> NDArray[np.bool_]:
    return (sketches >= IDENTIFIER_SKETCH.start) & (sketches < IDENTIFIER_SKETCH.stop)


def _phrases(piece: bytes, ids: TokenIds | None) -> tuple[Phrase, ...]:
    """The phrases of a piece: of a name, a string or, if it is not a token, of a comment or of white space."""
    if ids is None or ids.sketch in STRING_SKETCH:
        return phrases_in(piece)
    return phrase_of(piece) if ids.sketch in IDENTIFIER_SKETCH else ()


def _line_ends(piece: bytes) -> tuple[int, int, int]:
    """How many lines end in a piece, before its last byte, and before its token.

    A line feed belongs to the line that it ends.
    """
    front = len(piece) - len(piece.lstrip())
    return piece.count(b"\n"), piece.count(b"\n", 0, -1), piece.count(b"\n", 0, front)
