"""CycloneDX 1.6 in JSON: known code that the repository has copies of, with evidence of their places.

Each source is a component, with the licence of the package; ``evidence`` has the licences of the files that were
copied, and an occurrence for each copy. The same report gives the same bytes: there is no time in it, and the serial
number is a digest of the rest. The library is an extra of the package.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Sequence
from decimal import Decimal

from cyclonedx.model import ExternalReference, ExternalReferenceType, Property, XsUri
from cyclonedx.model import component_evidence as evidence
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.model.tool import ToolRepository
from cyclonedx.output.json import JsonV1Dot6

from winnow_ci import __version__
from winnow_ci.model import Source
from winnow_ci.model.findings import Finding, ScanReport
from winnow_ci.report import addresses, printable, wording
from winnow_ci.report.shown import ReportStyle, billed, by_key, hundredths, not_scanned

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_OID, "winnow-ci")


def render(report: ScanReport, style: ReportStyle) -> str:
    """The bill of materials."""
    listed = billed(report)
    by_source = by_key(listed, lambda finding: _reference(finding.source.file.source))
    components = [_component(reference, findings) for reference, findings in sorted(by_source.items())]
    name = style.repository.url.rpartition("/")[2] if style.repository else "the scanned repository"
    version = report.scope.head
    scanned = Component(type=ComponentType.APPLICATION, name=name, version=version, bom_ref="repository")
    bom = Bom(components=components, metadata=_metadata(report, scanned, len(report.findings) - len(listed)))
    bom.register_dependency(scanned, components)
    content = json.loads(JsonV1Dot6(bom).output_as_string())
    del content["metadata"]["timestamp"], content["serialNumber"]
    serial = uuid.uuid5(_NAMESPACE, json.dumps(content, sort_keys=True)).urn
    return printable.json_text({**content, "serialNumber": serial})


def _reference(source: Source) -> str:
    """The reference of a source, which is one version of a project."""
    return printable.name(f"source:{source.name}@{source.version or ''}")


def _metadata(report: ScanReport, scanned: Component, left_out: int) -> BomMetaData:
    values = [("complete", str(report.complete).lower()), ("findings-left-out", str(left_out))]
    values += [("not-scanned", printable.name(f"{skip.path}: {skip.reason}")) for skip in not_scanned(report)]
    properties = [Property(name=f"winnow-ci:{key}", value=value) for key, value in values]
    tool = Component(type=ComponentType.APPLICATION, name="winnow-ci", version=__version__)
    return BomMetaData(tools=ToolRepository(components=[tool]), component=scanned, properties=properties)


def _component(reference: str, findings: Sequence[Finding]) -> Component:
    files = [finding.source.file for finding in findings]
    source = files[0].source
    purl, address = addresses.package_url(source), addresses.of_source(source)
    website = ExternalReferenceType.WEBSITE
    return Component(
        type=ComponentType.LIBRARY,
        name=printable.name(source.name),
        version=printable.name(source.version) if source.version else None,
        bom_ref=reference,
        purl=purl,
        licenses=_licences(file.package_license or file.source.license for file in files),
        external_references=[ExternalReference(type=website, url=XsUri(address))] if address else [],
        evidence=evidence.ComponentEvidence(
            identity=[_identity(findings, evidence.IdentityField.PURL if purl else evidence.IdentityField.NAME)],
            occurrences=[_occurrence(f"{reference}#{number:06}", one) for number, one in enumerate(findings, 1)],
            licenses=_licences(file.source.license for file in files),
        ),
    )


def _licences(expressions: Iterable[str]) -> list[LicenseExpression]:
    """One expression of all known ones, since the format takes no more than one."""
    known = sorted({printable.name(one) for one in expressions} - {"unknown", ""})
    joined = " AND ".join(f"({one})" if " " in one and len(known) > 1 else one for one in known)
    return [LicenseExpression(joined)] if joined else []


def _identity(findings: Sequence[Finding], field: evidence.IdentityField) -> evidence.Identity:
    """How sure it is that the code is the source's, by its likest copy."""
    best = max(findings, key=lambda finding: (finding.identical, finding.similarity))
    techniques = evidence.AnalysisTechnique
    technique = techniques.HASH_COMPARISON if best.identical else techniques.SOURCE_CODE_ANALYSIS
    confidence = Decimal(hundredths(best.similarity)) / 100
    method = evidence.Method(technique=technique, confidence=confidence, value=wording.likeness(best))
    return evidence.Identity(field=field, confidence=confidence, methods=[method])


def _occurrence(reference: str, finding: Finding) -> evidence.Occurrence:
    """A copy; without references of its own, the library would give random ones and sort by them."""
    return evidence.Occurrence(
        bom_ref=reference,
        location=printable.name(finding.path),
        line=finding.lines.first,
        additional_context=wording.occurrence(finding),
    )
