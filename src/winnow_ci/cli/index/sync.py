"""``winnow-ci index sync``: an index is made to agree with its manifest."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.cli import messages
from winnow_ci.cli.index import engine, licences_found
from winnow_ci.cli.index.listing import indexed
from winnow_ci.cli.progress import counting
from winnow_ci.errors import ExitStatus, GitError, UsageError
from winnow_ci.operations import MANIFEST
from winnow_ci.report.coverage import fallback_files
from winnow_ci.report.printable import name, table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from winnow_ci.config.manifest import Manifest
    from winnow_ci.errors import WinnowError
    from winnow_ci.indexer import BuildEngine
    from winnow_ci.indexer.planning import SyncOptions
    from winnow_ci.indexer.syncing import SourceOutcome
    from winnow_ci.operations.transaction import ManifestEdit

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
    engine.add_to(sync)
    sync.set_defaults(run=sync_index)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what ``index add`` has, too."""
    add_manifest(parser)
    parser.add_argument("--offline", action="store_true", help="ask nobody: what is not in the cache is an error")


def add_manifest(parser: argparse.ArgumentParser) -> None:
    """Declare which manifest is meant."""
    parser.add_argument("--manifest", type=Path, metavar="FILE", help=f"the manifest (default: {MANIFEST})")


def sync_index(arguments: argparse.Namespace) -> int:
    """Sync; returns the exit status."""
    from winnow_ci.config.manifest import load_manifest
    from winnow_ci.indexer.planning import SyncOptions

    manifest = load_manifest(place(arguments.manifest))
    names = [one.name for one in manifest.sources]
    upgrade = [] if arguments.upgrade is None else arguments.upgrade or names
    options = SyncOptions(arguments.frozen, arguments.offline, frozenset(upgrade))
    if arguments.check:
        return _check(manifest, options)
    with engine.asked(arguments, manifest.index) as chosen:
        run(manifest, options, chosen=chosen)
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


def run(
    manifest: Manifest, options: SyncOptions, edit: ManifestEdit | None = None, chosen: BuildEngine | None = None
) -> None:
    """Sync, and say of each source what became of it.

    Raises:
        WinnowError: the sync failed, or some sources could not be fetched.
    """
    from winnow_ci.indexer import LOCAL
    from winnow_ci.indexer.syncing import SyncProgress
    from winnow_ci.operations.sync import synchronise

    report = synchronise(manifest, options, SyncProgress(counting, _say_failed), edit, chosen or LOCAL)
    if report.failure and report.digest is None:
        raise report.failure
    index = name(str(manifest.index))
    if report.remade:
        messages.say(f"winnow-ci: {index} {report.remade}: all of it is made anew")
    for outcome in report.outcomes:
        for line in _details(outcome):
            messages.say(f"winnow-ci: {name(outcome.name)}: {line}")
    print(table([_row(outcome) for outcome in report.outcomes]))
    counts = Counter(outcome.state for outcome in report.outcomes)
    states = ", ".join(f"{count:,} {state}" for state, count in counts.items())
    print(f"{index}: {states}; digest {report.digest}")
    if report.failure:
        raise report.failure


def _say_failed(error: WinnowError) -> None:
    messages.say(f"winnow-ci: {name(error.problem)}\n  {name(error.remedy)}")


def _row(outcome: SourceOutcome) -> tuple[str, ...]:
    versions = [source.version or "-" for source in outcome.sources] or ["-"]
    licences = sorted({source.license for source in outcome.sources})
    version = versions[0] if len(versions) == 1 else f"{len(versions):,} versions"
    return outcome.name, version, " / ".join(licences) or "-", outcome.state


def _details(outcome: SourceOutcome) -> Iterator[str]:
    if added := outcome.added:
        yield indexed(added)
        yield from licences_found.lines(added, "name one in the manifest (license:)")
        if added.fallback:
            yield fallback_files(added.fallback)


def _check(manifest: Manifest, options: SyncOptions) -> int:
    from winnow_ci.operations.sync import compared

    planned, agrees = compared(manifest, options)
    rows = [(step.declared.name, f"to be {step.state}") for step in planned.steps if step.state != "unchanged"]
    rows += [(gone, "to be removed") for gone in planned.gone]
    if rows:
        print(table(rows))
    verdict = "agrees with" if agrees else "does not agree with"
    print(f"{name(str(manifest.index))} {verdict} {name(str(manifest.path))}")
    return ExitStatus.CLEAN if agrees else ExitStatus.FINDINGS
