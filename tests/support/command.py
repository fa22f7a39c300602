"""The command as a user or a CI job runs it: a process with arguments, an environment and an exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from support import in_process
from support.repository import IDENTITY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# PYTHONPATH stays, so that the tests also run where the package is not installed.
_SCRUBBED = ("CI", "COLUMNS", "FORCE_COLOR", "GIT_", "GITHUB_", "GITLAB_", "LANG", "LC_", "NO_COLOR", "PRE_COMMIT")
_SCRUBBED_PYTHON = ("PYTHONIOENCODING", "PYTHONUNBUFFERED", "PYTHONUTF8")
LONGEST = 60


@dataclass(frozen=True)
class Ended:
    """What a process leaves behind."""

    status: int
    output: str
    errors: str

    def report(self) -> dict[str, Any]:
        """The JSON on standard output."""
        assert self.output, self
        return dict(json.loads(self.output))

    def findings(self) -> list[dict[str, Any]]:
        """The findings in it."""
        return list(self.report()["findings"])

    def complaint(self, status: int) -> tuple[str, str]:
        """What it says is wrong, and what to do about it, having ended with that status and without a report."""
        assert self.status == status, self
        assert self.output == ""
        return self.last_words()

    def last_words(self) -> tuple[str, str]:
        """The two lines of an error, which stand last; of a file with several mistakes, the first line and the last."""
        assert "Traceback" not in self.errors, self.errors
        *before, remedy = self.errors.splitlines()
        problem = next(line for line in reversed(before) if not line.startswith((" ", "/")))
        assert problem.startswith("winnow-ci: error: "), self.errors
        assert problem == before[-1] or problem.endswith(" mistakes"), self.errors
        assert remedy
        return problem.removeprefix("winnow-ci: error: "), remedy


def environment(**settings: str) -> dict[str, str]:
    """The variables of a process: those of the tests, without what a user, a CI or a terminal would set."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_SCRUBBED)}
    for name in _SCRUBBED_PYTHON:
        kept.pop(name, None)
    # Identity and dates for git, so that commits are the same ones each time.
    return {**kept, **IDENTITY, "GIT_CONFIG_NOSYSTEM": "1", "PYTHONDONTWRITEBYTECODE": "1", **settings}


def command(*arguments: str | Path) -> list[str]:
    """The command line."""
    return [sys.executable, "-m", "winnow_ci", *map(str, arguments)]


def winnow(
    *arguments: str | Path, cwd: Path, given: bytes = b"", before: Callable[[], None] | None = None, **settings: str
) -> Ended:
    """Run the command to its end, with what it is given on standard input; ``before`` prepares the process."""
    if in_process.WANTED and before is None:
        variables = environment(**settings)
        status, output, errors = in_process.run([*map(str, arguments)], cwd, variables, given)
        return Ended(status, output.decode(), errors.decode())
    return process(*arguments, cwd=cwd, given=given, before=before, **settings)


def process(
    *arguments: str | Path, cwd: Path, given: bytes = b"", before: Callable[[], None] | None = None, **settings: str
) -> Ended:
    """Run the command in a process of its own, under wine as well."""
    done = subprocess.run(
        command(*arguments),
        cwd=cwd,
        env=environment(**settings),
        input=given,
        capture_output=True,
        preexec_fn=before,
        timeout=LONGEST,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def build(folder: Path, index: Path, *options: str | Path, name: str = "roads") -> Ended:
    """Build an index of a folder, which must succeed."""
    done = winnow("index", "build", folder.name, "--output", index, "--name", name, *options, cwd=folder.parent)
    assert done.status == 0, done
    return done
