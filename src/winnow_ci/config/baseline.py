"""The baseline: a JSON file that programs write and people edit; ``docs/configuration.md`` shows an entry.

It has no line numbers, is sorted, and gives each value its own line, so that changes are easy to review and to merge.
The last three keys may be missing. All mistakes are reported, with their lines.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from winnow_ci.config import team_files
from winnow_ci.errors import ConfigError, did_you_mean
from winnow_ci.model import Kind
from winnow_ci.model.findings import BaselineEntry
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report.printable import json_text
from winnow_ci.start_up import compiled_on_use

_VERSION = 1
_MOST_BYTES = 16 << 20
_LONGEST_TEXT = 4096
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
    return json_text({"version": _VERSION, "entries": [entry_record(entry) for entry in entries]})


def entry_record(entry: BaselineEntry) -> dict[str, str]:
    """Return an entry as it is in the file."""
    values = {key: getattr(entry, key) for key in _KEYS}
    return {key: str(value) for key, value in values.items() if value is not None}


class _Form(NamedTuple):
    """The form of a text: a pattern, and what to say of other texts."""

    pattern: str
    expected: str
    remedy: str = _RECORD


_KINDS = get_args(Kind)
_A_DAY = _Form("[0-9]{4}-[0-9]{2}-[0-9]{2}", "is not a date", 'write it as "2027-01-31"')
_OUTSIDE = r"/|(?:[^/]*/)*\.\.(?:/|$)"
_KEYS: dict[str, _Form | None] = {
    "path": _Form(rf"(?s:(?!{_OUTSIDE}).*)", "must be a path below the root of the repository"),
    **dict.fromkeys(("source", "source_path", "license")),
    "kind": _Form("|".join(_KINDS), "is not a kind of copy", f"write {' or '.join(_KINDS)}"),
    "anchor": _Form("[0-9a-f]{32}", "must be 32 hexadecimal digits"),
    **dict.fromkeys(("reason", "recorded_by")),
    **dict.fromkeys(("recorded_on", "expires"), _A_DAY),
}
_REQUIRED = tuple(_KEYS)[:-3]
_LONGEST = {"reason": 500, "recorded_by": 500}


def _invalid(number: int, problem: str, remedy: str = _RECORD) -> team_files.InvalidContentError:
    """The error about the entry with a number, in place of its line; -1 for the file as a whole."""
    return team_files.InvalidContentError(team_files.Mistake(number, problem, remedy))


def _decoded(text: bytes, origin: str) -> tuple[str, object]:
    remedy = "keep the entries of both sides, remove the conflict markers, and run the scan again"
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
    if version != _VERSION or isinstance(version, bool):
        raise _invalid(-1, f"version must be {_VERSION}", "use the winnow-ci that wrote the file")
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
                    problem = f"a second entry for the same copy in {entry.path!r:.200}"
                    raise _invalid(number, problem, "keep one of them")
                places.add(place)
    return tuple(entries)


def _entry(number: int, values: Mapping[str, object]) -> BaselineEntry:
    read: dict[str, Any] = {}
    # A key that seems to be missing may be misspelled.
    required = _REQUIRED if values.keys() <= _KEYS.keys() else ()
    with team_files.Mistakes() as mistakes:
        for key in dict.fromkeys((*required, *values)):
            with mistakes.collected():
                read[key] = _value(number, key, values.get(key))
    return BaselineEntry(**read)


def _value(number: int, key: str, value: object) -> str | dt.date:
    if key not in _KEYS:
        remedy = did_you_mean(key, _KEYS, f"the keys of an entry are {', '.join(_KEYS)}")
        raise _invalid(number, f"unknown key {key!r:.60}", remedy)
    form, longest = _KEYS[key], _LONGEST.get(key, _LONGEST_TEXT)
    if value is None:
        raise _invalid(number, f"{key} is missing")
    if not isinstance(value, str) or not value.strip():
        raise _invalid(number, f"{key} must be text, and not empty")
    if len(value) > longest:
        raise _invalid(number, f"{key} is longer than {longest:,}")
    if form and not re.fullmatch(form.pattern, value):
        raise _invalid(number, f"{key}: {value!r:.200} {form.expected}", form.remedy)
    try:
        return dt.date.fromisoformat(value) if form is _A_DAY else value
    except ValueError as error:
        raise _invalid(number, f"{key}: {value!r} {_A_DAY.expected}", _A_DAY.remedy) from error


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
