"""What commits, the index and the work tree have, changed or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.repository import Checkout, numbered
from winnow_ci.errors import GitError
from winnow_ci.git import (
    Repository,
    TreeEntry,
    absent,
    between,
    contents_at,
    entries_below,
    entry_at,
    everything,
    files_with_lines,
    is_tracked,
    load_files,
    since,
    staged,
)
from winnow_ci.git.listing import folded, regular_files
from winnow_ci.model.changes import EarlierFile

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from winnow_ci.model.changes import ChangeSet


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
        with pytest.raises(GitError, match="unexpected output from git: b'100644 blob "):
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


# ---- names that a file system may take for one -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (".winnow.yml", ".WINNOW.YML"),
        (".winnow/index.db", ".Winnow/INDEX.db"),
        ("r\u00e9gles.json", "re\u0301gles.json"),
        ("r\u00e9gles.json", "R\u00c9GLES.JSON"),
        (".winnow.yml", ".win\u200cnow.yml"),
        (".winnow.yml", "\ufeff.winnow.yml"),
        ("stra\u00dfe.db", "STRASSE.db"),
        ("file.db", "\ufb01le.db"),
        ("sources.lock", "\u017fources.lock"),
        ("kb.db", "\u212ab.db"),
    ],
)
def test_names_that_some_file_system_takes_for_one(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@pytest.mark.parametrize("other", [".winnow.yaml", "winnow.yml", ".winnow.yml.txt", ".winnow.ym"])
def test_other_names_are_others(other: str) -> None:
    assert folded(other) != folded(".winnow.yml")


def test_what_git_tracks_under_another_spelling(checkout: Checkout) -> None:
    checkout.commit({".WINNOW.YML": "x", "Cache/Index.DB": "x"})
    repository = Repository.find(checkout.root)
    tracked = [
        name for name in (".winnow.yml", "cache", "cache/index.db", "cach", "index.db") if is_tracked(repository, name)
    ]
    assert tracked == [".winnow.yml", "cache", "cache/index.db"]


# ---- what was there before, in repositories that hide it -------------------------------------------------------

LINE = b"lib/c.c line 7"


def find(checkout: Checkout) -> Repository:
    return Repository.find(checkout.root)


def held(checkout: Checkout, *lines: bytes, names: Iterable[str] = (".c",)) -> list[str]:
    head = checkout.git("rev-parse", "HEAD")
    return [file.path for file in files_with_lines(find(checkout), head, lines or (LINE,), names)]


def test_lines_are_taken_as_they_are(project: Checkout) -> None:
    project.commit({"x.c": "a.*b\n--help\n-e\n", "y.c": "axxb\n\\(\xff\n".encode("latin-1"), "z.c": "A.*B\n"})
    assert held(project) == ["lib/c.c"]
    assert held(project, b"line 7") == ["a.c", "b.c", "lib/c.c"]
    assert held(project, b"a.*b") == ["x.c"]
    assert held(project, b"--help") == held(project, b"-e") == ["x.c"]
    assert held(project, b"\\(\xff") == ["y.c"]
    assert held(project, b"nowhere", b"a.c line 1") == ["a.c"]
    assert held(project, b"nowhere") == []


def test_only_files_of_these_names_are_read(project: Checkout) -> None:
    text = numbered("lib/c.c")
    project.commit(dict.fromkeys(("UP.C", "x.h", "c", "d/.c", "d/x.cc", "Make*", "Makefile", "d/[a]"), text))
    assert held(project) == ["UP.C", "d/.c", "lib/c.c"]
    assert held(project, names=[".h", ".cc"]) == ["d/x.cc", "x.h"]
    assert held(project, names=["Make*"]) == ["Make*"]
    assert held(project, names=["[a]", "c"]) == ["c", "d/[a]"]


def test_many_files_of_long_names_are_found(project: Checkout) -> None:
    names = [f"{'long ' * 40}{number:03}.c" for number in range(150)]
    project.commit({name: f"{LINE.decode()}\n{number}\n" for number, name in enumerate(names)})
    found = files_with_lines(find(project), project.git("rev-parse", "HEAD"), [LINE], [".c"])
    assert [file.path for file in found] == ["lib/c.c", *names]
    texts = dict(load_files(find(project), found, 1 << 20))
    assert [texts[name] for name in names] == [b"%b\n%d\n" % (LINE, number) for number in range(150)]


def test_links_are_no_files(project: Checkout) -> None:
    project.stage("link.c", LINE, mode="120000")
    project.git("commit", "--quiet", "--message", "link")
    assert held(project) == ["lib/c.c"]


def test_it_is_the_commit_that_is_read(project: Checkout) -> None:
    head = project.git("rev-parse", "HEAD")
    project.write("lib/c.c", "")
    project.write("new.c", LINE)
    project.git("add", "--all")
    assert held(project) == ["lib/c.c"]
    project.git("replace", project.git("rev-parse", "HEAD:a.c"), project.blob(LINE))
    assert [file.path for file in files_with_lines(find(project), head, [LINE], [".c"])] == ["lib/c.c"]
    bare = Checkout(project.root.parent / "bare")
    project.git("clone", "--quiet", "--bare", ".", str(bare.root))
    assert held(bare) == ["lib/c.c"]


def test_settings_and_attributes_have_no_say(project: Checkout, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {canary}\necho nothing\n")
    program.chmod(0o755)
    inner = Checkout.create(project.root / "inner")
    inner.commit({"x.c": LINE})
    project.commit({".gitattributes": "*.c binary -text diff=blind filter=blind\n"})
    for setting in (
        *("grep.patternType=perl", "grep.extendedRegexp=true", "grep.lineNumber=true", "grep.column=true"),
        *("grep.fullName=true", "grep.threads=100000", "grep.fallbackToNoIndex=true", "color.grep=always"),
        *("color.ui=always", "submodule.recurse=true", "core.ignoreCase=true", "diff.blind.binary=true"),
        *(
            f"diff.blind.textconv={program}",
            f"diff.external={program}",
            f"core.pager={program}",
            f"pager.grep={program}",
        ),
        *(
            f"filter.blind.smudge={program}",
            f"alias.grep=!{program}",
            f"core.fsmonitor={program}",
            "core.quotePath=true",
        ),
        *("diff.renames=copies", "diff.noprefix=true", "core.abbrev=4"),
    ):
        key, _, value = setting.partition("=")
        project.git("config", key, value)
    assert held(project, b"lib/c.c line 7", b"(") == ["lib/c.c"]
    project.write("lib/c.c", "")
    assert [file.path for file in since(find(project), "HEAD").replaced] == ["lib/c.c"]
    assert not canary.exists()


def test_what_a_change_replaces(project: Checkout) -> None:
    base = project.git("rev-parse", "HEAD")
    olds = {path: project.git("rev-parse", f"HEAD:{path}") for path in ("a.c", "b.c", "lib/c.c")}
    project.git("rm", "--quiet", "a.c")
    project.git("mv", "b.c", "moved.c")
    project.write("lib/c.c", "x\n")
    project.write("new.c", "x\n")

    def paths(changes: ChangeSet) -> list[str]:
        found = changes.replaced
        assert all(file.content == olds[file.path] for file in found)
        return [file.path for file in found]

    assert paths(since(find(project), "HEAD")) == ["a.c", "b.c", "lib/c.c"]
    assert paths(staged(find(project))) == ["a.c", "b.c"]
    assert paths(everything(find(project))) == []
    head = project.commit()
    assert paths(between(find(project), f"{base}..{head}")) == ["a.c", "b.c", "lib/c.c"]


def test_no_more_is_loaded_than_allowed(project: Checkout) -> None:
    head = project.git("rev-parse", "HEAD")
    files = files_with_lines(find(project), head, [b"line 7"], [".c"])
    size = len(numbered("a.c"))
    assert list(load_files(find(project), [*files, *files], 1000)) == [
        (file.path, numbered(file.path).encode()) for file in files
    ]
    assert [path for path, _ in load_files(find(project), files, 2 * size)] == ["a.c", "b.c"]
    assert [path for path, _ in load_files(find(project), [EarlierFile("gone.c", "1" * 40), *files], size)] == ["a.c"]
    assert list(load_files(find(project), [], 1000)) == []


@pytest.mark.parametrize("filtered", ["blob:none", "blob:limit=1"])
def test_in_a_partial_clone_nothing_is_fetched(project: Checkout, tmp_path: Path, filtered: str) -> None:
    project.git("config", "uploadpack.allowFilter", "true")
    clone = Checkout(tmp_path / "clone")
    url = f"file://{project.root}"
    project.git("clone", "--quiet", "--no-checkout", f"--filter={filtered}", url, str(clone.root))
    objects = {path.name for path in (clone.root / ".git/objects").rglob("*")}
    assert held(clone) == []
    assert {path.name for path in (clone.root / ".git/objects").rglob("*")} == objects
