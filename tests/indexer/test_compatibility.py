"""Which indexes can be compared with this version's code, and with each other."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from support.indexes import PARAMETERS, add_source, entry
from winnow_ci.errors import IndexFileError
from winnow_ci.evidence import tables_digest
from winnow_ci.index import IndexDraft, WholeIndex, replacing
from winnow_ci.indexer.compatibility import check_alike, check_current, staleness
from winnow_ci.languages import revisions
from winnow_ci.model import Source

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from winnow_ci.model import Parameters


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
        assert staleness(index) == f"was made with revision 0 of the python front end, this is revision {current}"
        with pytest.raises(IndexFileError, match="was made with revision 0") as caught:
            check_current(index)
        assert "build it again" in caught.value.remedy


def test_an_index_with_other_tables_is_refused(tmp_path: Path) -> None:
    with WholeIndex(written(tmp_path / "i.db", revisions(), tables="0" * 64)) as index:
        current = tables_digest()[:12]
        assert staleness(index) == f"was made with revision {'0' * 12} of the learnt tables, this is revision {current}"


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
