"""Git repositories in the user's cache: real servers, by ``file:`` and by an ssh that runs git here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.command import build, winnow
from support.donor import ROUTES, write_known
from support.repository import Checkout
from winnow_ci.errors import FetchError
from winnow_ci.fetching import remote_git

SSH = """\
import os, subprocess, sys
open({mark!r}, "a").write(repr(sys.argv[1:]) + "\\n")
if {old}:
    os.environ.pop("GIT_PROTOCOL", None)
sys.exit(subprocess.run(sys.argv[-1], shell=True).returncode)
"""


@pytest.fixture
def origin(tmp_path: Path) -> Checkout:
    """A repository with two tags and a branch."""
    origin = Checkout.create(tmp_path / "origin")
    origin.commit({"a.c": "int a;\n"})
    origin.git("tag", "--annotate", "--message", "one", "v1.0")
    origin.commit({"a.c": "int a, b;\n", "b.c": "int c;\n"})
    origin.git("tag", "v1.1")
    origin.commit({"a.c": "int d;\n"})
    return origin


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def url_of(checkout: Checkout) -> str:
    return checkout.root.as_uri()


def files(repository: Path, commit: str) -> list[str]:
    return Checkout(repository).git("ls-tree", "-r", "--name-only", commit).split()


def objects(repository: Path) -> int:
    counted = Checkout(repository).git("count-objects", "-v").splitlines()
    return sum(int(line.split()[1]) for line in counted if line.startswith(("count:", "in-pack:")))


def problem(raised: pytest.ExceptionInfo[FetchError]) -> str:
    assert raised.value.remedy
    return raised.value.problem


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An ssh that runs the command here, as an old server would see it, and keeps what it was called with."""
    mark = tmp_path / "called"
    script = tmp_path / "ssh.py"
    script.write_text(SSH.format(mark=str(mark), old=True))
    monkeypatch.setenv("GIT_SSH_COMMAND", f"{sys.executable} {script}")
    return mark


@pytest.mark.parametrize(
    ("revision", "commit"),
    [("v1.0", "v1.0^{commit}"), ("v1.1", "v1.1"), ("main", "main"), ("HEAD", "main"), ("refs/heads/main", "main")],
)
def test_a_revision_becomes_a_commit(origin: Checkout, folder: Path, revision: str, commit: str) -> None:
    wanted = origin.git("rev-parse", commit)
    assert remote_git.resolve(url_of(origin), revision, local=True) == wanted


def test_a_tag_comes_before_a_branch_and_only_whole_names_count(origin: Checkout, folder: Path) -> None:
    origin.git("branch", "v1.0", "main")
    origin.git("branch", "other/next", "v1.1")
    assert remote_git.resolve(url_of(origin), "v1.0", local=True) == origin.git("rev-parse", "refs/tags/v1.0^{}")
    with pytest.raises(FetchError) as raised:
        remote_git.resolve(url_of(origin), "next", local=True)
    assert problem(raised).endswith("has no tag or branch next")


def test_only_the_files_of_one_commit_are_fetched(origin: Checkout, folder: Path) -> None:
    commit = origin.git("rev-parse", "v1.1")
    repository = remote_git.fetch(url_of(origin), [commit], folder, local=True)
    assert files(repository, commit) == ["a.c", "b.c"]
    assert objects(repository) == 4  # commit, tree, two blobs
    assert not (repository / "hooks").exists()
    assert Checkout(repository).git("remote") == ""


def test_a_commit_that_is_here_needs_no_server(origin: Checkout, folder: Path) -> None:
    commit = origin.git("rev-parse", "v1.1")
    url = url_of(origin)
    remote_git.fetch(url, [commit], folder, local=True)
    shutil.rmtree(origin.root)
    repository = remote_git.fetch(url, [commit], folder, local=True)
    assert files(repository, commit) == ["a.c", "b.c"]
    assert remote_git.resolve(url, commit, local=True) == commit
    with pytest.raises(FetchError) as raised:
        remote_git.fetch(url, ["1" * 40], folder, local=True)
    assert "cannot be fetched" in problem(raised)


def test_tags_are_fetched_with_what_is_tagged(origin: Checkout, folder: Path) -> None:
    origin.git("tag", "key", origin.blob("a key"))
    origin.git("tag", "tree", "HEAD^{tree}")
    origin.git("tag", "--annotate", "--message", "again", "v1.0-signed", "v1.0")
    url = url_of(origin)
    tags = remote_git.resolve_tags(url, folder, local=True)
    one, two = origin.git("rev-parse", "v1.0^{}", "v1.1").split()
    assert tags == {"v1.0": one, "v1.0-signed": one, "v1.1": two}
    shutil.rmtree(origin.root)
    repository = remote_git.fetch(url, list(tags.values()), folder, local=True)
    assert files(repository, one) == ["a.c"]


def test_what_is_built_from_the_cache_is_what_a_folder_gives(tmp_path: Path, folder: Path) -> None:
    origin = Checkout.create(tmp_path / "known")
    write_known(origin.root)
    commit = origin.commit()
    wanted = build(write_known(tmp_path / "folder"), tmp_path / "i.db").output.split()[-1]
    repository = remote_git.fetch(url_of(origin), [commit], folder, local=True)
    command = ("index", "build", repository, "--revision", commit, "--name", "roads", "--output", "j.db")
    assert winnow(*command, cwd=tmp_path).output.split()[-1] == wanted


def test_a_folder_may_have_any_name(folder: Path, tmp_path: Path) -> None:
    origin = Checkout.create(tmp_path / "für alle%41")
    commit = origin.commit({"a.c": "int a;\n"})
    assert files(remote_git.fetch(url_of(origin), [commit], folder, local=True), commit) == ["a.c"]


def test_a_shallow_origin_will_do(origin: Checkout, folder: Path, tmp_path: Path) -> None:
    origin.git("clone", "--quiet", "--depth=1", "--bare", url_of(origin), str(tmp_path / "shallow"))
    shallow = Checkout(tmp_path / "shallow")
    commit = remote_git.resolve(url_of(shallow), "main", local=True)
    assert files(remote_git.fetch(url_of(shallow), [commit], folder, local=True), commit) == ["a.c", "b.c"]


def test_a_server_that_gives_nothing_by_id_gives_all(origin: Checkout, folder: Path, ssh: Path) -> None:
    url = f"ssh://git@example.org{origin.root}"
    assert remote_git.resolve(url, "v1.0") == origin.git("rev-parse", "v1.0^{}")
    older = origin.git("rev-parse", "main~1")
    origin.git("tag", "--delete", "v1.1")
    repository = remote_git.fetch(url, [older], folder)
    assert files(repository, older) == ["a.c", "b.c"]
    # Now that it is here, nobody is asked.
    ssh.unlink()
    remote_git.fetch(url, [older], folder)
    assert not ssh.exists()


def test_the_short_form_of_ssh(origin: Checkout, folder: Path, ssh: Path) -> None:
    assert remote_git.resolve(f"git@example.org:{origin.root}", "v1.1") == origin.git("rev-parse", "v1.1")
    assert "'git@example.org'" in ssh.read_text()


def test_a_commit_that_is_not_there(origin: Checkout, folder: Path) -> None:
    with pytest.raises(FetchError) as raised:
        remote_git.fetch(url_of(origin), ["1" * 40], folder, local=True)
    assert problem(raised).startswith("111111111111 of file:///")
    assert problem(raised).endswith("does not exist, or no longer exists")


def test_what_is_no_commit_is_refused(origin: Checkout, folder: Path) -> None:
    tree = origin.git("rev-parse", "HEAD^{tree}")
    for _ in range(2):
        with pytest.raises(FetchError) as raised:
            remote_git.fetch(url_of(origin), [tree], folder, local=True)
        assert problem(raised).endswith("is a tree, not a commit")


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c 'touch ran'",
        "ext::sh%20-c%20touch%20ran",
        "fd::17",
        "--upload-pack=touch ran",
        "-u./ran",
        "-oProxyCommand=touch ran",
        "ssh://-oProxyCommand=touch%20ran/x",
        "ssh://git@-oProxyCommand=x/x",
        "-oProxyCommand=x@example.org:x",
        "git@-oProxyCommand=x:x",
        "git@example.org:-x",
        "ssh://example.org/-x",
        "https://example.org/-x",
        "http://example.org/x.git",
        "git://example.org/x.git",
        "ftp://example.org/x.git",
        "git+https://example.org/x.git",
        "HTTPS://example.org/x.git",
        "https:/example.org/x.git",
        "https://example.org",
        "https://user:secret@example.org/x.git",
        "https://example.org/x.git#v1",
        "https://example.org/x.git?y",
        "https://example.org/x\n.git",
        "https://example.org/x%0ahost=evil.example.git",
        "https://example.org%0d/x.git",
        "https://example.org\\@evil.example/x.git",
        "https://exämple.org/x.git",
        "https://" + "x" * 3000,
        "../origin",
        "/origin",
        "origin",
        "file://origin",
        "file:///origin",
        "C:\\origin",
        "",
    ],
)
def test_hostile_and_foreign_urls_never_reach_git(
    url: str, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # without git
    monkeypatch.chdir(tmp_path)
    for ask in (
        lambda: remote_git.resolve(url, "HEAD"),
        lambda: remote_git.resolve_tags(url, folder),
        lambda: remote_git.fetch(url, ["1" * 40], folder),
    ):
        with pytest.raises(FetchError) as raised:
            ask()
        assert "git cannot be started" not in problem(raised)
        assert "secret" not in problem(raised)
        assert problem(raised).isprintable()
    assert not folder.exists()


def test_a_folder_of_this_machine_is_for_who_says_so(origin: Checkout, folder: Path) -> None:
    with pytest.raises(FetchError) as raised:
        remote_git.fetch(url_of(origin), [origin.git("rev-parse", "HEAD")], folder)
    assert "is a folder on this machine" in problem(raised)


@pytest.mark.parametrize(
    "revision",
    ["", "-x", "--upload-pack=x", "v1*", "main~1", "main^{}", "a..b", "a b", "@{u}", "a:b", "a\n", "x" * 300],
)
def test_only_names_are_revisions(origin: Checkout, folder: Path, revision: str) -> None:
    with pytest.raises(FetchError) as raised:
        remote_git.resolve(url_of(origin), revision, local=True)
    assert problem(raised).startswith("not a tag, branch or full commit id")


@pytest.mark.parametrize("commit", ["", "main", "1" * 39, "A" * 40, "1" * 40 + ":refs/heads/x", "1" * 40 + "\n"])
def test_only_full_ids_are_commits(origin: Checkout, folder: Path, commit: str) -> None:
    with pytest.raises(FetchError) as raised:
        remote_git.fetch(url_of(origin), [commit], folder, local=True)
    assert problem(raised).startswith("not a full commit id")


def test_nothing_that_a_user_has_for_own_work_runs(
    origin: Checkout, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "ran"
    hooks = tmp_path / "template" / "hooks"
    hooks.mkdir(parents=True)
    for name in ("reference-transaction", "post-checkout", "post-merge", "pre-auto-gc"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {mark}\n")
        (hooks / name).chmod(0o755)
    settings = {
        "init.templateDir": str(hooks.parent),
        "core.hooksPath": str(hooks),
        "core.fsmonitor": f"touch {mark}",
        "fetch.recurseSubmodules": "true",
        "filter.lfs.smudge": f"touch {mark}",
    }
    for number, (name, value) in enumerate(settings.items()):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", name)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    origin.write(".gitmodules", f'[submodule "m"]\n\tpath = m\n\turl = {url_of(origin)}\n')
    origin.write(".gitattributes", "* filter=lfs\n")
    origin.git("add", ".gitmodules", ".gitattributes")
    origin.stage_id(b"m", origin.git("rev-parse", "HEAD"), "160000")
    origin.git("commit", "--quiet", "--message", "module")
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(settings)))
    commit = remote_git.resolve(url_of(origin), "HEAD", local=True)
    repository = remote_git.fetch(url_of(origin), [commit], folder, local=True)
    assert not mark.exists()
    assert not (repository / "modules").exists()
    assert not (repository / "hooks").exists()


def test_a_hooks_own_repository_is_left_alone(
    origin: Checkout, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Checkout.create(tmp_path / "own")
    monkeypatch.setenv("GIT_DIR", str(own.root / ".git"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(own.root / ".git" / "objects"))
    commit = remote_git.resolve(url_of(origin), "HEAD", local=True)
    remote_git.fetch(url_of(origin), [commit], folder, local=True)
    assert not list((own.root / ".git" / "objects").glob("pack/*"))


@pytest.mark.parametrize("kinds", [1, 2])
def test_many_at_once_fetch_what_none_has_fetched(origin: Checkout, folder: Path, kinds: int) -> None:
    commits = origin.git("rev-parse", "v1.0^{}", "v1.1", "main").split()
    wanted = [commits[number % kinds :] for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        places = list(pool.map(lambda some: remote_git.fetch(url_of(origin), some, folder, local=True), wanted))
    newest = max(places)
    assert int(newest.stem) <= kinds
    assert [files(newest, commit) for commit in commits] == [["a.c"], ["a.c", "b.c"], ["a.c", "b.c"]]
    assert len(list(newest.glob("objects/pack/*.pack"))) <= kinds


def test_a_killed_run_costs_nothing_but_its_own_work(origin: Checkout, folder: Path) -> None:
    url, first = url_of(origin), origin.git("rev-parse", "v1.1")
    remote_git.fetch(url, [first], folder, local=True)
    for number in range(2000):
        origin.write(f"many/{number}.c", f"int a{number};\n")
    later = origin.commit()
    code = (
        "import sys, pathlib; from winnow_ci.fetching import remote_git;"
        "git.fetch(sys.argv[1], [sys.argv[2]], pathlib.Path(sys.argv[3]), local=True)"
    )
    for moment in range(8):
        process = subprocess.Popen([sys.executable, "-c", code, url, later, folder])
        time.sleep(0.1 + 0.04 * moment)
        process.kill()
        process.wait()
        repository = remote_git.fetch(url, [first], folder, local=True)
        assert files(repository, first) == ["a.c", "b.c"]
        assert "error" not in Checkout(repository).git("fsck", "--full", "--no-dangling")
    repository = remote_git.fetch(url, [first, later], folder, local=True)
    assert len(files(repository, later)) == 2002
    assert not list(folder.glob("*/incoming-*"))


def test_the_repository_before_stays_for_its_readers(origin: Checkout, folder: Path) -> None:
    commits = origin.git("rev-parse", "v1.0^{}", "v1.1", "main").split()
    places = [remote_git.fetch(url_of(origin), [commit], folder, local=True) for commit in commits]
    assert [place.exists() for place in places] == [False, True, True]
    assert [files(places[2], commit) for commit in commits] == [["a.c"], ["a.c", "b.c"], ["a.c", "b.c"]]


def test_a_damaged_cache_is_said(origin: Checkout, folder: Path) -> None:
    commit = origin.git("rev-parse", "v1.1")
    repository = remote_git.fetch(url_of(origin), [commit], folder, local=True)
    for pack in repository.glob("objects/pack/*"):
        pack.unlink()
    assert objects(repository) == 0
    with pytest.raises(FetchError) as raised:
        remote_git.fetch(url_of(origin), [commit], folder, local=True)
    assert "is damaged" in problem(raised)


def test_a_server_that_says_nothing_is_given_up(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "pid"
    script = tmp_path / "silent.sh"
    script.write_text(f"#!/bin/sh\nsleep 1000 &\necho $! > {mark}\nwait\n")
    script.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(script))
    monkeypatch.setattr(remote_git, "SILENCE", 1.0)
    with pytest.raises(FetchError) as raised:
        remote_git.fetch("ssh://git@example.org/x.git", ["1" * 40], folder)
    assert "nothing came for 1 seconds" in problem(raised)
    assert not alive(int(mark.read_text()))


def alive(process: int) -> bool:
    for _ in range(50):
        stat = Path(f"/proc/{process}/stat")
        if not stat.exists() or stat.read_text().split()[2] == "Z":
            return False
        time.sleep(0.1)
    return True


@pytest.mark.parametrize("bound", ["MOST_FETCHED", "LONGEST_RUN"])
def test_what_is_too_much_is_given_up(
    origin: Checkout, folder: Path, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    commit = remote_git.resolve(url_of(origin), "HEAD", local=True)
    monkeypatch.setattr(remote_git, bound, -1)
    with pytest.raises(FetchError) as raised:
        remote_git.fetch(url_of(origin), [commit], folder, local=True)
    assert "it took more than" in problem(raised)


def test_no_credentials_in_messages(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # A user's configuration may put a token into each URL.
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "url.https://user:secret@127.0.0.1:1/.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://example.invalid/")
    with pytest.raises(FetchError) as raised:
        remote_git.resolve("https://token@example.invalid/x.git", "HEAD")
    with pytest.raises(FetchError) as again:
        remote_git.resolve("https://example.invalid/x.git", "HEAD")
    for one in (raised, again):
        assert "cannot reach" in problem(one)
        assert not any(word in str(one.value) for word in ("secret", "token@", "user"))


def test_a_command_to_copy_is_no_trap(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", "false")
    with pytest.raises(FetchError) as raised:
        remote_git.resolve("ssh://git@example.org/x;touch$IFS~/ran;.git", "HEAD")
    assert "`git ls-remote 'ssh://example.org/x;touch$IFS~/ran;.git'`" in raised.value.remedy


def test_what_a_server_says_is_shown_harmless(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "rude.sh"
    script.write_text("#!/bin/sh\nprintf 'fatal: \\033[2J\\033]0;x\\007 ::error::x\\r\\n' >&2\nexit 1\n")
    script.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(script))
    with pytest.raises(FetchError) as raised:
        remote_git.resolve("ssh://git@example.org/x.git", "HEAD")
    assert problem(raised).isprintable()


def test_a_protocol_that_the_users_own_rewriting_leads_to_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.ext::touch {tmp_path / 'ran'} .insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://example.org/")
    monkeypatch.setenv("GIT_CONFIG_KEY_1", "protocol.ext.allow")
    monkeypatch.setenv("GIT_CONFIG_VALUE_1", "always")
    with pytest.raises(FetchError) as raised:
        remote_git.resolve("https://example.org/x.git", "HEAD")
    assert "transport 'ext' not allowed" in problem(raised)
    assert not (tmp_path / "ran").exists()


def test_ssh_of_the_user(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ssh that is found is started without forwarding and questions, unless the user has set up another one."""
    mark = tmp_path / "called"
    for name in ("ssh", "mine"):
        (tmp_path / name).write_text(f'#!/bin/sh\necho {name} "$@" >> {mark}\nexit 1\n')
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for _ in range(2):
        with pytest.raises(FetchError):
            remote_git.resolve("ssh://git@example.org/x.git", "HEAD")
        subprocess.run(["git", "config", "--global", "core.sshCommand", "mine"], check=True)
    plain, *_, own = mark.read_text().splitlines()
    assert plain.startswith("ssh -o BatchMode=yes -o ClearAllForwardings=yes -o ForwardAgent=no")
    assert own.startswith("mine ")
    assert "BatchMode" not in own


def test_progress_is_told(origin: Checkout, folder: Path) -> None:
    told: list[tuple[int, int | None]] = []
    for number in range(300):
        origin.write(f"many/{number}.c", ROUTES + str(number))
    commit = origin.commit()
    remote_git.fetch(url_of(origin), [commit], folder, lambda done, total: told.append((done, total)), local=True)
    assert told
    assert told[-1][0] == told[-1][1]


def test_a_cache_that_cannot_be_written_is_said(origin: Checkout, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    threads = threading.active_count()
    with pytest.raises(FetchError) as raised:
        remote_git.fetch(url_of(origin), [origin.git("rev-parse", "HEAD")], tmp_path / "file" / "cache", local=True)
    assert problem(raised).startswith("cannot write to the cache ")
    assert threading.active_count() == threads
