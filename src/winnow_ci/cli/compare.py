"""``winnow-ci compare``: two bodies of code, or all files of a set with each other, without an index."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.cli import messages, parameters, report_files
from winnow_ci.cli.progress import counting
from winnow_ci.errors import ExitStatus, UsageError
from winnow_ci.model.comparison import COMPARED, ComparisonOptions, DocumentSketch, PairLimits
from winnow_ci.report.coverage import fallback_files, skipped_files
from winnow_ci.report.printable import name
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from winnow_ci.model.comparison import ComparedBody, Comparison

# More than anybody looks at, or than would be few.
_COUNTS = range(1, 1_000_001)
# A hash of more documents is a phrase of the language; pairs of them would grow with its square.
_DOCUMENTS = range(2, 10_001)


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "compare",
        help="compare two files, folders or revisions, or all files of a folder with each other",
        description="Say how much two bodies of code have in common, or which files of a folder have something in "
        "common. Needs no index and no repository, and judges nothing: its exit status is 0 whatever it finds. "
        "Instead of a file or folder, a revision of the repository here can be named (REV, or REV:path); what is both "
        "is the file or folder.",
    )
    parser.add_argument(
        "places", nargs="+", metavar="PATH", help="two files, folders or revisions; with --all-pairs, one"
    )
    parser.add_argument("--all-pairs", action="store_true", help="compare all files of a folder with each other")
    parser.add_argument(
        "--base",
        action="append",
        default=[],
        metavar="PATH",
        help="file, folder or revision with code that everybody has, which is not counted; may be given several times",
    )
    _add_limits(parser)
    parameters.add_to(parser, COMPARED)
    parser.add_argument("--json", action="store_true", help="print JSON (docs/compare.md)")
    parser.add_argument(
        "--format",
        action="append",
        type=_page,
        metavar="html:FILE",
        help="also write a page with the pairs side by side (docs/compare.md)",
    )
    parser.set_defaults(run=run)


def _page(value: str) -> Path:
    """Parse an argument: ``html:FILE``."""
    name, _, file = value.partition(":")
    if name != "html" or not file:
        msg = f"{value!r} is not html:FILE; text is what is printed, and JSON is printed by --json"
        raise argparse.ArgumentTypeError(msg)
    return Path(file)


def _sketch(value: str) -> int | str:
    """Parse an argument: a number of fingerprints, or bounded."""
    if value == "bounded":
        return value
    if value[:1].isalpha():
        msg = f"{value!r} is neither bounded nor a whole number"
        raise argparse.ArgumentTypeError(msg)
    return parameters.one_of(_COUNTS)(value)


def _chance(value: str) -> float:
    """Parse an argument: more than 0, at most 0.2."""
    try:
        if 0 < float(value) <= 0.2:
            return float(value)
    except ValueError:
        pass
    msg = f"must be more than 0 and at most 0.2, not {value!r}"
    raise argparse.ArgumentTypeError(msg)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    counts = parameters.one_of(_COUNTS)
    parser.add_argument(
        "--sketch",
        type=_sketch,
        metavar="S|bounded",
        help="estimate shares from the S smallest fingerprints of each body (default: from all); or, with bounded, "
        "reduce each file to a sketch of a bounded size and compare nothing else",
    )
    parser.add_argument(
        "--window", type=counts, metavar="W", help="with --sketch bounded: shared runs of W k-grams are looked for"
    )
    parser.add_argument(
        "--size",
        type=counts,
        metavar="N",
        help="with --sketch bounded: entries that a file may have (default: what the proof asks for)",
    )
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FILE",
        help="with --sketch bounded: compare nothing, and write the sketches of one PATH to FILE; compare FILE later "
        "instead of PATH",
    )
    parser.add_argument(
        "--delta",
        type=_chance,
        metavar="D",
        help="with --sketch bounded: the chance to miss a shared run, at most 0.2 (default: 0.01)",
    )
    parser.add_argument(
        "--rank",
        choices=("weight", "count"),
        default="weight",
        help="what pairs are ranked by: what their common fingerprints weigh, rare ones more (default), or their count",
    )
    parser.add_argument("--top", type=counts, default=20, metavar="N", help="pairs of files to show (default: 20)")
    parser.add_argument(
        "--least",
        type=counts,
        metavar="N",
        help="pairs that share fewer fingerprints do not count (default: 4; with --sketch bounded 1)",
    )
    parser.add_argument(
        "--most-files",
        type=parameters.one_of(_DOCUMENTS),
        default=10,
        metavar="M",
        help="a fingerprint that more files have makes no pairs (default: 10)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Compare; returns the exit status."""
    from winnow_ci import comparing
    from winnow_ci.report import comparison

    _check(arguments)
    options = _options(arguments)
    base = [comparing.find_body(place) for place in arguments.base]
    if arguments.keep is not None:
        with counting("reading", " files") as progress:
            text, kept = comparing.sketches(comparing.find_body(arguments.places[0]), options, base, progress)
        _tell(kept)
        report_files.write(arguments.keep, text, None)
        return _status([kept])
    bodies = [comparing.find_body(place) for place in arguments.places]
    with counting("comparing", " files") as progress:
        if arguments.all_pairs:
            found = comparing.all_pairs(bodies[0], options, base, progress)
        else:
            found = comparing.compare(bodies[0], bodies[1], options, base, progress)
    for body in found.bodies:
        _tell(body)
    for file in arguments.format or []:
        _write_page(file, found, options)
    sys.stdout.write(comparison.as_json(found, options) if arguments.json else comparison.as_text(found, options))
    return _status(found.bodies)


def _status(bodies: Iterable[ComparedBody]) -> int:
    unread = any(skip.state == "not-scanned" for body in bodies for skip in body.skipped)
    return ExitStatus.CANNOT_SCAN if unread else ExitStatus.CLEAN


def _check(arguments: argparse.Namespace) -> None:
    takes_one = next((f"--{name.replace('_', '-')}" for name in ("all_pairs", "keep") if vars(arguments)[name]), None)
    if len(arguments.places) != (1 if takes_one else 2):
        what = f"{takes_one} takes one folder" if takes_one else "two files, folders or revisions are compared"
        remedy = "winnow-ci compare A B, or winnow-ci compare DIR --all-pairs"
        raise UsageError(f"{what}, not {len(arguments.places)}", remedy)
    if isinstance(arguments.sketch, str):
        if arguments.window is None:
            raise UsageError("--sketch bounded looks for runs of some length", "say which: --window 2000")
        return
    if given := next((name for name in ("window", "size", "delta", "keep") if vars(arguments)[name] is not None), None):
        raise UsageError(f"--{given} is for --sketch bounded", f"add --sketch bounded, or leave out --{given}")
    if arguments.all_pairs and arguments.sketch:
        raise UsageError("--sketch estimates how alike two bodies are, not pairs of a set", "leave out --sketch")


def _options(arguments: argparse.Namespace) -> ComparisonOptions:
    asked = COMPARED._replace(**parameters.asked(arguments))
    reduced = _reduced(arguments)
    least = arguments.least or (1 if reduced else PairLimits().least)
    limits = PairLimits(arguments.most_files, least, arguments.top, arguments.rank)
    sketch = None if reduced else arguments.sketch
    return ComparisonOptions(asked, limits, sketch, texts=bool(arguments.format), reduced=reduced)


def _reduced(arguments: argparse.Namespace) -> DocumentSketch | None:
    if not isinstance(arguments.sketch, str):
        return None
    wanted = DocumentSketch(arguments.window, arguments.size)
    return wanted if arguments.delta is None else wanted._replace(delta=arguments.delta)


def _write_page(file: Path, found: Comparison, options: ComparisonOptions) -> None:
    from winnow_ci.operations.shown_pairs import shown_pairs
    from winnow_ci.report import shown_code
    from winnow_ci.report.comparison import as_page

    pairs = shown_pairs(found, shown_code(["html"]).lines)
    report_files.write(file, as_page(found, options, pairs), None)


def _tell(body: ComparedBody) -> None:
    """Say what was looked at, and what was not."""
    text = f"{body.name}: {counted(body.files, 'file')} read, {skipped_files(body.skipped)}"
    messages.say(f"winnow-ci: {name(text)}")
    if body.fallback:
        messages.say(f"winnow-ci: {fallback_files(body.fallback)}")
    for skip in body.skipped:
        if skip.state == "not-scanned":
            messages.say(f"winnow-ci: {name(skip.path)}: not read: {name(skip.reason)}")
