"""Finding the repository, and what happens when git fails."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support.repository import Checkout
from winnow_ci.errors import ExitStatus, GitError
from winnow_ci.git import Repository, everything, head_commit, staged

if TYPE_CHECKING:
    from pathlib import Path


def test_is_found_from_a_folder_below(project: Checkout) -> None:
    assert Repository.find(project.root / "lib").root == project.root


def test_head_is_that_of_the_time_when_it_was_found(project: Checkout, tmp_path: Path) -> None:
    first = project.git("rev-parse", "HEAD")
    repository = Repository.find(project.root)
    (project.root / "HEAD^{commit}").touch()
    second = project.commit({"new.c": "x\n"})
    assert (head_commit(repository), head_commit(Repository.find(project.root))) == (first, second)
    project.git("checkout", "--quiet", "--detach", first)
    assert head_commit(Repository.find(project.root)) == first
    assert head_commit(Repository.find(Checkout.create(tmp_path / "empty").root)) is None


def test_a_linked_work_tree_is_its_own(project: Checkout, tmp_path: Path) -> None:
    project.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    assert Repository.find(tmp_path / "linked").root == tmp_path / "linked"


def test_a_submodule_is_its_own(project: Checkout, tmp_path: Path) -> None:
    outer = Checkout.create(tmp_path / "outer")
    outer.git("submodule", "--quiet", "add", str(project.root), "inner")
    inner = Checkout(outer.root / "inner")
    inner.write("new.c", "x\n")
    inner.git("add", "new.c")
    repository = Repository.find(inner.root / "lib")
    assert repository.root == inner.root
    assert [file.path for file in staged(repository).files] == ["new.c"]


def test_relative_variables_are_taken_as_git_takes_them(project: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    project.git("read-tree", "--index-output=.git/other", "HEAD")
    project.stage("only-in-the-usual-index.c", "x")
    monkeypatch.setenv("GIT_DIR", "../.git")
    monkeypatch.setenv("GIT_WORK_TREE", "..")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/other")
    repository = Repository.find(project.root / "lib")
    assert repository.root == project.root
    assert staged(repository).files == ()


def test_a_bare_repository_has_no_work_tree(tmp_path: Path) -> None:
    bare = Checkout.create(tmp_path / "bare", "--bare")
    repository = Repository.find(bare.root)
    assert repository.root is None
    assert everything(repository).files == ()
    with pytest.raises(GitError, match=r"no work tree and no index.*\n.*--range A..B"):
        staged(repository)


def test_a_bare_repository_with_a_work_tree_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = Checkout.create(tmp_path / "bare", "--bare")
    monkeypatch.setenv("GIT_DIR", str(bare.root))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "tree"))
    tree = Checkout(tmp_path / "tree")
    tree.write("a.c", "a\n")
    tree.git("add", "a.c")
    assert [file.path for file in staged(Repository.find(tree.root)).files] == ["a.c"]


def test_inside_the_git_directory_there_is_no_work_tree(project: Checkout) -> None:
    assert Repository.find(project.root / ".git").root is None


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(GitError, match=r"is not in a git repository\n.*git init.*winnow-ci check") as caught:
        Repository.find(tmp_path)
    assert caught.value.exit_status == ExitStatus.CANNOT_SCAN


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="no such folder"):
        Repository.find(tmp_path / "gone")


def test_somebody_elses_repository(project: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(GitError) as caught:
        Repository.find(project.root)
    assert "dubious ownership" in caught.value.problem
    assert caught.value.remedy.endswith(f"git config --global --add safe.directory {project.root}")
    project.git("config", "--global", "safe.directory", str(project.root))
    assert Repository.find(project.root).root == project.root


def test_settings_in_the_environment_stay(project: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(project.root))
    assert Repository.find(project.root).root == project.root


def test_a_root_with_a_line_break_is_refused(tmp_path: Path) -> None:
    odd = Checkout.create(tmp_path / "two\nlines")
    with pytest.raises(GitError, match="without line breaks"):
        Repository.find(odd.root)


def test_git_is_not_installed(project: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project.root))
    with pytest.raises(GitError, match="git was not found"):
        Repository.find(project.root)


def test_git_is_not_there_any_more(project: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = Repository.find(project.root)
    monkeypatch.setenv("PATH", str(project.root))
    with pytest.raises(GitError, match="git was not found"):
        repository.run("rev-list", "HEAD")


def test_a_walk_that_fails(project: Checkout) -> None:
    with pytest.raises(GitError, match="git rev-list failed: bad revision 'absent'"):
        Repository.find(project.root).run("rev-list", "absent", "--")


def test_importing_gitpython_does_not_need_git(project: Checkout) -> None:
    program = (
        "import pathlib\nfrom winnow_ci.git.plumbing import *\nstart_git([], pathlib.Path(), {}, with_gitpython=True)"
    )
    environment = {"PATH": str(project.root), "PYTHONPATH": ":".join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert "GitError: git was not found on the PATH" in done.stderr


def test_git_cannot_be_started(project: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").write_text("no program")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(GitError, match="git cannot be started"):
        Repository.find(project.root)


def test_a_failure_carries_gits_own_words(project: Checkout) -> None:
    repository = Repository.find(project.root)
    (project.root / ".git" / "index").write_bytes(b"DIRC\x1b[31m")
    with pytest.raises(GitError, match=r"^git diff-index failed: [^\x1b\n]*index[^\x1b\n]*\n"):
        staged(repository)


def test_a_damaged_configuration_is_an_error(project: Checkout) -> None:
    project.write(".git/config", "[core\n")
    with pytest.raises(GitError, match="bad config"):
        Repository.find(project.root)
