"""What is different between two indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.building import build
from support.donor import INNOCENT, LOGS
from winnow_ci.index import WholeIndex
from winnow_ci.indexer import difference
from winnow_ci.indexer.difference import FieldChange, IndexDifference, SourceChange
from winnow_ci.model import Source

if TYPE_CHECKING:
    from pathlib import Path

ROADS = Source("roads", "1.0", license="MIT")


def compared(before: Path, after: Path) -> IndexDifference:
    with WholeIndex(before) as one, WholeIndex(after) as other:
        return difference(one, other)


def test_equal_indexes_differ_in_nothing(code: Path, tmp_path: Path) -> None:
    build([code], tmp_path / "a.db", ROADS)
    build([code], tmp_path / "b.db", ROADS)
    assert compared(tmp_path / "a.db", tmp_path / "b.db") == IndexDifference(True, (), (), (), (), ())


def test_paths_and_fields_that_differ_are_named(code: Path, tmp_path: Path) -> None:
    build([code], tmp_path / "a.db", ROADS, with_text=True)
    build([code], tmp_path / "a.db", Source("gone", license="MIT"))
    (code / "routes.py").unlink()
    (code / "logs.py").write_text(f"import sys\n{LOGS}")
    (code / "new.py").write_text(INNOCENT)
    build([code], tmp_path / "b.db", ROADS._replace(version="2.0"), {"w": 5})
    build([code], tmp_path / "b.db", Source("came", license="MIT"))
    found = compared(tmp_path / "a.db", tmp_path / "b.db")
    assert (found.equal, found.only_before, found.only_after) == (False, ("gone",), ("came",))
    assert found.parameters == (FieldChange("w", 9, 5),)
    (roads,) = found.changed
    assert (roads.name, roads.added, roads.removed, roads.changed) == (
        "roads",
        ("new.py",),
        ("routes.py",),
        ("logs.py",),
    )
    assert {change.what for change in roads.fields} == {"version", "text", "fingerprints"}


def test_a_front_end_that_only_one_index_has_is_named(code: Path, tmp_path: Path) -> None:
    build([code], tmp_path / "a.db", ROADS)
    (code / "notes.md").write_text("Some words that a reader of these pages may well have seen before. " * 9)
    build([code], tmp_path / "b.db", ROADS)
    found = compared(tmp_path / "a.db", tmp_path / "b.db")
    assert [change.before for change in found.front_ends] == [None]
    assert [change.added for change in found.changed if isinstance(change, SourceChange)] == [("notes.md",)]
