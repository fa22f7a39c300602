"""The file of the key: made once, read only if it is one, never shown."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from winnow_ci.errors import ExitStatus, IndexKeyError, UsageError
from winnow_ci.serving.sealing import IndexKey, read_key, write_key

if TYPE_CHECKING:
    from pathlib import Path

DIGITS = "0123456789abcdef" * 4
SALT = bytes(range(16))


def key_file(path: Path, text: str = DIGITS, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def test_the_command_makes_a_key_that_only_its_owner_can_read(tmp_path: Path) -> None:
    # A permissive mask must not matter.
    before = os.umask(0)
    try:
        done = winnow("index", "key", "org.key", cwd=tmp_path)
    finally:
        os.umask(before)
    assert done.status == ExitStatus.CLEAN, done
    made = tmp_path / "org.key"
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    digits = made.read_text().strip()
    assert len(bytes.fromhex(digits)) == 32
    assert digits not in done.output + done.errors
    assert read_key({"WINNOW_CI_INDEX_KEY": str(made)}).secret == bytes.fromhex(digits)


def test_two_keys_differ(tmp_path: Path) -> None:
    for name in "ab":
        write_key(tmp_path / name)
    assert (tmp_path / "a").read_bytes() != (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("kind", ["file", "link", "broken link", "folder"])
def test_nothing_is_overwritten(tmp_path: Path, kind: str) -> None:
    place, other = tmp_path / "org.key", tmp_path / "other"
    if kind == "file":
        place.write_text("mine")
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(other)
        if kind == "link":
            other.write_text("mine")
    problem, remedy = winnow("index", "key", "org.key", cwd=tmp_path).complaint(ExitStatus.USAGE)
    assert "org.key already exists" in problem
    assert remedy == "name a new file"
    assert not other.exists() or other.read_text() == "mine"


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        write_key(tmp_path / "none" / "org.key")


def test_without_the_variable_there_is_no_key() -> None:
    with pytest.raises(IndexKeyError, match="WINNOW_CI_INDEX_KEY is not set"):
        read_key({})


@pytest.mark.parametrize(
    "text",
    ["", "abc", DIGITS[:-1], DIGITS + "0", DIGITS + "\n\n\n", DIGITS[:-1] + "g", "x" * 10_000, "é" * 32, "\n" + DIGITS],
)
def test_what_is_no_key_is_refused_and_not_shown(tmp_path: Path, text: str) -> None:
    made = key_file(tmp_path / "org.key", text)
    with pytest.raises(IndexKeyError, match="is not an index key") as caught:
        read_key({"WINNOW_CI_INDEX_KEY": str(made)})
    assert len(text) < 10 or text[:10] not in str(caught.value)


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_line_end_does_not_matter(tmp_path: Path, end: str) -> None:
    made = key_file(tmp_path / "org.key", DIGITS.upper() + end)
    assert read_key({"WINNOW_CI_INDEX_KEY": str(made)}).secret.hex() == DIGITS


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe"])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "org.key"
    if kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place, 0o600)
    with pytest.raises(IndexKeyError, match=r"org\.key"):
        read_key({"WINNOW_CI_INDEX_KEY": str(place)})


@pytest.mark.parametrize("mode", [0o604, 0o606, 0o660, 0o620, 0o601, 0o644])
def test_a_key_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    made = key_file(tmp_path / "org.key", mode=mode)
    with pytest.raises(IndexKeyError, match="others can read or change") as caught:
        read_key({"WINNOW_CI_INDEX_KEY": str(made)})
    assert caught.value.remedy == f"let only its owner read it: chmod 600 {made}"


def test_a_ci_may_keep_its_secrets_as_it_likes(tmp_path: Path) -> None:
    made = key_file(tmp_path / "org.key", mode=0o644)
    assert read_key({"WINNOW_CI_INDEX_KEY": str(made), "GITLAB_CI": "true"}).secret.hex() == DIGITS


def test_each_publication_has_keys_of_its_own(tmp_path: Path) -> None:
    one, other = IndexKey(bytes(32), tmp_path), IndexKey(b"1" * 32, tmp_path)
    made = [
        key.keys_of(root, salt)
        for key, root, salt in (
            (one, "a" * 32, SALT),
            (one, "a" * 32, SALT[::-1]),
            (one, "b" * 32, SALT),
            (other, "a" * 32, SALT),
        )
    ]
    assert len({part[:16] for keys in made for part in (keys.hashes, keys.streams, keys.seals)}) == 12
    assert one.keys_of("a" * 32, SALT) == one.keys_of("a" * 32, SALT)
    assert one.name != other.name


def test_keys_are_never_shown(tmp_path: Path) -> None:
    key = IndexKey(bytes(range(32)), tmp_path / "org.key")
    shown = repr(key) + repr(key.keys_of("ab", SALT)) + str(key)
    keys = key.keys_of("ab", SALT)
    for secret in (key.secret, keys.hashes, keys.streams, keys.seals):
        assert secret.hex() not in shown
        assert repr(secret)[2:-1] not in shown
