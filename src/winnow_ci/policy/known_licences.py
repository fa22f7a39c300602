"""Patterns that no licence matches: a slip in a policy would let pass what it was written to stop.

``Apache-2`` is no licence, and ``GPL-2.0`` stands for one that an index has as ``GPL-2.0-only``. Most patterns match a
licence that everybody uses, which is found without reading the list of SPDX: a commit hook reads the policy each time.
"""

from __future__ import annotations

from winnow_ci.policy.patterns import compiled_glob

_COMMON = (
    "0bsd agpl-3.0-only agpl-3.0-or-later apache-2.0 bsd-2-clause bsd-3-clause bsl-1.0 busl-1.1 cc0-1.0 cc-by-4.0 "
    "cc-by-nc-4.0 cc-by-sa-4.0 elastic-2.0 epl-2.0 gpl-2.0-only gpl-2.0-or-later gpl-3.0-only gpl-3.0-or-later isc "
    "lgpl-2.1-only lgpl-2.1-or-later lgpl-3.0-only lgpl-3.0-or-later mit mit-0 mpl-2.0 psf-2.0 python-2.0 sspl-1.0 "
    "unlicense unknown wtfpl zlib"
).split()
_OWN = ("licenseref-", "documentref-")


def known_licences() -> list[str]:
    """What a policy calls single licences: ``unknown``, and those that SPDX lists."""
    from winnow_ci.policy import spdx  # noqa: PLC0415 - as below

    return ["unknown", *spdx.listed()]


def remedy_for(pattern: str) -> str | None:
    """What to write in the place of a pattern that matches no licence that SPDX lists; None if it matches one.

    Of ``X WITH Y``, both must match: a licence and an exception.
    """
    licence, _, exception = pattern.lower().partition(" with ")
    licence = licence.rstrip("+")
    is_known = licence.startswith(_OWN) or any(map(compiled_glob(licence), _COMMON))
    remedy = None if is_known else _nearest(licence, exceptions=False)
    return remedy or (_nearest(exception, exceptions=True) if exception else None)


def _nearest(pattern: str, *, exceptions: bool) -> str | None:
    """What somebody may have meant whose pattern matches nothing on the list of SPDX; None if it matches."""
    from winnow_ci.policy import spdx  # noqa: PLC0415 - the list takes 35 ms to read

    return None if spdx.is_listed(compiled_glob(pattern), exceptions=exceptions) else spdx.nearest(pattern)
