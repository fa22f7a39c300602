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
from itertools import repeat
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar, get_args

from winnow_ci import model
from winnow_ci.errors import ConfigError
from winnow_ci.model import findings, regions
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    try:
        report, wrote = _REPORT(content, _At("", lacking))
    except _InvalidReportError as error:
        raise ConfigError(f"{origin}: {error}", "use the report unedited, or scan again") from error
    return StoredReport(report, wrote, tuple(sorted(lacking)))


def _decoded(written: bytes, origin: str) -> Any:
    try:
        return json.loads(written, parse_constant=int)  # which refuses NaN and Infinity
    except json.JSONDecodeError as error:
        raise ConfigError(f"{origin}:{error.lineno}: not valid JSON: {error.msg}", _ANOTHER) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{origin}: not valid JSON, or nested too deeply", _ANOTHER) from error


class _InvalidReportError(Exception):
    """A value of a report that cannot be: where it stands, and what is wrong with it."""


class _At(NamedTuple):
    """Where a value stands, such as ``findings[3].source.path``, and the keys that the report lacks."""

    place: str
    lacking: set[str]

    def key(self, key: str) -> _At:
        return _At(f"{self.place}.{key}" if self.place else key, self.lacking)

    def refuse(self, problem: object) -> NoReturn:
        raise _InvalidReportError(f"{self.place} {problem}")

    def made(self, make: Callable[..., _T], *values: Any, **named: Any) -> _T:
        """What a function makes of values, unless it raises ValueError."""
        try:
            return make(*values, **named)
        except ValueError as error:
            self.refuse(error)

    def each(self, values: Sequence[Any], readers: Iterable[_Reader[_T]]) -> list[_T]:
        """The values of a list, each read by its reader."""
        pairs = zip(values, readers, strict=False)
        return [read(one, _At(f"{self.place}[{number}]", self.lacking)) for number, (one, read) in enumerate(pairs)]


_T = TypeVar("_T")
_Reader: TypeAlias = Callable[[Any, _At], _T]


class _Later(NamedTuple):
    """The reader of a key that older reports lack, and its value in them."""

    read: _Reader[Any]
    otherwise: Any


def _object(make: Callable[..., _T], /, **keys: _Reader[Any] | _Later) -> _Reader[_T]:
    """A reader of an object with these keys, which become arguments of ``make``."""

    def read_all(value: Any, at: _At) -> _T:
        if not isinstance(value, dict):
            at.refuse("must be an object")
        values = {}
        for key, read in keys.items():
            if key in value:
                values[key] = (read.read if isinstance(read, _Later) else read)(value[key], at.key(key))
            elif isinstance(read, _Later):
                at.lacking.add(key)
                values[key] = read.otherwise
            else:
                at.key(key).refuse("is missing")
        return at.made(make, **values)

    return read_all


def _complete(read: _Reader[_T]) -> _Reader[_T]:
    """A reader of a value whose missing keys are not reported."""
    return lambda value, at: read(value, _At(at.place, set()))


def _text(value: Any, at: _At) -> str:
    """Any text that can be written in UTF-8."""
    if not isinstance(value, str):
        at.refuse("must be text")
    if re.search(r"[\ud800-\udfff]", value):
        at.refuse("has an incomplete character")
    return value


def _path(value: Any, at: _At) -> str:
    """A path, its bytes that are not UTF-8 as surrogates again (see ``printable.unicode``)."""
    return re.sub(r"\\x([89a-f][0-9a-f])", lambda byte: chr(0xDC00 + int(byte[1], 16)), _text(value, at))


def _passing(test: Callable[[Any], object], what: str) -> _Reader[Any]:
    """A reader of values that pass a test."""
    return lambda value, at: value if test(value) else at.refuse(f"must be {what}")


def _matching(pattern: str, what: str) -> _Reader[str]:
    return _passing(lambda value: isinstance(value, str) and re.fullmatch(pattern, value), what)


def _within(least: float, most: float, what: str, *types: type) -> _Reader[Any]:
    """A reader of numbers of some types; True and False are none."""
    return _passing(lambda value: type(value) in types and least <= value <= most, what)


def _day(value: Any, at: _At) -> dt.date:
    try:
        return dt.date.fromisoformat(_WRITTEN_DAY(value, at))
    except ValueError:
        at.refuse("must be a day such as 2027-01-31")


def _one_of(choices: object) -> _Reader[Any]:
    """A reader of the values of a ``Literal``."""
    names = get_args(choices)

    def read(value: Any, at: _At) -> str:
        if not isinstance(value, str) or value not in names:
            at.refuse(f"cannot be {value!r:.60}: it is one of {', '.join(names)}")
        return value

    return read


def _optional(read: _Reader[_T]) -> _Reader[_T | None]:
    return lambda value, at: None if value is None else read(value, at)


def _each(read: _Reader[_T]) -> _Reader[tuple[_T, ...]]:
    def read_all(value: Any, at: _At) -> tuple[_T, ...]:
        return tuple(at.each(value, repeat(read))) if isinstance(value, list) else at.refuse("must be a list")

    return read_all


def _row(make: Callable[..., _T], *readers: _Reader[Any]) -> _Reader[_T]:
    """A reader of a list with one value for each reader, which become arguments of ``make``."""

    def read_all(value: Any, at: _At) -> _T:
        if not isinstance(value, list) or len(value) != len(readers):
            at.refuse(f"must be a list of {len(readers)}")
        return at.made(make, *at.each(value, readers))

    return read_all


def _listed(*values: Any) -> tuple[Any, ...]:
    return values


def _in_order(first: int, last: int) -> model.LineRange:
    if first > last:
        raise ValueError(f"cannot begin on line {first} and end on line {last}")
    return model.LineRange(first, last)


_truth = _passing(lambda value: isinstance(value, bool), "true or false")
_number = _within(0, _LARGEST, "a whole number, 0 or more", int)
_line = _within(1, _LARGEST, "a whole number, 1 or more", int)
_real = _within(-_LARGEST, _LARGEST, "a number", int, float)
_SHA256 = _matching("[0-9a-f]{64}", "64 hexadecimal digits")
_DIGEST = _Later(lambda value, at: "" if value is None else _SHA256(value, at), "")
_WRITTEN_DAY = _matching("[0-9]{4}-[0-9]{2}-[0-9]{2}", "a day such as 2027-01-31")
_NO_DAY = _Later(_optional(_day), None)
_NO_TEXT = _Later(_optional(_text), None)


def _place(start_line: int, end_line: int, path: str, package_license: str | None, **source: Any) -> model.Place:
    file = model.SourceFile(model.Source(**source), path, package_license)
    return model.Place(file, _in_order(start_line, end_line))


def _finding(**read: Any) -> findings.Finding:
    # An old report counts the tokens that match as the kind of the finding does.
    matched = round(read["tokens"] * read["similarity"])
    estimated = findings.Agreement(matched, matched if read["kind"] == "verbatim" else None)
    evidence = read.pop("evidence")
    counts = {key: evidence.pop(key) for key in regions.Evidence._fields if evidence}
    return findings.Finding(
        lines=_in_order(read.pop("start_line"), read.pop("end_line")),
        agreement=read.pop("agreement") or estimated,
        added=read.pop("added_lines"),
        excerpt=(),
        comment=read.pop("comment_marks"),
        evidence=regions.Evidence(**counts),
        known=read.pop("known_content"),
        **evidence,
        **read,
    )


_KIND = _one_of(model.Kind)
# Reports advise commands with an id, and comments to copy. Neither is an option, nor anything that a shell would run.
_ID = _matching("[0-9A-Za-z][0-9A-Za-z-]{0,99}", "an id of letters, digits and hyphens")
_MARK = _matching(r" ?(?:[!-#%-/:-@\[\]^{-~]{1,4}|[A-Za-z]{1,3})? ?", "a comment mark")
_FEATURE = _matching("[a-z_]{1,40}", "the name of a feature")
_RANGE = _row(_in_order, _line, _line)
_ALIGNED = _row(
    lambda here, end, there, end_there: regions.AlignedLines(_in_order(here, end), _in_order(there, end_there)),
    *(_line, _line, _line, _line),
)
_PLACE = _object(
    _place,
    name=_text,
    version=_optional(_text),
    license=_text,
    url=_optional(_text),
    **dict.fromkeys(("purl", "license_from", "package_license"), _NO_TEXT),
    path=_path,
    start_line=_line,
    end_line=_line,
)
_AGREEMENT = _object(
    findings.Agreement,
    **dict.fromkeys(("matched", "others", "missing"), _number),
    verbatim=_optional(_number),
    in_order=_truth,
    exact=_truth,
)
_EVIDENCE: _Reader[dict[str, Any]] = _object(
    dict,
    **dict.fromkeys(regions.Evidence._fields, _number),
    reasons=_Later(_each(_object(findings.Reason, feature=_FEATURE, value=_real, log_odds=_real)), ()),
    log_odds=_Later(_optional(_real), None),
    filter=_Later(_optional(_matching("[a-z ]{1,40}", "the name of a filter")), None),
)
_READING = _object(findings.FileReading, language=_text, front_end=_text)
_KNOWN_CONTENT = _object(
    lambda key, **reading: findings.KnownContent(key, findings.FileReading(**reading)),
    key=_matching("[0-9a-f]{32}", "32 hexadecimal digits"),
    **dict.fromkeys(findings.FileReading._fields, _text),
)
_RECORDED = {"expires": _NO_DAY, "recorded_on": _NO_DAY, "recorded_by": _NO_TEXT}
_FINDING = _object(
    _finding,
    kind=_KIND,
    level=_one_of(model.Level),
    suppressed=_optional(_one_of(model.Suppression)),
    strength=_Later(_one_of(model.Strength), "strong"),
    **dict.fromkeys(("tokens", "fingerprints"), _number),
    similarity=_within(0, 1, "a number from 0 to 1", int, float),
    agreement=_Later(_AGREEMENT, None),
    evidence=_Later(_complete(_EVIDENCE), {}),
    comment_marks=_Later(_row(_listed, _MARK, _MARK), ("", "")),
    id=_ID,
    path=_path,
    **dict.fromkeys(("start_line", "end_line"), _line),
    source=_PLACE,
    also_in=_each(_PLACE),
    added_lines=_each(_RANGE),
    anchor=_Later(_text, ""),
    reason=_NO_TEXT,
    objection=_Later(_optional(_PLACE), None),
    alignment=_Later(_each(_ALIGNED), ()),
    renames=_Later(_optional(_each(_row(_listed, _text, _text, _line))), None),
    **dict.fromkeys(("identical", "in_text", "assisted", "denied"), _Later(_truth, False)),
    words=_Later(_each(_text), ()),
    stretches=_Later(_each(_row(regions.Stretch, _number, _number, _number)), ()),
    reading=_Later(_optional(_READING), None),
    known_content=_Later(_optional(_KNOWN_CONTENT), None),
    file_sha256=_DIGEST,
    file_sha1=_Later(_optional(_matching("[0-9a-f]{40}", "40 hexadecimal digits")), None),
    byte_range=_Later(_optional(_RANGE), None),
    **_RECORDED,
)


def _report(tool: str, scan: dict[str, Any], **read: Any) -> tuple[findings.ScanReport, str]:
    """The report, and the version that wrote it."""
    report = findings.ScanReport(
        findings.Scope(*(scan.pop(key) for key in findings.Scope._fields)),
        skipped=scan.pop("files_skipped"),
        fallback=scan.pop("files_fallback"),
        unread=scan.pop("text_not_read"),
        uncompared=scan.pop("contents_not_compared"),
        model_digest=scan.pop("evidence_model"),
        **scan,
        **read,
    )
    return report, tool


_COMMIT = _optional(_matching("[0-9a-f]{40,64}", "the full id of a commit"))
_SKIPPED = _object(
    model.Skipped,
    # The worse is assumed where an old report does not say: an incomplete scan must not look complete.
    state=_Later(_one_of(model.SkipState), "not-scanned"),
    path=_path,
    reason=_text,
)
_ENTRIES = _each(
    _object(
        findings.BaselineEntry,
        kind=_KIND,
        **dict.fromkeys(("path", "source_path"), _path),
        **dict.fromkeys(("anchor", "source", "license", "reason"), _text),
        **_RECORDED,
    )
)
_BASELINE = _object(findings.BaselineUse, stale=_ENTRIES, expired=_ENTRIES, waiting=_Later(_ENTRIES, ()))
_ADVICE = _object(
    findings.Advice,
    baseline=_Later(_one_of(findings.BaselineInForce), "here"),
    commands=_Later(_truth, True),
    options=_each(_text),
    comments=_truth,
)
_CHECKOUT = _object(
    findings.Checkout,
    repository=_text,
    branch=_optional(_text),
    commit=_COMMIT,
    date=_optional(_WRITTEN_DAY),
)
_ASSISTED = _object(findings.AssistedWork, **dict.fromkeys(("commits", "checked", "copies"), _number), are_known=_truth)
_INDEX = _object(findings.UsedIndex, path=_text, digest=_matching("[0-9a-f]{1,128}", "hexadecimal digits"))
_SCAN: _Reader[dict[str, Any]] = _object(
    dict,
    base=_COMMIT,
    head=_COMMIT,
    description=_Later(_text, "an older report does not say what was compared"),
    mode=_one_of(model.Mode),
    files_scanned=_number,
    tokens=_number,
    files_skipped=_each(_SKIPPED),
    notices=_Later(_each(_text), ()),
    existing=_Later(_number, 0),
    files_fallback=_Later(_each(_object(model.Fallback, path=_path, reason=_text)), ()),
    text_not_read=_Later(_each(_object(lambda path, lines: (path, lines), path=_path, lines=_line)), ()),
    advice=_Later(_complete(_ADVICE), findings.Advice()),
    indexes=_Later(_each(_INDEX), ()),
    **dict.fromkeys(("policy_digest", "evidence_model"), _DIGEST),
    checkout=_Later(_optional(_CHECKOUT), None),
    assisted=_Later(_optional(_ASSISTED), None),
    contents_not_compared=_Later(_each(_object(lambda **of: tuple(of.values()), path=_path, contents=_line)), ()),
)
_REPORT = _object(
    _report,
    tool=_object(lambda version: version, version=_text),
    scan=_SCAN,
    findings=_each(_FINDING),
    baseline=_Later(_BASELINE, findings.BaselineUse()),
)
