"""Find the text of a source for a report, if the index does not keep it.

It comes from folders that a user names, and from the user's cache, as a lock pins it. Nothing of it goes into an index.
A lock and a report may be anybody's, so they only name places: a text counts if its key is the one
in the index, with these or other line ends.
"""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import system
from winnow_ci.config import MANIFEST
from winnow_ci.config.team_files import read_untrusted
from winnow_ci.errors import ConfigError, CorpusError, FetchError, GitError, UsageError
from winnow_ci.index import content_key
from winnow_ci.languages import LARGEST_FILE
from winnow_ci.operations import lock_beside
from winnow_ci.report.wording import counted
from winnow_ci.scanner.read import line_end_forms

if TYPE_CHECKING:
    from winnow_ci.config.lock import PinnedSource
    from winnow_ci.model import Counting, SourceFile
    from winnow_ci.operations.written_files import ScratchFolder
    from winnow_ci.scanner.show import NeededText


def locks_of(root: Path | None, indexes: Iterable[Path]) -> tuple[Path, ...]:
    """Return where locks may be: that of the repository, and those beside indexes."""
    manifest = Path(MANIFEST)
    manifests = [root / manifest] if root else []
    return tuple(dict.fromkeys(map(lock_beside, (*manifests, *(index.with_name(manifest.name) for index in indexes)))))


class SourceTexts:
    """Finds texts in folders with the code of sources, given by name, and in the cache as files say that may be locks.

    Those that are found are put into ``scratch``. With ``counting``, pinned sources that the cache lacks are fetched.
    """

    def __init__(
        self,
        scratch: ScratchFolder,
        locks: Sequence[Path],
        folders: Iterable[tuple[str, Path]] = (),
        counting: Counting | None = None,
    ) -> None:
        self._found = _TextFolder(scratch)
        self._locks = locks
        self._folders = folders
        self._counting = counting
        self._fetchable: set[str] = set()
        self._left: dict[str, NeededText] = {}
        self._of_source: defaultdict[str, list[NeededText]] = defaultdict(list)
        self.notices: list[str] = []

    def find(self, needed: Sequence[NeededText]) -> Mapping[str, bytes]:
        """Find texts (a ``TextSupply``)."""
        self._left = {text.content.key: text for text in needed}
        for text in self._left.values():
            self._of_source[text.file.source.name].append(text)
        complaints: list[str] = []
        for name, folder in self._folders:
            complaints += self._take(name, _in_folder(folder, self._missing(name)))
        for lock in self._locks if self._left else ():
            complaints += self._look_in(lock)
        self.notices += (*complaints, *_lacking(self._left.values(), self._fetchable))
        return self._found

    def _look_in(self, lock: Path) -> Iterator[str]:
        """Look in the cache for the sources of a lock; the report can do without those that cannot be read."""
        from winnow_ci.config.lock import load_lock  # noqa: PLC0415 - few reports need a lock

        try:
            content = load_lock(lock)
            for one in content.sources if content else ():
                if self._missing(one.declared.name):
                    yield from self._look_at(one, lock.parent)
        except (ConfigError, CorpusError, FetchError, GitError, UsageError) as error:
            if self._counting and isinstance(error, FetchError):
                raise
            self.notices.append(f"{error.problem}; {error.remedy}")

    def _look_at(self, one: PinnedSource, folder: Path) -> Iterator[str]:
        from winnow_ci.indexer.pinning import fetch_source, is_cacheable, pinned_texts  # noqa: PLC0415 - as above

        name = one.declared.name
        if is_cacheable(one) and self._counting:
            with self._counting(f"fetching {name}", "B") as progress:
                fetch_source(one, folder, progress)
        elif is_cacheable(one):
            self._fetchable.add(name)
        return self._take(name, pinned_texts(one, self._missing(name)))

    def _missing(self, name: str) -> list[SourceFile]:
        """The files of a source whose text is missing."""
        return list(dict.fromkeys(text.file for text in self._of_source[name] if text.content.key in self._left))

    def _take(self, name: str, files: Iterable[tuple[str, bytes]]) -> Iterator[str]:
        """Keep the missing texts among files of a source, given by path and content; complain about changed files."""
        by_path: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for text in self._of_source[name]:
            by_path[text.file.path][text.content.key] = text.content.reading.language
        for path, content in files:
            wanted = by_path[path]
            # A forged report may want any number of contents of one file, so keys are made once for each language.
            forms, languages = list(line_end_forms(content)), set(wanted.values())
            here = {content_key(each, form).hex(): form for each in languages for form in forms}
            found = here.keys() & wanted.keys() & self._left.keys()
            for key in found:
                self._found.put(key, here[key])
                del self._left[key]
            if not found and any(key in self._left for key in wanted):
                yield f"{name}: {path} changed since it was indexed, so it is not shown"


class _TextFolder(Mapping[str, bytes]):
    """Texts by key, in files: there may be many of them, and each is needed once."""

    def __init__(self, scratch: ScratchFolder) -> None:
        self._scratch = scratch
        self._files: dict[str, Path] = {}

    def put(self, key: str, content: bytes) -> None:
        # Keys come from a report, and name no files.
        self._files[key] = self._scratch.path / f"{len(self._files)}.text"
        self._files[key].write_bytes(content)

    def __getitem__(self, key: str) -> bytes:
        return self._files[key].read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def _in_folder(folder: Path, files: Iterable[SourceFile]) -> Iterator[tuple[str, bytes]]:
    for file in files:
        parts = file.path.split("/")
        if {"", ".", ".."}.isdisjoint(parts) and "\0" not in file.path:
            place = Path(system.place_below(folder, file.path))
            try:
                content = read_untrusted(place, LARGEST_FILE, "")
            except ConfigError:
                continue
            yield file.path, content


def _lacking(missing: Iterable[NeededText], fetchable: Container[str]) -> Iterator[str]:
    """A notice for each source whose text is missing; ``fetchable``: those that ``--fetch`` would bring."""
    counts = Counter((text.file.source.name, text.file.source.version) for text in missing)
    for (name, version), files in counts.items():
        source, option = f"{name} {version}" if version else name, shlex.quote(f"{name}=DIR")
        yield (
            f"the text of {counted(files, 'file')} of {source} is not here: keep it in the index (--with-text, "
            f"with-text: true), or show the JSON report with winnow-ci report and --source {option}"
            f"{' or --fetch' if name in fetchable else ''}"
        )
