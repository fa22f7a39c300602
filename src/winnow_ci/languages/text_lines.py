r"""Find the lines of text in a document: comments, strings, here-documents, prose, values of attributes.

Each comes without what makes it text: marks of comments, quotation marks, prompts, fences. In a string on one line an
escaped line break ends a line, too, so several lines of text may stand on one line of the document.

What is text depends on the language alone: in code it is what the front end takes for comments and strings; of markup
it is all but tags, scripts and styles; prose, settings, patches and files of commands are text as a whole.
"""

from __future__ import annotations

import importlib
import re
from heapq import merge
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages import markup_tokenizer, notebook_tokenizer
from winnow_ci.languages.families import FAMILY_OF
from winnow_ci.languages.guests import guests, has_guests
from winnow_ci.languages.kernel_or_python import family_pieces, unescaped
from winnow_ci.languages.language_detection import DATA, TEXT_AS_A_WHOLE
from winnow_ci.languages.normalisation import as_characters
from winnow_ci.languages.table_tokenizer import classifier
from winnow_ci.languages.tokens import TextLine, line_numbers
from winnow_ci.model import STRING_SKETCH
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.languages.families import LanguageFamily
    from winnow_ci.model import I32

SHORTEST_PIECE = 12
"""Bytes; shorter strings are left out."""
_SHORTEST_COMMENT = 2
_MAY_OPEN_COMMENT = np.array([33 <= byte < 127 and not chr(byte).isalnum() for byte in range(256)])

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
_PHP_TEXT = compiled_on_use(rb"(?:\?>|\A(?=[^\0]*?<\?))([^\0]*?)(?:<\?|\Z)")

_QUOTES = (b'"', b"'", b"`")
_WORD = compiled_on_use(rb"\w")

_TAG = compiled_on_use(rb"""</?[A-Za-z][\w:.-]{0,63}((?:[^"'<>]|"[^"]{0,4095}"|'[^']{0,4095}'){0,4095})>""")
_VALUE = compiled_on_use(rb""""([^"]*)"|'([^']*)'""")
_ENTITY = compiled_on_use(rb"&(lt|gt|amp|quot|apos|nbsp|#\d{1,5});")
_ENTITIES = {b"lt": b"<", b"gt": b">", b"amp": b"&", b"quot": b'"', b"apos": b"'", b"nbsp": b" "}


def text_lines(language: str, text: bytes, wanted: NDArray[np.bool_]) -> Iterator[TextLine]:
    """The lines of text in a normalised document (``normalisation.normalise``), in order.

    ``wanted`` (bool, one a line) has the lines that matter; others may be left out.

    Raises:
        Untokenizable: a lexer failed or took too long.
    """
    if language in TEXT_AS_A_WHOLE or language == DATA:
        yield from _prose(text, wanted, is_patch=language == "diff")
    elif language in markup_tokenizer.LANGUAGES:
        yield from _of_markup(text, wanted)
    elif language == notebook_tokenizer.LANGUAGE:
        yield from _of_notebook(text)
    elif has_guests(language):
        whole = (line for line in guests(language, text) if wanted[line.line - 1])
        yield from _overlaid(whole, text_lines_of_family(FAMILY_OF[language], text, wanted))
    elif language in FAMILY_OF:
        yield from text_lines_of_family(FAMILY_OF[language], text, wanted)
    else:
        # No family tells code of the language from other code in it.
        yield from _overlaid(_prose(text, wanted), _of_lexer(language, text))


def text_lines_of_family(family: LanguageFamily, text: bytes, wanted: NDArray[np.bool_]) -> Iterator[TextLine]:
    """The same for code in a family of the table-driven tokenizer."""
    plain, lines = unescaped(text, family.unicode_escapes), line_numbers(text)
    found = _of_pieces(family, family_pieces(text, family), plain, lines, wanted)
    return merge(found, _beside_code(text, wanted), key=_LINE) if family.begins_as_text else found


def _beside_code(text: bytes, wanted: NDArray[np.bool_]) -> Iterator[TextLine]:
    """The page that stands before, between and after the code."""
    line, seen = 1, 0
    for found in _PHP_TEXT.finditer(text):
        line += text.count(b"\n", seen, seen := found.start(1))
        yield from _markup_text(found.group(1), line, wanted)


def _of_pieces(
    family: LanguageFamily, pieces: list[bytes], text: bytes, lines: I32, wanted: NDArray[np.bool_], start: int = 0
) -> Iterator[TextLine]:
    """The text in the pieces of a document; the first begins at its byte ``start``."""
    if not pieces:
        return
    lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
    ends = start + np.cumsum(lengths)
    begins = ends - lengths
    opens = _MAY_OPEN_COMMENT[np.frombuffer(text, np.uint8)[begins]]
    long = np.flatnonzero((lengths >= SHORTEST_PIECE) | ((lengths >= _SHORTEST_COMMENT) & opens))
    first, last = lines[begins[long]], lines[ends[long] - 1]
    above = int(lines[start]) - 1
    sums = np.append(0, np.cumsum(wanted[above : lines[ends[-1] - 1]]))
    matters = sums[last - above] > sums[first - 1 - above]
    classify, pieces_of_text = classifier(family), long[matters]
    places = (
        column.tolist() for column in (pieces_of_text, begins[pieces_of_text], ends[pieces_of_text], first[matters])
    )
    for number, begin, end, line in zip(*places, strict=True):
        # Pieces have line feeds for carriage returns, which end no line of the document.
        piece, written = pieces[number], text[begin:end]
        if piece.isspace():
            # Nearly always an indentation; nothing of it is left.
            yield TextLine(line + written.count(b"\n"), b"")
            continue
        ids = classify(piece)
        if ids is None or (ids.sketch in STRING_SKETCH and end - begin >= SHORTEST_PIECE):
            yield from _of_piece(written if b"\r" in written else piece, line, is_string=ids is not None)


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
    lines, place = line_numbers(text), 0
    for part in markup_tokenizer.markup_parts(text):
        end = place + sum(map(len, part.pieces))
        if end == place:
            continue
        if part.family is markup_tokenizer.MARKUP_PARTS[0]:
            yield from _markup_text(text[place:end], int(lines[place]), wanted)
        else:
            yield from _of_pieces(part.family, part.pieces, text, lines, wanted, place)
        place = end


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
    for start, end, is_string in lexer.text_pieces(text, language):
        if end - start >= (SHORTEST_PIECE if is_string else _SHORTEST_COMMENT):
            piece = characters[start:end].encode(errors="surrogatepass")
            yield from _of_piece(piece, int(lines[start]), is_string=is_string)


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
