"""Find the comments of a file as its front end sees them, never inside a string, and the marks to write one.

Comments on lines of their own that follow each other without a gap are read as one, as people write them. Prose has
comments, too: those of HTML and reStructuredText, each to the end of its line.
"""

from __future__ import annotations

import importlib
import re
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci.languages import notebook_tokenizer
from winnow_ci.languages.families import FAMILY_OF
from winnow_ci.languages.language_detection import PROSE
from winnow_ci.languages.lexing_worker import COMMENT
from winnow_ci.languages.markup_tokenizer import code_parts
from winnow_ci.languages.normalisation import as_characters
from winnow_ci.languages.tokens import line_numbers
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from winnow_ci.languages.markup_tokenizer import MarkupPart

_IN_PROSE = compiled_on_use(r"<!--[^\r\n]*|^\.\.[ \t][^\r\n]*", re.MULTILINE)
# Where a piece of a text begins and ends, and whether it is a comment.
_Extent: TypeAlias = tuple[int, int, bool]
_BLANKS = "".join(map(chr, range(33))) + "\x7f"


class Comment(NamedTuple):
    """A comment; ``first`` to ``last`` are the lines of all comments that are read as one with it."""

    text: str  # with its marks and line feeds
    line: int  # that it begins on
    first: int
    last: int


def comments(language: str, text: bytes) -> list[Comment]:
    """Find the comments in normalised text of a language; raises what its front end does."""
    if language == notebook_tokenizer.LANGUAGE:
        return list(_in_notebook(text))
    if parts := code_parts(text, language):
        # Latin-1 has as many characters as bytes, so offsets agree.
        found = _found(text.decode("latin-1"), _placed(parts))
        return [comment._replace(text=as_characters(comment.text.encode("latin-1"))) for comment in found]
    characters = as_characters(text)
    if language in PROSE:
        return _found(characters, ((*match.span(), True) for match in _IN_PROSE.finditer(characters)))
    lexer = importlib.import_module("winnow_ci.languages.pygments_lexer")
    pieces = lexer.kinds_of_pieces(text, language)
    return _found(characters, ((start, end, kind == COMMENT) for start, end, kind in pieces))


def _in_notebook(text: bytes) -> Iterator[Comment]:
    """Find the comments in the code of a notebook, with the lines of the file."""
    family, code, _ = notebook_tokenizer.parsed(text)
    for comment in comments(family.languages[0], b"\n".join(line.text for line in code)):
        line, first, last = (code[number - 1].line for number in (comment.line, comment.first, comment.last))
        yield Comment(comment.text, line, first, last)


def _placed(parts: Iterable[MarkupPart]) -> Iterator[_Extent]:
    for part in parts:
        opens_comment = re.compile(b"|".join(part.family.comment_openers())).match
        edges = accumulate(map(len, part.pieces), initial=part.start)
        for piece, (begin, end) in zip(part.pieces, pairwise(edges), strict=True):
            yield begin, end, opens_comment(piece) is not None


def _found(text: str, pieces: Iterable[_Extent]) -> list[Comment]:
    """Find the comments of a text; ``pieces`` hold all of it but white space."""
    lines = line_numbers(text)
    runs: list[list[Comment]] = [[]]
    code_on = 0
    for start, end, is_comment in pieces:
        if end <= start:
            continue
        first, last = int(lines[start]), int(lines[end - 1])
        if not is_comment:
            # A piece may begin with the previous line's end, and end with that of its own.
            bare = text[start:end].rstrip(_BLANKS)
            code_on = int(lines[start + len(bare) - 1]) if bare else code_on
            continue
        is_beside_code, before = code_on == first, runs[-1]
        if before and (is_beside_code or first > before[-1].last + 1):
            runs.append([])
        runs[-1].append(Comment(text[start:end], first, first, last))
        if is_beside_code:
            runs.append([])
    return [comment._replace(first=run[0].first, last=run[-1].last) for run in runs for comment in run]


_LINE_COMMENTS = {
    "#": """
        awk cmake coffeescript cr cython docker fish gap gdscript gherkin graphql make meson nginx nimrod nixos numpy
        perl6 puppet robotframework sed tcl tcsh toml yaml""",
    "//": "d fsharp glsl hlsl objective-j ragel-c stata supercollider swig thrift typst",
    "--": "ada applescript elm idris lean lean4 luau",
    ";": "autohotkey clojure common-lisp emacs-lisp fennel hylang ini newlisp racket scheme",
    "%": "postscript prolog tex",
    "'": "vb.net vbscript",
    '"': "vim",
    "REM": "batch",
}
_BLOCK_COMMENTS = {
    ("/* ", " */"): "css",
    ("<!-- ", " -->"): "html markdown vue xml xslt",
    ("(* ", " *)"): "coq ocaml sml",
}
COMMENT_MARKS = {
    **{name: (f"{mark} ", "") for mark, names in _LINE_COMMENTS.items() for name in names.split()},
    **{name: (f"{family.line_comment.decode()} ", "") for name, family in FAMILY_OF.items() if family.line_comment},
    # Plain CSS has no line comments, though its family has.
    **{name: marks for marks, names in _BLOCK_COMMENTS.items() for name in names.split()},
}
"""Language → what opens and what closes a comment of one line, spaces included."""


def comment_marks(language: str | None) -> tuple[str, str]:
    """Return the marks that open and close a comment of one line, for people; two empty texts if unknown."""
    return COMMENT_MARKS.get(language or "", ("", ""))
