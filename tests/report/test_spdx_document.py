from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from spdx_tools.spdx.parser.jsonlikedict.json_like_dict_parser import JsonLikeDictParser
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

from support.reports import ANY_TEXT, CASES, STYLE, finding, hostile, rendered
from winnow_ci.model import Skipped
from winnow_ci.model.findings import Checkout
from winnow_ci.report import FORMATS

if TYPE_CHECKING:
    from winnow_ci.model.findings import Finding

BASE = CASES["none"]
CHECKOUT = Checkout("octo/roads", "main", "a" * 40, "2026-11-28")


def problems(text: str) -> list[str]:
    """What the library's validator says of a document, read by its parser."""
    document = JsonLikeDictParser().parse(json.loads(text))
    return [message.validation_message for message in validate_full_spdx_document(document)]


def _document(*findings: Finding, **fields: Any) -> Any:
    text = FORMATS["spdx"](BASE._replace(findings=findings, **fields), STYLE)
    assert problems(text) == []
    return json.loads(text)


def _of(licence: str, package_license: str | None = None, **fields: Any) -> Finding:
    one = finding(licence)
    source = one.source.file.source._replace(**fields)
    file = one.source.file._replace(source=source, package_license=package_license)
    return one._replace(source=one.source._replace(file=file))


def test_the_validator_sees_what_is_wrong() -> None:
    text = FORMATS["spdx"](CASES["one"], STYLE)
    assert "SHA1" in problems(text.replace('"SHA1"', '"SHA256"'))[0]
    assert "SPDXRef-Nowhere" in problems(text.replace('Element": "SPDXRef-Source-1', 'Element": "SPDXRef-Nowhere'))[0]


@pytest.mark.parametrize("case", CASES)
def test_it_is_valid_and_the_same_each_time(case: str) -> None:
    text = FORMATS["spdx"](CASES[case], STYLE)
    assert problems(text) == []
    assert text == FORMATS["spdx"](CASES[case], STYLE)


@given(ANY_TEXT)
def test_it_is_valid_whatever_names_hold(text: str) -> None:
    report = hostile(text)
    bare = [one._replace(byte_range=None) for one in report.findings]
    assert problems(FORMATS["spdx"](report._replace(findings=(*report.findings, *bare)), STYLE)) == []


def test_a_copy_is_a_snippet_of_its_file_and_a_variant_of_its_source() -> None:
    one = _of("GPL-3.0-only", "MIT", url=None, purl="pkg:npm/%40octo/roads@8.1.0")
    accepted = one._replace(path="z.c", suppressed="baseline", reason="asked Ada")
    found = _document(accepted, one)
    _, source = found["packages"]
    assert (source["licenseDeclared"], source["licenseConcluded"]) == ("MIT", "GPL-3.0-only")
    assert source["downloadLocation"].endswith("/package/@octo/roads/v/8.1.0")
    assert source["externalRefs"][0]["referenceLocator"] == "pkg:npm/%40octo/roads@8.1.0"
    assert [file["fileName"] for file in found["files"]] == ["./src/a.c", "./z.c"]
    assert {part["algorithm"]: part["checksumValue"] for part in found["files"][0]["checksums"]} == {
        "SHA1": one.file_sha1,
        "SHA256": one.file_sha256,
    }
    first, second = found["snippets"]
    bytes_, lines = first["ranges"]
    assert (bytes_["startPointer"]["offset"], bytes_["endPointer"]["offset"]) == one.byte_range
    assert (lines["startPointer"]["lineNumber"], lines["endPointer"]["lineNumber"]) == (10, 42)
    assert first["snippetFromFile"] == found["files"][0]["SPDXID"]
    assert (first["name"], first["licenseConcluded"]) == ("src/a.c:10-42", "GPL-3.0-only")
    assert "lines 10-42 from lib/url.c:100-131" in first["comment"]
    assert "accepted (baseline): asked Ada" in second["comment"]
    variants = [one for one in found["relationships"] if one["relationshipType"] == "VARIANT_OF"]
    assert [(one["spdxElementId"], one["relatedSpdxElement"]) for one in variants] == [
        (first["SPDXID"], source["SPDXID"]),
        (second["SPDXID"], source["SPDXID"]),
    ]


def test_it_is_about_the_commit_and_has_its_day() -> None:
    found = _document(checkout=CHECKOUT, scope=BASE.scope._replace(head="a" * 40))
    (repository,) = found["packages"]
    assert (found["name"], repository["name"], repository["versionInfo"]) == ("octo/roads", "octo/roads", "a" * 40)
    assert found["creationInfo"]["created"] == "2026-11-28T00:00:00Z"
    undated = _document(checkout=CHECKOUT._replace(date="2026-13-99"))  # any digits can stand in a stored report
    assert undated["creationInfo"]["created"] == _document()["creationInfo"]["created"] == "1970-01-01T00:00:00Z"


@pytest.mark.parametrize("missing", [{"byte_range": None}, {"file_sha1": None}])
def test_a_copy_without_bytes_or_digest_is_an_annotation_of_its_source(missing: dict[str, Any]) -> None:
    """As in UTF-16, or in a report of an older version."""
    found = _document(finding()._replace(**missing))
    assert "snippets" not in found
    (said,) = found["packages"][1]["annotations"]
    assert said["comment"].startswith("src/a.c: lines 10-42 from lib/url.c:100-131: verbatim but for 6 of 180 tokens")


@pytest.mark.parametrize(
    ("licence", "concluded"),
    [
        ("MIT OR ISC", "MIT OR ISC"),
        ("GPL-2.0-only WITH Classpath-exception-2.0", "GPL-2.0-only WITH Classpath-exception-2.0"),
        ("unknown", "NOASSERTION"),
        ("Octo Licence", "NOASSERTION"),
        ("DocumentRef-a:LicenseRef-b", "NOASSERTION"),
        ("MIT WITH MIT", "NOASSERTION"),
        ("()", "NOASSERTION"),
        ("", "NOASSERTION"),
    ],
)
def test_a_licence_that_spdx_does_not_know_is_no_assertion(licence: str, concluded: str) -> None:
    found = _document(_of(licence))
    assert found["snippets"][0]["licenseConcluded"] == concluded
    assert f"licence of the file: {licence};" in found["snippets"][0]["comment"]


def test_licences_of_several_files_hold_together_if_all_are_known() -> None:
    one, other = _of("MIT OR ISC", "MIT"), _of("curl", "MIT")
    assert _document(one, other)["packages"][1]["licenseConcluded"] == "(MIT OR ISC) AND curl"
    source = _document(one, other, _of("unknown", "MIT"))["packages"][1]
    assert (source["licenseDeclared"], source["licenseConcluded"]) == ("MIT", "NOASSERTION")
    assert source["licenseComments"] == "the package: MIT; the copied files: MIT OR ISC, curl, unknown"


def test_a_licence_of_somebodys_own_is_defined() -> None:
    found = _document(_of("LicenseRef-Octo.1 OR MIT", "LicenseRef-scancode-unknown"), _of("LicenseRef-Octo.1"))
    assert [one["licenseId"] for one in found["hasExtractedLicensingInfos"]] == [
        "LicenseRef-Octo.1",
        "LicenseRef-scancode-unknown",
    ]
    assert found["snippets"][0]["licenseConcluded"] == "LicenseRef-Octo.1 OR MIT"
    assert _document(_of("LicenseRef-a_b"))["snippets"][0]["licenseConcluded"] == "NOASSERTION"


@pytest.mark.parametrize("url", ["http://localhost/roads", "ftp://octo.example/roads"])
def test_an_address_that_spdx_does_not_take_is_no_assertion(url: str) -> None:
    assert _document(_of("MIT", url=url))["packages"][1]["downloadLocation"] == "NOASSERTION"


def test_weak_findings_and_boilerplate_are_counted_and_what_was_not_scanned_is_named() -> None:
    skipped = (Skipped("a.c", "larger than 64 MiB", "not-scanned"),)
    left_out = finding()._replace(strength="weak"), finding()._replace(suppressed="boilerplate")
    found = _document(*left_out, skipped=skipped)
    assert "files" not in found
    assert found["comment"].splitlines() == [
        "complete: false",
        "findings left out: 2",
        "not scanned: a.c: larger than 64 MiB",
    ]


def test_another_report_has_another_namespace() -> None:
    one, other = _document(finding()), _document(finding(path="b.c"))
    assert one["documentNamespace"] != other["documentNamespace"]
    assert json.loads(rendered("one", "spdx"))["documentNamespace"].startswith("urn:uuid:")
