"""``winnow-ci index list``: which sources are in an index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winnow_ci.cli.index import named_index
from winnow_ci.cli.index.named_index import index_of
from winnow_ci.errors import ExitStatus
from winnow_ci.report.printable import json_text, table, unicode

if TYPE_CHECKING:
    import argparse

    from winnow_ci.index import IndexReader, SourceSummary

_HEADING = ("SOURCE", "VERSION", "LICENCE", "FROM", "FILES", "FINGERPRINTS", "BYTES", "TEXT", "URL")


def add_to(actions: Any) -> None:
    """Declare the command."""
    text = "list the sources in an index"
    action = actions.add_parser("list", help=text, description=text.capitalize() + ".")
    named_index.add_to(action)
    action.add_argument("--json", action="store_true", help="print JSON")
    action.set_defaults(run=list_sources)


def list_sources(arguments: argparse.Namespace) -> int:
    """List; returns the exit status."""
    from winnow_ci.index import IndexReader

    with IndexReader(index_of(arguments)) as index:
        summaries = index.summaries()
        if arguments.json:
            print(json_text(_document(index, summaries)), end="")
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


def _document(index: IndexReader, summaries: list[SourceSummary]) -> dict[str, Any]:
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
        "sources": [_described(summary) for summary in summaries],
    }


def _described(summary: SourceSummary) -> dict[str, Any]:
    source = summary.source
    return {
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
