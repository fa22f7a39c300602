"""Arguments that several commands share: the change, the rules, indexes, reports, and parameters of fingerprints."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args

from winnow_ci import git, operations
from winnow_ci.cli import messages, outputs
from winnow_ci.config import CONFIGURATION
from winnow_ci.config.index_reference import IndexReference, is_uri, parse_index_reference
from winnow_ci.errors import GitError, UsageError
from winnow_ci.model import KGRAM_LENGTHS, WINDOW_LENGTHS, Parameters, Selection
from winnow_ci.report import FORMATS
from winnow_ci.report.shown import GROUPINGS


def here() -> git.Repository | None:
    """Return the repository that we are in; None if there is none."""
    try:
        return git.Repository.find(Path.cwd())
    except GitError:
        return None


def number_in(numbers: range) -> Callable[[str], int]:
    """Make a reader of an argument that is one of these numbers."""

    def read(value: str) -> int:
        if not (value.isascii() and value.isdecimal() and len(value) < 10 and int(value) in numbers):
            msg = f"must be a whole number from {numbers[0]} to {numbers[-1]}, not {value!r}"
            raise argparse.ArgumentTypeError(msg)
        return int(value)

    return read


def utf8(value: Any, remedy: str) -> Any:
    """Decode an argument that goes into a file as UTF-8, whatever the locale; leave anything but text as it is."""
    try:
        return os.fsencode(value).decode() if isinstance(value, str) else value
    except UnicodeDecodeError as error:
        raise UsageError(f"not UTF-8: {value}", remedy) from error


def add_mode(parser: argparse.ArgumentParser, *, with_paths: bool = True) -> None:
    """Declare which change is meant, and which of its files."""
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--since", metavar="REV", help="changes since the merge base with REV, uncommitted work included")
    mode.add_argument("--staged", action="store_true", help="changes staged for the next commit")
    mode.add_argument("--range", metavar="A..B", help="changes from A to B (A...B: since their merge base)")
    mode.add_argument("--all", action="store_true", help="every file, as if all of it were new")
    if with_paths:
        parser.add_argument("paths", nargs="*", metavar="PATH", help="only these files and folders")


def change_choice(arguments: argparse.Namespace) -> operations.scan.ChangeChoice:
    """Return the chosen change (``add_mode``); a hook has none of these options."""
    given = vars(arguments)
    values = (given.get("since"), given.get("staged", False), given.get("range"), given.get("all", False))
    return operations.scan.ChangeChoice(*values, tuple(given.get("paths", ())))


def add_rules(parser: argparse.ArgumentParser, *, of_a_change: bool = False) -> None:
    """Declare the options for indexes and configuration and, for a change, whose configuration applies."""
    known = "index of known code (repeatable)"
    parser.add_argument("--index", action="append", type=parse_index_reference, metavar="INDEX", help=known)
    described = f"configuration (default: {CONFIGURATION})" if of_a_change else "another configuration"
    parser.add_argument("--config", type=Path, metavar="FILE", help=described)
    whose = "take configuration, boilerplate and index from the base branch (default in CI) or from the checkout"
    if of_a_change:
        parser.add_argument("--policy-from", choices=("base", "head"), help=whose)


def rule_choice(arguments: argparse.Namespace) -> operations.trust.RuleChoice:
    """Return the chosen rules (``add_rules``)."""
    given, indexes = vars(arguments), tuple(arguments.index or ())
    policy_from, update = given.get("policy_from"), given.get("update_baseline", False)
    return operations.trust.RuleChoice(arguments.config, indexes, policy_from, update)


def add_reports(parser: argparse.ArgumentParser, *, may_fail: bool = True) -> None:
    """Declare which reports are written, and whether findings make the command fail."""
    formats = f"{', '.join(FORMATS)}, to standard output or to a file (repeatable; default: text)"
    kinds = f"{formats}; {outputs.AUTO}: the best format for the CI, with its summary or report file"
    parser.add_argument("--format", action="append", type=outputs.output, metavar="FORMAT[:FILE]", help=kinds)
    group = "in text and markdown: a table of these first, then a line for each finding"
    parser.add_argument("--group-by", choices=GROUPINGS, help=group)
    if may_fail:
        parser.add_argument("--exit-zero", action="store_true", help="report findings, but do not fail because of them")


def index_file(value: str) -> Path:
    """Parse the path of an index."""
    if is_uri(value):
        raise UsageError("this command needs an index file, not a URI", "name an index file")
    return Path(value)


def add_index(action: argparse.ArgumentParser) -> None:
    """Declare the index, which the configuration may name instead."""
    described = f"default: the one that {CONFIGURATION} names, here or in the nearest folder above"
    read = partial(parse_index_reference, may_be_current=True)
    action.add_argument("index", nargs="?", type=read, metavar="INDEX", help=described)


def index_of(arguments: argparse.Namespace) -> operations.named_elsewhere.NamedIndex:
    """Return the index on the command line, or else the only one in the nearest configuration."""
    if isinstance(arguments.index, Path):
        return operations.named_elsewhere.NamedIndex(arguments.index, str(arguments.index))
    entries = (arguments.index,) if arguments.index else _configured()
    found = [index for one in entries for index in operations.named_elsewhere.indexes_of(one, None, messages.counting)]
    if len(found) == 1:
        return found[0]
    problem = f"{CONFIGURATION} names {len(found)} indexes" if found else f"no {CONFIGURATION} here that names an index"
    raise UsageError(problem, "name the index: INDEX")


def _configured() -> tuple[IndexReference, ...]:
    """The indexes of the configuration of this folder, or of the nearest one above it in the repository."""
    from winnow_ci.config.settings import load_settings

    repository = here()
    nearest = operations.named_elsewhere.nearest_configuration((repository.root if repository else None) or Path.cwd())
    configuration = next((one for one in (Path(CONFIGURATION), nearest) if one.exists()), None)
    if configuration is None:
        remedy = "write a first configuration: winnow-ci init (or name the index: INDEX)"
        raise UsageError(f"no {CONFIGURATION} here that names an index", remedy)
    check = partial(operations.named_elsewhere.refuse_checkout, repository) if repository else bool
    return operations.named_elsewhere.extended(partial(load_settings, configuration), messages.counting, check).index


def add_parameters(parser: argparse.ArgumentParser, default: Parameters) -> None:
    """Declare the parameters."""
    add = parser.add_argument
    add("-k", type=number_in(KGRAM_LENGTHS), metavar="K", help=f"length of a k-gram in tokens (default: {default.k})")
    add("-w", type=number_in(WINDOW_LENGTHS), metavar="W", help=f"length of a window in k-grams (default: {default.w})")
    add(
        "--selection",
        choices=get_args(Selection),
        help=f"which k-grams to keep (default: {default.selection}). With anchored, winnowing, robust and "
        "mod-minimizer, every run of K + W - 1 tokens holds one. mod-p guarantees nothing, nor does bottom-s, which "
        "compares only whole files. bounded keeps at most 65,536 per file, and finds longer runs with high probability",
    )


def parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters that the command line or a configuration in this folder asks for."""
    from winnow_ci.config.settings import load_settings

    configuration = Path(CONFIGURATION)
    configured = load_settings(configuration).parameters if configuration.exists() else {}
    names = ("k", "w", "selection")
    return {**configured, **{name: value for name in names if (value := getattr(arguments, name)) is not None}}
