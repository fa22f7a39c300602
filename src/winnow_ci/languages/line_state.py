"""Whether the lines that an edit leaves alone are read as before, or what was text before is code now.

A tokenizer carries nothing from one line to the next but an open comment or string, a here-document that waits for its
end, or a line that a backslash continues. So an edit of lines without any mark of these leaves all others alone, unless
one of the texts is read with care.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from winnow_ci.languages import table_tokenizer
from winnow_ci.languages.families import FAMILIES
from winnow_ci.languages.language_detection import METADATA, PROSE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from winnow_ci.languages.families import LanguageFamily
    from winnow_ci.model import LineRange

# A reference to a group of the opener.
_NAME = re.compile(rb"\(\?P=|\\[1-9]")
_FAMILY = {language: family for family in FAMILIES for language in family.languages}


def keeps_reading(language: str, old: bytes, new: bytes, added: Sequence[LineRange]) -> bool:
    """Whether the lines that two normalised texts share are certain to be read alike in both.

    Args:
        language: of both.
        old: the text before an edit.
        new: the text after it.
        added: the lines of ``new`` that ``old`` lacks.
    """
    if language in PROSE | METADATA:
        return True
    family = _FAMILY.get(language)
    if family is None or any(marker in old or marker in new for marker in _named_ends(family)):
        return False
    marks = _marks(family)
    now = new.split(b"\n")
    if table_tokenizer.takes_care(old, family) or table_tokenizer.takes_care(new, family):
        return False
    if any(marks.search(b"\n" + line) for first, last in added for line in now[first - 1 : last]):
        return False
    return _marked(old.split(b"\n"), marks) == _marked(now, marks)


def _marked(lines: Iterable[bytes], marks: re.Pattern[bytes]) -> list[bytes]:
    """The lines with a mark, without white space."""
    return [b"".join(line.split()) for line in lines if marks.search(b"\n" + line)]


@lru_cache
def _named_ends(family: LanguageFamily) -> tuple[bytes, ...]:
    """Marks of the spans that end with a name of their own, which any line may be."""
    return tuple(span.marker for span in family.spans if _NAME.search(span.closer))


@lru_cache
def _marks(family: LanguageFamily) -> re.Pattern[bytes]:
    """Finds what opens or closes a span, or continues a line, in a line after a line feed."""
    spans = [span for span in family.spans if not _NAME.search(span.closer)]
    openers = (re.escape(span.marker) for span in spans)
    closers = (re.escape(span.closer) if span.escapes else span.closer for span in spans)
    return re.compile(b"|".join(dict.fromkeys([rb"\\[ \t\r]*\Z", *openers, *closers])))
