"""``winnow-ci index stats``: what an index is made of, and what in it everybody has."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from winnow_ci.cli import named_index
from winnow_ci.cli.progress import counting
from winnow_ci.errors import ExitStatus
from winnow_ci.report.printable import code, json_text, name, table, unicode
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.index import SourceSummary, WholeIndex
    from winnow_ci.indexer import IndexSurvey, SharedPassage

_MOST = 1000


def add_to(actions: Any) -> None:
    """Declare the command."""
    action = actions.add_parser(
        "stats",
        help="say what an index is made of, and what in it is shared most",
        description="Say how many fingerprints each source has, and which k-grams most sources share: candidates for "
        "boilerplate. Their text is shown if the index keeps it.",
    )
    named_index.add_to(action)
    action.add_argument(
        "--top", type=_top, default=10, metavar="N", help="how many of the most shared k-grams (default: 10)"
    )
    action.add_argument("--json", action="store_true", help="print JSON")
    action.set_defaults(run=show)


def _top(value: str) -> int:
    if not (value.isascii() and value.isdecimal() and len(value) < 10 and int(value) <= _MOST):
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to {_MOST}, not {value!r}")
    return int(value)


def show(arguments: argparse.Namespace) -> int:
    """Survey an index; returns the exit status."""
    from winnow_ci.index import WholeIndex
    from winnow_ci.indexer import survey

    with WholeIndex(named_index.file_of(arguments)) as index:
        with counting("counting", " blocks") as progress:
            found = survey(index, arguments.top, progress)
        summaries = sorted(index.summaries(), key=lambda summary: (-summary.fingerprints, summary.source.name))
        if arguments.json:
            print(json_text(_document(index, summaries, found)), end="")
        else:
            print("\n".join(_lines(index, summaries, found)))
    return ExitStatus.CLEAN


def _share(index: WholeIndex, summary: SourceSummary) -> float:
    return summary.fingerprints / index.postings if index.postings else 0.0


def _lines(index: WholeIndex, summaries: list[SourceSummary], found: IndexSurvey) -> Iterator[str]:
    rows = [
        (
            s.source.name,
            f"{s.fingerprints:,}",
            f"{_share(index, s):.1%}",
            *_numbers(s.files - s.whole, s.whole, s.bytes),
        )
        for s in summaries
    ]
    yield table([("SOURCE", "FINGERPRINTS", "SHARE", "FILES", "WHOLE", "BYTES"), *rows])
    yield f"{index.postings:,} fingerprints of {index.contents:,} contents, {found.shared_contents:,} of them shared"
    if index.crowded:
        from winnow_ci.index import CROWD

        hashes = counted(index.crowded, "fingerprint has", "fingerprints have")
        yield f"{hashes} more than {CROWD} places; {counted(index.cut, 'place')} of them are not looked at"
    if found.candidates:
        yield "\nmost widely shared:"
    for candidate in found.candidates:
        yield from _shown(candidate)


def _numbers(*numbers: int) -> Iterator[str]:
    return map("{:,}".format, numbers)


def _shown(candidate: SharedPassage) -> Iterator[str]:
    place = f"{name(candidate.file.source.name)} {name(candidate.file.path)}"
    lines = f"{candidate.lines.first}-{candidate.lines.last}"
    yield f"  {counted(candidate.sources, 'source')}, {candidate.contents:,} contents: {place}:{lines}"
    yield from (f"    | {code(line)}".rstrip() for line in candidate.text)


def _document(index: WholeIndex, summaries: list[SourceSummary], found: IndexSurvey) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "index": unicode(str(index.path)),
        "digest": index.digest,
        "fingerprints": index.postings,
        "contents": index.contents,
        "shared_contents": found.shared_contents,
        "crowded": index.crowded,
        "places_not_looked_at": index.cut,
        "sources": [
            {
                "name": summary.source.name,
                "fingerprints": summary.fingerprints,
                "share": round(_share(index, summary), 4),
                "files": summary.files,
                "whole_files": summary.whole,
                "bytes": summary.bytes,
            }
            for summary in summaries
        ],
        "most_shared": [_candidate(candidate) for candidate in found.candidates],
    }


def _candidate(candidate: SharedPassage) -> dict[str, Any]:
    return {
        "sources": candidate.sources,
        "contents": candidate.contents,
        "source": candidate.file.source.name,
        "path": unicode(candidate.file.path),
        "start_line": candidate.lines.first,
        "end_line": candidate.lines.last,
        "text": list(candidate.text),
    }
