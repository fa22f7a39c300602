"""A JSON report → the report that it was written from, as far as it has it: it carries no code.

Anybody may have written the file. Reading runs nothing, opens nothing that the report names, and takes bounded memory.
What ``json_v1`` rounds stays rounded, and a byte of a path that is not UTF-8 becomes one again. An older report lacks
keys; ``StoredReport.lacking`` names them.
"""

from __future__ import annotations

import datetime as dt
import json
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, get_args

from winnow_ci.errors import ConfigError
from winnow_ci.model import (
    Fallback,
    Kind,
    Level,
    LineRange,
    Mode,
    Place,
    Skipped,
    SkipState,
    Source,
    SourceFile,
    Strength,
    Suppression,
)
from winnow_ci.model.advice import Advice, BaselineInForce
from winnow_ci.model.findings import (
    Agreement,
    BaselineEntry,
    BaselineUse,
    FileReading,
    Finding,
    KnownContent,
    ScanReport,
    Scope,
    UsedIndex,
)
from winnow_ci.model.regions import AlignedLines, Evidence, Stretch
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report.stored_values import (
    InvalidReportError,
    Record,
    each,
    line,
    matching,
    number,
    one_of,
    optional,
    path,
    several,
    share,
    text,
    truth,
)

if TYPE_CHECKING:
    from winnow_ci.report.stored_values import Reader

VERSION = 1
MAX_BYTES = 128 << 20
MOST_VALUES = 4 << 20
"""Values of JSON, counted by the marks before them. Each takes some 100 bytes of memory, and 24 of a report."""
_ANOTHER = "name a report that winnow-ci scan --format json:FILE has written"
_IN_PARTS = "scan in parts, by naming PATHs"
_AGAIN = "take the report as it was written, or scan again"

_NO_MARKS: tuple[str, ...] = ("", "")
_COMMIT = matching("[0-9a-f]{40,64}", "the full id of a commit")
_SHA256 = matching("[0-9a-f]{64}", "64 hexadecimal digits")
_KEY = matching("[0-9a-f]{32}", "32 hexadecimal digits")
_DIGEST = matching("[0-9a-f]{1,128}", "hexadecimal digits")
# Reports advise commands with an id, and comments to copy. Neither is an option, nor anything that a shell would run.
_ID = matching("[0-9A-Za-z][0-9A-Za-z-]{0,99}", "an id of letters, digits and hyphens")
_MARK = matching(r" ?(?:[!-#%-/:-@\[\]^{-~]{1,4}|[A-Za-z]{1,3})? ?", "what opens or closes a comment")


class StoredReport(NamedTuple):
    """A report that was stored as JSON.

    Attributes:
        report: what it says; its findings have no code.
        version: of the winnow-ci that wrote it.
        lacking: names of the keys that it does not have, since an older version wrote it; sorted.
    """

    report: ScanReport
    version: str
    lacking: tuple[str, ...]


def parse_report(written: bytes, origin: str) -> StoredReport:
    """Read a JSON report.

    Args:
        written: the content of the file, or its first ``MAX_BYTES`` and more.
        origin: what messages call the file.

    Raises:
        ConfigError: it is no report of a version that can be read, or a value in it is invalid.
    """
    if len(written) > MAX_BYTES:
        raise ConfigError(f"{origin}: larger than {MAX_BYTES >> 20} MiB", _IN_PARTS)
    if sum(map(written.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise ConfigError(f"{origin}: has more than {MOST_VALUES:,} values", _IN_PARTS)
    content = _decoded(written, origin)
    if not isinstance(content, dict) or "schema_version" not in content:
        raise ConfigError(f"{origin}: no JSON report of winnow-ci", _ANOTHER)
    version = content["schema_version"]
    if version != VERSION or isinstance(version, bool):
        problem = f"{origin}: its schema_version is {version!r:.20}, and this winnow-ci reads {VERSION}"
        raise ConfigError(problem, "use the winnow-ci that wrote it, or a newer one")
    try:
        return _stored(Record(content, "", set()))
    except InvalidReportError as error:
        raise ConfigError(f"{origin}: {error.place or 'the report'} {error.problem}", _AGAIN) from error


def _decoded(written: bytes, origin: str) -> Any:
    try:
        return json.loads(written, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{origin}:{error.lineno}: not valid JSON: {error.msg}", _ANOTHER) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{origin}: not valid JSON, or nested too deeply", _ANOTHER) from error


def _refuse(_: str) -> NoReturn:
    raise ValueError("no number of JSON")


def _stored(content: Record) -> StoredReport:
    version = content.need("tool", lambda value, place: Record(value, place, set()).need("version", text))
    lacking = content.lacking
    report = content.need("scan", partial(_scan, lacking=lacking))
    report = report._replace(
        findings=content.need("findings", each(partial(_finding, lacking=lacking))),
        baseline=content.later("baseline", partial(_baseline, lacking=lacking), BaselineUse()),
    )
    return StoredReport(report, version, tuple(sorted(lacking)))


def _scan(value: Any, place: str, *, lacking: set[str]) -> ScanReport:
    scan = Record(value, place, lacking)
    base, head = scan.need("base", optional(_COMMIT)), scan.need("head", optional(_COMMIT))
    described = scan.later("description", text, f"{(base or 'nothing')[:12]} against {(head or 'the work tree')[:12]}")
    mode: Mode = scan.need("mode", one_of(get_args(Mode)))
    return ScanReport(
        Scope(mode, base, head, described),
        files_scanned=scan.need("files_scanned", number),
        tokens=scan.need("tokens", number),
        findings=(),
        skipped=scan.need("files_skipped", each(partial(_skipped, lacking=lacking))),
        notices=scan.later("notices", each(text), ()),
        existing=scan.later("existing", number, 0),
        fallback=scan.later("files_fallback", each(_fallback), ()),
        unread=scan.later("text_not_read", each(partial(_counted, key="lines")), ()),
        advice=scan.later("advice", _advice, Advice()),
        indexes=scan.later("indexes", each(_index), ()),
        policy_digest=scan.later("policy_digest", optional(_SHA256), None) or "",
        uncompared=scan.later("contents_not_compared", each(partial(_counted, key="contents")), ()),
    )


def _skipped(value: Any, place: str, *, lacking: set[str]) -> Skipped:
    record = Record(value, place, lacking)
    # Of what an old report does not say, the worse is believed: an incomplete scan must not look complete.
    state: SkipState = record.later("state", one_of(get_args(SkipState)), "not-scanned")
    return Skipped(record.need("path", path), record.need("reason", text), state)


def _fallback(value: Any, place: str) -> Fallback:
    record = Record(value, place, set())
    return Fallback(record.need("path", path), record.need("reason", text))


def _counted(value: Any, place: str, *, key: str) -> tuple[str, int]:
    record = Record(value, place, set())
    return record.need("path", path), record.need(key, line)


def _advice(value: Any, place: str) -> Advice:
    record = Record(value, place, set())
    baseline: BaselineInForce = record.later("baseline", one_of(get_args(BaselineInForce)), "here")
    commands = record.later("commands", truth, True)
    return Advice(record.need("options", each(text)), record.need("comments", truth), baseline, commands)


def _index(value: Any, place: str) -> UsedIndex:
    record = Record(value, place, set())
    return UsedIndex(record.need("path", text), record.need("digest", _DIGEST))


def _finding(value: Any, place: str, *, lacking: set[str]) -> Finding:
    record, source = Record(value, place, lacking), partial(_source, lacking=lacking)
    kind: Kind = record.need("kind", one_of(get_args(Kind)))
    level: Level = record.need("level", one_of(get_args(Level)))
    suppressed: Suppression | None = record.need("suppressed", optional(one_of(get_args(Suppression))))
    strength: Strength = record.later("strength", one_of(get_args(Strength)), "strong")
    tokens, similarity = record.need("tokens", number), record.need("similarity", share)
    agrees = record.later("agreement", _agreement, None) or _estimated(kind, tokens, similarity)
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
        in_text=record.later("in_text", truth, False),
        denied=record.later("denied", truth, False),
        stretches=record.later("stretches", each(_stretch), ()),
        reading=record.later("reading", optional(_reading), None),
        known=record.later("known_content", optional(_known), None),
        file_sha256=record.later("file_sha256", optional(_SHA256), None) or "",
        expires=record.later("expires", optional(_day), None),
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


def _baseline(value: Any, place: str, *, lacking: set[str]) -> BaselineUse:
    record = Record(value, place, lacking)
    return BaselineUse(
        stale=record.need("stale", each(_entry)),
        expired=record.need("expired", each(_entry)),
        waiting=record.later("waiting", each(_entry), ()),
    )


def _entry(value: Any, place: str) -> BaselineEntry:
    record = Record(value, place, set())
    kind: Kind = record.need("kind", one_of(get_args(Kind)))
    return BaselineEntry(
        anchor=record.need("anchor", text),
        path=record.need("path", path),
        source=record.need("source", text),
        source_path=record.need("source_path", path),
        license=record.need("license", text),
        kind=kind,
        reason=record.need("reason", text),
        expires=record.need("expires", optional(_day)),
    )


_WRITTEN_DAY: Reader[str] = matching("[0-9]{4}-[0-9]{2}-[0-9]{2}", "a day such as 2027-01-31")


def _day(value: Any, place: str) -> dt.date:
    try:
        return dt.date.fromisoformat(_WRITTEN_DAY(value, place))
    except ValueError as error:
        raise InvalidReportError(place, "must be a day such as 2027-01-31") from error
