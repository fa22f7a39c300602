"""Find phrases: the words in a line of a comment or string, or in a long name; and single words.

People who copy code keep its comments, messages and long names more often than anything else, and hardly anybody else
writes the same ones. So a phrase that a change and known code share is good evidence where their code is alike, and a
good place to look for code that is.

A phrase is the words of a line, or of a name (``getChunkGraph``, ``get_chunk_graph``), in lower case and without marks:
``PHRASE_FEWEST_WORDS`` or more, with ``PHRASE_FEWEST_LETTERS`` letters and digits. Names that a file imports are other
people's and give no phrases.

What is too short for a phrase may still be a rare *word*, which code keeps when somebody rewrites it, even in another
language: a name (``baseMinimum`` and ``base_minimum`` are one word), a short string, a number (``0xFF`` and ``255`` are
one). A word counts where a document has it first; ``evidence.distinctive_phrases`` says which are rare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from xxhash import xxh3_64_intdigest

from winnow_ci.languages.tokens import TokenIds
from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH, WORD, Phrases
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use

PHRASE_FEWEST_WORDS = 3
PHRASE_FEWEST_LETTERS = 12
PHRASE_MOST_WORDS = 255
PHRASE_LETTERS_OF_NAME, PHRASE_LETTERS_OF_STRING, PHRASE_DIGITS = 4, 6, 3  # at least, of what is a word
# The letters, and a mark between each two words.
_SHORTEST = PHRASE_FEWEST_LETTERS + PHRASE_FEWEST_WORDS - 1

PHRASE_PART = compiled_on_use(rb"[A-Z]?[0-9a-z\x80-\xff]+|[A-Z]+(?![a-z])")  # a word of a name in mixed case
NUMBER = compiled_on_use(rb"(?:0x([0-9a-f]+)|([1-9][0-9]*))[uln]*\Z")  # an integer in lower case, without marks
PHRASE_SEED = b"\0phrase"  # its hash seeds the hashes of phrases
PHRASE_IMPORTS = (b"import", b"from", b"include", b"require", b"use", b"using")  # names behind them are other people's

_DIGITS_OF_64_BITS = 16
_SEED = xxh3_64_intdigest(PHRASE_SEED)
_LOWER, _BEYOND_ASCII = b"0123456789abcdefghijklmnopqrstuvwxyz", bytes(range(128, 256))
# For ``bytes.translate``: all other characters become blanks.
_WORDS_OF_TEXT, _WORDS_OF_NAME = (
    bytes(byte if byte in kept else ord(" ") for byte in range(256))
    for kept in (_LOWER + b"_\n" + _BEYOND_ASCII, _LOWER + _BEYOND_ASCII)
)


class Phrase(NamedTuple):
    """A phrase in a piece of text."""

    line: int  # counted from 0 at the piece's first
    hash: int  # 64 bits, of its words
    words: int  # ``PHRASE_MOST_WORDS`` at most


def phrases_in(piece: bytes, *, is_string: bool = False) -> tuple[Phrase, ...]:
    """Return the phrases of a comment or string, or the word of a string."""
    if len(piece) < (PHRASE_LETTERS_OF_STRING if is_string else _SHORTEST):
        return ()
    found: list[Phrase] = []
    for number, line in enumerate(piece.lower().translate(_WORDS_OF_TEXT).split(b"\n")):
        found += _phrase(number, line.split())
    if is_string and not found:
        words = piece.lower().translate(_WORDS_OF_TEXT).split()
        return _word(b"".join(words), PHRASE_LETTERS_OF_STRING) if len(words) < PHRASE_FEWEST_WORDS else ()
    return tuple(found)


def phrase_of(name: bytes) -> tuple[Phrase, ...]:
    """Return the phrase of a name, if it is long enough, or its word."""
    if name.islower():
        words = name.translate(_WORDS_OF_NAME).split()
    else:
        words = [part.lower() for part in PHRASE_PART.findall(name)]
    return _phrase(0, words) or _word(b"".join(words), PHRASE_LETTERS_OF_NAME)


def number_word(number: bytes) -> tuple[Phrase, ...]:
    """Return the word of a number: an integer by its value, another one as it is written."""
    plain = number.lstrip().lower().translate(None, b"_'")
    found = NUMBER.match(plain)
    if found and len(found[1] or b"") <= _DIGITS_OF_64_BITS:
        plain = b"%d" % (int(found[1], 16) if found[1] else int(found[2]))
    return _word(b"#" + plain, PHRASE_DIGITS + 1)


def _phrase(line: int, words: list[bytes]) -> tuple[Phrase, ...]:
    if len(words) < PHRASE_FEWEST_WORDS or sum(map(len, words)) < PHRASE_FEWEST_LETTERS:
        return ()
    return (Phrase(line, xxh3_64_intdigest(b" ".join(words), _SEED), min(len(words), PHRASE_MOST_WORDS)),)


def _word(text: bytes, shortest: int) -> tuple[Phrase, ...]:
    text = text.replace(b"_", b"")
    return (Phrase(0, xxh3_64_intdigest(text, _SEED), WORD),) if len(text) >= shortest else ()


def phrases_of(pieces: Sequence[bytes], classify: Callable[[bytes], TokenIds | None]) -> Phrases:
    """Find the phrases of a text, given its pieces and what tells their ids."""
    known = {piece: _of_piece(piece, classify(piece)) for piece in set(pieces)}
    found: list[tuple[bytes, int, Phrase, int]] = []
    seen: set[bytes] = set()
    import_lines = set()
    line, position = 1, 0
    for piece in pieces:
        if piece in PHRASE_IMPORTS:
            import_lines.add(line)
        ids, phrases = known[piece]
        if phrases and piece not in seen:
            if phrases[0].words == WORD:
                seen.add(piece)
            found += [(piece, line, phrase, position) for phrase in phrases]
        line += piece.count(b"\n")
        position += ids is not None
    imported = {piece for piece, line, _, _ in found if line in import_lines}
    kept = [placed for placed in found if placed[0] not in imported]
    are_names = [ids is not None and ids.sketch in IDENTIFIER_SKETCH for ids, _ in (known[one[0]] for one in kept)]
    return Phrases(
        hashes=np.array([phrase.hash for _, _, phrase, _ in kept], np.uint64),
        words=np.array([phrase.words for _, _, phrase, _ in kept], np.uint8),
        names=np.array(are_names, np.bool_),
        positions=np.array([position for _, _, _, position in kept], np.int32),
        lines=np.array([line + phrase.line for _, line, phrase, _ in kept], np.int32),
    )


def _of_piece(piece: bytes, ids: TokenIds | None) -> tuple[TokenIds | None, tuple[Phrase, ...]]:
    """The ids and phrases of a name, a string, or a comment, which is no token."""
    if ids is None:
        return ids, phrases_in(piece)
    if ids.sketch in STRING_SKETCH:
        return ids, phrases_in(piece, is_string=True)
    if ids.sketch in NUMBER_SKETCH:
        return ids, number_word(piece)
    return ids, phrase_of(piece) if ids.sketch in IDENTIFIER_SKETCH else ()


_STRING = compiled_on_use(rb"""\"[^"\n]*\"|'[^'\n]*'|`[^`\n]*`""")
_NAME_OR_NUMBER = compiled_on_use(rb"[\w$@\x80-\xff][\w$@.'\x80-\xff]*|[\w$@\x80-\xff]+")
_AROUND = b" \t\r\f/*#;<>!-\"'`"


def phrase_texts(phrases: Phrases, text: bytes) -> Iterator[str]:
    """Yield the phrases and words of normalised text as it has them; of a comment the line that it stands on."""
    lines = text.split(b"\n")
    for own, number in zip(phrases.hashes.tolist(), phrases.lines.tolist(), strict=True):
        line = lines[number - 1]
        found = (piece for piece, hashes in _said(line) if own in hashes)
        yield next(found, line).strip(_AROUND).decode("utf-8", "replace")


def _said(line: bytes) -> Iterator[tuple[bytes, list[int]]]:
    """The strings, names and numbers on a line, each with the hashes that it may have."""
    for piece in _STRING.findall(line):
        yield piece, [one.hash for one in phrases_in(piece, is_string=True)]
    for piece in _NAME_OR_NUMBER.findall(line):
        for part in dict.fromkeys((piece, *piece.split(b"."))):
            yield part, [one.hash for one in (*phrase_of(part), *number_word(part))]
