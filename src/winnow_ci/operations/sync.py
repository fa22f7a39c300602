"""A sync: an index is made to agree with its manifest, and the lock says what its sources are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci import git
from winnow_ci.config.lock import SourceLock, load_lock
from winnow_ci.config.manifest import MOST_BYTES_OF_MANIFEST, declared_by_keys, parse_manifest, with_sources_added
from winnow_ci.config.settings import load_settings
from winnow_ci.config.team_files import read_untrusted
from winnow_ci.errors import UsageError
from winnow_ci.indexer import LOCAL
from winnow_ci.indexer.planning import plan
from winnow_ci.indexer.syncing import sync
from winnow_ci.model import Parameters
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations import CONFIGURATION, MANIFEST
from winnow_ci.operations.transaction import ManifestEdit, lock_beside, together

if TYPE_CHECKING:
    from collections.abc import Mapping

    from winnow_ci.config.manifest import Manifest
    from winnow_ci.config.source import DeclaredSource
    from winnow_ci.indexer import BuildEngine
    from winnow_ci.indexer.planning import SyncOptions, SyncPlan
    from winnow_ci.indexer.syncing import SyncProgress, SyncReport


class ExtendedManifest(NamedTuple):
    """A manifest with one more source, that source, and the edit of the file; None if it has the source already."""

    manifest: Manifest
    source: DeclaredSource
    edit: ManifestEdit | None


def synchronise(
    manifest: Manifest,
    options: SyncOptions,
    progress: SyncProgress,
    edit: ManifestEdit | None = None,
    engine: BuildEngine = LOCAL,
) -> SyncReport:
    """Make an index agree with its manifest, and write the lock, and the manifest if it is edited.

    Unless the manifest is edited, sources that cannot be fetched are left for the next time (``SyncReport.failure``).

    Raises:
        WinnowError: what ``indexer.syncing.sync`` raises; also if somebody else has written the manifest or the lock.
    """
    git.forget_callers_repository()
    with together(manifest, edit) as files:
        _check_place(manifest)
        planned = plan(manifest, *_pinned(manifest), options)
        with sync(manifest, planned, options, progress, engine, whole=edit is not None) as report:
            files.write(report.lock)
    return report


def compared(manifest: Manifest, options: SyncOptions) -> tuple[SyncPlan, bool]:
    """What a sync would do, found out without asking anybody, and whether index and lock agree with the manifest.

    Raises:
        WinnowError: what ``indexer.planning.plan`` raises.
    """
    lock, parameters = _pinned(manifest)
    planned = plan(manifest, lock, parameters, options)
    pins = {step.declared: step.pins for step in planned.steps}
    return planned, planned.is_empty and dict(lock.sources) == pins and lock.parameters == parameters


def extended(path: Path, values: Mapping[str, Any]) -> ExtendedManifest:
    """A manifest, which need not exist yet, with one more source of these keys and values; nothing is written yet.

    Raises:
        ConfigError: the manifest or the source has a mistake.
        UsageError: another source of that name is there.
    """
    written = (
        read_untrusted(path, MOST_BYTES_OF_MANIFEST, "name a readable file with --manifest") if _exists(path) else b""
    )
    source = declared_by_keys(values)
    manifest = parse_manifest(written, path)
    if _has(manifest, source):
        return ExtendedManifest(manifest, source, None)
    edit = ManifestEdit(written, with_sources_added(written, [values], path))
    return ExtendedManifest(parse_manifest(edit.after, path), source, edit)


def _exists(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _has(manifest: Manifest, new: DeclaredSource) -> bool:
    for one in manifest.sources:
        if one.name == new.name:
            if one == new:
                return True
            problem = f"{manifest.path}:{one.line}: there is a source called {one.name!r} already, and it is another"
            raise UsageError(problem, "edit it there and run winnow-ci index sync, or give this one another --name")
    return False


def _pinned(manifest: Manifest) -> tuple[SourceLock, Parameters]:
    """What the lock of a manifest says, and the parameters of its index."""
    parameters = Parameters(**{**_configured(manifest.path), **manifest.parameters})  # type: ignore[arg-type]
    return load_lock(lock_beside(manifest.path)) or SourceLock(), parameters


def _configured(manifest: Path) -> dict[str, int | str]:
    """The parameters that the configuration of the repository of a manifest has."""
    folder = manifest.parent.resolve()
    file = (folder.parent if folder.name == Path(MANIFEST).parent.name else folder) / CONFIGURATION
    return load_settings(file).parameters if file.exists() else {}


def _check_place(manifest: Manifest) -> None:
    if not manifest.index.parent.resolve().is_relative_to(manifest.path.parent.resolve()):
        raise UsageError(f"{manifest.index}: lies behind a symbolic link", "put a folder in the place of the link")
