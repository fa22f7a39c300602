"""The errors that a user sees, each with its exit status.

A message has two lines: what is wrong and where, then what to do about it. Exit statuses are a public contract
(docs/exit-codes.md).
"""

from __future__ import annotations

from enum import IntEnum


class ExitStatus(IntEnum):
    """What the process tells its caller."""

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    CANNOT_SCAN = 3
    BUG = 4
    INTERRUPTED = 130


class WinnowError(Exception):
    """Base of every error that is the user's to mend.

    Args:
        problem: what is wrong, and where, on one line.
        remedy: what to do about it, on one line.
    """

    exit_status = ExitStatus.CANNOT_SCAN

    def __init__(self, problem: str, remedy: str) -> None:
        # Both, so that an error survives the way from a worker process.
        super().__init__(problem, remedy)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.problem}\n{self.remedy}"


class UsageError(WinnowError):
    """The command line asks for something that cannot be done."""

    exit_status = ExitStatus.USAGE


class ConfigError(WinnowError):
    """The configuration file is not what it should be."""

    exit_status = ExitStatus.USAGE


class GitError(WinnowError):
    """Git is absent, failed, or does not know what it was asked for."""


class CIError(WinnowError):
    """What a CI says of its event is missing, or not as documented."""


class CorpusError(WinnowError):
    """Reference code could not be read."""


class FetchError(WinnowError):
    """What was to be fetched could not be had, or is not what it should be."""


class LexerError(WinnowError):
    """The process that lexes cannot be started."""


class IndexFileError(WinnowError):
    """An index is missing, damaged, foreign, newer, or made with other parameters."""


class Interrupted(WinnowError):  # noqa: N818 - it is the user's wish, and no error
    """The user has stopped what was under way, and what was done is kept."""

    exit_status = ExitStatus.INTERRUPTED
