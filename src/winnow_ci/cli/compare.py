"""Compare two files, folders or revisions, or all files of a folder with each other.

Measure how much two bodies of code have in common, or which files of a folder share code. Needs no index and no
repository, and judges nothing: its exit status is 0 whatever it finds. Instead of a file or folder, you can name a
revision of the repository here (REV, or REV:path).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from winnow_ci.cli import choices, messages, outputs
from winnow_ci.errors import ExitStatus, UsageError
from winnow_ci.model.comparison import COMPARE_PARAMETERS, ComparedBody, ComparisonOptions, DocumentSketch, PairLimits
from winnow_ci.report import shown_code
from winnow_ci.report.coverage import fallback_files, skipped_files
from winnow_ci.report.printable import name
from winnow_ci.report.wording import counted

# More pairs than anybody would look at.
_COUNTS = range(1, 1_000_001)
# A hash of more documents is a phrase of the language; pairs of them would grow with its square.
_DOCUMENTS = range(2, 10_001)


def add_to(parser: argparse.ArgumentParser) -> None:
    add, counts, bounded = parser.add_argument, choices.number_in(_COUNTS), "with --sketch bounded:"
    add("places", nargs="+", metavar="PATH", help="two files, folders or revisions; with --all-pairs, one")
    add("--all-pairs", action="store_true", help="compare all files of a folder with each other")
    base = "code that everybody has; does not count (repeatable)"
    add("--base", action="append", default=[], metavar="PATH", help=base)
    estimate = "estimate shares from the S smallest fingerprints of each body (default: from all)"
    sketch = f"{estimate}; or, with bounded, reduce each file to a sketch of a bounded size and compare nothing else"
    add("--sketch", type=_sketch, metavar="S|bounded", help=sketch)
    add("--window", type=counts, metavar="W", help=f"{bounded} find shared runs of W k-grams")
    add("--size", type=counts, metavar="N", help=f"{bounded} entries of a file (default: as many as the proof needs)")
    weight = "rank pairs by their shared fingerprints: by weight, where rare ones count more (default), or by number"
    add("--rank", choices=("weight", "count"), default="weight", help=weight)
    add("--top", type=counts, default=20, metavar="N", help="pairs of files to show (default: 20)")
    least = "leave out pairs that share fewer fingerprints (default: 4; with --sketch bounded 1)"
    add("--least", type=counts, metavar="N", help=least)
    most = "ignore fingerprints that more than M files have (default: 10)"
    add("--most-files", type=choices.number_in(_DOCUMENTS), default=10, metavar="M", help=most)
    choices.add_parameters(parser, COMPARE_PARAMETERS)
    add("--json", action="store_true", help="print JSON")
    page = "also write a page with the pairs side by side"
    add("--format", action="append", type=_page, metavar="html:FILE", help=page)


def _page(value: str) -> Path:
    name, _, file = value.partition(":")
    if name != "html" or not file:
        msg = f"{value!r} is not html:FILE; text goes to standard output, JSON with --json"
        raise argparse.ArgumentTypeError(msg)
    return Path(file)


def _sketch(value: str) -> int | str:
    if value == "bounded":
        return value
    if value[:1].isalpha():
        msg = f"{value!r} is neither bounded nor a whole number"
        raise argparse.ArgumentTypeError(msg)
    return choices.number_in(_COUNTS)(value)


def run(arguments: argparse.Namespace) -> int:
    from winnow_ci import comparing
    from winnow_ci.operations.paired_lines import shown_pairs
    from winnow_ci.report import comparison

    _check(arguments)
    options = _options(arguments)
    base = [comparing.find_body(place) for place in arguments.base]
    bodies = [comparing.find_body(place) for place in arguments.places]
    with messages.counting("comparing", " files") as progress:
        found = comparing.compare(bodies, options, base, progress)
    status = _read(found.bodies)
    for file in arguments.format or []:
        pairs = shown_pairs(found, shown_code(["html"]).lines)
        outputs.write_file(file, comparison.as_page(found, options, pairs))
    sys.stdout.write(comparison.as_json(found, options) if arguments.json else comparison.as_text(found, options))
    return status


def _check(arguments: argparse.Namespace) -> None:
    if len(arguments.places) != (1 if arguments.all_pairs else 2):
        of_two = "compare takes two files, folders or revisions"
        what = "--all-pairs takes one folder" if arguments.all_pairs else of_two
        remedy = "winnow-ci compare A B, or winnow-ci compare DIR --all-pairs"
        raise UsageError(f"{what}, not {len(arguments.places)}", remedy)
    if isinstance(arguments.sketch, str):
        if arguments.window is None:
            raise UsageError("--sketch bounded needs the length of the runs to find", "give it: --window 2000")
        return
    if given := next((name for name in ("window", "size") if vars(arguments)[name] is not None), None):
        raise UsageError(f"--{given} is for --sketch bounded", f"add --sketch bounded, or leave out --{given}")
    if arguments.all_pairs and arguments.sketch:
        problem = "--sketch compares two bodies, and --all-pairs compares the files of one"
        raise UsageError(problem, "leave out --sketch")


def _options(arguments: argparse.Namespace) -> ComparisonOptions:
    is_bounded = isinstance(arguments.sketch, str)
    reduced = DocumentSketch(arguments.window, arguments.size) if is_bounded else None
    least = arguments.least or (1 if reduced else PairLimits().least)
    limits = PairLimits(arguments.most_files, least, arguments.top, arguments.rank)
    sketch, asked = None if reduced else arguments.sketch, COMPARE_PARAMETERS._replace(**choices.parameters(arguments))
    return ComparisonOptions(asked, limits, sketch, texts=bool(arguments.format), reduced=reduced)


def _read(bodies: Iterable[ComparedBody]) -> int:
    status = ExitStatus.CLEAN
    for body in bodies:
        messages.note(name(f"{body.name}: {counted(body.files, 'file')} read, {skipped_files(body.skipped)}"))
        if body.fallback:
            messages.note(fallback_files(body.fallback))
        for skip in body.skipped:
            if skip.state == "not-scanned":
                messages.note(f"{name(skip.path)}: not read: {name(skip.reason)}")
                status = ExitStatus.CANNOT_SCAN
    return status
