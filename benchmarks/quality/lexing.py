"""Source text as tokens, by Pygments: the benchmark's own eyes, which share nothing with winnow-ci's tokenizers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from grammars import GRAMMARS
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Literal, Name, Number, Operator, Other, Punctuation, String, Text, Token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pygments.lexer import Lexer

SYNTAX = {".py": "python", ".js": "javascript", ".mjs": "javascript", ".ts": "typescript", ".c": "c", ".h": "c"}
SYNTAX |= {".java": "java", ".go": "go", ".rs": "rust", ".php": "php", ".rb": "ruby", ".cs": "csharp", ".kt": "kotlin"}
SYNTAX |= dict.fromkeys((".cc", ".cpp", ".cxx", ".hpp", ".hh"), "cpp")
LANGUAGES = tuple(dict.fromkeys(SYNTAX.values()))
OPENERS = {"(": ")", "[": "]", "{": "}"}
CLOSERS = frozenset(OPENERS.values())

# The first that fits, from the particular to the general.
_KINDS = (
    (Comment.Preproc, "preproc"),
    (Comment.PreprocFile, "preproc"),
    (Comment, "comment"),
    (Other, "comment"),
    (String.Doc, "doc"),
    (String.Affix, "affix"),
    (String.Interpol, "interpolation"),
    (String.Regex, "regex"),
    (String, "string"),
    (Number, "number"),
    (Name.Builtin, "builtin"),
    (Name.Exception, "builtin"),
    (Name.Function.Magic, "builtin"),
    (Name.Variable.Magic, "builtin"),
    (Name, "name"),
    (Keyword, "keyword"),
    (Operator.Word, "keyword"),
    (Operator, "operator"),
    (Punctuation, "punctuation"),
    (Literal, "string"),
    (Text, "space"),
    (Token, "punctuation"),
)
INSIGNIFICANT = frozenset({"space", "comment", "doc"})
MERGED = frozenset({"string", "comment", "doc", "space", "preproc"})


class Lexeme(NamedTuple):
    """A token.

    Attributes:
        kind: one of the words in _KINDS.
        text: as it stands.
    """

    kind: str
    text: str

    @property
    def significant(self) -> bool:
        return self.kind not in INSIGNIFICANT


def lex(text: str, syntax: str) -> list[Lexeme]:
    """All of a text; the lexemes' texts joined are the text. Pieces of one string or comment are one lexeme."""
    found: list[Lexeme] = []
    for there, piece in _pieces(text, syntax):
        kind = there
        if kind == "space" and piece.strip():
            kind = "punctuation"
        elif kind in ("punctuation", "operator", "name") and not piece.strip():
            kind = "space"
        if found and kind in MERGED and found[-1].kind == kind:
            found[-1] = Lexeme(kind, found[-1].text + piece)
        elif piece:
            found.append(Lexeme(kind, piece))
    return found


def _pieces(text: str, syntax: str) -> Iterator[tuple[str, str]]:
    """Pygments' tokens; the $ of PHP is no part of a name, and built-in names are no names."""
    built_in = GRAMMARS[syntax].built_in
    for there, piece in _lexer(syntax, inline="<?" not in text).get_tokens(text):
        kind, name = _kind(there), piece
        if syntax == "php" and piece[:1] == "$" and len(piece) > 1 and kind in ("name", "interpolation"):
            yield "punctuation", "$"
            kind, name = "name", piece[1:]
        yield "builtin" if kind == "name" and name in built_in else kind, name


@lru_cache
def _lexer(syntax: str, *, inline: bool) -> Lexer:
    """Pygments' lexer; PHP without an opening tag is code only if it is told so."""
    return get_lexer_by_name(syntax, stripnl=False, ensurenl=False, startinline=inline)


@lru_cache(maxsize=500)
def _kind(there: object) -> str:
    return next(kind for token, kind in _KINDS if there in token)
