"""The baseline: a JSON file that programs write and people edit.

    {
      "version": 1,
      "entries": [
        {
          "path": "src/a.c",
          "source": "curl",
          "source_path": "lib/url.c",
          "license": "curl",
          "kind": "verbatim",
          "anchor": "…",
          "reason": "asked its author",
          "recorded_by": "Ada Pilot <ada@harbour.example>",
          "recorded_on": "2026-11-28",
          "expires": "2027-01-31"
        }
      ]
    }

It has no line numbers, is sorted, and gives each value its own line, so that changes are easy to review and to merge.
The last three keys may be missing. All mistakes are reported, with their lines.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args

from winnow_ci.config import team_files
from winnow_ci.errors import ConfigError, did_you_mean
from winnow_ci.model import Kind
from winnow_ci.model.findings import BaselineEntry
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report.printable import json_text
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

BASELINE_VERSION = 1
_MOST_BYTES = 16 << 20
LONGEST_IN_ENTRY = 4096
_LONGEST_REASON = 500
_MARKS = compiled_on_use(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_RECORD = "fix it, or remove the entry and record it again with winnow-ci scan --update-baseline"


def load_baseline(path: Path) -> tuple[BaselineEntry, ...]:
    """Read the entries of a file."""
    text = team_files.read_untrusted(path, _MOST_BYTES, "name a readable file under baseline:")
    return parse_baseline(text, path.as_posix())


def parse_baseline(text: bytes, origin: str) -> tuple[BaselineEntry, ...]:
    """Read the entries of a baseline from text."""
    team_files.refuse_large(text, origin, _MOST_BYTES, "exclude what is not yours instead (paths)")
    decoded, content = _decoded(text, origin)
    with team_files.mistakes_reported(origin):
        try:
            return _entries(content)
        except team_files.InvalidContentError as error:
            lines = _lines_of_entries(decoded)
            placed = (one._replace(line=lines[one.line]) for one in error.mistakes)
            raise team_files.InvalidContentError(*placed) from error


def baseline_text(entries: tuple[BaselineEntry, ...]) -> str:
    """Return the text of a baseline with these entries, in their order."""
    return json_text({"version": BASELINE_VERSION, "entries": [entry_record(entry) for entry in entries]})


def entry_record(entry: BaselineEntry) -> dict[str, str]:
    """Return an entry as it is in the file."""
    values = {key: getattr(entry, key) for key in ENTRY_FIELDS}
    return {key: str(value) for key, value in values.items() if value is not None}


class _Field(NamedTuple):
    """A key of an entry, whose value is text: what it means, the pattern of its values, and what to say of others."""

    meaning: str
    pattern: str = ""
    expected: str = ""
    remedy: str = _RECORD
    longest: int = LONGEST_IN_ENTRY
    schema: Mapping[str, object] = MappingProxyType({})  # what JSON Schema says of it, if that is not the pattern


_KINDS = get_args(Kind)
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"

_A_DAY: Any = {
    "pattern": _DAY,
    "expected": "is not a date",
    "remedy": 'write it as "2027-01-31"',
    "schema": {"pattern": f"^{_DAY}$", "format": "date"},
}
_OUTSIDE = r"^/|^(?:[^/]*/)*\.\.(?:/|$)"
ENTRY_FIELDS = {
    "path": _Field(
        "The file with the copy, as a path from the root of the repository.",
        rf"(?s:(?!{_OUTSIDE}).*)",
        "must be a path below the root of the repository",
        schema={"not": {"type": "string", "pattern": _OUTSIDE}},
    ),
    "source": _Field("The name of the source."),
    "source_path": _Field("The file of the source."),
    "license": _Field("The licence of the source. If it changes, the copy is a new finding."),
    "kind": _Field(
        "Whether the copy is verbatim, or its names were changed.",
        "|".join(_KINDS),
        "is not a kind of copy",
        f"write {' or '.join(_KINDS)}",
        schema={"enum": _KINDS},
    ),
    "anchor": _Field("A digest of the copied tokens.", "[0-9a-f]{32}", "must be 32 hexadecimal digits"),
    "reason": _Field("Why the copy may stay.", longest=_LONGEST_REASON, schema={"maxLength": _LONGEST_REASON}),
    "recorded_by": _Field("Who recorded it: name and address, as git has them.", longest=_LONGEST_REASON),
    "recorded_on": _Field("The day on which it was recorded.", **_A_DAY),
    "expires": _Field("The last day on which the copy may stay.", **_A_DAY),
}
REQUIRED_IN_ENTRY = tuple(ENTRY_FIELDS)[:-3]


def _invalid(number: int, problem: str, remedy: str = _RECORD) -> team_files.InvalidContentError:
    """The error about the entry with a number, in place of its line; -1 for the file as a whole."""
    return team_files.InvalidContentError(team_files.Mistake(number, problem, remedy))


def _decoded(text: bytes, origin: str) -> tuple[str, object]:
    remedy = "keep the entries of both sides, remove the conflict marks, and run the scan again"
    team_files.refuse_conflict(text, origin, remedy)
    try:
        decoded = text.decode("utf-8-sig")
        return decoded, json.loads(decoded, object_pairs_hook=_without_repetition)
    except UnicodeDecodeError as error:
        line, problem = text.count(b"\n", 0, error.start) + 1, "not valid UTF-8"
    except json.JSONDecodeError as error:
        line, problem = error.lineno, f"not valid JSON: {error.msg}"
    except (ValueError, RecursionError):
        line, problem = 1, "not a baseline: a duplicate key, a huge number, or nested too deeply"
    raise ConfigError(f"{origin}:{line}: {problem}", "fix it, or restore it from git and record the copies again")


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice")
    return found


def _entries(content: object) -> tuple[BaselineEntry, ...]:
    if not isinstance(content, dict) or content.keys() != {"version", "entries"}:
        raise _invalid(-1, "a baseline is an object with version and entries, and nothing else")
    version, records = content["version"], content["entries"]
    if version != BASELINE_VERSION or isinstance(version, bool):
        raise _invalid(-1, f"version must be {BASELINE_VERSION}", "use the winnow-ci that wrote the file")
    if not isinstance(records, list):
        raise _invalid(-1, "entries must be a list")
    entries, places, number = [], set[tuple[str, ...]](), -1
    with team_files.Mistakes() as mistakes:
        for count, values in enumerate(records, 1):
            # Only values in brackets can be found in the text again.
            number += isinstance(values, dict | list)
            with mistakes.collected():
                if not isinstance(values, dict):
                    raise _invalid(-1, f"entry {count} must be an object")
                entries.append(entry := _entry(number, values))
                place = entry.path, entry.anchor, entry.source, entry.license
                if place in places:
                    raise _invalid(
                        number, f"a second entry for the same copy in {entry.path!r:.200}", "keep one of them"
                    )
                places.add(place)
    return tuple(entries)


def _entry(number: int, values: Mapping[str, object]) -> BaselineEntry:
    read: dict[str, Any] = {}
    # A key that seems to be missing may be misspelled.
    required = REQUIRED_IN_ENTRY if values.keys() <= ENTRY_FIELDS.keys() else ()
    with team_files.Mistakes() as mistakes:
        for key in dict.fromkeys((*required, *values)):
            with mistakes.collected():
                read[key] = _value(number, key, values.get(key))
    return BaselineEntry(**read)


def _value(number: int, key: str, value: object) -> str | dt.date:
    if key not in ENTRY_FIELDS:
        remedy = did_you_mean(key, ENTRY_FIELDS, f"the keys of an entry are {', '.join(ENTRY_FIELDS)}")
        raise _invalid(number, f"unknown key {key!r:.60}", remedy)
    one = ENTRY_FIELDS[key]
    if value is None:
        raise _invalid(number, f"{key} is missing")
    if not isinstance(value, str) or not value.strip():
        raise _invalid(number, f"{key} must be text, and not empty")
    if len(value) > one.longest:
        raise _invalid(number, f"{key} is longer than {one.longest:,}")
    if one.pattern and not re.fullmatch(one.pattern, value):
        raise _invalid(number, f"{key}: {value!r:.200} {one.expected}", one.remedy)
    try:
        return dt.date.fromisoformat(value) if one.pattern == _DAY else value
    except ValueError as error:
        raise _invalid(number, f"{key}: {value!r} {one.expected}", one.remedy) from error


def _lines_of_entries(text: str) -> dict[int, int]:
    """Number of an entry with brackets → the line on which it begins; -1 → 1. The text is valid JSON."""
    lines, line, depth, at = {-1: 1}, 1, 0, 0
    for mark in _MARKS.finditer(text):
        if mark[0] in "[{":
            # The file is an object, its entries a list in it: an entry begins on the third level.
            if depth == 2:
                line, at = line + text.count("\n", at, mark.start()), mark.start()
                lines[len(lines) - 1] = line
            depth += 1
        elif mark[0] in "]}":
            depth -= 1
    return lines
