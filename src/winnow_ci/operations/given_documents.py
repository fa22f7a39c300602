"""Documents that somebody names or hands over, in a repository or not: no git is asked about them.

They belong to a folder: the nearest one, from the working folder upwards, that has a configuration or is the root of a
repository, else the working folder. Its rules for paths are about what lies below it; whatever else is given is looked
at whatever they say. Who writes a configuration decides what passes, so one that belongs to somebody else is not read
(git refuses such repositories as well, CVE-2022-24765).
"""

from __future__ import annotations

import os
import re
import stat
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.errors import ConfigError
from winnow_ci.git.line_diff import added_lines
from winnow_ci.model import Change, Skipped
from winnow_ci.model.changes import ChangedFile
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations import CONFIGURATION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from winnow_ci.policy.patterns import PathPatterns
    from winnow_ci.scanner.values import Contents

NAMELESS = "<stdin>"
"""What a text is called that has no name."""
_REPOSITORY = ".git"
_WILDCARD = re.compile(r"[*?[]")


class GivenDocument(NamedTuple):
    """A document to look up.

    Attributes:
        name: of its file, as it was given; it tells the language, and which rules for paths are about it.
        text: its content; None for that of the file.
        before: what of it is not new; None if all of it is.
    """

    name: str
    text: bytes | None = None
    before: bytes | None = None


def name_of(text: str) -> str:
    """Return a text from JSON as the name of a file: no system takes half of a surrogate pair."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")


def folder_of(start: Path) -> Path:
    """The folder that documents belong to which are given in the folder ``start``."""
    for folder in (start, *start.parents):
        if any(os.path.lexists(folder / name) for name in (CONFIGURATION, _REPOSITORY)):
            return folder
    return start


def place_of(folder: Path) -> str:
    """What the paths below a folder begin with in its repository, where a baseline names them from the root."""
    folders = (folder, *folder.parents)
    root = next((one for one in folders if os.path.lexists(one / _REPOSITORY)), folder)
    return "" if root == folder else f"{folder.relative_to(root).as_posix()}/"


def require_own(configuration: Path) -> None:
    """Refuse a configuration that belongs to somebody else.

    Raises:
        ConfigError: it does.
    """
    if configuration.lstat().st_uid not in {os.geteuid(), 0}:
        raise ConfigError(f"{configuration} belongs to somebody else", "name it with --config if you trust it")


def path_below(folder: Path, name: str) -> str:
    """What reports call a file: its path below the folder; what is not below it keeps its absolute path."""
    full = Path(os.path.normpath(folder.joinpath(Path.cwd(), name)))
    for candidate in (full, full.parent.resolve() / full.name):
        if candidate.is_relative_to(folder):
            return candidate.relative_to(folder).as_posix()
    return full.as_posix()


def contents_of(folder: Path, given: Mapping[str, GivenDocument]) -> Contents:
    """What gives the contents of documents, by path, and of other files of the folder."""

    def read(files: Iterable[ChangedFile], most: int) -> Iterator[tuple[ChangedFile, Change | Skipped]]:
        for file in files:
            _, text, before = given.get(file.path, GivenDocument(file.path))
            found = content_of(folder / file.path, file.path, most) if text is None else text
            if isinstance(found, Skipped):
                yield file, found
            elif len(found) > most:
                yield file, _too_large(file.path, most)
            else:
                yield file, Change(file.path, found, added_lines(before or b"", found), before)

    return read


def obstacle(folder: Path, path: str, most: int) -> Skipped | None:
    """What keeps a file from being looked at, whatever its name says, if anything does."""
    found = content_of(folder / path, path, most)
    return found if isinstance(found, Skipped) else None


def files_below(folder: Path, patterns: PathPatterns) -> Iterator[ChangedFile]:
    """The files of a folder that patterns match, each once, whether or not git tracks them."""
    seen = set[str]()
    for start in sorted({_start(pattern) for pattern in patterns.patterns}):
        for path in _files(folder, start):
            if path not in seen and patterns.matches(path):
                seen.add(path)
                yield ChangedFile(path, "file", None, None)


def _start(pattern: str) -> str:
    """The path at or below which everything lies that a pattern matches."""
    plain = pattern.removeprefix("./")
    if "/" not in plain.rstrip("/"):
        return ""
    return "/".join(takewhile(lambda step: not _WILDCARD.search(step), plain.strip("/").split("/")))


def _files(folder: Path, start: str) -> Iterator[str]:
    """The paths of the files at or below a path; links are not followed, as in a scan."""
    if (folder / start).is_file():
        yield start
    for place, folders, names in os.walk(folder / start):
        folders[:] = sorted(name for name in folders if name != _REPOSITORY)
        files = (Path(place, name) for name in sorted(names))
        yield from (file.relative_to(folder).as_posix() for file in files if not file.is_symlink())


def content_of(place: Path, path: str, most: int) -> bytes | Skipped:
    """The content of a regular file, or why it is not read.

    Opening a device may do something, and a named pipe would wait for a writer.
    """
    try:
        if not stat.S_ISREG(mode := place.stat().st_mode):
            return Skipped(path, "a folder" if stat.S_ISDIR(mode) else "not a regular file", "not-scanned")
        with os.fdopen(os.open(place, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                return Skipped(path, "not a regular file", "not-scanned")
            content = b"" if found.st_size > most else file.read(most + 1)
    except (OSError, ValueError) as error:
        return Skipped(path, f"cannot be read: {getattr(error, 'strerror', None) or error}", "not-scanned")
    return _too_large(path, most) if max(found.st_size, len(content)) > most else content


def _too_large(path: str, most: int) -> Skipped:
    return Skipped(path, f"larger than {most >> 20} MiB", "not-scanned")
