from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from winnow_ci.corpus import CorpusFile, collect, read_file
from winnow_ci.errors import CorpusError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

needs_permissions = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")


def _write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(path.encode("utf-8", "surrogateescape"))


def _paths(root: Path) -> list[str]:
    return [file.path for file in collect([root]).files]


def test_files_come_in_the_order_of_their_bytes(tmp_path: Path) -> None:
    _write(tmp_path, "b.c", "a/z.c", "a.c", "a/b/c.c", "é.c", "Z.c", ".hidden.c")
    assert _paths(tmp_path) == [".hidden.c", "Z.c", "a.c", "a/b/c.c", "a/z.c", "b.c", "é.c"]


def test_files_are_read_and_measured(tmp_path: Path) -> None:
    _write(tmp_path, "src/a.c")
    (file,) = collect([tmp_path]).files
    assert file == CorpusFile("src/a.c", tmp_path, 7)
    assert read_file(file, 7) == b"src/a.c"


def test_names_that_are_not_utf_8_keep_their_bytes(tmp_path: Path) -> None:
    try:
        _write(tmp_path, "\udcff\n.c")
    except OSError:
        pytest.skip("the file system takes no such name")
    (file,) = collect([tmp_path]).files
    assert os.fsencode(file.path) == b"\xff\n.c"
    assert read_file(file, 100) == b"\xff\n.c"


def test_other_peoples_folders_are_left_out(tmp_path: Path) -> None:
    _write(tmp_path, ".git/a.c", "x/.hg/a.c", ".svn/a", "__pycache__/a", "x/node_modules/y/a.js", ".venv/a.py")
    _write(tmp_path, "vendor/a.c", "x/.github/a.py", "git/a.c")
    assert _paths(tmp_path) == ["git/a.c", "vendor/a.c", "x/.github/a.py"]


def test_links_and_pipes_are_no_files(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _write(tmp_path, "outside/secret.c", "root/a.c")
    (root / "link.c").symlink_to(tmp_path / "outside/secret.c")
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to(root)
    (root / "broken").symlink_to("nowhere")
    os.mkfifo(root / "pipe.c")
    assert _paths(root) == ["a.c"]


def test_the_root_itself_may_be_a_link(tmp_path: Path) -> None:
    _write(tmp_path, "real/a.c")
    (tmp_path / "link").symlink_to("real")
    assert _paths(tmp_path / "link") == ["a.c"]


@pytest.mark.parametrize("swapped_for", ["link", "pipe", "folder", "nothing"])
def test_a_file_that_was_swapped_after_listing_is_not_read(tmp_path: Path, swapped_for: str) -> None:
    _write(tmp_path, "a.c", "secret")
    file = collect([tmp_path]).files[0]
    file.location.unlink()
    if swapped_for == "link":
        file.location.symlink_to("secret")
    elif swapped_for == "pipe":
        os.mkfifo(file.location)
    elif swapped_for == "folder":
        file.location.mkdir()
    with pytest.raises(CorpusError, match=r"a\.c: "):
        read_file(file, 100)


def test_a_file_that_has_grown_over_the_limit_is_an_error(tmp_path: Path) -> None:
    _write(tmp_path, "a.c")
    (file,) = collect([tmp_path]).files
    with pytest.raises(CorpusError, match="larger than 2 bytes"):
        read_file(file, 2)


@needs_permissions
def test_what_cannot_be_listed_or_read_is_an_error(tmp_path: Path) -> None:
    _write(tmp_path, "x/a.c")
    (file,) = collect([tmp_path]).files
    file.location.chmod(0)
    with pytest.raises(CorpusError, match="Permission"):
        read_file(file, 100)
    (tmp_path / "x").chmod(0)
    with pytest.raises(CorpusError, match="x: Permission"):
        collect([tmp_path])
    (tmp_path / "x").chmod(0o700)


def test_a_root_without_code_is_an_error(tmp_path: Path) -> None:
    _write(tmp_path, "a.c")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="nowhere: No such file"):
        collect([tmp_path / "nowhere"])
    with pytest.raises(UsageError, match=r"a\.c is not a folder or archive"):
        collect([tmp_path / "a.c"])
    with pytest.raises(CorpusError, match="empty has no files"):
        collect([tmp_path / "empty"])


def test_several_roots_are_one_corpus(tmp_path: Path) -> None:
    _write(tmp_path, "one/b.c", "two/a.c", "two/x/c.c")
    corpus = collect([tmp_path / "one", tmp_path / "two"])
    assert [file.path for file in corpus.files] == ["a.c", "b.c", "x/c.c"]


def test_roots_must_not_hide_each_others_files(tmp_path: Path) -> None:
    _write(tmp_path, "one/a.c", "two/a.c")
    with pytest.raises(UsageError, match="would both get the path"):
        collect([tmp_path / "one", tmp_path / "two"])
