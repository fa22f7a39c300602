"""Source text as tokens, by Pygments: the benchmark's own eyes, which share nothing with winnow-ci's tokenizers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Literal, Name, Number, Operator, Punctuation, String, Text, Token

if TYPE_CHECKING:
    from pygments.lexer import Lexer

SYNTAX = {".py": "python", ".js": "javascript", ".mjs": "javascript", ".ts": "typescript", ".c": "c", ".h": "c"}
SYNTAX |= {".java": "java", ".go": "go"}
SYNTAX |= dict.fromkeys((".cc", ".cpp", ".cxx", ".hpp", ".hh"), "cpp")
OPENERS = {"(": ")", "[": "]", "{": "}"}
CLOSERS = frozenset(OPENERS.values())

# The first that fits, from the particular to the general.
_KINDS = (
    (Comment.Preproc, "preproc"),
    (Comment.PreprocFile, "preproc"),
    (Comment, "comment"),
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
    for kind_there, piece in _lexer(syntax).get_tokens(text):
        kind = _kind(kind_there)
        if kind == "space" and piece.strip():
            kind = "punctuation"
        elif kind in ("punctuation", "operator", "name") and not piece.strip():
            kind = "space"
        if found and kind in MERGED and found[-1].kind == kind:
            found[-1] = Lexeme(kind, found[-1].text + piece)
        elif piece:
            found.append(Lexeme(kind, piece))
    return found


@lru_cache
def _lexer(syntax: str) -> Lexer:
    return get_lexer_by_name(syntax, stripnl=False, ensurenl=False)


@lru_cache(maxsize=500)
def _kind(there: object) -> str:
    return next(kind for token, kind in _KINDS if there in token)
