"""Fingerprinting into new indexes, and which indexes can be added to and merged."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest

from support.building import build
from support.donor import INNOCENT, ROUTES
from support.indexes import PARAMETERS, add_source, entry
from winnow_ci.errors import CorpusError, IndexFileError, Interrupted
from winnow_ci.evidence.tables import tables_digest
from winnow_ci.index import IndexDraft, WholeIndex, replacing
from winnow_ci.index import journal as journal_of_builds
from winnow_ci.indexer.building import (
    check_alike,
    check_current,
    in_silence,
    journal_of,
    rewritten,
    staleness,
)
from winnow_ci.languages import revisions
from winnow_ci.model import Parameters, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

ROADS = Source("roads", license="MIT")


def sources(index: Path) -> set[str]:
    with WholeIndex(index) as reader:
        return {source.name for source in reader.sources}


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_file())


def test_a_report_says_what_is_in_the_index(code: Path, tmp_path: Path) -> None:
    (code / "photo.png").write_bytes(b"\x89PNG\r\n")
    report = build([code], tmp_path / "i.db", ROADS)
    with WholeIndex(tmp_path / "i.db") as index:
        assert report.digest == index.digest
        assert index.parameters == Parameters()
    added = report.added
    assert (added.files, added.known, report.continued, added.sources) == (2, 0, 0, (ROADS,))
    assert [skip.path for skip in added.skipped] == ["photo.png"]


def test_the_same_again_fingerprints_nothing_and_changes_nothing(code: Path, tmp_path: Path) -> None:
    first = build([code], tmp_path / "i.db", ROADS)
    before = (tmp_path / "i.db").read_bytes()
    again = build([code], tmp_path / "i.db", ROADS)
    assert (again.added.files, again.added.known, again.digest) == (2, 2, first.digest)
    assert (tmp_path / "i.db").read_bytes() == before


def test_a_source_replaces_that_of_its_name_and_no_other(code: Path, tmp_path: Path) -> None:
    index = tmp_path / "i.db"
    build([code], index, ROADS)
    build([code], index, Source("other", license="MIT"))
    (code / "logs.py").write_text(INNOCENT)
    report = build([code], index, ROADS)
    assert (report.added.files, report.added.known) == (2, 1)
    assert sources(index) == {"roads", "other"}
    with WholeIndex(index) as reader:
        assert reader.contents == 3


@pytest.mark.parametrize("parameters", [{"k": 20}, {"w": 5}, {"selection": "winnowing"}])
def test_an_index_has_one_set_of_parameters(code: Path, tmp_path: Path, parameters: dict[str, int | str]) -> None:
    index = tmp_path / "i.db"
    build([code], index, ROADS)
    before = index.read_bytes()
    with pytest.raises(IndexFileError, match="not with the parameters given"):
        build([code], index, ROADS, parameters)
    assert (index.read_bytes(), left(tmp_path)) == (before, ["i.db"])
    # What is asked for may be what it has.
    assert build([code], index, ROADS, {"k": 16, "w": 9}).added.known == 2


def test_code_that_cannot_be_fingerprinted_makes_no_index(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "short.py").write_text("a = 1\n")
    with pytest.raises(CorpusError, match="nothing to fingerprint in roads: 1 files, the first skipped because: fewer"):
        build([tmp_path / "empty"], tmp_path / "i.db", ROADS)
    assert left(tmp_path) == []


def test_text_is_kept_only_of_the_sources_that_are_added_with_it(code: Path, tmp_path: Path) -> None:
    index = tmp_path / "i.db"
    build([code], index, ROADS, with_text=True)
    (code / "logs.py").unlink()
    build([code], index, Source("other", license="MIT"))
    with WholeIndex(index) as reader:
        assert [reader.sources[number].name for number in reader.with_text] == ["roads"]


# ---- the road itself -------------------------------------------------------------------------------------------


def test_if_the_block_fails_the_old_index_stays(code: Path, tmp_path: Path) -> None:
    index = tmp_path / "i.db"
    build([code], index, ROADS)
    before = index.read_bytes()
    with pytest.raises(ValueError, match="stop"), rewritten(index, lambda _: (Parameters(), set())) as new:
        with in_silence("writing", "") as progress:
            new.write(progress)
        raise ValueError("stop")
    assert (index.read_bytes(), left(tmp_path)) == (before, ["i.db"])


@pytest.mark.parametrize(("without", "rest"), [(set(), {"roads", "other"}), ({"roads"}, {"other"}), (None, set())])
def test_an_index_begins_with_what_stays_of_the_old_one(
    code: Path, tmp_path: Path, without: set[str] | None, rest: set[str]
) -> None:
    index = tmp_path / "i.db"
    build([code], index, ROADS)
    build([code], index, Source("other", license="MIT"))
    with rewritten(index, lambda _: (Parameters(), without)) as new, in_silence("writing", "") as progress:
        assert new.write(progress).sources == len(rest)
    assert sources(index) == rest


def test_an_interrupted_build_goes_on(code: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(200):
        (code / f"{number}.py").write_text(f"NUMBER = {number}\n{ROUTES}")
    whole = build([code], tmp_path / "whole" / "i.db", ROADS)
    monkeypatch.setattr(journal_of_builds, "RUN_POSTINGS", 500)

    @contextmanager
    def impatient(what: str, unit: str) -> Iterator[Callable[[int, int | None], None]]:
        def progress(done: int, total: int | None) -> None:
            if total is not None and done > total // 2:
                raise KeyboardInterrupt

        yield progress

    with pytest.raises(Interrupted, match=r"the fingerprints of [0-9]+ contents are kept in your cache"):
        build([code], tmp_path / "i.db", ROADS, counting=impatient)
    assert left(tmp_path) == []
    assert journal_of(tmp_path / "i.db").exists()
    again = build([code], tmp_path / "i.db", ROADS)
    assert 0 < again.continued < 202
    assert again.digest == whole.digest
    assert left(tmp_path) == ["i.db"]
    assert not journal_of(tmp_path / "i.db").exists()


def test_where_no_cache_can_be_written_an_interrupted_build_starts_over(
    code: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WINNOW_CI_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert build([code], tmp_path / "i.db", ROADS).continued == 0
    assert left(tmp_path) == ["file", "i.db"]


def written(
    path: Path, front_ends: Mapping[str, str], parameters: Parameters = PARAMETERS, tables: str | None = None
) -> Path:
    """An index whose one content the front end ``python`` has read."""
    draft = IndexDraft(parameters, front_ends, tables or tables_digest())
    add_source(draft, Source("roads"), {"a.py": entry([1, 2, 3])})
    with replacing(path) as unfinished:
        draft.write(unfinished)
    return path


def test_an_index_that_this_version_has_read_is_current(tmp_path: Path) -> None:
    with WholeIndex(written(tmp_path / "i.db", revisions())) as index:
        assert staleness(index) is None
        check_current(index)


def test_an_index_of_another_revision_is_refused(tmp_path: Path) -> None:
    with WholeIndex(written(tmp_path / "i.db", {"python": "0"})) as index:
        current = revisions()["python"]
        assert staleness(index) == f"was made with revision 0 of the python front end, ours is revision {current}"
        with pytest.raises(IndexFileError, match="was made with revision 0") as caught:
            check_current(index)
        assert "build it again" in caught.value.remedy


def test_an_index_with_other_tables_is_refused(tmp_path: Path) -> None:
    with WholeIndex(written(tmp_path / "i.db", revisions(), tables="0" * 64)) as index:
        current = tables_digest()[:12]
        assert staleness(index) == f"was made with revision {'0' * 12} of the learnt tables, ours is revision {current}"


def test_indexes_are_alike_if_they_have_the_same_parameters_and_are_current(tmp_path: Path) -> None:
    paths = [
        written(tmp_path / "a.db", revisions()),
        written(tmp_path / "b.db", revisions()),
        written(tmp_path / "other.db", revisions(), PARAMETERS._replace(w=PARAMETERS.w + 1)),
        written(tmp_path / "stale.db", {"python": "0"}),
    ]
    with ExitStack() as stack:
        a, b, other, stale = (stack.enter_context(WholeIndex(path)) for path in paths)
        check_alike([a, b])
        with pytest.raises(IndexFileError, match=r"k = 4, w = 3 and anchored selection.* k = 4, w = 4"):
            check_alike([a, other])
        with pytest.raises(IndexFileError, match="revision 0"):
            check_alike([stale])
