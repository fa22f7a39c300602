"""Whether the lines that an edit leaves alone are read as before, or what was text before is code now.

A tokenizer carries nothing from one line to the next but an open comment or string, a here-document that waits for its
end, or a line that a backslash continues. So an edit of lines without any mark of these leaves all others alone, unless
it puts or takes a line behind one that is continued. In a language that may have to be read with care
(``careful_reading``), any quotation mark and any brace counts as a mark, and what has to be read with care is certain
of nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from winnow_ci.languages.families import FAMILY_OF
from winnow_ci.languages.language_detection import METADATA, PROSE
from winnow_ci.languages.unicode_escapes import unescaped
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from winnow_ci.languages.families import LanguageFamily
    from winnow_ci.model import LineRange

# A reference to a group of the opener.
_NAME = compiled_on_use(rb"\(\?P=|\\[1-9]")
# Behind a line that a backslash continues; the group has the next one.
_CONTINUED = compiled_on_use(rb"\\[ \t\r]*\n(?=([^\n]*))")
# What a slash at the beginning of a line means depends on the line before.
_SLASH = compiled_on_use(rb"^[ \t]*/(?![/*])", re.MULTILINE)


def keeps_reading(language: str, old: bytes, new: bytes, added: Sequence[LineRange], *, careful: bool) -> bool:
    """Whether the lines that two normalised texts share are certain to be read alike in both.

    Args:
        language: of both.
        old: the text before an edit.
        new: the text after it.
        added: the lines of ``new`` that ``old`` lacks.
        careful: whether ``new`` had to be read with care.
    """
    if language in PROSE | METADATA:
        return True
    family = FAMILY_OF.get(language)
    if careful or family is None:
        return False
    old, new = (unescaped(text, family.unicode_escapes) for text in (old, new))
    if any(marker in old or marker in new for marker in _named_ends(family)):
        return False
    if family.regex_after and (_SLASH.search(old) or _SLASH.search(new)):
        return False
    before, now = old.split(b"\n"), new.split(b"\n")
    edited = {line for first, last in added for line in now[first - 1 : last]}
    # Most edits bring a mark: then nothing else need be looked at.
    if _has_mark(edited, family):
        return False
    gone = _differing(before, now) - edited
    edited |= gone
    return not (_has_mark(gone, family) or _is_behind_continued(edited, old) or _is_behind_continued(edited, new))


def _has_mark(lines: Iterable[bytes], family: LanguageFamily) -> bool:
    marks = _marks(family)
    return any(marks.search(b"\n" + line) for line in lines)


def _is_behind_continued(lines: AbstractSet[bytes], text: bytes) -> bool:
    """Whether a text has one of the lines behind a line that is continued."""
    return any(after[1] in lines for after in _CONTINUED.finditer(text))


def _differing(before: Sequence[bytes], now: Sequence[bytes]) -> set[bytes]:
    """The lines that one of two texts has more often than the other."""
    return {line for line, _ in Counter(before).items() ^ Counter(now).items()}


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
    strings = [rb"[\"'`{}]"] if family.care else []
    return re.compile(b"|".join(dict.fromkeys([*strings, rb"\\[ \t\r]*\Z", *openers, *closers])))
