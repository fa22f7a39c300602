"""Names that people give to licences → SPDX expressions, where a name has one meaning only.

``BSD``, ``GPL`` and ``Public Domain`` have several and are not here: what stands beside them must tell.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 1000

# Words that tell no licence from another.
_IDLE = frozenset("the a license licence licensed under version software v agreement see file for details".split())
_WORD = re.compile(r"[a-z]+|[0-9]+(?:\.[0-9]+)*|\+")
_WRITTEN = {
    "mit": "MIT",
    "mit expat": "MIT",
    "expat": "MIT",
    "mit 0": "MIT-0",
    "apache 2": "Apache-2.0",
    "apache asl 2": "Apache-2.0",
    "apache software foundation 2": "Apache-2.0",
    "asl 2": "Apache-2.0",
    "al 2": "Apache-2.0",
    "isc": "ISC",
    "isc iscl": "ISC",
    "bsd 2 clause": "BSD-2-Clause",
    "2 clause bsd": "BSD-2-Clause",
    "simplified bsd": "BSD-2-Clause",
    "bsd 3 clause": "BSD-3-Clause",
    "3 clause bsd": "BSD-3-Clause",
    "new bsd": "BSD-3-Clause",
    "modified bsd": "BSD-3-Clause",
    "revised bsd": "BSD-3-Clause",
    "bsd 3 clause new or revised": "BSD-3-Clause",
    "bsd 2 clause simplified": "BSD-2-Clause",
    "bsd zero clause": "0BSD",
    "zero clause bsd": "0BSD",
    "mpl 1.1": "MPL-1.1",
    "mozilla public 1.1": "MPL-1.1",
    "mozilla public 1.1 mpl 1.1": "MPL-1.1",
    "mpl 2": "MPL-2.0",
    "mozilla public 2": "MPL-2.0",
    "mozilla public 2 mpl 2": "MPL-2.0",
    "epl 1": "EPL-1.0",
    "eclipse public 1": "EPL-1.0",
    "eclipse public 1 epl 1": "EPL-1.0",
    "epl 2": "EPL-2.0",
    "eclipse public 2": "EPL-2.0",
    "eclipse public 2 epl 2": "EPL-2.0",
    "eupl 1.1": "EUPL-1.1",
    "european union public 1.1 eupl 1.1": "EUPL-1.1",
    "eupl 1.2": "EUPL-1.2",
    "european union public 1.2 eupl 1.2": "EUPL-1.2",
    "unlicense": "Unlicense",
    "unlicense unlicense": "Unlicense",
    "cc0": "CC0-1.0",
    "cc0 1": "CC0-1.0",
    "cc0 1 universal": "CC0-1.0",
    "cc0 1 universal cc0 1 public domain dedication": "CC0-1.0",
    "zlib": "Zlib",
    "zlib libpng": "Zlib",
    "wtfpl": "WTFPL",
    "boost 1": "BSL-1.0",
    "boost 1 bsl 1": "BSL-1.0",
    "psf": "PSF-2.0",
    "psf 2": "PSF-2.0",
    "psfl": "PSF-2.0",
    "python foundation": "PSF-2.0",
    "zpl 2.1": "ZPL-2.1",
    "zope public 2.1": "ZPL-2.1",
    "artistic 2": "Artistic-2.0",
    "cddl 1": "CDDL-1.0",
    "common development and distribution 1 cddl 1": "CDDL-1.0",
    "blueoak 1": "BlueOak-1.0.0",
    "universal permissive upl": "UPL-1.0",
    "mulan permissive 2 mulanpsl 2": "MulanPSL-2.0",
    "historical permission notice and disclaimer hpnd": "HPND",
    "university of illinois ncsa open source": "NCSA",
    "ibm public": "IPL-1.0",
    "postgresql": "PostgreSQL",
}
_GNU = {"gpl": "GPL", "lgpl": "LGPL", "agpl": "AGPL", "fdl": "GFDL", "gfdl": "GFDL"}
_GNU_IN_FULL = (
    ("gnu affero general public", "agpl"),
    ("affero general public", "agpl"),
    ("gnu lesser general public", "lgpl"),
    ("gnu library or lesser general public", "lgpl"),
    ("gnu library general public", "lgpl"),
    ("lesser general public", "lgpl"),
    ("gnu general public", "gpl"),
    ("general public", "gpl"),
    ("gnu free documentation", "gfdl"),
)
_GNU_VERSIONS = {
    "GPL": {"1": "1.0", "2": "2.0", "3": "3.0"},
    "LGPL": {"2": "2.0", "2.1": "2.1", "3": "3.0"},
    "AGPL": {"3": "3.0"},
    "GFDL": {"1.1": "1.1", "1.2": "1.2", "1.3": "1.3"},
}


def expression_of(name: str) -> str | None:
    """The SPDX expression for a name that people use; None if it has none, or not only one."""
    if len(name) > LONGEST:
        return None
    words = _words(name)
    return _NAMES.get(words) or _gnu(words)


def expression_of_classifiers(classifiers: Iterable[str]) -> str | None:
    """The licence that PyPI's classifiers tell; None if they name several, or one that can be two."""
    named = {name for classifier in classifiers if (name := _last_part(classifier)) is not None}
    if len(named) != 1:
        return None
    return expression_of(named.pop())


def _last_part(classifier: str) -> str | None:
    parts = [part.strip() for part in classifier.split("::")]
    # "License :: OSI Approved" alone names none.
    return parts[-1] if parts[0] == "License" and len(parts) > 1 and parts[1:] != ["OSI Approved"] else None


def _words(name: str) -> str:
    found = [_short(word) for word in _WORD.findall(name.lower()) if word not in _IDLE]
    # "MIT License (MIT)" says one thing twice.
    half = len(found) // 2
    return " ".join(found[:half] if found and found[:half] == found[half:] else found)


def _short(word: str) -> str:
    while word.endswith(".0"):
        word = word[:-2]
    return word


_NAMES = {_words(written): expression for written, expression in _WRITTEN.items()}


def _gnu(words: str) -> str | None:
    for full, short in _GNU_IN_FULL:
        words = words.replace(full, short)
    words = words.removeprefix("gnu ")
    family, _, rest = words.partition(" ")
    if family not in _GNU:
        family = family.rstrip("v")
        if family not in _GNU:
            return None
    version, _, more = rest.partition(" ")
    number = _GNU_VERSIONS[_GNU[family]].get(version)
    if number is None:
        return None
    later = _is_later(more, family, version)
    return None if later is None else f"{_GNU[family]}-{number}-{'or-later' if later else 'only'}"


def _is_later(more: str, family: str, version: str) -> bool | None:
    """Whether what follows the version allows later ones; None if it says something else."""
    again = f"{family}v {version}", f"{family} {version}"
    for one in again:
        more = more.replace(f"{one} +", "+").replace(one, "")
    more = " ".join(more.split())
    if more in {"", "only"}:
        return False
    return True if set(more.split()) <= {"+", "or", "later", "newer", "any", "and", "higher", "greater"} else None
