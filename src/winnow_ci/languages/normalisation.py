r"""Turn the bytes of a file into UTF-8 text that can be tokenized and has the same lines.

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
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages.tokens import Untokenizable
from winnow_ci.native import kernel
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from numpy.typing import NDArray

BINARY_SHARE = 0.1  # content with at least this share of NUL bytes is binary
BINARY_CONTENT = "binary content"  # why such content is not read

_NUL_SAMPLE = 4096
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

# Bytes behind a mark, read as UTF-16: pairs of them look like characters that no text has many different ones of, or
# like Chinese whose every byte is ASCII.
_STRANGE = 16
_ASCII_SHARE = 0.6
# ASCII in UTF-16 amid bytes; a shell skips the NUL bytes.
_EVERY_OTHER_NUL = re.compile(rb"(?:[\t\n\r -~]\0){8,}|(?:\0[\t\n\r -~]){8,}")

_DECLARED = compiled_on_use(rb"(?:[^\n\r]*(?:\r\n|\n|\r))?[ \t\f]*#[^\n\r]*?coding[:=][ \t]*([-_.a-zA-Z0-9]{1,40})")
# All of it but the backslash, and what escapes of some kinds look like.
_ASCII = bytes(range(32, 127)).replace(b"\\", b"") + rb" \u0041 \x41 +AEE- =41 a" + b"\n\t"

# The first and the last code point of each run.
_SPACES = ((0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000))
_INVISIBLE = ((0xAD, 0xAD), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x2064), (0x2066, 0x2069), (0xFEFF, 0xFEFF))
# They end a line, also a comment, in JavaScript.
_LINE_ENDS = ((0x2028, 0x2029),)
# Runs in UTF-8, which differ in their last byte only, and what replaces them.
_HIDING = tuple(
    (tuple((chr(first).encode(), chr(last).encode()) for first, last in runs), instead)
    for runs, instead in ((_SPACES, b" "), (_INVISIBLE, b""), (_LINE_ENDS, b"\r"))
)


def normalise(content: bytes) -> bytes:
    """Return the text of a file, as described above; ``Untokenizable`` if it is binary, or a Git LFS pointer."""
    if len(content) < _LFS_LENGTH and content.startswith(_LFS_POINTER):
        raise Untokenizable("Git LFS pointer: content not fetched", "not-scanned")
    return plain_text(_without_nul(as_utf8(content)))


def plain_text(text: bytes) -> bytes:
    """Make line ends plain in a text without NUL, and remove what could hide code."""
    if native := kernel():
        return bytes(native.Normaliser(_HIDING).plain_text(text))
    text = text.replace(b"\r\n", b"\n") if b"\n" in text else text.replace(b"\r", b"\n")
    if text.isascii():
        return text
    for runs, instead in _HIDING:
        hiding = b"|".join(b"%b[\\x%02x-\\x%02x]" % (first[:-1], first[-1], last[-1]) for first, last in runs)
        text = re.sub(hiding, instead, text)
    return text


def line_edges(content: bytes) -> NDArray[np.int64] | None:
    """Return 0, then where each line of ``normalise`` ends in a file's bytes: int64; None for UTF-16 and UTF-32."""
    if not content.endswith(as_utf8(content)):
        return None
    line_break = b"\n" if b"\n" in content else b"\r"
    ends = np.flatnonzero(np.frombuffer(content, np.uint8) == ord(line_break)) + 1
    return np.concatenate([[0], ends, [len(content)]])


def is_binary(content: bytes) -> bool:
    """Whether content has NUL bytes and is no text in an encoding that is known here."""
    text = as_utf8(content)
    if b"\0" not in text:
        return False
    try:
        text.decode()
    except UnicodeDecodeError:
        return True
    return _looks_binary(text)


def as_characters(text: bytes) -> str:
    """Decode normalised text as UTF-8 or, if it is not UTF-8, as Latin-1, in which any bytes are text."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1")


def as_utf8(content: bytes) -> bytes:
    """Recode a file to UTF-8; leave it as it is if it is in no encoding of Unicode."""
    for mark, encoding in _MARKS:
        if content.startswith(mark) and _can_be(encoding, body := content[len(mark) :]):
            return body if encoding == "utf-8" else _recoded(body, encoding)
    unmarked = _unmarked_utf16(content[:_NUL_SAMPLE])
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
    if text.startswith(tuple(mark for mark, _ in _MARKS[1:])) and text.count(0) >= _STRANGE:
        raise Untokenizable("begins with a byte order mark of UTF-16 or UTF-32, but is not wholly in it", "not-scanned")
    if _looks_binary(text):
        raise Untokenizable(BINARY_CONTENT, "out-of-scope")
    return text.replace(b"\0", b" ")


def _narrow(wide: re.Match[bytes]) -> bytes:
    """ASCII in UTF-16 as bytes; NUL bytes between white space stay."""
    return wide[0].replace(b"\0", b"") if wide[0].strip(b"\0 \t\r\n") else wide[0]


def _looks_binary(text: bytes) -> bool:
    return text.count(0) >= max(1, BINARY_SHARE * len(text))


def check_declared_encoding(content: bytes) -> None:
    """Refuse (``Untokenizable``) a Python file that declares an encoding in which code need not look like code.

    Python decodes a file as its first two lines say (PEP 263). In nearly all encodings ASCII stands for itself; that it
    does not, as in ``raw_unicode_escape``, ``utf_7`` or ``rot13``, only serves to hide code.
    """
    declared = _DECLARED.match(content[:1000])
    if declared and not _keeps_ascii(declared[1].decode()):
        raise Untokenizable(f"declares the encoding {declared[1].decode()}, which can hide code", "not-scanned")


def _keeps_ascii(name: str) -> bool:
    """Whether ASCII stands for itself, or Python refuses the file because it does not know the encoding."""
    try:
        codecs.lookup(name)
    except (LookupError, ValueError):
        return True
    try:
        return codecs.decode(_ASCII, name) == _ASCII.decode()
    except (LookupError, ValueError, TypeError):
        return False
