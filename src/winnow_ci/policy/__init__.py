"""The opinion: which findings fail a check, which somebody has accepted, and which paths are looked at at all.

``spdx`` and ``advice`` are imported apart from the rest: license-expression takes 10 ms to import, and the list of SPDX
licences 35 ms to read. A scan needs neither, unless its policy names a licence that is not among the common ones
(``known_licences``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.start_up import on_demand

if TYPE_CHECKING:
    from winnow_ci.policy.acceptance import ScanCoverage, accept, approved, is_of, kept, notices, updated
    from winnow_ci.policy.allow_comments import COMMENT_MARK, AllowComment, CommentTrust, allow, read_comment
    from winnow_ci.policy.license_policy import LicensePolicy, Verdict, denied_place, judge, reasons
    from winnow_ci.policy.patterns import PathPatterns, SourcePatterns
else:
    __getattr__ = on_demand(
        __name__,
        acceptance="ScanCoverage accept approved is_of kept notices updated",
        allow_comments="AllowComment COMMENT_MARK CommentTrust allow read_comment",
        license_policy="LicensePolicy Verdict denied_place judge reasons",
        patterns="PathPatterns SourcePatterns",
    )

__all__ = [
    "COMMENT_MARK",
    "AllowComment",
    "CommentTrust",
    "LicensePolicy",
    "PathPatterns",
    "ScanCoverage",
    "SourcePatterns",
    "Verdict",
    "accept",
    "allow",
    "approved",
    "denied_place",
    "is_of",
    "judge",
    "kept",
    "notices",
    "read_comment",
    "reasons",
    "updated",
]
