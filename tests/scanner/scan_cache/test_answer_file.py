"""The file of answers: what goes in comes out, and there is never too much of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from winnow_ci.scanner.scan_cache import answer_file
from winnow_ci.scanner.scan_cache.answer_file import FOLDER, AnswerFile, secret

if TYPE_CHECKING:
    from pathlib import Path

SECRET = b"s" * 32


def answers(first: int, count: int) -> dict[bytes, int]:
    return {number.to_bytes(16, "big"): number for number in range(first, first + count)}


def test_answers_add_up(tmp_path: Path) -> None:
    for first in (0, 5):
        AnswerFile(tmp_path, b"question", SECRET).save(answers(first, 10))
    assert AnswerFile(tmp_path, b"question", SECRET).load() == answers(0, 15)
    assert AnswerFile(tmp_path, b"another", SECRET).load() == {}
    (written,) = (tmp_path / FOLDER).iterdir()
    assert written.stat().st_mode & 0o777 == 0o600


def test_to_ask_leaves_nothing(tmp_path: Path) -> None:
    file = AnswerFile(tmp_path, b"question", SECRET)
    file.touch()
    assert file.load() == {}
    assert [*tmp_path.iterdir()] == []


def test_the_file_of_one_question_is_none_of_another(tmp_path: Path) -> None:
    AnswerFile(tmp_path, b"question", SECRET).save(answers(0, 10))
    (file,) = (tmp_path / FOLDER).iterdir()
    AnswerFile(tmp_path, b"another", SECRET).save(answers(20, 1))
    (other,) = (path for path in (tmp_path / FOLDER).iterdir() if path != file)
    other.write_bytes(file.read_bytes())
    assert AnswerFile(tmp_path, b"another", SECRET).load() == {}


def test_old_answers_go_where_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # To write and read a million takes seconds.
    assert answer_file.MOST_ANSWERS == 1 << 20
    monkeypatch.setattr(answer_file, "MOST_ANSWERS", 12)
    AnswerFile(tmp_path, b"question", SECRET).save(answers(0, 10))
    AnswerFile(tmp_path, b"question", SECRET).save(answers(100, 5))
    assert AnswerFile(tmp_path, b"question", SECRET).load() == answers(100, 5)
    AnswerFile(tmp_path, b"question", SECRET).save(answers(200, 50))
    assert AnswerFile(tmp_path, b"question", SECRET).load() == answers(200, 12)


def test_what_was_of_no_use_for_longest_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_file, "MOST_BYTES", 3 * (32 + 20 * 10))
    files = [AnswerFile(tmp_path, b"%d" % number, SECRET) for number in range(4)]
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "notes.txt").write_text("mine")
    for file in files[:3]:
        before = set((tmp_path / FOLDER).iterdir())
        file.save(answers(0, 10))
        (new,) = set((tmp_path / FOLDER).iterdir()) - before
        os.utime(new, (1_000, 1_000))
    files[0].touch()
    files[3].save(answers(0, 10))
    assert [len(file.load()) for file in files].count(10) == 3
    assert files[0].load()
    assert (tmp_path / FOLDER / "notes.txt").exists()


@pytest.mark.parametrize(("too_many", "files"), [(0, 2), (1, 1)])
def test_files_of_64_mib_are_kept(tmp_path: Path, too_many: int, files: int) -> None:
    AnswerFile(tmp_path, b"old", SECRET).save(answers(0, 1))
    (old,) = (tmp_path / FOLDER).iterdir()
    # As it is written with ten answers, the other one has 32 + 20 * 10 bytes.
    os.truncate(old, (64 << 20) - 232 + too_many)
    AnswerFile(tmp_path, b"question", SECRET).save(answers(0, 10))
    assert len([*(tmp_path / FOLDER).iterdir()]) == files


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    AnswerFile(tmp_path, b"question", SECRET).save(answers(0, 10))
    (file,) = (tmp_path / FOLDER).iterdir()
    with file.open("r+b") as stream:
        stream.truncate((64 << 20) + 1)
    assert AnswerFile(tmp_path, b"question", SECRET).load() == {}


def test_a_pipe_in_its_place_is_not_waited_for(tmp_path: Path) -> None:
    AnswerFile(tmp_path, b"question", SECRET).save(answers(0, 10))
    (file,) = (tmp_path / FOLDER).iterdir()
    file.unlink()
    os.mkfifo(file)
    assert AnswerFile(tmp_path, b"question", SECRET).load() == {}


# ---- the user's secret ------------------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the secret is kept."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "winnow-ci" / "secret"


@pytest.mark.parametrize("has_folder", [False, True])
def test_it_is_made_once(place: Path, has_folder: bool) -> None:
    if has_folder:
        place.parent.mkdir()
    made = secret()
    assert made is not None
    assert (len(made), place.read_bytes(), secret()) == (32, made, made)
    assert [path.name for path in place.parent.iterdir()] == ["secret"]
    assert place.stat().st_mode & 0o777 == 0o600
    assert has_folder or place.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(("length", "is_one"), [(31, False), (32, True), (33, False), (0, False)])
def test_it_has_32_bytes(place: Path, length: int, is_one: bool) -> None:
    place.parent.mkdir()
    place.write_bytes(b"s" * length)
    place.chmod(0o600)
    assert secret() == (b"s" * 32 if is_one else None)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
def test_what_others_may_read_or_write_is_none(place: Path, mode: int) -> None:
    assert secret() is not None
    place.chmod(mode)
    assert secret() is None


def test_a_link_is_none(place: Path, tmp_path: Path) -> None:
    assert secret() is not None
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    assert secret() is None
