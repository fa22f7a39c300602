"""A finding is shown with the source's own lines and the names that were changed, as many as a person reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import build
from support.indexes import only
from winnow_ci.index import WholeIndex
from winnow_ci.languages import tokenize
from winnow_ci.model import LineRange, Place
from winnow_ci.model.findings import Agreement, FileReading, ShownCode
from winnow_ci.model.regions import AlignedLines, Region, Stretch
from winnow_ci.scanner.attribute import found_in
from winnow_ci.scanner.files import Match
from winnow_ci.scanner.match import agreement, aligned_lines
from winnow_ci.scanner.show import CopiedFile, KnownFile, SourceExcerpts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from winnow_ci.model.findings import Finding
    from winnow_ci.model.side_by_side import AlignedBlock


def shown(
    folder: Path,
    known: str,
    copy: str,
    most_lines: int = 6,
    stretches: tuple[Stretch, ...] | None = None,
    *,
    marks: bool = False,
) -> Finding:
    """The finding that a whole file was copied, token by token or in a few stretches, as it is shown."""
    (folder / "source").mkdir()
    (folder / "source" / "known.py").write_text(known)
    build(folder / "source", folder / "known.db", "--with-text")
    tokens, lines = tokenize("python", copy.encode()), copy.encode().split(b"\n")
    count, whole = len(tokens), LineRange(1, len(lines) - 1)
    stretches = stretches or (Stretch(0, 0, count),)
    end = max(part.source_start + part.tokens for part in stretches)
    region = Region(0, 0, count, 0, end, count, 0, 1, "renamed", stretches, least_odds=9.0)
    with WholeIndex(folder / "known.db") as index:
        places = tuple(Place(file, whole) for file in index.files(only(index)))
        known = index.token_map(only(index))
        match = Match(
            "copy.py",
            region,
            whole,
            (whole,),
            b"",
            places,
            agreement(tokens, region),
            aligned_lines(tokens, known, region),
            0,
            copy.encode(),
            "python",
            tokens,
            "python",
        )
        ((finding, _),) = found_in([[match]], 16)
        reading = FileReading("python", "python")
        copied, there = CopiedFile(match.content, reading, tokens), KnownFile(index.text(only(index)), reading, known)
        return SourceExcerpts(ShownCode(most_lines, marks)).shown(finding, copied, there)


def copied_rows(block: AlignedBlock) -> Iterator[tuple[int, str, int, str]]:
    """The number and the text of the copied lines of each row, where both sides have one."""
    for here, there in block.rows:
        if here and there and here.is_copied and there.is_copied:
            texts = ("".join(piece.text for piece in line.pieces) for line in (here, there))
            yield here.number, next(texts), there.number, next(texts)


@pytest.mark.parametrize(("names", "shown_names"), [(500, 500), (501, 500)])
def test_500_changed_names_are_shown_at_most(tmp_path: Path, names: int, shown_names: int) -> None:
    known, copy = ("".join(f"{name}{n} = same\n" for n in range(names)) for name in ("old", "new"))
    assert shown(tmp_path, known, copy).renames == tuple((f"old{n}", f"new{n}", 1) for n in range(shown_names))


def test_of_the_names_that_a_name_became_the_most_frequent_comes_first(tmp_path: Path) -> None:
    known = "one = two\n" * 8 + "plain = plain\n" * 4
    copy = "first = two\n" * 3 + "other = two\n" * 5 + "plain = plain\n" * 3 + "once = plain\n"
    assert shown(tmp_path, known, copy).renames == (
        ("one", "other", 5),
        ("one", "first", 3),
        ("plain", "once", 1),
    )


def test_as_many_lines_are_shown_as_are_asked_for(tmp_path: Path) -> None:
    known, copy = ("".join(f"{name}{n} = same\n" for n in range(9)) for name in ("old", "new"))
    finding = shown(tmp_path, known, copy, 4)
    assert finding.excerpt == tuple(f"new{n} = same" for n in range(4))
    assert finding.beside is not None
    (block,) = finding.beside.blocks
    assert block.lines == AlignedLines(LineRange(1, 9), LineRange(1, 9))
    rows = [(n, f"new{n - 1} = same", n, f"old{n - 1} = same") for n in range(1, 5)]
    assert list(copied_rows(block)) == rows
    assert block.left_out == 5


def test_of_blocks_in_another_order_each_is_shown_beside_its_own_lines(tmp_path: Path) -> None:
    """The first block stands on lines 5 to 8 of the source, the second, after a line of its own, on 1 to 4."""
    known = "".join(f"name{n} = same\n" for n in range(1, 9))
    lines = [f"name{n} = same" for n in (5, 6, 7, 8, 0, 1, 2, 3, 4)]
    finding = shown(tmp_path, known, "\n".join([*lines, ""]), 4, (Stretch(0, 12, 12), Stretch(15, 0, 12)))
    assert finding.beside is not None
    first, second = finding.beside.blocks
    assert finding.alignment == (first.lines, second.lines)
    assert first.lines == AlignedLines(LineRange(1, 4), LineRange(5, 8))
    assert second.lines == AlignedLines(LineRange(6, 9), LineRange(1, 4))
    assert list(copied_rows(first)) == [(1, lines[0], 5, lines[0]), (2, lines[1], 6, lines[1])]
    assert list(copied_rows(second)) == [(6, lines[5], 1, lines[5]), (7, lines[6], 2, lines[6])]
    assert finding.excerpt == tuple(lines[:4])
    assert finding.renames == ()


def test_with_the_text_of_the_source_changed_tokens_are_counted_exactly(tmp_path: Path) -> None:
    """The index has one byte of each token: of 200 names that were changed it takes some for the source's."""
    known, copy = ("".join(f"{name}{n} = same\n" for n in range(200)) for name in ("old", "new"))
    told = shown(tmp_path, known, copy).agreement
    assert told == Agreement(600, 400, exact=True)


def test_a_copy_of_all_tokens_is_known_to_be_one(tmp_path: Path) -> None:
    told = shown(tmp_path, "one = two\n" * 9, "one = two  # nothing but a comment is new\n" * 9).agreement
    assert told == Agreement(27, 27, exact=True)


def test_names_are_compared_where_every_one_was_changed(tmp_path: Path) -> None:
    finding = shown(tmp_path, "one = two\n" * 9, "first = second\n" * 9)
    assert finding.renames == (("one", "first", 9), ("two", "second", 9))


def test_the_source_is_shown_to_the_line_that_the_last_token_ends_on(tmp_path: Path) -> None:
    known = "name = same\n" * 6 + "stop\n"
    beside = shown(tmp_path, known, known, 9).beside
    assert beside is not None
    assert [row[3] for row in copied_rows(beside.blocks[0])] == known.splitlines()
