"""``winnow-ci index add``: a source more in the manifest, and in the index."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.cli import messages, parameters
from winnow_ci.cli.index import sync
from winnow_ci.errors import ExitStatus, UsageError, nearest_file
from winnow_ci.report.printable import name

if TYPE_CHECKING:
    import argparse

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_NAME = re.compile(r"@?[A-Za-z0-9][A-Za-z0-9._-]*(@[0-9][A-Za-z0-9.+-]*)?")
_TYPE_AND_NAME = re.compile(r"(cargo|deb|golang|npm|pypi)[/:][^\s/].*")
_AT_HOST = re.compile(r"[A-Za-z0-9._~-]+@[A-Za-z0-9.-]+:")


def add_to(actions: Any) -> None:
    """Declare the command."""
    add = actions.add_parser(
        "add",
        help="add a source to the manifest of an index, and sync",
        description="Add a source to the manifest of an index, which is made if there is none, and sync. If that "
        "fails, the manifest stays unchanged.",
    )
    add.add_argument(
        "origin",
        metavar="PURL|URL|PATH",
        help="a package URL (pkg:pypi/NAME@VERSION, pkg:npm/NAME, pkg:golang/MODULE …); the https URL of an archive; a "
        "folder or an archive; with --revision or --all-tags, a git repository",
    )
    add.add_argument("--name", help="name of the source (default: as its origin says)")
    add.add_argument("--version", metavar="V", help="its version (default: as its origin says)")
    add.add_argument("--license", metavar="SPDX", help="its licence, as an SPDX expression (default: what is found)")
    commits = add.add_mutually_exclusive_group()
    commits.add_argument("--revision", metavar="REV", help="tag, branch or commit of the git repository")
    commits.add_argument("--all-tags", action="store_true", help="each tag of the git repository is a version")
    add.add_argument("--sha256", metavar="DIGITS", help="what the archive at the URL must have")
    add.add_argument("--include", action="append", metavar="PATTERN", help="take only these of its files (repeatable)")
    add.add_argument("--exclude", action="append", metavar="PATTERN", help="leave these (repeatable)")
    add.add_argument("--boilerplate", action="store_true", help="everybody has it: what is in it is no evidence")
    add.add_argument("--with-text", action="store_true", help="keep its text in the index")
    sync.add_options(add)
    add.set_defaults(run=add_source)


def add_source(arguments: argparse.Namespace) -> int:
    """Add; returns the exit status."""
    from winnow_ci.indexer.planning import SyncOptions
    from winnow_ci.operations.sync import extended

    path = sync.place(arguments.manifest)
    manifest, source, edit = extended(path, _values(arguments, path.parent))
    if edit is None:
        messages.say(f"winnow-ci: {name(source.name)} is in {name(str(path))} already")
    sync.run(manifest, SyncOptions(offline=arguments.offline), edit)
    return ExitStatus.CLEAN


def _values(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Keys and values of the manifest for what the command line says."""
    paths = {"include": arguments.include, "exclude": arguments.exclude}
    values = {
        **_origin(arguments, folder),
        "revision": arguments.revision,
        "all-tags": arguments.all_tags,
        "sha256": arguments.sha256,
        "name": arguments.name,
        "version": arguments.version,
        "license": arguments.license,
        "paths": {key: value for key, value in paths.items() if value},
        "boilerplate": arguments.boilerplate,
        "with-text": arguments.with_text,
    }
    return {key: parameters.utf8(value, "rename it, or write it in UTF-8") for key, value in values.items() if value}


def _origin(arguments: argparse.Namespace, folder: Path) -> dict[str, str]:
    said = arguments.origin
    if said.startswith("pkg:"):
        return {"purl": said}
    is_git = arguments.revision is not None or arguments.all_tags
    if _URL.match(said) or (_AT_HOST.match(said) and not Path(said).exists()):
        if not is_git and said.rstrip("/").endswith(".git"):
            raise UsageError(f"{said} is a git repository", "say what of it: --revision REV or --all-tags")
        return {"git" if is_git else "url": said}
    if not Path(said).exists():
        raise UsageError(f"{said}: no such file or folder, and no URL", _meant(said))
    return {"git" if is_git else "path": _from(folder, said)}


def _meant(said: str) -> str:
    """What to write for a package or a path, given what names neither."""
    if near := nearest_file(Path(said)):
        return f"did you mean {near}?"
    if _NAME.fullmatch(said):
        return f"a package is named by its kind, too: pkg:pypi/{said}, pkg:npm/{said}, pkg:deb/debian/{said} …"
    if _TYPE_AND_NAME.fullmatch(said):
        return f"did you mean pkg:{said.replace(':', '/', 1)}?"
    return "name a folder or an archive that is there, or pkg:TYPE/NAME@VERSION"


def _from(folder: Path, place: str) -> str:
    """A place as the manifest has it: relative to its folder, if it was given so."""
    if Path(place).is_absolute():
        return place
    return os.path.relpath(Path(place).resolve(), folder.resolve())
