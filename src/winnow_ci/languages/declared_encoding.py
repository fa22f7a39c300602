"""Encodings that a Python file declares for itself, and in which code does not look like code.

Python decodes a file as its first two lines say (PEP 263). In nearly all encodings ASCII stands for itself, and then so
does code. In ``raw_unicode_escape``, ``utf_7`` or ``rot13`` it does not have to: nobody writes code so, but to hide it.
"""

from __future__ import annotations

import codecs

from winnow_ci.languages.tokens import Untokenizable
from winnow_ci.start_up import compiled_on_use

LANGUAGES = frozenset({"python", "python2", "cython"})

_DECLARED = compiled_on_use(rb"(?:[^\n\r]*(?:\r\n|\n|\r))?[ \t\f]*#[^\n\r]*?coding[:=][ \t]*([-_.a-zA-Z0-9]{1,40})")
# All of it but the backslash, and what escapes of some kinds look like.
_ASCII = bytes(range(32, 127)).replace(b"\\", b"") + rb" \u0041 \x41 +AEE- =41 a" + b"\n\t"


def check(content: bytes) -> None:
    """Refuse a file that declares such an encoding.

    Raises:
        Untokenizable: it does.
    """
    declared = _DECLARED.match(content[:1000])
    if declared and not _keeps_ascii(declared[1].decode()):
        raise Untokenizable(f"declares the encoding {declared[1].decode()}, which can hide code", "not-scanned")


def _keeps_ascii(name: str) -> bool:
    """Whether ASCII stands for itself; so it does where Python would refuse the file."""
    try:
        return codecs.decode(_ASCII, name) == _ASCII.decode()
    except (LookupError, ValueError, TypeError):
        return not _is_known(name)


def _is_known(name: str) -> bool:
    try:
        codecs.lookup(name)
    except (LookupError, ValueError):
        return False
    return True
