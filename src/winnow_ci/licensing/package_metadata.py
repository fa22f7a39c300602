"""What packages state of their licence: PyPI, npm, Cargo, Composer, RubyGems, Maven; and ``REUSE.toml``.

Authors may be hostile: a document that cannot be read, or would take too long, is empty. Where a manifest lists several
licences without saying how they combine, its format says it: lists of Composer, of Maven and of npm's old form offer a
choice. A list of RubyGems says nothing and is not taken.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

from winnow_ci.licensing.claims import LicenceAnnotation, LicenceStatement, WrittenLicence, annotating
from winnow_ci.licensing.licence_texts import recognise

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# tomllib takes time with the square of the parts of a dotted key, all of which stand on one line.
_LONGEST_TOML_LINE = 4000
_LONGEST_NAME = 200
_SEE = "SEE LICENSE IN "
_MOST_LICENCES = 20
_GEM = re.compile(rb"^[ \t]*\w{1,99}\.licenses?[ \t]*=[ \t]*([^\n]{0,500})$", re.MULTILINE)
_QUOTED = re.compile(r"\"([^\"]*)\"|'([^']*)'")
_REUSE_PRECEDENCES = frozenset({"closest", "aggregate", "override"})


def core_metadata(path: str, content: bytes, scope: str) -> LicenceStatement:
    """``METADATA`` of a wheel, ``PKG-INFO`` of an sdist."""
    fields = _headers(content.decode("utf-8", "replace"))
    expressions = tuple(WrittenLicence("spdx", text) for text in fields.get("license-expression", ()))
    free = fields.get("license", [""])[0]
    return LicenceStatement(path, "package", scope, expressions + _older(free, fields.get("classifier", [])))


def _older(free: str, classifiers: Iterable[str]) -> tuple[WrittenLicence, ...]:
    """The fields that expressions have replaced: one of free text, and classifiers.

    A whole licence text in the field says more than a classifier, which is often only near to it.
    """
    text = free.strip()
    listed = WrittenLicence("classifiers", "\n".join(classifiers))
    if not text or text.upper() == "UNKNOWN":
        return (listed,)
    if "\n" not in text and len(text) <= _LONGEST_NAME:
        return (WrittenLicence("name", text), listed)
    return (WrittenLicence("text", recognise(text.encode()).name or ""),)


def _headers(text: str) -> dict[str, list[str]]:
    """Fields of an RFC 822 header, by their names in lower case; folded lines are joined with line feeds."""
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
    document = _toml(content)
    project, poetry = _table(document.get("project")), _table(_table(document.get("tool")).get("poetry"))
    written = project.get("license", poetry.get("license"))
    free = written if isinstance(written, str) else _table(written).get("text", "")
    classifiers = _strings(project.get("classifiers", poetry.get("classifiers")))
    claims = _older(free if isinstance(free, str) else "", classifiers)
    return LicenceStatement(path, "manifest", scope, claims, refers=_below(scope, _table(written).get("file")))


def package_json(path: str, content: bytes, scope: str) -> LicenceStatement:
    """``package.json`` of npm."""
    document = _json_object(content)
    written = document.get("license", document.get("licence"))
    names = _one(_table(written).get("type", written)) or _types(document.get("licenses", written))
    refers = None
    if names and names[0].upper().startswith(_SEE):
        refers = _below(scope, names[0][len(_SEE) :].strip().strip("<>"))
        names = []
    return LicenceStatement(path, "manifest", scope, tuple(_choice(names)), refers=refers)


def _types(value: Any) -> list[str]:
    listed = value[:_MOST_LICENCES] if isinstance(value, list) else []
    return [name for one in listed for name in _one(_table(one).get("type", one))]


def cargo(path: str, content: bytes, scope: str) -> LicenceStatement:
    """``Cargo.toml``, of a package or of a workspace."""
    document = _toml(content)
    package = _table(document.get("package")) or _table(_table(document.get("workspace")).get("package"))
    claims = [WrittenLicence("spdx", text.replace("/", " OR ")) for text in _one(package.get("license"))]
    return LicenceStatement(path, "manifest", scope, tuple(claims), refers=_below(scope, package.get("license-file")))


def composer(path: str, content: bytes, scope: str) -> LicenceStatement:
    """``composer.json`` of PHP."""
    names = _strings(_json_object(content).get("license"))
    return LicenceStatement(path, "manifest", scope, tuple(_choice(names)))


def gemspec(path: str, content: bytes, scope: str) -> LicenceStatement:
    """A gem's specification, which is not executed: only a literal licence is found."""
    lines = (line.decode("utf-8", "replace") for line in _GEM.findall(content))
    found = [one or other for line in lines for one, other in _QUOTED.findall(line)]
    return LicenceStatement(path, "manifest", scope, (WrittenLicence("name", found[0]),) if len(found) == 1 else ())


def pom(path: str, content: bytes, scope: str) -> LicenceStatement:
    """Maven's ``pom.xml``, searched as text, since XML can be a bomb."""
    _, _, rest = content.decode("utf-8", "replace").partition("<licenses>")
    listed, end, _ = rest.partition("</licenses>")
    names = [part.partition("</name>")[0].strip() for part in listed.split("<name>")[1 : _MOST_LICENCES + 1]]
    return LicenceStatement(path, "manifest", scope, tuple(_choice(names)) if end else ())


def reuse_toml(path: str, content: bytes, scope: str) -> LicenceStatement:
    """``REUSE.toml``: which files have which licence (https://reuse.software/spec-3.3)."""
    found = []
    tables = _toml(content).get("annotations")
    for fields in map(_table, tables if isinstance(tables, list) else ()):
        globs, licences = _strings(fields.get("path")), _strings(fields.get("SPDX-License-Identifier"))
        precedence = fields.get("precedence")
        if globs and licences:
            licence = WrittenLicence("spdx", " AND ".join(f"({one})" for one in licences))
            known = precedence if isinstance(precedence, str) and precedence in _REUSE_PRECEDENCES else "closest"
            found.append(LicenceAnnotation(tuple(globs), licence, known))
    return annotating(path, "annotations", scope, tuple(found), frozenset({"**", "**/**"}))


def _choice(names: Iterable[str]) -> list[WrittenLicence]:
    """A list of licences of which one may be chosen: names, one a line."""
    found = list(dict.fromkeys(name for name in names if name.strip()))
    return [WrittenLicence("name", "\n".join(found))] if 0 < len(found) <= _MOST_LICENCES else []


def _one(value: Any) -> list[str]:
    return [value] if isinstance(value, str) and value.strip() else []


def _below(scope: str, name: Any) -> str | None:
    """The path of a file that a manifest names."""
    return f"{scope}{name.removeprefix('./')}" if isinstance(name, str) and name else None


def _toml(content: bytes) -> dict[str, Any]:
    if any(len(line) > _LONGEST_TOML_LINE for line in content.splitlines()):
        return {}
    try:
        return tomllib.loads(content.decode())
    except (ValueError, RecursionError, MemoryError):
        return {}


def _json_object(content: bytes) -> dict[str, Any]:
    try:
        return _table(json.loads(content.decode("utf-8-sig")))
    except (ValueError, RecursionError, MemoryError):
        return {}


def _table(value: Any) -> dict[str, Any]:
    """A value that should be a table."""
    return value if isinstance(value, dict) else {}


def _strings(value: Any) -> list[str]:
    """A value that should be a string or several."""
    found = value if isinstance(value, list) else [value]
    return [one for one in found if isinstance(one, str) and one.strip()]


READERS: dict[str, Callable[[str, bytes, str], LicenceStatement]] = {
    "pyproject.toml": pyproject,
    "package.json": package_json,
    "Cargo.toml": cargo,
    "composer.json": composer,
    "pom.xml": pom,
    "REUSE.toml": reuse_toml,
}
