r"""Guests: text that may be code of any language, in a language whose front end takes it for code of its own.

SQL has functions between dollar signs, in whatever language a clause names (PostgreSQL, ``CREATE FUNCTION``). They are
mostly SQL themselves, so the front end reads them as code; quoted code (``quoted_code``) looks at them once more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages.families import FAMILY_OF
from winnow_ci.languages.tokens import TextLine
from winnow_ci.regexes import compiled_on_use

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from numpy.typing import NDArray

# Family → what opens and closes the text, which is the second group. What nothing closes goes on to the end.
_FORMS = {"sql": compiled_on_use(rb"(\$(?:[A-Za-z_\x80-\xff][\w\x80-\xff]{0,62})?\$)([^\0]*?)(?:\1|\0|\Z)")}


def guest_lines(language: str, text: bytes) -> NDArray[np.bool_]:
    """Which lines of a normalised document hold guests: bool, one a line."""
    inside = np.zeros(text.count(b"\n") + 1, np.bool_)
    for line, body in _guests(language, text):
        inside[line - 1 : line + body[2].count(b"\n")] = True
    return inside


def guests(language: str, text: bytes) -> Iterator[TextLine]:
    """The lines of all guests, in order."""
    for line, body in _guests(language, text):
        yield from (TextLine(line + number, part) for number, part in enumerate(body[2].split(b"\n")))


def has_guests(language: str) -> bool:
    """Whether a language may have guests."""
    return language in FAMILY_OF and FAMILY_OF[language].name in _FORMS


def _guests(language: str, text: bytes) -> Iterator[tuple[int, re.Match[bytes]]]:
    """Each guest, with the line on which it begins."""
    line, seen = 1, 0
    for found in _FORMS[FAMILY_OF[language].name].finditer(text):
        line += text.count(b"\n", seen, seen := found.start(2))
        yield line, found
