"""SPDX licence expressions, checked and brought into one form.

Import this module only where an index is built, or a policy names a licence that few use: reading the list of
licences takes some 35 ms.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from license_expression import ExpressionError, get_spdx_licensing

from winnow_ci.errors import UsageError

if TYPE_CHECKING:
    from winnow_ci.policy.patterns import Glob

_SPDX = get_spdx_licensing()
_OWN = re.compile(r"(DocumentRef-[A-Za-z0-9.-]+:)?LicenseRef-[A-Za-z0-9.-]+")
_EXAMPLE = "give an SPDX expression, such as MIT or GPL-2.0-only OR Apache-2.0, or unknown (https://spdx.org/licenses)"


def canonical_expression(expression: str) -> str:
    """The canonical text of an SPDX licence expression; ``unknown`` is one, and so is ``LicenseRef-…``.

    Raises:
        UsageError: text that is no expression, or a licence that SPDX does not know.
    """
    text = expression.strip()
    if text.lower() == "unknown":
        return "unknown"
    try:
        parsed = _SPDX.parse(text, strict=True)
    except Exception as error:  # "()" is an IndexError, "( AND MIT" an AssertionError
        reason = f": {str(error).splitlines()[0]}" if isinstance(error, ExpressionError) else ""
        raise UsageError(f"licence {expression!r} is not an SPDX expression{reason}", _EXAMPLE) from error
    if parsed is None:
        raise UsageError("the licence is empty", _EXAMPLE)
    for key in _SPDX.unknown_license_keys(parsed):
        if not _is_licence(key):
            raise UsageError(f"licence {expression!r}: SPDX knows no {key!r}", nearest(key))
    return str(parsed.render("{symbol.key}"))


def _is_licence(key: str) -> bool:
    """Whether the grammar allows a key that is not on the list: a reference, or "this version or later"."""
    return _OWN.fullmatch(key) is not None or (key.endswith("+") and key[:-1] in _SPDX.known_symbols)


def is_listed(matches: Glob, *, exceptions: bool) -> bool:
    """Whether a pattern matches a licence, or else an exception, that SPDX lists, in lower case."""
    return any(
        matches(name.lower()) for name, symbol in _SPDX.known_symbols.items() if symbol.is_exception == exceptions
    )


def listed() -> list[str]:
    """The licences that SPDX lists."""
    licences = (name for name, symbol in _SPDX.known_symbols.items() if not symbol.is_exception)
    return sorted(name for name in licences if not _OWN.fullmatch(name))


def nearest(key: str) -> str:
    """The identifiers that somebody may have meant who wrote this one, in words."""
    listed = {name.lower(): name for name in _SPDX.known_symbols if not name.startswith("LicenseRef-")}
    wanted = key.lower()
    # By letters alone GPLv2 is nearest to NGPL, but people get the end of an id wrong, not its beginning.
    alike = [name for name in listed if name[:3] == wanted[:3]]
    near = difflib.get_close_matches(wanted, alike, n=3, cutoff=0.3) or difflib.get_close_matches(wanted, listed)
    return f"did you mean {' or '.join(listed[name] for name in near)}?" if near else _EXAMPLE
