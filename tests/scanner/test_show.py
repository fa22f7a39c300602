"""A finding is shown beside its source, and says exactly what was changed."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from support.command import build
from support.donor import MERGE_CLOSURES, SHORTEST_ROUTE
from support.indexes import only
from support.repository import Checkout
from winnow_ci import git
from winnow_ci.config.settings import Settings
from winnow_ci.index import WholeIndex
from winnow_ci.languages import tokenize
from winnow_ci.model import LineRange, Place
from winnow_ci.model.findings import FIRST_LINES, Agreement, FileReading, ShownCode
from winnow_ci.model.regions import AlignedLines, Region, Stretch
from winnow_ci.scanner import ScanChoices, scan
from winnow_ci.scanner.attribute import found_in
from winnow_ci.scanner.files import Match
from winnow_ci.scanner.match import agreement, aligned_lines
from winnow_ci.scanner.show import CopiedFile, KnownFile, SourceExcerpts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from winnow_ci.model.findings import Finding
    from winnow_ci.model.regions import AlignedBlock, MarkedPiece, SideBySide


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
        places = tuple(Place(file, whole) for file in index.files_of_row(index.content(only(index))))
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


ALL = ShownCode(lines=1_000, marks=True)
RENAMED = MERGE_CLOSURES.text.replace("merged", "joined").replace("tolerance", "slack")
SCHEME = "".join(
    f'(define (route-{n} roads start-{n} goal) ; from start\n  (string-append roads "n{n}" (limit goal {n * 7919})))\n'
    for n in range(12)
)


def findings_in(
    folder: Path, known: dict[str, str], files: dict[str, str], code: ShownCode = ALL, *index: str
) -> list[Finding]:
    """The findings in some files that copy from known ones."""
    (folder / "source").mkdir()
    for name, text in known.items():
        (folder / "source" / name).write_text(text)
    build(folder / "source", folder / "known.db", *index)
    checkout = Checkout.create(folder / "checkout")
    checkout.commit(files)
    repository = git.Repository.find(checkout.root)
    with WholeIndex(folder / "known.db") as opened:
        findings_in = ScanChoices(shown_code=code)
        return list(scan(repository, git.everything(repository), [opened], Settings(), findings_in).findings)


def pieces(page: SideBySide | None, side: int) -> Iterator[MarkedPiece]:
    """The pieces of the copied lines on a side."""
    assert page is not None
    for block in page.blocks:
        for row in block.rows:
            if (line := row[side]) and line.is_copied:
                yield from line.pieces


def marks(page: SideBySide | None, side: int) -> Counter[str]:
    return Counter(piece.mark for piece in pieces(page, side))


def test_a_renamed_copy(tmp_path: Path) -> None:
    code = f"{RENAMED}\n\ndef other():\n    return 0\n"
    (found,) = findings_in(tmp_path, {"a.py": MERGE_CLOSURES.text}, {"b.py": code}, ALL, "--with-text")
    assert found.renames == (("merged", "joined", 9), ("tolerance", "slack", 3))
    assert found.beside is not None
    assert found.beside.renames == found.renames
    for side, names in enumerate((("joined", "slack"), ("merged", "tolerance"))):
        renamed = Counter((piece.text, piece.pair) for piece in pieces(found.beside, side) if piece.mark == "renamed")
        assert renamed == {(names[0], 0): 9, (names[1], 1): 3}
        assert set(marks(found.beside, side)) == {"same", "renamed", "not-compared"}


def test_a_copy_of_a_source_without_text(tmp_path: Path) -> None:
    (found,) = findings_in(tmp_path, {"a.py": MERGE_CLOSURES.text}, {"b.py": RENAMED})
    assert found.renames is None
    assert found.beside is not None
    assert not found.beside.has_source_text
    assert found.beside.renames == ()
    assert marks(found.beside, 0)["renamed"] >= 10
    assert list(pieces(found.beside, 1)) == []
    lines = [row.there for block in found.beside.blocks for row in block.rows if row.there]
    assert sum(line.tokens for line in lines) == found.tokens
    (found,) = found_with(tmp_path, FIRST_LINES)
    assert found.beside is None


def found_with(folder: Path, code: ShownCode) -> list[Finding]:
    """The same findings, findings_in otherwise."""
    repository = git.Repository.find(folder / "checkout")
    with WholeIndex(folder / "known.db") as opened:
        findings_in = ScanChoices(shown_code=code)
        return list(scan(repository, git.everything(repository), [opened], Settings(), findings_in).findings)


def test_a_copy_in_another_order(tmp_path: Path) -> None:
    (found,) = findings_in(
        tmp_path,
        {"a.py": SHORTEST_ROUTE.text + MERGE_CLOSURES.text},
        {"b.py": MERGE_CLOSURES.text + SHORTEST_ROUTE.text},
        ALL,
        "--with-text",
    )
    assert found.beside is not None
    assert len(found.beside.blocks) == len(found.block_lines) == 2
    assert {mark for side in (0, 1) for mark in marks(found.beside, side)} == {"same", "not-compared"}


@pytest.mark.parametrize("with_text", [True, False])
def test_an_identical_file_is_its_own_source(tmp_path: Path, with_text: bool) -> None:
    code = f"# About routes\n\n{SHORTEST_ROUTE.text}# The end\n"
    (found,) = findings_in(tmp_path, {"a.py": code}, {"b.py": code}, ALL, *(["--with-text"] if with_text else []))
    assert found.identical
    assert found.beside is not None
    numbers = [(row.here and row.here.number, row.there and row.there.number) for row in found.beside.blocks[0].rows]
    assert numbers == [(line, line) for line in range(1, code.count("\n") + 1)]
    assert (found.renames, found.beside.has_source_text) == ((), True)
    assert marks(found.beside, 0) == marks(found.beside, 1)
    assert set(marks(found.beside, 0)) == {"same", "not-compared"}


def test_a_copy_in_a_language_of_pygments(tmp_path: Path) -> None:
    copy = SCHEME.replace("roads", "lanes").replace("; from", "; \N{LATIN SMALL LETTER E WITH ACUTE}")
    (found,) = findings_in(tmp_path, {"a.scm": SCHEME}, {"b.scm": copy}, ALL, "--with-text")
    assert found.renames == (("roads", "lanes", 24),)
    assert marks(found.beside, 0)["renamed"] == 24
    assert {piece.role for piece in pieces(found.beside, 0)} >= {"name", "number", "string", "comment"}


def test_a_copy_in_prose(tmp_path: Path) -> None:
    words = "\n".join(
        " ".join(f"w\N{LATIN SMALL LETTER U WITH DIAERESIS}rd{n * m}," for n in range(1, 9))
        for m in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)
    )
    (found,) = findings_in(
        tmp_path, {"a.md": words}, {"b.md": f"# A title\n\n{words.replace(',', ';')}\n"}, ALL, "--with-text"
    )
    assert set(marks(found.beside, 0)) == {"same", "not-compared"}
    assert marks(found.beside, 0)["same"] >= 80


def test_a_copy_in_a_notebook_is_shown_line_by_line(tmp_path: Path) -> None:
    lines = [f"{line}\n" for line in RENAMED.splitlines()]
    notebook = json.dumps({"cells": [{"cell_type": "code", "source": lines}], "metadata": {}}, indent=1)
    (found,) = findings_in(tmp_path, {"a.py": MERGE_CLOSURES.text}, {"b.ipynb": notebook}, ALL, "--with-text")
    assert found.renames == (("merged", "joined", 9), ("tolerance", "slack", 3))
    assert set(marks(found.beside, 0)) <= {"same", "not-compared"}
    assert marks(found.beside, 1)["renamed"] == 12
    assert found.beside is not None
    rows = [row for row in found.beside.blocks[0].rows if row.here and row.there and row.here.is_copied]
    assert len(rows) == found.lines.last - found.lines.first + 1


@pytest.mark.parametrize("with_text", [True, False])
def test_a_copy_in_a_comment_is_shown_line_by_line(tmp_path: Path, with_text: bool) -> None:
    quoted = "".join(f"// {line}\n" for line in RENAMED.splitlines())
    files = {"b.c": f"int a;\n{quoted}int b;\n"}
    (found,) = findings_in(tmp_path, {"a.py": MERGE_CLOSURES.text}, files, ALL, *(["--with-text"] if with_text else []))
    assert found.in_text
    assert (found.renames is not None) == with_text
    assert not with_text or ("tolerance", "slack", 3) in (found.renames or ())
    assert set(marks(found.beside, 0)) <= {"same", "not-compared"}
    assert found.beside is not None
    for block in found.beside.blocks:
        for row in block.rows:
            if row.here and row.here.is_copied and row.there:
                assert row.here.number - row.there.number == found.lines.first - found.source.lines.first


def test_without_marks_no_token_is_placed_and_the_lines_are_the_same(tmp_path: Path) -> None:
    findings_in(tmp_path, {"a.py": MERGE_CLOSURES.text}, {"b.py": RENAMED}, ALL, "--with-text")
    (marked,), (plain,) = found_with(tmp_path, ALL), found_with(tmp_path, ALL._replace(marks=False))
    assert marked.beside is not None
    assert plain.beside is not None
    for one, other in zip(marked.beside.blocks, plain.beside.blocks, strict=True):
        rows = [
            [
                tuple("".join(piece.text for piece in line.pieces) for line in row if line and line.is_copied)
                for row in each.rows
            ]
            for each in (one, other)
        ]
        assert rows[0] == rows[1]
    assert set(marks(plain.beside, 0)) == {"same"}
    assert plain._replace(beside=None) == marked._replace(beside=None)
