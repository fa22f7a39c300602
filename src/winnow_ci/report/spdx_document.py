"""SPDX 2.3 in JSON: each copy of known code is a snippet.

Each source is a package, and each copy a snippet that is a ``VARIANT_OF`` it: of the same lineage, whichever came
first. What ``bill_of_materials`` lists is listed here. The same report gives the same bytes: the time is the day of the
commit, and the namespace is a digest of the rest.

SPDX asks for the SHA-1 of a file and for the bytes of a snippet. Where an older report has none, or the file is in
UTF-16, the copy is an annotation of its source's package, in the same words. The library is an extra of the package.
"""

from __future__ import annotations

import datetime as dt
import json
import uuid
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from re import ASCII
from typing import TYPE_CHECKING, Any, TypeAlias

from license_expression import LicenseExpression, combine_expressions
from spdx_tools.common.spdx_licensing import spdx_licensing
from spdx_tools.spdx import model as spdx
from spdx_tools.spdx.jsonschema.document_converter import DocumentConverter
from spdx_tools.spdx.validation.uri_validators import validate_download_location

from winnow_ci import __version__
from winnow_ci.model.findings import Finding, ScanReport
from winnow_ci.report import addresses, printable, wording
from winnow_ci.report.shown import ReportStyle, billed, by_key, not_scanned
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    _Licence: TypeAlias = LicenseExpression | spdx.SpdxNoAssertion

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_OID, "winnow-ci")
_DOCUMENT = "SPDXRef-DOCUMENT"
_REPOSITORY = "SPDXRef-Repository"
_OWN = compiled_on_use("LicenseRef-[0-9A-Za-z.-]+", ASCII)
_NO_TEXT = "The index that was compared with has the name of this licence and not its text."
_UNKNOWN = spdx.SpdxNoAssertion()
_TOOL = spdx.Actor(spdx.ActorType.TOOL, f"winnow-ci-{__version__}")


def render(report: ScanReport, _style: ReportStyle) -> str:
    """The document."""
    listed = billed(report)
    creation = _creation(report, len(report.findings) - len(listed))
    repository = spdx.Package(_REPOSITORY, creation.name, _UNKNOWN, version=report.scope.head, files_analyzed=False)
    document = spdx.Document(creation, packages=[repository])
    by_source = by_key(listed, _source_of)
    sources = _ids("Source", sorted(by_source))
    document.packages += [_package(id_, by_source[source]) for source, id_ in sources.items()]
    _add_copies(document, listed, sources)
    document.extracted_licensing_info = _own_licences(document)
    # The library's writer would copy all of it first.
    content = DocumentConverter().convert(document)  # type: ignore[no-untyped-call]
    del content["documentNamespace"]
    namespace = uuid.uuid5(_NAMESPACE, json.dumps(content, sort_keys=True)).urn
    return printable.json_text({**content, "documentNamespace": namespace})


def _ids(kind: str, things: Iterable[Hashable]) -> dict[Any, str]:
    """An id for each thing, by number, since names are hostile."""
    return {thing: f"SPDXRef-{kind}-{number}" for number, thing in enumerate(dict.fromkeys(things), 1)}


def _source_of(finding: Finding) -> tuple[str, str]:
    """Versions of a project are sources of their own."""
    source = finding.source.file.source
    return source.name, source.version or ""


def _file_of(finding: Finding) -> tuple[str, str | None, str]:
    """A report on several commits may have several files of one path."""
    return finding.path, finding.file_sha1, finding.file_sha256


def _creation(report: ScanReport, left_out: int) -> spdx.CreationInfo:
    """The head of the document; its comment has what is missing."""
    said = [f"complete: {str(report.complete).lower()}", f"findings left out: {left_out}"]
    said += [f"not scanned: {printable.name(f'{skip.path}: {skip.reason}')}" for skip in not_scanned(report)]
    where = report.checkout
    created = dt.datetime(1970, 1, 1)  # the library takes it for UTC
    with suppress(ValueError):
        created = dt.datetime.fromisoformat(where.date) if where and where.date else created
    return spdx.CreationInfo(
        spdx_version="SPDX-2.3",
        spdx_id=_DOCUMENT,
        name=printable.name(where.repository) if where else "the scanned repository",
        document_namespace="",
        creators=[_TOOL],
        created=created,
        document_comment="\n".join(said),
    )


@lru_cache(256)
def _licence(text: str) -> _Licence:
    """A licence for the library; no assertion if SPDX cannot name it."""
    try:
        parsed = spdx_licensing.parse(text, strict=True)
        keys = spdx_licensing.license_keys(parsed)
    except Exception:  # "()" is an IndexError, "( AND MIT" an AssertionError
        return _UNKNOWN
    is_named = parsed is not None and all(_OWN.fullmatch(key) or key in spdx_licensing.known_symbols for key in keys)
    return parsed if is_named else _UNKNOWN


def _all_of(licences: Iterable[str]) -> _Licence:
    """One expression of several licences; no assertion if one is unknown."""
    parsed = list(map(_licence, licences))
    return _UNKNOWN if _UNKNOWN in parsed else combine_expressions(parsed, licensing=spdx_licensing)


def _own_licences(document: spdx.Document) -> list[spdx.ExtractedLicensingInfo]:
    """Those that SPDX does not list: a document has to define them."""
    used = [licence for one in document.packages for licence in (one.license_declared, one.license_concluded)]
    used += [snippet.license_concluded for snippet in document.snippets]
    keys = {key for one in used if isinstance(one, LicenseExpression) for key in spdx_licensing.license_keys(one)}
    own = sorted(filter(_OWN.match, keys))
    return [spdx.ExtractedLicensingInfo(key, "NOASSERTION", comment=_NO_TEXT) for key in own]


def _package(id_: str, findings: Sequence[Finding]) -> spdx.Package:
    files = [finding.source.file for finding in findings]
    source = files[0].source
    declared = sorted({file.package_license or file.source.license for file in files})
    copied = sorted({file.source.license for file in files})
    purl, address = addresses.package_url(source), addresses.of_source(source)
    kind = spdx.ExternalPackageRefCategory.PACKAGE_MANAGER
    return spdx.Package(
        id_,
        printable.name(source.name),
        # The library takes no host without a dot for one.
        address if address and not validate_download_location(address) else _UNKNOWN,
        version=printable.name(source.version) if source.version else None,
        files_analyzed=False,
        license_declared=_all_of(declared),
        license_concluded=_all_of(copied),
        license_comment=printable.name(f"the package: {', '.join(declared)}; the copied files: {', '.join(copied)}"),
        copyright_text=_UNKNOWN,
        external_references=[spdx.ExternalPackageRef(kind, "purl", purl.to_string())] if purl else [],
    )


def _add_copies(document: spdx.Document, listed: Sequence[Finding], sources: dict[tuple[str, str], str]) -> None:
    kinds = spdx.RelationshipType
    files = _ids("File", (_file_of(one) for one in listed if one.file_sha1 and one.byte_range))
    document.files = [_file(id_, *file) for file, id_ in files.items()]
    described = (_REPOSITORY, *files.values())
    document.relationships = [spdx.Relationship(_DOCUMENT, kinds.DESCRIBES, id_) for id_ in described]
    for number, one in enumerate(listed, 1):
        source = sources[_source_of(one)]
        if one.file_sha1 and one.byte_range:
            snippet = _snippet(f"SPDXRef-Snippet-{number}", files[_file_of(one)], one)
            document.snippets.append(snippet)
            document.relationships.append(spdx.Relationship(snippet.spdx_id, kinds.VARIANT_OF, source))
        else:
            text = f"{printable.name(one.path)}: {wording.occurrence(one)}"
            created, kind = document.creation_info.created, spdx.AnnotationType.OTHER
            document.annotations.append(spdx.Annotation(source, kind, _TOOL, created, text))


def _file(id_: str, path: str, sha1: str, sha256: str) -> spdx.File:
    kinds = spdx.ChecksumAlgorithm
    checksums = [spdx.Checksum(kinds.SHA1, sha1), *([spdx.Checksum(kinds.SHA256, sha256)] if sha256 else [])]
    return spdx.File(printable.name(f"./{path}"), id_, checksums, license_concluded=_UNKNOWN, copyright_text=_UNKNOWN)


def _snippet(id_: str, file: str, finding: Finding) -> spdx.Snippet:
    assert finding.byte_range is not None
    return spdx.Snippet(
        id_,
        file,
        finding.byte_range,
        line_range=(finding.lines.first, finding.lines.last),
        license_concluded=_licence(finding.source.file.source.license),
        copyright_text=_UNKNOWN,
        comment=wording.occurrence(finding),
        name=wording.located(finding.path, finding.lines),
    )
