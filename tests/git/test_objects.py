"""While answers are kept, git is started once for the contents of all objects, and once for their sizes."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from winnow_ci.errors import GitError
from winnow_ci.git import Repository, blob_sizes, object_contents

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout

TEXTS = [b"", b"one\n", b"two\n" * 50_000, b"\0three"]
MISSING = "1" * 40


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a line for each time that git was started to tell of objects, the last words first."""
    log, shim = tmp_path / "log", tmp_path / "bin" / "git"
    shim.parent.mkdir()
    log.touch()
    words = f'for word; do case $word in --batch*) echo "$word $$" >> "{log}";; esac; done'
    shim.write_text(f'#!/bin/sh\n{words}\nexec {shutil.which("git")} "$@"\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
    return log


def stored(checkout: Checkout) -> list[str]:
    """The ids of the texts."""
    for number, text in enumerate(TEXTS):
        checkout.stage(f"{number}.txt", text)
    return [checkout.git("rev-parse", f":{number}.txt").strip() for number in range(len(TEXTS))]


def asked(log: Path) -> list[str]:
    return [line.split()[0] for line in log.read_text().splitlines()]


def assert_ended(log: Path) -> None:
    for line in log.read_text().splitlines():
        with pytest.raises(ProcessLookupError):
            os.kill(int(line.split()[1]), 0)


def test_one_process_gives_all_contents(project: Checkout, started: Path) -> None:
    ids = stored(project)
    with Repository.find(project.root).keeping_answers() as repository:
        assert [list(object_contents(repository, ids)) for _ in range(2)] == [TEXTS, TEXTS]
        assert blob_sizes(repository, ids[:2]) == {ids[0]: 0, ids[1]: 4}
        assert blob_sizes(repository, [ids[1], ids[2], MISSING]) == {ids[1]: 4, ids[2]: 200_000}
        assert blob_sizes(repository, ids[:3]) == {ids[0]: 0, ids[1]: 4, ids[2]: 200_000}
        assert sorted(asked(started)) == ["--batch", "--batch-check"]
    assert_ended(started)


def test_without_keeping_each_question_is_asked_anew(project: Checkout, started: Path) -> None:
    ids = stored(project)
    repository = Repository.find(project.root)
    assert [list(object_contents(repository, ids)) for _ in range(2)] == [TEXTS, TEXTS]
    assert [blob_sizes(repository, ids[:1]) for _ in range(2)] == [{ids[0]: 0}] * 2
    assert asked(started) == ["--batch"] * 2 + ["--batch-check"] * 2
    assert_ended(started)


def test_contents_that_are_read_side_by_side(project: Checkout, started: Path) -> None:
    ids = stored(project)
    with Repository.find(project.root).keeping_answers() as repository:
        pairs = zip(object_contents(repository, ids), object_contents(repository, ids[::-1]), strict=True)
        assert list(pairs) == list(zip(TEXTS, TEXTS[::-1], strict=True))
        assert asked(started).count("--batch") == 2
    assert_ended(started)


def test_one_that_owes_answers_is_not_asked_again(project: Checkout, started: Path) -> None:
    ids = stored(project)
    with Repository.find(project.root).keeping_answers() as repository:
        with closing(object_contents(repository, ids)) as some:
            assert next(some) == TEXTS[0]
        with closing(object_contents(repository, ids[1:2])) as whole:
            assert next(whole) == TEXTS[1]
        with pytest.raises(GitError, match=MISSING):
            list(object_contents(repository, [ids[0], MISSING]))
        assert list(object_contents(repository, ids)) == TEXTS
        # The first owed answers; the second, which owed none, was asked for what is missing.
        assert asked(started).count("--batch") == 3
    assert_ended(started)


def test_one_that_is_still_read_ends_with_its_reader(project: Checkout, started: Path) -> None:
    ids = stored(project)
    with Repository.find(project.root).keeping_answers() as repository:
        late = object_contents(repository, ids[:1])
        assert next(late) == TEXTS[0]
    late.close()
    assert asked(started).count("--batch") == 1
    assert_ended(started)
