"""A JSON report → the report that it was written from, as far as it has it: it carries no code.

Anybody may have written the file. Reading runs nothing, opens nothing that the report names, and takes bounded memory.
What ``json_v1`` rounds stays rounded, and a byte of a path that is not UTF-8 becomes one again. An older report lacks
keys; ``StoredReport.lacking`` names them.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any, NoReturn, get_args

from winnow_ci.errors import ConfigError
from winnow_ci.model import (
    Fallback,
    Kind,
    Mode,
    Skipped,
    SkipState,
)
from winnow_ci.model.findings import (
    Advice,
    BaselineEntry,
    BaselineInForce,
    BaselineUse,
    ScanReport,
    Scope,
    UsedIndex,
)
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report.stored_findings import finding
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
    text,
    truth,
)

VERSION = 1
MAX_BYTES = 128 << 20
MOST_VALUES = 4 << 20
"""Values of JSON, counted by the marks before them. Each takes some 100 bytes of memory, and 24 of a report."""
_ANOTHER = "name a report that winnow-ci scan --format json:FILE has written"
_IN_PARTS = "scan in parts, by naming PATHs"
_AGAIN = "take the report as it was written, or scan again"

_COMMIT = matching("[0-9a-f]{40,64}", "the full id of a commit")
_DIGEST = matching("[0-9a-f]{1,128}", "hexadecimal digits")


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
        findings=content.need("findings", each(partial(finding, lacking=lacking))),
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
        policy_digest=scan.later("policy_digest", optional(SHA256), None) or "",
        model_digest=scan.later("evidence_model", optional(SHA256), None) or "",
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
        expires=record.need("expires", optional(day)),
    )
