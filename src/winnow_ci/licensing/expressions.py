"""Turn written licences into SPDX expressions, where they are understood.

A name that people use is understood where it has one meaning. ``BSD``, ``GPL`` and ``Public Domain`` have several and
are not in the table: other statements must decide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

LONGEST_LICENCE = 1000

# Words that licences share.
_IDLE = frozenset("the a license licence licensed under version software v agreement see file for details".split())
_WORD = re.compile(r"[a-z]+|[0-9]+(?:\.[0-9]+)*|\+")
# Licences, and the names that people use for each, mostly without idle words.
_WRITTEN = {
    "MIT": "mit, mit expat, expat",
    "MIT-0": "mit 0",
    "Apache-2.0": "apache 2, apache asl 2, apache software foundation 2, asl 2, al 2",
    "ISC": "isc, isc iscl",
    "BSD-2-Clause": "bsd 2 clause, 2 clause bsd, simplified bsd, bsd 2 clause simplified",
    "BSD-3-Clause": "bsd 3 clause, 3 clause bsd, new bsd, modified bsd, revised bsd, bsd 3 clause new or revised",
    "0BSD": "bsd zero clause, zero clause bsd",
    "MPL-1.1": "mpl 1.1, mozilla public 1.1, mozilla public 1.1 mpl 1.1",
    "MPL-2.0": "mpl 2, mozilla public 2, mozilla public 2 mpl 2",
    "EPL-1.0": "epl 1, eclipse public 1, eclipse public 1 epl 1",
    "EPL-2.0": "epl 2, eclipse public 2, eclipse public 2 epl 2",
    "EUPL-1.1": "eupl 1.1, european union public 1.1 eupl 1.1",
    "EUPL-1.2": "eupl 1.2, european union public 1.2 eupl 1.2",
    "Unlicense": "unlicense, unlicense unlicense",
    "CC0-1.0": "cc0, cc0 1, cc0 1 universal, cc0 1 universal cc0 1 public domain dedication",
    "Zlib": "zlib, zlib libpng",
    "WTFPL": "wtfpl",
    "BSL-1.0": "boost 1, boost 1 bsl 1",
    "PSF-2.0": "psf, psf 2, psfl, python foundation",
    "ZPL-2.1": "zpl 2.1, zope public 2.1",
    "Artistic-2.0": "artistic 2",
    "CDDL-1.0": "cddl 1, common development and distribution 1 cddl 1",
    "BlueOak-1.0.0": "blueoak 1",
    "UPL-1.0": "universal permissive upl",
    "MulanPSL-2.0": "mulan permissive 2 mulanpsl 2",
    "HPND": "historical permission notice and disclaimer hpnd",
    "NCSA": "university of illinois ncsa open source",
    "IPL-1.0": "ibm public",
    "PostgreSQL": "postgresql",
}
_GNU = {"gpl": "GPL", "lgpl": "LGPL", "agpl": "AGPL", "fdl": "GFDL", "gfdl": "GFDL"}
_GNU_IN_FULL = (
    ("affero general public", "agpl"),
    ("library or lesser general public", "lgpl"),
    ("library general public", "lgpl"),
    ("lesser general public", "lgpl"),
    ("general public", "gpl"),
    ("free documentation", "gfdl"),
)
_GNU_LICENCES = frozenset(
    "GPL-1.0 GPL-2.0 GPL-3.0 LGPL-2.0 LGPL-2.1 LGPL-3.0 AGPL-3.0 GFDL-1.1 GFDL-1.2 GFDL-1.3".split()
)
_LATER = frozenset({"+", "or", "later", "newer", "any", "and", "higher", "greater"})
_DEBIAN_GNU = re.compile(r"(A?GPL|LGPL|GFDL)(-NIV)?(?:-([0-9](?:\.[0-9])*))?(\+)?", re.IGNORECASE)
_DEBIAN_NAMES = {
    "expat": "MIT",
    "x11": "X11",
    "zlib/libpng": "Zlib",
    "cc0": "CC0-1.0",
    "perl": "Artistic-1.0-Perl OR GPL-1.0-or-later",
    "boost-1.0": "BSL-1.0",
    "efl-2": "EFL-2.0",
    "python-2": "Python-2.0",
    "bsd-0-clause": "0BSD",
    "bsd-0": "0BSD",
    "lppl-1.3": "LPPL-1.3c",
}
_DEBIAN_EXCEPTIONS = {
    "font": "Font-exception-2.0",
    "autoconf": "Autoconf-exception-generic",
    "bison": "Bison-exception-2.2",
    "libtool": "Libtool-exception",
    "classpath": "Classpath-exception-2.0",
}
# These names mean an unknown licence, or leave it open.
_NO_NAMES = frozenset("unknown none other custom various mixed gpl lgpl agpl bsd see".split())
_OPERATOR = re.compile(r"\s+(and|or)\s+", re.IGNORECASE)
_GROUP = re.compile(r",\s+(and|or)\s+", re.IGNORECASE)
_OTHER = re.compile(r"[^A-Za-z0-9.]+")
# Words of a name.
_LONGEST_NAME = 5


# ---- names that people use --------------------------------------------------------------------------------------


def expression_of_name(name: str) -> str | None:
    """Return the expression for a name; None if it is ambiguous."""
    if len(name) > LONGEST_LICENCE:
        return None
    words = _words(name)
    return _NAMES.get(words) or _gnu(words)


def expression_of_classifiers(classifiers: Iterable[str]) -> str | None:
    """Return the expression for PyPI's classifiers; None if they are ambiguous."""
    split = [[part.strip() for part in classifier.split("::")] for classifier in classifiers]
    # "License :: OSI Approved" alone names none.
    named = {parts[-1] for parts in split if parts[0] == "License" and parts[1:] not in ([], ["OSI Approved"])}
    return expression_of_name(named.pop()) if len(named) == 1 else None


def _words(name: str) -> str:
    found = [re.sub(r"(?:\.0)+$", "", word) for word in _WORD.findall(name.lower()) if word not in _IDLE]
    # "MIT License (MIT)" repeats itself.
    half = len(found) // 2
    return " ".join(found[:half] if found and found[:half] == found[half:] else found)


_NAMES = {_words(name): expression for expression, names in _WRITTEN.items() for name in names.split(", ")}


def _gnu(words: str) -> str | None:
    for full, short in _GNU_IN_FULL:
        words = words.replace(full, short)
    family, _, rest = words.removeprefix("gnu ").partition(" ")
    family = family if family in _GNU else family.rstrip("v")
    version, _, more = rest.partition(" ")
    licence = f"{_GNU.get(family)}-{version if '.' in version else f'{version}.0'}"
    # A short name may follow the long one.
    for one in (f"{family}v {version}", f"{family} {version}"):
        more = more.replace(f"{one} +", "+").replace(one, "")
    left = set(more.split())
    if licence not in _GNU_LICENCES or not (left <= {"only"} or left <= _LATER):
        return None
    return f"{licence}-{'only' if left <= {'only'} else 'or-later'}"


# ---- Debian -----------------------------------------------------------------------------------------------------


def expression_of_synopsis(synopsis: str, understood: Callable[[str], str | None]) -> str | None:
    """Return the expression for a synopsis: ``GPL-2+ or Expat, and BSD-3-clause``.

    A name that SPDX does not know becomes a ``LicenseRef-``: the file itself defines it. ``understood`` gives the
    canonical form of an SPDX expression, or None.
    """
    if len(synopsis) > LONGEST_LICENCE:
        return None
    spelt: list[str | None] = []
    # A comma before an operator makes a group of each side.
    for number, part in enumerate(_GROUP.split(synopsis.strip().rstrip("."))):
        if number % 2:
            spelt += [")", part.upper(), "("]
        else:
            inner = enumerate(_OPERATOR.split(part))
            spelt += [one.upper() if at % 2 else _spelt_licence(one, understood) for at, one in inner]
    return None if None in spelt else understood(" ".join(["(", *filter(None, spelt), ")"]))


def _spelt_licence(name: str, understood: Callable[[str], str | None]) -> str | None:
    short, _, exception = (part.strip() for part in name.strip().partition(" with "))
    known = found = _known_to_debian(short, understood)
    if exception:
        added = _DEBIAN_EXCEPTIONS.get(exception.lower().removesuffix(" exception"), exception.replace(" ", "-"))
        found = known and understood(f"{known} WITH {added}")
    if found:
        return f"({found})" if " " in found else found
    return _reference(f"{known} with {exception}" if known and exception else name)


def _reference(name: str) -> str | None:
    """A name that the file defines; None for a sentence."""
    words = name.lower().split()
    own = _OTHER.sub("-", name).strip("-")
    if not own or own.lower() in _NO_NAMES or not {"and", "or"}.isdisjoint(words) or len(words) > _LONGEST_NAME:
        return None
    return f"LicenseRef-{own}"


def _known_to_debian(short: str, understood: Callable[[str], str | None]) -> str | None:
    if short.lower() in _NO_NAMES:
        return None
    if gnu := _DEBIAN_GNU.fullmatch(short):
        family, invariants, version, later = gnu.groups()
        if version is None:
            return None
        number = version if "." in version else f"{version}.0"
        middle = "-no-invariants" if invariants else ""
        return understood(f"{family.upper()}-{number}{middle}-{'or-later' if later else 'only'}")
    return understood(_DEBIAN_NAMES.get(short.lower(), short))
