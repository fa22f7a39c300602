r"""Find the comments of a document, and its lines of text: also strings, here-documents, prose, values of attributes.

What is text depends on the language alone: in code it is what the front end takes for comments and strings; of markup
it is all but tags, scripts and styles; prose, settings, patches and files of commands are text as a whole. It comes
without what makes it text: marks of comments, quotation marks, prompts, fences. In a string on one line an escaped line
break ends a line, too, so several lines of text may stand on one line of the document.

*Guests* are text, too, though the front end reads them as code: they may be in any language. SQL has functions between
dollar signs, in whatever language a clause names (PostgreSQL). Where a quotation mark of a shell ends, nobody knows
without running it, so what is between two on different lines is read as code, lest it hide any. The same holds for
Perl's and Haskell's quotes with marks of one's own, and for what follows a program.
"""

from __future__ import annotations

import importlib
import re
from functools import partial
from heapq import merge
from itertools import accumulate, pairwise
from operator import attrgetter
from string import punctuation
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.languages import markup_tokenizer, notebook_tokenizer
from winnow_ci.languages.families import FAMILY_OF
from winnow_ci.languages.language_detection import COMMENT_MARK_OF, DATA, PROSE, TEXT_AS_A_WHOLE
from winnow_ci.languages.lexing_worker import COMMENT, STRING
from winnow_ci.languages.normalisation import as_characters
from winnow_ci.languages.table_tokenizer import classifier, family_pieces, unescaped
from winnow_ci.languages.tokens import TextLine, line_numbers
from winnow_ci.model import STRING_SKETCH
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.languages.families import LanguageFamily
    from winnow_ci.languages.markup_tokenizer import MarkupPart
    from winnow_ci.model import I32

SHORTEST_PIECE = 12  # bytes; shorter strings are left out
_SHORTEST_COMMENT = 2
_MAY_OPEN_COMMENT = np.array([chr(byte) in punctuation for byte in range(256)])  # whether a byte may

_LINE = attrgetter("line")
# At the beginning of a line of a comment or string; a star that continues a block comment is no dereference.
_OPENING = compiled_on_use(
    rb"""[\ \t]*(?:
        //+!? | /\*+!? | \*/ | \*+(?![\w(*]) | \#+!? | --\[=*\[ | --+ | ;+ | %+ | <!--+ | \(\*+ | \{-
        | =(?:begin|end|pod|cut|head[1-6]|over|item|back|for|encoding)\b
        | <<<?[~-]?["'`]?\w+["'`]?
        | [A-Za-z@$~]{0,3}\#*(?:\"\"\"|'''|["'`])
    )?""",
    re.VERBOSE,
)
_CONTINUED = compiled_on_use(rb"[ \t]*(?://+!?|\*/|\*+(?![\w(*])|#+|--+|;+|%+)?")
_CLOSING = compiled_on_use(rb"""(?:\*+/|\"\"\"|'''|["'`]|--+>|\*\)|-\}|\]=*\])\#*\s*\Z""")
_ESCAPE = compiled_on_use(rb"\\([\s\S])")
# In a string of several lines, an escaped letter is most likely the code's own.
_ESCAPED_MARK = compiled_on_use(rb"\\([\\\"'`$])")
# Prompts of shells and of Python, quotation marks of mails and of Markdown, signs of a patch.
_PROMPT = compiled_on_use(rb"[ \t]*(?:>>>|\.\.\.|\$|>)(?=[ \t]|\Z)")
_FENCE = compiled_on_use(rb"[ \t]*(?:```+|~~~+)")
# What these begin with.
_MARKED = (b">", b".", b"$", b"`", b"~")
_PATCH = compiled_on_use(rb"(?:[+-](?!\+\+ |-- )| )")

_QUOTES = (b'"', b"'", b"`")
_WORD = compiled_on_use(rb"\w")

_TAG = compiled_on_use(rb"""</?[A-Za-z][\w:.-]{0,63}((?:[^"'<>]|"[^"]{0,4095}"|'[^']{0,4095}'){0,4095})>""")
_VALUE = compiled_on_use(rb""""([^"]*)"|'([^']*)'""")
_ENTITY = compiled_on_use(rb"&(lt|gt|amp|quot|apos|nbsp|#\d{1,5});")
_ENTITIES = {b"lt": b"<", b"gt": b">", b"amp": b"&", b"quot": b'"', b"apos": b"'", b"nbsp": b" "}


# What opens and closes the text, which is the second group. What nothing closes goes on to the end.
_DOLLARS = compiled_on_use(rb"(\$(?:[A-Za-z_\x80-\xff][\w\x80-\xff]{0,62})?\$)([^\0]*?)(?:\1|\0|\Z)")
# The page of PHP that stands before, between and after the code.
_PAGE = compiled_on_use(rb"(\?>|\A(?=[^\0]*?<\?))([^\0]*?)(?:<\?|\Z)")
# A list ends near by, and on its line. Looking further would take time that grows with the square of a long line.
_QUASI_QUOTES = compiled_on_use(rb"(\[[\w.']{1,60}\|)(?![^\n\]]{0,100}\])([^\0]*?)(?:\|\]|\0|\Z)")
_AT_THE_END = compiled_on_use(rb"(^__END__$)([^\0]*)", re.MULTILINE)
_PERL = compiled_on_use(
    rb"(?:(?<![\w$@%&>])q[qx]?\s{0,9}([~!#|^,;:/?.+*-])|^__(?:END|DATA)__$)([^\0]*?)(?:\1|\0|\Z)", re.MULTILINE
)
# A line of a shell without the strings that end on it.
_ENDED = compiled_on_use(rb"""\\.|'[^']*'|"(?:\\.|[^"\\])*\"""")
_QUOTED = compiled_on_use(rb"""^(?![ \t]*\#)[^'"\n]*['"][^\n]*""", re.MULTILINE)
_QUOTE = compiled_on_use(rb"""['"]""")


def text_lines(language: str, text: bytes, wanted: NDArray[np.bool_]) -> Iterator[TextLine]:
    """The lines of text in a normalised document, in order; lines that are not ``wanted`` (bool) may be left out.

    ``Untokenizable`` if a lexer fails or takes too long.
    """
    if language in TEXT_AS_A_WHOLE or language == DATA:
        yield from _prose(text, wanted, is_patch=language == "diff")
    elif language in markup_tokenizer.LANGUAGES:
        yield from _of_markup(text, wanted)
    elif language == notebook_tokenizer.LANGUAGE:
        yield from _of_notebook(text)
    elif family := FAMILY_OF.get(language):
        in_code = text_lines_of_family(family, text, wanted)
        whole = (line for line in guests(family, text) if wanted[line.line - 1])
        yield from _overlaid(whole, in_code) if family.name in _FORMS else in_code
    else:
        # No family tells code of the language from other code in it.
        yield from _overlaid(_prose(text, wanted), _of_lexer(language, text))


def text_lines_of_family(family: LanguageFamily, text: bytes, wanted: NDArray[np.bool_]) -> Iterator[TextLine]:
    """The same for code in a family of the table-driven tokenizer."""
    plain, lines = unescaped(text, family.unicode_escapes), line_numbers(text)
    found = _of_pieces(family, family_pieces(text, family), plain, lines, wanted)
    if not family.begins_as_text:
        return found
    pages = (line for first, page in _between(_PAGE, text) for line in _markup_text(page, first, wanted))
    return merge(found, pages, key=_LINE)


def _of_pieces(
    family: LanguageFamily, pieces: list[bytes], text: bytes, lines: I32, wanted: NDArray[np.bool_], start: int = 0
) -> Iterator[TextLine]:
    """The text in the pieces of a document; the first begins at its byte ``start``."""
    classify = classifier(family)
    for number, begin, end in _pieces_to_read(pieces, text, lines, wanted, start):
        # Pieces have line feeds for carriage returns, which end no line of the document.
        piece, written, line = pieces[number], text[begin:end], int(lines[begin])
        if piece.isspace():
            # Nearly always an indentation; nothing of it is left.
            yield TextLine(line + written.count(b"\n"), b"")
            continue
        ids = classify(piece)
        if ids is None or (ids.sketch in STRING_SKETCH and len(piece) >= SHORTEST_PIECE):
            yield from _of_piece(written if b"\r" in written else piece, line, is_string=ids is not None)


def _pieces_to_read(
    pieces: list[bytes], text: bytes, lines: I32, wanted: NDArray[np.bool_], start: int
) -> Iterator[tuple[int, int, int]]:
    """Number, begin and end of the pieces on wanted lines that may be a comment or a string."""
    lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
    ends = start + np.cumsum(lengths)
    numbers = np.flatnonzero(lengths >= _SHORTEST_COMMENT)
    lengths, ends = lengths[numbers], ends[numbers]
    begins = ends - lengths
    may_be_text = (lengths >= SHORTEST_PIECE) | _MAY_OPEN_COMMENT[np.frombuffer(text, np.uint8)[begins]]
    wanted_before = np.append(0, np.cumsum(wanted))
    is_wanted = wanted_before[lines[ends - 1]] > wanted_before[lines[begins] - 1]
    return zip(*(column[may_be_text & is_wanted].tolist() for column in (numbers, begins, ends)), strict=True)


def _of_piece(piece: bytes, line: int, *, is_string: bool) -> Iterator[TextLine]:
    """The text of a comment or string that begins on a line."""
    line += piece.count(b"\n", 0, len(piece) - len(piece.lstrip()))
    piece = piece.strip()
    opening = _OPENING.match(piece)
    body = _CLOSING.sub(b"", piece[opening.end() if opening else 0 :])
    first, *others = body.split(b"\n")
    if is_string and not others:
        return (yield from (TextLine(line, _plain(part)) for part in _ESCAPE.sub(_meant, first).split(b"\n")))
    yield TextLine(line, _plain(first))
    for number, part in enumerate(others, line + 1):
        marks = None if is_string else _CONTINUED.match(part)
        unmarked = part[marks.end() :] if marks else _ESCAPED_MARK.sub(rb"\1", part)
        yield TextLine(number, _plain(unmarked))


def _meant(escape: re.Match[bytes]) -> bytes:
    return {b"n": b"\n", b"r": b"\n", b"t": b"\t"}.get(escape[1], escape[1])


def _plain(line: bytes) -> bytes:
    """A line without a prompt; nothing of one that opens or closes a fence."""
    if line.lstrip(b" \t")[:1] not in _MARKED:
        return line
    if _FENCE.match(line):
        return b""
    prompt = _PROMPT.match(line)
    return line[prompt.end() :] if prompt else line


def _prose(text: bytes, wanted: NDArray[np.bool_], first: int = 1, *, is_patch: bool = False) -> Iterator[TextLine]:
    parts = text.replace(b"\r", b" ").split(b"\n")
    for number in (np.flatnonzero(wanted[first - 1 : first - 1 + len(parts)]) + first).tolist():
        part = parts[number - first]
        yield TextLine(number, _PATCH.sub(b"", part, count=1) if is_patch else _plain(part))


def _of_notebook(text: bytes) -> Iterator[TextLine]:
    family, code, prose = notebook_tokenizer.parsed(text)
    joined = b"\n".join(line.text for line in code)
    in_code = text_lines_of_family(family, joined, np.ones(joined.count(b"\n") + 1, np.bool_))
    return merge(
        (TextLine(line.line, _plain(line.text)) for line in prose),
        (TextLine(code[line.line - 1].line, line.text) for line in in_code),
        key=_LINE,
    )


def _of_markup(text: bytes, wanted: NDArray[np.bool_]) -> Iterator[TextLine]:
    lines = line_numbers(text)
    for start, pieces, family in markup_tokenizer.markup_parts(text):
        if family is not markup_tokenizer.MARKUP_PARTS[0]:
            yield from _of_pieces(family, pieces, text, lines, wanted, start)
        elif pieces:
            yield from _markup_text(text[start : start + sum(map(len, pieces))], int(lines[start]), wanted)


def _markup_text(text: bytes, first: int, wanted: NDArray[np.bool_]) -> Iterator[TextLine]:
    """The text between tags, and the values of attributes, of a text that begins on a line of the document."""
    plain = _TAG.sub(_values, text.replace(b"<!--", b"    ").replace(b"-->", b"   "))
    yield from _prose(_ENTITY.sub(_character, plain), wanted, first)


def _values(tag: re.Match[bytes]) -> bytes:
    values = b" ".join(first or second for first, second in _VALUE.findall(tag[1]))
    return b" " + values + b"\n" * (tag[0].count(b"\n") - values.count(b"\n"))


def _character(entity: re.Match[bytes]) -> bytes:
    name = entity[1]
    number = int(name[1:]) if name.startswith(b"#") else 0
    return bytes([number]) if 31 < number < 127 else _ENTITIES.get(name, b" ")


def _of_lexer(language: str, text: bytes) -> Iterator[TextLine]:
    lexer = importlib.import_module("winnow_ci.languages.pygments_lexer")
    characters = as_characters(text)
    lines = line_numbers(characters)
    for start, end, kind in lexer.kinds_of_pieces(text, language):
        shortest = {STRING: SHORTEST_PIECE, COMMENT: _SHORTEST_COMMENT}.get(kind, len(text) + 1)
        if end - start >= shortest:
            piece = characters[start:end].encode(errors="surrogatepass")
            yield from _of_piece(piece, int(lines[start]), is_string=kind == STRING)


def _overlaid(whole: Iterable[TextLine], parts: Iterable[TextLine]) -> list[TextLine]:
    """Lines of a document; a comment or string that takes all of its line stands for that, without its marks."""
    found: dict[int, list[TextLine]] = {}
    for part in parts:
        found.setdefault(part.line, []).append(part)
    for line in whole:
        if line.line not in found or not _takes(line.text, found[line.line]):
            found[line.line] = [line]
    return [line for number in sorted(found) for line in found[number]]


def _takes(line: bytes, parts: Sequence[TextLine]) -> bool:
    if len(parts) > 1 or parts[0].text not in line:
        return line.lstrip()[:1] in _QUOTES
    return not _WORD.search(line.replace(parts[0].text, b"", 1))


def guests(family: LanguageFamily, text: bytes) -> Iterator[TextLine]:
    """Yield the lines of all guests in a normalised text, in order."""
    for line, body in _FORMS[family.name](text) if family.name in _FORMS else ():
        yield from (TextLine(line + number, part) for number, part in enumerate(body.split(b"\n")))


def _between(marks: re.Pattern[bytes], text: bytes) -> Iterator[tuple[int, bytes]]:
    """The texts between marks, each with the line on which it begins."""
    line, seen = 1, 0
    for guest in marks.finditer(text):
        line += text.count(b"\n", seen, seen := guest.start(2))
        yield line, guest[2]


def _between_open_quotes(text: bytes) -> Iterator[tuple[int, bytes]]:
    """From the first line that may leave a string of a shell open to the last one, or to the end if it is the only."""
    opened = [line for line in _QUOTED.finditer(text) if _QUOTE.search(_ENDED.sub(b"", line[0]))]
    if opened:
        start, end = opened[0].start(), opened[-1].end() if opened[1:] else len(text)
        yield 1 + text.count(b"\n", 0, start), text[start:end]


_FORMS: dict[str, Callable[[bytes], Iterator[tuple[int, bytes]]]] = {
    "haskell": partial(_between, _QUASI_QUOTES),
    "perl": partial(_between, _PERL),
    "ruby": partial(_between, _AT_THE_END),
    "shell": _between_open_quotes,
    "sql": partial(_between, _DOLLARS),
}
"""Family → finds its guests."""


# ---- comments --------------------------------------------------------------------------------------------------------

_IN_PROSE = compiled_on_use(r"<!--[^\r\n]*|^\.\.[ \t][^\r\n]*", re.MULTILINE)
# Where a piece of a text begins and ends, and whether it is a comment.
_Extent: TypeAlias = tuple[int, int, bool]
_BLANKS = "".join(map(chr, range(33))) + "\x7f"


class Comment(NamedTuple):
    """A comment; those on lines of their own that follow each other without a gap are read as one."""

    text: str  # with its marks and line feeds
    line: int  # that it begins on
    first: int  # line of all comments that are read as one with it
    last: int


def comments(language: str, text: bytes) -> list[Comment]:
    """Find the comments in normalised text as its front end sees them, never inside a string; raises what that does.

    Prose has comments of HTML and reStructuredText, each to the end of its line.
    """
    if language == notebook_tokenizer.LANGUAGE:
        return list(_in_notebook(text))
    if parts := markup_tokenizer.code_parts(text, language):
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


COMMENT_MARKS = {name: family.line_comment.decode() for name, family in FAMILY_OF.items()} | COMMENT_MARK_OF
"""Language → what opens a comment of one line and, after a blank, what closes it."""


def comment_marks(language: str | None) -> tuple[str, str]:
    """Return the marks that open and close a comment of one line, for people; two empty texts if unknown."""
    opener, _, closer = COMMENT_MARKS.get(language or "", "").partition(" ")
    return opener and f"{opener} ", closer and f" {closer}"
