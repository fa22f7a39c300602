from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes, urlsplit

import jsonschema
import pytest
from hypothesis import given

from support.reports import ANY_TEXT, CASES, HOSTILE, STYLE, finding, hostile
from winnow_ci.model import LineRange, Skipped
from winnow_ci.model.changes import WebRepository
from winnow_ci.report import FORMATS, ReportStyle, sarif

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.model.findings import Finding, ScanReport

SCHEMA = json.loads((Path(__file__).parents[1] / "schemas" / "sarif-2.1.0.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
BASE = CASES["none"]


def _log(report: ScanReport) -> Any:
    return json.loads(FORMATS["sarif"](report, STYLE))


def _run(report: ScanReport) -> Any:
    (run,) = _log(report)["runs"]
    return run


def _strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _strings(item)]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    return [value] if isinstance(value, str) else []


def _licensed(text: str) -> Finding:
    one = finding()
    source = one.source.file.source._replace(license=text)
    return one._replace(source=one.source._replace(file=one.source.file._replace(source=source)))


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert not VALIDATOR.is_valid({"version": "2.1.0", "runs": [{}]})


@pytest.mark.parametrize("case", CASES)
def test_it_is_as_its_schema_says(case: str) -> None:
    VALIDATOR.validate(_log(CASES[case]))


@given(ANY_TEXT)
def test_it_is_valid_whatever_names_hold(text: str) -> None:
    log = _log(hostile(text))
    VALIDATOR.validate(log)
    assert "" not in _strings(log)
    (run,) = log["runs"]
    for location in (
        run["results"][0]["locations"][0],
        run["invocations"][0]["toolExecutionNotifications"][0]["locations"][0],
    ):
        assert re.fullmatch(
            r"(?:[\w.~/-]|%[0-9A-F]{2})+", location["physicalLocation"]["artifactLocation"]["uri"], re.ASCII
        )


def test_no_text_is_empty() -> None:
    assert "" not in _strings(_log(BASE._replace(findings=(_licensed(""),))))


# "SARIF support for code scanning" in GitHub's documentation: what an upload must have, and its limits.
_MOST = {"rules": 25_000, "results": 25_000, "locations": 1000, "relatedLocations": 1000, "tags": 20}


def _walk(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    yield key, value
    children = value.items() if isinstance(value, dict) else ((key, one) for one in value)
    for name, child in children:
        if isinstance(child, dict | list):
            yield from _walk(child, name)


@pytest.mark.parametrize("case", CASES)
def test_it_keeps_to_the_rules_of_code_scanning(case: str) -> None:
    log = _log(CASES[case])
    for key, value in _walk(log):
        assert not isinstance(value, list) or len(value) <= _MOST.get(key, 1000)
        if key == "artifactLocation":
            # A checkout has the scheme "file": another one makes GitHub refuse the whole file.
            assert urlsplit(value["uri"]).scheme == ""
            assert not value["uri"].startswith(("/", "../"))
        if key == "region":
            assert value["startLine"] >= 1
            assert value.get("endLine", value["startLine"]) >= value["startLine"]
        if key == "message":
            assert value["text"].strip()
    (run,) = log["runs"]
    known = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    for rule in run["tool"]["driver"]["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["fullDescription"]["text"]
        assert rule["help"]["text"]
        assert max(len(rule["id"]), len(rule["name"])) <= 255
    for result in run["results"]:
        assert result["ruleId"] in known
        assert len(result["locations"]) == 1
        assert result["partialFingerprints"]


@given(ANY_TEXT)
def test_the_only_link_in_a_message_is_ours(text: str) -> None:
    message = _run(hostile(text))["results"][0]["message"]["text"]
    bare = re.sub(r"\\[\\\[\]]", "", message)
    assert re.findall(r"\[[^\]]*\](?:\([^)]*\))?", bare) == ["[lines 10-42](1)"]
    assert re.sub(r"\{\{|\}\}", "", bare).count("{") == 0


def test_rules_have_what_code_scanning_shows() -> None:
    rules = _run(BASE)["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["copied-verbatim", "copied-renamed", "restated", "translated"]
    for rule in rules:
        assert len(rule["name"]) <= 255
        assert max(len(rule[key]["text"]) for key in ("shortDescription", "fullDescription")) <= 1024
        assert rule["help"]["text"]
        assert rule["help"]["markdown"]
        assert rule["properties"]["precision"] in ("very-high", "high", "medium")


def test_a_result_points_only_at_lines_that_the_change_adds() -> None:
    one = finding()._replace(added=(LineRange(12, 20), LineRange(30, 42)))
    (result,) = _run(BASE._replace(findings=(one,)))["results"]
    assert [location["physicalLocation"]["region"] for location in result["locations"]] == [
        {"startLine": 12, "endLine": 20}
    ]
    related = result["relatedLocations"][0]
    assert related["physicalLocation"]["region"] == {"startLine": 10, "endLine": 42}
    assert f"[lines 10-42]({related['id']})" in result["message"]["text"]
    assert result["message"]["text"].startswith("Copied from curl 8.1.0 (curl), lib/url.c:100-131. The copy is ")


def test_a_fingerprint_outlives_edits_around_the_copy() -> None:
    first, moved = finding(), finding(first=500, last=532)
    fingerprints = [_run(BASE._replace(findings=(one,)))["results"][0]["partialFingerprints"] for one in (first, moved)]
    assert fingerprints == [{"winnowMatch/v1": first.id}] * 2


@pytest.mark.parametrize("path", ["src/a b#?%.c", "a:b.c", "é/\udcff.c", "a\\b.c", "[id]/{x}.ts"])
def test_addresses_stand_for_the_bytes_of_a_path(path: str) -> None:
    (result,) = _run(BASE._replace(findings=(finding(path=path),)))["results"]
    location = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert unquote_to_bytes(location["uri"]) == path.encode("utf-8", "surrogateescape")
    assert location["uriBaseId"] == "%SRCROOT%"
    assert ":" not in location["uri"]


def test_suppressed_findings_are_counted_and_left_out() -> None:
    run = _run(CASES["many"])
    assert run["properties"]["suppressed"] == 2
    assert [result["level"] for result in run["results"]] == ["error", "error", "warning", "warning"]


def test_an_incomplete_scan_is_not_successful() -> None:
    assert _run(BASE)["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]
    (invocation,) = _run(BASE._replace(skipped=(Skipped("a [1].c", "larger than 64 MiB", "not-scanned"),)))[
        "invocations"
    ]
    assert invocation["executionSuccessful"] is False
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["descriptor"] == {"id": "not-scanned"}
    assert notification["message"] == {"text": r"not scanned: a \[1\].c: larger than 64 MiB"}


def test_results_beyond_the_limit_are_left_out_and_said_to_be() -> None:
    findings = tuple(finding()._replace(id=str(number), level="note") for number in range(sarif.MOST_RESULTS))
    run = _run(BASE._replace(findings=(*findings, finding(path=HOSTILE)._replace(id="worst"))))
    assert len(run["results"]) == sarif.MOST_RESULTS
    assert run["results"][0]["partialFingerprints"] == {sarif.FINGERPRINT: "worst"}
    assert run["properties"]["resultsLeftOut"] == 1
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"] == {"text": "25,000 of 25,001 findings are here, the most severe and the longest"}
    assert run["invocations"][0]["executionSuccessful"] is True


def test_it_points_to_the_source_and_shows_the_first_lines() -> None:
    one = finding()
    source = one.source.file.source._replace(url=None, purl="pkg:npm/%40octo/roads@1.0")
    one = one._replace(source=one.source._replace(file=one.source.file._replace(source=source)))
    log = _log(BASE._replace(findings=(one,)))
    VALIDATOR.validate(log)
    (result,) = log["runs"][0]["results"]
    assert result["properties"]["purl"] == "pkg:npm/%40octo/roads@1.0"
    assert result["message"]["text"].endswith("/package/@octo/roads/v/1.0")
    # GitHub refuses a file in which a location is an address of the web.
    assert "://" not in json.dumps([result["locations"], result["relatedLocations"]])
    whole, first = result["relatedLocations"]
    assert whole["message"]["text"] == "the whole copy"
    region = first["physicalLocation"]["region"]
    assert (region["startLine"], region["endLine"]) == (10, 15)
    assert region["snippet"]["text"].splitlines()[1:3] == ["{", "    struct UrlState *s = &data->state;"]


def test_it_says_of_which_repository_and_commit_it_is() -> None:
    report = BASE._replace(scope=BASE.scope._replace(head="5" * 40))
    style = ReportStyle(
        repository=WebRepository("https://forge.example/octo/widget", "github"),
        documentation="https://forge.example/octo/winnow-ci/blob/v1/docs",
    )
    log = json.loads(FORMATS["sarif"](report, style))
    VALIDATOR.validate(log)
    (run,) = log["runs"]
    assert run["versionControlProvenance"] == [
        {
            "repositoryUri": "https://forge.example/octo/widget",
            "revisionId": "5" * 40,
            "mappedTo": {"uriBaseId": "%SRCROOT%"},
        }
    ]
    driver = run["tool"]["driver"]
    for described in (*driver["rules"], *driver["notifications"]):
        assert described["helpUri"] == f"https://forge.example/octo/winnow-ci/blob/v1/docs/rules/{described['id']}.md"


@pytest.mark.parametrize("documentation", ["javascript:alert(1)", "https://x.example/ y", "", "docs", None])
def test_an_address_of_the_documentation_that_is_none_is_left_out(documentation: str | None) -> None:
    log = json.loads(FORMATS["sarif"](BASE, ReportStyle(documentation=documentation)))
    assert not [rule for rule in log["runs"][0]["tool"]["driver"]["rules"] if "helpUri" in rule]
