"""What most sources of an index share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.building import build
from support.donor import INNOCENT, LOGS, ROUTES
from winnow_ci.index import WholeIndex
from winnow_ci.indexer import survey
from winnow_ci.model import Source

if TYPE_CHECKING:
    from pathlib import Path

    from winnow_ci.indexer import IndexSurvey


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
