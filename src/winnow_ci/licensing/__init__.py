"""Under which licence known code is, by what its files say: headers, metadata of packages, REUSE, licence texts.

Files are asked one by one, in any order, with ``saying``; ``SourceLicences`` decides when all have been. What is not
understood is ``unknown``, and nothing is guessed.
"""

from winnow_ci.licensing.claims import LicenceClaims, LicenceStatement
from winnow_ci.licensing.folder_licences import UNKNOWN, FolderLicence
from winnow_ci.licensing.licence_files import licence_claims, may_state_licence
from winnow_ci.licensing.source_licences import LicenceEvidence, SourceLicences

__all__ = [
    "UNKNOWN",
    "FolderLicence",
    "LicenceClaims",
    "LicenceEvidence",
    "LicenceStatement",
    "SourceLicences",
    "licence_claims",
    "may_state_licence",
]
