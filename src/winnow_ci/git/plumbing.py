"""Runs git's plumbing so that nothing a repository configures can start a program, reach the network or write.

A repository is somebody else's: its configuration may name programs for git to start (a file system monitor, hooks,
diff drivers, content filters, transports), and its replacement refs may show another object than the one asked for.
Its grafts and its commit graph, which nobody checks, may give commits other parents than the commits themselves name.
Every command therefore carries the settings below, and this package uses no command that starts a diff driver or
writes. Content filters have no switch of their own; ``repository`` adds a setting for each configured one.

One command uses the network and stores what it gets: ``fetch``, for a CI whose clone has too little history. It fetches
by https, by ssh or from a folder, as the remote says, with the credentials that the checkout has left in the
configuration or the URL. It starts no credential helper and no ssh command that a repository names, it cannot ask
anybody, since it has no terminal, and its time is limited.

GitPython starts that command, and those that walk through history (``gitpython``). A commit hook needs neither, and its
user would wait for the import.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from winnow_ci import processes
from winnow_ci.errors import GitError
from winnow_ci.processes import ProcessLimitError, ProcessLimits, ProcessResult
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from winnow_ci.processes import ChildProcess

_SETTINGS = (
    "core.fsmonitor=false core.untrackedCache=false core.hooksPath=/dev/null core.attributesFile=/dev/null "
    "core.sshCommand=false core.quotePath=false core.commitGraph=false diff.external= log.showSignature=false "
    "protocol.allow=never"
).split()
_COMMAND = (
    *"git --no-pager --literal-pathspecs --no-optional-locks --no-replace-objects".split(),
    *(part for setting in _SETTINGS for part in ("-c", setting)),
)
_ENVIRONMENT = {
    # A repository's `protocol.ext.allow=always` beats our `protocol.allow=never`; this beats both.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ASKPASS": "true",
    "LC_ALL": "C",
}

# The last of two settings counts, and an empty credential helper clears the list of those before it. What lists the
# tips of an alternate object store has to be some program.
_FETCH = (
    *("-c", "core.sshCommand=ssh -o BatchMode=yes"),
    *"-c core.alternateRefsCommand=true -c credential.helper= fetch --quiet --no-progress --no-tags".split(),
    *"--no-prune --no-prune-tags --no-filter --no-recurse-submodules --no-auto-maintenance".split(),
    *"--no-write-commit-graph --no-write-fetch-head --refmap= --upload-pack=git-upload-pack".split(),
)
_FETCH_ENVIRONMENT = {"GIT_ALLOW_PROTOCOL": "file:https:ssh", "SSH_ASKPASS_REQUIRE": "never"}
SECONDS = 600.0
"""What any command may take, and the longest silence of one that is being asked. Listing millions of files takes some
minutes where each of them must be looked at on a slow disk."""

MOST_OUTPUT = 1 << 30
"""Bytes that a command may write: the names of some ten million files."""

_OBJECT_ID = compiled_on_use(rb"[0-9a-f]{40}|[0-9a-f]{64}")
_COMPLAINT = compiled_on_use(r"^(?:fatal|error): (.*)$", re.MULTILINE)
_SAFE_DIRECTORY = compiled_on_use(r"^\s*git config --global --add safe\.directory (.+)$", re.MULTILINE)


class GitCommandError(GitError):
    """A git command ended with a status that says that it failed."""


def run(arguments: Sequence[str], directory: Path, environment: Mapping[str, str], given: bytes = b"") -> ProcessResult:
    """Run a git command to its end, whatever its status.

    Args:
        arguments: further options of git itself, the subcommand and its arguments.
        directory: where to run it.
        environment: variables on top of the process's own and of the hardening.
        given: its standard input.

    Raises:
        GitError: git cannot be started, or exceeds a bound.
    """
    with _started(arguments, directory, environment, given) as process:
        return answer(process)


def walk(
    arguments: Sequence[str], directory: Path, environment: Mapping[str, str], given: bytes = b""
) -> ProcessResult:
    """Run a command that walks through history, as GitPython does. Otherwise see ``run``."""
    with _started_by_gitpython(arguments, directory, environment, given) as process:
        return answer(process)


def fetch(
    options: Sequence[str], wanted: Sequence[str], directory: Path, environment: Mapping[str, str], seconds: float
) -> ProcessResult:
    """Run ``git fetch``; after ``seconds`` it is stopped, with all that it has started.

    ``options`` are options of git itself; ``wanted`` are those of the subcommand, the remote and what to fetch.
    Otherwise see ``run``.
    """
    arguments, with_transport = (*options, *_FETCH, *wanted), {**environment, **_FETCH_ENVIRONMENT}
    try:
        with _started_by_gitpython(arguments, directory, with_transport, leads=True) as process:
            return process.collect(ProcessLimits(seconds))
    except ProcessLimitError:
        return ProcessResult(-1, b"", f"fatal: no answer within {seconds:g} seconds".encode())


def converse(arguments: Sequence[str], directory: Path, environment: Mapping[str, str]) -> ChildProcess:
    """Start a git command that answers questions one by one until the context ends. Otherwise see ``run``."""
    return _started(arguments, directory, environment, None)


def start(
    arguments: Sequence[str], directory: Path, environment: Mapping[str, str], given: bytes = b""
) -> ChildProcess:
    """Start a git command to listen to; it ends with the context, and so does all that it starts. See ``run``."""
    return _started(arguments, directory, environment, given, leads=True)


def answer(process: ChildProcess) -> ProcessResult:
    """What a command that was started has to say; it ends. See ``run``."""
    try:
        return process.collect(ProcessLimits(SECONDS, output=MOST_OUTPUT))
    except ProcessLimitError as error:
        raise exceeded(error) from error


def _started(
    arguments: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    given: bytes | None,
    *,
    leads: bool = False,
) -> ChildProcess:
    try:
        return processes.start([*_COMMAND, *arguments], directory, _variables(environment), given=given, leads=leads)
    except OSError as error:
        raise _not_started(error) from error


def _started_by_gitpython(
    arguments: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    given: bytes = b"",
    *,
    leads: bool = False,
) -> ChildProcess:
    from winnow_ci.git import gitpython  # noqa: PLC0415 - the import takes as long as that of NumPy

    try:
        return gitpython.start([*_COMMAND, *arguments], directory, _variables(environment), given=given, leads=leads)
    except OSError as error:
        raise _not_started(error) from error


def _variables(environment: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, **_ENVIRONMENT, **environment}


def _not_started(error: OSError) -> GitError:
    if isinstance(error, (FileNotFoundError, NotADirectoryError)) and error.filename == _COMMAND[0]:
        remedy = "install git 2.31 or newer, or fix the PATH (only absolute folders in it count)"
        return GitError("git was not found on the PATH", remedy)
    return GitError(f"git cannot be started: {printable(str(error))}", "see that `git --version` works here")


def printable(text: str) -> str:
    r"""Return text from outside with control, bidirectional and undecodable characters written as escapes (``\n``)."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def is_object_id(text: str) -> bool:
    """Tell whether a text is a full id."""
    return _OBJECT_ID.fullmatch(text.encode(errors="replace")) is not None


def object_ids(output: bytes) -> list[str]:
    """Return the full ids that git prints, with white space between them.

    Raises:
        GitError: there is something else.
    """
    words = output.split()
    for word in words:
        if not _OBJECT_ID.fullmatch(word):
            raise not_understood(word)
    return [word.decode() for word in words]


def object_id(output: bytes) -> str:
    """Return the full id that git prints; otherwise see ``object_ids``."""
    found = object_ids(output)
    if len(found) != 1:
        raise not_understood(output)
    return found[0]


def not_understood(output: bytes) -> GitError:
    """Return the error for output that is not in the format that git documents."""
    problem = f"what git says cannot be understood at {output[:80]!r}"
    return GitError(
        problem, "see that `git --version` says 2.31 or newer, and that `git fsck` finds the repository whole"
    )


def exceeded(error: ProcessLimitError) -> GitError:
    """Return the error for a git command that was stopped because of a limit."""
    what = f"git writes more than {MOST_OUTPUT >> 30} GiB" if error.limit == "output" else "git does not come to an end"
    took = "" if error.limit == "output" else f" within {SECONDS / 60:g} minutes"
    return GitError(what + took, "see whether `git status` and `git fsck` end here; nothing has been scanned")


def failure(command: str, result: ProcessResult) -> GitCommandError:
    """Return the error for a git command that failed."""
    why = first_line(result.complaint) or f"status {result.status}"
    return GitCommandError(f"git {command} failed: {why}", _remedy(result.complaint))


def first_line(complaint: str) -> str:
    """Return the line that says what is wrong; warnings and traces may stand before it."""
    found = _COMPLAINT.search(complaint)
    return printable(found[1] if found else complaint.strip().partition("\n")[0])


def _remedy(complaint: str) -> str:
    if found := _SAFE_DIRECTORY.search(complaint):
        return f"if you trust it, run: git config --global --add safe.directory {printable(found[1])}"
    if "not a git repository" in complaint:
        return "run winnow-ci inside a git repository (in CI: check the code out first)"
    if "promisor remote" in complaint:
        return "this is a partial clone: run `git fetch --refetch --no-filter`, or clone without --filter"
    if "could not open directory" in complaint:
        return "make the folder readable, or have git ignore it"
    return "git 2.31 or newer is needed (`git --version`); `git fsck` tells whether the repository is whole"
