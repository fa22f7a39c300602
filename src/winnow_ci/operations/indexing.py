"""Make an index: from one source (build), or as a manifest says (sync); extend the manifest.

Manifest, lock and index change together or not at all. A sync makes the new index beside the old one. Then it writes
the manifest and the lock, and the new index takes the place of the old one. A failure or ^C before that puts manifest
and lock back. A killed process puts nothing back, but the index follows from the other two, and the next sync makes it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from winnow_ci import git
from winnow_ci.config import CONFIGURATION, MANIFEST
from winnow_ci.config.lock import SourceLock, load_lock, lock_text, parse_lock
from winnow_ci.config.manifest import (
    MOST_BYTES_OF_MANIFEST,
    Manifest,
    declared_by_keys,
    parse_manifest,
    starter,
    with_sources_added,
)
from winnow_ci.config.settings import load_settings
from winnow_ci.config.source import DeclaredSource
from winnow_ci.config.team_files import read_untrusted
from winnow_ci.corpus import ArchiveLimits, collect, installed_packages
from winnow_ci.errors import UsageError
from winnow_ci.indexer import LOCAL, BuildEngine, IndexAddition, at_revision, at_tags
from winnow_ci.indexer.syncing import SyncOptions, SyncPlan, SyncProgress, SyncReport, plan, sync
from winnow_ci.languages import LARGEST_FILE
from winnow_ci.model import Parameters, Source
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations import lock_beside
from winnow_ci.operations.written_files import replace_file


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
    with transaction(manifest, edit) as write:
        if not manifest.index.parent.resolve().is_relative_to(manifest.path.parent.resolve()):
            raise UsageError(f"{manifest.index}: lies behind a symbolic link", "replace the link with a folder")
        planned = plan(manifest, *_pinned(manifest), options)
        with sync(manifest, planned, options, progress, engine or LOCAL, whole=edit is not None) as report:
            write(report.lock)
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


@contextmanager
def transaction(manifest: Manifest, edit: ManifestEdit | None = None) -> Iterator[Callable[[SourceLock], None]]:
    """Yield a function that writes the manifest, if it is edited, and a lock; if the block fails, both are put back.

    Call it while the old index is in its place, and no other process may replace it.
    """
    lock, old_index = lock_beside(manifest.path), None
    before = {path: _content(path) for path in (manifest.path, lock)}
    if edit and (before[manifest.path] or b"") != edit.before:
        raise _changed(manifest.path)
    written: list[Path] = []

    def write(pinned: SourceLock) -> None:
        nonlocal old_index
        for path, content in before.items():
            if _content(path) != content:
                raise _changed(path)
        text = lock_text(pinned).encode()
        # A registry may give a version or a file a name that no lock can hold.
        parse_lock(text, str(lock))
        found = _identity(manifest.index)
        for path, new in ((manifest.path, edit.after if edit else None), (lock, text)):
            if new is not None and new != before[path]:
                written.append(path)
                replace_file(path, new)
        old_index = found

    try:
        yield write
    except BaseException:
        is_new_index_in_place = old_index is not None and _identity(manifest.index) != old_index
        for path in () if is_new_index_in_place else written:
            if (content := before[path]) is None:
                path.unlink(missing_ok=True)
            else:
                replace_file(path, content)
        raise


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
    written = _written(path)
    known = {one.name for one in parse_manifest(written, path).sources}
    listed = [values for language in languages for values in starter(language)]
    if missing := [values for values in listed if declared_by_keys(values).name not in known]:
        written = with_sources_added(written, missing, path)
        replace_file(path, written)
    return parse_manifest(written, path), len(missing), [values["purl"] for values in listed]
