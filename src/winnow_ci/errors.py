"""The errors that a user sees, each with its exit status.

A message has two lines: what is wrong and where, then what to do about it. Exit statuses are a public contract
(docs/exit-codes.md).
"""

from __future__ import annotations

from enum import IntEnum


class ExitStatus(IntEnum):
    """The exit status of the process."""

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    CANNOT_SCAN = 3
    BUG = 4
    INTERRUPTED = 130


class WinnowError(Exception):
    """Base of every error that the user can fix.

    Args:
        problem: what is wrong, and where, on one line.
        remedy: what to do about it, on one line.
    """

    exit_status = ExitStatus.CANNOT_SCAN

    def __init__(self, problem: str, remedy: str) -> None:
        # Both, so that an error can be unpickled when a worker process raises it.
        super().__init__(problem, remedy)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.problem}\n{self.remedy}"


class UsageError(WinnowError):
    """The command line asks for something that cannot be done."""

    exit_status = ExitStatus.USAGE


class ConfigError(WinnowError):
    """The configuration file is invalid."""

    exit_status = ExitStatus.USAGE


class GitError(WinnowError):
    """Git is missing, failed, or does not have what it was asked for."""


class CIError(WinnowError):
    """What the CI says about its event is missing, or not as documented."""


class CorpusError(WinnowError):
    """Reference code could not be read."""


class FetchError(WinnowError):
    """A source could not be fetched, or is not what it should be."""


class LexerError(WinnowError):
    """The lexer's process cannot be started."""


class IndexFileError(WinnowError):
    """An index is missing, damaged, no index at all, too new, or made with other parameters."""


class ReportFileError(WinnowError):
    """A report cannot be written."""


class Interrupted(WinnowError):  # noqa: N818 - the user wanted it, so it is not an error
    """The user has stopped the command; the work done so far is kept."""

    exit_status = ExitStatus.INTERRUPTED
