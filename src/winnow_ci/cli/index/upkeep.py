"""``winnow-ci index verify``, ``remove`` and ``merge``: indexes are checked and rewritten."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.cli import messages, named_index
from winnow_ci.cli.progress import counting
from winnow_ci.errors import ExitStatus
from winnow_ci.operations import MANIFEST
from winnow_ci.report.printable import name
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    import argparse

    from winnow_ci.indexer import WrittenIndex


def add_to(actions: Any) -> None:
    """Declare the commands."""
    verify = actions.add_parser(
        "verify",
        help="check everything in an index",
        description="Check everything in an index: its structure, the digest of every row, that all of it agrees, and "
        "that this winnow-ci can compare code with it.",
    )
    named_index.add_to(verify)
    verify.set_defaults(run=verify_index)
    remove = actions.add_parser(
        "remove",
        help="take sources out of an index",
        description="Rewrite an index without some of its sources. One source must be left.",
    )
    remove.add_argument("index", type=named_index.file, metavar="INDEX")
    remove.add_argument("names", nargs="+", metavar="NAME", help="name of a source, as index list shows it")
    remove.set_defaults(run=remove_sources)
    _add_merge(actions)


def _add_merge(actions: Any) -> None:
    merge = actions.add_parser(
        "merge",
        help="put the sources of several indexes into one",
        description="Put the sources of several indexes into one, as if all had been built into it. The indexes must "
        "have been made with the same parameters, by front ends like those of this winnow-ci. A source that several "
        "have is one if it is the same in all; if it is not, --prefer says which one is taken.",
    )
    merge.add_argument("indexes", nargs="+", type=named_index.file, metavar="INDEX")
    merge.add_argument(
        "--output",
        required=True,
        type=named_index.file,
        metavar="INDEX",
        help="the index to write: a new one, or one of these",
    )
    merge.add_argument(
        "--prefer",
        choices=("first", "last"),
        help="of different sources of one name take that of the first or of the last index (default: refuse)",
    )
    merge.set_defaults(run=merge_indexes)


def verify_index(arguments: argparse.Namespace) -> int:
    """Check; returns the exit status."""
    from winnow_ci.index import WholeIndex, verify
    from winnow_ci.indexer import check_current

    with WholeIndex(named_index.file_of(arguments)) as index:
        with counting("checking", " rows") as progress:
            verify(index, progress)
        check_current(index)
        texts = f" (text of {index.texts:,})" if index.texts else ""
        contents = f"{index.contents:,} contents{texts}"
        print(f"{name(str(index.path))} is sound: {contents}, {index.postings:,} fingerprints")
        print(f"digest {index.digest}")
    return ExitStatus.CLEAN


def remove_sources(arguments: argparse.Namespace) -> int:
    """Remove; returns the exit status."""
    from winnow_ci.indexer import remove

    with counting("writing", " blocks") as progress:
        written = remove(arguments.index, arguments.names, progress)
    _tell(arguments.index, written)
    manifest = arguments.index.with_name(Path(MANIFEST).name)
    if manifest.is_file():
        messages.say(f"winnow-ci: what {name(str(manifest))} still declares, the next winnow-ci index sync adds again")
    return ExitStatus.CLEAN


def merge_indexes(arguments: argparse.Namespace) -> int:
    """Merge; returns the exit status."""
    from winnow_ci.indexer import merge

    with counting("writing", " blocks") as progress:
        written = merge(arguments.indexes, arguments.output, arguments.prefer, progress)
    _tell(arguments.output, written)
    return ExitStatus.CLEAN


def _tell(index: Path, written: WrittenIndex) -> None:
    sources = counted(written.sources, "source")
    print(f"{name(str(index))}: {sources}, digest {written.digest}")
