"""``winnow-ci index list``: which sources are in an index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from winnow_ci.cli.index import named_index
from winnow_ci.cli.index.named_index import index_of
from winnow_ci.errors import ExitStatus
from winnow_ci.report.printable import json_text, table, unicode

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from winnow_ci.index import IndexReader, SourceSummary

    FileLicences: TypeAlias = dict[str, dict[str, int]]

_HEADING = ("SOURCE", "VERSION", "LICENCE", "FROM", "FILES", "FINGERPRINTS", "BYTES", "TEXT", "URL")
_LICENCES_HEADING = ("SOURCE", "VERSION", "LICENCE", "FILES", "FROM")


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
    from winnow_ci.index import IndexReader

    with IndexReader(index_of(arguments)) as index:
        summaries = index.summaries()
        own = index.own_licences() if arguments.licences else None
        if arguments.json:
            print(json_text(_document(index, summaries, own)), end="")
        elif own is not None:
            print(table([_LICENCES_HEADING, *(row for summary in summaries for row in _licences(summary, own))]))
        else:
            print(table([_HEADING, *map(_row, summaries)]))
            made = index.parameters.described(", ")
            print(
                f"{index.postings:,} fingerprints, {index.path.stat().st_size:,} bytes, {made}, digest {index.digest}"
            )
    return ExitStatus.CLEAN


def _row(summary: SourceSummary) -> tuple[str, ...]:
    source = summary.source
    # No report ever names the licence of boilerplate.
    licence = ("boilerplate", "-") if source.boilerplate else (source.license, source.license_from or "-")
    described = source.name, source.version or "-", *licence
    counts = f"{summary.files:,}", f"{summary.fingerprints:,}", f"{summary.bytes:,}"
    return *described, *counts, "kept" if summary.text else "-", source.url or "-"


def _licences(summary: SourceSummary, own: FileLicences) -> Iterator[tuple[str, ...]]:
    """A row for the files with the licence of the source, and one for each other licence."""
    source = summary.source
    if source.boilerplate:
        return
    others = own[source.name]
    described, files = (source.name, source.version or "-"), summary.files - sum(others.values())
    if files or not others:
        yield *described, source.license, f"{files:,}", source.license_from or "-"
    for licence, count in others.items():
        yield *described, licence, f"{count:,}", "these files or their folders"


def _document(index: IndexReader, summaries: list[SourceSummary], own: FileLicences | None) -> dict[str, Any]:
    from winnow_ci.index.schema import VERSION

    p = index.parameters
    return {
        "schema_version": 1,
        "index": unicode(str(index.path)),
        "format": VERSION,
        "digest": index.digest,
        "parameters": {"k": p.k, "w": p.w, "selection": p.selection},
        "front_ends": index.front_ends,
        "contents": index.contents,
        "texts": index.texts,
        "fingerprints": index.postings,
        "bytes": index.path.stat().st_size,
        "sources": [_described(summary, own) for summary in summaries],
    }


def _described(summary: SourceSummary, own: FileLicences | None) -> dict[str, Any]:
    source = summary.source
    return {
        **({} if own is None else {"file_licenses": own[source.name]}),
        "name": source.name,
        "version": source.version,
        "license": source.license,
        "url": source.url,
        "purl": source.purl,
        "license_from": source.license_from,
        "boilerplate": source.boilerplate,
        "files": summary.files,
        "fingerprints": summary.fingerprints,
        "bytes": summary.bytes,
        "text": summary.text,
    }
