"""Repositories made to hide something from us, or to make git run a program for us."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from support.repository import Checkout, numbered
from winnow_ci.errors import GitError
from winnow_ci.git import Repository, between, everything, narrow, on_branch, read_changes, since, staged, unsent
from winnow_ci.model import Change

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from winnow_ci.model.changes import ChangeSet

NAMES = [
    b'new\nline.c', b'tab\t.c', b'quote".c', b'back\\slash.c', b"'.c", b' lead.c', b'trail.c ', b':colon.c',
    b':(top)x.c', b':/x.c', b':!x.c', b'-dash.c', b'--output=x', b'--.c', b'*.c', b'[a].c', b'?.c', b'~.c',
    b'$(touch x).c', b'`x`.c', b'a;b.c', b'a|b.c', b'a&b.c', b'a>b.c', b'::error::x', b'::error file=a.c::x',
    b'%0A.c', b'\x1b[31m.c', b'\x07.c', b'\x7f.c', b'\r.c', b'\xff\xfe.c', b'\xc3(.c', b'\xed\xa0\x80.c',
    b'\xc3\xa9.c', b'e\xcc\x81.c', b'\xe2\x80\xae.c', b'\xe2\x80\xa8.c', b'\xf0\x9f\x98\x80.c', b'con.c', b'NUL',
    b'aux.h', b'a:b.c', b'end.', b'#.c', b'!x.c', b'{a,b}.c', b'=x.c', b'@.c', b'HEAD', b'\\\\host\\x.c',
    b"x" * 255, b"d/" * 60 + b"x.c", b'd \n/x.c', b':100644 100644 a b M',
]  # fmt: skip


def find(checkout: Checkout) -> Repository:
    return Repository.find(checkout.root)


def names(changes: ChangeSet) -> list[bytes]:
    return [file.path.encode("utf-8", "surrogateescape") for file in changes.files]


def contents(checkout: Checkout, changes: ChangeSet) -> dict[str, bytes]:
    found = read_changes(find(checkout), changes.files, 2**20)
    return {file.path: result.content for file, result in found if isinstance(result, Change)}


def test_no_name_hides_a_file(checkout: Checkout) -> None:
    checkout.commit()
    blob = checkout.blob("copied\n")
    rows = b"".join(b"100644 " + blob.encode() + b"\t" + name + b"\0" for name in [*NAMES, b"plain.c"])
    checkout.git("update-index", "-z", "--index-info", stdin=rows)
    in_index = staged(find(checkout))
    assert names(in_index) == sorted([*NAMES, b"plain.c"])
    checkout.git("commit", "--quiet", "--message", "odd names")
    assert names(between(find(checkout), "HEAD~1..")) == names(in_index)
    assert set(contents(checkout, in_index).values()) == {b"copied\n"}


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS refuses names that are not UTF-8")
def test_no_name_hides_a_file_of_the_work_tree(checkout: Checkout) -> None:
    checkout.commit()
    for name in NAMES:
        checkout.write(os.fsdecode(name), name)
    changes = since(find(checkout), "HEAD")
    assert names(changes) == sorted(NAMES)
    assert sorted(contents(checkout, changes).values()) == sorted(NAMES)
    checkout.git("add", "--all")
    assert names(since(find(checkout), "HEAD")) == sorted(NAMES)


def test_a_name_can_be_given_as_a_path(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        checkout.stage(name, "x\n")
    monkeypatch.chdir(checkout.root)
    repository = find(checkout)
    changes = staged(repository)
    for name in (b":(top)x.c", b"--output=x", b"\xff\xfe.c", b"*.c", b"new\nline.c"):
        assert names(narrow(repository, changes, [os.fsdecode(name)])) == [name]


def test_attributes_do_not_blind_us(project: Checkout) -> None:
    project.commit(
        {".gitattributes": "*.c binary -diff filter=x ident eol=crlf linguist-generated\n", "new.c": "copied\n"}
    )
    assert contents(project, between(find(project), "HEAD~1.."))["new.c"] == b"copied\n"


def test_diff_settings_do_not_blind_us(project: Checkout) -> None:
    for setting in (
        "diff.relative=true",
        "diff.ignoreSubmodules=all",
        "diff.renames=copies",
        "diff.noprefix=true",
        "diff.context=0",
        "core.quotePath=true",
        "core.abbrev=4",
        "color.ui=always",
        "status.showUntrackedFiles=no",
        "submodule.recurse=true",
        "core.ignoreStat=true",
    ):
        project.git("config", *setting.split("="))
    head = project.git("rev-parse", "HEAD")
    project.write(".gitmodules", '[submodule "m"]\n\tpath = m\n\turl = ./m\n\tignore = all\n')
    project.git("add", ".gitmodules")
    project.stage_id(b"m", head, "160000")
    project.write("lib/new.c", "x\n")
    project.git("add", "lib/new.c")
    project.git("commit", "--quiet", "--message", "x")
    project.write("untracked.c", "x\n")
    below = Repository.find(project.root / "lib")
    assert names(between(below, "HEAD~1..HEAD")) == [b".gitmodules", b"lib/new.c", b"m"]
    assert b"untracked.c" in names(since(below, "HEAD"))


def test_replacements_do_not_fool_us(project: Checkout) -> None:
    head = project.commit({"new.c": "copied\n"})
    project.git("replace", project.git("rev-parse", "HEAD:new.c"), project.blob("innocent\n"))
    project.git("replace", head, project.git("rev-parse", "HEAD~1"))
    assert contents(project, between(find(project), "HEAD~1..HEAD")) == {"new.c": b"copied\n"}


def test_a_link_to_a_secret_is_not_read(project: Checkout, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret\n")
    (project.root / "x.c").symlink_to(secret)
    shutil.rmtree(project.root / "lib")
    (project.root / "lib").symlink_to(tmp_path)
    for changes in (since(find(project), "HEAD"), everything(find(project))):
        assert b"secret\n" not in contents(project, changes).values()


def test_a_tree_with_a_name_twice_is_refused(project: Checkout) -> None:
    row = b"100644 twice.c\0"
    tree = row + bytes.fromhex(project.blob("innocent\n")) + row + bytes.fromhex(project.blob("copied\n"))
    damaged = project.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=tree)
    head = project.git("commit-tree", damaged, "-p", "HEAD", "-m", "twice")
    with pytest.raises(GitError, match=r"twice\.c twice"):
        between(find(project), f"HEAD..{head}")


# ---- programs that must not run --------------------------------------------------------------------------------


class Trap:
    """A repository in which every program that configuration can name would leave a file behind."""

    def __init__(self, checkout: Checkout, folder: Path) -> None:
        self.checkout, self.sprung = checkout, folder / "sprung"
        self.sprung.mkdir()
        self.program = folder / "canary"
        self.program.write_text(f'#!/bin/sh\ntouch {shlex.quote(str(self.sprung))}/"${{1:-hook}}"\n', newline="\n")
        self.program.chmod(0o755)

    def command(self, name: str) -> str:
        return f"{self.program} {name}"

    def set(self, key: str, value: str | None = None) -> None:
        self.checkout.git("config", key, value or self.command(key.replace("/", "_")))

    def run(self) -> list[str]:
        """Names of the programs that ran so far; forgets them."""
        found = sorted(path.name for path in self.sprung.iterdir())
        for name in found:
            (self.sprung / name).unlink()
        return found

    def arm(self) -> None:
        """Name the programs in the configuration; from here on git itself would run them."""
        for key in ("fsmonitor", "sshCommand", "pager", "editor", "askPass", "gitProxy"):
            self.set(f"core.{key}")
        for key in ("diff.external", "gpg.program", "credential.helper", "diff.plain.textconv", "diff.plain.command"):
            self.set(key)
        for command in ("diff-index", "diff-files", "diff-tree", "cat-file", "ls-files", "rev-parse", "config"):
            self.set(f"pager.{command}")
            self.set(f"alias.{command}", f"!{self.command('alias')}")
        for driver in DRIVERS:
            self.set(f"filter.{driver}.clean")
            self.set(f"filter.{driver}.smudge")
            self.set(f"filter.{driver}.required", "true")
        self.set("filter.pro=cess.process")
        hooks = self.sprung.parent / "hooks"
        hooks.mkdir()
        for hook in ("post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"):
            (hooks / hook).symlink_to(self.program)
        self.set("core.hooksPath", str(hooks))
        self.set("log.showSignature", "true")


DRIVERS = ("plain", "odd=name", "dotted.name", "UPPER case", "pro=cess")
FILTERED = {"a.c": "plain", "b.c": "odd=name", "lib/c.c": "dotted.name", "d.c": "pro=cess"}


@pytest.fixture
def trap(project: Checkout, tmp_path: Path) -> Trap:
    attributes = "".join(f"{path} filter={driver} diff={driver}\n" for path, driver in FILTERED.items())
    project.commit({".gitattributes": attributes, "d.c": numbered("d.c")})
    return Trap(project, tmp_path)


def make_racily_clean(checkout: Checkout, *paths: str) -> None:
    """Make the index as old as the files, so that git must read them to know that they have not changed."""
    when = (1_700_000_000, 1_700_000_000)
    for path in paths:
        os.utime(checkout.root / path, when)
    checkout.git("update-index", "--refresh")
    os.utime(checkout.root / ".git" / "index", when)


def run_all(checkout: Checkout) -> None:
    repository = Repository.find(checkout.root)
    modes: list[Callable[[Repository], ChangeSet]] = [
        staged,
        on_branch,
        everything,
        lambda repository: since(repository, "HEAD~1"),
        lambda repository: between(repository, "HEAD~1..HEAD"),
        lambda repository: between(repository, "HEAD~1...HEAD"),
        lambda repository: unsent(repository, "HEAD", "origin"),
    ]
    for mode in modes:
        changes = narrow(repository, mode(repository), [str(checkout.root)])
        list(read_changes(repository, changes.files, 2**20))


def test_the_trap_works(trap: Trap) -> None:
    make_racily_clean(trap.checkout, *FILTERED)
    trap.arm()
    with pytest.raises(AssertionError):
        trap.checkout.git("diff-files")  # the programs are no proper filters
    assert {"core.fsmonitor", "filter.plain.clean"} <= set(trap.run())


def test_no_program_runs_in_a_racily_clean_work_tree(trap: Trap) -> None:
    make_racily_clean(trap.checkout, *FILTERED)
    trap.arm()
    run_all(trap.checkout)
    assert trap.run() == []


def test_no_program_runs_in_a_dirty_work_tree(trap: Trap) -> None:
    checkout = trap.checkout
    for path in ("a.c", "b.c", "lib/c.c", "d.c"):
        checkout.write(path, numbered(path) + "dirty\n")
    checkout.write("untracked.c", "x\n")
    (checkout.root / "a.c").rename(checkout.root / "moved.c")
    trap.arm()
    run_all(checkout)
    assert trap.run() == []


def test_no_program_runs_in_a_submodule(trap: Trap) -> None:
    inner = Checkout.create(trap.checkout.root / "inner")
    inner.commit({"x.c": "x\n", ".gitattributes": "*.c filter=inner\n"})
    trap.checkout.stage_id(b"inner", inner.git("rev-parse", "HEAD"), "160000")
    trap.checkout.git("config", "diff.ignoreSubmodules", "none")
    make_racily_clean(inner, "x.c")
    inner.git("config", "core.fsmonitor", trap.command("inner.fsmonitor"))
    inner.git("config", "filter.inner.clean", trap.command("inner.clean"))
    trap.arm()
    run_all(trap.checkout)
    assert trap.run() == []


def test_a_missing_object_is_not_fetched(trap: Trap) -> None:
    checkout = trap.checkout
    checkout.commit({"new.c": "x\n"})
    new = checkout.git("rev-parse", "HEAD:new.c")
    path = checkout.root / ".git" / "objects" / new[:2] / new[2:]
    path.chmod(0o600)  # Windows removes nothing that is read-only
    path.unlink()
    checkout.git("config", "core.repositoryFormatVersion", "1")
    checkout.git("config", "extensions.partialClone", "origin")
    checkout.git("config", "remote.origin.promisor", "true")
    trap.arm()
    for url in (f"ext::{trap.program} ext", "ssh://host.invalid/x", "odd::x"):
        checkout.git("config", "remote.origin.url", url)
        for transport in ("ext", "ssh", "odd"):
            checkout.git("config", f"protocol.{transport}.allow", "always")
        trap.run()
        repository = Repository.find(checkout.root)
        list(read_changes(repository, between(repository, "HEAD~1..HEAD").files, 2**20))
        assert trap.run() == []


ALLOWED = {
    "cat-file", "config", "diff-files", "diff-index", "diff-tree", "for-each-ref", "hash-object", "ls-files", "ls-tree",
    "merge-base", "rev-list", "rev-parse",
}  # fmt: skip


def test_only_plumbing_is_asked_and_always_hardened(
    project: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.commit({"new.c": "x\n"})
    project.write("untracked.c", "x\n")
    real, log = shutil.which("git"), tmp_path / "log"
    (tmp_path / "bin").mkdir()
    shim = tmp_path / "bin" / "git"
    shim.write_text(f'#!/bin/sh\nprintf "%s\\037" "$GIT_ALLOW_PROTOCOL" "$@" >>{log}\necho >>{log}\nexec {real} "$@"\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    run_all(project)
    calls = [line.split("\037")[:-1] for line in log.read_text().splitlines()]
    # The import of GitPython may add a bare `git version`.
    calls = [call for call in calls if call[1:] != ["version"]]
    assert {next(word for word in call[1:] if word in ALLOWED) for call in calls} <= ALLOWED
    for call in calls:
        assert call[0] == "none"
        assert {"--no-pager", "--literal-pathspecs", "--no-replace-objects", "core.fsmonitor=false"} <= set(call)


def test_nothing_is_written(project: Checkout) -> None:
    project.commit({"new.c": "x\n"})
    (project.root / "a.c").touch()
    project.write("untracked.c", "x\n")

    def snapshot() -> dict[Path, tuple[int, int]]:
        return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in project.root.rglob("*")}

    before = snapshot()
    run_all(project)
    assert snapshot() == before
