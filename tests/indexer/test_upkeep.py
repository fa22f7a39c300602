"""Sources removed from indexes, and indexes merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.building import build
from support.donor import INNOCENT
from support.indexes import entry, write_index
from winnow_ci.errors import IndexFileError, UsageError
from winnow_ci.index import WholeIndex, schema, whole_index
from winnow_ci.indexer import merge_indexes, remove_sources
from winnow_ci.indexer.building import file_digests
from winnow_ci.model import Source

if TYPE_CHECKING:
    from pathlib import Path


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
        (["xyz"], "has no source 'xyz'", "list its sources"),
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


def test_digests_of_files_do_not_depend_on_other_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "PACK", 1)
    monkeypatch.setattr(whole_index, "ROWS_A_QUERY", 1)
    files = {"1": entry([1, 2]), "2": entry([3, 4])}
    write_index(tmp_path / "alone.db", {Source("s"): files})
    write_index(tmp_path / "both.db", {Source("a"): {"x": files["2"]}, Source("s"): files})
    with WholeIndex(tmp_path / "alone.db") as alone, WholeIndex(tmp_path / "both.db") as both:
        assert file_digests(alone)["s"] == file_digests(both)["s"]


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
    with pytest.raises(IndexFileError, match=r"has other files in .* than in"):
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
    with pytest.raises(UsageError, match="already exists, and is not among the indexes to merge"):
        merge_indexes([a, b], c, None, silent)
    assert c.read_bytes() == before
    assert merge_indexes([a, b], a, None, silent).sources == 2
