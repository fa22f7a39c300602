"""What passes from one step of a scan to the next: a file with its tokens, and what is known of it in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from winnow_ci.model import Skipped
from winnow_ci.model.findings import Agreement
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from winnow_ci.languages import FrontEnd
    from winnow_ci.model import Change, LineRange, Place, Tokens
    from winnow_ci.model.changes import ChangedFile
    from winnow_ci.model.findings import KnownContent
    from winnow_ci.model.regions import AlignedLines, Region
    from winnow_ci.policy.allow_comments import AllowComment


class LeanTokens(NamedTuple):
    """The tokens of a file without those of statements that have no effect.

    Attributes:
        tokens: the tokens.
        numbers: int64, rising; which tokens of the whole file they are.
        near: bool, one a token; whether it stands near a place where a statement was left out.
    """

    tokens: Tokens
    numbers: NDArray[np.int64]
    near: NDArray[np.bool_]


class PreparedFile(NamedTuple):
    """A changed file after the front end.

    Attributes:
        path: its path.
        content: its bytes.
        front_end: what made the tokens.
        tokens: its tokens.
        added_lines: lines that the change adds.
        added: bool, one a token; True on these lines.
        allows: its comments that allow a copy.
        failure: why the fallback tokenizer read it, if it did.
        is_marked: whether it may have such comments.
        language: its language.
        in_text: whether these are the tokens of its quoted code (``languages.quoted_code``), not of its own.
        quoted: its quoted code, in each front end that finds some.
        unread: lines of its text that may be code and were not read.
        lean: its tokens without statements that have no effect; None if it has none.
        is_lean: whether ``tokens`` are these, not those of the whole file.
    """

    path: str
    content: bytes
    front_end: FrontEnd
    tokens: Tokens
    added_lines: tuple[LineRange, ...]
    added: NDArray[np.bool_]
    allows: tuple[AllowComment, ...] = ()
    failure: str | None = None
    is_marked: bool = False
    language: str = ""
    in_text: bool = False
    quoted: tuple[PreparedFile, ...] = ()
    unread: int = 0
    lean: LeanTokens | None = None
    is_lean: bool = False


class DataFile(NamedTuple):
    """A changed file of data, which is read as tokens only if an index has all of it.

    Attributes:
        file: the file.
        keys: of the contents that would be the whole file.
        boilerplate: of those that would say that everybody has it.
        skipped: why it is not read if no index has it.
        quotes: whether it is text of no known language, or of a licence, which may quote code.
    """

    file: ChangedFile
    keys: tuple[bytes, ...]
    boilerplate: tuple[bytes, ...]
    skipped: Skipped
    quotes: bool = False


ReadFile: TypeAlias = PreparedFile | DataFile | Skipped
"""What becomes of a file that a change names, before anything is looked up."""

Contents: TypeAlias = "Callable[[Iterable[ChangedFile], int], Iterator[tuple[ChangedFile, Change | Skipped]]]"
"""Gives files in their order, each with its content and the lines added, or with the reason why not
(``git.read_changes``); the number is the largest content to look at, in bytes."""


class Match(NamedTuple):
    """A region of a changed file with the known files that have it.

    Attributes:
        path: the changed file.
        region: what matches.
        lines: lines of the changed file.
        added: those lines of them that the change adds.
        copied: digest of the region's text.
        places: where it stands in known code.
        agreement: how far its tokens are the source's.
        alignment: its lines with matching tokens, beside the source's.
        index_number: which of the indexes asked has it.
        content: bytes of the changed file.
        language: its language.
        tokens: the region's tokens, if the index keeps texts to compare them with.
        front_end: name of what made them.
        comment: what opens and closes a comment there.
        in_text: whether it is quoted code.
        known: the content that it is like.
        has_text: whether the text of the source is at hand: the index keeps it, or it is that of the change.
    """

    path: str
    region: Region
    lines: LineRange
    added: tuple[LineRange, ...]
    copied: bytes
    places: tuple[Place, ...]
    agreement: Agreement = Agreement(0, 0)
    alignment: tuple[AlignedLines, ...] = ()
    index_number: int = 0
    content: bytes = b""
    language: str = ""
    tokens: Tokens | None = None
    front_end: str = ""
    comment: tuple[str, str] = ("", "")
    in_text: bool = False
    known: KnownContent | None = None
    has_text: bool = False


class FileMatches(NamedTuple):
    """The matches of a file, and with how many contents that it has something of it was not compared."""

    matches: list[Match]
    uncompared: int
