"""``winnow-ci index list``: show the sources of an index."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from winnow_ci import index, operations
from winnow_ci.cli import arguments as shared
from winnow_ci.cli import messages
from winnow_ci.config.index_reference import ServedIndex
from winnow_ci.errors import UsageError
from winnow_ci.report.printable import json_text, name, table, unicode

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from winnow_ci.model import Source

    # Licences of single files → where these were read → how many files.
    FileLicences: TypeAlias = dict[str, dict[str | None, int]]

_HEADING = ("SOURCE", "VERSION", "LICENCE", "FROM", "FILES", "WHOLE", "FINGERPRINTS", "BYTES", "TEXT", "URL")
_LICENCES_HEADING = ("SOURCE", "VERSION", "LICENCE", "FILES", "FROM")
# List at most this many places of a licence: each file may have a licence next to it.
_PLACES = 5


def add_to(actions: Any) -> None:
    action = messages.add_command(actions, "list", _list)
    shared.add_index(action)
    action.add_argument("--licences", action="store_true", help="list files with a licence other than their source's")
    action.add_argument("--json", action="store_true", help="print JSON")


def _list(arguments: argparse.Namespace) -> None:
    """List the sources in an index."""
    place = shared.index_of(arguments).place
    if not isinstance(place, Path):
        _list_served(place, arguments)
        return
    with index.WholeIndex(place) as opened:
        summaries, size = opened.summaries(), opened.path.stat().st_size
        own = opened.own_licences() if arguments.licences else None
        if arguments.json:
            sources = [_described(summary, own) for summary in summaries]
            print(json_text(_document(opened, unicode(str(opened.path)), size, sources)), end="")
        elif own is not None:
            rows = (row for one in summaries for row in _licences(one, own[one.source.name]))
            print(table([_LICENCES_HEADING, *rows]))
        else:
            print(table([_HEADING, *map(_row, summaries)]))
            made = opened.parameters.described(", ")
            print(f"{opened.postings:,} fingerprints, {size:,} bytes, {made}, digest {opened.digest}")


def _list_served(place: ServedIndex | operations.named_elsewhere.BlockFolder, arguments: argparse.Namespace) -> None:
    """List an index on a server; of a PostgreSQL server without a root, the current one.

    The size of each source would take reading all of the index; that is for ``index list`` of its file.
    """
    if arguments.licences:
        problem = "an index on a server does not count the licences of single files"
        raise UsageError(problem, "name an index file: INDEX")
    with operations.named_elsewhere.open_place(operations.named_elsewhere.with_root(place)) as opened:
        pinned = place.pinned(opened.digest) if isinstance(place, ServedIndex) else opened.name
        if arguments.json:
            unknown = dict.fromkeys(("files", "whole_files", "fingerprints", "bytes", "text"))
            sources = [{**_source_document(source), **unknown} for source in opened.sources]
            print(json_text(_document(opened, str(pinned), None, sources)), end="")
            return
        rows = ((*_cells(source), source.url or "-") for source in opened.sources)
        print(table([(*_HEADING[:4], _HEADING[-1]), *rows]))
        print(f"{opened.postings:,} fingerprints, {opened.parameters.described(', ')}, digest {opened.digest}")
        print(name(str(pinned)))


def _cells(source: Source) -> tuple[str, ...]:
    # No report ever names the licence of boilerplate.
    licence = ("boilerplate", "-") if source.boilerplate else (source.license, source.license_from or "-")
    return source.name, source.version or "-", *licence


def _row(summary: index.SourceSummary) -> tuple[str, ...]:
    numbers = summary.files - summary.whole, summary.whole, summary.fingerprints, summary.bytes
    counts = (f"{number:,}" for number in numbers)
    return *_cells(summary.source), *counts, "kept" if summary.text else "-", summary.source.url or "-"


def _licences(summary: index.SourceSummary, own: FileLicences) -> Iterator[tuple[str, ...]]:
    """A row for files with the source's licence, and one for each other licence and its origin."""
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
    counts = {licence: sum(places.values()) for licence, places in own.items()}
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _document(
    opened: index.IndexReader, called: str, size: int | None, sources: list[dict[str, Any]]
) -> dict[str, Any]:
    from winnow_ci.index.schema import FORMAT_VERSION

    p = opened.parameters
    return {
        "schema_version": 1,
        "index": called,
        "format": FORMAT_VERSION,
        "digest": opened.digest,
        "parameters": {"k": p.k, "w": p.w, "selection": p.selection},
        "front_ends": opened.front_ends,
        "contents": opened.contents,
        "texts": opened.texts,
        "fingerprints": opened.postings,
        "bytes": size,
        "sources": sources,
    }


def _source_document(source: Source) -> dict[str, Any]:
    fields = ("name", "version", "license", "url", "purl", "license_from", "boilerplate")
    return {field: getattr(source, field) for field in fields}


def _described(summary: index.SourceSummary, own: dict[str, FileLicences] | None) -> dict[str, Any]:
    of_source = None if own is None else own[summary.source.name]
    return {
        **({} if of_source is None else {"file_licenses": _counted(of_source), "file_licenses_from": of_source}),
        **_source_document(summary.source),
        "files": summary.files,
        "whole_files": summary.whole,
        "fingerprints": summary.fingerprints,
        "bytes": summary.bytes,
        "text": summary.text,
    }
