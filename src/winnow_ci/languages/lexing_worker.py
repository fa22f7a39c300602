"""Run Pygments' lexers in a process that is killed when one takes too long (``pygments_lexer``).

An isolated interpreter without site packages runs this file as a script. It imports nothing of ours, so that it starts
fast and imports nothing from the current folder. It says ``GREETING`` once Pygments is there, and answers requests
until its standard input ends:

- A request is ``REQUEST`` (seconds, length of the language's name, length of the text), the name, the text in UTF-8.
- The answer begins with ``READY`` when the lexer is made, which may take long whatever the text. ``LEXED`` and
  ``SIZES`` follow: the number of pieces, and the bytes of their texts. Then come arrays with one element a piece: kind
  (u1), start (u4), length (u4), in characters; and the texts, joined, in UTF-8, since the starts that some lexers give
  are wrong. Or ``FAILED`` follows, and a line with the name of the error.

The system ends this process (SIGPROF) when it has used up its seconds of processor time, so that a busy machine makes
no difference. Where the system cannot do that, the parent kills it after ``PATIENCE`` times as long; if the parent is
dead, the watchdog of ``faulthandler`` does, which needs no lock of the interpreter.
"""

from __future__ import annotations

import contextlib
import faulthandler
import signal
import struct
import sys
from array import array
from functools import lru_cache
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pygments.token import _TokenType

GREETING, READY, LEXED, FAILED = b"G", b"R", b"L", b"F"
REQUEST = struct.Struct("<dHI")
SIZES = struct.Struct("<II")
TEXT, NAME, WORD, NUMBER, STRING, COMMENT = range(6)

HAS_PROCESSOR_TIME = hasattr(signal, "ITIMER_PROF")
PATIENCE = 10.0 if HAS_PROCESSOR_TIME else 1.0  # times its processor time that a text may take on the clock

GRACE = 1.0  # seconds that the parent has to kill this process before it ends itself


def lex_requests(pygments_folder: str) -> None:
    """Answer requests; the folder is the one that holds the package ``pygments``."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    sys.path.insert(0, pygments_folder)
    import pygments.lexers
    import pygments.token  # noqa: F401

    sys.path.remove(pygments_folder)
    _send(answers, GREETING)
    while head := requests.read(REQUEST.size):
        seconds, name_length, text_length = REQUEST.unpack(head)
        language = requests.read(name_length).decode()
        characters = requests.read(text_length).decode()
        try:
            _answer(answers, language, characters, seconds)
        except Exception as failure:
            _send(answers, FAILED, type(failure).__name__.encode(errors="replace"), b"\n")


def _answer(answers: IO[bytes], language: str, characters: str, seconds: float) -> None:
    from pygments.lexers import get_lexer_by_name

    lexer = get_lexer_by_name(language)
    _send(answers, READY)
    kinds, starts, lengths = array("B"), array("I"), array("I")
    texts = []
    with _ended_after(seconds):
        for start, token, value in lexer.get_tokens_unprocessed(characters):
            if value:
                kinds.append(_kind(token))
                starts.append(start)
                lengths.append(len(value))
                texts.append(value)
    text = "".join(texts).encode("utf-8", "surrogatepass")
    sizes = SIZES.pack(len(kinds), len(text))
    _send(answers, LEXED, sizes, kinds.tobytes(), starts.tobytes(), lengths.tobytes(), text)


def _send(answers: IO[bytes], *parts: bytes) -> None:
    for part in parts:
        answers.write(part)
    answers.flush()


@lru_cache(None)
def _kind(token: _TokenType) -> int:
    from pygments import token as of

    kinds = (
        # Directives are comments to Pygments.
        (TEXT, of.Comment.Preproc),
        (TEXT, of.Comment.PreprocFile),
        (COMMENT, of.Comment),
        (STRING, of.String),
        (NAME, of.Name),
        (WORD, of.Punctuation),
        (WORD, of.Operator),
        (WORD, of.Keyword),
        (NUMBER, of.Number),
    )
    return next((kind for kind, whole in kinds if of.is_token_subtype(token, whole)), TEXT)


@contextlib.contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """End this process after some seconds of processor time, whether or not the parent is left."""
    faulthandler.dump_traceback_later(PATIENCE * seconds + GRACE, exit=True)
    if HAS_PROCESSOR_TIME:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        if HAS_PROCESSOR_TIME:
            signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    lex_requests(sys.argv[1])
