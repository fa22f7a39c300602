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
and to merge. Everything but ``expires`` is required. All mistakes are reported, with their lines.
"""

from __future__ import annotations

import datetime as dt
import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, get_args

from winnow_ci.config.mistakes import InvalidContentError, Mistake, Mistakes, config_error
from winnow_ci.config.untrusted_file import read_untrusted, refuse_conflict
from winnow_ci.errors import ConfigError, did_you_mean
from winnow_ci.model import Kind
from winnow_ci.model.findings import BaselineEntry
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report.printable import json_text
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

VERSION = 1
MAX_BYTES = 16 << 20
_LONGEST = 4096
_LONGEST_REASON = 500
_ANCHOR = compiled_on_use(r"[0-9a-f]{32}")
_DAY = compiled_on_use(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MARKS = compiled_on_use(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_RECORD = "fix it, or remove the entry and record it again with winnow-ci scan --update-baseline"


def _invalid(number: int, problem: str, remedy: str = _RECORD) -> InvalidContentError:
    """What is wrong with the entry of a number, which stands for its line; -1 for the file as a whole."""
    return InvalidContentError(Mistake(number, problem, remedy))


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
    except InvalidContentError as error:
        lines = _lines_of_entries(decoded)
        mistakes = [mistake._replace(line=lines[mistake.line]) for mistake in error.mistakes]
        raise config_error(origin, mistakes) from error


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
        raise _invalid(-1, "a baseline is an object with version and entries, and nothing else")
    version, records = content["version"], content["entries"]
    if version != VERSION or isinstance(version, bool):
        raise _invalid(-1, f"version must be {VERSION}", "use the winnow-ci that wrote the file")
    if not isinstance(records, list):
        raise _invalid(-1, "entries must be a list")
    places: set[tuple[str, ...]] = set()
    entries, mistakes, number = [], Mistakes(), -1
    for count, values in enumerate(records, 1):
        # Only what has brackets can be found in the text again.
        number += isinstance(values, dict | list)
        with mistakes.collected():
            if not isinstance(values, dict):
                raise _invalid(-1, f"entry {count} must be an object")
            entries.append(_entry(number, values))
            _refuse_repetition(number, entries[-1], places)
    mistakes.refuse()
    return tuple(entries)


def _entry(number: int, values: Mapping[str, object]) -> BaselineEntry:
    mistakes = Mistakes()
    read: dict[str, Any] = {}
    # What seems to be missing may be what somebody has misspelled.
    required = _REQUIRED if values.keys() <= set(_KEYS) else ()
    for key in dict.fromkeys((*required, *values)):
        with mistakes.collected():
            reader = _FIELDS[key].read if key in _FIELDS else _unknown
            read[key] = reader(number, key, values.get(key))
    mistakes.refuse()
    return BaselineEntry(**read)


def _refuse_repetition(number: int, entry: BaselineEntry, places: set[tuple[str, ...]]) -> None:
    place = entry.path, entry.anchor, entry.source, entry.license
    if place in places:
        raise _invalid(number, f"a second entry for the same copy in {entry.path!r:.200}", "keep one of them")
    places.add(place)


# ---- values of single keys -------------------------------------------------------------------------------------


def _text(number: int, key: str, value: object) -> str:
    if value is None:
        raise _invalid(number, f"{key} is missing")
    if not isinstance(value, str) or not value.strip():
        raise _invalid(number, f"{key} must be text, and not empty")
    if len(value) > (_LONGEST_REASON if key == "reason" else _LONGEST):
        raise _invalid(number, f"{key} is longer than {_LONGEST_REASON if key == 'reason' else _LONGEST:,}")
    return value


def _kind(number: int, key: str, value: object) -> str:
    found = _text(number, key, value)
    if found not in get_args(Kind):
        raise _invalid(number, f"kind cannot be {found!r:.60}", f"write {' or '.join(get_args(Kind))}")
    return found


def _anchor(number: int, key: str, value: object) -> str:
    found = _text(number, key, value)
    if not _ANCHOR.fullmatch(found):
        raise _invalid(number, "anchor must be 32 hexadecimal digits")
    return found


def _path(number: int, key: str, value: object) -> str:
    found = _text(number, key, value)
    if found.startswith("/") or ".." in found.split("/"):
        raise _invalid(number, f"path {found!r:.200} must be relative to the root, and stay below it")
    return found


def _day(number: int, key: str, value: object) -> dt.date:
    problem = _invalid(number, f"{key}: {value!r:.40} is no day", 'write it as "2027-01-31"')
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        raise problem
    try:
        return dt.date.fromisoformat(value)
    except ValueError as error:
        raise problem from error


def _unknown(number: int, key: str, _: object) -> NoReturn:
    remedy = did_you_mean(key, _KEYS, f"the keys of an entry are {', '.join(_KEYS)}")
    raise _invalid(number, f"unknown key {key!r:.60}", remedy)


class _Field(NamedTuple):
    """What reads the value of a key, what the key means, and what JSON Schema says of it beside that it is text."""

    read: Callable[[int, str, object], object]
    meaning: str
    schema: Mapping[str, object] = MappingProxyType({})


_PAGE = "configuration.md#baseline"
_OUTSIDE = {"not": {"type": "string", "pattern": r"^/|^(?:[^/]*/)*\.\.(?:/|$)"}}
_FIELDS = {
    "path": _Field(_path, "The file that has the copy, from the root of the repository.", _OUTSIDE),
    "source": _Field(_text, "The name of its source."),
    "source_path": _Field(_text, "The file of the source."),
    "license": _Field(_text, "The licence of the source. Under another one the copy is a new finding."),
    "kind": _Field(_kind, "Whether it is equal, or names were changed.", {"enum": get_args(Kind)}),
    "anchor": _Field(_anchor, "A digest of the tokens that were copied.", {"pattern": f"^{_ANCHOR.pattern}$"}),
    "reason": _Field(_text, "Why the copy may stay.", {"maxLength": _LONGEST_REASON}),
    "expires": _Field(_day, "The last day on which it may stay.", {"pattern": f"^{_DAY.pattern}$", "format": "date"}),
}
_KEYS = tuple(_FIELDS)
_REQUIRED = tuple(key for key in _KEYS if key != "expires")


def schema() -> dict[str, Any]:
    """What JSON Schema says of a baseline, as ``yaml_values.Schema`` has it."""
    filled = {"type": "string", "pattern": r"[^\s]", "maxLength": _LONGEST}
    keys = {key: {"description": one.meaning, "see": _PAGE, **filled, **one.schema} for key, one in _FIELDS.items()}
    entry = {"type": "object", "properties": keys, "required": _REQUIRED, "additionalProperties": False}
    content = {
        "version": {"description": "The version of this format.", "see": _PAGE, "const": VERSION},
        "entries": {"description": "The copies.", "see": _PAGE, "type": "array", "items": entry, "uniqueItems": True},
    }
    return {"type": "object", "properties": content, "required": list(content), "additionalProperties": False}


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
