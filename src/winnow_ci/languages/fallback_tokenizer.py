r"""The fallback tokenizer, for texts that Pygments' lexer of their language fails on or takes too long for.

It knows no language. Tokens are words, numbers, strings that end on their line, and any other character by itself;
white space separates them. Words that many languages reserve stand for themselves and all others are identifiers, which
leaves a structure to compare. Comments are tokens like everything else: what opens a comment in one language is code in
another, and nobody may hide code by calling it a comment. Its text has no passages of known texts
(``prose_tokenizer.without_known_texts``): they stand in comments of files that have nothing else in common.

It takes time linear in the text, whatever the text. The parts of a string have bounds: from a quotation mark without a
partner the pattern reads on for some thousands of characters at most, and the marks inside those are at least a
twentieth of that apart. No other alternative can fail once it has begun.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from winnow_ci.languages.normalisation import with_plain_line_ends
from winnow_ci.languages.token_limit import cut
from winnow_ci.languages.tokens import Alphabet, TokenIds, assemble, line_numbers
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from winnow_ci.model import Tokens

NAME = "generic"
# 2: passages of known texts have no tokens.
REVISION = 2

_ALPHABET = Alphabet(NAME)
_SHORT = 64
_STRINGS = (rb"%b[^%b\\\n]{0,400}(?:\\[^\n][^%b\\\n]{0,400}){0,20}%b" % (4 * (mark,)) for mark in (b'"', b"'", b"`"))
_PIECES = compiled_on_use(
    b"|".join(
        (
            rb"[\x00-\x20\x7f]+",
            rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*",
            rb"[0-9]\w*(?:\.[0-9]\w*)?",
            *_STRINGS,
            rb"[\s\S]",
        )
    )
)
_RESERVED = frozenset(
    b"""
    abstract alias and array as assert async await base begin bool boolean break by byte call case catch char class
    const constructor continue def default defer delete dim do done double downto each elif else elseif elsif end
    endfor endfunction endif endwhile enum esac event except exit export extends extern false fi final finally float fn
    for foreach forall from fun func function global go goto if impl implements import in include inherit inline
    instanceof int integer interface into internal is lambda let list local long loop macro match method mod module mut
    mutable my namespace new next nil none not null object of on operator or override package pass private proc
    procedure property protected protocol pub public raise readonly record redo ref repeat require rescue retry return
    sealed select self set short sizeof static step string struct sub subroutine super switch synchronized table
    template then this throw throws to trait true try type typedef typeof undef union unless unsafe unsigned until use
    using val var virtual void volatile when where while with xor yield
    """.split()
)


def tokenize(text: bytes) -> Tokens:
    """Tokens of normalised text (``normalisation.normalise``)."""
    return assemble(pieces(text), ids_of, line_numbers(text))


def pieces(text: bytes) -> list[bytes]:
    """Cut normalised text into tokens and white space."""
    return cut(_PIECES, with_plain_line_ends(text), ids_of)


def ids_of(piece: bytes) -> TokenIds | None:
    """Ids of a token; None for white space."""
    return _remembered(piece) if len(piece) <= _SHORT else _classified(piece)


def _classified(piece: bytes) -> TokenIds | None:
    first = piece[:1]
    if first <= b" " or first == b"\x7f":
        return None
    if first.isdigit():
        return _ALPHABET.number(piece)
    if first.isalpha() or first == b"_" or first >= b"\x80":
        return _ALPHABET.word(piece) if piece.lower() in _RESERVED else _ALPHABET.identifier(piece)
    return _ALPHABET.word(piece) if len(piece) == 1 else _ALPHABET.string(piece)


_remembered = lru_cache(1 << 15)(_classified)
