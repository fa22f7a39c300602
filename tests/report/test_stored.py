"""A report that was stored as JSON gives what the scan gave directly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.reports import ANY_TEXT, CASES, STYLE, hostile
from winnow_ci.errors import ConfigError, ExitStatus
from winnow_ci.languages.text_lines import COMMENT_MARKS, comment_marks
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
from winnow_ci.model.findings import (
    Advice,
    Agreement,
    AlignedLines,
    AssistedWork,
    BaselineEntry,
    BaselineInForce,
    BaselineUse,
    Checkout,
    FileReading,
    Finding,
    KnownContent,
    Reason,
    ScanReport,
    Scope,
    UsedIndex,
)
from winnow_ci.model.regions import Evidence, Stretch
from winnow_ci.report import FORMATS, PROOF, coverage
from winnow_ci.report.stored import MAX_REPORT_BYTES, StoredReport, parse_report

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = Path(__file__).parents[2] / "docs" / "json-v1.schema.json"
# A proof is about a commit that was here, and no report says that it was.
OF_STORED = {name: render for name, render in FORMATS.items() if name != PROOF}


def made(value: Any, /, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values of a type with these fields; unlike ``builds``, it fills in no others."""
    return st.fixed_dictionaries(fields).map(lambda values: value(**values))


def several(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(strategy, max_size=2).map(tuple)


NAMES = st.text(st.characters(codec="utf-8"), max_size=9)
# A byte that is not UTF-8 is a surrogate. JSON writes it as \xff, and such an escape is read as that byte.
PATHS = st.lists(st.sampled_from(["z", "é", " ", "\\", "\n", "\udc80", "\udcff", "x"]), min_size=1).map("".join)
COUNTS = st.integers(0, 1 << 40)
LINES = st.tuples(st.integers(1, 90), st.integers(0, 9)).map(lambda pair: LineRange(pair[0], sum(pair)))
DIGESTS = st.text("0123456789abcdef", min_size=64, max_size=64)
COMMITS = st.none() | st.text("0123456789abcdef", min_size=40, max_size=40)
ALIGNED = st.builds(AlignedLines, LINES, LINES)
SOURCES = made(
    Source,
    name=NAMES,
    version=st.none() | NAMES,
    license=NAMES,
    url=st.none() | NAMES,
    purl=st.none() | NAMES,
    license_from=st.none() | NAMES,
)
FILES = made(SourceFile, source=SOURCES, path=PATHS, package_license=st.none() | NAMES)
PLACES = made(Place, file=FILES, lines=LINES)
KINDS = st.sampled_from(get_args(Kind))
ENTRIES = made(
    BaselineEntry,
    anchor=NAMES,
    path=PATHS,
    source=NAMES,
    source_path=PATHS,
    license=NAMES,
    kind=KINDS,
    reason=NAMES,
    expires=st.none() | st.dates(),
    recorded_by=st.none() | NAMES,
    recorded_on=st.none() | st.dates(),
)
ODDS = st.integers(-20_000, 20_000).map(lambda thousandths: thousandths / 1000)
READINGS = st.tuples(NAMES, NAMES).map(FileReading._make)
FINDING: dict[str, st.SearchStrategy[Any]] = {
    "id": st.from_regex("[0-9a-f]{16}(-[0-9]{1,9})?", fullmatch=True),
    "path": PATHS,
    "lines": LINES,
    "kind": KINDS,
    "tokens": COUNTS,
    "fingerprints": COUNTS,
    "similarity": st.integers(0, 100).map(lambda hundredths: hundredths / 100),
    "agreement": st.tuples(COUNTS, COUNTS, COUNTS, COUNTS, st.booleans(), st.booleans()).map(Agreement._make),
    "source": PLACES,
    "also_in": several(PLACES),
    "added": several(LINES),
    "excerpt": st.just(()),
    "level": st.sampled_from(get_args(Level)),
    "suppressed": st.sampled_from([None, *get_args(Suppression)]),
    "anchor": NAMES,
    "reason": st.none() | NAMES,
    "objection": st.none() | PLACES,
    "alignment": several(ALIGNED),
    "renames": st.none() | several(st.tuples(NAMES, NAMES, st.integers(1, 99))),
    "words": several(NAMES),
    "comment": st.sampled_from(sorted({*map(comment_marks, COMMENT_MARKS), ("", "")})),
    "identical": st.booleans(),
    "strength": st.sampled_from(get_args(Strength)),
    "evidence": st.tuples(COUNTS, COUNTS, COUNTS, COUNTS).map(Evidence._make),
    "log_odds": st.none() | ODDS,
    "reasons": several(made(Reason, feature=st.sampled_from(["score", "breaks", "x_y"]), value=ODDS, log_odds=ODDS)),
    "filter": st.sampled_from([None, "generated code", "x y"]),
    "in_text": st.booleans(),
    "assisted": st.booleans(),
    "denied": st.booleans(),
    "stretches": several(st.tuples(COUNTS, COUNTS, COUNTS).map(Stretch._make)),
    "reading": st.none() | READINGS,
    "known": st.none() | st.builds(KnownContent, DIGESTS.map(lambda digits: digits[:32]), READINGS),
    "file_sha256": st.just("") | DIGESTS,
    "file_sha1": st.none() | DIGESTS.map(lambda digits: digits[:40]),
    "byte_range": st.none() | LINES.map(tuple),
    "expires": st.none() | st.dates(),
    "recorded_by": st.none() | NAMES,
    "recorded_on": st.none() | st.dates(),
}
REPORT: dict[str, st.SearchStrategy[Any]] = {
    "scope": st.tuples(st.sampled_from(get_args(Mode)), COMMITS, COMMITS, NAMES).map(Scope._make),
    "files_scanned": COUNTS,
    "tokens": COUNTS,
    "findings": several(made(Finding, **FINDING)),
    "skipped": several(st.tuples(PATHS, NAMES, st.sampled_from(get_args(SkipState))).map(Skipped._make)),
    "notices": several(NAMES),
    "baseline": made(BaselineUse, stale=several(ENTRIES), expired=several(ENTRIES), waiting=several(ENTRIES)),
    "existing": COUNTS,
    "fallback": several(st.tuples(PATHS, NAMES).map(Fallback._make)),
    "unread": several(st.tuples(PATHS, st.integers(1, 99))),
    "advice": st.tuples(several(NAMES), st.booleans(), st.sampled_from(get_args(BaselineInForce)), st.booleans()).map(
        Advice._make
    ),
    "indexes": several(st.tuples(NAMES, DIGESTS).map(UsedIndex._make)),
    "policy_digest": st.just("") | DIGESTS,
    "model_digest": st.just("") | DIGESTS,
    "checkout": st.none()
    | made(Checkout, repository=NAMES, branch=st.none() | NAMES, commit=COMMITS, date=st.just("2026-11-28")),
    "assisted": st.none() | st.tuples(COUNTS, COUNTS, COUNTS, st.booleans()).map(AssistedWork._make),
    "uncompared": several(st.tuples(PATHS, st.integers(1, 10**6))),
}
REPORTS = made(ScanReport, **REPORT)


def written(report: ScanReport) -> bytes:
    return FORMATS["json"](report, STYLE).encode()


def stored(report: ScanReport) -> StoredReport:
    return parse_report(written(report), "r.json")


def without_code(report: ScanReport) -> ScanReport:
    """What JSON keeps of a report: no code, and findings by path and line."""
    bare = (one._replace(excerpt=(), beside=None) for one in report.findings)
    return report._replace(lacking=(), findings=tuple(sorted(bare, key=lambda one: (one.path, one.lines, one.id))))


@given(REPORTS)
def test_a_stored_report_is_the_report(report: ScanReport) -> None:
    found = stored(report)
    assert found.report == without_code(report)
    assert found.lacking == ()


def test_the_property_above_tries_every_field() -> None:
    assert set(Finding._fields) - set(FINDING) == {"beside", "copyright_lines"}
    # A notice, which is stored, says of how many files only the smallest fingerprints were looked up.
    assert set(ScanReport._fields) - set(REPORT) == {"lacking", "proved"}


@pytest.mark.parametrize("format_name", OF_STORED)
@given(report=REPORTS)
def test_every_format_of_a_stored_report_has_the_same_bytes(format_name: str, report: ScanReport) -> None:
    render = FORMATS[format_name]
    assert render(stored(report).report, STYLE) == render(report, STYLE)
    assert coverage(stored(report).report) == coverage(report)


@given(ANY_TEXT)
def test_hostile_names_come_back_as_harmless(text: str) -> None:
    """What is no text (a lone surrogate that is no byte) comes back as its escape: it looks the same."""
    report = without_code(hostile(text))
    for name in set(OF_STORED) - {"gitlab", "sarif"}:
        assert FORMATS[name](stored(report).report, STYLE) == FORMATS[name](report, STYLE)


@pytest.mark.parametrize("case", CASES)
def test_json_of_a_stored_report_is_the_json_that_was_stored(case: str) -> None:
    assert written(stored(CASES[case]).report) == written(CASES[case])


def object_of(report: ScanReport = CASES["many"]) -> dict[str, Any]:
    return dict(json.loads(written(report)))


def test_a_report_with_nothing_but_the_keys_that_were_always_there() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    bare = _required(object_of(), schema, schema)
    found = parse_report(json.dumps(bare).encode(), "old.json")
    assert {"agreement", "alignment", "baseline", "comment_marks", "denied", "file_sha256"} < set(found.lacking)
    assert {"description", "indexes", "policy_digest", "purl", "state"} < set(found.lacking)
    assert found.report.complete is False
    told = FORMATS["markdown"](found.report, STYLE)
    # Of 180 tokens 97 %; nothing says how many of the renamed ones have the source's text.
    assert "verbatim but for 5 of 180 tokens" in told
    assert "names changed: all 180 tokens line up with the source |" in told


def _required(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """The part of a value that its schema requires."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if isinstance(value, dict):
        kept = schema["properties"]
        return {key: _required(value[key], kept[key], root) for key in schema.get("required", kept)}
    return [_required(one, schema["items"], root) for one in value] if isinstance(value, list) else value


def _edit(change: Callable[[dict[str, Any]], object]) -> bytes:
    report = object_of()
    change(report)
    return json.dumps(report).encode()


def _of_finding(key: str, value: Any) -> Callable[[dict[str, Any]], object]:
    return lambda report: report["findings"][0].update({key: value})


_PLACE = "r.json: findings[0].comment_marks"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "r.json:1: not valid JSON: Expecting value"),
        (b"\xff", "r.json: not valid JSON, or nested too deeply"),
        (b"[" * 200_000, "r.json: not valid JSON, or nested too deeply"),
        (b'{"schema_version": 1, "x": NaN}', "r.json: not valid JSON, or nested too deeply"),
        (b'{"schema_version": 1, "x": ' + b"9" * 9_999 + b"}", "r.json: not valid JSON, or nested too deeply"),
        (b"[]", "r.json: not a JSON report of winnow-ci"),
        (b'{"version": "2.1.0", "runs": []}', "r.json: not a JSON report of winnow-ci"),
        (b'{"schema_version": 2}', "r.json: its schema_version is 2, and this winnow-ci reads 1"),
        (b'{"schema_version": true}', "r.json: its schema_version is True, and this winnow-ci reads 1"),
        (b'{"schema_version": 1}', "r.json: tool is missing"),
        (b" " * (MAX_REPORT_BYTES + 1), "r.json: larger than 128 MiB"),
        (b'{"schema_version": 1, "x": [' + b"[]," * (2 << 20) + b"1]}", "r.json: has more than 4,194,304 values"),
        (_edit(lambda report: report.update(findings={})), "r.json: findings must be a list"),
        (_edit(lambda report: report.update(scan=[])), "r.json: scan must be an object"),
        (_edit(lambda report: report["scan"].pop("mode")), "r.json: scan.mode is missing"),
        (
            _edit(lambda report: report["scan"].update(head="--all")),
            "r.json: scan.head must be the full id of a commit",
        ),
        (
            _edit(lambda report: report["scan"].update(mode="x" * 90)),
            "r.json: scan.mode must be one of branch, since, staged, range, all, check",
        ),
        (_edit(_of_finding("path", 3)), "r.json: findings[0].path must be text"),
        (_edit(_of_finding("tokens", -1)), "r.json: findings[0].tokens must be a whole number, 0 or more"),
        (_edit(_of_finding("tokens", 1.0)), "r.json: findings[0].tokens must be a whole number, 0 or more"),
        (_edit(_of_finding("tokens", True)), "r.json: findings[0].tokens must be a whole number, 0 or more"),
        (_edit(_of_finding("tokens", 10**18)), "r.json: findings[0].tokens must be a whole number, 0 or more"),
        (_edit(_of_finding("start_line", 0)), "r.json: findings[0].start_line must be a whole number, 1 or more"),
        (_edit(_of_finding("end_line", 1)), "r.json: findings[0] cannot begin on line 10 and end on line 1"),
        (_edit(_of_finding("similarity", 1.1)), "r.json: findings[0].similarity must be a number from 0 to 1"),
        (_edit(_of_finding("identical", 1)), "r.json: findings[0].identical must be true or false"),
        (_edit(_of_finding("alignment", [[1, 2, 3]])), "r.json: findings[0].alignment[0] must be a list of 4"),
        (_edit(_of_finding("comment_marks", ["#"])), "r.json: findings[0].comment_marks must be a list of 2"),
        *(
            (_edit(_of_finding("comment_marks", [mark, ""])), f"{_PLACE}[0] must be a comment mark")
            for mark in ("$(x) ", "`x` ", "\n::error::", "# a", "\\")
        ),
        *(
            (_edit(_of_finding("id", id_)), "r.json: findings[0].id must be an id of letters, digits and hyphens")
            for id_ in ("", "--config=x", "$(x)", "a\nb", "\x00")
        ),
        (_edit(_of_finding("reason", "\ud800")), "r.json: findings[0].reason has an incomplete character"),
        (_edit(_of_finding("file_sha256", "F" * 64)), "r.json: findings[0].file_sha256 must be 64 hexadecimal digits"),
        (
            _edit(lambda report: report["findings"][0]["source"].pop("license")),
            "r.json: findings[0].source.license is missing",
        ),
        (
            _edit(lambda report: report["baseline"]["expired"][0].update(expires="2027-13-01")),
            "r.json: baseline.expired[0].expires must be a day such as 2027-01-31",
        ),
    ],
)
def test_what_is_no_report_is_refused_in_words(content: bytes, problem: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        parse_report(content, "r.json")
    assert refusal.value.problem == problem
    assert refusal.value.remedy
    assert refusal.value.exit_status == ExitStatus.USAGE


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.data())
def test_any_value_in_any_place_is_read_or_refused(data: st.DataObject) -> None:
    report = object_of()
    at: Any = report
    while True:
        key = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        if not isinstance(at[key], dict | list) or not at[key] or data.draw(st.booleans()):
            break
        at = at[key]
    at[key] = data.draw(JSON)
    try:
        found = parse_report(json.dumps(report).encode(), "r.json")
    except ConfigError:
        return
    for render in OF_STORED.values():
        render(found.report, STYLE).encode()
    jsonschema.validate(json.loads(written(found.report)), json.loads(SCHEMA.read_text(encoding="utf-8")))
