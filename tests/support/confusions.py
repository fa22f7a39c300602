"""Lines that could blind a front end: before and after a copy, which the language reads as code all the same.

``tests/golden/confusions/LANGUAGE.txt`` begins with the copy. Each case says what could confuse; then come the lines
before the copy, and those after it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFUSIONS = Path(__file__).parents[1] / "golden" / "confusions"
_HEADING = b"@@@ "


class Confusion(NamedTuple):
    """A copy between two pieces of code.

    Attributes:
        language: as ``languages.tokenize`` takes it.
        why: what could confuse.
        before, copy, after: the code.
    """

    language: str
    why: str
    before: bytes
    copy: bytes
    after: bytes

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.language}: {self.why}"

    @property
    def text(self) -> bytes:
        """All of the code."""
        return self.before + self.copy + self.after


def confusions() -> list[Confusion]:
    """All cases, by language."""
    return [case for file in sorted(CONFUSIONS.glob("*.txt")) for case in _cases(file.stem, file.read_bytes())]


def _cases(language: str, text: bytes) -> Iterator[Confusion]:
    sections = [section.split(b"\n", 1) for section in text.removeprefix(_HEADING).split(b"\n" + _HEADING)]
    (_, copy), *rest = sections
    for (why, before), (_, after) in zip(rest[::2], rest[1::2], strict=True):
        yield Confusion(language, why.decode(), _whole_lines(before), _whole_lines(copy), _whole_lines(after))


def _whole_lines(text: bytes) -> bytes:
    return text if text.endswith(b"\n") or not text else text + b"\n"
