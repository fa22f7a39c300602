"""Runs git's plumbing so that nothing a repository configures can start a program, reach the network or write.

A repository is somebody else's: its configuration may name programs for git to start (a file system monitor, hooks,
diff drivers, content filters, transports), and its replacement refs may show another object than the one asked for.
Every command therefore carries the settings below, and this package issues none that starts a diff driver or writes.
Content filters have no switch of their own; ``repository`` adds a setting for each one that is configured.

One command may use the network, and stores what it gets: ``fetch``, for a CI whose clone has too little history. It
speaks https, ssh or to a folder, whichever the remote is; it takes the credentials that the checkout has left in the
configuration or the URL, and starts no credential helper and no ssh command that a repository names; it cannot ask
anybody, since it has no terminal; and its time is limited.
"""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from winnow_ci.errors import GitError
from winnow_ci.git.complaints import printable

# GitPython runs `git version` when it is imported and makes an ImportError of a missing git. Told to be quiet, it
# leaves that to the first command, which can say so properly.
os.environ["GIT_PYTHON_REFRESH"] = "quiet"

from git.cmd import Git
from git.exc import GitCommandNotFound

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_SETTINGS = (
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.sshCommand=false",
    "core.quotePath=false",
    "diff.external=",
    "log.showSignature=false",
    "protocol.allow=never",
)
_COMMAND = (
    "git",
    "--no-pager",
    "--literal-pathspecs",
    "--no-optional-locks",
    "--no-replace-objects",
    *(part for setting in _SETTINGS for part in ("-c", setting)),
)
_ENVIRONMENT = {
    # A repository's `protocol.ext.allow=always` beats our `protocol.allow=never`; this beats both.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ASKPASS": "true",
    "LC_ALL": "C",
    # Would fill the error pipe of a long-lived process, which is read only once it has ended.
    "GIT_TRACE_PACK_ACCESS": "0",
}

# The last of two settings counts, and a list of helpers begins anew after an empty one. What lists the tips of an
# alternate object store has to be some program.
_FETCH = (
    *("-c", "core.sshCommand=ssh -o BatchMode=yes"),
    *("-c", "core.alternateRefsCommand=true"),
    *("-c", "credential.helper="),
    "fetch",
    "--quiet",
    "--no-progress",
    "--no-tags",
    "--no-prune",
    "--no-prune-tags",
    "--no-filter",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
    "--no-write-commit-graph",
    "--no-write-fetch-head",
    "--refmap=",
    "--upload-pack=git-upload-pack",
)
_FETCH_ENVIRONMENT = {"GIT_ALLOW_PROTOCOL": "file:https:ssh", "SSH_ASKPASS_REQUIRE": "never"}


class Answer(NamedTuple):
    """What a git command leaves behind: exit status, standard output, error text."""

    status: int
    output: bytes
    complaint: str


def run(
    arguments: Sequence[str], directory: Path, environment: Mapping[str, str], questions: BinaryIO | None = None
) -> Answer:
    """Run a git command to its end, whatever its status.

    Args:
        arguments: further options of git itself, the subcommand and its arguments.
        directory: where to run it.
        environment: variables on top of the process's own and of the hardening.
        questions: a real file to be its standard input, which is empty otherwise.

    Raises:
        GitError: git cannot be started.
    """
    try:
        status, output, complaint = Git(directory).execute(
            [*_COMMAND, *arguments],
            istream=questions,
            with_exceptions=False,
            with_extended_output=True,
            stdout_as_string=False,
            strip_newline_in_stdout=False,
            shell=False,
            env={**_ENVIRONMENT, **environment},
        )
    except (GitCommandNotFound, OSError) as error:
        raise _cannot_start(error) from error
    return Answer(status, output, complaint)


def fetch(
    options: Sequence[str], wanted: Sequence[str], directory: Path, environment: Mapping[str, str], seconds: float
) -> Answer:
    """Run ``git fetch``; after ``seconds`` it is stopped, with all that it has started.

    Args:
        options: further options of git itself.
        wanted: options of the subcommand, the remote and what to fetch.
        directory: where to run it.
        environment: as for ``run``.
        seconds: when to give up.

    Raises:
        GitError: git cannot be started.
    """
    try:
        handle = Git(directory).execute(
            [*_COMMAND, *options, *_FETCH, *wanted],
            as_process=True,
            shell=False,
            env={**_ENVIRONMENT, **environment, **_FETCH_ENVIRONMENT},
            start_new_session=True,
        )
    except (GitCommandNotFound, OSError) as error:
        raise _cannot_start(error) from error
    assert handle.proc is not None
    with handle.proc as process:
        try:
            output, complaint = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            _stop(process)
            return Answer(-1, b"", f"fatal: no answer within {seconds:g} seconds")
        except BaseException:
            _stop(process)
            raise
    return Answer(process.returncode, output, complaint.decode(errors="replace"))


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop the leader of a session and all that it has started, which may hold its output open."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def converse(
    arguments: Sequence[str], directory: Path, environment: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a git command that answers questions one by one; it ends with the context. See ``run``."""
    try:
        handle = Git(directory).execute(
            [*_COMMAND, *arguments],
            istream=subprocess.PIPE,
            as_process=True,
            shell=False,
            env={**_ENVIRONMENT, **environment},
        )
    except (GitCommandNotFound, OSError) as error:
        raise _cannot_start(error) from error
    assert handle.proc is not None
    with handle.proc as process:
        yield process


def _cannot_start(error: Exception) -> GitError:
    if isinstance(error, GitCommandNotFound):
        return GitError("git was not found on the PATH", "install git 2.31 or newer, or mend the PATH")
    return GitError(f"git cannot be started: {printable(str(error))}", "see that `git --version` works here")
