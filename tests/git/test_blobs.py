"""Reading: each file comes out with its content or with a reason."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from support.repository import Checkout, numbered
from support.windows import UNHELD
from winnow_ci.errors import GitError
from winnow_ci.git import Repository, between, between_commits, everything, objects, read_changes, since, staged
from winnow_ci.model import Change, LineRange, Skipped
from winnow_ci.model.changes import ChangedFile, ChangeSet

if TYPE_CHECKING:
    from pathlib import Path

MIB = 2**20
COMPLETE = "git fetch --refetch --no-filter"


def results(checkout: Checkout, changes: ChangeSet, size_limit: int = MIB) -> dict[str, Change | Skipped]:
    found = list(read_changes(Repository.find(checkout.root), changes.files, size_limit))
    assert [file for file, _ in found] == list(changes.files)
    assert all(file.path == result.path for file, result in found)
    return {file.path: result for file, result in found}


def reasons(checkout: Checkout, changes: ChangeSet, size_limit: int = MIB) -> dict[str, tuple[str, str]]:
    found = results(checkout, changes, size_limit)
    return {path: (result.reason, result.state) for path, result in found.items() if isinstance(result, Skipped)}


def uncommitted(checkout: Checkout) -> ChangeSet:
    return since(Repository.find(checkout.root), "HEAD")


def pointer(size: int = 0) -> bytes:
    return b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n".ljust(size)


def test_contents_are_exact_bytes(project: Checkout) -> None:
    contents = {
        "bytes": bytes(range(256)),
        "empty": b"",
        "crlf": b"a\r\n",
        "no-end": b"a",
        "utf16": "é\n".encode("utf-16"),
    }
    for path, content in contents.items():
        project.stage(path, content)
    found = results(project, staged(Repository.find(project.root)))
    assert {path: found[path].content for path in contents if isinstance(found[path], Change)} == contents
    assert found["empty"] == Change("empty", b"", ())
    assert found["crlf"] == Change("crlf", b"a\r\n", (LineRange(1, 1),))


def test_more_files_than_are_asked_for_at_once(checkout: Checkout) -> None:
    sizes = [10 + number * 700 for number in range(200)]
    blobs = "".join(f"blob\nmark :{mark}\ndata {size}\n{'x' * size}\n" for mark, size in enumerate(sizes, 1))
    rows = "".join(f"M 100644 :{mark} {mark:03}.c\n" for mark in range(1, 201))
    stream = f"{blobs}commit refs/heads/main\ncommitter A <a@b> 0 +0000\ndata 0\n{rows}"
    checkout.git("fast-import", "--quiet", stdin=stream.encode())
    changes = everything(Repository.find(checkout.root))
    assert changes.files == ()  # nothing is checked out
    checkout.git("reset", "--quiet", "--hard")
    found = results(checkout, everything(Repository.find(checkout.root)))
    assert [len(result.content) for result in found.values() if isinstance(result, Change)] == sizes


def test_a_reader_may_stop_early(project: Checkout) -> None:
    project.write("a.c", "x" * 300_000)
    project.git("add", "a.c")
    reader = read_changes(Repository.find(project.root), everything(Repository.find(project.root)).files, MIB)
    next(reader)
    reader.close()


def test_what_is_too_large_is_said_and_not_read(project: Checkout) -> None:
    project.stage("large", b"x" * (MIB + 1))
    project.stage("fits", b"x" * MIB)
    project.write("untracked", b"x" * (MIB + 1))
    expected = ("larger than 1 MiB", "not-scanned")
    assert reasons(project, staged(Repository.find(project.root))) == {"large": expected}
    assert reasons(project, everything(Repository.find(project.root)), MIB)["untracked"] == expected


def test_a_huge_file_is_not_read(project: Checkout) -> None:
    with project.write("huge.c", "").open("wb") as file:
        # Even a part of it, up to the limit, would not fit into memory.
        file.truncate(2**42 + 1)
    assert reasons(project, uncommitted(project), 2**42) == {"huge.c": ("larger than 4.1943e+06 MiB", "not-scanned")}


def test_all_of_a_file_is_new_if_the_old_one_was_too_large(project: Checkout) -> None:
    project.commit({"a.c": numbered("a.c", 100)})
    project.commit({"a.c": numbered("a.c", 10)})
    changes = between(Repository.find(project.root), "HEAD~1..HEAD")
    found = results(project, changes, size_limit=300)["a.c"]
    assert isinstance(found, Change)
    assert found.added == (LineRange(1, 10),)


def test_links_submodules_and_conflicts(project: Checkout) -> None:
    secret = project.write("../secret", "secret\n")
    (project.root / "untracked-link").symlink_to(secret)
    (project.root / "folder-link").symlink_to(secret.parent)
    project.stage("link", str(secret), "120000")
    project.stage_id(b"module", project.git("rev-parse", "HEAD"), "160000")
    (project.root / "a.c").unlink()
    (project.root / "a.c").symlink_to(secret)
    link = ("symbolic link", "out-of-scope")
    assert reasons(project, staged(Repository.find(project.root))) == {
        "link": link,
        "module": ("submodule", "out-of-scope"),
    }
    project.git("rm", "--quiet", "--cached", "link")
    assert reasons(project, uncommitted(project)) == {"a.c": link, "folder-link": link, "untracked-link": link}
    conflict = ChangeSet(staged(Repository.find(project.root)).scope, (ChangedFile("x", "unmerged", None, None),))
    assert reasons(project, conflict) == {"x": ("unresolved conflict", "not-scanned")}


def test_git_lfs_pointers(project: Checkout) -> None:
    project.stage("pointer", pointer())
    project.stage("longest", pointer(1023))
    project.stage("too-long-for-one", pointer(1024))
    project.stage("code-below", pointer() + b"fetch() { curl $1; }\n")
    project.write("untracked", pointer())
    reason = ("Git LFS pointer: content not fetched", "not-scanned")
    assert reasons(project, staged(Repository.find(project.root))) == {"longest": reason, "pointer": reason}
    assert reasons(project, everything(Repository.find(project.root)))["untracked"] == reason


def on_disk(checkout: Checkout, path: str) -> dict[str, tuple[str, str]]:
    """The verdict on a path that git listed a moment ago."""
    return reasons(checkout, ChangeSet(uncommitted(checkout).scope, (ChangedFile(path, "file", None, None),)))


def test_what_happened_to_a_file_since_it_was_listed(project: Checkout) -> None:
    outside = project.root.parent / "outside"
    outside.mkdir()
    (outside / "x.c").write_text("secret\n")
    (project.root / "way-out").symlink_to(outside)
    (project.root / "loop").symlink_to("loop")
    os.mkfifo(project.root / "pipe")
    verdicts = {
        path: on_disk(project, path)[path]
        for path in ("gone", "lib", "pipe", "way-out/x.c", "../outside/x.c", "loop/x")
    }
    behind = ("lies behind a symbolic link", "not-scanned")
    assert verdicts["gone"] == ("cannot be read: No such file or directory", "not-scanned")
    assert verdicts["lib"] == verdicts["pipe"] == ("not a regular file", "not-scanned")
    assert verdicts["way-out/x.c"] == verdicts["../outside/x.c"] == behind
    assert verdicts["loop/x"][1] == "not-scanned"


@pytest.mark.skipif(UNHELD, reason="root reads everything")
def test_what_may_not_be_read_is_said(project: Checkout) -> None:
    project.write("secret.c", "x\n").chmod(0)
    assert reasons(project, uncommitted(project)) == {"secret.c": ("cannot be read: Permission denied", "not-scanned")}
    project.write("closed/x.c", "x\n").parent.chmod(0)
    with pytest.raises(GitError, match="could not open directory"):
        uncommitted(project)
    (project.root / "closed").chmod(0o700)


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(project: Checkout) -> None:
    (project.root / "a.c").unlink()
    os.mkfifo(project.root / "a.c")
    assert reasons(project, uncommitted(project)) == {"a.c": ("not a regular file", "not-scanned")}


def remove(checkout: Checkout, object_id: str) -> Path:
    path = checkout.root / ".git" / "objects" / object_id[:2] / object_id[2:]
    path.chmod(0o600)  # Windows removes nothing that is read-only
    path.unlink()
    return path


def test_a_missing_object_leaves_one_file_out(project: Checkout) -> None:
    project.commit({"a.c": "a\n", "new.c": "b\n", "whole.c": "c\n"})
    changes = between(Repository.find(project.root), "HEAD~1..HEAD")
    old = remove(project, project.git("rev-parse", "HEAD~1:a.c"))
    new = remove(project, project.git("rev-parse", "HEAD:new.c"))
    assert reasons(project, changes) == {
        path: (f"object {(file.parent.name + file.name)[:12]} is missing from this clone", "not-scanned")
        for path, file in (("a.c", old), ("new.c", new))
    }


def test_a_partial_clone_fetches_nothing(project: Checkout, tmp_path: Path) -> None:
    project.git("config", "uploadpack.allowFilter", "true")
    project.commit({"a.c": "a\n"})
    source = f"file://{project.root}"
    project.git("clone", "--quiet", "--filter=blob:none", source, str(tmp_path / "partial"))
    partial = Checkout(tmp_path / "partial")
    changes = between(Repository.find(partial.root), "HEAD~1..HEAD")
    old = project.git("rev-parse", "HEAD~1:a.c")
    reason = f"object {old[:12]} is missing from this clone: this is a partial clone: run `{COMPLETE}`"
    assert reasons(partial, changes) == {"a.c": (reason, "not-scanned")}


@pytest.mark.parametrize("filter_", ["blob:none", "blob:limit=1", "tree:0"])
@pytest.mark.parametrize("depth", [(), ("--depth=2",)])
def test_the_remedy_completes_a_partial_clone(
    project: Checkout, tmp_path: Path, filter_: str, depth: tuple[str, ...]
) -> None:
    project.git("config", "uploadpack.allowFilter", "true")
    project.commit({"a.c": "a\n", "b/c.c": "b\n"})
    project.commit({"a.c": "c\n", "b/c.c": "d\n"})
    options = ("--quiet", "--no-checkout", f"--filter={filter_}", *depth, f"file://{project.root}")
    project.git("clone", *options, str(tmp_path / "partial"))
    partial = Checkout(tmp_path / "partial")

    def scanned() -> dict[str, Change | Skipped]:
        return results(partial, between(Repository.find(partial.root), "HEAD~1..HEAD"))

    if filter_ == "tree:0":
        with pytest.raises(GitError, match=COMPLETE):
            scanned()
    else:
        assert all(isinstance(found, Skipped) and f"`{COMPLETE}`" in found.reason for found in scanned().values())
    partial.git(*COMPLETE.split()[1:])
    assert {path: found.content for path, found in scanned().items() if isinstance(found, Change)} == {
        "a.c": b"c\n",
        "b/c.c": b"d\n",
    }


def test_a_damaged_object_is_an_error_or_left_out(project: Checkout) -> None:
    project.commit({"a.c": numbered("a.c", 1000), "b.c": "whole\n"})
    repository = Repository.find(project.root)
    changes = between(repository, "HEAD~1..HEAD")
    name = project.git("rev-parse", "HEAD:a.c")
    path = project.root / ".git" / "objects" / name[:2] / name[2:]
    path.chmod(0o600)
    packed = path.read_bytes()
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(GitError, match=r"git cat-file of [0-9a-f]{40} failed: .*\n"):
        results(project, changes)
    path.write_bytes(b"rotten")
    assert reasons(project, changes) == {"a.c": (f"object {name[:12]} is missing from this clone", "not-scanned")}


def test_contents_that_are_too_large_together(project: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    assert objects.MOST_CHANGED_BYTES == 256 << 30
    repository = Repository.find(project.root)
    files = between_commits(repository, None, project.git("rev-parse", "HEAD"), "all").files
    total = sum(len(numbered(file.path)) for file in files)
    monkeypatch.setattr(objects, "MOST_CHANGED_BYTES", total)
    assert len(list(read_changes(repository, files, 1 << 20))) == len(files)
    monkeypatch.setattr(objects, "MOST_CHANGED_BYTES", total - 1)
    with pytest.raises(GitError, match="add up to more than 0 GiB"):
        list(read_changes(repository, files, 1 << 20))
