"""Read a JSON report back into the report that it was written from, without the code.

Anybody may have written the file. Reading runs nothing, opens nothing that the report names, takes bounded memory and
checks the type of each value. Numbers that ``json_v1`` rounds stay rounded, and a byte of a path that is not UTF-8
becomes one again. An older report lacks keys; ``StoredReport.lacking`` names them.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar, get_args

from winnow_ci import model
from winnow_ci.errors import ConfigError
from winnow_ci.model import findings, regions
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

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
    """Read a JSON report.

    Args:
        written: the content of the file, or its first ``MAX_REPORT_BYTES`` and more.
        origin: the name of the file in messages.

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
    try:
        return _stored(content, _At("", set()))
    except _InvalidReportError as error:
        raise ConfigError(f"{origin}: {error}", "use the report unedited, or scan again") from error


def _decoded(written: bytes, origin: str) -> Any:
    def refuse(_: str) -> NoReturn:
        raise ValueError("not a JSON number")

    try:
        return json.loads(written, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{origin}:{error.lineno}: not valid JSON: {error.msg}", _ANOTHER) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{origin}: not valid JSON, or nested too deeply", _ANOTHER) from error


# ---- readers of values -----------------------------------------------------------------------------------------


class _InvalidReportError(Exception):
    """A value of a report that cannot be: where it stands, and what is wrong with it."""


class _At(NamedTuple):
    """Where a value stands, such as ``findings[3].source.path``, and the keys that the report lacks."""

    place: str
    lacking: set[str]

    def key(self, key: str) -> _At:
        return _At(f"{self.place}.{key}" if self.place else key, self.lacking)

    def item(self, number: int) -> _At:
        return _At(f"{self.place}[{number}]", self.lacking)

    def refuse(self, problem: str) -> NoReturn:
        raise _InvalidReportError(f"{self.place} {problem}")


_T = TypeVar("_T")
_Reader: TypeAlias = Callable[[Any, _At], _T]
_Values: TypeAlias = dict[str, Any]


class _Later(NamedTuple):
    """The reader of a key that older reports lack, and its value in them."""

    read: _Reader[Any]
    otherwise: Any


def _object(made: Callable[..., _T], /, **keys: _Reader[Any] | _Later) -> _Reader[_T]:
    """A reader of an object with these keys, which become arguments of ``made``."""

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
        return made(**values)

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


def _truth(value: Any, at: _At) -> bool:
    return value if isinstance(value, bool) else at.refuse("must be true or false")


def _number(value: Any, at: _At, least: int = 0) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _LARGEST:
        at.refuse(f"must be a whole number, {least} or more")
    return value


def _real(value: Any, at: _At, least: float = -_LARGEST, most: float = _LARGEST) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= most:
        at.refuse("must be a number" + ("" if most == _LARGEST else f" from {least} to {most}"))
    return float(value)


def _matching(pattern: str, what: str) -> _Reader[str]:
    compiled = re.compile(pattern)

    def read(value: Any, at: _At) -> str:
        return value if isinstance(value, str) and compiled.fullmatch(value) else at.refuse(f"must be {what}")

    return read


def _one_of(choices: Collection[str]) -> _Reader[Any]:
    def read(value: Any, at: _At) -> str:
        if not isinstance(value, str) or value not in choices:
            at.refuse(f"cannot be {value!r:.60}: it is one of {', '.join(choices)}")
        return value

    return read


def _optional(read: _Reader[_T]) -> _Reader[_T | None]:
    return lambda value, at: None if value is None else read(value, at)


def _each(read: _Reader[_T]) -> _Reader[tuple[_T, ...]]:
    def read_all(value: Any, at: _At) -> tuple[_T, ...]:
        if not isinstance(value, list):
            at.refuse("must be a list")
        return tuple(read(one, at.item(number)) for number, one in enumerate(value))

    return read_all


def _row(*readers: _Reader[Any]) -> _Reader[tuple[Any, ...]]:
    """A reader of a list with one value for each reader."""

    def read_all(value: Any, at: _At) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) != len(readers):
            at.refuse(f"must be a list of {len(readers)}")
        return tuple(read(one, at.item(number)) for number, (read, one) in enumerate(zip(readers, value, strict=True)))

    return read_all


_line = partial(_number, least=1)
_SHA256 = _matching("[0-9a-f]{64}", "64 hexadecimal digits")
_DIGEST = _Later(lambda value, at: "" if value is None else _SHA256(value, at), "")
_WRITTEN_DAY = _matching("[0-9]{4}-[0-9]{2}-[0-9]{2}", "a day such as 2027-01-31")


def _day(value: Any, at: _At) -> dt.date:
    try:
        return dt.date.fromisoformat(_WRITTEN_DAY(value, at))
    except ValueError:
        at.refuse("must be a day such as 2027-01-31")


# ---- findings --------------------------------------------------------------------------------------------------

_KIND = _one_of(get_args(model.Kind))
# Reports advise commands with an id, and comments to copy. Neither is an option, nor anything that a shell would run.
_ID = _matching("[0-9A-Za-z][0-9A-Za-z-]{0,99}", "an id of letters, digits and hyphens")
_MARK = _matching(r" ?(?:[!-#%-/:-@\[\]^{-~]{1,4}|[A-Za-z]{1,3})? ?", "a comment mark")
_FEATURE = _matching("[a-z_]{1,40}", "the name of a feature")


def _in_order(first: int, last: int, at: _At) -> model.LineRange:
    if first > last:
        at.refuse(f"cannot begin on line {first} and end on line {last}")
    return model.LineRange(first, last)


def _range(value: Any, at: _At) -> model.LineRange:
    first, last = _row(_line, _line)(value, at)
    return _in_order(first, last, at)


def _aligned(value: Any, at: _At) -> regions.AlignedLines:
    here, end, there, source_end = _row(_line, _line, _line, _line)(value, at)
    return regions.AlignedLines(_in_order(here, end, at), _in_order(there, source_end, at))


def _stretch(value: Any, at: _At) -> regions.Stretch:
    return regions.Stretch(*_row(_number, _number, _number)(value, at))


_PLACE: _Reader[_Values] = _object(
    dict,
    name=_text,
    version=_optional(_text),
    license=_text,
    url=_optional(_text),
    **dict.fromkeys(("purl", "license_from", "package_license"), _Later(_optional(_text), None)),
    path=_path,
    start_line=_line,
    end_line=_line,
)


def _place(value: Any, at: _At) -> model.Place:
    read = _PLACE(value, at)
    lines = _in_order(read.pop("start_line"), read.pop("end_line"), at)
    path, package_license = read.pop("path"), read.pop("package_license")
    return model.Place(model.SourceFile(model.Source(**read), path, package_license), lines)


_AGREEMENT = _object(
    findings.Agreement,
    **dict.fromkeys(("matched", "others", "missing"), _number),
    verbatim=_optional(_number),
    in_order=_truth,
    exact=_truth,
)
_EVIDENCE: _Reader[_Values] = _object(
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
_RECORDED: dict[str, _Later] = {
    **dict.fromkeys(("expires", "recorded_on"), _Later(_optional(_day), None)),
    "recorded_by": _Later(_optional(_text), None),
}
_FINDING: _Reader[_Values] = _object(
    dict,
    kind=_KIND,
    level=_one_of(get_args(model.Level)),
    suppressed=_optional(_one_of(get_args(model.Suppression))),
    strength=_Later(_one_of(get_args(model.Strength)), "strong"),
    **dict.fromkeys(("tokens", "fingerprints"), _number),
    similarity=partial(_real, least=0, most=1),
    agreement=_Later(_AGREEMENT, None),
    evidence=_Later(_complete(_EVIDENCE), {}),
    comment_marks=_Later(_row(_MARK, _MARK), ("", "")),
    id=_ID,
    path=_path,
    **dict.fromkeys(("start_line", "end_line"), _line),
    source=_place,
    also_in=_each(_place),
    added_lines=_each(_range),
    anchor=_Later(_text, ""),
    reason=_Later(_optional(_text), None),
    objection=_Later(_optional(_place), None),
    alignment=_Later(_each(_aligned), ()),
    renames=_Later(_optional(_each(_row(_text, _text, _line))), None),
    **dict.fromkeys(("identical", "in_text", "assisted", "denied"), _Later(_truth, False)),
    words=_Later(_each(_text), ()),
    stretches=_Later(_each(_stretch), ()),
    reading=_Later(_optional(_READING), None),
    known_content=_Later(_optional(_KNOWN_CONTENT), None),
    file_sha256=_DIGEST,
    file_sha1=_Later(_optional(_matching("[0-9a-f]{40}", "40 hexadecimal digits")), None),
    byte_range=_Later(_optional(_range), None),
    **_RECORDED,
)


def _finding(value: Any, at: _At) -> findings.Finding:
    read = _FINDING(value, at)
    evidence = dict(read.pop("evidence"))
    # An old report counts the tokens that match as the kind of the finding does.
    matched = round(read["tokens"] * read["similarity"])
    estimated = findings.Agreement(matched, matched if read["kind"] == "verbatim" else None)
    return findings.Finding(
        lines=_in_order(read.pop("start_line"), read.pop("end_line"), at),
        agreement=read.pop("agreement") or estimated,
        added=read.pop("added_lines"),
        excerpt=(),
        comment=read.pop("comment_marks"),
        log_odds=evidence.pop("log_odds", None),
        reasons=evidence.pop("reasons", ()),
        filter=evidence.pop("filter", None),
        evidence=regions.Evidence(**evidence),
        known=read.pop("known_content"),
        **read,
    )


# ---- the report ------------------------------------------------------------------------------------------------

_COMMIT = _matching("[0-9a-f]{40,64}", "the full id of a commit")
_SKIPPED = _object(
    model.Skipped,
    # The worse is assumed where an old report does not say: an incomplete scan must not look complete.
    state=_Later(_one_of(get_args(model.SkipState)), "not-scanned"),
    path=_path,
    reason=_text,
)
_ENTRY = _object(
    findings.BaselineEntry,
    kind=_KIND,
    **dict.fromkeys(("path", "source_path"), _path),
    **dict.fromkeys(("anchor", "source", "license", "reason"), _text),
    **_RECORDED,
)
_ENTRIES = _each(_ENTRY)
_BASELINE = _object(findings.BaselineUse, stale=_ENTRIES, expired=_ENTRIES, waiting=_Later(_ENTRIES, ()))
_IN_FORCE = _Later(_one_of(get_args(findings.BaselineInForce)), "here")
_ADVICE = _object(
    findings.Advice, baseline=_IN_FORCE, commands=_Later(_truth, True), options=_each(_text), comments=_truth
)
_COUNTS = dict.fromkeys(("commits", "checked", "copies"), _number)
_CHECKOUT = _object(
    findings.Checkout,
    repository=_text,
    branch=_optional(_text),
    commit=_optional(_COMMIT),
    date=_optional(_WRITTEN_DAY),
)
_INDEX = _object(findings.UsedIndex, path=_text, digest=_matching("[0-9a-f]{1,128}", "hexadecimal digits"))
_SCAN: _Reader[_Values] = _object(
    dict,
    base=_optional(_COMMIT),
    head=_optional(_COMMIT),
    description=_Later(_text, "an older report does not say what was compared"),
    mode=_one_of(get_args(model.Mode)),
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
    assisted=_Later(_optional(_object(findings.AssistedWork, **_COUNTS, are_known=_truth)), None),
    contents_not_compared=_Later(_each(_object(lambda **of: tuple(of.values()), path=_path, contents=_line)), ()),
)
_REPORT: _Reader[_Values] = _object(
    dict,
    tool=_object(dict, version=_text),
    scan=_SCAN,
    findings=_each(_finding),
    baseline=_Later(_BASELINE, findings.BaselineUse()),
)


def _stored(content: dict[str, Any], at: _At) -> StoredReport:
    read = _REPORT(content, at)
    scan = read["scan"]
    report = findings.ScanReport(
        findings.Scope(*(scan.pop(key) for key in findings.Scope._fields)),
        findings=read["findings"],
        baseline=read["baseline"],
        skipped=scan.pop("files_skipped"),
        fallback=scan.pop("files_fallback"),
        unread=scan.pop("text_not_read"),
        uncompared=scan.pop("contents_not_compared"),
        model_digest=scan.pop("evidence_model"),
        **scan,
    )
    return StoredReport(report, read["tool"]["version"], tuple(sorted(at.lacking)))
