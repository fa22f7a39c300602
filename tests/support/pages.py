"""Reports for the HTML page, with rows made by hand from pairs of lines."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING
from unittest.mock import patch

from support.reports import CASES, finding, place
from winnow_ci.model import LineRange, Skipped, Source
from winnow_ci.model.comparison import (
    BodySimilarity,
    ComparedBody,
    Comparison,
    FilePair,
    PairedFile,
    SharedStretch,
    ShareEstimate,
)
from winnow_ci.model.findings import Agreement, Finding, ScanReport
from winnow_ci.model.regions import AlignedBlock, AlignedLines, AlignedRow, MarkedPiece, SideBySide, SideLine
from winnow_ci.report import ReportStyle
from winnow_ci.report.html import markup, render
from winnow_ci.report.html.markup import ROOM

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from winnow_ci.model.regions import Role

TQDM = Source("tqdm", "4.70.1", "MPL-2.0 AND MIT", "https://tqdm.github.io")
PYLINT = Source("pylint", "4.1.4", "GPL-2.0-or-later")
_TOKEN = re.compile(r"#.*|\"[^\"]*\"|'[^']*'|\w+|\s+|[^\w\s]")
_KEYWORDS = frozenset("def if else return for in not and or while import class from None True False".split())

Pair = tuple[str | None, str | None]

FORMAT_METER: tuple[Pair, ...] = (
    ("def format_meter(done, whole, seconds, width=None):", "def format_meter(n, total, elapsed, ncols=None):"),
    ("    # how far we are", "    # sanity check"),
    (None, '    """'),
    (None, "    Return a string-based progress bar."),
    (None, '    """'),
    ("    if whole and done >= whole + 0.5:", "    if total and n >= total + 0.25:"),
    ("        whole = None", "        total = None"),
    ("    left = seconds * whole", None),
    ("\treturn done / whole if whole else width", "\treturn n / total if total else ncols"),
)


def scan_page(scan: ScanReport, room: int = ROOM) -> str:
    with patch.object(markup, "ROOM", room):
        return render(scan, ReportStyle())


def pieces(text: str, other: str | None, renames: Sequence[tuple[str, str]], side: int) -> Iterator[MarkedPiece]:
    """The pieces of a line; tokens correspond by their place in it."""
    theirs = _TOKEN.findall(other) if other is not None else []
    for number, word in enumerate(_TOKEN.findall(text)):
        role = _role(word)
        counterpart = theirs[number] if number < len(theirs) else None
        if word.isspace() or role == "comment":
            yield MarkedPiece(word, "not-compared", role)
        elif counterpart is None:
            yield MarkedPiece(word, "only-there" if side else "only-here", role)
        elif counterpart == word:
            yield MarkedPiece(word, "same", role)
        elif role == "name":
            pair = (word, counterpart) if side else (counterpart, word)
            yield MarkedPiece(word, "renamed", role, renames.index(pair) if pair in renames else None)
        else:
            yield MarkedPiece(word, "literal", role)


def _role(word: str) -> Role:
    if word.startswith("#"):
        return "comment"
    if word[0] in "\"'":
        return "string"
    if word[0].isdigit():
        return "number"
    return "keyword" if word in _KEYWORDS else "name" if word.isidentifier() else ""


def block(pairs: Iterable[Pair], first: int, first_there: int, renames: Sequence[tuple[str, str]] = ()) -> AlignedBlock:
    """Rows of pairs of lines, which the change adds."""
    rows, here, there = [], first, first_there
    for left, right in pairs:
        mine = None if left is None else tuple(pieces(left, right, renames, 0))
        theirs = None if right is None else tuple(pieces(right, left, renames, 1))
        rows.append(
            AlignedRow(
                None if mine is None else SideLine(here, mine, is_added=True),
                None if theirs is None else SideLine(there, theirs),
            )
        )
        here += left is not None
        there += right is not None
    lines = AlignedLines(LineRange(first, here - 1), LineRange(first_there, there - 1))
    return AlignedBlock(lines, tuple(rows))


def renamed_pairs(pairs: Iterable[Pair]) -> tuple[tuple[str, str, int], ...]:
    """Names of the source and of the change where both have another one, the most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    for left, right in pairs:
        for new, old in zip(_TOKEN.findall(left or ""), _TOKEN.findall(right or ""), strict=False):
            if new != old and _role(new) == _role(old) == "name":
                counts[old, new] += 1
    return tuple((old, new, count) for (old, new), count in counts.most_common())


def copied(
    pairs: Sequence[Pair],
    source: Source = TQDM,
    path: str = "src/progress.py",
    first: int = 11,
    origin: str = "std.py",
) -> Finding:
    """A finding that copies these lines."""
    renames = renamed_pairs(pairs)
    one = block(pairs, first, 462, [pair[:2] for pair in renames])
    return finding(path=path, first=first, last=one.lines.here.last)._replace(
        kind="renamed" if renames else "verbatim",
        agreement=Agreement(801, 700),
        tokens=801,
        similarity=1.0,
        source=place(source, origin, *one.lines.there),
        alignment=(one.lines,),
        beside=SideBySide((one,), renames),
    )


def without_text(one: Finding) -> Finding:
    """The finding as it is if nobody has the text of its source."""
    assert one.beside is not None
    blocks = tuple(
        part._replace(rows=tuple(row._replace(there=_shape(row.there)) for row in part.rows))
        for part in one.beside.blocks
    )
    return one._replace(beside=SideBySide(blocks, has_source_text=False))


def _shape(line: SideLine | None) -> SideLine | None:
    if line is None:
        return None
    return line._replace(pieces=(), tokens=sum(not piece.text.isspace() for piece in line.pieces))


def report(*findings: Finding) -> ScanReport:
    """A scan with these findings, each with an id of its own."""
    numbered = (one._replace(id=f"{number:016x}") for number, one in enumerate(findings, 1))
    return CASES["none"]._replace(findings=tuple(numbered), files_scanned=5, tokens=5871)


def moved() -> Finding:
    """A copy of two blocks that stand in another order in the source."""
    lines = [f"    value_{number} = {number}" for number in range(12)]
    same: list[Pair] = [(line, line) for line in lines]
    parts = (block(same[:6], 7, 257), block(same[6:], 25, 215))
    return copied(same, path="src/files.py")._replace(
        lines=LineRange(7, 30),
        alignment=tuple(part.lines for part in parts),
        source=place(PYLINT, "util.py", 215, 262),
        beside=SideBySide(parts),
    )


def comparison(text: str = "") -> Comparison:
    """Two bodies with one pair of files."""
    stretches = (SharedStretch(LineRange(20, 30), LineRange(60, 71), 8, 6),)
    pair = FilePair(PairedFile(f"a{text}.py", 24, 0.5), PairedFile(f"b{text}.py", 1200, 0.01), 12, 10.5, stretches)
    a = ComparedBody(f"A{text}", 1, 24, (Skipped(f"x{text}", f"y{text}", "not-scanned"),), ())
    b = ComparedBody(f"B{text}", 2, 1209, (), (), "3f2a1c9e0b12" + "0" * 28)
    similarity = BodySimilarity(ShareEstimate(0.0125, 0.01), ShareEstimate(1.0), ShareEstimate(1 / 3, 0.5))
    return Comparison((a, b), (pair,), 3, 20, 1, similarity)


def shown_pair(pairs: Sequence[Pair] = FORMAT_METER, text: str = "") -> FilePair:
    """Its pair with these lines."""
    one = copied(pairs)
    return comparison(text).pairs[0]._replace(alignment=one.alignment, beside=one.beside)
