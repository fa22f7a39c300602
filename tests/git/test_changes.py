"""What each mode lists, and what is left of it when paths are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.repository import Checkout, numbered
from winnow_ci.errors import ExitStatus, GitError, UsageError
from winnow_ci.git import Repository, between, everything, narrow, on_branch, read_changes, since, staged
from winnow_ci.model import Change
from winnow_ci.model.changes import ChangedFile, ChangeSet
from winnow_ci.model.findings import Scope

MIB = 2**20


def find(checkout: Checkout) -> Repository:
    return Repository.find(checkout.root)


def paths(changes: ChangeSet) -> list[str]:
    return [file.path for file in changes.files]


def added(checkout: Checkout, changes: ChangeSet) -> dict[str, list[tuple[int, int]]]:
    """The lines added, by path; fails if anything was skipped."""
    found = {}
    for file, result in read_changes(find(checkout), changes.files, MIB):
        assert isinstance(result, Change), result
        found[file.path] = [tuple(lines) for lines in result.added]
    return found


def edited(name: str) -> str:
    return numbered(name) + "one more\n"


# ---- staged ----------------------------------------------------------------------------------------------------


def test_staged_is_head_against_the_index(project: Checkout) -> None:
    project.write("a.c", edited("a.c"))
    project.write("new.c", "new\n")
    project.git("add", "a.c", "new.c")
    project.write("a.c", "not staged\n")
    project.write("b.c", "not staged\n")
    project.git("rm", "--quiet", "lib/c.c")
    changes = staged(find(project))
    head = project.git("rev-parse", "HEAD")
    assert changes.scope == Scope("staged", head, None, f"staged changes against HEAD ({head[:12]})")
    assert added(project, changes) == {"a.c": [(11, 11)], "new.c": [(1, 1)]}


def test_staged_before_the_first_commit(checkout: Checkout) -> None:
    checkout.stage("a.c", "a\nb\n")
    changes = staged(find(checkout))
    assert changes.scope == Scope("staged", None, None, "staged changes against nothing (there is no commit yet)")
    assert added(checkout, changes) == {"a.c": [(1, 2)]}


def test_a_file_that_is_only_announced_is_not_staged(project: Checkout) -> None:
    project.write("announced.c", "a\n")
    project.git("add", "--intent-to-add", "announced.c")
    assert staged(find(project)).files == ()
    assert added(project, since(find(project), "HEAD")) == {"announced.c": [(1, 1)]}


def test_conflicts_are_listed_as_such(project: Checkout) -> None:
    project.git("switch", "--quiet", "--create", "other")
    project.commit({"a.c": "theirs\n", "x.c": "x\n"})
    project.git("switch", "--quiet", "main")
    project.commit({"a.c": "ours\n"})
    with pytest.raises(AssertionError):
        project.git("merge", "--quiet", "other")
    for changes in (staged(find(project)), since(find(project), "HEAD")):
        assert [(file.path, file.kind) for file in changes.files] == [("a.c", "unmerged"), ("x.c", "file")]


# ---- since and branch ------------------------------------------------------------------------------------------


def test_since_is_the_merge_base_against_the_work_tree(project: Checkout) -> None:
    base = project.git("rev-parse", "HEAD")
    project.git("switch", "--quiet", "--create", "topic")
    project.commit({"committed.c": "a\n"})
    project.git("switch", "--quiet", "main")
    project.commit({"main-only.c": "a\n"})
    project.git("switch", "--quiet", "topic")
    project.write(".gitignore", "*.o\n")
    project.write("staged.c", "a\n")
    project.git("add", "staged.c")
    project.write("lib/c.c", edited("lib/c.c"))
    project.write("lib/untracked.c", "a\nb\n")
    project.write("ignored.o", "a\n")
    changes = since(find(project), "main")
    assert changes.scope == Scope("since", base, None, f"main ({base[:12]}) against the work tree")
    assert added(project, changes) == {
        ".gitignore": [(1, 1)],
        "committed.c": [(1, 1)],
        "lib/c.c": [(11, 11)],
        "lib/untracked.c": [(1, 2)],
        "staged.c": [(1, 1)],
    }


def test_since_names_a_branch_that_only_the_remote_has(project: Checkout, tmp_path: Path) -> None:
    base = project.git("rev-parse", "HEAD")
    project.git("switch", "--quiet", "--create", "topic")
    project.commit({"committed.c": "a\n"})
    project.git("clone", "--quiet", "--branch=topic", f"file://{project.root}", str(tmp_path / "clone"))
    clone = Checkout(tmp_path / "clone")
    assert clone.git("branch", "--format=%(refname:short)") == "topic"
    changes = since(find(clone), "main")
    assert changes.scope == Scope("since", base, None, f"origin/main ({base[:12]}) against the work tree")
    assert paths(changes) == ["committed.c"]
    clone.git("branch", "main")
    assert paths(since(find(clone), "main")) == [], "a branch of this clone comes first"


def test_since_sees_the_work_tree_not_the_index(project: Checkout) -> None:
    project.write("a.c", "staged\n")
    project.write("b.c", "staged\n")
    project.write("new.c", "staged\n")
    project.git("add", "--all")
    project.write("a.c", edited("a.c"))
    project.write("new.c", "a\nb\n")
    (project.root / "b.c").unlink()
    assert added(project, since(find(project), "HEAD")) == {"a.c": [(11, 11)], "new.c": [(1, 2)]}


def test_a_file_taken_out_of_the_index_only_is_compared_with_what_it_was(project: Checkout) -> None:
    project.git("rm", "--quiet", "--cached", "a.c")
    project.write("a.c", edited("a.c"))
    assert added(project, since(find(project), "HEAD")) == {"a.c": [(11, 11)]}


def test_a_touched_file_adds_nothing(project: Checkout) -> None:
    (project.root / "a.c").touch()
    assert set(map(tuple, added(project, since(find(project), "HEAD")).values())) <= {()}


def test_paths_are_sorted_by_their_bytes(project: Checkout) -> None:
    for path in ("é.c", "z.c", "Z.c", "lib.c", "lib/z.c"):
        project.write(path, "x\n")
    assert paths(since(find(project), "HEAD")) == ["Z.c", "lib.c", "lib/z.c", "z.c", "é.c"]


def test_a_repository_inside_is_out_of_scope(project: Checkout) -> None:
    Checkout.create(project.root / "vendor" / "inner").commit({"x.c": "x\n"})
    changes = since(find(project), "HEAD")
    assert [(file.path, file.kind) for file in changes.files] == [("vendor/inner/", "submodule")]


def test_unrelated_histories_are_compared_as_they_are(project: Checkout) -> None:
    project.git("checkout", "--quiet", "--orphan", "unrelated")
    project.commit({"a.c": edited("a.c")})
    main = project.git("rev-parse", "main")
    changes = since(find(project), "main")
    assert changes.scope.description == f"main ({main[:12]}) (no common ancestor) against the work tree"
    assert added(project, changes) == {"a.c": [(11, 11)]}


def test_the_first_of_several_merge_bases_is_taken_and_said(project: Checkout) -> None:
    tree = project.git("write-tree")
    one, other = (project.git("commit-tree", tree, "-p", "HEAD", "-m", name) for name in ("one", "other"))
    left = project.git("commit-tree", tree, "-p", one, "-p", other, "-m", "left")
    right = project.git("commit-tree", tree, "-p", other, "-p", one, "-m", "right")
    changes = between(find(project), f"{left}...{right}")
    assert changes.scope.base in {one, other}
    assert changes.scope.description.endswith(" (the first of 2 merge bases)")


def test_branch_is_since_the_default_branch(project: Checkout) -> None:
    base = project.git("rev-parse", "HEAD")
    project.git("switch", "--quiet", "--create", "topic")
    project.commit({"committed.c": "a\n"})
    project.write("untracked.c", "a\n")
    changes = on_branch(find(project))
    assert changes.scope == Scope("branch", base, None, f"main ({base[:12]}) against the work tree")
    assert paths(changes) == ["committed.c", "untracked.c"]


def test_on_the_default_branch_without_a_remote_only_uncommitted_work_counts(project: Checkout) -> None:
    project.commit({"committed.c": "a\n"})
    project.write("a.c", "dirty\n")
    assert paths(on_branch(find(project))) == ["a.c"]


def test_on_the_default_branch_what_is_not_pushed_counts(project: Checkout, tmp_path: Path) -> None:
    project.git("branch", "--move", "trunk")
    project.git("clone", "--quiet", str(project.root), str(tmp_path / "clone"))
    clone = Checkout(tmp_path / "clone")
    clone.commit({"committed.c": "a\n"})
    changes = on_branch(find(clone))
    assert paths(changes) == ["committed.c"]
    assert changes.scope.description.startswith("origin/trunk (")


@pytest.mark.parametrize("name", ["origin/main", "origin/master", "main", "master", "configured"])
def test_default_branches(project: Checkout, name: str) -> None:
    base = project.git("rev-parse", "HEAD")
    project.git("switch", "--quiet", "--create", "topic")
    project.git("branch", "--quiet", "--delete", "--force", "main")
    project.git("config", "init.defaultBranch", "configured")
    place = "remotes" if name.startswith("origin/") else "heads"
    project.git("update-ref", f"refs/{place}/{name}", base)
    project.commit({"committed.c": "a\n"})
    changes = on_branch(find(project))
    assert changes.scope.description == f"{name} ({base[:12]}) against the work tree"
    assert paths(changes) == ["committed.c"]


def test_without_a_default_branch_one_must_be_named(project: Checkout) -> None:
    project.git("branch", "--move", "topic")
    with pytest.raises(UsageError, match=r"cannot tell which branch.*\n.*--since REV"):
        on_branch(find(project))


def test_branch_before_the_first_commit_is_everything(checkout: Checkout) -> None:
    checkout.write("a.c", "a\n")
    checkout.stage("b.c", "gone from the work tree")
    changes = on_branch(find(checkout))
    assert changes.scope.base is None
    assert paths(changes) == ["a.c"]


def test_detached_head(project: Checkout) -> None:
    project.git("checkout", "--quiet", "--detach")
    project.commit({"committed.c": "a\n"})
    assert paths(on_branch(find(project))) == ["committed.c"]


# ---- between ---------------------------------------------------------------------------------------------------


def test_two_dots_compare_the_ends_and_three_start_at_the_merge_base(project: Checkout) -> None:
    base = project.git("rev-parse", "HEAD")
    project.git("switch", "--quiet", "--create", "topic")
    topic = project.commit({"topic.c": "topic\n"})
    project.git("switch", "--quiet", "main")
    main = project.commit({"main.c": "a\n", "a.c": edited("a.c")})
    project.write("b.c", "dirty\n")
    project.write("untracked.c", "a\n")
    two = between(find(project), "topic..main")
    three = between(find(project), "topic...main")
    assert two.scope == Scope("range", topic, main, f"{topic[:12]}..{main[:12]}")
    assert three.scope == Scope("range", base, main, f"{base[:12]}..{main[:12]}")
    assert added(project, two) == added(project, three) == {"a.c": [(11, 11)], "main.c": [(1, 1)]}
    assert between(find(project), "topic..") == two
    assert paths(between(find(project), "..topic")) == ["a.c", "topic.c"]


@pytest.mark.parametrize("text", ["", "..", "...", "main", "a..b..c", "a...b...c", "a....b", "a..b...c"])
def test_what_is_no_range(project: Checkout, text: str) -> None:
    with pytest.raises(UsageError, match="not a range of commits") as caught:
        between(find(project), text)
    assert caught.value.exit_status == ExitStatus.USAGE


def test_kinds_of_change(project: Checkout) -> None:
    project.git("mv", "a.c", "renamed.c")
    project.write("renamed.c", edited("a.c"))
    project.write("b.c", edited("b.c"))
    project.write("copied.c", numbered("b.c") + "two\nmore\n")
    project.git("rm", "--quiet", "lib/c.c")
    project.write("run.sh", "a\n")
    (project.root / "link").symlink_to("/etc/passwd")
    project.git("add", "--all")
    head = project.git("rev-parse", "HEAD")
    project.stage_id(b"module", head, "160000")
    project.git("commit", "--quiet", "--message", "all kinds")
    project.git("update-index", "--chmod=+x", "run.sh")
    project.git("commit", "--quiet", "--message", "mode only")
    changes = between(find(project), "HEAD~2..HEAD")
    assert [(file.path, file.kind) for file in changes.files] == [
        ("b.c", "file"),
        ("copied.c", "file"),
        ("link", "symlink"),
        ("module", "submodule"),
        ("renamed.c", "file"),
        ("run.sh", "file"),
    ]
    regular = tuple(file for file in changes.files if file.kind == "file")
    assert added(project, ChangeSet(changes.scope, regular)) == {
        "b.c": [(11, 11)],
        "copied.c": [(11, 12)],
        "renamed.c": [(11, 11)],
        "run.sh": [(1, 1)],
    }
    mode_only = between(find(project), "HEAD~1..HEAD")
    assert added(project, mode_only) == {"run.sh": []}


def test_a_link_that_becomes_a_file_is_new(project: Checkout) -> None:
    (project.root / "x.c").symlink_to("a.c")
    project.commit()
    (project.root / "x.c").unlink()
    project.commit({"x.c": "a\nb\n"})
    assert added(project, between(find(project), "HEAD~1..HEAD")) == {"x.c": [(1, 2)]}


def test_a_changed_line_ending_adds_nothing(project: Checkout) -> None:
    project.commit({"a.c": numbered("a.c").replace("\n", "\r\n")})
    assert added(project, between(find(project), "HEAD~1..HEAD")) == {"a.c": []}


# ---- everything ------------------------------------------------------------------------------------------------


def test_everything_is_tracked_and_untracked(project: Checkout) -> None:
    project.write(".git/info/exclude", "*.o\n")
    project.write("untracked.c", "a\n")
    project.write("ignored.o", "a\n")
    project.write("a.c", "dirty\n")
    changes = everything(find(project))
    assert changes.scope == Scope("all", None, None, "the whole work tree")
    assert added(project, changes) == {"a.c": [(1, 1)], "b.c": [(1, 10)], "lib/c.c": [(1, 10)], "untracked.c": [(1, 1)]}


def test_everything_of_a_bare_repository_is_head(project: Checkout, tmp_path: Path) -> None:
    project.git("clone", "--quiet", "--bare", str(project.root), str(tmp_path / "bare"))
    bare = Checkout(tmp_path / "bare")
    head = bare.git("rev-parse", "HEAD")
    changes = everything(find(bare))
    assert changes.scope == Scope("all", None, head, f"the whole of HEAD ({head[:12]})")
    assert paths(changes) == ["a.c", "b.c", "lib/c.c"]
    with pytest.raises(GitError, match="no work tree"):
        since(find(bare), "HEAD")


def test_files_left_out_of_a_sparse_checkout_are_read_from_the_index(project: Checkout) -> None:
    project.git("sparse-checkout", "set", "--no-cone", "/a.c")
    assert not (project.root / "b.c").exists()
    assert paths(everything(find(project))) == ["a.c", "b.c", "lib/c.c"]


# ---- revisions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "revision", ["", "nowhere", "--output=x", "^HEAD", "HEAD..HEAD", "HEAD:a.c", "0" * 40, "-x\x1b[2J"]
)
def test_unknown_revisions_are_named_and_run_nothing(project: Checkout, revision: str) -> None:
    with pytest.raises(GitError) as caught:
        since(find(project), revision)
    assert caught.value.exit_status == ExitStatus.CANNOT_SCAN
    shown = revision.replace("\x1b", r"\x1b") or "(empty)"
    assert caught.value.problem.startswith(f"unknown revision: {shown}")
    assert not (project.root / "x").exists()


def test_a_file_called_like_the_commit_is_no_matter(project: Checkout) -> None:
    base = project.git("rev-parse", "HEAD")
    project.write(base, "x\n")
    project.commit()
    assert paths(since(find(project), base)) == paths(between(find(project), f"{base}..HEAD")) == [base]


def test_a_shallow_clone_lacks_history(project: Checkout, tmp_path: Path) -> None:
    project.commit({"a.c": "changed\n"})
    project.git("switch", "--quiet", "--create", "topic", "HEAD~1")
    project.commit({"b.c": "changed\n"})
    project.git("symbolic-ref", "HEAD", "refs/heads/main")
    source = f"file://{project.root}"
    project.git(
        "clone", "--quiet", "--depth=1", "--no-single-branch", "--branch=topic", source, str(tmp_path / "shallow")
    )
    shallow = Checkout(tmp_path / "shallow")
    for mode in (on_branch, lambda repository: since(repository, "origin/main")):
        with pytest.raises(GitError, match=r"no common ancestor with origin/main.*\n.*--unshallow.*fetch-depth: 0"):
            mode(find(shallow))
    with pytest.raises(GitError, match=r"unknown revision: HEAD~1\n.*shallow"):
        between(find(shallow), "HEAD~1..HEAD")
    assert paths(everything(find(shallow))) == ["a.c", "b.c", "lib/c.c"]


def test_another_hash_function(tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "sha256", "--object-format=sha256")
    checkout.stage("a.c", "a\n")
    assert added(checkout, staged(find(checkout))) == {"a.c": [(1, 1)]}
    checkout.commit({"a.c": "a\n"})
    head = checkout.commit({"a.c": "a\nb\n"})
    assert len(head) == 64
    assert added(checkout, between(find(checkout), "HEAD~1..HEAD")) == {"a.c": [(2, 2)]}
    checkout.write("a.c", "a\nb\nc\n")
    assert added(checkout, since(find(checkout), "HEAD~1")) == {"a.c": [(2, 3)]}
    assert added(checkout, everything(find(checkout))) == {"a.c": [(1, 3)]}


def test_values_are_plain(project: Checkout) -> None:
    new = project.blob("x\n")
    project.stage_id(b"x.c", new, "100644")
    assert staged(find(project)).files == (ChangedFile("x.c", "file", None, new),)


# ---- narrowing -------------------------------------------------------------------------------------------------


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
