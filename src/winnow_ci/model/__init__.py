"""The values that flow from stage to stage, all of them frozen.

Arrays are one-dimensional NumPy arrays that nobody writes to after they are made. Paths are relative to the
repository's (or the source's) root, with ``/``; bytes that are not UTF-8 are kept as surrogates (PEP 383), and only
reports turn them into something printable. Lines are 1-based and inclusive.

A value is a ``NamedTuple``. One that has a length of its own is a ``record``, without what would compare arrays as a
whole: a commit hook waits while Python writes such methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci.named_tuples import NamedTuple
from winnow_ci.records import record

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    import numpy as np
    from numpy.typing import NDArray

    U8: TypeAlias = NDArray[np.uint8]
    U32: TypeAlias = NDArray[np.uint32]
    U64: TypeAlias = NDArray[np.uint64]
    I32: TypeAlias = NDArray[np.int32]

    Progress: TypeAlias = Callable[[int, int | None], None]
    """Is called with what has been done of a task, and with all there is to do; None if that is unknown."""
    Counting: TypeAlias = Callable[[str, str], AbstractContextManager[Progress]]
    """Is called with the name of a task and its unit, and gives the ``Progress`` of that task."""

# ``winnowing.schemes`` says what each promises; the guarantee of ``Parameters`` is that of the first four.
Selection = Literal["anchored", "winnowing", "robust", "mod-minimizer", "mod-p", "bottom-s", "bounded"]
GUARANTEED: frozenset[Selection] = frozenset({"anchored", "winnowing", "robust", "mod-minimizer"})
Kind = Literal["verbatim", "renamed"]
Level = Literal["error", "warning", "note"]
Strength = Literal["strong", "weak"]
Suppression = Literal["baseline", "inline", "boilerplate", "policy"]
SkipState = Literal["out-of-scope", "not-scanned"]
Mode = Literal["branch", "since", "staged", "range", "all", "check"]

# Sketch bytes (``Tokens.sketch``) that stand for one structural class each; below them, a byte is a keyword, operator
# or punctuation mark. Within a class the byte tells a little of the token's text.
IDENTIFIER_SKETCH = range(128, 208)
NUMBER_SKETCH = range(208, 230)
STRING_SKETCH = range(230, 256)


class LineRange(NamedTuple):
    """Lines ``first`` to ``last``, both included."""

    first: int
    last: int


# ---- fingerprints ----------------------------------------------------------------------------------------------


# What ``Parameters.k`` and ``Parameters.w`` may be: shorter k-grams say nothing, longer ones are hardly ever copied.
KGRAM_LENGTHS = range(4, 201)
WINDOW_LENGTHS = range(1, 501)


class Parameters(NamedTuple):
    """What two sets of fingerprints must have in common to be comparable.

    Attributes:
        k: length of a k-gram, in tokens; the noise threshold.
        w: length of a window, in k-grams.
        selection: how fingerprints are selected from the k-grams of known code.
    """

    k: int = 16
    w: int = 9
    selection: Selection = "anchored"

    @property
    def guarantee(self) -> int:
        """Shared runs of this many tokens share a fingerprint (t of Schleimer et al. 2003, section 3).

        Always with a selection in ``GUARANTEED``, often with the others.
        """
        return self.k + self.w - 1

    def described(self, before_selection: str = " and ") -> str:
        """For people: ``k = 16, w = 9 and anchored selection``."""
        return f"k = {self.k}, w = {self.w}{before_selection}{self.selection} selection"


@record(frozen=True, slots=True, eq=False, repr=False)
class Phrases:
    """The phrases of comments, strings and long names in one document; all arrays have one element a phrase.

    Attributes:
        hashes: uint64; hash of its words (``languages.phrase_extraction``).
        words: uint8; number of words, 255 at most.
        names: bool; whether it is a name.
        positions: int32; number of the token that it stands in, or of the first token after it.
        lines: int32; the line that it stands on.
    """

    hashes: U64
    words: U8
    names: NDArray[np.bool_]
    positions: I32
    lines: I32

    def part(self, which: NDArray[np.bool_]) -> Phrases:
        """The phrases for which ``which`` is True."""
        return Phrases(
            self.hashes[which], self.words[which], self.names[which], self.positions[which], self.lines[which]
        )

    def __len__(self) -> int:
        return len(self.hashes)


@record(frozen=True, slots=True, eq=False, repr=False)
class Tokens:
    """The token stream of one document; all arrays have one element a token.

    Attributes:
        structural: uint64; one for all identifiers, one for all numbers, one for all strings, else the token's own.
        verbatim: uint64; the token's own.
        first_lines: int32; the line that the token starts on.
        last_lines: int32; the line that it ends on (a string may span lines).
        sketch: uint8; structural class and a few bits of the verbatim id in one byte (``languages.tokens``).
        phrases: phrases of its comments, strings and names; None if its front end finds none.
        careful: whether it had to be read with care (``languages.careful_reading``).
    """

    structural: U64
    verbatim: U64
    first_lines: I32
    last_lines: I32
    sketch: U8
    phrases: Phrases | None = None
    careful: bool = False

    def part(self, which: NDArray[np.bool_]) -> Tokens:
        """The tokens for which ``which`` is True, without phrases."""
        return Tokens(
            self.structural[which],
            self.verbatim[which],
            self.first_lines[which],
            self.last_lines[which],
            self.sketch[which],
        )

    def copied(self, start: int, end: int) -> Tokens:
        """A copy of the tokens ``[start, end)``, without phrases; a view would keep all arrays in memory."""
        part = slice(start, end)
        return Tokens(
            self.structural[part].copy(),
            self.verbatim[part].copy(),
            self.first_lines[part].copy(),
            self.last_lines[part].copy(),
            self.sketch[part].copy(),
        )

    def __len__(self) -> int:
        return len(self.structural)


# Marks the position of a phrase; no document has as many tokens.
PHRASE = 1 << 31


@record(frozen=True, slots=True, eq=False, repr=False)
class Fingerprints:
    """K-grams of one document, by rising position; all arrays have one element a k-gram.

    An index keeps phrases like k-grams: the phrase's hash, a check of 0, and its position plus ``PHRASE``.

    Attributes:
        hashes: uint64; hash of the structural k-gram.
        checks: uint32; hash of the verbatim k-gram at the same place.
        positions: uint32; number of the k-gram's first token.
    """

    hashes: U64
    checks: U32
    positions: U32

    def __len__(self) -> int:
        return len(self.hashes)


# ---- changes ---------------------------------------------------------------------------------------------------


class Skipped(NamedTuple):
    """A changed path that was not scanned, and why.

    With ``out-of-scope``, the reason names the rule that leaves it out; with ``not-scanned`` it says what prevented the
    look, and the scan is incomplete.
    """

    path: str
    reason: str
    state: SkipState


class Fallback(NamedTuple):
    """A path that was scanned by the fallback tokenizer, and why the lexer of its language did not do it."""

    path: str
    reason: str


class Change(NamedTuple):
    """One changed file as the change leaves it, with the lines that it adds, and its content before, if it had any."""

    path: str
    content: bytes
    added: tuple[LineRange, ...]
    old: bytes | None = None


# ---- index -----------------------------------------------------------------------------------------------------


class Source(NamedTuple):
    """A body of known code: who made it, and on which terms.

    Attributes:
        name: no two sources of an index have the same.
        version: if known.
        license: an SPDX expression or ``unknown``; in a ``SourceFile``, the licence of that file.
        url: where it comes from, for people.
        purl: its package URL.
        license_from: where ``license`` was read: an argument, a manifest, a file.
        inputs: digest of everything it was made of, by which ``index sync`` tells whether it is current.
        boilerplate: everybody has this code, so it is no evidence of a copy.
    """

    name: str
    version: str | None = None
    license: str = "unknown"
    url: str | None = None
    purl: str | None = None
    license_from: str | None = None
    inputs: str | None = None
    boilerplate: bool = False


class SourceFile(NamedTuple):
    """One file of a source.

    Attributes:
        source: with the licence of this file.
        path: in the source.
        package_license: the licence of the source as a whole, if this file has another; else None.
    """

    source: Source
    path: str
    package_license: str | None = None


class Place(NamedTuple):
    """Lines of a known file."""

    file: SourceFile
    lines: LineRange


@record(frozen=True, slots=True, eq=False, repr=False)
class Hits:
    """Places where k-grams of a query stand in the index; all arrays have one element a hit.

    Attributes:
        queries: int64; number of the hash that was looked up.
        contents: uint32; id of the content (distinct file contents) in the index.
        positions: uint32; number of the k-gram's first token there.
        checks: uint32; hash of the verbatim k-gram there.
    """

    queries: NDArray[np.int64]
    contents: U32
    positions: U32
    checks: U32

    def part(self, which: NDArray[np.bool_] | slice) -> Hits:
        """Some of the hits."""
        return Hits(self.queries[which], self.contents[which], self.positions[which], self.checks[which])

    def __len__(self) -> int:
        return len(self.queries)


class TokenMap(NamedTuple):
    """What an index keeps of a content's tokens: line spans and sketches (see ``Tokens``)."""

    first_lines: I32
    last_lines: I32
    sketch: U8
