"""A scan goes batch by batch, and shows as much of a finding as a person reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.command import build
from support.donor import SHORTEST_ROUTE, write_known
from support.repository import Checkout
from winnow_ci import git
from winnow_ci.config import Settings
from winnow_ci.index import IndexReader
from winnow_ci.languages import front_end_of
from winnow_ci.model import Tokens
from winnow_ci.scanner import scan
from winnow_ci.scanner.scan import _batches
from winnow_ci.scanner.values import PreparedFile

if TYPE_CHECKING:
    from pathlib import Path


def test_six_lines_of_a_finding_are_shown_unless_more_are_asked_for(tmp_path: Path) -> None:
    build(write_known(tmp_path / "source"), tmp_path / "known.db")
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"copy.py": SHORTEST_ROUTE.text})
    repository = git.Repository.find(checkout.root)
    with IndexReader(tmp_path / "known.db") as index:
        (plain,) = scan(repository, git.everything(repository), [index], Settings()).findings
        (more,) = scan(repository, git.everything(repository), [index], Settings(), excerpt_lines=8).findings
    lines = SHORTEST_ROUTE.text.split("\n")
    assert plain.excerpt == tuple(lines[:6])
    assert more.excerpt == tuple(lines[:8])


def prepared(tokens: int, *, added: bool = True) -> PreparedFile:
    ids, lines = np.broadcast_to(np.uint64(1), tokens), np.broadcast_to(np.int32(1), tokens)
    of_file = Tokens(ids, ids, lines, lines, np.broadcast_to(np.uint8(7), tokens))
    return PreparedFile("a.py", b"", front_end_of("python"), of_file, (), np.broadcast_to(np.bool_(added), tokens))


@pytest.mark.parametrize(
    ("tokens", "batches"),
    [
        ([200_000, 200_000, 5], [2, 1]),
        ([200_000, 199_999, 5, 5], [3, 1]),
        ([900_000, 5], [1, 1]),
        ([5, 900_000], [2]),
        ([400_000], [1]),
        ([], []),
    ],
)
def test_a_batch_is_full_with_400_000_tokens(tokens: list[int], batches: list[int]) -> None:
    assert [len(batch) for batch in _batches(map(prepared, tokens))] == batches


def test_files_without_added_tokens_are_of_no_batch() -> None:
    assert [len(batch) for batch in _batches([prepared(900_000, added=False), prepared(0), prepared(5)])] == [1]
