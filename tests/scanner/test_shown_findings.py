"""What a scan shows of real findings, in each kind of file: rows beside the source, with marks where tokens stand."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from support.command import build
from support.donor import MERGE_CLOSURES, SHORTEST_ROUTE
from support.repository import Checkout
from winnow_ci import git
from winnow_ci.config.settings import Settings
from winnow_ci.index import WholeIndex
from winnow_ci.model.findings import FIRST_LINES, ShownCode
from winnow_ci.scanner import ScanChoices, scan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from winnow_ci.model.findings import Finding
    from winnow_ci.model.side_by_side import MarkedPiece, SideBySide

ALL = ShownCode(lines=1_000, marks=True)
RENAMED = MERGE_CLOSURES.text.replace("merged", "joined").replace("tolerance", "slack")
SCHEME = "".join(
    f'(define (route-{n} roads start-{n} goal) ; from start\n  (string-append roads "n{n}" (limit goal {n * 7919})))\n'
    for n in range(12)
)


def shown(
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
        shown = ScanChoices(shown_code=code)
        return list(scan(repository, git.everything(repository), [opened], Settings(), shown).findings)


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
    (found,) = shown(tmp_path, {"a.py": MERGE_CLOSURES.text}, {"b.py": code}, ALL, "--with-text")
    assert found.renames == (("merged", "joined", 9), ("tolerance", "slack", 3))
    assert found.beside is not None
    assert found.beside.renames == found.renames
    for side, names in enumerate((("joined", "slack"), ("merged", "tolerance"))):
        renamed = Counter((piece.text, piece.pair) for piece in pieces(found.beside, side) if piece.mark == "renamed")
        assert renamed == {(names[0], 0): 9, (names[1], 1): 3}
        assert set(marks(found.beside, side)) == {"same", "renamed", "not-compared"}


def test_a_copy_of_a_source_without_text(tmp_path: Path) -> None:
    (found,) = shown(tmp_path, {"a.py": MERGE_CLOSURES.text}, {"b.py": RENAMED})
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
    """The same findings, shown otherwise."""
    repository = git.Repository.find(folder / "checkout")
    with WholeIndex(folder / "known.db") as opened:
        shown = ScanChoices(shown_code=code)
        return list(scan(repository, git.everything(repository), [opened], Settings(), shown).findings)


def test_a_copy_in_another_order(tmp_path: Path) -> None:
    (found,) = shown(
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
    (found,) = shown(tmp_path, {"a.py": code}, {"b.py": code}, ALL, *(["--with-text"] if with_text else []))
    assert found.identical
    assert found.beside is not None
    numbers = [(row.here and row.here.number, row.there and row.there.number) for row in found.beside.blocks[0].rows]
    assert numbers == [(line, line) for line in range(1, code.count("\n") + 1)]
    assert (found.renames, found.beside.has_source_text) == ((), True)
    assert marks(found.beside, 0) == marks(found.beside, 1)
    assert set(marks(found.beside, 0)) == {"same", "not-compared"}


def test_a_copy_in_a_language_of_pygments(tmp_path: Path) -> None:
    copy = SCHEME.replace("roads", "lanes").replace("; from", "; \N{LATIN SMALL LETTER E WITH ACUTE}")
    (found,) = shown(tmp_path, {"a.scm": SCHEME}, {"b.scm": copy}, ALL, "--with-text")
    assert found.renames == (("roads", "lanes", 24),)
    assert marks(found.beside, 0)["renamed"] == 24
    assert {piece.role for piece in pieces(found.beside, 0)} >= {"name", "number", "string", "comment"}


def test_a_copy_in_prose(tmp_path: Path) -> None:
    words = "\n".join(
        " ".join(f"w\N{LATIN SMALL LETTER U WITH DIAERESIS}rd{n * m}," for n in range(1, 9))
        for m in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)
    )
    (found,) = shown(
        tmp_path, {"a.md": words}, {"b.md": f"# A title\n\n{words.replace(',', ';')}\n"}, ALL, "--with-text"
    )
    assert set(marks(found.beside, 0)) == {"same", "not-compared"}
    assert marks(found.beside, 0)["same"] >= 80


def test_a_copy_in_a_notebook_is_shown_line_by_line(tmp_path: Path) -> None:
    lines = [f"{line}\n" for line in RENAMED.splitlines()]
    notebook = json.dumps({"cells": [{"cell_type": "code", "source": lines}], "metadata": {}}, indent=1)
    (found,) = shown(tmp_path, {"a.py": MERGE_CLOSURES.text}, {"b.ipynb": notebook}, ALL, "--with-text")
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
    (found,) = shown(tmp_path, {"a.py": MERGE_CLOSURES.text}, files, ALL, *(["--with-text"] if with_text else []))
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
    shown(tmp_path, {"a.py": MERGE_CLOSURES.text}, {"b.py": RENAMED}, ALL, "--with-text")
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
