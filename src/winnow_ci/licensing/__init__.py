"""Find the licence of known code by what its files state.

Files are read one by one, in any order, with ``licence_claims``; ``SourceLicences`` decides when all have been. What
is not understood is ``unknown``; nothing is guessed.
"""

from winnow_ci.licensing.source_licences import UNKNOWN, FileLicence, LicenceEvidence, SourceLicences
from winnow_ci.licensing.statements import LicenceClaims, licence_claims, may_state_licence
