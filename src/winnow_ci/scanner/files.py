"""Changed files on their way through a scan, and their lines.

A file is looked up in up to three readings:

- itself.
- Its quoted code, which its comments and strings hold (``languages.quoted_code``): files with the same path, content
  and lines, so a copy in a comment is found, grouped, judged and shown like any other.
- Its *lean file*: itself without what somebody may have put between the tokens of a copy, near the places where that
  was: statements without effect, and what state has around a variable (``languages.statements``). A match there becomes
  a match of the whole file, with the numbers that its tokens have in the file.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.arrays import covered
from winnow_ci.languages import (
    DATA,
    FrontEnd,
    around_variables,
    front_end_named,
    idle_statements,
    is_data,
    normalise,
    quoted_code,
    variables,
)
from winnow_ci.model import Change, LineRange, Phrases, Place, Skipped, TokenMap, Tokens
from winnow_ci.model.findings import Agreement, KnownContent
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.model import I32
    from winnow_ci.model.changes import ChangedFile
    from winnow_ci.model.regions import AlignedLines, Region
    from winnow_ci.policy.allow_comments import AllowComment

# Tokens between one that was left out and those that are looked up without it, at most.
LEAN_REACH = 200
# Smaller changes are hardly copies with statements between their lines.
_FEWEST_ADDED = 48


class LeanTokens(NamedTuple):
    """The tokens of a file without those that have no effect, or stand around variables."""

    tokens: Tokens
    numbers: NDArray[np.int64]  # int64, rising; their numbers in the whole file
    near: NDArray[np.bool_]  # bool, one a token; whether it stands near one that was left out


class PreparedFile(NamedTuple):
    """A changed file after the front end."""

    path: str
    content: bytes
    front_end: FrontEnd  # what made the tokens
    tokens: Tokens
    added_lines: tuple[LineRange, ...]  # lines that the change adds
    added: NDArray[np.bool_]  # bool, one a token; True on these lines
    allows: tuple[AllowComment, ...] = ()  # its comments that allow a copy
    failure: str | None = None  # why the fallback tokenizer read it, if it did
    language: str = ""
    in_text: bool = False  # whether these are the tokens of its quoted code
    quoted: tuple[PreparedFile, ...] = ()  # its quoted code, in each front end that finds some
    unread: int = 0  # lines of its text that may be code and were not read
    # Its tokens without some of them; None if all say something.
    lean: LeanTokens | None = None
    is_lean: bool = False  # whether it is a lean file

    @property
    def is_part(self) -> bool:
        """Whether it is a part of a file: its quoted code, or what is lean."""
        return self.in_text or self.is_lean

    @property
    def may_restate(self) -> bool:
        """Whether its words may show that it restates known code; those of a part and of prose do not."""
        return not (self.is_part or self.front_end.shortest_text)


class DataFile(NamedTuple):
    """A changed file of data, which is read as tokens only if an index has all of it."""

    file: ChangedFile
    keys: tuple[bytes, ...]  # keys of contents that would be the whole file
    boilerplate: tuple[bytes, ...]  # keys of boilerplate that would be the whole file
    skipped: Skipped  # why it is not read if no index has it
    quotes: bool = False  # whether it is text of no known language, or of a licence, and may quote code


ReadFile: TypeAlias = PreparedFile | DataFile | Skipped
"""A changed file before anything is looked up."""

Contents: TypeAlias = "Callable[[Iterable[ChangedFile], int], Iterator[tuple[ChangedFile, Change | Skipped]]]"
"""Gives files in their order, each with its content and added lines, or with the reason why not; the number is the
largest content to look at, in bytes (``git.read_changes``)."""


class Match(NamedTuple):
    """A region of a changed file with the known files that have it."""

    path: str
    region: Region
    lines: LineRange  # lines of the changed file
    added: tuple[LineRange, ...]  # the added lines among them
    copied: bytes  # digest of the region's text
    places: tuple[Place, ...]  # where it stands in known code
    agreement: Agreement = Agreement(0, 0)  # how far its tokens are the source's
    alignment: tuple[AlignedLines, ...] = ()  # its lines with matching tokens, beside the source's
    index_number: int = 0  # number of the index that has it
    content: bytes = b""
    language: str = ""
    tokens: Tokens | None = None  # the region's tokens, if the index keeps texts to compare them with
    front_end: str = ""  # name of what made them
    comment: tuple[str, str] = ("", "")  # what opens and closes a comment there
    in_text: bool = False  # whether it is quoted code
    known: KnownContent | None = None  # the content that it is like
    phrases: Phrases | None = None  # of a restated one: rare words and phrases that the known content has, too
    has_text: bool = False  # whether the source's text is at hand: the index keeps it, or the change has it

    @property
    def content_number(self) -> tuple[int, int]:
        """The index of the known content, and its number there."""
        return self.index_number, self.region.content


MatchGroup: TypeAlias = tuple[Match, ...]
"""A copy: its best match, and its other places."""


class FileMatches(NamedTuple):
    """The matches of a file, and the number of contents with hits that it was not compared with."""

    matches: list[Match]
    uncompared: int


def with_further_readings(files: Iterable[ReadFile], families: frozenset[str]) -> Iterator[ReadFile]:
    """Add their quoted code, read in some families of languages, and their lean tokens to files."""
    for file in files:
        if isinstance(file, PreparedFile):
            found, unread = _quoted(file, families)
            yield file._replace(quoted=found, unread=unread, lean=_lean_tokens(file))
        else:
            yield file


def readings_of(file: PreparedFile) -> tuple[PreparedFile, ...]:
    """Return a file and, if it has one, its lean file."""
    if file.lean is None:
        return (file,)
    tokens, numbers, near = file.lean
    return file, file._replace(tokens=tokens, added=file.added[numbers] & near, lean=None, is_lean=True)


def quoted_tokens(language: str, content: bytes, tokens: Tokens, families: frozenset[str]) -> Iterator[Tokens]:
    """Yield the tokens of the quoted code in a file's bytes, given the file's own tokens."""
    text = normalise(content)
    found, _ = quoted_code(language, text, tokens, families, np.ones(text.count(b"\n") + 1, np.bool_))
    yield from (one.tokens for one in found)


def _quoted(file: PreparedFile, families: frozenset[str]) -> tuple[tuple[PreparedFile, ...], int]:
    """Read the quoted code on added lines; also return the number of lines that were not read."""
    # The fallback tokenizer reads comments as code already.
    is_read = file.failure is not None or (file.language == DATA and is_data(file.path))
    if is_read or not families or not file.added_lines:
        return (), 0
    text = normalise(file.content)
    wanted = marked_in(file.added_lines, text.count(b"\n") + 1)
    found, unread = quoted_code(file.language, text, file.tokens, families, wanted)
    quoted = []
    for tokens, family in ((one.tokens, front_end_named(one.family)) for one in found):
        added = on_lines(tokens.first_lines, tokens.last_lines, file.added_lines)
        quoted.append(file._replace(front_end=family, tokens=tokens, added=added, in_text=True))
    return tuple(quoted), unread


def _lean_tokens(file: PreparedFile) -> LeanTokens | None:
    if file.added.sum() < _FEWEST_ADDED:
        return None
    around = around_variables(file.tokens, file.front_end.name) & file.added
    tokens, kept = file.tokens, ~around
    if around.any():
        tokens = variables(tokens, around, normalise(file.content), file.front_end.name)
    kept[kept] = ~(idle_statements(tokens.part(~around), file.front_end.name) & file.added[~around])
    if kept.all():
        return None
    numbers = np.flatnonzero(kept)
    phrases = file.tokens.phrases
    if phrases is not None:
        stays = phrases.part(np.append(kept, True)[phrases.positions])
        phrases = replace(stays, positions=np.searchsorted(numbers, stays.positions).astype(np.int32))
    gaps = np.searchsorted(numbers, np.flatnonzero(~kept))
    near = covered(np.maximum(gaps - LEAN_REACH, 0), np.minimum(gaps + LEAN_REACH, len(numbers)), len(numbers))
    return LeanTokens(replace(tokens.part(kept), phrases=phrases), numbers, near)


def on_lines(first_lines: I32, last_lines: I32, ranges: Sequence[LineRange]) -> NDArray[np.bool_]:
    """Mark the tokens that touch a line of some ranges, given their first and last lines: bool, one a token."""
    if not ranges:
        return np.zeros(len(first_lines), np.bool_)
    first, last = np.array(ranges, np.int64).T
    ranges_begun = np.searchsorted(first, last_lines, "right")
    ranges_over = np.searchsorted(last, first_lines, "left")
    return np.asarray(ranges_begun > ranges_over, np.bool_)


def marked_in(ranges: Sequence[LineRange], count: int) -> NDArray[np.bool_]:
    """Mark the lines of some ranges among the first ``count`` lines: bool, shape (count,)."""
    marked = np.zeros(count, np.bool_)
    for first, last in ranges:
        marked[first - 1 : last] = True
    return marked


def ranges_of(numbers: NDArray[np.integer]) -> tuple[LineRange, ...]:
    """Join rising numbers of lines to ranges with at least one line between two of them."""
    runs = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
    return tuple(LineRange(int(run[0]), int(run[-1])) for run in runs if len(run))


def clipped(ranges: Sequence[LineRange], lines: LineRange) -> tuple[LineRange, ...]:
    """Return the parts of sorted ranges within other lines."""
    start = bisect_left(ranges, lines.first, key=attrgetter("last"))
    near = ranges[start : bisect_right(ranges, lines.last, key=attrgetter("first"))]
    return tuple(LineRange(max(one.first, lines.first), min(one.last, lines.last)) for one in near)


def token_lines(tokens: Tokens | TokenMap, start: int, end: int) -> LineRange:
    """Return the lines of tokens ``[start, end)``."""
    return LineRange(int(tokens.first_lines[start]), int(tokens.last_lines[end - 1]))
