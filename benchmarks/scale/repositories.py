"""Repositories of any size, written by ``git fast-import`` in seconds."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from sources import Real

A_FOLDER = 100


def git(root: Path, *arguments: str, stdin: Iterable[bytes] = ()) -> str:
    """What git prints; that it fails ends the benchmark."""
    command = (
        "git",
        "-c",
        "init.defaultBranch=main",
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.org",
        *arguments,
    )
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for part in stdin:
            process.stdin.write(part)
        process.stdin.close()
        output = process.stdout.read().decode()
    if process.returncode:
        raise SystemExit(f"git {arguments[0]} failed")
    return output.strip()


def repository(root: Path, real: Real, files: int, commits: int = 0) -> Path:
    """A repository of so many files on main, checked out, and so many commits on it that edit a file each.

    ``base`` is the tag of the first commit.
    """
    if not root.exists():
        unfinished = root.with_name(f"{root.name}.unfinished")
        unfinished.mkdir(parents=True)
        git(unfinished, "init", "--quiet")
        git(unfinished, "fast-import", "--quiet", "--force", stdin=_stream(real, files, commits))
        git(unfinished, "reset", "--quiet", "--hard", "main")
        git(unfinished, "tag", "base", f"main~{commits}")
        unfinished.rename(root)
    return root


def name(number: int) -> str:
    """The path of a file: a hundred in a folder, a hundred folders in one."""
    folder = number // A_FOLDER
    return f"src/p{folder // A_FOLDER}/m{folder % A_FOLDER}/f{number % A_FOLDER}.py"


def _stream(real: Real, files: int, commits: int) -> Iterator[bytes]:
    yield _commit(0)
    for number in range(files):
        yield _file(number, real.file(number))
    for commit in range(1, commits + 1):
        number = commit % files
        yield _commit(commit)
        yield _file(number, real.file(number) + real.file(files + commit))


def _commit(number: int) -> bytes:
    return b"commit refs/heads/main\ncommitter A <a@example.org> %d +0000\ndata 1\nc\n" % (1_700_000_000 + number)


def _file(number: int, content: bytes) -> bytes:
    return b"M 100644 inline %b\ndata %d\n%b\n" % (name(number).encode(), len(content), content)


@contextmanager
def edit(root: Path, real: Real, files: int) -> Iterator[None]:
    """Ten files of a repository with another function at their end, until the block ends."""
    for number in range(0, files, files // 10):
        with (root / name(number)).open("ab") as file:
            file.write(real.file(files + number))
    try:
        yield
    finally:
        git(root, "reset", "--quiet", "--hard")


def single(root: Path, path: str, content: Iterable[bytes]) -> Path:
    """A repository with nothing but one file, staged."""
    if not root.exists():
        unfinished = root.with_name(f"{root.name}.unfinished")
        unfinished.mkdir(parents=True)
        git(unfinished, "init", "--quiet")
        with (unfinished / path).open("wb") as file:
            file.writelines(content)
        git(unfinished, "-c", "core.compression=1", "add", "--all")
        unfinished.rename(root)
    return root
