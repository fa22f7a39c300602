"""Lines that could blind a front end, above and below a copy, through the real command.

The cases are those of ``tests/golden/confusions``, where tests compare tokens. LANGUAGE.txt begins with the copy; then
come, for each case, what could confuse, the lines before the copy, and those after it.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from commands import build, judged
from scanning import Stage, recipe
from trials import Outcome, Part

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from trials import Attempt

CASES = Path(__file__).resolve().parents[2] / "tests" / "golden" / "confusions"
HEADING = b"@@@ "
# Where the ending is not the name of the language.
ENDINGS = {
    "bash": "sh",
    "csharp": "cs",
    "elixir": "ex",
    "erlang": "erl",
    "fortran": "f90",
    "haskell": "hs",
    "javascript": "js",
    "julia": "jl",
    "kotlin": "kt",
    "matlab": "m",
    "ocaml": "ml",
    "perl": "pl",
    "powershell": "ps1",
    "python": "py",
    "ruby": "rb",
    "rust": "rs",
    "terraform": "tf",
    "typescript": "ts",
    "verilog": "v",
    "cpp": "cpp",
    "solidity": "sol",
    "gas": "s",
}


class Case(NamedTuple):
    """A copy and what stands around it."""

    language: str
    why: str
    copy: bytes
    text: bytes

    @property
    def path(self) -> str:
        return f"src/copy.{ENDINGS.get(self.language, self.language)}"


def _cases(file: Path) -> Iterator[Case]:
    sections = file.read_bytes().removeprefix(HEADING).split(b"\n" + HEADING)
    (_, copy), *rest = (section.split(b"\n", 1) if b"\n" in section else [section, b""] for section in sections)
    for (why, before), (_, after) in zip(rest[::2], rest[1::2], strict=True):
        yield Case(file.stem, why.decode(), copy, b"\n".join(part for part in (before, copy, after) if part) + b"\n")


ROWS = [case for file in sorted(CASES.glob("*.txt")) for case in _cases(file)]


def _prepared(work: Path) -> Attempt:
    known = {f"lib/known-{case.language}{Path(case.path).suffix}": case.copy + b"\n" for case in ROWS}
    return partial(_attempt, Stage(build(known, work / "copies.db", "--license", "GPL-3.0-only").read_bytes()))


def _attempt(stage: Stage, number: int, _: Random) -> Outcome:
    case = ROWS[number]
    change = {case.path: case.text}
    [scan] = stage.series([change])
    # Status 3 would say that the file could not be read; these can.
    return judged(f"{case.language}: {case.why}", scan.ended, is_held=scan.ended.status == 1, files=recipe([change]))


PART = Part("confusions", "lines that blind a front end", len(ROWS), len(ROWS), _prepared, is_table=True)
