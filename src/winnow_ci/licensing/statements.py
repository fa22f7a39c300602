"""Read what files state about their own licences, and about those of others.

Authors may be hostile: a document that cannot be read, or would take too long, is empty. Where a manifest lists several
licences without saying how they combine, its format says it: lists of Composer, of Maven and of npm's old form offer a
choice. A list of RubyGems says nothing and is not taken.

Of several tags in a header all hold, as in REUSE. A tag does not count between ``REUSE-IgnoreStart`` and
``REUSE-IgnoreEnd``, nor in a string: code that writes such headers is not under the licence that it writes.
"""

from __future__ import annotations

import json
import posixpath
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, Literal, TypeAlias

from winnow_ci import deb822
from winnow_ci.licensing.licence_texts import licence_of_notice, read_prose, recognise, texts_within, words_digest
from winnow_ci.named_tuples import NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


LicenceForm: TypeAlias = Literal["spdx", "name", "classifiers", "debian", "text"]
StatementKind: TypeAlias = Literal["debian", "package", "manifest", "annotations", "sidecar", "text"]

LARGEST_STATEMENT = 256 << 10
"""Bytes of the largest file that is read for what it states of other files."""

_HEAD = 8192
_TAG = "SPDX-License-Identifier:"
_MOST_TAGS = 16
_LONGEST = 500
# What may be an expression: not placeholders such as <licence>, nor format strings.
_EXPRESSION = re.compile(r"[A-Za-z0-9.+:()_ -]*[A-Za-z0-9][A-Za-z0-9.+:()_ -]*")
# What a sentence that names a licence has at the least.
_NOTICE = re.compile(rb"\b(?:[Uu]nder|subject to)\s")
# Of Markdown: in a text about licences it quotes no code.
_EMPHASIS = re.compile(rb"[`*]+")
_LETTERS = re.compile(r"[A-Za-z]+")
_ENDS = ("*/", "-->", "--}}", "#}", "%>", "*)", "-}", "--]]", "]]", "|#", "=#", "%}", '"""', "'''", "#>", "}", "\\n")
_TEXT = re.compile(r"(un)?licen[cs]e([-_.].*)?|copying([-_.].*)?", re.IGNORECASE)
# Endings of code about licences, which is not the text of one.
_CODE = frozenset(
    "bat c cc cfg cpp cs css go h html ini java jpg js json jsx kt license lua mjs php pl png ps1 py pyi rb rs scala "
    "sh spdx svg swift toml ts tsx vue xml yaml yml".split()
)
_INSTALLED = re.compile(r"(?:(?P<above>.*)/)?(?P<name>[^/-]+)[^/]*\.(?:dist|egg)-info/(?:licenses/)?[^/]+")
_MOST_GLOBS = 10_000
_LONGEST_GLOB = 1024
# tomllib takes time with the square of the parts of a dotted key, and these are on one line.
_LONGEST_TOML_LINE = 4000
_LONGEST_NAME = 200
_SEE = "SEE LICENSE IN "
_MOST_LICENCES = 20
_GEM = re.compile(rb"^[ \t]*\w{1,99}\.licenses?[ \t]*=[ \t]*([^\n]{0,500})$", re.MULTILINE)
_QUOTED = re.compile(r"\"([^\"]*)\"|'([^']*)'")
_REUSE_PRECEDENCES = ("closest", "aggregate", "override")
_DEBIAN_FORMAT = ("copyright-format", "dep5", "dep-5", "/dep/")


class WrittenLicence(NamedTuple):
    """A licence as it is written somewhere.

    The form ``spdx`` is an SPDX expression, ``name`` a choice of expressions or names that people use, one a line,
    ``classifiers`` those of PyPI, one a line, ``debian`` the synopsis of a Debian copyright file, and ``text`` the name
    of a recognised text, where ``GPL-2.0`` stands for either of its readings.
    """

    form: LicenceForm
    text: str


class LicenceAnnotation(NamedTuple):
    """What a file states about some other files."""

    globs: tuple[str, ...]  # of the paths that it is about, relative to the folder of the statement
    licence: WrittenLicence  # of these files
    precedence: str = "closest"  # over what a file states itself: one of ``_REUSE_PRECEDENCES``


class LicenceStatement(NamedTuple):
    """What a file states about the licence of other files."""

    path: str  # of the file that states it
    # how far it is believed: Debian's copyright file, a ``package``'s own metadata, another ``manifest``,
    # ``annotations`` of REUSE, the ``sidecar`` of one file, the ``text`` of a licence
    kind: StatementKind
    scope: str  # a folder, with ``/`` at its end, or everything (the empty string); for a sidecar, the path of its file
    licences: tuple[WrittenLicence, ...] = ()  # the first that is understood counts
    annotations: tuple[LicenceAnnotation, ...] = ()  # the last that matches a file counts
    refers: str | None = None  # path of the licence text that it refers to instead
    digest: bytes = b""  # of the words of a licence text, to recognise copies of it


class LicenceClaims(NamedTuple):
    """What a file states about licences."""

    own: str | None = None  # its own licence, as a tag in its header has it
    notice: str | None = None  # its own licence, as a sentence in its header has it
    # whether its notice of a GNU licence allows later versions; None if it has no such notice
    later: bool | None = None
    statement: LicenceStatement | None = None  # what it states of other files


def may_state_licence(path: str, size: int) -> bool:
    """Whether a file may state the licence of other files."""
    return size <= LARGEST_STATEMENT and _reader(path) is not None


def licence_claims(path: str, content: bytes) -> LicenceClaims | None:
    """Return what a file states about licences; None if nothing."""
    own, read = own_licence(content), _reader(path) if len(content) <= LARGEST_STATEMENT else None
    statement = read(path, content, _scope(path)) if read else None
    # The text of a licence does not say which code is under it.
    later = None if statement else allows_later(content)
    notice = None if statement or own else header_notice(content)
    claims = LicenceClaims(own, notice, later, statement)
    return None if claims == LicenceClaims() else claims


# ---- headers ----------------------------------------------------------------------------------------------------


def own_licence(content: bytes) -> str | None:
    """Return the SPDX expression in a file's header, as written."""
    if _TAG.encode() not in content[:_HEAD]:
        return None
    found = list(dict.fromkeys(_tags(content[:_HEAD].decode("utf-8", "replace"))))
    return " AND ".join(f"({one})" for one in found) if found[1:] else next(iter(found), None)


def allows_later(content: bytes) -> bool | None:
    """Whether a header's GNU notice allows later versions; None without one.

    A special exception marks a file of the GNU build tools, which states nothing of the code beside it.
    """
    head = content[:_HEAD]
    if b"GNU" not in head or b"ublic" not in head:
        return None
    words = " ".join(_LETTERS.findall(head.decode("utf-8", "replace"))).lower()
    if "general public license" not in words or "special exception" in words:
        return None
    return "any later version" in words


def header_notice(content: bytes) -> str | None:
    """Return the SPDX expression of the licence that a sentence in a file's header names."""
    head = content[:_HEAD]
    return licence_of_notice(head.decode("utf-8", "replace")) if b"icen" in head and _NOTICE.search(head) else None


def _tags(head: str) -> list[str]:
    found: list[str] = []
    ignored = False
    for line in head.splitlines():
        if "REUSE-Ignore" in line:
            ignored = "REUSE-IgnoreStart" in line
        before, tag, value = line.partition(_TAG)
        is_in_string = before.strip() not in {'"""', "'''", 'r"""'} and any(quote in before for quote in "\"'`")
        if not tag or ignored or is_in_string:
            continue
        text = value.strip()
        while ending := next((end for end in _ENDS if text.endswith(end)), None):
            text = text[: -len(ending)].rstrip()
        if len(text) <= _LONGEST and _EXPRESSION.fullmatch(text):
            found.append(text)
    return found[:_MOST_TAGS]


# ---- statements of other files ----------------------------------------------------------------------------------


def _reader(path: str) -> _Reader | None:
    """What reads a file; None if it states nothing of other files."""
    folder, _, name = path.rpartition("/")
    parent = folder.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    form = "*.gemspec" if stem and ending == "gemspec" else name
    if form in _MANIFESTS:
        return partial(_manifest, _MANIFESTS[form])
    if name == "REUSE.toml":
        return _reuse_toml
    if path == "debian/copyright" or (name == "dep5" and parent == ".reuse"):
        return _debian_copyright
    if name in {"METADATA", "PKG-INFO"}:
        # Metadata in a nested folder for an egg are about the folder beside it.
        is_nested = folder.endswith(".egg-info") and "/" in folder
        is_own = not is_nested and (name == "PKG-INFO" or folder.endswith((".dist-info", ".egg-info")))
        return _core_metadata if is_own else None
    if stem and ending == "license":
        return _sidecar
    is_text = parent == "LICENSES" or (_TEXT.fullmatch(name) and not (dot and ending.lower() in _CODE))
    return _licence_text if is_text else None


def _scope(path: str) -> str:
    """The folder that a file states the licence of."""
    folder, _, name = path.rpartition("/")
    above, _, parent = folder.rpartition("/")
    if installed := _INSTALLED.fullmatch(path):
        # Beside installed packages, the folder with the package's name; at the top, all of a wheel.
        return f"{installed['above']}/{installed['name'].replace('.', '/')}/" if installed["above"] else ""
    if path == "debian/copyright" or folder == "EGG-INFO":
        return ""
    if parent == "LICENSES" or (parent == ".reuse" and name == "dep5"):
        folder = above
    return f"{folder}/" if folder else ""


# ---- metadata of packages ---------------------------------------------------------------------------------------


def _manifest(read: Callable[[bytes], _Stated], path: str, content: bytes, scope: str) -> LicenceStatement:
    """Read a manifest by one of ``_MANIFESTS``."""
    licences, file = read(content)
    refers = f"{scope}{file.removeprefix('./')}" if isinstance(file, str) and file else None
    return LicenceStatement(path, "manifest", scope, tuple(licences), refers=refers)


def _core_metadata(path: str, content: bytes, scope: str) -> LicenceStatement:
    """Read ``METADATA`` of a wheel or ``PKG-INFO`` of an sdist."""
    fields = next(deb822.paragraphs(content.decode("utf-8", "replace")), {})
    expression = WrittenLicence("spdx", fields.get("license-expression", ""))
    older = _older(fields.get("license", ""), fields.get("classifier", "").split("\n"))
    return LicenceStatement(path, "package", scope, (expression, *older))


def _older(free: str, classifiers: Iterable[str]) -> list[WrittenLicence]:
    """The fields that expressions have replaced: one of free text, and classifiers.

    A whole licence text in the field says more than a classifier, which is often only near to it.
    """
    text = free.strip()
    if "\n" in text or len(text) > _LONGEST_NAME:
        return [WrittenLicence("text", recognise(text.encode()) or "")]
    name = WrittenLicence("name", text if text.upper() != "UNKNOWN" else "")
    return [name, WrittenLicence("classifiers", "\n".join(classifiers))]


_Reader: TypeAlias = "Callable[[str, bytes, str], LicenceStatement | None]"
_Stated: TypeAlias = "tuple[list[WrittenLicence], object]"
"""The licences of a manifest, and the name of the file that it refers to, if it is a text."""


def _pyproject(content: bytes) -> _Stated:
    document = _toml(content)
    project, poetry = _table(document.get("project")), _table(_table(document.get("tool")).get("poetry"))
    written = project.get("license", poetry.get("license"))
    free = written if isinstance(written, str) else _table(written).get("text", "")
    classifiers = _strings(project.get("classifiers", poetry.get("classifiers")))
    return _older(free if isinstance(free, str) else "", classifiers), _table(written).get("file")


def _package_json(content: bytes) -> _Stated:
    document = _json_object(content)
    written = document.get("license", document.get("licence"))
    several = document.get("licenses", written)
    listed = [written, *(several[:_MOST_LICENCES] if isinstance(several, list) else ())]
    named = [_strings(_table(one).get("type", one)) for one in listed]
    names = named[0] or [name for names in named[1:] for name in names]
    if names and names[0].upper().startswith(_SEE):
        return [], names[0][len(_SEE) :].strip().strip("<>")
    return _choice(names), None


def _cargo(content: bytes) -> _Stated:
    document = _toml(content)
    package = _table(document.get("package")) or _table(_table(document.get("workspace")).get("package"))
    found = [WrittenLicence("spdx", text.replace("/", " OR ")) for text in _strings(package.get("license"))]
    return found, package.get("license-file")


def _gemspec(content: bytes) -> _Stated:
    """It is not executed: only a literal licence is found."""
    lines = (line.decode("utf-8", "replace") for line in _GEM.findall(content))
    found = [one or other for line in lines for one, other in _QUOTED.findall(line)]
    return [WrittenLicence("name", found[0])] if len(found) == 1 else [], None


def _pom(content: bytes) -> _Stated:
    """Searched as text, since XML can be a bomb."""
    _, _, rest = content.decode("utf-8", "replace").partition("<licenses>")
    listed, end, _ = rest.partition("</licenses>")
    names = [part.partition("</name>")[0].strip() for part in listed.split("<name>")[1 : _MOST_LICENCES + 1]]
    return _choice(names) if end else [], None


_MANIFESTS: dict[str, Callable[[bytes], _Stated]] = {
    "pyproject.toml": _pyproject,
    "package.json": _package_json,
    "Cargo.toml": _cargo,
    "composer.json": lambda content: (_choice(_strings(_json_object(content).get("license"))), None),
    "pom.xml": _pom,
    "*.gemspec": _gemspec,
}


def _choice(names: Iterable[str]) -> list[WrittenLicence]:
    found = list(dict.fromkeys(name for name in names if name.strip()))
    return [WrittenLicence("name", "\n".join(found))] if 0 < len(found) <= _MOST_LICENCES else []


def _strings(value: Any) -> list[str]:
    """A value that should be a string or several."""
    found = value if isinstance(value, list) else [value]
    return [one for one in found if isinstance(one, str) and one.strip()]


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _toml(content: bytes) -> dict[str, Any]:
    if all(len(line) <= _LONGEST_TOML_LINE for line in content.splitlines()):
        with suppress(ValueError, RecursionError, MemoryError):
            return tomllib.loads(content.decode())
    return {}


def _json_object(content: bytes) -> dict[str, Any]:
    with suppress(ValueError, RecursionError, MemoryError):
        return _table(json.loads(content.decode("utf-8-sig")))
    return {}


# ---- annotations ------------------------------------------------------------------------------------------------


def _reuse_toml(path: str, content: bytes, scope: str) -> LicenceStatement:
    """Read ``REUSE.toml``: which files have which licence (https://reuse.software/spec-3.3)."""
    found = []
    tables = _toml(content).get("annotations")
    for fields in map(_table, tables if isinstance(tables, list) else ()):
        globs, licences = _strings(fields.get("path")), _strings(fields.get("SPDX-License-Identifier"))
        known = [one for one in _REUSE_PRECEDENCES if one == fields.get("precedence")]
        if globs and licences:
            licence = WrittenLicence("spdx", " AND ".join(f"({one})" for one in licences))
            found.append(LicenceAnnotation(tuple(globs), licence, *known))
    return _annotating(LicenceStatement(path, "annotations", scope, (), tuple(found)), {"**", "**/**"})


def _debian_copyright(path: str, content: bytes, scope: str) -> LicenceStatement | None:
    """Read a Debian copyright file or ``.reuse/dep5``; None if it is prose.

    https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
    """
    form: LicenceForm
    kind: StatementKind
    form, kind = ("debian", "debian") if path == "debian/copyright" else ("spdx", "annotations")
    found: list[LicenceAnnotation] = []
    for fields in deb822.paragraphs(content.decode("utf-8", "replace")):
        # The first line of a licence field is a synopsis; the other lines are the text.
        licence = WrittenLicence(form, fields.get("license", "").split("\n", 1)[0].strip())
        globs = tuple(glob.removeprefix("./") for glob in fields.get("files", "").split())
        if not found and not any(mark in fields.get("format", "").lower() for mark in _DEBIAN_FORMAT):
            return None
        found.append(LicenceAnnotation(globs, licence))
    header = tuple(one.licence for one in found[:1] if one.licence.text)
    annotations = tuple(one for one in found[1:] if one.globs)
    return _annotating(LicenceStatement(path, kind, scope, header, annotations), {"*"}) if found else None


def _annotating(statement: LicenceStatement, everything: set[str]) -> LicenceStatement:
    """Finish a statement; with too many or long globs, empty it.

    ``everything`` are globs that match all files: the last annotation with one of them is about the whole scope.
    """
    globs = [glob for one in statement.annotations for glob in one.globs]
    if len(globs) > _MOST_GLOBS or any(len(glob) > _LONGEST_GLOB for glob in globs):
        return statement._replace(licences=(), annotations=())
    whole = [one.licence for one in statement.annotations if not everything.isdisjoint(one.globs)]
    return statement._replace(licences=(*whole[-1:], *statement.licences))


# ---- texts ------------------------------------------------------------------------------------------------------


def _licence_text(path: str, content: bytes, scope: str) -> LicenceStatement:
    parent, _, file = path.rpartition("/")
    named = file.rpartition(".")[0] or file if parent.endswith("LICENSES") else ""
    written = (own_licence(_EMPHASIS.sub(b"", content)) or "", named)
    stated, refers = _stated(content)
    beside = posixpath.normpath(f"{parent}/{refers}") if refers else None
    licences = (*(WrittenLicence("spdx", one) for one in written), stated)
    return LicenceStatement(path, "text", scope, licences, refers=beside, digest=words_digest(content))


def _stated(content: bytes) -> tuple[WrittenLicence, str | None]:
    """What a text with prose around it states, or prose alone; and the file that it refers to."""
    for name, text in (*texts_within(content), ("", content.decode("utf-8", "replace"))):
        if (prose := read_prose(text)) is None:
            continue
        named = prose.licences or ((f"{name}-only",) if prose.exception else ())
        if not named:
            return WrittenLicence("text", name), prose.refers
        is_of_text = name in {"", named[0].removesuffix("-only").removesuffix("-or-later")}
        if len(named) == 1 and is_of_text and (not prose.exception or "GPL-" in named[0]):
            return WrittenLicence("spdx", f"{named[0]} WITH {prose.exception}" if prose.exception else named[0]), None
    return WrittenLicence("text", ""), None


def _sidecar(path: str, content: bytes, _scope: str) -> LicenceStatement | None:
    licences = (WrittenLicence("spdx", own_licence(content) or ""),)
    return LicenceStatement(path, "sidecar", path.removesuffix(".license"), licences) if licences[0].text else None
