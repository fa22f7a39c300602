"""What a CI's clone lacks is fetched, or an error says what to set; fetching runs nothing that a repository names."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from support.forge import PROJECT, Forge, unreachable
from support.repository import Checkout, numbered
from winnow_ci.errors import GitError
from winnow_ci.git import (
    Repository,
    between_commits,
    first_parent,
    first_with,
    fork_point,
    obtain,
    path_versions,
    require,
)
from winnow_ci.processes import ProcessResult

if TYPE_CHECKING:
    from pathlib import Path

NOBODYS = "1234567890" * 4


@pytest.fixture
def forge(tmp_path: Path) -> Forge:
    return Forge.create(tmp_path, {"a.c": numbered("a")}, {"new.c": numbered("new")}, {"main.c": numbered("main")})


def find(clone: Checkout) -> Repository:
    return Repository.find(clone.root)


def names(clone: Checkout, base: str, head: str) -> list[str]:
    return [file.path for file in between_commits(find(clone), base, head, "test").files]


# ---- the first parent ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2, 0])
def test_the_first_parent_of_a_merge(forge: Forge, tmp_path: Path, depth: int) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.merge, depth)
    assert first_parent(find(clone), forge.merge) == forge.moved_on
    assert names(clone, forge.moved_on, forge.merge) == ["new.c"]


@pytest.mark.parametrize("depth", [2, 0])
def test_no_network_is_needed_at_depth_2(forge: Forge, tmp_path: Path, depth: int) -> None:
    clone = unreachable(forge.check_out(tmp_path / "clone", forge.merge, depth))
    assert first_parent(find(clone), forge.merge) == forge.moved_on


def test_a_parent_that_cannot_be_fetched(forge: Forge, tmp_path: Path) -> None:
    clone = unreachable(forge.check_out(tmp_path / "clone", forge.merge, 1))
    with pytest.raises(GitError, match=r"^the first parent of .* cannot be fetched: .*nowhere.*\n.*`fetch-depth: 2`"):
        first_parent(find(clone), forge.merge)


def test_without_a_remote_there_is_nothing_to_fetch_from(forge: Forge, tmp_path: Path) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.merge, 1)
    clone.git("remote", "remove", "origin")
    with pytest.raises(GitError, match=r"cannot be fetched: 'origin' does not appear to be a git repository"):
        first_parent(find(clone), forge.merge)


def test_a_commit_that_is_no_merge(forge: Forge, tmp_path: Path) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.pulled)
    with pytest.raises(GitError, match="is not a merge commit"):
        first_parent(find(clone), forge.pulled)


def test_a_message_is_not_taken_for_parents(checkout: Checkout) -> None:
    tree = checkout.git("hash-object", "-t", "tree", "-w", "--stdin")
    author = "author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n"
    text = f"tree {tree}\n{author}parent {NOBODYS}\nparent {NOBODYS}\n\nparent {NOBODYS}\nparent {NOBODYS}\n"
    commit = checkout.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=text.encode())
    with pytest.raises(GitError, match="is not a merge commit"):
        first_parent(find(checkout), commit)


# ---- any commit ------------------------------------------------------------------------------------------------


def test_a_commit_is_fetched(forge: Forge, tmp_path: Path) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.merge, 1)
    assert obtain(find(clone), forge.first)
    assert names(clone, forge.first, forge.merge) == ["main.c", "new.c"]


@pytest.mark.parametrize("depth", [1, 0])
def test_a_commit_that_nobody_has(forge: Forge, tmp_path: Path, depth: int) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.merge, depth)
    assert not obtain(find(clone), NOBODYS)
    with pytest.raises(GitError, match=r"^there is no commit 123456789012, neither"):
        require(find(clone), NOBODYS)


def test_whether_there_is_a_commit_may_be_impossible_to_tell(forge: Forge, tmp_path: Path) -> None:
    clone = unreachable(forge.check_out(tmp_path / "clone", forge.merge, 1))
    with pytest.raises(GitError, match=r"^commit .* cannot be fetched: .*\n.*`fetch-depth: 0`.*`GIT_DEPTH: 0`"):
        obtain(find(clone), forge.first)


def test_a_whole_clone_stays_whole(forge: Forge, tmp_path: Path) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.moved_on, 0, reference="refs/heads/main")
    clone.git("update-ref", "-d", "refs/remotes/pull/7/merge")
    require(find(clone), forge.pulled)
    assert clone.git("rev-parse", "--is-shallow-repository") == "false"


def test_nothing_but_what_was_asked_for_is_fetched(forge: Forge, tmp_path: Path) -> None:
    forge.bare.git("tag", "v1", forge.first)
    clone = forge.check_out(tmp_path / "clone", forge.merge, 1)
    clone.git("config", "remote.origin.tagOpt", "--tags")
    clone.git("config", "remote.origin.fetch", "+refs/*:refs/*")
    clone.git("config", "fetch.prune", "true")
    fetched = clone.root / ".git" / "FETCH_HEAD"
    before = clone.git("for-each-ref"), fetched.read_bytes()
    require(find(clone), forge.first)
    assert (clone.git("for-each-ref"), fetched.read_bytes()) == before


# ---- where a branch was left -----------------------------------------------------------------------------------


def grow(forge: Forge, folder: Path, main: int, topic: int) -> str:
    """Let main and a new branch grow by so many commits; returns the branch's last one."""
    author = Checkout.create(folder)
    author.git("fetch", "--quiet", forge.url, "main")
    for branch, number in (("topic", topic), ("main", main)):
        author.git("switch", "--quiet", "--create", branch, forge.moved_on)
        for count in range(number):
            author.commit({f"{branch}-{count}.c": numbered(f"{branch}{count}")})
    author.git("push", "--quiet", forge.url, "main", "topic")
    return author.git("rev-parse", "topic")


@pytest.mark.parametrize(("main", "topic"), [(0, 1), (1, 0), (3, 2), (3, 20), (40, 3)])
@pytest.mark.parametrize("depth", [1, 2])
def test_history_is_deepened_until_the_branches_meet(
    forge: Forge, tmp_path: Path, main: int, topic: int, depth: int
) -> None:
    head = grow(forge, tmp_path / "grow", main, topic)
    clone = forge.check_out(tmp_path / "clone", head, depth, reference="refs/heads/topic")
    base = fork_point(find(clone), "main", PROJECT, head)
    assert base.commit == forge.moved_on
    assert len(names(clone, base.commit, head)) == topic


def merged_of_late(forge: Forge, folder: Path) -> tuple[str, str]:
    """A branch that takes main over, and a side branch of old that main merges 30 commits later.

    Returns:
        The branch's last commit, and what of main it has.
    """
    author = Checkout.create(folder)
    author.git("fetch", "--quiet", forge.url, "main")
    author.git("switch", "--quiet", "--create", "side", forge.first)
    author.commit({"side.c": numbered("side")})
    author.git("switch", "--quiet", "--create", "main", forge.moved_on)
    taken = author.commit({"taken.c": numbered("taken")})
    author.git("switch", "--quiet", "--create", "topic", forge.first)
    author.commit({"topic.c": numbered("topic")})
    author.git("merge", "--quiet", "--no-edit", "main")
    author.git("switch", "--quiet", "main")
    for count in range(30):
        author.git("commit", "--quiet", "--allow-empty", "--message", str(count))
    author.git("merge", "--quiet", "--no-edit", "side")
    author.git("push", "--quiet", forge.url, "main", "topic")
    return author.git("rev-parse", "topic"), taken


def test_a_short_way_to_an_old_ancestor_is_not_believed(forge: Forge, tmp_path: Path) -> None:
    head, taken = merged_of_late(forge, tmp_path / "merged")
    clone = forge.check_out(tmp_path / "clone", head, 1, reference="refs/heads/topic")
    base = fork_point(find(clone), "main", PROJECT, head)
    assert base.commit == taken
    assert names(clone, base.commit, head) == ["topic.c"]


def test_it_is_believed_where_nothing_more_can_be_fetched(forge: Forge, tmp_path: Path) -> None:
    head, _ = merged_of_late(forge, tmp_path / "merged")
    clone = forge.check_out(tmp_path / "clone", head, 2, reference="refs/heads/topic")
    clone.git("fetch", "--quiet", "--depth=4", "origin", "topic", "+main:refs/remotes/origin/main")
    base = fork_point(find(unreachable(clone)), "main", PROJECT, head)
    assert base.commit == forge.first


def test_a_depth_that_is_there_already_is_not_lost(forge: Forge, tmp_path: Path) -> None:
    head = grow(forge, tmp_path / "grow", 40, 10)
    clone = forge.check_out(tmp_path / "clone", head, 8, reference="refs/heads/topic")
    known = set(clone.git("rev-list", "HEAD").split())
    fork_point(find(clone), "main", PROJECT, head)
    assert known < set(clone.git("rev-list", "HEAD").split())


def test_a_whole_clone_needs_no_network(forge: Forge, tmp_path: Path) -> None:
    head = grow(forge, tmp_path / "grow", 3, 2)
    clone = unreachable(forge.check_out(tmp_path / "clone", head, 0, reference="refs/heads/topic"))
    assert fork_point(find(clone), "main", PROJECT, head).commit == forge.moved_on


@pytest.mark.parametrize("knows_branch", [False, True])
def test_history_that_cannot_be_fetched(forge: Forge, tmp_path: Path, knows_branch: bool) -> None:
    head = grow(forge, tmp_path / "grow", 3, 2)
    clone = forge.check_out(tmp_path / "clone", head, 1, reference="refs/heads/topic")
    if knows_branch:
        clone.git("fetch", "--quiet", "--depth=1", "origin", "+main:refs/remotes/origin/main")
    unreachable(clone)
    with pytest.raises(GitError, match=r"cannot be fetched: .*\n.*`fetch-depth: 0`"):
        fork_point(find(clone), "main", PROJECT, head)


def test_unrelated_histories(forge: Forge, tmp_path: Path) -> None:
    author = Checkout.create(tmp_path / "author-2")
    head = author.commit({"alone.c": numbered("alone")})
    author.git("push", "--quiet", forge.url, f"{head}:refs/heads/topic")
    clone = forge.check_out(tmp_path / "clone", head, 1, reference="refs/heads/topic")
    base = fork_point(find(clone), "main", PROJECT, head)
    assert base == (forge.moved_on, " (no common ancestor)", forge.moved_on)


@pytest.mark.parametrize("project", ["octo/widget2", "mallory/widget", "cto/widget", "widget/octo"])
def test_the_branch_of_another_repository_does_not_count(forge: Forge, tmp_path: Path, project: str) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.merge, 0)
    with pytest.raises(GitError, match=rf"^the remote origin is file://.*octo/widget\.git and not {project}"):
        fork_point(find(clone), "main", project, forge.merge)


@pytest.mark.parametrize(
    "url",
    [
        "https://github.example/octo/widget",
        "https://x-access-token:secret@github.example/Octo/Widget.git/",
        "git@github.example:octo/widget.git",
        "ssh://git@github.example/octo/widget",
    ],
)
def test_the_ways_to_write_a_url(forge: Forge, tmp_path: Path, url: str) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.merge, 0)
    clone.git("remote", "set-url", "origin", url)
    assert fork_point(find(clone), "main", PROJECT, forge.merge).commit == forge.moved_on
    with pytest.raises(GitError, match="and not octo/other") as caught:
        fork_point(find(clone), "main", "octo/other", forge.merge)
    assert "secret" not in caught.value.problem


# ---- nothing runs, nobody is asked -----------------------------------------------------------------------------


def armed(clone: Checkout, folder: Path) -> tuple[Path, str]:
    """A clone whose configuration names a program for every purpose; it would leave a file behind."""
    sprung = folder / "sprung"
    sprung.mkdir()
    program = folder / "canary"
    program.write_text(f'#!/bin/sh\necho "$0 $@" >{sprung}/$$\nexit 1\n')
    program.chmod(0o755)
    hooks = folder / "hooks"
    hooks.mkdir()
    for hook in ("reference-transaction", "post-index-change", "pre-auto-gc", "post-merge", "fsmonitor-watchman"):
        (hooks / hook).symlink_to(program)
    for key in (
        "core.sshCommand",
        "core.gitProxy",
        "core.askPass",
        "core.fsmonitor",
        "core.alternateRefsCommand",
        "core.pager",
        "remote.origin.uploadpack",
        "credential.helper",
        "credential.https://localhost.helper",
        "filter.x.clean",
        "filter.x.smudge",
        "alias.fetch",
        "uploadpack.packObjectsHook",
    ):
        prefix = "!" if key.startswith(("credential", "alias")) else ""
        clone.git("config", key, f"{prefix}{program}")
    clone.git("config", "core.hooksPath", str(hooks))
    clone.git("config", "gc.auto", "1")
    clone.git("config", "fetch.recurseSubmodules", "true")
    clone.git("config", "submodule.recurse", "true")
    return sprung, str(program)


def test_fetching_runs_no_program_that_the_repository_names(forge: Forge, tmp_path: Path) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.merge, 1)
    alternate = Checkout.create(tmp_path / "alternate")
    alternate.commit({"x.c": "x\n"})
    clone.write(".git/objects/info/alternates", f"{alternate.root}/.git/objects\n")
    sprung, _ = armed(clone, tmp_path)
    require(find(clone), forge.first)
    fork_point(find(clone), "main", PROJECT, forge.merge)
    assert list(sprung.iterdir()) == []


@pytest.mark.parametrize("transport", ["ext::{program} {project}", "git://localhost/{project}", "odd::{project}"])
def test_other_transports_are_refused(forge: Forge, tmp_path: Path, transport: str) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.merge, 1)
    sprung, program = armed(clone, tmp_path)
    for name in ("ext", "git", "odd"):
        clone.git("config", f"protocol.{name}.allow", "always")
    clone.git("config", "remote.origin.url", transport.format(program=program, project=PROJECT))
    with pytest.raises(GitError, match="not allowed"):
        first_parent(find(clone), forge.merge)
    clone.git("config", "remote.origin.url", forge.url)
    clone.git("config", "remote.origin.vcs", "odd")
    with pytest.raises(GitError, match="not allowed"):
        first_parent(find(clone), forge.merge)
    assert list(sprung.iterdir()) == []


def test_ssh_is_the_system_s_own_and_asks_nobody(forge: Forge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.merge, 1)
    sprung, _ = armed(clone, tmp_path)
    clone.git("config", "remote.origin.url", f"git@localhost:{PROJECT}.git")
    seen = tmp_path / "seen"
    ssh = tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text(f'#!/bin/sh\n(echo "$@"; : </dev/tty) >{seen} 2>&1\nexit 255\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ssh.parent}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(GitError, match="cannot be fetched"):
        first_parent(find(clone), forge.merge)
    arguments, no_terminal = seen.read_text().splitlines()
    assert arguments.startswith("-o BatchMode=yes ")
    assert "/dev/tty" in no_terminal
    assert list(sprung.iterdir()) == []


def test_a_remote_that_does_not_answer_is_given_up(
    forge: Forge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.merge, 1)
    clone.git("config", "remote.origin.url", f"git@localhost:{PROJECT}.git")
    child = tmp_path / "child"
    monkeypatch.setenv("GIT_SSH_COMMAND", f"sleep 60 & echo $! >{child}; wait #")
    started = time.monotonic()
    answer = find(clone).fetch("origin", forge.first, seconds=1)
    assert time.monotonic() - started < 30
    assert answer == ProcessResult(-1, b"", b"fatal: no answer within 1 seconds")
    deadline = time.monotonic() + 10
    while is_running(int(child.read_text())) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(int(child.read_text()))


def is_running(process: int) -> bool:
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, check=False).stdout
    return bool(found) and not found.startswith(b"Z")


def test_every_other_command_still_has_no_transport(
    forge: Forge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = forge.check_out(tmp_path / "clone", forge.merge, 1)
    real, log = shutil.which("git"), tmp_path / "log"
    shim = tmp_path / "bin" / "git"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nprintf "%s\\037" "$GIT_ALLOW_PROTOCOL" "$@" >>{log}\necho >>{log}\nexec {real} "$@"\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
    repository = find(clone)
    first_parent(repository, forge.merge)
    fork_point(repository, "main", PROJECT, forge.merge)
    calls = [line.split("\037")[:-1] for line in log.read_text().splitlines()]
    calls = [call for call in calls if "core.quotePath=false" in call]
    fetches = [call for call in calls if "fetch" in call]
    assert fetches
    for call in fetches:
        assert call[0] == "file:https:ssh"
        assert {"--no-recurse-submodules", "--no-tags", "core.hooksPath=/dev/null", "core.fsmonitor=false"} <= set(call)
    assert {call[0] for call in calls if "fetch" not in call} == {"none"}


# ---- the past of a path ----------------------------------------------------------------------------------------


def blob(checkout: Checkout, text: str) -> str:
    (checkout.root / "blob").write_text(text)
    return checkout.git("hash-object", "blob")


def versions(repository: Repository, head: str, path: str, since: str | None) -> list[str]:
    """Those of one path, asked for with others."""
    found = path_versions(repository, head, ["nowhere", path, "other\nname"], since)
    assert found.keys() == {"nowhere", path, "other\nname"}
    return found[path]


@pytest.mark.parametrize("path", ["a.c", "src/[id]*.js", ":(glob)a", "ü.py", "-n"])
def test_versions_come_newest_first_from_the_commit_on(checkout: Checkout, path: str) -> None:
    first = checkout.commit({path: "one\n"})
    second = checkout.commit({"other": "x\n"})
    checkout.commit({path: "two\n"})
    checkout.git("rm", "--quiet", "--", f":(literal){path}")
    checkout.commit()
    head = checkout.commit({path: "three\n"})
    repository = Repository.find(checkout.root)
    one, two, three = (blob(checkout, text) for text in ("one\n", "two\n", "three\n"))
    assert versions(repository, head, path, None) == [three, two, one]
    assert versions(repository, head, path, first) == [three, two, one]
    # It was older than the commit, and still there.
    assert versions(repository, head, path, second) == [three, two, one]
    assert versions(repository, head, path, head) == [three]
    assert versions(repository, second, path, None) == [one]
    assert versions(repository, head, "nowhere", None) == []


def test_what_came_by_a_merge_was_there(checkout: Checkout) -> None:
    first = checkout.commit({"a": "one\n"})
    checkout.git("switch", "--quiet", "--create", "topic")
    checkout.commit({"b": "copy\n"})
    checkout.git("switch", "--quiet", "main")
    since = checkout.commit({"c": "x\n"})
    checkout.git("merge", "--quiet", "--no-ff", "--no-edit", "topic")
    checkout.git("rm", "--quiet", "b")
    head = checkout.commit()
    repository = Repository.find(checkout.root)
    assert versions(repository, head, "b", since) == [blob(checkout, "copy\n")]
    assert versions(repository, since, "b", first) == []


OLD, NEW, NEWER, NONE = (word * 32 for word in "abcd")


def test_a_mark_is_in_a_file_since_a_commit(checkout: Checkout) -> None:
    checkout.commit({"b.json": f'"{OLD}" "{NEW}"'})
    checkout.commit({"b.json": f'"{OLD}"'})
    again = checkout.commit({"b.json": f'"{OLD}"\n"{NEW}"'})
    checkout.commit({"other": NEWER})
    head = checkout.commit({"b.json": f'"{OLD}" "{NEW}" "{NEWER}" {NONE} "{NONE}0"'})
    repository = Repository.find(checkout.root)
    root = checkout.git("rev-list", "--max-parents=0", "HEAD")
    found = first_with(repository, head, "b.json", {mark.encode() for mark in (OLD, NEW, NEWER, NONE)})
    assert found == {OLD.encode(): root, NEW.encode(): again, NEWER.encode(): head}
    assert first_with(repository, head, "b\n", {NEW.encode()}) == {}


def test_a_file_too_large_to_be_searched_has_no_marks(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    """The author of a change may have put anything there; what it was before is not known then."""
    monkeypatch.setattr("winnow_ci.git.history._LARGEST", 40)
    checkout.commit({"b.json": f'"{OLD}"'})
    checkout.commit({"b.json": f'"{OLD}"       '})
    head = checkout.commit({"b.json": f'"{OLD}"\n'})
    repository = Repository.find(checkout.root)
    assert first_with(repository, head, "b.json", {OLD.encode()}) == {OLD.encode(): head}
