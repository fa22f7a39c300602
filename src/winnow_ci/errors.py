"""Define the errors that a user sees, each with its exit status, and suggestions for misspelled words.

A message has two lines: what is wrong and where, then what to do about it. Several mistakes in one file are one error
with two such lines for each. Exit statuses are a public contract (docs/exit-codes.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from pathlib import Path

_ALIKE = 0.65
# Endings of files are alike whatever else is.
_ALIKE_FILES = 0.8
# The time to compare grows with these; an index has thousands of sources, a repository of branches.
_LONGEST_COMPARED, _MOST_COMPARED = 100, 10_000


class ExitStatus(IntEnum):
    """The exit status of the process."""

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    CANNOT_SCAN = 3
    BUG = 4
    INTERRUPTED = 130


class WinnowError(Exception):
    """Base of every error that the user can fix: what is wrong and where, then what to do, each on one line."""

    exit_status = ExitStatus.CANNOT_SCAN

    def __init__(self, problem: str, remedy: str) -> None:
        # Both, so that an error can be unpickled when a worker process raises it.
        super().__init__(problem, remedy)
        self.problem = problem
        self.remedy = remedy

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines for people."""
        return self.problem, self.remedy

    def __str__(self) -> str:
        return "\n".join(self.lines)


class UsageError(WinnowError):
    """The command line asks for something that cannot be done."""

    exit_status = ExitStatus.USAGE


class ConfigError(WinnowError):
    """The configuration file is invalid."""

    exit_status = ExitStatus.USAGE


class InvalidFileError(ConfigError):
    """A file of a team has several mistakes; ``mistakes`` has problem and remedy of each."""

    def __init__(self, problem: str, remedy: str, mistakes: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(problem, remedy)
        self.mistakes = tuple(mistakes)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines for people."""
        if not self.mistakes:
            return super().lines
        shown = [line for problem, remedy in self.mistakes[:20] for line in (problem, f"  {remedy}")]
        more = len(self.mistakes[20:])
        return self.problem, *shown, *([f"and {more} more"] if more else [])


class GitError(WinnowError):
    """Git is missing, failed, or does not have what it was asked for."""


class CIError(WinnowError):
    """The CI's information about its event is missing, or not as documented."""


class CorpusError(WinnowError):
    """Reference code could not be read."""


class FetchError(WinnowError):
    """A source could not be fetched, or is not what it should be."""


class LexerError(WinnowError):
    """The lexer's process cannot be started."""


class EngineError(WinnowError):
    """The engine of a build, such as Spark, is missing, out of reach, or failed."""


class IndexFileError(WinnowError):
    """An index is missing, damaged, not an index, too new, or made with other parameters."""


class IndexKeyError(WinnowError):
    """The key of an index on a server is missing, not a key, or not secret."""


class ReportFileError(WinnowError):
    """A report cannot be written."""


class Interrupted(WinnowError):  # noqa: N818 - the user wanted it, so it is not an error
    """The user has stopped the command; the work done so far is kept."""

    exit_status = ExitStatus.INTERRUPTED


# ---- suggestions for remedies ----------------------------------------------------------------------------------


def did_you_mean(
    given: str,
    known: Iterable[str],
    otherwise: str,
    *,
    alike: float = _ALIKE,
    most: int = 1,
    shown: Callable[[str], str] = str,
) -> str:
    """Return a remedy: at most ``most`` words that may have been meant or, if none is alike, other advice.

    One with the same letters in another order, as in ``scna``, is the nearest. Otherwise ``alike`` of two words must
    agree, from 0 to 1, as ``difflib`` counts it.
    """
    import difflib  # noqa: PLC0415 - only mistakes need it

    written = given[:_LONGEST_COMPARED].lower()
    words = {word.lower(): word for word in list(known)[:_MOST_COMPARED]}
    anagrams = [word for word in words if sorted(word) == sorted(written)]
    near = anagrams[:1] or difflib.get_close_matches(written, words, most, alike)
    return f"did you mean {' or '.join(shown(words[word]) for word in near)}?" if near else otherwise


def did_you_mean_file(path: Path, otherwise: str) -> str:
    """Return a remedy: the file or folder beside a path whose name is most like its own, or other advice."""
    try:
        names = sorted(one.name for one in path.parent.iterdir() if one.name != path.name)
    except (OSError, ValueError):
        return otherwise
    return did_you_mean(
        path.name, names, otherwise, alike=_ALIKE_FILES, shown=lambda name: path.with_name(name).as_posix()
    )
