"""``winnow-ci index list``: which sources are in an index."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from winnow_ci.cli import named_index
from winnow_ci.cli.index.listing import document, source_cells, source_document
from winnow_ci.errors import ExitStatus, UsageError
from winnow_ci.report.printable import json_text, table, unicode

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from winnow_ci.config.index_reference import ServedIndex
    from winnow_ci.index import SourceSummary

    # Licences of single files → where these were read → how many files.
    FileLicences: TypeAlias = dict[str, dict[str | None, int]]

_HEADING = ("SOURCE", "VERSION", "LICENCE", "FROM", "FILES", "WHOLE", "FINGERPRINTS", "BYTES", "TEXT", "URL")
_LICENCES_HEADING = ("SOURCE", "VERSION", "LICENCE", "FILES", "FROM")
# Places of one licence that have a row each: every file may have one of its own beside it.
_PLACES = 5


def add_to(actions: Any) -> None:
    """Declare the command."""
    text = "list the sources in an index"
    action = actions.add_parser("list", help=text, description=text.capitalize() + ".")
    named_index.add_to(action)
    action.add_argument(
        "--licences", action="store_true", help="list the licences of single files that differ from their source's"
    )
    action.add_argument("--json", action="store_true", help="print JSON")
    action.set_defaults(run=list_sources)


def list_sources(arguments: argparse.Namespace) -> int:
    """List; returns the exit status."""
    from winnow_ci.index import WholeIndex

    place = named_index.index_of(arguments).place
    if not isinstance(place, Path):
        _list_served(place, arguments)
        return ExitStatus.CLEAN
    with WholeIndex(place) as index:
        summaries = index.summaries()
        own = index.own_licences() if arguments.licences else None
        if arguments.json:
            sources = [_described(summary, own) for summary in summaries]
            called, size = unicode(str(index.path)), index.path.stat().st_size
            print(json_text(document(index, called, size, sources)), end="")
        elif own is not None:
            print(
                table([_LICENCES_HEADING, *(row for one in summaries for row in _licences(one, own[one.source.name]))])
            )
        else:
            print(table([_HEADING, *map(_row, summaries)]))
            made = index.parameters.described(", ")
            print(
                f"{index.postings:,} fingerprints, {index.path.stat().st_size:,} bytes, {made}, digest {index.digest}"
            )
    return ExitStatus.CLEAN


def _list_served(place: ServedIndex, arguments: argparse.Namespace) -> None:
    from winnow_ci.cli.index import list_served

    if arguments.licences:
        problem = "an index on a server, which does not count the licences of single files"
        raise UsageError(problem, "name the file of the index: INDEX")
    list_served.show(place, as_json=arguments.json)


def _row(summary: SourceSummary) -> tuple[str, ...]:
    numbers = summary.files - summary.whole, summary.whole, summary.fingerprints, summary.bytes
    counts = (f"{number:,}" for number in numbers)
    return *source_cells(summary.source), *counts, "kept" if summary.text else "-", summary.source.url or "-"


def _licences(summary: SourceSummary, own: FileLicences) -> Iterator[tuple[str, ...]]:
    """A row for the files with the licence of the source, and one for each other licence and where that was read."""
    source = summary.source
    if source.boilerplate:
        return
    described, files = (source.name, source.version or "-"), summary.files - sum(_counted(own).values())
    if files or not own:
        yield *described, source.license, f"{files:,}", source.license_from or "-"
    for licence, places in own.items():
        for origin, count in list(places.items())[:_PLACES]:
            yield *described, licence, f"{count:,}", origin or "-"
        if more := list(places.values())[_PLACES:]:
            yield *described, licence, f"{sum(more):,}", f"{len(more):,} other places"


def _counted(own: FileLicences) -> dict[str, int]:
    """How many files have each licence; that of most files first."""
    counts = {licence: sum(places.values()) for licence, places in own.items()}
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _described(summary: SourceSummary, own: dict[str, FileLicences] | None) -> dict[str, Any]:
    of_source = None if own is None else own[summary.source.name]
    return {
        **({} if of_source is None else {"file_licenses": _counted(of_source), "file_licenses_from": of_source}),
        **source_document(summary.source),
        "files": summary.files,
        "whole_files": summary.whole,
        "fingerprints": summary.fingerprints,
        "bytes": summary.bytes,
        "text": summary.text,
    }
