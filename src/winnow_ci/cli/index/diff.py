"""``winnow-ci index diff``: what is different between two indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winnow_ci.cli import named_index
from winnow_ci.errors import ExitStatus
from winnow_ci.report.printable import json_text, name, unicode

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from winnow_ci.index import WholeIndex
    from winnow_ci.indexer import FieldChange, IndexDifference, SourceChange


def add_to(actions: Any) -> None:
    """Declare the command."""
    action = actions.add_parser(
        "diff",
        help="say what is different between two indexes",
        description="Say what is different between two indexes. Ends with 0 if they are equal, with 1 if not.",
    )
    action.add_argument("before", type=named_index.file, metavar="A")
    action.add_argument("after", type=named_index.file, metavar="B")
    action.add_argument("--json", action="store_true", help="print JSON, with the paths of all files that differ")
    action.set_defaults(run=compare)


def compare(arguments: argparse.Namespace) -> int:
    """Compare; returns the exit status."""
    from winnow_ci.index import WholeIndex
    from winnow_ci.indexer import difference

    with WholeIndex(arguments.before) as before, WholeIndex(arguments.after) as after:
        found = difference(before, after)
        if arguments.json:
            print(json_text(_document(before, after, found)), end="")
        else:
            print("\n".join(_lines(before, after, found)))
    return ExitStatus.CLEAN if found.equal else ExitStatus.FINDINGS


def _lines(before: WholeIndex, after: WholeIndex, found: IndexDifference) -> Iterator[str]:
    a, b = (name(str(index.path)) for index in (before, after))
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


def _changed(change: FieldChange, kind: str = "") -> str:
    return f"{kind}{name(change.what)}: {_shown(change.before)} -> {_shown(change.after)}"


def _changes(source: SourceChange) -> Iterator[str]:
    yield from map(_changed, source.fields)
    counts = (("added", source.added), ("removed", source.removed), ("changed", source.changed))
    if told := ", ".join(f"{len(paths):,} {what}" for what, paths in counts if paths):
        yield f"paths: {told}"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "kept" if value else "-"
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else name(str(value))


def _document(before: WholeIndex, after: WholeIndex, found: IndexDifference) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "equal": found.equal,
        "a": _index(before),
        "b": _index(after),
        "parameters": _table(found.parameters),
        "front_ends": _table(found.front_ends),
        "sources": {
            "only_a": list(found.only_before),
            "only_b": list(found.only_after),
            "changed": [_source(source) for source in found.changed],
        },
    }


def _index(index: WholeIndex) -> dict[str, str]:
    return {"index": unicode(str(index.path)), "digest": index.digest}


def _table(changes: Iterable[FieldChange]) -> dict[str, Any]:
    return {change.what: {"a": change.before, "b": change.after} for change in changes}


def _source(source: SourceChange) -> dict[str, Any]:
    return {
        "name": source.name,
        "fields": _table(source.fields),
        "paths": {
            "added": _paths(source.added),
            "removed": _paths(source.removed),
            "changed": _paths(source.changed),
        },
    }


def _paths(paths: Sequence[str]) -> list[str]:
    return [unicode(path) for path in paths]
