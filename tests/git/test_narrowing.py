"""Naming paths on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from winnow_ci.errors import UsageError
from winnow_ci.git import Repository, between, everything, narrow

if TYPE_CHECKING:
    from support.repository import Checkout

FILES = (":odd.c", "*.c", "a.c", "b.c", "lib/c.c", "lib/deep/d.c", "library.c")


@pytest.fixture
def tree(project: Checkout, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    for path in FILES:
        project.write(path, f"{path}\n")
    project.git("add", "--all")
    monkeypatch.chdir(project.root)
    return project


def kept(checkout: Checkout, *paths: str) -> list[str]:
    repository = Repository.find(Path.cwd() if checkout.root in (Path.cwd(), *Path.cwd().parents) else checkout.root)
    return [file.path for file in narrow(repository, everything(repository), paths).files]


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ((), sorted(FILES)),
        ((".",), sorted(FILES)),
        (("",), sorted(FILES)),
        (("lib",), ["lib/c.c", "lib/deep/d.c"]),
        (("lib/",), ["lib/c.c", "lib/deep/d.c"]),
        (("./lib/../a.c", "lib/deep"), ["a.c", "lib/deep/d.c"]),
        (("*.c",), ["*.c"]),
        ((":odd.c",), [":odd.c"]),
        ((".git",), []),
    ],
)
def test_paths_are_literal_files_and_folders(tree: Checkout, paths: tuple[str, ...], expected: list[str]) -> None:
    assert kept(tree, *paths) == expected


def test_the_scope_says_so(tree: Checkout) -> None:
    repository = Repository.find(tree.root)
    changes = narrow(repository, everything(repository), ["lib", "./a.c"])
    assert changes.scope.description == "the whole work tree, only a.c, lib"


def test_many_paths_are_only_counted(tree: Checkout) -> None:
    repository = Repository.find(tree.root)
    changes = narrow(repository, everything(repository), FILES[:5])
    assert changes.scope.description == "the whole work tree, only *.c, :odd.c, a.c, b.c, lib/c.c"
    changes = narrow(repository, everything(repository), FILES[:6])
    assert changes.scope.description == "the whole work tree, only 6 of its paths"


def test_paths_are_relative_to_the_current_directory(tree: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.root / "lib")
    assert kept(tree, "deep", "../a.c", str(tree.root / "b.c")) == ["a.c", "b.c", "lib/deep/d.c"]
    assert kept(tree, ".") == ["lib/c.c", "lib/deep/d.c"]


def test_links_on_the_way_are_followed_and_at_the_end_are_not(
    tree: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "way").symlink_to(tree.root)
    (tree.root / "link").symlink_to("lib")
    monkeypatch.chdir(tmp_path / "way")
    assert kept(tree, "lib/c.c", str(tmp_path / "way" / "a.c")) == ["a.c", "lib/c.c"]
    assert kept(tree, "link") == ["link"]
    assert kept(tree, "link/c.c") == ["lib/c.c"]


@pytest.mark.parametrize("path", ["typo.c", "lib/typo.c", "a.c/below", "LIB\x1b"])
def test_a_path_that_is_nowhere_is_a_mistake(tree: Checkout, path: str) -> None:
    with pytest.raises(UsageError) as caught:
        kept(tree, path)
    assert caught.value.problem == "no such file or folder: " + path.replace("\x1b", r"\x1b")


@pytest.mark.parametrize("path", ["..", "../other", "/", "/etc/passwd", "lib/../../x"])
def test_a_path_outside_is_a_mistake(tree: Checkout, path: str) -> None:
    with pytest.raises(UsageError, match="not in the repository"):
        kept(tree, path)


def test_a_path_may_be_in_the_index_or_a_commit_only(tree: Checkout) -> None:
    tree.commit()
    tree.git("rm", "--quiet", "-r", "lib", "a.c")
    (tree.root / "b.c").unlink()
    assert kept(tree, "lib", "lib/c.c", "a.c", "b.c") == []
    tree.commit()
    head = tree.commit()
    repository = Repository.find(tree.root)
    assert narrow(repository, between(repository, f"HEAD~2..{head}"), ["lib/deep"]).files == ()
    with pytest.raises(UsageError):
        kept(tree, "lib/deep")


def test_in_a_bare_repository_paths_start_at_the_root(tree: Checkout, tmp_path: Path) -> None:
    tree.commit()
    tree.git("clone", "--quiet", "--bare", str(tree.root), str(tmp_path / "bare"))
    repository = Repository.find(tmp_path / "bare")
    assert [file.path for file in narrow(repository, everything(repository), ["lib", "a.c"]).files] == [
        "a.c",
        "lib/c.c",
        "lib/deep/d.c",
    ]
    with pytest.raises(UsageError, match="no such file"):
        narrow(repository, everything(repository), ["typo"])
