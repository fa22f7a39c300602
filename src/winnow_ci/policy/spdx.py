"""SPDX licence expressions, checked and brought into one form, and patterns that no licence matches.

A slip in a policy would let pass what it was written to stop: ``Apache-2`` is no licence, and ``GPL-2.0`` stands for
one that an index has as ``GPL-2.0-only``. To read the list of SPDX takes 35 ms, so only rare patterns need it.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Any

from winnow_ci.errors import UsageError, did_you_mean
from winnow_ci.policy.patterns import compiled_glob
from winnow_ci.start_up import compiled_on_use

_COMMON = (
    "0bsd agpl-3.0-only agpl-3.0-or-later apache-2.0 bsd-2-clause bsd-3-clause bsl-1.0 busl-1.1 cc0-1.0 cc-by-4.0 "
    "cc-by-nc-4.0 cc-by-sa-4.0 elastic-2.0 epl-2.0 gpl-2.0-only gpl-2.0-or-later gpl-3.0-only gpl-3.0-or-later isc "
    "lgpl-2.1-only lgpl-2.1-or-later lgpl-3.0-only lgpl-3.0-or-later mit mit-0 mpl-2.0 psf-2.0 python-2.0 sspl-1.0 "
    "unlicense unknown wtfpl zlib"
).split()
_OWN = compiled_on_use(r"(DocumentRef-[A-Za-z0-9.-]+:)?LicenseRef-[A-Za-z0-9.-]+")
_VERSIONED = compiled_on_use(r"(?P<family>[A-Za-z]+)[- ]?v?(?P<major>[0-9]+)(?P<minor>\.[0-9]+)?")
_EXAMPLE = "give an SPDX expression, such as MIT or GPL-2.0-only OR Apache-2.0, or unknown (https://spdx.org/licenses)"


def canonical_expression(expression: str) -> str:
    """Return the canonical text of an SPDX expression, ``unknown`` or ``LicenseRef-…``; UsageError if it is none."""
    text = expression.strip()
    if text.lower() == "unknown":
        return "unknown"
    parsed = _parsed(text)
    for key in _spdx().unknown_license_keys(parsed):
        # The grammar also allows a reference, and "this version or later".
        if not _OWN.fullmatch(key) and not (key.endswith("+") and key[:-1] in _spdx().known_symbols):
            raise UsageError(f"licence {expression!r}: SPDX does not know {key!r}", _nearest_licences(key))
    return str(parsed.render("{symbol.key}"))


def known_licences() -> list[str]:
    """List what a policy calls single licences: ``unknown``, and those that SPDX lists."""
    symbols = _spdx().known_symbols.items()
    return ["unknown", *sorted(name for name, one in symbols if not one.is_exception and not _OWN.fullmatch(name))]


def remedy_for(pattern: str) -> str | None:
    """Return what to write in place of a pattern that matches no licence that SPDX lists; None if it matches one."""
    # Of ``X WITH Y``, both must match: a licence and an exception.
    licence, _, exception = pattern.lower().partition(" with ")
    licence = licence.rstrip("+")
    is_known = licence.startswith(("licenseref-", "documentref-")) or any(map(compiled_glob(licence), _COMMON))
    remedy = None if is_known else _remedy(licence, exceptions=False)
    return remedy or (_remedy(exception, exceptions=True) if exception else None)


def _remedy(pattern: str, *, exceptions: bool) -> str | None:
    matches = compiled_glob(pattern)
    symbols = _spdx().known_symbols.items()
    is_listed = any(matches(name.lower()) for name, symbol in symbols if symbol.is_exception == exceptions)
    return None if is_listed else _nearest_licences(pattern)


def _nearest_licences(key: str) -> str:
    """A remedy: the identifiers that somebody may have meant who wrote this one."""
    listed = [name for name in _spdx().known_symbols if not name.startswith("LicenseRef-")]
    if key.endswith("-*"):
        return did_you_mean(key, {f"{name.partition('-')[0]}-*" for name in listed}, _EXAMPLE)
    return nearest_of(key, listed, _EXAMPLE)


def nearest_of(key: str, listed: Collection[str], example: str) -> str:
    """Return a remedy: those of some licences that somebody may have meant who wrote this one, or an example."""
    if found := _VERSIONED.fullmatch(key):
        # Of "GPLv3" and "GPL-3.0" nobody knows whether later versions are meant.
        meant = f"{found['family']}-{found['major']}{found['minor'] or '.0'}".lower()
        alike = [name for name in listed if name.lower() in {meant, f"{meant}-only", f"{meant}-or-later"}]
        if alike:
            return f"did you mean {' or '.join(sorted(alike))}?"
    # By letters alone GPLv2 is nearest to NGPL, but people get the end of an id wrong, not its beginning.
    begin_alike = [name for name in listed if name[:3].lower() == key[:3].lower()]
    otherwise = did_you_mean(key, listed, example, alike=0.6, most=3)
    return did_you_mean(key, begin_alike, otherwise, alike=0.3, most=3)


def _parsed(text: str) -> Any:
    from license_expression import ExpressionError  # noqa: PLC0415 - as below

    try:
        parsed = _spdx().parse(text, strict=True)
    except Exception as error:  # "()" is an IndexError, "( AND MIT" an AssertionError
        reason = f": {str(error).splitlines()[0]}" if isinstance(error, ExpressionError) else ""
        raise UsageError(f"licence {text!r} is not an SPDX expression{reason}", _EXAMPLE) from error
    if parsed is None:
        raise UsageError("the licence is empty", _EXAMPLE)
    return parsed


@lru_cache
def _spdx() -> Any:
    from license_expression import get_spdx_licensing  # noqa: PLC0415 - 10 ms to import, and 35 to read the list

    return get_spdx_licensing()
