"""The opinion: which findings fail a check, which somebody has accepted, and which paths are looked at at all.

``licenses`` is imported apart from the rest, because the list of SPDX licences takes 35 ms to read and only the
building of an index needs it.
"""

from winnow_ci.policy.baseline import Sight, accept, notices, updated
from winnow_ci.policy.inline import MARK, Allow, Trust, allow, read_comment
from winnow_ci.policy.judgement import LicensePolicy, Verdict, judge
from winnow_ci.policy.paths import PathPatterns
from winnow_ci.policy.sources import SourcePatterns

__all__ = [
    "MARK",
    "Allow",
    "LicensePolicy",
    "PathPatterns",
    "Sight",
    "SourcePatterns",
    "Trust",
    "Verdict",
    "accept",
    "allow",
    "judge",
    "notices",
    "read_comment",
    "updated",
]
