"""Where the comments of a file are, as its front end sees them: never inside a string.

Comments on lines of their own that follow each other without a gap are read as one, as people write them. Prose has
comments, too: those of HTML and reStructuredText, each to the end of its line.
"""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci.languages import markup_tokenizer, notebook_tokenizer, table_tokenizer
from winnow_ci.languages.families import FAMILY_OF
from winnow_ci.languages.language_detection import PROSE
from winnow_ci.languages.normalisation import as_characters
from winnow_ci.languages.tokens import line_numbers
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


_IN_PROSE = compiled_on_use(r"<!--[^\r\n]*|^\.\.[ \t][^\r\n]*", re.MULTILINE)
# Where a piece of a text begins and ends, and whether it is a comment.
_Extent: TypeAlias = tuple[int, int, bool]
_BLANKS = "".join(map(chr, range(33))) + "\x7f"


class Comment(NamedTuple):
    """A comment.

    Attributes:
        text: the comment with its marks; its lines end with line feeds.
        line: the line that it begins on.
        first, last: the lines of all comments that are read as one with it.
    """

    text: str
    line: int
    first: int
    last: int


def comments(language: str, text: bytes) -> list[Comment]:
    """The comments in normalised text (``normalisation.normalise``) of a language.

    Raises:
        Untokenizable: a lexer failed or took too long.
    """
    if language == notebook_tokenizer.LANGUAGE:
        return list(_in_notebook(text))
    cut = _cut(text, language)
    if cut is not None:
        # Latin-1 has as many characters as bytes, so offsets agree.
        found = _found(text.decode("latin-1"), _placed(cut))
        return [comment._replace(text=as_characters(comment.text.encode("latin-1"))) for comment in found]
    characters = as_characters(text)
    if language in PROSE:
        return _found(characters, ((*match.span(), True) for match in _IN_PROSE.finditer(characters)))
    lexer = importlib.import_module("winnow_ci.languages.pygments_lexer")
    return _found(characters, lexer.comment_pieces(text, language))


def _in_notebook(text: bytes) -> Iterator[Comment]:
    """The comments in the code of a notebook, with the lines of the file."""
    family, code, _ = notebook_tokenizer.parsed(text)
    for comment in comments(family.languages[0], b"\n".join(line.text for line in code)):
        line, first, last = (code[number - 1].line for number in (comment.line, comment.first, comment.last))
        yield Comment(comment.text, line, first, last)


def _cut(text: bytes, language: str) -> list[markup_tokenizer.MarkupPart] | None:
    """The parts of a text in a language of the table-driven tokenizer; None for other languages."""
    if language in markup_tokenizer.LANGUAGES:
        return markup_tokenizer.parts(text)
    family = FAMILY_OF.get(language)
    return [markup_tokenizer.MarkupPart(table_tokenizer.pieces(text, family), family)] if family else None


def _placed(cut: Iterable[markup_tokenizer.MarkupPart]) -> Iterator[_Extent]:
    start = 0
    for part in cut:
        opens_comment = re.compile(b"|".join(part.family.comment_openers())).match
        for piece in part.pieces:
            end = start + len(piece)
            yield start, end, opens_comment(piece) is not None
            start = end


def _found(text: str, pieces: Iterable[_Extent]) -> list[Comment]:
    """The comments of a text; ``pieces`` hold all of it but white space."""
    lines = line_numbers(text)
    found: list[Comment] = []
    run: list[Comment] = []
    code_on = 0
    for start, end, is_comment in pieces:
        if end <= start:
            continue
        first, last = int(lines[start]), int(lines[end - 1])
        if not is_comment:
            # A piece that begins with white space may begin with the previous line's end.
            code_on = last if text[start:end].strip(_BLANKS) else code_on
            continue
        comment = Comment(text[start:end], first, first, last)
        if run and (code_on == first or first > run[-1].last + 1):
            found += _as_one(run)
            run = []
        run.append(comment)
        if code_on == first:
            found += _as_one(run)
            run = []
    return found + _as_one(run)


def _as_one(run: Sequence[Comment]) -> list[Comment]:
    return [comment._replace(first=run[0].first, last=run[-1].last) for comment in run]
