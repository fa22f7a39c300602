"""Postings of phrases that cannot be, with digests to match: ``verify`` refuses them, and a scan survives them."""

from __future__ import annotations

import contextlib
import random
import shutil
import sqlite3
from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.command import build
from support.forged_indexes import change_blocks, give_the_root
from support.phrases import BY_COMMENT
from support.repository import Checkout
from winnow_ci import cli
from winnow_ci.errors import IndexFileError
from winnow_ci.index import WholeIndex, schema, verify
from winnow_ci.model import PHRASE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    Postings = NDArray[np.void]

FORGERIES = 40


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of two files, the phrases of one of which lead to a copy; not to be changed."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "source").mkdir()
    (folder / "source" / "ring.c").write_text(BY_COMMENT.known)
    (folder / "source" / "pool.c").write_text(BY_COMMENT.before + BY_COMMENT.known[::-1])
    build(folder / "source", folder / "i.db")
    return folder / "i.db"


@pytest.fixture
def index(built: Path, tmp_path: Path) -> Path:
    return shutil.copy(built, tmp_path / "i.db")


@pytest.fixture
def scan(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Scans a change that copied from a file of the index."""
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"pool.c": BY_COMMENT.before, ".winnow.yml": "report: {weak: error}\n"})
    checkout.write("pool.c", BY_COMMENT.after)
    monkeypatch.chdir(checkout.root)
    return lambda: cli.main(["scan", "--index", str(index)])


def forge(index: Path, change: Callable[[Postings], None]) -> None:
    """Change the postings of an index, which have places and marks, and give them the digests that they should have."""
    with contextlib.closing(sqlite3.connect(index)) as connection, connection:
        change_blocks(connection, change)
        give_the_root(connection)


def of_phrases(first: int, end: int, place: int) -> Callable[[Postings], None]:
    """Let all phrases from ``first`` to ``end`` stand at one place."""

    def change(postings: Postings) -> None:
        is_there = (postings["content"] >= first) & (postings["content"] < end)
        postings["content"][is_there & (postings["position"] >= PHRASE)] = place

    return change


def check(index: Path) -> None:
    with WholeIndex(index) as reader:
        verify(reader)


def refuse(index: Path) -> None:
    with pytest.raises(IndexFileError, match=r"block( \d+)? holds impossible postings"):
        check(index)


def places_of(index: Path) -> tuple[int, int]:
    """The places of the first token of the file that was copied from, and of what follows its last token."""
    with WholeIndex(index) as reader:
        (content,) = (content for content, row in reader.all_contents() if row.files[0].path == b"ring.c")
        (number,) = reader.directory.numbers(np.array([content])).tolist()
        return int(reader.directory.starts[number]), int(reader.directory.starts[number + 1]) - 1


def test_an_index_with_phrases_is_sound(index: Path, scan: Callable[[], int]) -> None:
    forge(index, lambda _: None)
    check(index)
    assert scan() == 1


def test_a_phrase_stands_at_a_token(index: Path) -> None:
    first, end = places_of(index)
    forge(index, of_phrases(first, end, end - 1))
    check(index)
    forge(index, of_phrases(first, end, end))
    refuse(index)


def test_a_phrase_beyond_the_last_token_is_no_evidence(
    index: Path, scan: Callable[[], int], capsys: pytest.CaptureFixture[str]
) -> None:
    first, end = places_of(index)
    forge(index, of_phrases(first, end, end))
    refuse(index)
    assert scan() == 0
    assert "Traceback" not in capsys.readouterr().err


def test_a_phrase_of_no_content_is_damage(
    index: Path, scan: Callable[[], int], capsys: pytest.CaptureFixture[str]
) -> None:
    with WholeIndex(index) as reader:
        beyond = int(reader.directory.starts[-1])
    forge(index, of_phrases(0, beyond, beyond))
    with pytest.raises(IndexFileError, match="a place outside of all contents"):
        check(index)
    assert scan() == 3
    assert "is damaged: a place outside of all contents\n" in capsys.readouterr().err


def test_no_forgery_is_a_bug(index: Path, built: Path, scan: Callable[[], int]) -> None:
    """Positions and contents at random, of k-grams and phrases; some k-grams are phrases, and the other way round."""
    statuses = []
    with WholeIndex(index) as reader:
        end = int(reader.directory.starts[-1])
    for seed in range(FORGERIES):
        chance = np.random.default_rng(seed)
        reach = random.Random(seed).choice([20, 200, end, 1 << end.bit_length()])

        def change(postings: Postings, chance: np.random.Generator = chance, reach: int = reach) -> None:
            some = chance.random(len(postings)) < 0.8
            postings["content"][some] = chance.integers(0, reach, len(postings))[some]
            kinds = chance.choice([0, PHRASE, schema.WHOLE], len(postings), p=[0.48, 0.48, 0.04])
            postings["position"][some] = kinds[some]

        shutil.copy(built, index)
        forge(index, change)
        statuses.append(scan())
    assert set(statuses) == {0, 1, 3}
