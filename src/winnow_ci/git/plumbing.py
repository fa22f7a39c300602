"""Run git's plumbing so that no repository's configuration can start a program, reach the network or write.

A repository is somebody else's: its configuration may name programs for git to start, its replacement refs may show
another object than the one asked for, and its grafts and its commit graph may give commits other parents than they
name. So every command carries the settings below, and no command is used that starts a diff driver or writes. Content
filters have no switch of their own; ``repository`` adds a setting for each configured one.

One command uses the network and stores what it gets: ``git fetch``, for a CI whose clone has too little history. It
takes the credentials that the checkout has left in the configuration or the URL, but starts no credential helper and
no ssh command that a repository names. It has no terminal to ask anybody, and its time is limited.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from errno import ENOENT
from pathlib import Path
from typing import Literal, TypeAlias

from winnow_ci import processes, system
from winnow_ci.errors import GitError
from winnow_ci.processes import ChildProcess, ProcessLimitError, ProcessLimits, ProcessResult, standard_input
from winnow_ci.start_up import compiled_on_use

ObjectKind: TypeAlias = Literal["blob", "commit", "tree"]
Subject: TypeAlias = Literal["contents", "descriptions"]

_SETTINGS = (
    "core.fsmonitor=false core.untrackedCache=false core.hooksPath=/dev/null core.attributesFile=/dev/null "
    "core.sshCommand=false core.quotePath=false core.commitGraph=false diff.external= log.showSignature=false "
    "i18n.logOutputEncoding=UTF-8 protocol.allow=never"
).split()
_COMMAND = (
    *"git --no-pager --literal-pathspecs --no-optional-locks --no-replace-objects".split(),
    *(part for setting in _SETTINGS for part in ("-c", setting)),
)
_ENVIRONMENT = {
    # A repository's `protocol.ext.allow=always` beats our `protocol.allow=never`; this beats both.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_GRAFT_FILE": "/dev/null",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ASKPASS": "true",
    "LC_ALL": "C",
}

# The last of two settings counts, and an empty credential helper clears the list of those before it. What lists the
# tips of an alternate object store has to be some program.
FETCH = (
    *("-c", "core.sshCommand=ssh -o BatchMode=yes"),
    *"-c core.alternateRefsCommand=true -c credential.helper= fetch --quiet --no-progress --no-tags".split(),
    *"--no-prune --no-prune-tags --no-filter --no-recurse-submodules --no-auto-maintenance".split(),
    *"--no-write-commit-graph --no-write-fetch-head --refmap= --upload-pack=git-upload-pack".split(),
)
FETCH_ENVIRONMENT = {"GIT_ALLOW_PROTOCOL": "file:https:ssh", "SSH_ASKPASS_REQUIRE": "never"}

SECONDS = 600.0  # for any command, and between two answers: listing millions of files takes some minutes
MOST_GIT_OUTPUT = 1 << 30  # the most output of a command: the names of some ten million files

# The kinds of questions, and the option of ``git cat-file`` for each.
CAT_FILE: dict[Subject, str] = {"contents": "--batch", "descriptions": "--batch-check"}
_LONGEST_LINE = 1 << 10

_OBJECT_ID = compiled_on_use(rb"[0-9a-f]{40}|[0-9a-f]{64}")
_COMPLAINT = compiled_on_use(r"^(?:fatal|error): (.*)$", re.MULTILINE)
_SAFE_DIRECTORY = compiled_on_use(r"^\s*git config --global --add safe\.directory (.+)$", re.MULTILINE)
_CHECK_GIT = "check that `git --version` shows 2.31 or newer, and that `git fsck` finds no damage"
_REMEDIES = {
    "not a git repository": "run winnow-ci inside a git repository (in CI: check the code out first)",
    "promisor remote": "this is a partial clone: run `git fetch --refetch --no-filter`, or clone without --filter",
    "could not open directory": "make the folder readable, or let git ignore it",
}


class GitCommandError(GitError):
    """A git command failed, as its exit status says."""


def start_git(
    arguments: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    given: bytes | None = b"",
    *,
    leads: bool = False,
    with_gitpython: bool = False,
) -> ChildProcess:
    """Start a git command in a directory; it ends with the context.

    ``arguments`` are further options of git, the subcommand and its arguments; ``environment`` comes on top of our own
    and of the hardening. ``given`` is the standard input, None for a pipe. If it ``leads``, all it starts ends with
    it. ``with_gitpython`` is for commands that fetch or walk through history, which no commit hook needs.
    """
    start = _start_with_gitpython if with_gitpython else processes.start
    variables = {**os.environ, **_ENVIRONMENT, **environment}
    try:
        return start([*_COMMAND, *arguments], directory, variables, given=given, leads=leads)
    except OSError as error:
        raise _not_started(error) from error


def _start_with_gitpython(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], *, given: bytes | None, leads: bool
) -> ChildProcess:
    # GitPython runs `git version` when it is imported, without a limit, and raises ImportError if there is no git or it
    # fails. With nothing to run it leaves all errors to the first command, which can say so properly.
    os.environ["GIT_PYTHON_REFRESH"] = "quiet"
    os.environ["GIT_PYTHON_GIT_EXECUTABLE"] = os.devnull
    from git.cmd import Git  # noqa: PLC0415 - the import takes as long as that of NumPy
    from git.exc import GitCommandNotFound  # noqa: PLC0415

    try:
        with standard_input(given) as stdin:
            handle = Git(folder).execute(
                [system.program(command[0]), *command[1:]],
                istream=stdin,
                as_process=True,
                shell=False,
                env=environment,
                start_new_session=leads,
            )
    except GitCommandNotFound as error:
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), command[0]) from error
    # The handle would end the process as soon as nobody refers to it.
    process, handle.proc = handle.proc, None
    assert process is not None
    return ChildProcess(process, leads=leads)


def answer_of(process: ChildProcess) -> ProcessResult:
    """Wait for a command to end, whatever its status."""
    try:
        return process.collect(ProcessLimits(SECONDS, output=MOST_GIT_OUTPUT))
    except ProcessLimitError as error:
        raise exceeded(error) from error


def printable(text: str) -> str:
    r"""Return text from outside with control, bidirectional and undecodable characters written as escapes (``\n``)."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def decoded(path: bytes) -> str:
    """Return a path as text; bytes that are not UTF-8 become surrogates (PEP 383)."""
    return path.decode("utf-8", "surrogateescape")


def lines_of_input(words: Sequence[str]) -> bytes:
    """Return words as git reads them, one a line."""
    return "".join(f"{word}\n" for word in words).encode("utf-8", "surrogateescape")


def is_full_id(text: str) -> bool:
    """Return whether a text is a full object id."""
    return _OBJECT_ID.fullmatch(text.encode(errors="replace")) is not None


def object_ids(output: bytes) -> list[str]:
    """Return the full ids that git prints, with white space between them, and nothing else."""
    words = output.split()
    for word in words:
        if not _OBJECT_ID.fullmatch(word):
            raise not_understood(word)
    return [word.decode() for word in words]


def only_object_id(output: bytes) -> str:
    """Return the one full id that git prints; otherwise see ``object_ids``."""
    found = object_ids(output)
    if len(found) != 1:
        raise not_understood(output)
    return found[0]


class Conversation:
    """``git cat-file`` while it runs; ``process`` ends when ``end`` is called."""

    def __init__(self, process: ChildProcess) -> None:
        self._process, self._held, self._unanswered = process, b"", 0

    @property
    def is_idle(self) -> bool:
        """Whether it has answered all that it was asked, and can be asked more."""
        return self._unanswered == 0

    def ask(self, names: Sequence[str]) -> None:
        """Ask for objects, by names without line breaks."""
        self._unanswered += len(names)
        try:
            # Not through the buffer: it would write again when it is closed, and raise another error than this one.
            os.write(self._process.input.fileno(), lines_of_input(names))
        except OSError as error:  # on Windows, not always a broken pipe
            raise self._ended(names[0]) from error

    def description(self, name: str) -> list[bytes]:
        """Return id, kind and size of the next object that was asked for, or ``<name> missing``."""
        line = self._line()
        if not line.endswith(b"\n"):
            raise self._ended(name)
        self._unanswered -= 1
        return line[:-1].split(b" ")

    def content(self, object_id: str, kind: ObjectKind) -> bytes:
        """Return the content of the next object that was asked for: ``<id> <kind> <size>`` LF content LF."""
        header = self._line().split()
        if len(header) != 3 or header[:2] != [object_id.encode(), kind.encode()] or not header[2].isdigit():
            raise self._ended(object_id)
        size = int(header[2])
        content = self._take(size)
        if len(content) != size or self._take(1) != b"\n":
            raise self._ended(object_id)
        self._unanswered -= 1
        return content

    def end(self) -> None:
        """End the command."""
        self._process.kill()
        self._process.close()

    def _line(self) -> bytes:
        while b"\n" not in self._held and len(self._held) < _LONGEST_LINE and (more := self._next()):
            self._held += more
        line, end, self._held = self._held.partition(b"\n")
        return line + end

    def _take(self, size: int) -> bytes:
        parts = [self._held[:size]]
        missing, self._held = size - len(parts[0]), self._held[size:]
        while missing > 0 and (more := self._next()):
            parts.append(more[:missing])
            missing, self._held = missing - len(parts[-1]), more[missing:]
        return b"".join(parts)

    def _next(self) -> bytes:
        try:
            return self._process.next_output(SECONDS)
        except ProcessLimitError as error:
            raise exceeded(error) from error

    def _ended(self, object_id: str) -> GitCommandError:
        result = ProcessResult(self._process.kill(), b"", self._process.last_errors())
        return command_failure(f"cat-file of {object_id}", result)


def _not_started(error: OSError) -> GitError:
    if isinstance(error, (FileNotFoundError, NotADirectoryError)) and error.filename == _COMMAND[0]:
        remedy = "install git 2.31 or newer, or fix the PATH (only absolute folders in it count)"
        return GitError("git was not found on the PATH", remedy)
    return GitError(f"git cannot be started: {printable(str(error))}", "check that `git --version` works here")


def not_understood(output: bytes) -> GitError:
    """Return the error for output that is not in the format that git documents."""
    return GitError(f"unexpected output from git: {output[:80]!r}", _CHECK_GIT)


def exceeded(error: ProcessLimitError) -> GitError:
    """Return the error for a git command that was stopped because of a limit."""
    if error.limit == "output":
        problem = f"git printed more than {MOST_GIT_OUTPUT >> 30} GiB"
    else:
        problem = f"git did not finish within {SECONDS / 60:g} minutes"
    return GitError(problem, "check that `git status` and `git fsck` finish here; nothing was scanned")


def command_failure(command: str, result: ProcessResult) -> GitCommandError:
    """Return the error for a git command that failed."""
    complaint = result.complaint
    why = first_line(complaint) or f"status {result.status}"
    if found := _SAFE_DIRECTORY.search(complaint):
        remedy = f"if you trust it, run: git config --global --add safe.directory {printable(found[1])}"
    else:
        remedy = next((remedy for sign, remedy in _REMEDIES.items() if sign in complaint), _CHECK_GIT)
    return GitCommandError(f"git {command} failed: {why}", remedy)


def first_line(complaint: str) -> str:
    """Return the line that says what is wrong; warnings and traces may stand before it."""
    found = _COMPLAINT.search(complaint)
    return printable(found[1] if found else complaint.strip().partition("\n")[0])
