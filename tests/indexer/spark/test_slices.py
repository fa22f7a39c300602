"""Files in slices: in their order, with their contents, under names that tell what they depend on."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.donor import ROUTES
from winnow_ci.corpus import CorpusFile
from winnow_ci.indexer.preparation import FilePreparation
from winnow_ci.indexer.spark.slices import SLICE_BYTES, SLICE_FILES, FileSlice, made_by, slices
from winnow_ci.model import Parameters
from winnow_ci.start_up import replace


def preparation(**settings: object) -> FilePreparation:
    return replace(FilePreparation(Parameters(), set(), None), **settings)


def file(path: str, content: bytes = ROUTES.encode()) -> CorpusFile:
    return CorpusFile(path, Path("somewhere"), len(content), content)


def only(*files: CorpusFile, prepare: FilePreparation | None = None, by: str = "1") -> FileSlice:
    ((_, found),) = slices(files, prepare or preparation(), by)
    return found


def test_as_many_files_as_fit() -> None:
    found = list(slices([file(f"{number}.py", b"") for number in range(SLICE_FILES + 1)], preparation(), "1"))
    assert [len(files) for files, _ in found] == [SLICE_FILES, 1]
    assert [one.path for files, _ in found for one in files] == [f"{number}.py" for number in range(SLICE_FILES + 1)]


def test_as_many_bytes_as_fit() -> None:
    half = b"#" * (SLICE_BYTES // 2)
    found = list(slices([file(f"{name}.py", half) for name in "abc"], preparation(), "1"))
    assert [one.size for _, one in found] == [SLICE_BYTES, SLICE_BYTES // 2]


def test_contents_travel_and_places_do_not(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(ROUTES)
    ((files, sent),) = slices([CorpusFile("a.py", tmp_path, len(ROUTES))], preparation(), "1")
    assert files == [CorpusFile("a.py", tmp_path, len(ROUTES))]
    assert sent.files == (CorpusFile("a.py", Path(), len(ROUTES), ROUTES.encode()),)


def test_what_is_not_read_travels_without_content() -> None:
    sent = only(CorpusFile("a.py", Path("nowhere"), 5, reason="left out"))
    assert sent.files[0].content is None


@pytest.mark.parametrize(
    "other",
    [
        only(file("b.py")),
        only(file("a.py", b"other")),
        only(replace(file("a.py"), reason="left out")),
        only(file("a.py"), file("b.py")),
        only(file("a.py"), by="2"),
        only(file("a.py"), prepare=preparation(parameters=Parameters(k=17))),
        only(file("a.py"), prepare=preparation(boilerplate=True)),
        only(file("a.py"), prepare=preparation(known_texts=set())),
    ],
)
def test_another_slice_has_another_name(other: FileSlice) -> None:
    assert other.name() != only(file("a.py")).name()


def test_a_slice_has_its_name_whatever_is_known() -> None:
    known = preparation(known=set(preparation().keys(file("a.py"))))
    assert only(file("a.py"), prepare=known).name() == only(file("a.py")).name()


def test_only_what_a_slice_may_have_travels_as_known() -> None:
    here, elsewhere = (set(preparation().keys(file("a.py", text))) for text in (b"here", b"elsewhere"))
    sent = only(file("a.py", b"here"), prepare=preparation(known=here | elsewhere, known_texts=elsewhere))
    assert (sent.preparation.known, sent.preparation.known_texts) == (here, set())


def test_who_made_it_is_the_same_at_any_time() -> None:
    assert made_by() == made_by()
