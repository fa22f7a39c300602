"""Known code to copy, and what a repository has before anybody does."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import closures
from commands import build

if TYPE_CHECKING:
    from pathlib import Path


class Sample(NamedTuple):
    """A function of the known source.

    Attributes:
        language: its language.
        ending: of its file.
        text: the function.
        line: what begins a comment to the end of the line.
        block: what opens and closes a comment of several lines; empty if the language has none.
        junk: a statement without effect.
        names: its own names, which may be changed.
    """

    language: str
    ending: str
    text: str
    line: str
    block: tuple[str, str] | tuple[()]
    junk: str
    names: tuple[str, ...] = ("closures", "tolerance", "merged", "total", "longest", "begin", "finish", "previous")

    @property
    def path(self) -> str:
        """Where a change puts the copy."""
        return f"src/roads.{self.ending}"


_C_LIKE = ("/*", "*/")

SAMPLES = {
    sample.language: sample
    for sample in (
        Sample("python", "py", closures.PYTHON, "#", ("'''", "'''"), "unused = 1"),
        Sample("javascript", "js", closures.JAVASCRIPT, "//", _C_LIKE, "var unused = 1;"),
        Sample("java", "java", closures.JAVA, "//", _C_LIKE, "int unused1 = 1;"),
        Sample("c", "c", closures.C, "//", _C_LIKE, "(void)0;"),
        Sample("go", "go", closures.GO, "//", _C_LIKE, "_ = 1"),
        Sample("ruby", "rb", closures.RUBY, "#", ("=begin", "=end"), "unused = 1"),
        Sample("php", "php", f"<?php\n{closures.PHP}", "//", _C_LIKE, "$unused = 1;"),
        Sample("rust", "rs", closures.RUST, "//", _C_LIKE, "let _ = 1;"),
        Sample("csharp", "cs", closures.CSHARP, "//", _C_LIKE, "var unused = 1;"),
        Sample("perl", "pl", closures.PERL, "#", ("=pod\n", "\n=cut\n"), "my $unused = 1;"),
        Sample("shell", "sh", closures.SHELL, "#", (": <<'END'", "END"), ":"),
        Sample("swift", "swift", closures.SWIFT, "//", _C_LIKE, "_ = 1"),
    )
}

INNOCENT = {
    "src/greetings.py": "NAMES = ('Ada',)\n\n\ndef greet(hour):\n    print('Hi' if hour < 12 else 'Ho', NAMES)\n",
    "README.md": "# Roads\n\nHow to drive.\n",
}
"""What a repository has before anybody attacks it."""
CONFIGURATION = "index: [.winnow/index.db]\n"


def known_index(work: Path) -> bytes:
    """The index of all samples, with the copies' source; ``work`` is a folder to make it in."""
    if not _MADE:
        files = {f"lib/closures.{sample.ending}": sample.text for sample in SAMPLES.values()}
        _MADE.append(build(files, work / "known.db", "--license", "GPL-3.0-only").read_bytes())
    return _MADE[0]


_MADE: list[bytes] = []


def other_index(work: Path) -> bytes:
    """An index without the copies' source."""
    text = "\n".join(f"def f{number}(a):\n    return [a, {number}][a % {number + 1}]\n" for number in range(40))
    return build({"own.py": text}, work / "other.db", name="other").read_bytes()
