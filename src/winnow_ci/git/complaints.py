"""Turns what git says when it fails into an error with something to do about it."""

from __future__ import annotations

import re

from winnow_ci.errors import GitError

_COMPLAINT = re.compile(r"^(?:fatal|error): (.*)$", re.MULTILINE)
_SAFE_DIRECTORY = re.compile(r"^\s*git config --global --add safe\.directory (.+)$", re.MULTILINE)


def printable(text: str) -> str:
    r"""Return text from outside with control, bidirectional and undecodable characters written as escapes (``\n``)."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def failure(command: str, status: int, complaint: str) -> GitError:
    """Return the error for a git command that ended with ``status`` after writing ``complaint`` on standard error."""
    return GitError(f"git {command} failed: {first_line(complaint) or f'status {status}'}", _remedy(complaint))


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
