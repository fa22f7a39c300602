"""SARIF 2.1.0 (OASIS standard), for code scanning on GitHub and for editors.

GitHub shows an alert in a pull request only if the change has every line of its region, and looks only at the first
location. A result therefore points at the first of the copied lines that the change adds; the message names the whole
region and links to it as a related location. A finding is one result, however many stretches it has, so that there are
as many alerts as findings and each is dismissed once.

GitHub ignores ``suppressions`` and would show what a policy allows, so suppressed findings are left out and counted in
the run's properties. It takes at most 25,000 results; the most severe and the longest are kept. Files that could not be
scanned are notifications of the tool, and make the run unsuccessful.

In messages ``[text](1)`` is a link and ``{0}`` a placeholder, so brackets and backslashes in names get a backslash, and
braces are doubled (sections 3.11.5 and 3.11.6). No text is empty, since GitHub refuses that.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci import __version__
from winnow_ci.report import addresses, excerpts, printable, rules, wording
from winnow_ci.report.shown import first_added, hundredths, not_scanned, ranked, unsuppressed

if TYPE_CHECKING:
    from winnow_ci.model import LineRange, Place, Skipped, Source
    from winnow_ci.model.findings import Finding, ScanReport
    from winnow_ci.report.rules import FindingRule
    from winnow_ci.report.shown import ReportStyle

_Object: TypeAlias = "dict[str, object]"

LIMIT = 25_000
FINGERPRINT = "winnowMatch/v1"
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
_CATEGORY = "winnow-ci/"  # up to the slash, the name of this analysis among those of a commit
_TAGS = ["licence", "provenance"]
_RULE_NUMBERS = {rule.id: number for number, rule in enumerate(rules.RULES)}
_NOTIFICATIONS = {
    rules.NOT_SCANNED: "A file in scope could not be scanned",
    rules.LEFT_OUT: "There are more findings than code scanning takes",
}
_MARKUP = re.compile(r"[\\\[\]]")


def render(report: ScanReport, style: ReportStyle) -> str:
    """One run with a result for each finding that nothing suppresses."""
    return printable.json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(report, style)]})


def _run(report: ScanReport, style: ReportStyle) -> _Object:
    findings = ranked(unsuppressed(report))
    return {
        "tool": {"driver": _driver(style)},
        "automationDetails": {"id": _CATEGORY},
        "invocations": [_invocation(report, len(findings))],
        **_provenance(report, style),
        "results": [_result(finding) for finding in findings[:LIMIT]],
        "properties": {
            "suppressed": len(report.findings) - len(findings),
            "resultsLeftOut": max(len(findings) - LIMIT, 0),
            "filesScanned": report.files_scanned,
            "filesSkipped": len(report.skipped),
        },
    }


def _provenance(report: ScanReport, style: ReportStyle) -> _Object:
    """Which commit of which repository the paths are of, as far as that is known."""
    if style.repository is None or report.scope.head is None:
        return {}
    mapped = {"uriBaseId": _ROOT}
    details = {"repositoryUri": style.repository.url, "revisionId": report.scope.head, "mappedTo": mapped}
    return {"versionControlProvenance": [details]}


def _driver(style: ReportStyle) -> _Object:
    return {
        "name": "winnow-ci",
        "version": __version__,
        "rules": [_descriptor(rule, style) for rule in rules.RULES],
        "notifications": [
            {**_identity(id_, style), "shortDescription": {"text": text}} for id_, text in _NOTIFICATIONS.items()
        ],
    }


def _identity(id_: str, style: ReportStyle) -> _Object:
    address = addresses.of_rule(style.documentation, id_)
    return {"id": id_, **({"helpUri": address} if address else {})}


def _descriptor(rule: FindingRule, style: ReportStyle) -> _Object:
    return {
        **_identity(rule.id, style),
        "name": rule.name,
        "shortDescription": {"text": rule.short},
        "fullDescription": {"text": rule.full},
        "help": {
            "text": "\n\n".join(f"{heading}: {paragraph}" for heading, paragraph in rules.HELP.items()),
            "markdown": "\n\n".join(f"**{heading}.** {paragraph}" for heading, paragraph in rules.HELP.items()),
        },
        "properties": {"tags": _TAGS, "precision": rule.precision},
    }


def _invocation(report: ScanReport, found: int) -> _Object:
    notifications = [_of_skipped(skip) for skip in not_scanned(report)]
    if found > LIMIT:
        text = f"{LIMIT:,} of {found:,} findings are here, the most severe and the longest"
        notifications.append(_notification(rules.LEFT_OUT, "warning", text))
    return {"executionSuccessful": report.complete, "toolExecutionNotifications": notifications}


def _of_skipped(skip: Skipped) -> _Object:
    text = printable.name(f"not scanned: {skip.path}: {skip.reason}")
    return {**_notification(rules.NOT_SCANNED, "error", _escaped(text)), "locations": [_location(skip.path)]}


def _notification(id_: str, level: str, text: str) -> _Object:
    return {"descriptor": {"id": id_}, "level": level, "message": {"text": text}}


def _result(finding: Finding) -> _Object:
    rule = rules.rule(finding)
    return {
        "ruleId": rule.id,
        "ruleIndex": _RULE_NUMBERS[rule.id],
        "level": finding.level,
        "message": {"text": _message(finding)},
        "locations": [_location(finding.path, first_added(finding))],
        "relatedLocations": [
            {"id": 1, **_location(finding.path, finding.lines), "message": {"text": "the whole copy"}},
            *_of_source(finding.source),
            *_of_excerpt(finding),
        ],
        "partialFingerprints": {FINGERPRINT: finding.id},
        "properties": {
            "license": printable.name(finding.source.file.source.license) or "unknown",
            "tokens": finding.tokens,
            "similarity": hundredths(finding.similarity) / 100,
            **_package(finding.source.file.source),
        },
    }


def _of_source(place: Place) -> list[_Object]:
    """Where the code comes from; without a region, since the lines are of a file in there."""
    address = addresses.of_source(place.file.source)
    if address is None:
        return []
    text = _escaped(wording.place(place))
    return [{"id": 2, "physicalLocation": {"artifactLocation": {"uri": address}}, "message": {"text": text}}]


def _of_excerpt(finding: Finding) -> list[_Object]:
    """The first lines with their text; the regions above may be longer, and a snippet has all of its region."""
    shown = finding.excerpt[: excerpts.LINES]
    text = "\n".join(map(printable.code, shown))
    if not text.strip():
        return []
    first = finding.lines._replace(last=finding.lines.first + len(shown) - 1)
    return [{"id": 3, **_location(finding.path, first, text), "message": {"text": "its first lines"}}]


def _package(source: Source) -> _Object:
    return {"purl": printable.name(source.purl)} if source.purl else {}


def _message(finding: Finding) -> str:
    """Two sentences; where room is short, GitHub shows the first."""
    noun = "line" if finding.lines.first == finding.lines.last else "lines"
    told = (wording.likeness, wording.reordered, wording.file_licence, wording.also_in)
    likeness = [tell(finding) for tell in told]
    details = _escaped("; ".join(part for part in likeness if part))
    copied = _escaped(wording.copied(finding))
    return f"C{copied[1:]}. The copy is [{noun} {wording.lines(finding.lines)}](1): {details}."


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", text).replace("{", "{{").replace("}", "}}")


def _location(path: str, lines: LineRange | None = None, snippet: str = "") -> _Object:
    where: _Object = {"artifactLocation": {"uri": addresses.of_path(path), "uriBaseId": _ROOT}}
    if lines is not None:
        text = {"snippet": {"text": snippet}} if snippet else {}
        where["region"] = {"startLine": lines.first, "endLine": lines.last, **text}
    return {"physicalLocation": where}
