"""The lines of compared files beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from support.donor import MERGE_CLOSURES, ROUTES, renamed
from winnow_ci import comparing
from winnow_ci.model.comparison import COMPARE_PARAMETERS, ComparisonOptions
from winnow_ci.model.regions import Stretch
from winnow_ci.operations.paired_lines import FARTHEST, extended_seeds, shown_pairs

if TYPE_CHECKING:
    from pathlib import Path

    from winnow_ci.model.comparison import FilePair

WITH_TEXTS = ComparisonOptions(texts=True)


def pairs(folder: Path, one: str, other: str, options: ComparisonOptions = WITH_TEXTS) -> tuple[FilePair, ...]:
    (folder / "a.py").write_text(one)
    (folder / "b.py").write_text(other)
    bodies = [comparing.find_body(str(folder / name)) for name in ("a.py", "b.py")]
    return shown_pairs(comparing.compare(bodies, options), 200)


def test_lines_of_a_renamed_function_stand_beside_each_other(tmp_path: Path) -> None:
    copy = "VALUES = {}\n\n\n" + renamed(MERGE_CLOSURES.text)
    (pair,) = pairs(tmp_path, ROUTES, copy)
    assert pair.beside is not None
    (block,) = pair.beside.blocks
    rows = [(row.here, row.there) for row in block.rows if row.here and row.there and row.here.is_copied]
    first = 1 + ROUTES.splitlines().index("def merge_closures(closures, tolerance=0):")
    assert {(here.number - first, there.number - 4) for here, there in rows} == {(line, line) for line in range(14)}
    assert ("fuse", "merge_closures", 1) in pair.beside.renames
    assert not any(here.is_added for here, _ in rows)


def test_parts_far_apart_are_blocks_of_their_own(tmp_path: Path) -> None:
    between = "".join(f"value_{number} = {number}\nname_{number} = [{number}]\n" for number in range(40))
    parts = ROUTES.split("\n\n\n")
    (pair,) = pairs(tmp_path, ROUTES, f"{parts[2]}\n\n\n{between}\n\n\n{parts[4]}\n")
    assert pair.beside is not None
    assert len(pair.beside.blocks) == 2


def test_without_texts_or_stretches_there_are_no_lines(tmp_path: Path) -> None:
    (pair,) = pairs(tmp_path, ROUTES, ROUTES, ComparisonOptions())
    assert pair.beside is None
    assert COMPARE_PARAMETERS.k == 16


TOKENS = st.lists(st.integers(0, 2), min_size=1, max_size=40).map(lambda ids: np.array(ids, np.uint64))


@given(one=TOKENS, other=TOKENS, data=st.data())
def test_tokens_are_followed_as_far_as_they_are_alike(one: np.ndarray, other: np.ndarray, data: st.DataObject) -> None:
    places = [(i, j) for i in range(len(one)) for j in range(len(other)) if one[i] == other[j]]
    seeds = sorted(data.draw(st.lists(st.sampled_from(places), max_size=6)) if places else [])
    found = extended_seeds(seeds, one, other)
    event(f"{len(found)} stretches")
    for number, part in enumerate(found):
        end, source_end = part.start + part.tokens, part.source_start + part.tokens
        assert one[part.start : end].tolist() == other[part.source_start : source_end].tolist()
        assert end == len(one) or source_end == len(other) or one[end] != other[source_end]
        before = found[number - 1].start + found[number - 1].tokens if number else 0
        assert part.start >= before
        assert part.start == before or part.source_start == 0 or one[part.start - 1] != other[part.source_start - 1]
    covered = {number for part in found for number in range(part.start, part.start + part.tokens)}
    assert {start for start, _ in seeds} <= covered


def test_a_seed_is_followed_only_so_far() -> None:
    same = np.zeros(3 * FARTHEST, np.uint64)
    assert extended_seeds([(FARTHEST + 5, FARTHEST + 5)], same, same) == (Stretch(5, 5, 2 * FARTHEST),)
