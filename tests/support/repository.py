"""Real git repositories for tests, the same ones each time."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

IDENTITY = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", "2024-05-01T12:00:00+0000"))
}
SETTINGS = ("-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", "-c", "core.autocrlf=false")


@dataclass(frozen=True)
class Checkout:
    """A repository (or the work tree of one) at ``root``."""

    root: Path

    @classmethod
    def create(cls, root: Path, *options: str) -> Checkout:
        root.mkdir(parents=True, exist_ok=True)
        checkout = cls(root)
        checkout.git("init", "--quiet", *options)
        return checkout

    def git(self, *arguments: str, stdin: bytes = b"", **environment: str) -> str:
        """Run git and return what it prints, without the last line break."""
        done = self._run(arguments, stdin, environment)
        assert done.returncode == 0, (arguments, done.stderr.decode(errors="replace"))
        return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")

    def attempt(self, *arguments: str, **environment: str) -> tuple[int, str]:
        """Run git and return its status and all that it and its hooks print."""
        done = self._run(arguments, b"", environment)
        return done.returncode, (done.stdout + done.stderr).decode(errors="replace")

    def _run(
        self, arguments: tuple[str, ...], stdin: bytes, environment: dict[str, str]
    ) -> subprocess.CompletedProcess[bytes]:
        env = {**os.environ, **IDENTITY, **environment}
        command = ["git", *SETTINGS, *arguments]
        return subprocess.run(command, cwd=self.root, env=env, input=stdin, capture_output=True, check=False)

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file of the work tree."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return target

    def commit(self, files: dict[str, str | bytes] | None = None, message: str = "change") -> str:
        """Write files, commit everything there is, and return the commit's id."""
        for path, content in (files or {}).items():
            self.write(path, content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def blob(self, content: str | bytes) -> str:
        """Store a blob and return its id."""
        data = content if isinstance(content, bytes) else content.encode()
        return self.git("hash-object", "-w", "--stdin", "--no-filters", stdin=data)

    def stage(self, path: str | bytes, content: str | bytes, mode: str = "100644") -> None:
        """Put a blob into the index, whatever its name."""
        name = path if isinstance(path, bytes) else path.encode()
        self.stage_id(name, self.blob(content), mode)

    def stage_id(self, path: bytes, object_id: str, mode: str) -> None:
        """Put an object into the index."""
        self.git("update-index", "-z", "--index-info", stdin=f"{mode} {object_id}\t".encode() + path + b"\0")


def numbered(name: str, lines: int = 10) -> str:
    """Return a text whose lines differ from each other and from those of every other name."""
    return "".join(f"{name} line {number}\n" for number in range(1, lines + 1))
