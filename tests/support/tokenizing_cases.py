"""Texts on which the kernel's tokenizer and Python's must agree, made by chance, and what they differ in."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from support.kernels import without_kernel
from support.marks import MARKS, OPENERS
from winnow_ci.languages.families import FAMILIES
from winnow_ci.languages.families.declarative import HTML
from winnow_ci.languages.families.syntax import ALL_ASCII, NO_QUOTES
from winnow_ci.languages.normalisation import plain_text
from winnow_ci.languages.table_tokenizer import (
    cut_text,
    kernel_reader,
    tokens_of_kernel,
    tokens_of_pieces,
    unescaped,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Sequence

    from winnow_ci.languages.families import LanguageFamily
    from winnow_ci.model import Phrases, Tokens

    Making = Callable[[random.Random, Sequence[bytes], Sequence[bytes]], bytes]

ALL_FAMILIES = (*FAMILIES, HTML)
NEVER_CAREFUL = 0

_COLUMNS = ("structural", "verbatim", "first_lines", "last_lines", "sketch")
_PHRASE_COLUMNS = ("hashes", "words", "names", "positions", "lines")
_ENDS = (b"*/", b'"', b"'", b"`", b"\n", b"]]", b"\nE\n", b"\nX\n", b"--!>", b"\r", b"\t", b" ", b"\v", b"\f", b"\x7f")
_WORDS = (
    *b"import from use foo_bar_baz someLongNameOfThings HTTPServerOfA1Thing Some_Words_Here".split(),
    *b"0x1F.8p3 1.5e+3 1'000 16#ff .and. url( region endregion #define \\u0022 \\u005c".split(),
    *b"if return typeof case class print puts EOF X E".split(),
    *(b"\\" * count for count in (2, 11, 12, 13, 14, 15, 40)),
    *(
        b"\xff",
        b"\xc3\xa9",
        b"\xe2\x80\xa8",
        b"\xe2\x80\x8b",
        b"\xe2",
        b"\x80\xa9",
        b"\xc2\xa0",
        b"\xc2\xad",
        b"\xe3\x80\x80",
        b"\xef\xbb\xbf",
        b"\\uu002A",
        b"\\u007b",
        b"\\ud83D\\ude00",
        b"\\ud83D",
        b"\\u0000",
        b"\\",
        b"-->",
        b"<!--",
        b"'''",
        b'"""',
        b"words of a comment",
        b"/*" * 9,
        b"{" * 9,
    ),
)
# What strings that hold code, here-documents and documentation are made of.
_CAREFUL = (
    *b'"""+f"+$"+@"+s"+##"+"+\\"+#{+${+{+}+$(+(+)+\\(+{{+`'.split(b"+"),
    *b"rb'+'+a+ a = +a <<+}+print +class +=cut+=a+;+#+//".split(b"+"),
    *b"<<\"A\"+<<~A+(<<'A'+<<A, <<B+\nA\n+\n B\n+=begin\n+\n=end".split(b"+"),
)
LONGEST_SMALL = 64


def difference(text: bytes, family: LanguageFamily) -> str:
    """What the two make of a normalised text differs in; empty if it is the same."""
    changes = [
        plain_text,
        partial(unescaped, ascii_characters=ALL_ASCII),
        partial(unescaped, ascii_characters=NO_QUOTES),
    ]
    native = [change(text) for change in changes]
    with without_kernel():
        if native != [change(text) for change in changes]:
            return "plain text or unescaped"
    text = unescaped(text, family.unicode_escapes)
    found = cut_text(text, family)
    reader = kernel_reader(text, family)
    if reader is None or (pieces := reader.pieces(text, NEVER_CAREFUL)) is None:
        return "left to Python"
    if pieces != found:
        return "pieces"
    return _in_tokens(reader.tokens(text, NEVER_CAREFUL), tokens_of_pieces(found, family)) or (
        _with_care(text, family, family.care.is_doubtful(found)) if family.care else ""
    )


def _with_care(text: bytes, family: LanguageFamily, is_doubtful: bool) -> str:
    """The same of a text read with care, whether it needs it or not."""
    found = cut_text(text, family, careful=True)
    reader = kernel_reader(text, family)
    if reader.careful_pieces(text) != found:
        return "pieces, with care"
    tokens = reader.tokens(text, len(text))
    if tokens[2] != is_doubtful:
        return "doubts"
    difference = is_doubtful and _in_tokens(tokens, tokens_of_pieces(found, family))
    return f"{difference}, with care" if difference else ""


def _in_tokens(native: Any, other: Tokens) -> str:
    one = tokens_of_kernel(native)
    return _in_columns(one, other, _COLUMNS) or _in_columns(one.phrases, other.phrases, _PHRASE_COLUMNS)


def _in_columns(one: Tokens | Phrases | None, other: Tokens | Phrases | None, names: Sequence[str]) -> str:
    for name in names:
        mine, yours = getattr(one, name), getattr(other, name)
        if mine.dtype != yours.dtype or mine.tobytes() != yours.tobytes():
            return name
    return ""


def texts(family: LanguageFamily, chooser: random.Random, sources: Sequence[bytes]) -> Iterator[bytes]:
    """Texts without end; ``sources`` are normalised files in languages of the family."""
    own = [*OPENERS.get(family.languages[0], b"<!-- =\" ='").split(b" "), *_table_marks(family)]
    while True:
        making = chooser.choice(_MAKINGS)
        yield making(chooser, own, sources).replace(b"\0", b" ")


def small_texts(family: LanguageFamily, chooser: random.Random) -> Iterator[bytes]:
    """Texts of a few of the family's own marks, without end: of little, all that can happen happens soon."""
    own = [*OPENERS.get(family.languages[0], b"<!-- =\" ='").split(b" "), *_table_marks(family)]
    marks = [*own, *own, *_ENDS, *(_CAREFUL * 2 if family.care else _CAREFUL), *_WORDS]
    while True:
        text = b"".join(chooser.choices(marks, k=chooser.randrange(13)))
        yield text[:LONGEST_SMALL].replace(b"\0", b" ")


def _table_marks(family: LanguageFamily) -> list[bytes]:
    nests = [mark for span in family.spans for mark in span.nests or ()]
    plain = [*(span.marker for span in family.spans), family.line_comment, *family.operators]
    return [*nests * 3, *filter(None, plain), *(family.quotes[at : at + 1] for at in range(len(family.quotes)))]


def _soup(chooser: random.Random, own: Sequence[bytes], sources: Sequence[bytes]) -> bytes:
    return b"".join(chooser.choices([*MARKS, *own * 3, *_ENDS * 3, *_WORDS], k=chooser.randrange(40)))


def _own_soup(chooser: random.Random, own: Sequence[bytes], sources: Sequence[bytes]) -> bytes:
    return b"".join(chooser.choices([*own, *_ENDS], k=chooser.randrange(25)))


def _noise(chooser: random.Random, own: Sequence[bytes], sources: Sequence[bytes]) -> bytes:
    return bytes(chooser.choices(range(1, 256), k=chooser.randrange(60)))


def _first_line(chooser: random.Random, own: Sequence[bytes], sources: Sequence[bytes]) -> bytes:
    return b"#!" + _soup(chooser, own, sources)


def _pump(chooser: random.Random, own: Sequence[bytes], sources: Sequence[bytes]) -> bytes:
    unit = b"".join(chooser.choices([*own, *_ENDS, *_WORDS, *MARKS], k=chooser.randrange(1, 4)))
    return _own_soup(chooser, own, sources) + unit * chooser.randrange(300) + _own_soup(chooser, own, sources)


def _mutated(chooser: random.Random, own: Sequence[bytes], sources: Sequence[bytes]) -> bytes:
    text = _part(chooser, sources)
    for _ in range(chooser.randrange(1, 9)):
        at = chooser.randrange(len(text) + 1)
        put = chooser.choice([*own * 2, *_ENDS, *_WORDS, *MARKS, bytes([chooser.randrange(1, 256)])])
        text[at : at + chooser.choice((0, 0, 1, 1, 3, 20))] = put
    return bytes(text)


def _crossed(chooser: random.Random, own: Sequence[bytes], sources: Sequence[bytes]) -> bytes:
    return bytes(_part(chooser, sources) + _part(chooser, sources))


def _part(chooser: random.Random, sources: Sequence[bytes]) -> bytearray:
    whole = chooser.choice(sources) if sources else b""
    at = chooser.randrange(len(whole) + 1)
    return bytearray(whole[at : at + chooser.choice((50, 300, 2000))])


_MAKINGS: tuple[Making, ...] = (
    *(_soup, _soup, _soup, _own_soup, _own_soup),
    *(_mutated, _mutated, _mutated, _crossed, _noise, _first_line, _pump),
)
