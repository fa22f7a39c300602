"""What git lists is taken as a stream, and bounded before git has walked all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.bombs import FAN, commit_of, tree_of_trees
from winnow_ci.errors import GitError
from winnow_ci.git import Repository, between, listing, plumbing
from winnow_ci.git.listing import DEEPEST_TREE, RawEntry, differs_in_more, list_differences, list_records

if TYPE_CHECKING:
    from support.repository import Checkout


@pytest.fixture
def repository(project: Checkout) -> Repository:
    return Repository.find(project.root)


def paths_of(levels: int) -> int:
    """Paths of a tree of trees, its folders among them."""
    return sum(FAN**level for level in range(1, levels + 1))


@pytest.mark.parametrize("has_leaf", [True, False])
def test_paths_are_counted_without_being_walked(project: Checkout, repository: Repository, has_leaf: bool) -> None:
    leaf = project.git("rev-parse", "HEAD:a.c") if has_leaf else None
    tree = tree_of_trees(project, leaf, 12)
    assert not differs_in_more(repository, None, tree, paths_of(12))
    assert differs_in_more(repository, None, tree, paths_of(12) - 1)


def test_what_both_have_does_not_count(project: Checkout, repository: Repository) -> None:
    blob = project.git("rev-parse", "HEAD:a.c")
    same, other = tree_of_trees(project, blob, 12), tree_of_trees(project, None, 1)
    entries = f"040000 tree {same}\tsame\n100644 blob {blob}\t{{}}\n040000 tree {other}\tz\n"
    one, two = (project.git("mktree", stdin=entries.format(name).encode()) for name in ("one", "two"))
    assert not differs_in_more(repository, one, two, 2)
    assert differs_in_more(repository, one, two, 1)
    assert not differs_in_more(repository, one, one, 0)


def test_a_folder_in_place_of_a_file(project: Checkout, repository: Repository) -> None:
    blob = project.git("rev-parse", "HEAD:a.c")
    file = project.git("mktree", stdin=f"100644 blob {blob}\tx\n".encode())
    folder = project.git("mktree", stdin=f"040000 tree {file}\tx\n".encode())
    for old, new in ((file, folder), (folder, file)):
        assert differs_in_more(repository, old, new, 1)
        assert not differs_in_more(repository, old, new, 2)


def test_commits_stand_for_their_trees(project: Checkout, repository: Repository) -> None:
    first = project.git("rev-parse", "HEAD")
    second = project.commit({"lib/new.c": "x\n"})
    assert not differs_in_more(repository, first, second, 2)
    assert differs_in_more(repository, first, second, 1)


def test_folders_nested_too_deep(project: Checkout, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    assert DEEPEST_TREE == 2048
    monkeypatch.setattr("winnow_ci.git.listing.DEEPEST_TREE", 3)
    tree = project.git("rev-parse", "HEAD:lib")
    for _ in range(2):
        tree = project.git("mktree", stdin=f"040000 tree {tree}\tx\n".encode())
    assert not differs_in_more(repository, None, tree, 100)
    tree = project.git("mktree", stdin=f"040000 tree {tree}\tx\n".encode())
    assert differs_in_more(repository, None, tree, 100)


def test_a_bomb_is_found_before_git_has_walked_it(project: Checkout, repository: Repository) -> None:
    bomb = commit_of(project, tree_of_trees(project, None, 12), "HEAD")
    with pytest.raises(GitError, match=rf"{bomb[:12]} differ in more than 5,000,000 paths") as raised:
        between(repository, f"main..{bomb}")
    assert f"`git ls-tree {bomb[:12]}`" in raised.value.remedy


def test_a_list_that_is_too_long(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    assert listing.MOST_PATHS == 5_000_000
    monkeypatch.setattr(listing, "MOST_PATHS", 1)
    with pytest.raises(GitError, match="git lists more than 1 paths"):
        list(list_records(repository, "ls-files", "-z"))


def test_a_list_that_takes_many_bytes(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MOST_GIT_OUTPUT", 8)
    with pytest.raises(GitError, match="git printed more than 1 GiB"):
        list(list_records(repository, "ls-files", "-z"))


def test_a_list_that_ends_within_a_record(repository: Repository) -> None:
    with pytest.raises(GitError, match="unexpected output from git: b'"):
        list(list_records(repository, "rev-parse", "HEAD"))


def test_a_command_that_does_not_end(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    assert plumbing.SECONDS == listing.SECONDS == 600
    monkeypatch.setattr(plumbing, "SECONDS", 0.0)
    with pytest.raises(GitError, match="git did not finish within 0 minutes"):
        repository.run("rev-parse", "HEAD")


# ---- the raw format of differences -----------------------------------------------------------------------------

A, B, ZERO = b"a" * 40, b"b" * 40, b"0" * 40


def header(status: bytes, old: bytes = b"100644", new: bytes = b"100644") -> bytes:
    return b":" + old + b" " + new + b" " + A + b" " + B + b" " + status + b"\0"


def records(output: bytes) -> list[bytes]:
    *fields, rest = output.split(b"\0")
    assert not rest
    return fields


def test_entries() -> None:
    output = header(b"M") + b"a\nb\0" + header(b"R090") + b":old\0new\xff\0" + header(b"T", b"120000") + b"link\0"
    assert list(list_differences(records(output))) == [
        RawEntry("a\nb", "M", "file", "a" * 40, "b" * 40),
        RawEntry("new\udcff", "R", "file", "a" * 40, "b" * 40, ":old"),
        RawEntry("link", "T", "file", None, "b" * 40),
    ]


def test_zeros_are_no_object() -> None:
    output = b":000000 100644 " + ZERO + b" " + ZERO + b" A\0x\0"
    assert list(list_differences(records(output))) == [RawEntry("x", "A", "file", None, None)]


def test_nothing() -> None:
    assert list(list_differences([])) == []


@pytest.mark.parametrize(
    "output",
    [
        header(b"M"),
        header(b"M") + b"\0",
        header(b"R100") + b"only one\0",
        header(b"X") + b"path\0",
        header(b"M", new=b"040000") + b"path\0",
        b"\0" + header(b"M") + b"path\0",
        b"warning: something\0",
        header(b"M")[:60] + b"\0path\0",
    ],
)
def test_anything_else_is_an_error(output: bytes) -> None:
    with pytest.raises(GitError, match="unexpected output from git"):
        list(list_differences(records(output)))
