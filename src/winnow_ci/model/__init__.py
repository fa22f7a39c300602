"""The values that flow from stage to stage, all of them frozen.

Arrays are one-dimensional NumPy arrays that nobody writes to after they are made. Paths are relative to the root of the
repository or source, with ``/``; bytes that are not UTF-8 stay as surrogates (PEP 383) until a report prints them.
Lines are 1-based and inclusive. A value is a ``NamedTuple``; one with a length of its own is a ``record``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

    U8: TypeAlias = NDArray[np.uint8]
    U32: TypeAlias = NDArray[np.uint32]
    U64: TypeAlias = NDArray[np.uint64]
    I32: TypeAlias = NDArray[np.int32]

Progress: TypeAlias = Callable[[int, int | None], None]
"""Takes how much of a task is done, and how much there is in all; None if unknown."""
Counting: TypeAlias = Callable[[str, str], AbstractContextManager[Progress]]
"""Takes the name of a task and its unit, and gives the ``Progress`` of that task."""


def no_progress(_done: int, _total: int | None) -> None:
    """Show no progress."""


# docs/matching.md says what each promises.
Selection = Literal["anchored", "winnowing", "robust", "mod-minimizer", "mod-p", "bottom-s", "bounded"]
GUARANTEED: frozenset[Selection] = frozenset({"anchored", "winnowing", "robust", "mod-minimizer"})
Kind = Literal["verbatim", "renamed", "restated", "translated"]
RESTATED: tuple[Kind, ...] = ("restated", "translated")
"""Kinds of findings that share words, and hardly any structure."""
Level = Literal["error", "warning", "note"]
Strength = Literal["strong", "weak"]
Suppression = Literal["baseline", "inline", "boilerplate", "policy"]
SkipState = Literal["out-of-scope", "not-scanned"]
Mode = Literal["branch", "since", "staged", "range", "all", "check"]

# Sketch bytes (``Tokens.sketch``) of one structural class each; within it, the byte tells a little of the token's text.
# Lower bytes are keywords, operators and punctuation marks.
IDENTIFIER_SKETCH = range(128, 208)
NUMBER_SKETCH = range(208, 230)
STRING_SKETCH = range(230, 256)


class LineRange(NamedTuple):
    """Lines ``first`` to ``last``, both included."""

    first: int
    last: int


# The allowed ``Parameters.k`` and ``Parameters.w``: shorter ones are no evidence, longer ones hardly ever copied.
KGRAM_LENGTHS = range(4, 201)
WINDOW_LENGTHS = range(1, 501)


class Parameters(NamedTuple):
    """The parameters that two sets of fingerprints must share to be comparable."""

    k: int = 16  # length of a k-gram, in tokens; the noise threshold
    w: int = 9  # length of a window, in k-grams
    selection: Selection = "anchored"  # of fingerprints from the k-grams of known code

    @property
    def guarantee(self) -> int:
        """Shared runs of this many tokens share a fingerprint (t of Schleimer et al. 2003, section 3).

        Always with a selection in ``GUARANTEED``, often with the others.
        """
        return self.k + self.w - 1

    def described(self, before_selection: str = " and ") -> str:
        """For people: ``k = 16, w = 9 and anchored selection``."""
        return f"k = {self.k}, w = {self.w}{before_selection}{self.selection} selection"


WORD = 1


class Columns:
    """Arrays with one element each for the same things."""

    __slots__: tuple[str, ...] = ()

    def part(self, which: NDArray[np.bool_] | NDArray[np.int64] | slice) -> Self:
        """Some of the things."""
        return type(self)(*(getattr(self, name)[which] for name in self.__slots__))

    def __len__(self) -> int:
        return len(getattr(self, self.__slots__[0]))


@record(frozen=True, slots=True, eq=False, repr=False)
class Phrases(Columns):
    """The phrases and words of comments, strings, names and numbers in one document; arrays have one element each."""

    hashes: U64  # of its words (``languages.phrase_extraction``)
    words: U8  # number of words, 255 at most; ``WORD`` of what is no phrase
    names: NDArray[np.bool_]  # whether it is a name
    positions: I32  # number of the token that contains it, or of the first token after it
    lines: I32


@record(frozen=True, slots=True, eq=False, repr=False)
class Tokens(Columns):
    """The token stream of one document; arrays have one element a token."""

    structural: U64  # one id for all identifiers, one for all numbers, one for all strings, else the token's own
    verbatim: U64  # the token's own id
    first_lines: I32
    last_lines: I32  # a string may span lines
    sketch: U8  # structural class and a few bits of the verbatim id (``languages.tokens``)
    phrases: Phrases | None = None  # None if the front end finds none

    def part(self, which: NDArray[np.bool_] | NDArray[np.int64] | slice) -> Tokens:
        """A copy of some tokens, without phrases."""
        return Tokens(*(getattr(self, name)[which] for name in self.__slots__[:-1]))


# Marks the position of a phrase; no document has as many tokens.
PHRASE = 1 << 31


@record(frozen=True, slots=True, eq=False, repr=False)
class Fingerprints(Columns):
    """K-grams of one document, by rising position; arrays have one element a k-gram.

    An index keeps phrases like k-grams: the phrase's hash, a check of 0, and its position plus ``PHRASE``.
    """

    hashes: U64  # of the structural k-gram
    checks: U32  # hash of the verbatim k-gram at the same place
    positions: U32  # number of its first token


class Skipped(NamedTuple):
    """A changed path that was not scanned, and why; a scan is incomplete with one that is ``not-scanned``."""

    path: str
    reason: str  # the rule that leaves it out of scope, or what prevented the scan
    state: SkipState


class Fallback(NamedTuple):
    """A path that was read by the fallback tokenizer, and why not by the lexer of its language."""

    path: str
    reason: str


class Change(NamedTuple):
    """One changed file after the change, the lines added to it, and its content before, if it had any."""

    path: str
    content: bytes
    added: tuple[LineRange, ...]
    old: bytes | None = None


class Source(NamedTuple):
    """A body of known code: who made it, and on which terms."""

    name: str  # unique in an index
    version: str | None = None
    license: str = "unknown"  # an SPDX expression or ``unknown``; in a ``SourceFile``, of that file
    url: str | None = None  # where it comes from, for people
    purl: str | None = None  # package URL
    license_from: str | None = None  # where ``license`` was read: an argument, a manifest, a file
    inputs: str | None = None  # digest of everything it was made of, by which ``index sync`` knows if it is current
    boilerplate: bool = False  # everybody has this code, so it is no evidence of a copy


class SourceFile(NamedTuple):
    """One file of a source."""

    source: Source  # with the licence of this file
    path: str  # in the source
    package_license: str | None = None  # of the source as a whole, if this file has another; else None


class Place(NamedTuple):
    """Lines of a known file."""

    file: SourceFile
    lines: LineRange


@record(frozen=True, slots=True, eq=False, repr=False)
class Hits(Columns):
    """Places of the k-grams of a query in the index; arrays have one element a hit."""

    queries: NDArray[np.int64]  # number of the hash that was looked up
    contents: U32  # id of the content (distinct file contents) in the index
    positions: U32  # number of the k-gram's first token there
    checks: U32  # hash of the verbatim k-gram there


class FilePart(NamedTuple):
    """A part of a file that lies elsewhere, and what it must be."""

    start: int  # offset of its first byte
    size: int
    digest: bytes  # BLAKE2b of its bytes: 16 bytes


class TokenMap(NamedTuple):
    """What an index keeps of a content's tokens: line spans and sketches (see ``Tokens``)."""

    first_lines: I32
    last_lines: I32
    sketch: U8
