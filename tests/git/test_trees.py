"""What commits, the index and the work tree have, changed or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from winnow_ci.errors import GitError
from winnow_ci.git import Repository, TreeEntry, absent, contents_at, entries_below, entry_at, everything, staged
from winnow_ci.git.trees import regular_files

if TYPE_CHECKING:
    from support.repository import Checkout


@pytest.fixture
def tree(project: Checkout) -> tuple[Repository, str]:
    """A commit with files in folders, an odd name, a link, a submodule and a program."""
    (project.root / "link").symlink_to("a.c")
    project.write("lib/odd\n\t.c", "odd\n")
    project.write("run", "run\n")
    (project.root / "run").chmod(0o755)
    project.git("add", "--all")
    project.stage_id(b"module", project.git("rev-parse", "HEAD"), "160000")
    project.git("commit", "--quiet", "--message", "more")
    return Repository.find(project.root), project.git("rev-parse", "HEAD")


def test_entries_below(tree: tuple[Repository, str]) -> None:
    kinds = {entry.path: entry.kind for entry in entries_below(*tree)}
    assert kinds == {
        "a.c": "file", "b.c": "file", "lib/c.c": "file", "lib/odd\n\t.c": "file", "link": "symlink",
        "module": "submodule", "run": "file",
    }  # fmt: skip


def test_only_as_many_entries_are_listed_as_are_taken(tree: tuple[Repository, str]) -> None:
    entries = entries_below(*tree)
    assert next(entries).path == "a.c"
    entries.close()


def test_of_a_tree_that_is_not_there(tree: tuple[Repository, str]) -> None:
    with pytest.raises(GitError, match="git ls-tree failed: not a tree object"):
        list(entries_below(tree[0], "1" * 40))


@pytest.mark.parametrize(("length", "is_read"), [((1 << 20) - (1 << 17), True), (2 << 20, False)])
def test_a_path_may_have_almost_a_mebibyte(project: Checkout, length: int, is_read: bool) -> None:
    blob = project.git("rev-parse", "HEAD:a.c").encode()
    name = b"n" * length
    hostile = project.git("mktree", "-z", stdin=b"100644 blob " + blob + b"\t" + name + b"\0")
    repository = Repository.find(project.root)
    if is_read:
        assert list(entries_below(repository, hostile)) == [TreeEntry(name.decode(), "file", blob.decode())]
    else:
        with pytest.raises(GitError, match="cannot be understood at b'100644 blob "):
            list(entries_below(repository, hostile))


@pytest.mark.parametrize(
    ("path", "kind"),
    [("", "folder"), ("lib", "folder"), ("a.c", "file"), ("link", "symlink"), ("module", "submodule"), ("no", None)],
)
def test_entry_at(tree: tuple[Repository, str], path: str, kind: str | None) -> None:
    found = entry_at(*tree, path)
    assert (found and found.kind, found and found.path) == (kind, path if kind else None)


def test_regular_files(tree: tuple[Repository, str]) -> None:
    assert [file.path for file in regular_files(*tree)] == ["a.c", "b.c", "lib/c.c", "lib/odd\n\t.c", "run"]
    assert [file.path for file in regular_files(*tree, "lib")] == ["lib/c.c", "lib/odd\n\t.c"]


def test_contents_at(tree: tuple[Repository, str]) -> None:
    assert list(contents_at(*tree, "run")) == [("run", b"run\n")]
    assert [path for path, _ in contents_at(*tree, "lib")] == ["lib/c.c", "lib/odd\n\t.c"]
    for nothing in ("link", "module", "no", "a.c/b"):
        assert list(contents_at(*tree, nothing)) == []


def test_absent(tree: tuple[Repository, str]) -> None:
    repository, commit = tree
    assert repository.root is not None
    (repository.root / "a.c").unlink()
    paths = ["a.c", "lib/odd\n\t.c", "no"]
    scope = everything(repository).scope
    assert absent(repository, scope, paths) == {"a.c", "no"}
    assert absent(repository, staged(repository).scope, paths) == {"no"}
    assert absent(repository, scope._replace(head=commit), paths) == {"no"}
    assert absent(repository.without_work_tree(), scope, paths) == set()
