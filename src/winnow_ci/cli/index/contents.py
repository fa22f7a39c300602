"""``winnow-ci index list`` and ``diff``: show the sources of an index, and how two indexes differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from winnow_ci import index, operations
from winnow_ci.cli import arguments as shared
from winnow_ci.errors import ExitStatus, UsageError
from winnow_ci.report.printable import json_text, name, table, unicode

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from winnow_ci import indexer
    from winnow_ci.config.index_reference import ServedIndex
    from winnow_ci.model import Source

    # Licences of single files → where these were read → how many files.
    FileLicences: TypeAlias = dict[str, dict[str | None, int]]

_HEADING = ("SOURCE", "VERSION", "LICENCE", "FROM", "FILES", "WHOLE", "FINGERPRINTS", "BYTES", "TEXT", "URL")
_LICENCES_HEADING = ("SOURCE", "VERSION", "LICENCE", "FILES", "FROM")
# List this many places of a licence in a row each: every file may have a licence beside it.
_PLACES = 5


def add_to(actions: Any) -> None:
    text = "list the sources in an index"
    action = actions.add_parser("list", help=text, description=text.capitalize() + ".")
    shared.add_index(action)
    action.add_argument(
        "--licences", action="store_true", help="list the licences of single files that differ from their source's"
    )
    action.add_argument("--json", action="store_true", help="print JSON")
    action.set_defaults(run=_list)
    action = actions.add_parser(
        "diff",
        help="show how two indexes differ",
        description="Show how two indexes differ. Ends with 0 if they are equal, with 1 if not.",
    )
    action.add_argument("before", type=shared.index_file, metavar="A")
    action.add_argument("after", type=shared.index_file, metavar="B")
    action.add_argument("--json", action="store_true", help="print JSON, with the paths of all files that differ")
    action.set_defaults(run=_diff)


# ---- list ------------------------------------------------------------------------------------------------------


def _list(arguments: argparse.Namespace) -> None:
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


def _list_served(place: ServedIndex, arguments: argparse.Namespace) -> None:
    """List an index on a server; without a root, that which is current there.

    The size of each source would take reading all of the index; that is for ``index list`` of its file.
    """
    if arguments.licences:
        problem = "an index on a server, which does not count the licences of single files"
        raise UsageError(problem, "name the file of the index: INDEX")
    with operations.open_index(operations.with_root(place)) as opened:
        pinned = place.pinned(opened.digest)
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
    """The number of files of each licence, the largest first."""
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


# ---- diff ------------------------------------------------------------------------------------------------------


def _diff(arguments: argparse.Namespace) -> int:
    from winnow_ci import indexer

    with index.WholeIndex(arguments.before) as before, index.WholeIndex(arguments.after) as after:
        found = indexer.difference(before, after)
        if arguments.json:
            print(json_text(_difference(before, after, found)), end="")
        else:
            print("\n".join(_lines(before, after, found)))
    return ExitStatus.CLEAN if found.equal else ExitStatus.FINDINGS


def _lines(before: index.WholeIndex, after: index.WholeIndex, found: indexer.IndexDifference) -> Iterator[str]:
    a, b = (name(str(one.path)) for one in (before, after))
    if found.equal:
        yield f"{a} and {b} are equal: digest {before.digest}"
        return
    yield f"{a}: digest {before.digest}"
    yield f"{b}: digest {after.digest}"
    yield from (_changed(change) for change in found.parameters)
    yield from (_changed(change, "front end ") for change in found.front_ends)
    yield from (f"only in {a}: {name(source)}" for source in found.only_before)
    yield from (f"only in {b}: {name(source)}" for source in found.only_after)
    for source in found.changed:
        yield f"changed: {name(source.name)}: {'; '.join(_changes(source))}"


def _changed(change: indexer.FieldChange, kind: str = "") -> str:
    return f"{kind}{name(change.what)}: {_shown(change.before)} -> {_shown(change.after)}"


def _changes(source: indexer.SourceChange) -> Iterator[str]:
    yield from map(_changed, source.fields)
    counts = (("added", source.added), ("removed", source.removed), ("changed", source.changed))
    if paths := ", ".join(f"{len(paths):,} {what}" for what, paths in counts if paths):
        yield f"paths: {paths}"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "kept" if value else "-"
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else name(str(value))


def _difference(before: index.WholeIndex, after: index.WholeIndex, found: indexer.IndexDifference) -> dict[str, Any]:
    a, b = ({"index": unicode(str(one.path)), "digest": one.digest} for one in (before, after))
    return {
        "schema_version": 1,
        "equal": found.equal,
        "a": a,
        "b": b,
        "parameters": _fields(found.parameters),
        "front_ends": _fields(found.front_ends),
        "sources": {
            "only_a": list(found.only_before),
            "only_b": list(found.only_after),
            "changed": [_source_change(source) for source in found.changed],
        },
    }


def _fields(changes: Iterable[indexer.FieldChange]) -> dict[str, Any]:
    return {change.what: {"a": change.before, "b": change.after} for change in changes}


def _source_change(source: indexer.SourceChange) -> dict[str, Any]:
    paths: dict[str, Sequence[str]] = {"added": source.added, "removed": source.removed, "changed": source.changed}
    return {
        "name": source.name,
        "fields": _fields(source.fields),
        "paths": {what: [unicode(path) for path in some] for what, some in paths.items()},
    }
