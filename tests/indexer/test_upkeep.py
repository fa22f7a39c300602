"""Indexes rewritten, compared and surveyed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.building import build
from support.donor import INNOCENT, LOGS, ROUTES
from winnow_ci.errors import IndexFileError, UsageError
from winnow_ci.index import WholeIndex
from winnow_ci.indexer import difference, merge_indexes, remove_sources, survey
from winnow_ci.indexer.upkeep import FieldChange, IndexDifference, SourceChange
from winnow_ci.model import Source

if TYPE_CHECKING:
    from pathlib import Path

    from winnow_ci.indexer import IndexSurvey


def silent(done: int, total: int | None) -> None:
    """Tell nobody."""


def built(code: Path, index: Path, *names: str, **described: Any) -> Path:
    for name in names:
        build([code], index, Source(name, license="MIT"), **described)
    return index


def test_what_is_left_is_what_would_have_been_built(code: Path, tmp_path: Path) -> None:
    index = built(code, tmp_path / "i.db", "roads", "other")
    found = remove_sources(index, ["other"], silent)
    alone = built(code, tmp_path / "alone.db", "roads")
    assert index.read_bytes() == alone.read_bytes()
    with WholeIndex(alone) as reader:
        assert found == (1, reader.digest)


@pytest.mark.parametrize(
    ("names", "problem", "remedy"),
    [
        (["road"], "has no source 'road'", "did you mean roads?"),
        (["xyz"], "has no source 'xyz'", "see what it has"),
        (["roads", "other"], "nothing would be left", "delete the file"),
    ],
)
def test_sources_that_cannot_be_removed(
    code: Path, tmp_path: Path, names: list[str], problem: str, remedy: str
) -> None:
    index = built(code, tmp_path / "i.db", "roads", "other")
    before = index.read_bytes()
    with pytest.raises(UsageError, match=problem) as caught:
        remove_sources(index, names, silent)
    assert caught.value.remedy.startswith(remedy)
    assert index.read_bytes() == before


def test_a_merged_index_is_what_would_have_been_built(code: Path, tmp_path: Path) -> None:
    a, b = built(code, tmp_path / "a.db", "a"), built(code, tmp_path / "b.db", "b")
    found = merge_indexes([a, b], tmp_path / "c.db", None, silent)
    both = built(code, tmp_path / "both.db", "a", "b")
    assert (tmp_path / "c.db").read_bytes() == both.read_bytes()
    assert found.sources == 2


@pytest.mark.parametrize(("prefer", "files"), [("first", 2), ("last", 1)])
def test_of_different_sources_of_one_name_the_preferred_is_taken(
    code: Path, tmp_path: Path, prefer: Any, files: int
) -> None:
    a = built(code, tmp_path / "a.db", "roads")
    (code / "logs.py").unlink()
    (code / "routes.py").write_text(INNOCENT)
    b = built(code, tmp_path / "b.db", "roads")
    with pytest.raises(IndexFileError, match="has other files than that of"):
        merge_indexes([a, b], tmp_path / "c.db", None, silent)
    merge_indexes([a, b], tmp_path / "c.db", prefer, silent)
    with WholeIndex(tmp_path / "c.db") as index:
        assert [summary.files for summary in index.summaries()] == [files]


def test_of_the_same_source_the_text_is_kept_if_one_index_keeps_it(code: Path, tmp_path: Path) -> None:
    a, b = built(code, tmp_path / "a.db", "roads"), built(code, tmp_path / "b.db", "roads", with_text=True)
    merge_indexes([a, b], tmp_path / "c.db", None, silent)
    assert (tmp_path / "c.db").read_bytes() == b.read_bytes()


def test_the_output_may_be_one_of_them_but_no_other_index(code: Path, tmp_path: Path) -> None:
    a, b, c = (built(code, tmp_path / f"{name}.db", name) for name in "abc")
    before = c.read_bytes()
    with pytest.raises(UsageError, match="is there already, and is not to be merged"):
        merge_indexes([a, b], c, None, silent)
    assert c.read_bytes() == before
    assert merge_indexes([a, b], a, None, silent).sources == 2


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


def shared(tmp_path: Path, *texts: str, most: int = 10) -> IndexSurvey:
    """An index with a source for each text, surveyed."""
    for number, text in enumerate(texts):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        (folder / f"{number}.py").write_text(text)
        build([folder], tmp_path / "i.db", Source(f"s{number}", license="MIT"))
    with WholeIndex(tmp_path / "i.db") as index:
        return survey(index, most, lambda done, total: None)


def test_what_is_in_one_source_is_shared_by_none(tmp_path: Path) -> None:
    found = shared(tmp_path, ROUTES, LOGS)
    assert found.shared_contents == 0
    assert all(candidate.sources == 1 for candidate in found.candidates)


def test_the_most_widely_shared_comes_first(tmp_path: Path) -> None:
    found = shared(tmp_path, ROUTES, f"import os\n{ROUTES}", f"{LOGS}\n{ROUTES}", INNOCENT)
    first = found.candidates[0]
    assert (first.sources, first.contents, found.shared_contents) == (3, 3, 0)
    assert [one.sources for one in found.candidates] == sorted((one.sources for one in found.candidates), reverse=True)


def test_a_content_that_two_sources_have_is_shared(tmp_path: Path) -> None:
    assert shared(tmp_path, ROUTES, ROUTES).shared_contents == 1


def test_as_many_as_are_wanted(tmp_path: Path) -> None:
    assert len(shared(tmp_path, ROUTES, ROUTES + LOGS, most=3).candidates) == 3
