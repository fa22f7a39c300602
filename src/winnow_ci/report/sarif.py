"""SARIF 2.1.0 (OASIS standard), for code scanning on GitHub and for editors.

GitHub shows an alert in a pull request only if the change has every line of its region, and looks only at the first
location. A result therefore points at the first of the copied lines that the change adds; the message names the whole
region and links to it as a related location.

GitHub ignores ``suppressions``, so suppressed findings are left out and counted in the run's properties. It takes at
most 25,000 results. Files that could not be scanned are notifications of the tool, and make the run unsuccessful.

In messages ``[text](1)`` is a link and ``{0}`` a placeholder, so brackets and backslashes in names get a backslash, and
braces are doubled (sections 3.11.5 and 3.11.6). No text is empty, since GitHub refuses that.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from winnow_ci import __version__
from winnow_ci.model import LineRange
from winnow_ci.model.findings import FIRST_LINES, Finding, ScanReport
from winnow_ci.report import addresses, printable, shown, wording

_Object: TypeAlias = "dict[str, object]"

MOST_RESULTS = 25_000
FINGERPRINT = "winnowMatch/v1"
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
_CATEGORY = "winnow-ci/"  # up to the slash, the name of this analysis among those of a commit
_NOTIFICATIONS = {
    shown.NOT_SCANNED: "A file in scope could not be scanned",
    shown.TOO_MANY: "There are more findings than code scanning accepts",
}
_MARKUP = re.compile(r"[\\\[\]]")


def render(report: ScanReport, style: shown.ReportStyle) -> str:
    """One run with a result for each finding that nothing suppresses."""
    findings = shown.ranked(shown.unsuppressed(report))
    url = style.repository and style.repository.url
    where = {"repositoryUri": url, "revisionId": report.scope.head, "mappedTo": {"uriBaseId": _ROOT}}
    run = {
        "tool": {"driver": _driver(style)},
        "automationDetails": {"id": _CATEGORY},
        "invocations": [_invocation(report, len(findings))],
        **({"versionControlProvenance": [where]} if style.repository and report.scope.head else {}),
        "results": [_result(finding) for finding in findings[:MOST_RESULTS]],
        "properties": {
            "suppressed": shown.suppressed_count(report),
            "resultsLeftOut": max(len(findings) - MOST_RESULTS, 0),
            "filesScanned": report.files_scanned,
            "filesSkipped": len(report.skipped),
        },
    }
    return printable.json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _driver(style: shown.ReportStyle) -> _Object:
    texts = _NOTIFICATIONS.items()
    return {
        "name": "winnow-ci",
        "version": __version__,
        "rules": [_descriptor(rule, style) for rule in shown.RULES.values()],
        "notifications": [{**_identity(id_, style), "shortDescription": {"text": text}} for id_, text in texts],
    }


def _identity(id_: str, style: shown.ReportStyle) -> _Object:
    address = addresses.of_rule(style.documentation, id_)
    return {"id": id_, **({"helpUri": address} if address else {})}


def _descriptor(rule: shown.FindingRule, style: shown.ReportStyle) -> _Object:
    return {
        **_identity(rule.id, style),
        "name": rule.id.title().replace("-", ""),
        "shortDescription": {"text": rule.short},
        "fullDescription": {"text": rule.full},
        "help": {
            "text": "\n\n".join(f"{heading}: {paragraph}" for heading, paragraph in shown.HELP.items()),
            "markdown": "\n\n".join(f"**{heading}.** {paragraph}" for heading, paragraph in shown.HELP.items()),
        },
        "properties": {"tags": ["licence", "provenance"], "precision": rule.precision},
    }


def _invocation(report: ScanReport, found: int) -> _Object:
    notifications = [
        _notification(shown.NOT_SCANNED, "error", _escaped(printable.name(f"not scanned: {skip.path}: {skip.reason}")))
        | {"locations": [_location(skip.path)]}
        for skip in shown.not_scanned(report)
    ]
    if found > MOST_RESULTS:
        text = f"{MOST_RESULTS:,} of {found:,} findings are here, the most severe and the longest"
        notifications.append(_notification(shown.TOO_MANY, "warning", text))
    return {"executionSuccessful": report.complete, "toolExecutionNotifications": notifications}


def _notification(id_: str, level: str, text: str) -> _Object:
    return {"descriptor": {"id": id_}, "level": level, "message": {"text": text}}


def _result(finding: Finding) -> _Object:
    rule, source = shown.RULES[finding.kind], finding.source.file.source
    return {
        "ruleId": rule.id,
        "ruleIndex": list(shown.RULES).index(finding.kind),
        "level": finding.level,
        "message": {"text": _message(finding)},
        "locations": [_location(finding.path, shown.first_added(finding))],
        "relatedLocations": _related(finding),
        "partialFingerprints": {FINGERPRINT: finding.id},
        "properties": {
            "license": printable.name(source.license) or "unknown",
            "tokens": finding.tokens,
            "similarity": shown.hundredths(finding.similarity) / 100,
            **({"purl": printable.name(source.purl)} if source.purl else {}),
        },
    }


def _related(finding: Finding) -> list[_Object]:
    """The whole copy, and its first lines with their text."""
    # Not its source: GitHub refuses a file in which a location is an address of the web (codeql-action, issue 754).
    related = [{"id": 1, **_location(finding.path, finding.lines), "message": {"text": "the whole copy"}}]
    excerpt = finding.excerpt[: FIRST_LINES.lines]
    snippet = "\n".join(map(printable.code, excerpt))
    if snippet.strip():
        # The regions above may be longer, and a snippet has all of its region.
        first = finding.lines._replace(last=finding.lines.first + len(excerpt) - 1)
        related.append({"id": 2, **_location(finding.path, first, snippet), "message": {"text": "its first lines"}})
    return related


def _message(finding: Finding) -> str:
    """Two sentences and an address; where room is short, GitHub shows the first sentence."""
    tell = (wording.likeness, wording.reordered, wording.file_licence, wording.also_in)
    details = _escaped("; ".join(wording.facts(finding, *tell)))
    copied, address = _escaped(wording.copied(finding)), addresses.of_source(finding.source.file.source)
    source = f" Source: {_escaped(address)}" if address else ""
    return f"C{copied[1:]}. The copy is [{wording.numbered(finding.lines)}](1): {details}.{source}"


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", text).replace("{", "{{").replace("}", "}}")


def _location(path: str, lines: LineRange | None = None, snippet: str = "") -> _Object:
    where: _Object = {"artifactLocation": {"uri": addresses.of_path(path), "uriBaseId": _ROOT}}
    if lines is not None:
        text = {"snippet": {"text": snippet}} if snippet else {}
        where["region"] = {"startLine": lines.first, "endLine": lines.last, **text}
    return {"physicalLocation": where}
