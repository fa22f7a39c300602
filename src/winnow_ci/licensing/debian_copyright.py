"""Copyright files of Debian in their machine-readable form, which REUSE's ``.reuse/dep5`` shares (DEP-5).

https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from winnow_ci import deb822
from winnow_ci.licensing.claims import LicenceAnnotation, LicenceStatement, WrittenLicence, annotating

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from winnow_ci.licensing.claims import LicenceForm, StatementKind

_FORMAT = ("copyright-format", "dep5", "dep-5", "/dep/")
_GNU = re.compile(r"(A?GPL|LGPL|GFDL)(-NIV)?(?:-([0-9](?:\.[0-9])*))?(\+)?", re.IGNORECASE)
_SHORT = {
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
_EXCEPTIONS = {
    "font": "Font-exception-2.0",
    "autoconf": "Autoconf-exception-generic",
    "bison": "Bison-exception-2.2",
    "libtool": "Libtool-exception",
    "classpath": "Classpath-exception-2.0",
}
# These names say that nobody knows, or leave it open.
_NO_NAMES = frozenset("unknown none other custom various mixed gpl lgpl agpl bsd see".split())
_OPERATOR = re.compile(r"\s+(and|or)\s+", re.IGNORECASE)
_GROUP = re.compile(r",\s+(and|or)\s+", re.IGNORECASE)
_OTHER = re.compile(r"[^A-Za-z0-9.]+")
_LONGEST_SYNOPSIS = 1000
# Words of a name.
_LONGEST_NAME = 5


def debian_copyright(path: str, content: bytes, kind: StatementKind, scope: str) -> LicenceStatement | None:
    """What a copyright file states; None if it is not machine-readable."""
    paragraphs = list(deb822.paragraphs(content.decode("utf-8", "replace")))
    if not paragraphs or not any(mark in paragraphs[0].get("format", "").lower() for mark in _FORMAT):
        return None
    form: LicenceForm = "debian" if kind == "debian" else "spdx"
    header = (WrittenLicence(form, text),) if (text := _synopsis(paragraphs[0])) else ()
    found = tuple(_annotations(paragraphs[1:], form))
    return annotating(path, kind, scope, found, frozenset({"*"}), header)


def _annotations(paragraphs: list[dict[str, str]], form: LicenceForm) -> Iterator[LicenceAnnotation]:
    for fields in paragraphs:
        globs = tuple(glob.removeprefix("./") for glob in fields.get("files", "").split())
        if globs:
            yield LicenceAnnotation(globs, WrittenLicence(form, _synopsis(fields)))


def _synopsis(fields: dict[str, str]) -> str:
    """The first line of a licence field; the other lines are the text."""
    return fields.get("license", "").split("\n", 1)[0].strip()


def expression_of_synopsis(synopsis: str, understood: Callable[[str], str | None]) -> str | None:
    """The SPDX expression for a synopsis such as ``GPL-2+ or Expat, and BSD-3-clause``; None if there is none.

    A name that SPDX does not know becomes a ``LicenseRef-``: the file itself defines it.

    Args:
        synopsis: the first line of a licence field.
        understood: gives the canonical form of an SPDX expression, or None.
    """
    if len(synopsis) > _LONGEST_SYNOPSIS:
        return None
    groups = _GROUP.split(synopsis.strip().rstrip("."))
    spelt = [_group(part, understood) if at % 2 == 0 else part.upper() for at, part in enumerate(groups)]
    if None in spelt:
        return None
    texts = [f"({text})" if at % 2 == 0 and len(spelt) > 1 else text for at, text in enumerate(spelt)]
    return understood(" ".join(text for text in texts if text))


def _group(group: str, understood: Callable[[str], str | None]) -> str | None:
    parts = _OPERATOR.split(group)
    spelt = [_single(part, understood) if at % 2 == 0 else part.upper() for at, part in enumerate(parts)]
    return None if None in spelt else " ".join(text for text in spelt if text)


def _single(name: str, understood: Callable[[str], str | None]) -> str | None:
    short, _, exception = (part.strip() for part in name.strip().partition(" with "))
    known = _known(short, understood)
    if exception:
        added = _EXCEPTIONS.get(exception.lower().removesuffix(" exception"), exception.replace(" ", "-"))
        found = known and understood(f"{known} WITH {added}")
    else:
        found = known
    if found:
        return f"({found})" if " " in found else found
    return _reference(f"{known} with {exception}" if known and exception else name)


def _reference(name: str) -> str | None:
    """A name that the file itself defines; None if it is rather a sentence."""
    words = name.lower().split()
    own = _OTHER.sub("-", name).strip("-")
    if not own or own.lower() in _NO_NAMES or not {"and", "or"}.isdisjoint(words) or len(words) > _LONGEST_NAME:
        return None
    return f"LicenseRef-{own}"


def _known(short: str, understood: Callable[[str], str | None]) -> str | None:
    if short.lower() in _NO_NAMES:
        return None
    if gnu := _GNU.fullmatch(short):
        family, invariants, version, later = gnu.groups()
        if version is None:
            return None
        number = version if "." in version else f"{version}.0"
        middle = "-no-invariants" if invariants else ""
        return understood(f"{family.upper()}-{number}{middle}-{'or-later' if later else 'only'}")
    return understood(_SHORT.get(short.lower(), short))
