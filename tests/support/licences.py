"""What the files of a source say of licences, heard and decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from identify.vendor.licenses import LICENSES

from winnow_ci.indexer.filling import canonical_licence
from winnow_ci.licensing import LicenceEvidence, SourceLicences, licence_claims

if TYPE_CHECKING:
    from collections.abc import Mapping

TEXTS = dict(LICENSES)


def decided(files: Mapping[str, str]) -> SourceLicences:
    """What files, by path, say together."""
    evidence = LicenceEvidence()
    for path, text in files.items():
        evidence.add(licence_claims(path, text.encode()))
    return SourceLicences(evidence, canonical_licence)


def source_licence(files: Mapping[str, str]) -> tuple[str, str] | None:
    """The licence of a source of these files, and where it was read."""
    stated = decided(files).source
    return stated and (stated.license, ", ".join(stated.origin))


def file_licence(files: Mapping[str, str], path: str) -> str | None:
    """The licence of one of the files, if it has one of its own."""
    claims = licence_claims(path, files[path].encode())
    found = decided(files).of_file(path, claims.own if claims else None)
    return found and found.license
