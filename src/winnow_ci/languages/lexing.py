"""Lex in a process that can be killed (``lexing_worker`` runs in it).

No thread and no signal handler can stop a regular expression, and most of Pygments' lexers have inputs on which one
runs for minutes. So another process lexes, one for each of ours. If a text takes too long, that process is killed, and
the next text gets a new one. Answers are bytes in a fixed format, checked before they are used.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import pygments

from winnow_ci import processes, system
from winnow_ci.errors import LexerError
from winnow_ci.languages import lexing_worker
from winnow_ci.languages.lexing_worker import COMMENT, FAILED, GREETING, LEXED, READY, REQUEST, SIZES
from winnow_ci.languages.tokens import Untokenizable
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.model import U8, U32

MOST_REPEATED = 4
"""How many times its length a text's pieces may have; those of an honest lexer have it once."""
MEMORY = 1 << 30
"""Bytes of address space that the process may have."""
STARTING_SECONDS = 60.0
"""To start the process, or a lexer; that depends on how busy the machine is, not on the text."""


class LexedPieces(NamedTuple):
    """What a lexer makes of a text; arrays with one element a piece, in the lexer's order."""

    kinds: U8  # of ``lexing_worker``
    starts: U32  # the first character; some lexers give wrong ones
    lengths: U32  # characters, at least one
    text: str  # of all pieces, joined


# Tokens, quoted code and comments all need the pieces of a text.
@lru_cache(maxsize=1)
def lexed_pieces(characters: str, language: str, seconds: float) -> LexedPieces:
    """Lex a text in some seconds: of processor time, where the system can limit that.

    Raises:
        Untokenizable: the lexer failed, or took too long.
        LexerError: no process can be started to lex in.
    """
    global _lexer  # noqa: PLW0603
    with _lock:
        if _lexer is None or _lexer.process.has_expired or _lexer.process.status is not None:
            end_lexer()
            _lexer = _Lexer()
        try:
            return _lexer.lex(characters, language, seconds)
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
                greeting = self.process.output.read(len(GREETING))
        except BaseException:
            self.end()
            raise
        if greeting != GREETING:
            self.end()
            raise _no_process("it ended before it started")
        system.limit_memory(self.process.pid, MEMORY)

    def lex(self, characters: str, language: str, seconds: float) -> LexedPieces:
        """See ``lexed_pieces``."""
        text, name = characters.encode(), language.encode()
        try:
            with self._killed_after(STARTING_SECONDS):
                self.process.input.write(REQUEST.pack(seconds, len(name), len(text)) + name + text)
                self.process.input.flush()
                self._expect(READY, language)
            with self._killed_after(lexing_worker.PATIENCE * seconds):
                self._expect(LEXED, language)
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
        if answer == FAILED:
            failure = self.process.output.readline(100).decode("utf-8", "replace").strip()
            raise Untokenizable(f"the {language} lexer failed: {failure}", "not-scanned")
        if answer != wanted:
            raise EOFError

    def _pieces(self, length: int) -> LexedPieces:
        count, size = SIZES.unpack(self._all(SIZES.size))
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
