"""The command as a user or a CI job runs it, in a process or in this one."""

from __future__ import annotations

import contextlib
import io
import os
import resource
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trials import Outcome, Verdict

from winnow_ci import cli

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

# As the action starts it: nothing of the current folder is imported.
WINNOW = (sys.executable, "-I", "-m", "winnow_ci")
BUG = 4
_FOREIGN = ("CI", "GIT_", "GITHUB_", "GITLAB_", "LANG", "LC_", "NO_COLOR", "FORCE_COLOR", "PRE_COMMIT", "PYTHON")
# What a traceback begins with, and what the command says of a mistake of its own.
TRACEBACK = "Traceback (most recent call last)"
MOST_SECONDS = 120


class Ended(NamedTuple):
    """How a command ended, and the seconds of the processor that it took."""

    status: int
    output: str
    errors: str
    cpu: float

    @property
    def is_bug(self) -> bool:
        return self.status == BUG or self.status < 0 or TRACEBACK in self.errors

    def told(self, command: str = "") -> str:
        """The status and the end of what was said."""
        return f"{command} ended with {self.status}: {self.errors[-1500:]}".strip()


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """The variables of a job: without those of a user, a terminal or a CI around the campaign."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    return {
        **kept,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        **settings,
    }


def winnow(*arguments: str | Path, cwd: Path, stdin: bytes = b"", **settings: str) -> Ended:
    """Run the command in a process."""
    return run([*WINNOW, *map(str, arguments)], cwd, environment(settings), stdin)


def run(
    command: list[str],
    cwd: Path,
    variables: Mapping[str, str],
    stdin: bytes = b"",
    preparing: Callable[[], object] | None = None,
) -> Ended:
    """Run a program that a function prepares, and measure it and all that it has waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env=variables,
            input=stdin,
            capture_output=True,
            timeout=MOST_SECONDS,
            check=False,
            preexec_fn=preparing,
        )
    except subprocess.TimeoutExpired:
        return Ended(-1, "", f"{TRACEBACK}: no end after {MOST_SECONDS} s", float(MOST_SECONDS))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Ended(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"), cpu)


# To make it takes as long as a small scan.
_PARSERS = lru_cache(cli.parser_of)


def _kept_parser(names: Sequence[str]) -> argparse.ArgumentParser:
    return _PARSERS(tuple(names))


cli.parser_of = _kept_parser


def here(*arguments: str | Path) -> Ended:
    """The command in this process, which is faster."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            status = cli.main([str(argument) for argument in arguments])
        except SystemExit as ended:
            status = int(ended.code or 0)
    return Ended(status, output.getvalue(), errors.getvalue(), 0.0)


def git(root: Path, *arguments: str, stdin: bytes = b"", check: bool = True, **settings: str) -> str:
    """What git prints, without white space around it."""
    names = {f"GIT_{role}_NAME": "Ada" for role in ("AUTHOR", "COMMITTER")}
    mails = {f"GIT_{role}_EMAIL": "ada@example.org" for role in ("AUTHOR", "COMMITTER")}
    options = ("-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", "-c", "gc.auto=0")
    variables = environment({**names, **mails, "GIT_CONFIG_GLOBAL": os.devnull, **settings})
    done = subprocess.run(
        ["git", *options, *arguments], cwd=root, env=variables, input=stdin, capture_output=True, check=False
    )
    if check and done.returncode:
        raise RuntimeError(f"git {arguments[0]}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def build(files: Mapping[str, str | bytes], index: Path, *options: str, name: str = "known") -> Path:
    """An index of some files."""
    with tempfile.TemporaryDirectory(dir=index.parent) as folder:
        for path, content in files.items():
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())
        done = winnow("index", "build", folder, "--output", index, "--name", name, *options, cwd=index.parent)
    if done.status:
        raise RuntimeError(done.told("index build"))
    return index


def judged(
    what: str, ended: Ended, *, is_held: bool, limit: str = "", files: Mapping[str, bytes] | None = None
) -> Outcome:
    """The outcome of a trial that is one command."""
    if ended.is_bug:
        return Outcome(Verdict.TRACEBACK, what, ended.told(), files or {}, ended.cpu)
    if is_held:
        return Outcome(Verdict.HELD, what, f"status {ended.status}", cpu=ended.cpu)
    verdict = Verdict.LIMIT if limit else Verdict.MISSED
    return Outcome(verdict, what, limit or ended.told(), files or {}, ended.cpu)
