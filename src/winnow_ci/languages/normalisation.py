r"""Bytes of a file → UTF-8 text that can be tokenized and has the same lines.

This undoes whatever hides code from a tokenizer but not from a compiler or an editor: byte order marks, UTF-16 and
UTF-32, stray NUL bytes, carriage returns, spaces and line ends beyond ASCII, characters without width. A byte order
mark counts only if the text behind it can be meant: many interpreters ignore the mark and run the bytes. In the result,

- no byte is NUL, so that a tokenizer can use NUL as its end mark;
- ``\n`` ends a line and is counted: there are as many as the file has line feeds (or carriage returns, if it has no
  line feeds);
- ``\r`` ends a line for a tokenizer but is not counted: ``// x\rcode`` hides nothing, and line numbers remain right;
- bytes from 0x80 on are UTF-8, or as the file has them if it is not UTF-8; to a tokenizer they are letters.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache
from typing import Any

import numpy as np

from winnow_ci.languages.tokens import Untokenizable
from winnow_ci.native import kernel

BINARY_SHARE = 0.1
"""Content with at least this share of NUL bytes is binary."""

BINARY_CONTENT = "binary content"
"""Why such content is not read."""

_SAMPLE = 4096

_LFS_POINTER = b"version https://git-lfs.github.com/spec/v"
_LFS_LENGTH = 1024

# UTF-32 comes first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_WIDE_MARKS = tuple(mark for mark, encoding in _MARKS if encoding != "utf-8")

# Bytes behind a mark, read as UTF-16: pairs of them look like characters that no text has many different ones of, or
# like Chinese whose every byte is ASCII.
_STRANGE = 16
_ASCII_SHARE = 0.6
# ASCII in UTF-16 amid bytes; a shell skips the NUL bytes.
_EVERY_OTHER_NUL = re.compile(rb"(?:[\t\n\r -~]\0){8,}|(?:\0[\t\n\r -~]){8,}")

# The first and the last code point of each run.
_SPACES = ((0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000))
_INVISIBLE = ((0xAD, 0xAD), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x2064), (0x2066, 0x2069), (0xFEFF, 0xFEFF))
# They end a line, also a comment, in JavaScript.
_LINE_ENDS = ((0x2028, 0x2029),)
# Runs in UTF-8, which differ in their last byte only, and what stands in their place.
_HIDING = tuple(
    (tuple((chr(first).encode(), chr(last).encode()) for first, last in runs), instead)
    for runs, instead in ((_SPACES, b" "), (_INVISIBLE, b""), (_LINE_ENDS, b"\r"))
)


def normalise(content: bytes) -> bytes:
    """The text of a file, as described above.

    Raises:
        Untokenizable: the content is binary, or a Git LFS pointer.
    """
    if len(content) < _LFS_LENGTH and content.startswith(_LFS_POINTER):
        raise Untokenizable("Git LFS pointer: the content is not here", "not-scanned")
    text = _without_nul(as_utf8(content))
    plain: bytes = _native().plain_text(text) if kernel() else _plain_text(text)
    return plain


def is_binary(content: bytes) -> bool:
    """Whether content has NUL bytes and is no text in an encoding that is known here."""
    text = as_utf8(content)
    return b"\0" in text and (_looks_binary(text) or not _is_utf8(text))


def with_plain_line_ends(text: bytes) -> bytes:
    r"""The text with ``\n`` for ``\r``, for a tokenizer that does not count lines; offsets stay the same."""
    return text.replace(b"\r", b"\n")


def as_characters(text: bytes) -> str:
    """Decode normalised text as UTF-8 or, if it is not UTF-8, as Latin-1, in which any bytes are text."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1")


def as_utf8(content: bytes) -> bytes:
    """The bytes of a file in UTF-8, or as they are if they are in no encoding of Unicode."""
    for mark, encoding in _MARKS:
        if content.startswith(mark) and _can_be(encoding, body := content[len(mark) :]):
            return body if encoding == "utf-8" else _recoded(body, encoding)
    unmarked = _unmarked_utf16(content[:_SAMPLE])
    return _recoded(content, unmarked) if unmarked and _can_be(unmarked, content) else content


def _recoded(content: bytes, encoding: str) -> bytes:
    return content.decode(encoding, "replace").encode()


def _can_be(encoding: str, body: bytes) -> bool:
    """Whether bytes can be meant as text in an encoding: not if much of them is ASCII that would be lost."""
    if encoding == "utf-8":
        return True
    width = 4 if encoding.startswith("utf-32") else 2
    order = "<" if encoding.endswith("le") else ">"
    units = np.unique(np.frombuffer(body[: len(body) // width * width], f"{order}u{width}"))
    if width == 4:
        return bool(np.count_nonzero(units > 0x10FFFF) < _STRANGE)
    low, high = units & 0xFF, units >> 8
    # Kana have such bytes, too.
    is_ascii = (low >= 0x20) & (low < 0x7F) & (high >= 0x20) & (high < 0x7F) & ((units < 0x3000) | (units > 0x30FF))
    strange, pairs = np.count_nonzero(is_ascii & (units < 0x4E00)), np.count_nonzero(is_ascii)
    return bool(strange < _STRANGE and pairs <= max(_STRANGE, _ASCII_SHARE * np.count_nonzero(units > 0x7F)))


def _unmarked_utf16(sample: bytes) -> str | None:
    """Code is mostly ASCII: in UTF-16, most bytes of one parity are NUL and hardly any of the other."""
    if 0 not in sample:
        return None
    pairs = len(sample) // 2
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    for few, many, encoding in ((even, odd, "utf-16-le"), (odd, even, "utf-16-be")):
        if pairs and many > 0.4 * pairs and few <= 0.02 * pairs:
            return encoding
    return None


def _without_nul(text: bytes) -> bytes:
    if 0 not in text:
        return text
    text = _EVERY_OTHER_NUL.sub(_narrow, text)
    if text.startswith(_WIDE_MARKS) and text.count(0) >= _STRANGE:
        raise Untokenizable("begins with a mark of UTF-16 or UTF-32, and is in part something else", "not-scanned")
    if _looks_binary(text):
        raise Untokenizable(BINARY_CONTENT, "out-of-scope")
    return text.replace(b"\0", b" ")


def _narrow(wide: re.Match[bytes]) -> bytes:
    """ASCII in UTF-16 as bytes; NUL bytes between white space stay."""
    return wide[0].replace(b"\0", b"") if wide[0].strip(b"\0 \t\r\n") else wide[0]


def _looks_binary(text: bytes) -> bool:
    nul = text.count(0)
    return nul >= BINARY_SHARE * len(text) and nul > 0


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _plain_text(text: bytes) -> bytes:
    """Text without NUL, with plain ends of lines and nothing that hides."""
    text = _with_line_ends(text)
    if text.isascii():
        return text
    for runs, instead in _HIDING:
        # Most text beyond ASCII has none of the bytes that these begin with, which are found faster than an expression.
        if any(lead in text for lead in {first[:1] for first, _ in runs}):
            text = _any_of(runs).sub(instead, text)
    return text


@lru_cache
def _any_of(runs: tuple[tuple[bytes, bytes], ...]) -> re.Pattern[bytes]:
    return re.compile(b"|".join(b"%b[\\x%02x-\\x%02x]" % (first[:-1], first[-1], last[-1]) for first, last in runs))


@lru_cache
def _native() -> Any:
    """The same in the kernel, which is told what hides."""
    return kernel().Normaliser(_HIDING)


def _with_line_ends(text: bytes) -> bytes:
    if b"\r" not in text:
        return text
    return text.replace(b"\r\n", b"\n") if b"\n" in text else text.replace(b"\r", b"\n")
