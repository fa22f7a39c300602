"""JUnit's XML, for CI servers that read nothing else: one test case per finding.

GitLab shows only one test case of the same class and name; so each is named with the finding's id, and without line
numbers, so that a finding keeps its history when code moves. Errors are failures; warnings are skipped tests, which
servers show without failing; notes are tests that pass. One more case stands for the scan itself. It is in error if a
file could not be scanned.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

from winnow_ci import __version__
from winnow_ci.model.findings import Finding, ScanReport
from winnow_ci.report import printable, wording
from winnow_ci.report.coverage import coverage
from winnow_ci.report.excerpts import excerpt_of_change
from winnow_ci.report.shown import NOT_SCANNED, ReportStyle, not_scanned, rule_id, suppressed_count, unsuppressed

_OUTCOMES = {"error": "failure", "warning": "skipped", "note": "system-out"}
_TOOL = "winnow-ci"


def render(report: ScanReport, style: ReportStyle) -> str:
    """One suite. All its text is printable, and therefore legal in XML 1.0."""
    findings = unsuppressed(report)
    errors, failures = str(int(not report.complete)), str(report.count("error"))
    counts = {"name": _TOOL, "tests": str(len(findings) + 1), "failures": failures, "errors": errors}
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", counts, skipped=str(report.count("warning")))
    properties = ET.SubElement(suite, "properties")
    for name, value in (("version", __version__), ("suppressed", str(suppressed_count(report)))):
        ET.SubElement(properties, "property", name=name, value=value)
    suite.append(_of_scan(report))
    suite.extend(_of_finding(finding, style) for finding in findings)
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def _of_scan(report: ScanReport) -> ET.Element:
    case = ET.Element("testcase", classname=_TOOL, name="everything in scope was scanned")
    if skipped := not_scanned(report):
        message = f"{wording.counted(len(skipped), 'file')} not scanned"
        error = ET.SubElement(case, "error", type=NOT_SCANNED, message=message)
        error.text = "\n".join(printable.name(f"{skip.path}: {skip.reason}") for skip in skipped)
    ET.SubElement(case, "system-out").text = f"{coverage(report)}\n{wording.summary(report)}"
    return case


def _of_finding(finding: Finding, style: ReportStyle) -> ET.Element:
    name = f"{wording.copied(finding)} [{finding.id}]"
    case = ET.Element("testcase", classname=printable.name(finding.path), name=name)
    outcome = ET.SubElement(case, _OUTCOMES[finding.level])
    if outcome.tag != "system-out":
        outcome.set("type", rule_id(finding))
        outcome.set("message", wording.located_copy(finding))
    tell = (wording.located_copy, wording.likeness, wording.reordered, wording.file_licence, wording.also_in)
    outcome.text = "\n".join(wording.facts(finding, *tell) + excerpt_of_change(finding, style))
    return case
