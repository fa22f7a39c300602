"""The languages of the fast scanner: one table entry a family.

Languages that share files or copy from each other are one family, so that a header matches whether it is called ``.h``
or ``.hpp``, and a function whether it has been given types. A family's keywords are those of all its languages, without
words that ordinary code of one of them uses as names.

To add a language, add a ``Family`` to ``FAMILIES`` (and its file extensions to ``detect``, if Pygments does not know
them). Raise ``revision`` with every later change of the entry: an index made with another revision is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Span:
    r"""A comment or string that may span lines, and that hides the rest of the file if nothing closes it.

    Attributes:
        kind: what it is.
        marker: bytes that every such span contains; a text without them needs no pattern for it.
        openers: regular expressions of the beginning; one may have a group.
        closer: regular expression of the end, which may refer to that group as ``\1``. With ``escapes``, one
            character, repeated.
        escapes: whether a backslash keeps the next character from being part of the end.
    """

    kind: Literal["comment", "string"]
    marker: bytes
    openers: tuple[bytes, ...]
    closer: bytes
    escapes: bool = False


@dataclass(frozen=True, slots=True)
class Family:
    """Languages that are scanned alike, and match each other.

    Attributes:
        name: seeds the ids of all tokens.
        revision: of this entry.
        languages: Pygments' names of them.
        line_comment: opens a comment that ends with the line.
        spans: comments and strings that may span lines.
        operators: those of several characters; any single one is a token by itself.
        keywords: words that are not identifiers.
        quotes: characters that enclose a string that ends with the line at the latest.
        prefix: regular expression of the letters that may stand right before a string's quote.
        letters: characters of identifiers besides letters, digits, ``_`` and everything beyond ASCII.
        digit_separator: besides ``_``.
        spliced_comments: whether a backslash at the end of a line continues a line comment.
        regex_literals: whether a slash where no operand has ended opens a regular expression.
    """

    name: str
    revision: int
    languages: tuple[str, ...]
    line_comment: bytes
    spans: tuple[Span, ...]
    operators: tuple[bytes, ...]
    keywords: frozenset[bytes]
    quotes: bytes = b"\"'"
    prefix: bytes | None = None
    letters: bytes = b""
    digit_separator: bytes = b""
    spliced_comments: bool = False
    regex_literals: bool = False


_BLOCK_COMMENT = Span("comment", marker=b"/*", openers=(rb"/\*",), closer=rb"\*/")


def _words(*lines: bytes) -> tuple[bytes, ...]:
    return tuple(b" ".join(lines).split())


_ARITHMETIC = _words(b"== != <= >= << >> += -= *= /= %= &= |= ^= <<= >>= ...")

C = Family(
    name="c",
    revision=1,
    languages=("c", "cpp", "objective-c", "objective-c++", "cuda", "arduino"),
    line_comment=b"//",
    spans=(
        _BLOCK_COMMENT,
        Span(
            "string",
            marker=b'R"',
            openers=(rb'(?:u8|[uUL])?R"([^()\\\s\0]{0,16})\(',),
            closer=rb'\)\1"',
        ),
    ),
    operators=_ARITHMETIC + _words(b"&& || ++ -- -> :: .* ->* <=> ##"),
    keywords=frozenset(
        _words(
            b"auto break case char const continue default do double else enum extern float for goto if inline int long",
            b"register restrict return short signed sizeof static struct switch typedef union unsigned void volatile",
            b"while _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert",
            b"_Thread_local alignas alignof bool constexpr decltype false noexcept nullptr static_assert thread_local",
            b"true typeof asm catch char8_t char16_t char32_t class co_await co_return co_yield concept const_cast",
            b"consteval constinit delete dynamic_cast explicit export friend mutable namespace new operator private",
            b"protected public reinterpret_cast requires static_cast template this throw try typeid typename using",
            b"virtual wchar_t",
            b"define elif endif ifdef ifndef include pragma undef",
        )
    ),
    prefix=rb"[uUL]8?",
    digit_separator=b"'",
    spliced_comments=True,
)

PYTHON = Family(
    name="python",
    revision=1,
    languages=("python", "python2"),
    line_comment=b"#",
    spans=(
        Span("string", b'"""', (rb'"""', rb'[rRbBuUfFtT]{1,2}"""'), closer=b'"""', escapes=True),
        Span("string", b"'''", (rb"'''", rb"[rRbBuUfFtT]{1,2}'''"), closer=b"'''", escapes=True),
    ),
    operators=_ARITHMETIC + _words(b"-> ** **= // //= := @= <>"),
    keywords=frozenset(
        _words(
            b"False None True and as assert async await break class continue def del elif else except finally for from",
            b"global if import in is lambda nonlocal not or pass raise return try while with yield",
        )
    ),
    prefix=rb"[rRbBuUfFtT]{1,2}",
)

JAVASCRIPT = Family(
    name="javascript",
    revision=1,
    languages=("javascript", "jsx", "typescript", "tsx"),
    line_comment=b"//",
    spans=(_BLOCK_COMMENT, Span("string", b"`", (rb"`",), closer=b"`", escapes=True)),
    operators=_ARITHMETIC + _words(b"&& || ++ -- === !== => ** **= >>> >>>= ?? ??= ?. &&= ||="),
    # Not: async, from, get, of, set, static, type and other words that are keywords only in their place.
    keywords=frozenset(
        _words(
            b"await break case catch class const continue debugger default delete do else enum export extends false",
            b"finally for function if import in instanceof let new null return super switch this throw true try typeof",
            b"var void while with yield",
        )
    ),
    letters=b"$",
    regex_literals=True,
)

JAVA = Family(
    name="java",
    revision=1,
    languages=("java",),
    line_comment=b"//",
    spans=(_BLOCK_COMMENT, Span("string", b'"""', (rb'"""',), closer=b'"""', escapes=True)),
    operators=_ARITHMETIC + _words(b"&& || ++ -- -> :: >>> >>>="),
    keywords=frozenset(
        _words(
            b"abstract assert boolean break byte case catch char class const continue default do double else enum",
            b"extends false final finally float for goto if implements import instanceof int interface long native new",
            b"null package private protected public return short static strictfp super switch synchronized this throw",
            b"throws transient true try void volatile while",
        )
    ),
    letters=b"$",
)

GO = Family(
    name="go",
    revision=1,
    languages=("go",),
    line_comment=b"//",
    spans=(_BLOCK_COMMENT, Span("string", b"`", (rb"`",), closer=b"`")),
    operators=_ARITHMETIC + _words(b"&& || ++ -- <- := &^ &^="),
    keywords=frozenset(
        _words(
            b"break case chan const continue default defer else fallthrough for func go goto if import interface map",
            b"package range return select struct switch type var",
        )
    ),
)

FAMILIES: tuple[Family, ...] = (C, PYTHON, JAVASCRIPT, JAVA, GO)
