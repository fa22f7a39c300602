"""``winnow-ci index sync``: an index is made to agree with its manifest."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from winnow_ci.cli import text_files
from winnow_ci.cli.progress import counting
from winnow_ci.cli.rules import CONFIGURATION, MANIFEST
from winnow_ci.errors import ExitStatus, GitError, UsageError
from winnow_ci.report.coverage import fallback
from winnow_ci.report.printable import name
from winnow_ci.report.table import table
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from winnow_ci.config.manifest_values import Manifest, SourceLock
    from winnow_ci.errors import WinnowError
    from winnow_ci.indexer.planning import Plan, Wishes
    from winnow_ci.indexer.syncing import Outcome, Synced
    from winnow_ci.model import Parameters

_ENDINGS = {".yml", ".yaml"}


def add_to(actions: Any) -> None:
    """Declare the command."""
    sync = actions.add_parser(
        "sync",
        help="make an index agree with its manifest",
        description="Make an index agree with its manifest: add, replace and remove sources, download what is missing, "
        "and pin in the lock beside it what each source is, exactly. Of what is pinned already no other version is "
        "asked for.",
    )
    add_options(sync)
    how = sync.add_mutually_exclusive_group()
    how.add_argument("--frozen", action="store_true", help="only what the lock pins: an error if it does not agree")
    how.add_argument("--upgrade", nargs="*", metavar="NAME", help="pin these sources anew (default: all)")
    sync.add_argument(
        "--check", action="store_true", help="change nothing, ask nobody; status 1 if the index does not agree"
    )
    sync.set_defaults(run=sync_index)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what ``index add`` has, too."""
    parser.add_argument("--manifest", type=Path, metavar="FILE", help=f"the manifest (default: {MANIFEST})")
    parser.add_argument("--offline", action="store_true", help="ask nobody: what is not in the cache is an error")


def sync_index(arguments: argparse.Namespace) -> int:
    """Sync; returns the exit status."""
    from winnow_ci.config.manifest_file import load_manifest
    from winnow_ci.indexer.planning import Wishes, plan

    manifest = load_manifest(place(arguments.manifest))
    names = [one.name for one in manifest.sources]
    upgrade = [] if arguments.upgrade is None else arguments.upgrade or names
    wishes = Wishes(arguments.frozen, arguments.offline, frozenset(upgrade))
    if arguments.check:
        lock, parameters = pinned(manifest)
        return _check(manifest, lock, plan(manifest, lock, parameters, wishes))
    tell(manifest, synchronise(manifest, wishes))
    return ExitStatus.CLEAN


def place(asked: Path | None) -> Path:
    """Where the manifest is: as asked, else in the folder for it at the root of the repository.

    Raises:
        UsageError: it must not be there.
    """
    if asked is None:
        return _root() / MANIFEST
    if asked.suffix not in _ENDINGS:
        raise UsageError(f"{asked}: a manifest is called *.yml", "name another, or rename it")
    return asked


def _root() -> Path:
    from winnow_ci import git

    here = Path.cwd()
    try:
        root = git.Repository.find(here).root
    except GitError:
        return Path()
    # People know a place by how it looks from where they are.
    return Path() if root is None or root.samefile(here) else root


class Edit(NamedTuple):
    """A manifest's text, and what is to become of it; no text if there is no manifest."""

    before: bytes
    after: bytes


def synchronise(manifest: Manifest, wishes: Wishes, edit: Edit | None = None) -> Synced:
    """Sync, and write the lock.

    Args:
        manifest: what the index shall hold.
        wishes: how to sync.
        edit: that of the manifest, if it is to be written as well.

    Raises:
        WinnowError: what ``indexer.syncing.sync`` raises; also if somebody else has written the manifest or the lock.
    """
    from winnow_ci import git
    from winnow_ci.indexer.planning import plan
    from winnow_ci.indexer.syncing import Watch, sync

    git.forget_callers_repository()
    files = _Files(manifest, edit)
    _check_place(manifest)
    lock, parameters = pinned(manifest)
    planned = plan(manifest, lock, parameters, wishes)
    try:
        return sync(manifest, planned, wishes, Watch(_watched, _failing), files.write)
    except BaseException:
        files.put_back()
        raise


def pinned(manifest: Manifest) -> tuple[SourceLock, Parameters]:
    """What the lock of a manifest says, and the parameters of its index."""
    from winnow_ci.config.lock_file import load_lock
    from winnow_ci.config.manifest_values import SourceLock
    from winnow_ci.model import Parameters

    parameters = Parameters(**{**_configured(manifest.path), **manifest.parameters})  # type: ignore[arg-type]
    return load_lock(lock_beside(manifest.path)) or SourceLock(), parameters


def lock_beside(manifest: Path) -> Path:
    """Where the lock of a manifest is."""
    return manifest.with_suffix(".lock")


class _Files:
    """The lock, and the manifest if it is to be written as well; as they were when the work began."""

    def __init__(self, manifest: Manifest, edit: Edit | None) -> None:
        self._text = edit.after if edit else None
        self._manifest, self._lock = manifest.path, lock_beside(manifest.path)
        self._before = {path: _content(path) for path in (self._manifest, self._lock)}
        if edit and (self._before[self._manifest] or b"") != edit.before:
            raise _changed(self._manifest)
        self._written: list[Path] = []

    def write(self, lock: SourceLock) -> None:
        """Write what has changed."""
        from winnow_ci.config.lock_file import lock_text, parse_lock

        for path, before in self._before.items():
            if _content(path) != before:
                raise _changed(path)
        text = lock_text(lock).encode()
        # What a registry calls a version or a file may be what a lock cannot say.
        parse_lock(text, str(self._lock))
        # The index follows from these two: killed behind this, the next sync makes it.
        for path, content in ((self._manifest, self._text), (self._lock, text)):
            if content is not None and content != self._before[path]:
                self._written.append(path)
                text_files.replace(path, content)

    def put_back(self) -> None:
        """Make what has been written as it was."""
        for path in self._written:
            before = self._before[path]
            if before is None:
                path.unlink(missing_ok=True)
            else:
                text_files.replace(path, before)


def _changed(path: Path) -> UsageError:
    return UsageError(f"{path} has changed meanwhile", "run this again")


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _check_place(manifest: Manifest) -> None:
    if not manifest.index.parent.resolve().is_relative_to(manifest.path.parent.resolve()):
        raise UsageError(f"{manifest.index}: lies behind a symbolic link", "put a folder in the place of the link")


def _configured(manifest: Path) -> dict[str, int | str]:
    """The parameters that the configuration of the repository of a manifest has."""
    from winnow_ci import config

    folder = manifest.parent.resolve()
    file = (folder.parent if folder.name == Path(MANIFEST).parent.name else folder) / CONFIGURATION
    return config.load_settings(file).parameters if file.exists() else {}


def _watched(what: str, unit: str) -> AbstractContextManager[Callable[[int, int | None], None]]:
    return counting(name(what), unit)


def _failing(error: WinnowError) -> None:
    print(f"winnow-ci: {name(error.problem)}\n  {name(error.remedy)}", file=sys.stderr)


# ---- what is said ----------------------------------------------------------------------------------------------


def tell(manifest: Manifest, synced: Synced) -> None:
    """Say of each source what became of it."""
    if synced.remade:
        print(f"winnow-ci: {name(str(manifest.index))} {synced.remade}: all of it is made anew", file=sys.stderr)
    for outcome in synced.outcomes:
        for line in _details(outcome):
            print(f"winnow-ci: {name(outcome.name)}: {line}", file=sys.stderr)
    print(table([_row(outcome) for outcome in synced.outcomes]))
    counts = Counter(outcome.state for outcome in synced.outcomes)
    said = ", ".join(f"{count:,} {state}" for state, count in counts.items())
    print(f"{name(str(manifest.index))}: {said}; digest {synced.digest}")


def _row(outcome: Outcome) -> tuple[str, ...]:
    versions = [source.version or "-" for source in outcome.sources] or ["-"]
    licences = sorted({source.license for source in outcome.sources})
    version = versions[0] if len(versions) == 1 else f"{len(versions):,} versions"
    return outcome.name, version, " / ".join(licences) or "-", outcome.state


def _details(outcome: Outcome) -> Iterator[str]:
    if outcome.files:
        reasons = Counter(skip.reason for skip in outcome.skipped)
        skipped = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())
        files = counted(outcome.files, "file")
        yield f"{files} indexed, {len(outcome.skipped):,} skipped{f' ({skipped})' if skipped else ''}"
    if outcome.fallback:
        yield fallback(outcome.fallback)


def _check(manifest: Manifest, lock: SourceLock, planned: Plan) -> int:
    rows = [(step.declared.name, f"to be {step.state}") for step in planned.steps if step.state != "as it was"]
    rows += [(gone, "to be removed") for gone in planned.gone]
    if rows:
        print(table(rows))
    pinned_now = {step.declared: step.pins for step in planned.steps}
    agrees = planned.is_empty and dict(lock.sources) == pinned_now and lock.parameters == planned.parameters
    verdict = "agrees with" if agrees else "does not agree with"
    print(f"{name(str(manifest.index))} {verdict} {name(str(manifest.path))}")
    return ExitStatus.CLEAN if agrees else ExitStatus.FINDINGS
