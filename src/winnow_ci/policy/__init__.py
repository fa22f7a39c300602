"""The opinion: which findings fail a check, and which paths are looked at at all.

``licenses`` is imported apart from the rest, because the list of SPDX licences takes 35 ms to read and only the
building of an index needs it.
"""

from winnow_ci.policy.judgement import LicensePolicy, Verdict, judge
from winnow_ci.policy.paths import PathPatterns

__all__ = ["LicensePolicy", "PathPatterns", "Verdict", "judge"]
