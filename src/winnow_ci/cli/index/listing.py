"""What the lists of an index in a file and of one on a server have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winnow_ci.report.coverage import skipped_files
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    from winnow_ci.index import IndexReader
    from winnow_ci.indexer.filling import AddedFiles
    from winnow_ci.model import Source


def document(index: IndexReader, called: str, size: int | None, sources: list[dict[str, Any]]) -> dict[str, Any]:
    """The list for programs; ``size``: bytes of the file, if it is one."""
    from winnow_ci.index.schema import VERSION

    p = index.parameters
    return {
        "schema_version": 1,
        "index": called,
        "format": VERSION,
        "digest": index.digest,
        "parameters": {"k": p.k, "w": p.w, "selection": p.selection},
        "front_ends": index.front_ends,
        "contents": index.contents,
        "texts": index.texts,
        "fingerprints": index.postings,
        "bytes": size,
        "sources": sources,
    }


def indexed(added: AddedFiles, known: str = "") -> str:
    """How many files were indexed, and how many could not be fingerprinted, for people."""
    whole = f", {counted(added.whole, 'more file')} known only as a whole (data or unknown language)"
    return (
        f"{counted(added.files, 'file')} indexed{known}{whole if added.whole else ''}, {skipped_files(added.skipped)}"
    )


def source_document(source: Source) -> dict[str, Any]:
    """A source for programs."""
    fields = ("name", "version", "license", "url", "purl", "license_from", "boilerplate")
    return {field: getattr(source, field) for field in fields}


def source_cells(source: Source) -> tuple[str, ...]:
    """A source for people: name, version, licence, and where that was read."""
    # No report ever names the licence of boilerplate.
    licence = ("boilerplate", "-") if source.boilerplate else (source.license, source.license_from or "-")
    return source.name, source.version or "-", *licence
