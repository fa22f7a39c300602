"""Read every language without a family of its own with Pygments' lexers, in a process that can be killed.

No thread and no signal handler can stop a regular expression, and most of these lexers have inputs on which one runs
for minutes. So another process lexes (``lexing_worker``), one for each of ours, with a budget of time and memory. If a
text takes too long, that process is killed, and the next text gets a new one. Answers are bytes in a fixed format,
checked before they are used.

Lexers that choose another lexer by a name in the text (fenced code, mail parts, ``LANGUAGE`` clauses) never run: see
``language_detection``. Only lexers that come with Pygments are used.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import signal
import sys
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pygments

from winnow_ci import processes, system
from winnow_ci.errors import LexerError
from winnow_ci.languages import lexing_worker
from winnow_ci.languages.lexing_worker import COMMENT, NAME, NUMBER, STRING, TEXT, WORD
from winnow_ci.languages.normalisation import as_characters
from winnow_ci.languages.tokens import (
    Alphabet,
    TokenIds,
    Untokenizable,
    gather,
    line_numbers,
    with_plain_line_ends,
)
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from winnow_ci.model import U8, U32, Tokens

# 2: an index also has what the fallback tokenizer makes of a content. 3: languages moved to the table of families.
# 4: XML, YAML, TOML and other data and settings are read as words.
REVISION = f"4.pygments-{pygments.__version__}"

# The processor time that a lexer has: at least five times what the slowest of 2,401 ordinary files took.
LEAST_SECONDS = 2.0
SECONDS_A_BYTE = 5e-6
MOST_SECONDS = 10.0
MOST_REPEATED = 4  # how many times its length a text's pieces may have; those of an honest lexer have it once
MEMORY = 1 << 30  # bytes of address space that the process may have
STARTING_SECONDS = 60.0  # to start the process, or a lexer; that depends on how busy the machine is, not on the text

_ALPHABET = Alphabet("pygments")
_IDS_OF = {NAME: _ALPHABET.identifier, WORD: _ALPHABET.word, NUMBER: _ALPHABET.number}
_WORDS = re.compile(r"\w+|[^\w\s]")
# The kind of a piece (of ``lexing_worker``), its first character, and its text.
_Piece: TypeAlias = tuple[int, int, str]
# A token's ids, and its characters [start, end).
_Place: TypeAlias = tuple[TokenIds, int, int]


def lex(text: bytes, language: str) -> Tokens:
    """Lex normalised text (``normalisation.normalise``).

    ``Untokenizable`` if the lexer fails or runs out of its budget, ``LexerError`` if no process can be started.
    """
    ids, starts, ends = located_tokens(text, language)
    lines = line_numbers(as_characters(text))
    return gather(ids, np.arange(len(ids)), lines[starts], lines[ends - 1])


def located_tokens(text: bytes, language: str) -> tuple[list[TokenIds], NDArray[np.intp], NDArray[np.intp]]:
    """Find the tokens of normalised text: their ids, and where they begin and end, in characters; raises as ``lex``."""
    # A few lexers yield what follows a here-document's name out of order, and some report places beyond the text.
    places = sorted(_places(_pieces(text, language)), key=itemgetter(1))
    length = len(as_characters(text))
    starts = np.fromiter((min(start, length - 1) for _, start, _ in places), np.intp, len(places))
    ends = np.fromiter((min(end, length) for _, _, end in places), np.intp, len(places))
    return [ids for ids, _, _ in places], starts, ends


def kinds_of_pieces(text: bytes, language: str) -> list[tuple[int, int, int]]:
    """Return start, end and kind of each run of one kind in normalised text; raises what ``lex`` does."""
    length = len(as_characters(text))
    spans = sorted((start, start + len(value), kind) for kind, start, value in _pieces(text, language))
    runs = ((kind, list(run)) for kind, run in groupby(spans, key=itemgetter(2)))
    return [(min(run[0][0], length), min(run[-1][1], length), kind) for kind, run in runs]


def _pieces(text: bytes, language: str) -> Iterator[_Piece]:
    kinds, starts, lengths, joined = lexed_pieces(text, language)
    end = 0
    for kind, start, length in zip(kinds.tolist(), starts.tolist(), lengths.tolist(), strict=True):
        end += length
        yield kind, start, joined[end - length : end]


def _places(pieces: Iterable[_Piece]) -> Iterator[_Place]:
    """Strings come in pieces (quotes, escapes, text); consecutive ones are one token."""
    for is_string, run in groupby(pieces, key=lambda piece: piece[0] == STRING):
        if is_string:
            (_, start, text), *others = run
            text += "".join(more for *_, more in others)
            yield _ALPHABET.string(_encoded(text)), start, start + len(text)
        else:
            for kind, start, value in run:
                yield from _code(kind, start, value)


def _code(kind: int, start: int, value: str) -> Iterator[_Place]:
    if kind == TEXT:
        for word in _WORDS.finditer(value):
            yield _remembered(_ALPHABET.word, word.group()), start + word.start(), start + word.end()
    elif kind != COMMENT and (token := value.strip()):
        start += len(value) - len(value.lstrip())
        yield _remembered(_IDS_OF[kind], token), start, start + len(token)


@lru_cache(1 << 14)
def _remembered(ids_of: Callable[[bytes], TokenIds], token: str) -> TokenIds:
    return ids_of(_encoded(token))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


# ---- the process that lexes ---------------------------------------------------------------------------


class LexedPieces(NamedTuple):
    """What a lexer makes of a text; arrays with one element a piece, in the lexer's order."""

    kinds: U8  # of ``lexing_worker``
    starts: U32  # the first character; some lexers give wrong ones
    lengths: U32  # characters, at least one
    text: str  # of all pieces, joined


# Tokens, quoted code and comments all need the pieces of a text.
@lru_cache(maxsize=1)
def lexed_pieces(text: bytes, language: str) -> LexedPieces:
    """Lex normalised text; raises what ``lex`` does."""
    global _lexer  # noqa: PLW0603
    characters = as_characters(with_plain_line_ends(text))
    budget = min(LEAST_SECONDS + SECONDS_A_BYTE * len(text), MOST_SECONDS)
    with _lock:
        if _lexer is None or _lexer.process.has_expired or _lexer.process.status is not None:
            end_lexer()
            _lexer = _Lexer()
        try:
            return _lexer.lex(characters, language, budget)
        except BaseException:
            # Also after ^C: the rest of this answer would be taken for the next one.
            end_lexer()
            raise


def end_lexer() -> None:
    """End the process, if there is one; the next text starts a new one."""
    global _lexer
    lexed_pieces.cache_clear()
    lexer, _lexer = _lexer, None
    if lexer is not None:
        lexer.end()


class _Lexer:
    """The process that lexes; an ``EOFError`` says that it ended in the middle of an answer, or gave a wrong one."""

    def __init__(self) -> None:
        script, folder = Path(lexing_worker.__file__), Path(pygments.__file__).parents[1]
        # Isolated, without site packages, in our own folder, so that it imports nothing from a repository.
        line = [sys.executable, "-I", "-S", str(script), str(folder)]
        try:
            self.process = processes.start(line, script.parent, given=None, has_errors=False, leads=False)
        except OSError as error:
            raise _no_process(error.strerror or str(error)) from error
        try:
            with self.process.killed_after(STARTING_SECONDS):
                greeting = self.process.output.read(len(lexing_worker.GREETING))
        except BaseException:
            self.end()
            raise
        if greeting != lexing_worker.GREETING:
            self.end()
            raise _no_process("it ended before it started")
        system.limit_memory(self.process.pid, MEMORY)

    def lex(self, characters: str, language: str, seconds: float) -> LexedPieces:
        """Lex a text in some seconds: of processor time, where the system can limit that."""
        text, name = characters.encode(), language.encode()
        try:
            with self._killed_after(STARTING_SECONDS):
                self.process.input.write(lexing_worker.REQUEST.pack(seconds, len(name), len(text)) + name + text)
                self.process.input.flush()
                self._expect(lexing_worker.READY, language)
            with self._killed_after(lexing_worker.PATIENCE * seconds):
                self._expect(lexing_worker.LEXED, language)
                return self._pieces(len(characters))
        except TimeoutError as timeout:
            raise Untokenizable(f"not lexed within {seconds:.3g} s", "not-scanned") from timeout
        except (OSError, UnicodeDecodeError, EOFError) as death:
            raise Untokenizable(f"the process of the {language} lexer was killed", "not-scanned") from death

    def end(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.process.close()

    @contextlib.contextmanager
    def _killed_after(self, seconds: float) -> Iterator[None]:
        try:
            with self.process.killed_after(seconds):
                yield
        except (OSError, EOFError) as death:
            # The system may have ended it first, when its processor time was over.
            status = self.process.kill()
            if self.process.has_expired or (lexing_worker.HAS_PROCESSOR_TIME and status == -signal.SIGPROF):
                raise TimeoutError from death
            raise

    def _expect(self, wanted: bytes, language: str) -> None:
        answer = self.process.output.read(len(wanted))
        if answer == lexing_worker.FAILED:
            failure = self.process.output.readline(100).decode("utf-8", "replace").strip()
            raise Untokenizable(f"the {language} lexer failed: {failure}", "not-scanned")
        if answer != wanted:
            raise EOFError

    def _pieces(self, length: int) -> LexedPieces:
        count, size = lexing_worker.SIZES.unpack(self._all(lexing_worker.SIZES.size))
        if max(count, size // 4) > MOST_REPEATED * length:
            raise EOFError
        kinds = np.frombuffer(self._all(count), np.uint8)
        starts, lengths = (np.frombuffer(self._all(4 * count), np.uint32) for _ in range(2))
        text = self._all(size).decode("utf-8", "surrogatepass")
        if (kinds > COMMENT).any() or (lengths == 0).any() or int(lengths.sum(dtype=np.uint64)) != len(text):
            raise EOFError
        return LexedPieces(kinds, starts, lengths, text)

    def _all(self, size: int) -> bytes:
        read = self.process.output.read(size)
        if len(read) != size:
            raise EOFError
        return read


def _no_process(why: str) -> LexerError:
    remedy = f"check that {sys.executable or 'Python'} can be started here, and that there is enough memory"
    return LexerError(f"cannot start the process that Pygments runs in: {why}", remedy)


def _disown() -> None:
    """A forked process has copies of our pipes, but not the process at their other ends."""
    global _lexer, _lock  # noqa: PLW0603
    _lock = Lock()
    if _lexer is not None:
        _lexer.process.disown()
    _lexer = None


_lexer: _Lexer | None = None
_lock = Lock()
atexit.register(end_lexer)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_disown)
