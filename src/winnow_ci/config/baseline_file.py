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
          "reason": "recorded by --update-baseline",
          "expires": "2027-01-31"
        }
      ]
    }

It has no times and no line numbers, is sorted, and gives each value its own line, so that changes are easy to review
and to merge. Everything but ``expires`` is required. Every mistake is an error that names the line.
"""

from __future__ import annotations

import datetime as dt
import difflib
import json
import re
from typing import TYPE_CHECKING, Any, get_args

from winnow_ci.config.untrusted_file import read_untrusted, refuse_conflict
from winnow_ci.errors import ConfigError
from winnow_ci.model import Kind
from winnow_ci.model.findings import BaselineEntry
from winnow_ci.report.printable import json_text

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 1
MAX_BYTES = 16 << 20
_KEYS = ("path", "source", "source_path", "license", "kind", "anchor", "reason", "expires")
_LONGEST = 4096
_LONGEST_REASON = 500
_ANCHOR = re.compile(r"[0-9a-f]{32}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MARKS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_RECORD = "fix it, or remove the entry and record it again with winnow-ci scan --update-baseline"


class _InvalidError(Exception):
    """What is wrong with the entry of a number; -1 for the file as a whole."""

    def __init__(self, number: int, problem: str, remedy: str = _RECORD) -> None:
        super().__init__(problem)
        self.number = number
        self.problem = problem
        self.remedy = remedy


def load_baseline(path: Path) -> tuple[BaselineEntry, ...]:
    """The entries of a file.

    Raises:
        ConfigError: the file cannot be read, or its content is invalid.
    """
    return parse_baseline(read_untrusted(path, MAX_BYTES, "name a readable file under baseline:"), str(path))


def parse_baseline(text: bytes, origin: str) -> tuple[BaselineEntry, ...]:
    """The entries of a baseline.

    Args:
        text: the content of the file.
        origin: what messages call the file.

    Raises:
        ConfigError: the text is invalid.
    """
    if len(text) > MAX_BYTES:
        raise ConfigError(f"{origin}: larger than {MAX_BYTES >> 20} MiB", "exclude what is not yours instead (paths)")
    decoded, content = _decoded(text, origin)
    try:
        return _entries(content)
    except _InvalidError as error:
        line = _line_of_entry(decoded, error.number)
        raise ConfigError(f"{origin}:{line}: {error.problem}", error.remedy) from error


def baseline_text(entries: tuple[BaselineEntry, ...]) -> str:
    """The text of a baseline with these entries, in their order."""
    return json_text({"version": VERSION, "entries": [record(entry) for entry in entries]})


def record(entry: BaselineEntry) -> dict[str, str]:
    """An entry as it stands in the file."""
    values = {key: getattr(entry, key) for key in _KEYS if key != "expires"}
    return values | ({"expires": entry.expires.isoformat()} if entry.expires else {})


def _decoded(text: bytes, origin: str) -> tuple[str, object]:
    refuse_conflict(text, origin, "keep the entries of both sides, and remove the marks; then run the scan again")
    try:
        decoded = text.decode("utf-8-sig")
        return decoded, json.loads(decoded, object_pairs_hook=_without_repetition)
    except UnicodeDecodeError as error:
        line, problem = text.count(b"\n", 0, error.start) + 1, "not valid UTF-8"
    except json.JSONDecodeError as error:
        line, problem = error.lineno, f"not valid JSON: {error.msg}"
    except (ValueError, RecursionError):
        line, problem = 1, "not a baseline: a key twice in one entry, a huge number, or nested too deeply"
    raise ConfigError(f"{origin}:{line}: {problem}", "fix it, or restore it from git and record again")


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice")
    return found


def _entries(content: object) -> tuple[BaselineEntry, ...]:
    if not isinstance(content, dict) or content.keys() != {"version", "entries"}:
        raise _InvalidError(-1, "a baseline is an object with version and entries, and nothing else")
    version, records = content["version"], content["entries"]
    if version != VERSION or isinstance(version, bool):
        raise _InvalidError(-1, f"version must be {VERSION}", "use the winnow-ci that wrote the file")
    if not isinstance(records, list):
        raise _InvalidError(-1, "entries must be a list")
    found: dict[tuple[str, ...], int] = {}
    entries = []
    for number, values in enumerate(records):
        entry = _entry(number, values)
        if found.setdefault((entry.path, entry.anchor, entry.source, entry.license), number) != number:
            raise _InvalidError(number, f"a second entry for the same copy in {entry.path!r:.200}", "keep one of them")
        entries.append(entry)
    return tuple(entries)


def _entry(number: int, values: object) -> BaselineEntry:
    if not isinstance(values, dict):
        raise _InvalidError(-1, f"entry {number + 1} must be an object")
    for key in values:
        if key not in _KEYS:
            near = difflib.get_close_matches(key[:100], _KEYS, n=1)
            remedy = f"did you mean {near[0]}?" if near else f"the keys of an entry are {', '.join(_KEYS)}"
            raise _InvalidError(number, f"unknown key {key!r:.60}", remedy)
    texts = {key: _text(number, key, values.get(key)) for key in _KEYS if key != "expires"}
    if texts["kind"] not in get_args(Kind):
        raise _InvalidError(number, f"kind cannot be {texts['kind']!r:.60}", f"write {' or '.join(get_args(Kind))}")
    if not _ANCHOR.fullmatch(texts["anchor"]):
        raise _InvalidError(number, "anchor must be 32 hexadecimal digits")
    if texts["path"].startswith("/") or ".." in texts["path"].split("/"):
        raise _InvalidError(number, f"path {texts['path']!r:.200} must be relative to the root, and stay below it")
    expires = _day(number, values["expires"]) if "expires" in values else None
    return BaselineEntry(**texts, expires=expires)  # type: ignore[arg-type]  # kind is checked above


def _text(number: int, key: str, value: object) -> str:
    if value is None:
        raise _InvalidError(number, f"{key} is missing")
    if not isinstance(value, str) or not value.strip():
        raise _InvalidError(number, f"{key} must be text, and not empty")
    if len(value) > (_LONGEST_REASON if key == "reason" else _LONGEST):
        raise _InvalidError(number, f"{key} is longer than {_LONGEST_REASON if key == 'reason' else _LONGEST:,}")
    return value


def _day(number: int, value: object) -> dt.date:
    problem = _InvalidError(number, f"expires: {value!r:.40} is no day", 'write it as "2027-01-31"')
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        raise problem
    try:
        return dt.date.fromisoformat(value)
    except ValueError as error:
        raise problem from error


def _line_of_entry(text: str, number: int) -> int:
    """The line on which an entry begins; 1 for the file as a whole. The text is valid JSON."""
    depth, begun = 0, -1
    for mark in _MARKS.finditer(text):
        if mark[0] in "[{":
            # The file is an object, its entries a list in it: an entry begins on the third level.
            begun += depth == 2
            if depth == 2 and begun == number:
                return text.count("\n", 0, mark.start()) + 1
            depth += 1
        elif mark[0] in "]}":
            depth -= 1
    return 1
