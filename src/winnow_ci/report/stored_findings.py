"""A finding of a JSON report → the finding that it was written from; it carries no code (``stored``)."""

from __future__ import annotations

from functools import partial
from typing import Any, TypeAlias, get_args

from winnow_ci.model import (
    Kind,
    Level,
    LineRange,
    Place,
    Source,
    SourceFile,
    Strength,
    Suppression,
)
from winnow_ci.model.findings import Agreement, FileReading, Finding, KnownContent, Reason
from winnow_ci.model.regions import AlignedLines, Evidence, Stretch
from winnow_ci.report.stored_values import (
    SHA256,
    InvalidReportError,
    Record,
    day,
    each,
    line,
    matching,
    number,
    one_of,
    optional,
    path,
    real,
    several,
    share,
    text,
    truth,
)

_Odds: TypeAlias = tuple[float | None, tuple[Reason, ...], str | None]
_NO_ODDS: _Odds = (None, (), None)
_NO_MARKS: tuple[str, ...] = ("", "")
_FILTER = matching("[a-z ]{1,40}", "the name of a filter")
_FEATURE = matching("[a-z_]{1,40}", "the name of a feature")
_KEY = matching("[0-9a-f]{32}", "32 hexadecimal digits")
# Reports advise commands with an id, and comments to copy. Neither is an option, nor anything that a shell would run.
_ID = matching("[0-9A-Za-z][0-9A-Za-z-]{0,99}", "an id of letters, digits and hyphens")
_MARK = matching(r" ?(?:[!-#%-/:-@\[\]^{-~]{1,4}|[A-Za-z]{1,3})? ?", "what opens or closes a comment")


def finding(value: Any, place: str, *, lacking: set[str]) -> Finding:
    """Read a finding.

    Args:
        value: what the report has.
        place: where it stands there, for messages.
        lacking: gets the names of the keys that it does not have.

    Raises:
        InvalidReportError: a value is invalid, or one is missing that reports always had.
    """
    record, source = Record(value, place, lacking), partial(_source, lacking=lacking)
    kind: Kind = record.need("kind", one_of(get_args(Kind)))
    level: Level = record.need("level", one_of(get_args(Level)))
    suppressed: Suppression | None = record.need("suppressed", optional(one_of(get_args(Suppression))))
    strength: Strength = record.later("strength", one_of(get_args(Strength)), "strong")
    tokens, similarity = record.need("tokens", number), record.need("similarity", share)
    agrees = record.later("agreement", _agreement, None) or _estimated(kind, tokens, similarity)
    log_odds, reasons, name = record.later("evidence", _odds, _NO_ODDS)
    opening, closing = record.later("comment_marks", several(2, _MARK), _NO_MARKS)
    return Finding(
        id=record.need("id", _ID),
        path=record.need("path", path),
        lines=_lines(record, place),
        kind=kind,
        tokens=tokens,
        fingerprints=record.need("fingerprints", number),
        similarity=similarity,
        agreement=agrees,
        source=record.need("source", source),
        also_in=record.need("also_in", each(source)),
        added=record.need("added_lines", each(_range)),
        excerpt=(),
        level=level,
        suppressed=suppressed,
        anchor=record.later("anchor", text, ""),
        reason=record.later("reason", optional(text), None),
        objection=record.later("objection", optional(source), None),
        alignment=record.later("alignment", each(_aligned), ()),
        renames=record.later("renames", optional(each(_renamed)), None),
        comment=(opening, closing),
        identical=record.later("identical", truth, False),
        strength=strength,
        evidence=record.later("evidence", _evidence, Evidence()),
        log_odds=log_odds,
        reasons=reasons,
        filter=name,
        in_text=record.later("in_text", truth, False),
        denied=record.later("denied", truth, False),
        stretches=record.later("stretches", each(_stretch), ()),
        reading=record.later("reading", optional(_reading), None),
        known=record.later("known_content", optional(_known), None),
        file_sha256=record.later("file_sha256", optional(SHA256), None) or "",
        expires=record.later("expires", optional(day), None),
    )


def _lines(record: Record, place: str) -> LineRange:
    return _in_order(record.need("start_line", line), record.need("end_line", line), place)


def _range(value: Any, place: str) -> LineRange:
    first, last = several(2, line)(value, place)
    return _in_order(first, last, place)


def _aligned(value: Any, place: str) -> AlignedLines:
    here, end, there, source_end = several(4, line)(value, place)
    return AlignedLines(_in_order(here, end, place), _in_order(there, source_end, place))


def _stretch(value: Any, place: str) -> Stretch:
    start, source_start, tokens = several(3, number)(value, place)
    return Stretch(start, source_start, tokens)


def _reading(value: Any, place: str) -> FileReading:
    record = Record(value, place, set())
    return FileReading(record.need("language", text), record.need("front_end", text))


def _known(value: Any, place: str) -> KnownContent:
    return KnownContent(Record(value, place, set()).need("key", _KEY), _reading(value, place))


def _renamed(value: Any, place: str) -> tuple[str, str, int]:
    if not isinstance(value, list) or len(value) != 3:
        raise InvalidReportError(place, "must be a list of 3")
    old, new, count = value
    return text(old, place), text(new, place), number(count, place, 1)


def _in_order(first: int, last: int, place: str) -> LineRange:
    if first > last:
        raise InvalidReportError(place, f"cannot begin on line {first} and end on line {last}")
    return LineRange(first, last)


def _agreement(value: Any, place: str) -> Agreement:
    record = Record(value, place, set())
    return Agreement(
        matched=record.need("matched", number),
        verbatim=record.need("verbatim", optional(number)),
        others=record.need("others", number),
        missing=record.need("missing", number),
        in_order=record.need("in_order", truth),
        exact=record.need("exact", truth),
    )


def _estimated(kind: Kind, tokens: int, similarity: float) -> Agreement:
    """What an old report says of the agreement: how many tokens match as the kind of the finding counts them."""
    matched = round(tokens * similarity)
    return Agreement(matched, matched if kind == "verbatim" else None)


def _evidence(value: Any, place: str) -> Evidence:
    record = Record(value, place, set())
    return Evidence(*(record.need(key, number) for key in Evidence._fields))


def _odds(value: Any, place: str) -> _Odds:
    record = Record(value, place, set())
    reasons: tuple[Reason, ...] = record.later("reasons", each(_reason), ())
    return record.later("log_odds", optional(real), None), reasons, record.later("filter", optional(_FILTER), None)


def _reason(value: Any, place: str) -> Reason:
    record = Record(value, place, set())
    return Reason(record.need("feature", _FEATURE), record.need("value", real), record.need("log_odds", real))


def _source(value: Any, place: str, *, lacking: set[str]) -> Place:
    record = Record(value, place, lacking)
    source = Source(
        name=record.need("name", text),
        version=record.need("version", optional(text)),
        license=record.need("license", text),
        url=record.need("url", optional(text)),
        purl=record.later("purl", optional(text), None),
        license_from=record.later("license_from", optional(text), None),
    )
    whole = record.later("package_license", optional(text), None)
    return Place(SourceFile(source, record.need("path", path), whole), _lines(record, place))
