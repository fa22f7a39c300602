"""What packages say of their licence: PyPI, npm, Cargo, Composer, RubyGems, Maven.

Where a manifest lists several licences without saying how they hold together, its format says it: a list of npm's old
form, of Composer and of Maven offers a choice. One of RubyGems says nothing, and is not taken.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from winnow_ci.licensing.claims import LicenceStatement, WrittenLicence
from winnow_ci.licensing.formats import json_object, strings, table, toml
from winnow_ci.licensing.licence_texts import recognise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_LONGEST_NAME = 200
_SEE = "SEE LICENSE IN "
_MOST_LICENCES = 20
_GEM = re.compile(rb"^[ \t]*\w{1,99}\.licenses?[ \t]*=[ \t]*([^\n]{0,500})$", re.MULTILINE)
_QUOTED = re.compile(r"\"([^\"]*)\"|'([^']*)'")


def core_metadata(path: str, content: bytes, scope: str) -> LicenceStatement:
    """``METADATA`` of a wheel, ``PKG-INFO`` of an sdist."""
    fields = _headers(content.decode("utf-8", "replace"))
    expressions = tuple(WrittenLicence("spdx", text) for text in fields.get("license-expression", ()))
    free = fields.get("license", [""])[0]
    return LicenceStatement(path, "package", scope, expressions + _older(free, fields.get("classifier", [])))


def _older(free: str, classifiers: Iterable[str]) -> tuple[WrittenLicence, ...]:
    """What was there before expressions: a field in which people write what they like, and classifiers.

    If the field has a whole text, that says more than a classifier, which is often only near to it.
    """
    text = free.strip()
    listed = WrittenLicence("classifiers", "\n".join(classifiers))
    if not text or text.upper() == "UNKNOWN":
        return (listed,)
    if "\n" not in text and len(text) <= _LONGEST_NAME:
        return (WrittenLicence("name", text), listed)
    return (WrittenLicence("text", recognise(text.encode()).name or ""),)


def _headers(text: str) -> dict[str, list[str]]:
    """Fields of an RFC 822 header, by their names in lower case; folded lines are joined by line feeds."""
    fields: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        if not line.strip():
            break
        if line[0] in " \t":
            if current:
                current[-1] += "\n" + line.strip().removeprefix("|")
            continue
        name, _, value = line.partition(":")
        current = fields.setdefault(name.lower(), [])
        current.append(value.strip())
    return fields


def pyproject(path: str, content: bytes, scope: str) -> LicenceStatement:
    """``pyproject.toml``."""
    document = toml(content)
    project, poetry = table(document.get("project")), table(table(document.get("tool")).get("poetry"))
    written = project.get("license", poetry.get("license"))
    free = written if isinstance(written, str) else table(written).get("text", "")
    classifiers = strings(project.get("classifiers", poetry.get("classifiers")))
    claims = _older(free if isinstance(free, str) else "", classifiers)
    return LicenceStatement(path, "manifest", scope, claims, refers=_below(scope, table(written).get("file")))


def package_json(path: str, content: bytes, scope: str) -> LicenceStatement:
    """``package.json`` of npm."""
    document = json_object(content)
    written = document.get("license", document.get("licence"))
    names = _one(table(written).get("type", written)) or _types(document.get("licenses", written))
    refers = None
    if names and names[0].upper().startswith(_SEE):
        refers = _below(scope, names[0][len(_SEE) :].strip().strip("<>"))
        names = []
    return LicenceStatement(path, "manifest", scope, tuple(_choice(names)), refers=refers)


def _types(value: Any) -> list[str]:
    listed = value[:_MOST_LICENCES] if isinstance(value, list) else []
    return [name for one in listed for name in _one(table(one).get("type", one))]


def cargo(path: str, content: bytes, scope: str) -> LicenceStatement:
    """``Cargo.toml``, of a package or of a workspace."""
    document = toml(content)
    package = table(document.get("package")) or table(table(document.get("workspace")).get("package"))
    claims = [WrittenLicence("spdx", text.replace("/", " OR ")) for text in _one(package.get("license"))]
    return LicenceStatement(path, "manifest", scope, tuple(claims), refers=_below(scope, package.get("license-file")))


def composer(path: str, content: bytes, scope: str) -> LicenceStatement:
    """``composer.json`` of PHP."""
    names = strings(json_object(content).get("license"))
    return LicenceStatement(path, "manifest", scope, tuple(_choice(names)))


def gemspec(path: str, content: bytes, scope: str) -> LicenceStatement:
    """A gem's specification, if its licence is a literal; it is not executed."""
    lines = (line.decode("utf-8", "replace") for line in _GEM.findall(content))
    found = [one or other for line in lines for one, other in _QUOTED.findall(line)]
    return LicenceStatement(path, "manifest", scope, (WrittenLicence("name", found[0]),) if len(found) == 1 else ())


def pom(path: str, content: bytes, scope: str) -> LicenceStatement:
    """Maven's ``pom.xml``; looked through as text, since XML can be a bomb."""
    _, _, rest = content.decode("utf-8", "replace").partition("<licenses>")
    listed, end, _ = rest.partition("</licenses>")
    names = [part.partition("</name>")[0].strip() for part in listed.split("<name>")[1 : _MOST_LICENCES + 1]]
    return LicenceStatement(path, "manifest", scope, tuple(_choice(names)) if end else ())


def _choice(names: Iterable[str]) -> list[WrittenLicence]:
    """What a list of licences says of which one may be chosen: names, one a line."""
    found = list(dict.fromkeys(name for name in names if name.strip()))
    return [WrittenLicence("name", "\n".join(found))] if 0 < len(found) <= _MOST_LICENCES else []


def _one(value: Any) -> list[str]:
    return [value] if isinstance(value, str) and value.strip() else []


def _below(scope: str, name: Any) -> str | None:
    """The path of a file that a manifest names."""
    return f"{scope}{name.removeprefix('./')}" if isinstance(name, str) and name else None


READERS: dict[str, Callable[[str, bytes, str], LicenceStatement]] = {
    "pyproject.toml": pyproject,
    "package.json": package_json,
    "Cargo.toml": cargo,
    "composer.json": composer,
    "pom.xml": pom,
}
