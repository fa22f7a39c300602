"""One repository, found the way git finds it; every git command goes through it.

Hooks and linked worktrees pass GIT_DIR, GIT_WORK_TREE and GIT_INDEX_FILE, often relative to a directory. Git resolves
them once. After that, every command runs at the root of the work tree with all three absolute, so that the directory
in which winnow-ci was started makes no difference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from winnow_ci.errors import GitError
from winnow_ci.git.plumbing import (
    CAT_FILE,
    FETCH,
    FETCH_ENVIRONMENT,
    Conversation,
    Subject,
    answer_of,
    command_failure,
    is_full_id,
    not_understood,
    printable,
    start_git,
)
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.processes import ChildProcess, ProcessLimitError, ProcessLimits, ProcessResult

# If HEAD names no commit yet, the output lacks it.
_WHERE = (
    *"rev-parse --path-format=absolute --git-dir --git-path index --show-toplevel".split(),
    *("--revs-only", "HEAD^{commit}"),
)
_FILTERS = ("config", "--null", "--name-only", "--get-regexp", r"^filter\.")
_EMPTY = "WINNOW_CI_EMPTY"
# The variables of `git rev-parse --local-env-vars` that say where things are.
_OF_THE_CALLER = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE"),
    *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH"),
    *("GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE", "GIT_IMPLICIT_WORK_TREE"),
)


class Repository(NamedTuple):
    """A git repository."""

    root: Path | None  # of the work tree; None where there is none (bare, or started inside ``.git``)
    git_dir: Path
    environment: Mapping[str, str]  # makes git see this repository from anywhere
    options: tuple[str, ...]  # of git itself, which switch off the configured content filters
    head: str | None = None  # the commit of HEAD when the repository was found, if there was one and a work tree
    idle: Mapping[Subject, list[Conversation]] = MappingProxyType({})  # those to go on with, in ``keeping_answers``

    @classmethod
    def find(cls, start: Path, *options: str) -> Repository:
        """Find the repository that git would use in an existing folder, given options of git itself."""
        if not os.access(start, os.X_OK) or not start.is_dir():
            raise GitError(
                f"no such folder, or not readable: {printable(str(start))}", "start winnow-ci in a repository"
            )
        # Git looks for both at once: a hook's user waits.
        with start_git((*options, *_FILTERS), start, {}, leads=True) as asked:
            git_dir, index, root, head = _locate(start, options)
            without_filters = _without_filters(answer_of(asked))
        environment = {"GIT_DIR": git_dir, "GIT_INDEX_FILE": index, _EMPTY: ""}
        if root is not None:
            environment["GIT_WORK_TREE"] = root
        return cls(None if root is None else Path(root), Path(git_dir), environment, without_filters, head)

    @classmethod
    def at(cls, place: Path) -> Repository:
        """Open the repository whose work tree or git directory a folder is; a folder within one is an error."""
        # A user who has git ignore bare repositories that it merely comes across may still name one.
        found = cls.find(place, "-c", "safe.bareRepository=all")
        itself = {os.path.realpath(folder) for folder in (found.root, found.git_dir) if folder is not None}
        if os.path.realpath(place) not in itself:
            outer = printable(str(found.root or found.git_dir))
            problem = f"{printable(str(place))} is not a repository, but a folder within {outer}"
            raise GitError(problem, f"name the repository itself: {outer}")
        return found

    def run(self, *arguments: str, given: bytes = b"", walks: bool = False) -> bytes:
        """Return the standard output of a git command; one that ``walks`` through history goes through GitPython."""
        answer = self.ask(*arguments, given=given, walks=walks)
        if answer.status:
            raise command_failure(arguments[0], answer)
        return answer.output

    def ask(self, *arguments: str, given: bytes = b"", walks: bool = False) -> ProcessResult:
        """Run a git command whose exit status says something. Otherwise see ``run``."""
        line = (*self.options, *arguments)
        with start_git(line, self._directory, self.environment, given, with_gitpython=walks) as process:
            answer = answer_of(process)
        if "could not open directory" in answer.complaint:
            # To git this is only a warning, but the files would be missing without a trace.
            raise command_failure(arguments[0], answer)
        return answer

    def start(self, *arguments: str, given: bytes | None = b"", leads: bool = True) -> ChildProcess:
        """Start a git command to listen to; see ``start_git``."""
        return start_git((*self.options, *arguments), self._directory, self.environment, given, leads=leads)

    def fetch(self, *wanted: str, seconds: float) -> ProcessResult:
        """Fetch from a remote, whatever the status; the only command that uses a transport, and that writes.

        ``wanted`` are options of ``git fetch``, the remote and what to fetch; after ``seconds`` it is stopped.
        """
        arguments, environment = (*self.options, *FETCH, *wanted), {**self.environment, **FETCH_ENVIRONMENT}
        try:
            with start_git(arguments, self._directory, environment, leads=True, with_gitpython=True) as process:
                return process.collect(ProcessLimits(seconds))
        except ProcessLimitError:
            return ProcessResult(-1, b"", f"fatal: no answer within {seconds:g} seconds".encode())

    @contextmanager
    def keeping_answers(self) -> Iterator[Repository]:
        """Return the same repository, which keeps git running for questions about objects until the context ends."""
        idle: dict[Subject, list[Conversation]] = {}
        try:
            # Git starts meanwhile.
            for subject in CAT_FILE:
                idle[subject] = [self._begin(subject)]
            yield self._replace(idle=idle)
        finally:
            for subject in [*idle]:
                for conversation in idle.pop(subject):
                    conversation.end()

    @contextmanager
    def conversation(self, subject: Subject) -> Iterator[Conversation]:
        """Return git, to be asked for contents or descriptions of objects until the context ends."""
        idle = self.idle.get(subject)
        taken = idle.pop() if idle else self._begin(subject)
        try:
            yield taken
        finally:
            if taken.is_idle and subject in self.idle:
                self.idle[subject].append(taken)
            else:
                taken.end()

    def _begin(self, subject: Subject) -> Conversation:
        return Conversation(self.start("cat-file", CAT_FILE[subject], given=None, leads=False))

    def require_work_tree(self) -> Path:
        """Return the root of the work tree; without one, there is no index worth a look either."""
        if self.root is None:
            raise GitError(
                f"{printable(str(self.git_dir))} has no work tree and no index to look at",
                "scan commits instead: --range A..B, or --all for all of HEAD",
            )
        return self.root

    def without_work_tree(self) -> Repository:
        """Return the same repository as a bare one, so that nothing in the work tree is read."""
        environment = {name: value for name, value in self.environment.items() if name != "GIT_WORK_TREE"}
        return self._replace(root=None, environment=environment)

    @property
    def _directory(self) -> Path:
        return self.root or self.git_dir


def forget_callers_repository() -> None:
    """Forget the variables that would make git use a hook's repository in other folders; those with settings stay."""
    for variable in _OF_THE_CALLER:
        os.environ.pop(variable, None)


def _locate(start: Path, options: Sequence[str]) -> tuple[str, str, str | None, str | None]:
    """Return git directory, index and root of the work tree, all absolute, and the id of HEAD's commit."""
    with start_git((*options, *_WHERE), start, {}) as process:
        answer = answer_of(process)
    lines = [os.fsdecode(line) for line in answer.output.split(b"\n")[:-1]]
    if answer.status and "must be run in a work tree" in answer.complaint:
        lines.append("")
    elif "not a git repository (or any" in answer.complaint:
        remedy = "go into one, or make one: git init (in CI: check the code out first); winnow-ci check FILE needs none"
        raise GitError(f"{printable(str(start))} is not in a git repository", remedy)
    elif answer.status:
        raise command_failure(f"{_WHERE[0]} in {printable(str(start))}", answer)
    if any("\0" in line for line in lines):
        raise not_understood(answer.output)
    head = lines.pop() if len(lines) == 4 and is_full_id(lines[-1]) else None
    if len(lines) != 3:
        raise GitError(
            f"git names {len(lines)} paths instead of 3 for the repository at {printable(str(start))}",
            "move the repository to a path without line breaks",
        )
    return lines[0], lines[1], lines[2] or None, head


def _without_filters(answer: ProcessResult) -> tuple[str, ...]:
    """Return options that empty every ``filter.<name>`` that is configured.

    ``-c`` would take a ``=`` in the name for its own.
    """
    if answer.status not in {0, 1}:
        raise command_failure("config", answer)
    keys = {os.fsdecode(key) for key in answer.output.split(b"\0") if key.count(b".") >= 2}
    drivers = sorted({key.rpartition(".")[0] for key in keys})
    return tuple(
        f"--config-env={driver}.{setting}={_EMPTY}"
        for driver in drivers
        for setting in ("clean", "smudge", "process", "required")
    )
