"""Find copied code in a change, from a git hook.

Look up a change from a git hook. Without --pre-push or --pre-receive, the change is what is staged, in all files or in
those that you name. A named file that is unchanged since HEAD is left out; in CI it counts as new.

The runner of the hook says what to compare: file names and PRE_COMMIT_* variables from pre-commit, lines about refs on
standard input from git. Contents come from the index or from commits, never from the work tree, which may show
another branch by then. Only a file that git does not track yet is read from there.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from winnow_ci import ci, git, run_log
from winnow_ci.cli import choices, messages, scan
from winnow_ci.errors import ExitStatus, UsageError
from winnow_ci.model.changes import ChangeSet


def add_to(parser: argparse.ArgumentParser) -> None:
    add, when = parser.add_argument, parser.add_mutually_exclusive_group()
    add("-h", "--help", action=_Help, help="show this help message and exit")
    pushed = "what is pushed: from pre-commit's variables or, in git's own hook, from standard input"
    when.add_argument("--pre-push", action="store_true", help=pushed)
    received = "what is pushed to this repository, from standard input"
    when.add_argument("--pre-receive", action="store_true", help=received)
    names = "a file to look at; with --pre-push: the remote's name and address"
    add("names", nargs="*", metavar="FILE", help=names)
    choices.add_rules(parser, of_a_change=True)
    choices.add_reports(parser)


class _Help(argparse.Action):
    """Shows the help, unless a file name asks for it: argparse would exit with status 0 before the scan."""

    def __init__(self, option_strings: Sequence[str], dest: str, **settings: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, **settings)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        _refuse_disguised_files(sys.argv[1:])
        parser.print_help()
        parser.exit()


def run(arguments: argparse.Namespace) -> int:
    _refuse_disguised_files(sys.argv[1:])
    repository = git.Repository.find(Path.cwd())
    if arguments.pre_receive:
        repository = repository.without_work_tree()
    with run_log.stage("change"):
        changes = _changes(arguments, repository)
    if changes:
        return scan.scan_and_report(repository, changes, arguments)
    messages.note("nothing is pushed: nothing to look up")
    return ExitStatus.CLEAN


def _refuse_disguised_files(argv: Sequence[str]) -> None:
    """Refuse file names that look like options: a hook's runner appends names from the change."""
    # A file called `--` ends the options as well: then it must not be the only one.
    before = argv[: argv.index("--")] if argv.count("--") > 1 else argv[: [*argv, "--"].index("--") + 1]
    for word in before:
        if word.startswith("-") and os.path.lexists(word):
            problem = f"{word} is an option, but also the name of a file here"
            raise UsageError(problem, "end the options with -- (pre-commit: `args: [..., --]`), or rename the file")


def _changes(arguments: argparse.Namespace, repository: git.Repository) -> Sequence[ChangeSet]:
    names = arguments.names
    if arguments.pre_receive:
        remedy = "it reads the pushed refs from standard input, in git's format"
        _require(not names, "--pre-receive takes no names", remedy)
        return git.received(repository, _standard_input())
    if arguments.pre_push:
        return _pushed(repository, names)
    if commits := _commits():
        return [git.narrow(repository, git.between(repository, commits), names)]
    # On a CI nobody commits: who names a file there wants to know about it.
    return [git.staged_in(repository, names, all_as_new=ci.is_ci(os.environ)) if names else git.staged(repository)]


def _pushed(repository: git.Repository, names: Sequence[str]) -> Sequence[ChangeSet]:
    if os.environ.get("PRE_COMMIT"):
        _require(not names, "--pre-push takes no file names from pre-commit", "set `pass_filenames: false`")
        if commits := _commits():
            return [git.between(repository, commits)]
        # It names no commits if a branch is pushed from its root, or if nothing is pushed.
        pushed = os.environ.get("PRE_COMMIT_LOCAL_BRANCH") or "HEAD"
        return [git.unsent(repository, pushed, os.environ.get("PRE_COMMIT_REMOTE_NAME", ""))]
    remedy = 'pass on the arguments from git: "$@"'
    _require(len(names) in {0, 2}, "--pre-push takes a remote's name and address", remedy)
    lines = _standard_input()
    if lines or names:
        return git.sent(repository, lines, names[0] if names else "")
    return [git.unsent(repository, "HEAD", "")]


def _standard_input() -> bytes:
    return b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read()


def _commits() -> str | None:
    """The commits that pre-commit compares, from their merge base on."""
    base, head = os.environ.get("PRE_COMMIT_FROM_REF"), os.environ.get("PRE_COMMIT_TO_REF")
    return f"{base}...{head}" if base and head else None


def _require(condition: bool, problem: str, remedy: str) -> None:
    if not condition:
        raise UsageError(problem, remedy)
