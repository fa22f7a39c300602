"""Read a JSON report back into the report that it was written from, without the code.

Anybody may have written the file. Reading runs nothing, opens nothing that the report names, takes bounded memory and
checks the type of each value. Numbers that ``json_v1`` rounds stay rounded, and a byte of a path that is not UTF-8
becomes one again.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeAlias, get_args, get_origin, get_type_hints

from winnow_ci import model
from winnow_ci.errors import ConfigError
from winnow_ci.model import findings, regions
from winnow_ci.named_tuples import NamedTuple

MAX_REPORT_BYTES = 128 << 20
_VERSION = 1
_MOST_VALUES = 4 << 20  # of JSON, counted by the marks before them; each takes some 100 bytes, and 24 of a report
_LARGEST = 1 << 53  # no scan has more tokens, lines or files
_ANOTHER = "name a report that winnow-ci scan --format json:FILE has written"
_IN_PARTS = "scan in parts, by naming PATHs"


class StoredReport(NamedTuple):
    """A report that was stored as JSON."""

    report: findings.ScanReport  # its findings have no code
    version: str  # of the winnow-ci that wrote it
    lacking: tuple[str, ...]  # names of the keys that it does not have, since an older version wrote it; sorted


def parse_report(written: bytes, origin: str) -> StoredReport:
    """Read a JSON report: the content of a file, or its first ``MAX_REPORT_BYTES`` and more; messages name the origin.

    Raises:
        ConfigError: it is no report of a version that can be read, or a value in it is invalid.
    """
    if len(written) > MAX_REPORT_BYTES:
        raise ConfigError(f"{origin}: larger than {MAX_REPORT_BYTES >> 20} MiB", _IN_PARTS)
    if sum(map(written.count, (b",", b"[", b"{"))) > _MOST_VALUES:
        raise ConfigError(f"{origin}: has more than {_MOST_VALUES:,} values", _IN_PARTS)
    content = _decoded(written, origin)
    if not isinstance(content, dict) or "schema_version" not in content:
        raise ConfigError(f"{origin}: not a JSON report of winnow-ci", _ANOTHER)
    version = content["schema_version"]
    if version != _VERSION or isinstance(version, bool):
        problem = f"{origin}: its schema_version is {version!r:.20}, and this winnow-ci reads {_VERSION}"
        raise ConfigError(problem, "use the winnow-ci that wrote it, or a newer one")
    lacking: set[str] = set()
    _LACKING.set(lacking)
    try:
        report, wrote = _REPORT(content)
    except ValueError as error:
        raise ConfigError(f"{origin}: {str(error)[1:]}", "use the report unedited, or scan again") from error
    return StoredReport(report, wrote, tuple(sorted(lacking)))


def _decoded(written: bytes, origin: str) -> Any:
    try:
        return json.loads(written, parse_constant=int)  # which refuses NaN and Infinity
    except json.JSONDecodeError as error:
        raise ConfigError(f"{origin}:{error.lineno}: not valid JSON: {error.msg}", _ANOTHER) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{origin}: not valid JSON, or nested too deeply", _ANOTHER) from error


# ---- readers of values --------------------------------------------------------------------------------------------

_LACKING: ContextVar[set[str]] = ContextVar("lacking")
"""The keys that the report lacks which is read now."""
_Reader: TypeAlias = Callable[[Any], Any]
"""Takes a value of JSON, and raises ValueError if it cannot be."""


class _Later(NamedTuple):
    """The reader of a key that older reports lack, and its value in them."""

    read: _Reader
    otherwise: Any


def _read(value: Any, read: _Reader, place: str) -> Any:
    """What a reader makes of a value; of a mistake, say where it is, such as ``.findings[3].path must be text``."""
    try:
        return read(value)
    except ValueError as error:
        problem = str(error)
        raise ValueError(f"{place}{problem if problem[0] in '.[' else f' {problem}'}") from error


def _must(be: object, what: str) -> None:
    if not be:
        raise ValueError(f"must be {what}")


def _text(value: Any) -> str:
    """Any text that can be written in UTF-8."""
    _must(isinstance(value, str), "text")
    if re.search(r"[\ud800-\udfff]", value):
        raise ValueError("has an incomplete character")
    return str(value)


def _path(value: Any) -> str:
    """A path, its bytes that are not UTF-8 as surrogates again (see ``printable.unicode``)."""
    return re.sub(r"\\x([89a-f][0-9a-f])", lambda byte: chr(0xDC00 + int(byte[1], 16)), _text(value))


def _passing(test: Callable[[Any], object], what: str) -> _Reader:
    def read(value: Any) -> Any:
        _must(test(value), what)
        return value

    return read


def _matching(pattern: str, what: str) -> _Reader:
    return _passing(lambda value: isinstance(value, str) and re.fullmatch(pattern, value), what)


def _within(least: float, most: float, what: str, *types: type) -> _Reader:
    """A reader of numbers of some types; True and False are none."""
    return _passing(lambda value: type(value) in types and least <= value <= most, what)


def _day(value: Any) -> dt.date:
    try:
        return dt.date.fromisoformat(_WRITTEN_DAY(value))
    except ValueError as error:
        raise ValueError("must be a day such as 2027-01-31") from error


def _optional(read: _Reader) -> _Reader:
    return lambda value: None if value is None else read(value)


def _each(read: _Reader) -> _Reader:
    def read_all(value: Any) -> tuple[Any, ...]:
        _must(isinstance(value, list), "a list")
        return tuple(_read(one, read, f"[{number}]") for number, one in enumerate(value))

    return read_all


def _row(make: Callable[..., Any], *readers: _Reader) -> _Reader:
    """A reader of a list with one value for each reader, which become arguments of ``make``."""

    def read_all(value: Any) -> Any:
        _must(isinstance(value, list) and len(value) == len(readers), f"a list of {len(readers)}")
        return make(*(_read(one, readers[number], f"[{number}]") for number, one in enumerate(value)))

    return read_all


def _in_order(first: int, last: int) -> model.LineRange:
    if first > last:
        raise ValueError(f"cannot begin on line {first} and end on line {last}")
    return model.LineRange(first, last)


def _aligned(here: int, end: int, there: int, end_there: int) -> regions.AlignedLines:
    return regions.AlignedLines(_in_order(here, end), _in_order(there, end_there))


# Fields that JSON calls otherwise.
_KEYS = {
    "added": "added_lines",
    "comment": "comment_marks",
    "known": "known_content",
    "skipped": "files_skipped",
    "fallback": "files_fallback",
    "unread": "text_not_read",
    "uncompared": "contents_not_compared",
    "model_digest": "evidence_model",
}


def _object(make: Callable[..., Any], /, **fields: _Reader | _Later) -> _Reader:
    """A reader of an object with a key for each of these fields, which become arguments of ``make``."""
    keys = [(field, _KEYS.get(field, field), read) for field, read in fields.items()]

    def read_all(value: Any) -> Any:
        _must(isinstance(value, dict), "an object")
        values = {}
        for field, key, read in keys:
            if key in value:
                values[field] = _read(value[key], read.read if isinstance(read, _Later) else read, f".{key}")
            elif isinstance(read, _Later):
                _LACKING.get().add(key)
                values[field] = read.otherwise
            else:
                raise ValueError(f".{key} is missing")
        return make(**values)

    return read_all


_number = _within(0, _LARGEST, "a whole number, 0 or more", int)
_line = _within(1, _LARGEST, "a whole number, 1 or more", int)
_SHA256 = _matching("[0-9a-f]{64}", "64 hexadecimal digits")
_WRITTEN_DAY = _matching("[0-9]{4}-[0-9]{2}-[0-9]{2}", "a day such as 2027-01-31")
_RANGE = _row(_in_order, _line, _line)
_LINES = dict.fromkeys(("start_line", "end_line"), _line)
# Reports advise commands with an id, and comments to copy. Neither is an option, nor anything that a shell would run.
_MARK = _matching(r" ?(?:[!-#%-/:-@\[\]^{-~]{1,4}|[A-Za-z]{1,3})? ?", "a comment mark")


# ---- readers of the model -----------------------------------------------------------------------------------------

# Fields with a default that the object around them never lacks.
_ALWAYS = frozenset(
    "level suppressed version license url skipped stale expired options comments are_known "
    "others missing in_order exact lines names literals phrases".split()
)
# Fields without a default that older reports lack. An incomplete scan must not look complete.
_OTHERWISE = {
    "description": "an older report does not say what was compared",
    "state": "not-scanned",
    "agreement": None,
}
_BY_TYPE: dict[Any, _Reader] = {
    str: _text,
    int: _number,
    float: _within(-_LARGEST, _LARGEST, "a number", int, float),
    bool: _passing(lambda value: isinstance(value, bool), "true or false"),
    dt.date: _day,
    model.LineRange: _RANGE,
    regions.Stretch: _row(regions.Stretch, _number, _number, _number),
    regions.AlignedLines: _row(_aligned, _line, _line, _line, _line),
}
# Fields whose type does not say all.
_BY_NAME: dict[str, _Reader] = {
    **dict.fromkeys(("path", "source_path"), _path),
    **dict.fromkeys(("base", "head", "commit"), _matching("[0-9a-f]{40,64}", "the full id of a commit")),
    **dict.fromkeys(("file_sha256", "policy_digest", "model_digest"), lambda value: _optional(_SHA256)(value) or ""),
    "id": _matching("[0-9A-Za-z][0-9A-Za-z-]{0,99}", "an id of letters, digits and hyphens"),
    "similarity": _within(0, 1, "a number from 0 to 1", int, float),
    "comment": _row(lambda *marks: marks, _MARK, _MARK),
    "renames": _each(_row(lambda *renamed: renamed, _text, _text, _line)),
    "file_sha1": _matching("[0-9a-f]{40}", "40 hexadecimal digits"),
    "byte_range": _RANGE,
    "feature": _matching("[a-z_]{1,40}", "the name of a feature"),
    "filter": _matching("[a-z ]{1,40}", "the name of a filter"),
    "key": _matching("[0-9a-f]{32}", "32 hexadecimal digits"),
    "date": _WRITTEN_DAY,
    "unread": _each(_object(lambda path, lines: (path, lines), path=_path, lines=_line)),
    "uncompared": _each(_object(lambda path, contents: (path, contents), path=_path, contents=_line)),
}


def _fields(of: Any, *left_out: str) -> dict[str, _Reader | _Later]:
    hints = get_type_hints(of, localns={"dt": dt, **vars(model), **vars(regions)})
    readers = {name: _of(hint, _BY_NAME.get(name)) for name, hint in hints.items() if name not in left_out}
    defaults = {name: value for name, value in {**of._field_defaults, **_OTHERWISE}.items() if name not in _ALWAYS}
    return {name: _Later(read, defaults[name]) if name in defaults else read for name, read in readers.items()}


def _of(hint: Any, special: _Reader | None = None) -> _Reader:
    """The reader of a type, or the special one of a field that has this type."""
    parts = get_args(hint)
    if type(None) in parts:
        return _optional(_of(parts[0], special))
    if special or hint in _BY_TYPE:
        return special or _BY_TYPE[hint]
    if get_origin(hint) is tuple:
        return _each(_of(parts[0]))
    if parts:
        return _passing(lambda value: value in parts, f"one of {', '.join(parts)}")
    return _object(hint, **_fields(hint))


def _place(start_line: int, end_line: int, path: str, package_license: str | None, **source: Any) -> model.Place:
    file = model.SourceFile(model.Source(**source), path, package_license)
    return model.Place(file, _in_order(start_line, end_line))


_BY_TYPE[model.Place] = _object(
    _place,
    **_fields(model.Source, "inputs", "boilerplate"),
    **_fields(model.SourceFile, "source"),
    **_LINES,
)
_BY_TYPE[findings.KnownContent] = _object(
    lambda key, **reading: findings.KnownContent(key, findings.FileReading(**reading)),
    **_fields(findings.KnownContent, "reading"),
    **_fields(findings.FileReading),
)
_BY_TYPE[findings.UsedIndex] = _object(
    findings.UsedIndex, path=_text, digest=_matching("[0-9a-f]{1,128}", "hexadecimal digits")
)


def _finding(
    start_line: int, end_line: int, agreement: findings.Agreement | None, evidence: dict[str, Any], **read: Any
) -> findings.Finding:
    # An old report counts the tokens that match as the kind of the finding does.
    matched = round(read["tokens"] * read["similarity"])
    estimated = findings.Agreement(matched, matched if read["kind"] == "verbatim" else None)
    counts = {key: evidence.pop(key) for key in regions.Evidence._fields if evidence}
    return findings.Finding(
        lines=_in_order(start_line, end_line),
        agreement=agreement or estimated,
        excerpt=(),
        evidence=regions.Evidence(**counts),
        **evidence,
        **read,
    )


def _report(tool: str, scan: dict[str, Any], **read: Any) -> tuple[findings.ScanReport, str]:
    """The report, and the version that wrote it."""
    scope = findings.Scope(*(scan.pop(key) for key in findings.Scope._fields))
    return findings.ScanReport(scope, **scan, **read), tool


_OF_FINDING = _fields(findings.Finding, "lines", "excerpt", "beside", "copyright_lines", "evidence")
_WEIGHED = {key: _OF_FINDING.pop(key) for key in ("log_odds", "reasons", "filter")}
_EVIDENCE = _Later(_object(dict, **_fields(regions.Evidence), **_WEIGHED), {})
_REPORT = _object(
    _report,
    tool=_object(lambda version: version, version=_text),
    scan=_object(
        dict,
        **_fields(findings.Scope),
        **_fields(findings.ScanReport, "scope", "findings", "baseline", "lacking", "proved"),
    ),
    findings=_each(_object(_finding, **_OF_FINDING, **_LINES, evidence=_EVIDENCE)),
    baseline=_Later(_object(findings.BaselineUse, **_fields(findings.BaselineUse, "moved")), findings.BaselineUse()),
)
