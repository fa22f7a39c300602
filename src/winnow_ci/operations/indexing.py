"""Make an index: from one source (build), or as a manifest says (sync); extend the manifest.

Manifest, lock and index change together or not at all. A sync makes the new index beside the old one. Then it writes
the manifest and the lock, and the new index takes the place of the old one. A failure or ^C before that puts manifest
and lock back. A killed process puts nothing back, but the index follows from the other two, and the next sync makes it.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci import git
from winnow_ci.config import CONFIGURATION, MANIFEST
from winnow_ci.config.lock import SourceLock, load_lock, lock_text, parse_lock
from winnow_ci.config.manifest import MOST_BYTES_OF_MANIFEST, declared_by_keys, parse_manifest, with_sources_added
from winnow_ci.config.settings import load_settings
from winnow_ci.config.team_files import read_untrusted
from winnow_ci.corpus import ArchiveLimits, collect, installed_packages
from winnow_ci.errors import UsageError
from winnow_ci.indexer import LOCAL, IndexAddition, at_revision, at_tags
from winnow_ci.indexer.syncing import plan, sync
from winnow_ci.languages import LARGEST_FILE
from winnow_ci.model import Parameters
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations import lock_beside
from winnow_ci.operations.written_files import replace_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from typing_extensions import Self

    from winnow_ci.config.manifest import Manifest
    from winnow_ci.config.source import DeclaredSource
    from winnow_ci.indexer import BuildEngine
    from winnow_ci.indexer.syncing import SyncOptions, SyncPlan, SyncProgress, SyncReport
    from winnow_ci.model import Source


@contextmanager
def addition_of(
    roots: Sequence[Path], source: Source, revision: str | None = None, *, all_tags: bool = False
) -> Iterator[IndexAddition]:
    """Yield code to add to an index, where it replaces the source of that name (``indexer.add``).

    ``roots`` are folders and archives or, with a ``revision`` or ``all_tags``, one git repository.
    """
    if revision is None and not all_tags:
        # An archive is listed, and refused, before the index is touched.
        with collect(roots, ArchiveLimits(member=LARGEST_FILE)) as corpus:
            yield IndexAddition(corpus, (source,), lambda _: (source,), lambda old: old.name == source.name)
    else:
        git.forget_callers_repository()
        yield at_tags(roots[0], source) if revision is None else at_revision(roots[0], revision, source)


def synchronise(
    manifest: Manifest,
    options: SyncOptions,
    progress: SyncProgress,
    edit: ManifestEdit | None = None,
    engine: BuildEngine | None = None,
) -> SyncReport:
    """Make an index agree with its manifest, and write the lock, and the manifest if it is edited.

    Unless the manifest is edited, sources that cannot be fetched are left for the next time (``SyncReport.failure``).
    """
    git.forget_callers_repository()
    with Transaction(manifest, edit) as files:
        if not manifest.index.parent.resolve().is_relative_to(manifest.path.parent.resolve()):
            raise UsageError(f"{manifest.index}: lies behind a symbolic link", "replace the link with a folder")
        planned = plan(manifest, *_pinned(manifest), options)
        with sync(manifest, planned, options, progress, engine or LOCAL, whole=edit is not None) as report:
            files.write(report.lock)
    return report


def planned_sync(manifest: Manifest, options: SyncOptions) -> tuple[SyncPlan, bool]:
    """Plan a sync without the network; also return whether index and lock agree with the manifest."""
    lock, parameters = _pinned(manifest)
    planned = plan(manifest, lock, parameters, options)
    pins = {step.declared: step.pins for step in planned.steps}
    return planned, planned.is_empty and dict(lock.sources) == pins and lock.parameters == parameters


def _pinned(manifest: Manifest) -> tuple[SourceLock, Parameters]:
    parameters = Parameters(**{**_configured(manifest.path), **manifest.parameters})  # type: ignore[arg-type]
    return load_lock(lock_beside(manifest.path)) or SourceLock(), parameters


def _configured(manifest: Path) -> dict[str, int | str]:
    folder = manifest.parent.resolve()
    file = (folder.parent if folder.name == Path(MANIFEST).parent.name else folder) / CONFIGURATION
    return load_settings(file).parameters if file.exists() else {}


class ManifestEdit(NamedTuple):
    """The old and the new text of a manifest; an empty text stands for no file."""

    before: bytes
    after: bytes


class Transaction:
    """Writes a lock and an edited manifest; if the block fails, both are put back."""

    def __init__(self, manifest: Manifest, edit: ManifestEdit | None = None) -> None:
        self._manifest, self._lock, self._index = manifest.path, lock_beside(manifest.path), manifest.index
        self._text = edit.after if edit else None
        self._before = {path: _content(path) for path in (self._manifest, self._lock)}
        if edit and (self._before[self._manifest] or b"") != edit.before:
            raise _changed(self._manifest)
        self._written: list[Path] = []
        self._old_index: tuple[int, ...] | None = None

    def write(self, lock: SourceLock) -> None:
        """Write the manifest, if it is edited, and the lock, if it has changed.

        Call it while the old index is in its place, and no other process may replace it.
        """
        for path, before in self._before.items():
            if _content(path) != before:
                raise _changed(path)
        text = lock_text(lock).encode()
        # A registry may give a version or a file a name that no lock can hold.
        parse_lock(text, str(self._lock))
        old_index = _identity(self._index)
        for path, content in ((self._manifest, self._text), (self._lock, text)):
            if content is not None and content != self._before[path]:
                self._written.append(path)
                replace_file(path, content)
        self._old_index = old_index

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        is_new_index_in_place = self._old_index is not None and _identity(self._index) != self._old_index
        for path in () if kind is None or is_new_index_in_place else self._written:
            before = self._before[path]
            if before is None:
                path.unlink(missing_ok=True)
            else:
                replace_file(path, before)


def _changed(path: Path) -> UsageError:
    return UsageError(f"{path} has changed meanwhile", "run this again")


def _content(path: Path) -> bytes | None:
    with suppress(FileNotFoundError):
        return path.read_bytes()
    return None


def _identity(path: Path) -> tuple[int, ...]:
    """Device and inode of a file; empty for none."""
    with suppress(FileNotFoundError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return ()


def extended_manifest(
    path: Path, listed: Sequence[Mapping[str, Any]]
) -> tuple[Manifest, list[DeclaredSource], ManifestEdit | None]:
    """Return a manifest with more sources, given by their keys and values; write nothing.

    Also return those that it has already, and the edit, which is None if it has them all. It need not exist.
    """
    written = _written(path)
    manifest = parse_manifest(written, path)
    known = [source for source in map(declared_by_keys, listed) if _has(manifest, source)]
    missing = [values for values in listed if declared_by_keys(values) not in known]
    if not missing:
        return manifest, known, None
    edit = ManifestEdit(written, with_sources_added(written, missing, path))
    return parse_manifest(edit.after, path), known, edit


def installations(repository: Path) -> list[Path]:
    """Return the folders that hold the installed packages of a repository: itself, and the caches that it uses."""
    home = Path.home()
    go = Path(os.environ.get("GOPATH", home / "go"), "pkg", "mod")
    caches = {
        "Cargo.toml": Path(os.environ.get("CARGO_HOME", home / ".cargo"), "registry", "src"),
        "go.mod": Path(os.environ.get("GOMODCACHE", go)),
        "pom.xml": home / ".m2" / "repository",
    }
    used = [cache for mark, cache in caches.items() if (repository / mark).exists() and cache.is_dir()]
    return [folder for folder in (repository, *used) if installed_packages(folder)]


def _written(path: Path) -> bytes:
    remedy = "name a readable file with --manifest"
    return read_untrusted(path, MOST_BYTES_OF_MANIFEST, remedy) if os.path.lexists(path) else b""


def _has(manifest: Manifest, new: DeclaredSource) -> bool:
    for one in manifest.sources:
        if one.name == new.name:
            if one == new or set(new.origin.installed) & set(one.origin.installed):
                return True
            if new.origin.installed:
                continue
            problem = f"{manifest.path}:{one.line}: another source is already called {one.name!r}"
            raise UsageError(problem, "edit it there and run winnow-ci index sync, or give this one another --name")
    return False


def add_starters(path: Path, languages: Sequence[str]) -> tuple[Manifest, int, list[str]]:
    """Add the starters of languages to a manifest, and write it; return it, how many were added, and all package URLs.

    A source whose name the manifest has stays as it is there.
    """
    from winnow_ci.config.manifest import starter  # noqa: PLC0415 - few manifests begin with one

    written = _written(path)
    known = {one.name for one in parse_manifest(written, path).sources}
    listed = [values for language in languages for values in starter(language)]
    if missing := [values for values in listed if declared_by_keys(values).name not in known]:
        written = with_sources_added(written, missing, path)
        replace_file(path, written)
    return parse_manifest(written, path), len(missing), [values["purl"] for values in listed]
