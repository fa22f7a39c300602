"""``winnow-ci index add``, ``starter`` and ``sync``: the manifest of an index, and an index that agrees with it."""

from __future__ import annotations

import os
import re
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci import operations
from winnow_ci.cli import choices, messages
from winnow_ci.cli.index.build import add_engine, are_packages, engine, indexed, licences_found
from winnow_ci.config import MANIFEST
from winnow_ci.config.manifest import OTHER_NAMES, STARTERS, Manifest, load_manifest
from winnow_ci.errors import ExitStatus, UsageError, WinnowError, did_you_mean_file
from winnow_ci.fetching import check_package
from winnow_ci.report.coverage import fallback_files
from winnow_ci.report.printable import name, table
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    import argparse

    from winnow_ci.indexer.syncing import SourceOutcome, SyncOptions

_LICENCES_OF_ROW = 4
_MOST_IN_GIT = 100_000_000  # bytes
_ENDINGS = {".yml", ".yaml"}
# Keys of a source in a manifest, in the order of writing.
_KEYS = ("revision", "all-tags", "sha256", "name", "version", "license", "paths", "boilerplate", "with-text")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_NAME = re.compile(r"@?[A-Za-z0-9][A-Za-z0-9._-]*(@[0-9][A-Za-z0-9.+-]*)?")
_TYPE_AND_NAME = re.compile(r"(cargo|deb|golang|npm|pypi)[/:][^\s/].*")
_AT_HOST = re.compile(r"[A-Za-z0-9._~-]+@[A-Za-z0-9.-]+:")


def add_to(actions: Any) -> None:
    parser = messages.add_command(actions, "add", _add)
    add, commits = parser.add_argument, parser.add_mutually_exclusive_group()
    purl = "a package URL (pkg:pypi/NAME@VERSION, pkg:npm/NAME, pkg:golang/MODULE …); the https URL of an archive"
    origin = f"{purl}; a folder or an archive; with --revision or --all-tags, a git repository"
    add("origin", nargs="?", metavar="PURL|URL|PATH", help=origin)
    places = "the folder PATH (default: in this repository, and in the caches of Cargo, Go and Maven that it uses)"
    packages = f"add each package that is installed in {places}, with its own name, version and licence; stay offline"
    add("--installed", action="store_true", help=packages)
    add("--name", help="name of the source (default: as its origin says)")
    add("--version", metavar="V", help="its version (default: as its origin says)")
    add("--license", metavar="SPDX", help="its licence, as an SPDX expression (default: as found)")
    commits.add_argument("--revision", metavar="REV", help="tag, branch or commit of the git repository")
    commits.add_argument("--all-tags", action="store_true", help="take each tag of the git repository as a version")
    add("--sha256", metavar="DIGITS", help="sha256 of the archive at the URL")
    add("--include", action="append", metavar="PATTERN", help="take only these files (repeatable)")
    add("--exclude", action="append", metavar="PATTERN", help="leave these files out (repeatable)")
    add("--boilerplate", action="store_true", help="code that everybody has: a match with it is not a copy")
    add("--with-text", action="store_true", help="keep its text in the index")
    _declare_manifest(parser)
    starter = messages.add_command(actions, "starter", _starter)
    shown: Any = {"metavar": "LANGUAGE", "help": f"one or more of {', '.join(STARTERS)}"}
    choice = partial(starter.add_argument, type=lambda said: OTHER_NAMES.get(said, said), choices=tuple(STARTERS))
    choice("languages", nargs="+", **shown)
    _declare_manifest(starter)
    sync = messages.add_command(actions, "sync", _sync)
    _declare_manifest(sync)
    how = sync.add_mutually_exclusive_group()
    how.add_argument("--frozen", action="store_true", help="use only what the lock pins; fail if it is out of date")
    newest = "pin the newest versions of these sources (default: all)"
    how.add_argument("--upgrade", nargs="*", metavar="NAME", help=newest)
    check = "change nothing, stay offline; status 1 if the index does not agree"
    sync.add_argument("--check", action="store_true", help=check)
    add_engine(sync)


def _declare_manifest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--manifest", type=Path, metavar="FILE", help=f"the manifest (default: {MANIFEST})")
    parser.add_argument("--offline", action="store_true", help="stay offline; fail if something is not cached")
    # What only sync lets you choose.
    parser.set_defaults(frozen=False, upgrade=None, engine="local", master=None)


def _place(asked: Path | None) -> Path:
    """The manifest: the named one, or the usual one at the root of the repository."""
    if asked is not None:
        if asked.suffix not in _ENDINGS:
            raise UsageError(f"{asked}: the name of a manifest ends in .yml", "name another, or rename it")
        return asked
    repository = choices.here()
    root = repository.root if repository else None
    # People recognise a path that starts where they are.
    return (Path() if root is None or root.samefile(Path.cwd()) else root) / MANIFEST


def _add(arguments: argparse.Namespace) -> None:
    """Add a source to the manifest of an index, and sync.

    Add a source to the manifest of an index, and sync. The manifest is created if it is missing. If the sync fails, the
    manifest stays unchanged.
    """
    path = _place(arguments.manifest)
    listed = [_values(arguments, origin) for origin in _origins(arguments, path.parent)]
    manifest, known, edit = operations.indexing.extended_manifest(path, listed)
    for source in known:
        messages.note(f"{name(source.name)} is in {name(path.as_posix())} already")
    _synchronise(manifest, arguments, edit)


def _values(arguments: argparse.Namespace, origin: dict[str, str]) -> dict[str, Any]:
    paths = {key: value for key in ("include", "exclude") if (value := getattr(arguments, key))}
    given = {**vars(arguments), "paths": paths}
    values = {**origin, **{key: given[key.replace("-", "_")] for key in _KEYS}}
    return {key: choices.utf8(value, "rename it, or write it in UTF-8") for key, value in values.items() if value}


def _origins(arguments: argparse.Namespace, folder: Path) -> list[dict[str, str]]:
    if arguments.installed and arguments.origin is None:
        repository = choices.here()
        root = (repository.root if repository else None) or Path.cwd()
        if found := operations.indexing.installations(root):
            return [{"installed": _portable(place, folder)} for place in found]
        raise UsageError(f"{root}: no installed packages here", "install them first, or name the folder that has them")
    if arguments.origin is None:
        raise UsageError("no source is named", "name a package URL, a URL or a path, or add --installed")
    return [_origin(arguments, folder)]


def _portable(place: Path, folder: Path) -> str:
    """How a manifest in a folder names another folder: from itself within a repository, else from your home."""
    if place.resolve().is_relative_to(folder.resolve().parent) or not place.is_absolute():
        return _from(folder, place)
    return f"~/{place.relative_to(Path.home()).as_posix()}" if place.is_relative_to(Path.home()) else place.as_posix()


def _from(folder: Path, place: Path) -> str:
    """The way from a folder to a place; the place itself if that is on another drive of Windows."""
    try:
        return Path(os.path.relpath(place.resolve(), folder.resolve())).as_posix()
    except ValueError:
        return place.resolve().as_posix()


def _origin(arguments: argparse.Namespace, folder: Path) -> dict[str, str]:
    said = arguments.origin
    if said.startswith("pkg:"):
        check_package(said)
        return {"purl": said}
    is_git = arguments.revision is not None or arguments.all_tags
    if _URL.match(said) or (_AT_HOST.match(said) and not Path(said).exists()):
        if not is_git and said.rstrip("/").endswith(".git"):
            raise UsageError(f"{said} is a git repository", "choose what to take: --revision REV or --all-tags")
        return {"git" if is_git else "url": said}
    if not Path(said).exists():
        raise UsageError(f"{said}: not an existing file or folder, and not a URL", _meant(said))
    if arguments.installed or (not is_git and _are_packages(arguments)):
        return {"installed": _portable(Path(said), folder)}
    # The manifest has a path relative to its folder, if it was given so.
    place = Path(said).as_posix() if Path(said).is_absolute() else _from(folder, Path(said))
    return {"git" if is_git else "path": place}


def _are_packages(arguments: argparse.Namespace) -> bool:
    """Tell whether a path holds installed packages, and is not described as one source."""
    from winnow_ci.corpus import is_installation

    described = any(getattr(arguments, key) for key in ("name", "version", "license", "include", "exclude"))
    return not described and is_installation(Path(arguments.origin))


def _meant(said: str) -> str:
    """Suggest what a word may mean that names no package and no path."""
    remedy = "name an existing folder or archive, or pkg:TYPE/NAME@VERSION"
    if _NAME.fullmatch(said):
        remedy = f"if you mean a package, name its kind: pkg:pypi/{said}, pkg:npm/{said}, pkg:deb/debian/{said} …"
    elif _TYPE_AND_NAME.fullmatch(said):
        remedy = f"did you mean pkg:{said.replace(':', '/', 1)}?"
    return did_you_mean_file(Path(said), remedy)


def _starter(arguments: argparse.Namespace) -> None:
    """Add well-known copyleft code of a language, and sync.

    Add twelve small, well-known sources of a language, under copyleft and source-available licences, to the manifest of
    an index, and sync. The manifest is created if it is missing.
    """
    path = _place(arguments.manifest)
    manifest, added, purls = operations.indexing.add_starters(path, arguments.languages)
    some = f"{len(purls)} such as {name(purls[0])}"
    messages.note(f"{counted(added, 'source')} added to {name(path.as_posix())}, of {some}")
    _synchronise(manifest, arguments)


def _sync(arguments: argparse.Namespace) -> int:
    """Make an index agree with its manifest.

    Make an index agree with its manifest: add, replace and remove sources, download missing ones, and pin the exact
    content of each source in the lock beside it. Pinned versions stay as they are.
    """
    manifest = load_manifest(_place(arguments.manifest))
    if arguments.check:
        return _check(manifest, _options(manifest, arguments))
    _synchronise(manifest, arguments)
    return ExitStatus.CLEAN


def _options(manifest: Manifest, arguments: argparse.Namespace) -> SyncOptions:
    from winnow_ci.indexer.syncing import SyncOptions

    names = [one.name for one in manifest.sources]
    upgrade = [] if arguments.upgrade is None else arguments.upgrade or names
    return SyncOptions(arguments.frozen, arguments.offline, frozenset(upgrade))


def _synchronise(
    manifest: Manifest, arguments: argparse.Namespace, edit: operations.indexing.ManifestEdit | None = None
) -> None:
    from winnow_ci.indexer.syncing import SyncProgress

    options, progress = _options(manifest, arguments), SyncProgress(messages.counting, _say_failed)
    with engine(arguments, manifest.index) as chosen:
        report = operations.indexing.synchronise(manifest, options, progress, edit, chosen)
    if report.failure and report.digest is None:
        raise report.failure
    index = name(str(manifest.index))
    if report.remade:
        messages.note(f"{index} {report.remade}: rebuilding from scratch")
    for outcome in report.outcomes:
        if added := outcome.added:
            lines = [indexed(added), *licences_found(added, "name one in the manifest (license:)")]
            for line in (*lines, fallback_files(added.fallback)) if added.fallback else lines:
                messages.note(f"{name(outcome.name)}: {line}")
    print(table([_row(outcome) for outcome in report.outcomes]))
    counts = Counter(outcome.state for outcome in report.outcomes)
    states = ", ".join(f"{count:,} {state}" for state, count in counts.items())
    print(f"{index}: {states}; digest {report.digest}")
    if (size := manifest.index.stat().st_size) > _MOST_IN_GIT:
        large = f"{index} has {size / 1e6:,.0f} MB, and forges refuse files over 100 MB: leave it out of git"
        elsewhere = "make it where it is needed, from the manifest and the lock: winnow-ci index sync --frozen"
        messages.note(f"{large}, and {elsewhere}")
    if report.failure:
        raise report.failure


def _say_failed(error: WinnowError) -> None:
    messages.note(f"{name(error.problem)}\n  {name(error.remedy)}")


def _row(outcome: SourceOutcome) -> tuple[str, ...]:
    versions = [source.version or "-" for source in outcome.sources] or ["-"]
    licences = [licence for licence, _ in Counter(source.license for source in outcome.sources).most_common()]
    several = "packages" if are_packages(outcome.sources) else "versions"
    version = versions[0] if len(versions) == 1 else f"{len(versions):,} {several}"
    if len(licences) > _LICENCES_OF_ROW:
        shown = licences[: _LICENCES_OF_ROW - 1]
        licences = [*shown, f"{len(licences) - len(shown)} more"]
    return outcome.name, version, " / ".join(licences) or "-", outcome.state


def _check(manifest: Manifest, options: SyncOptions) -> int:
    planned, agrees = operations.indexing.planned_sync(manifest, options)
    rows = [(step.declared.name, f"to be {step.state}") for step in planned.steps if step.state != "unchanged"]
    rows += [(gone, "to be removed") for gone in planned.gone]
    if rows:
        print(table(rows))
    verdict = "agrees with" if agrees else "does not agree with"
    print(f"{name(str(manifest.index))} {verdict} {name(str(manifest.path))}")
    return ExitStatus.CLEAN if agrees else ExitStatus.FINDINGS
