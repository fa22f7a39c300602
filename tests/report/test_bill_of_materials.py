from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from hypothesis import given

from support.reports import ANY_TEXT, CASES, STYLE, finding, hostile
from winnow_ci.model import Skipped
from winnow_ci.report import FORMATS

if TYPE_CHECKING:
    from winnow_ci.model.findings import Finding

BASE = CASES["none"]
VALIDATOR = JsonStrictValidator(SchemaVersion.V1_6)


def _bom(*findings: Finding, **fields: Any) -> Any:
    return json.loads(FORMATS["cyclonedx"](BASE._replace(findings=findings, **fields), STYLE))


def _of(licence: str, package_license: str | None = None, **fields: Any) -> Finding:
    one = finding(licence)
    source = one.source.file.source._replace(**fields)
    file = one.source.file._replace(source=source, package_license=package_license)
    return one._replace(source=one.source._replace(file=file))


def test_the_validator_sees_what_is_wrong() -> None:
    assert VALIDATOR.validate_str('{"bomFormat": "CycloneDX", "specVersion": "1.6", "components": [{}]}') is not None


@pytest.mark.parametrize("case", CASES)
def test_it_is_as_its_schema_says_and_the_same_each_time(case: str) -> None:
    text = FORMATS["cyclonedx"](CASES[case], STYLE)
    assert VALIDATOR.validate_str(text) is None
    assert text == FORMATS["cyclonedx"](CASES[case], STYLE)


@given(ANY_TEXT)
def test_it_is_valid_whatever_names_hold(text: str) -> None:
    assert VALIDATOR.validate_str(FORMATS["cyclonedx"](hostile(text), STYLE)) is None


def test_a_source_is_a_component_with_evidence_of_each_copy() -> None:
    one = _of("GPL-3.0-only", "MIT", url=None, purl="pkg:npm/%40octo/roads@8.1.0")
    accepted = one._replace(path="z.c", suppressed="baseline", reason="asked Ada")
    bom = _bom(accepted, one)
    (component,) = bom["components"]
    assert component["purl"] == "pkg:npm/%40octo/roads@8.1.0"
    assert component["licenses"] == [{"expression": "MIT"}]
    assert component["externalReferences"][0]["url"].endswith("/package/@octo/roads/v/8.1.0")
    evidence = component["evidence"]
    assert evidence["licenses"] == [{"expression": "GPL-3.0-only"}]
    assert [(one["location"], one["line"]) for one in evidence["occurrences"]] == [("src/a.c", 10), ("z.c", 10)]
    assert "lines 10-42 from lib/url.c:100-131" in evidence["occurrences"][0]["additionalContext"]
    assert "accepted (baseline): asked Ada" in evidence["occurrences"][1]["additionalContext"]
    (identity,) = evidence["identity"]
    assert (identity["field"], identity["confidence"]) == ("purl", 0.97)
    assert bom["dependencies"][0] == {"ref": "repository", "dependsOn": [component["bom-ref"]]}


def test_licences_of_several_files_hold_together_and_unknown_ones_are_left_out() -> None:
    (component,) = _bom(_of("MIT OR ISC", "MIT"), _of("curl", "MIT"), _of("unknown", "MIT"))["components"]
    assert component["evidence"]["licenses"] == [{"expression": "(MIT OR ISC) AND curl"}]
    (component,) = _bom(_of("unknown"))["components"]
    assert "licenses" not in component


def test_an_identical_file_is_known_by_its_hash() -> None:
    (component,) = _bom(finding()._replace(identical=True, similarity=1.0))["components"]
    (identity,) = component["evidence"]["identity"]
    assert identity["methods"][0]["technique"] == "hash-comparison"
    assert identity["confidence"] == 1


def test_weak_findings_and_boilerplate_are_counted_and_left_out() -> None:
    bom = _bom(finding()._replace(strength="weak"), finding()._replace(suppressed="boilerplate"))
    assert "components" not in bom
    assert {"name": "winnow-ci:findings-left-out", "value": "2"} in bom["metadata"]["properties"]


def test_it_says_what_was_not_scanned() -> None:
    properties = _bom(skipped=(Skipped("a.c", "larger than 64 MiB", "not-scanned"),))["metadata"]["properties"]
    assert {"name": "winnow-ci:complete", "value": "false"} in properties
    assert {"name": "winnow-ci:not-scanned", "value": "a.c: larger than 64 MiB"} in properties


def test_another_report_has_another_serial_number_and_none_has_a_time() -> None:
    one, other = _bom(finding()), _bom(finding(path="b.c"))
    assert one["serialNumber"] != other["serialNumber"]
    assert "timestamp" not in one["metadata"]
