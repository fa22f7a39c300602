"""Which files state the licence of others, by their names, and what they state.

A file of more than ``LARGEST_STATEMENT`` bytes states nothing.
"""

from __future__ import annotations

import re

from winnow_ci.licensing import package_metadata
from winnow_ci.licensing.claims import LARGEST_STATEMENT, LicenceClaims, LicenceStatement, WrittenLicence
from winnow_ci.licensing.debian_copyright import debian_copyright
from winnow_ci.licensing.headers import allows_later, own_licence
from winnow_ci.licensing.licence_documents import licence_document
from winnow_ci.licensing.licence_texts import recognise

_TEXT = re.compile(r"(un)?licen[cs]e([-_.].*)?|copying([-_.].*)?", re.IGNORECASE)
# Endings of code about licences, which is not the text of one.
_CODE = frozenset(
    "bat c cc cfg cpp cs css go h html ini java jpg js json jsx kt license lua mjs php pl png ps1 py pyi rb rs scala "
    "sh spdx svg swift toml ts tsx vue xml yaml yml".split()
)
_INSTALLED = re.compile(r"(?:(?P<above>.*)/)?(?P<name>[^/-]+)[^/]*\.(?:dist|egg)-info/(?:licenses/)?[^/]+")


def may_state_licence(path: str, size: int) -> bool:
    """Whether a file may state the licence of other files."""
    return size <= LARGEST_STATEMENT and _kind(path) is not None


def licence_claims(path: str, content: bytes) -> LicenceClaims | None:
    """What a file states of licences; None if nothing."""
    own, statement = own_licence(content), _statement(path, content)
    # The text of a licence does not say which code is under it.
    later = None if statement else allows_later(content)
    return None if own is None and later is None and statement is None else LicenceClaims(own, later, statement)


def _kind(path: str) -> str | None:
    """The key of the reader of a file."""
    folder, _, name = path.rpartition("/")
    parent = folder.rpartition("/")[2]
    if name in package_metadata.READERS:
        return name
    if path == "debian/copyright" or (name == "dep5" and parent == ".reuse"):
        return name
    if name in {"METADATA", "PKG-INFO"}:
        return "core metadata" if _is_core_metadata(folder, name) else None
    for ending in (".license", ".gemspec"):
        if name.endswith(ending) and name != ending:
            return ending
    return "text" if _is_text(name, parent) else None


def _is_core_metadata(folder: str, name: str) -> bool:
    """Whether metadata are those of the package that they lie in, and not of one in a folder beside it."""
    if folder.endswith(".egg-info"):
        return "/" not in folder
    return name == "PKG-INFO" or folder.endswith(".dist-info")


def _is_text(name: str, parent: str) -> bool:
    if parent == "LICENSES":
        return True
    _, dot, ending = name.rpartition(".")
    return bool(_TEXT.fullmatch(name)) and not (dot and ending.lower() in _CODE)


def _statement(path: str, content: bytes) -> LicenceStatement | None:
    kind = _kind(path) if len(content) <= LARGEST_STATEMENT else None
    if kind is None:
        return None
    scope = _scope(path)
    if reader := package_metadata.READERS.get(kind):
        return reader(path, content, scope)
    return _OTHERS[kind](path, content, scope)


def _scope(path: str) -> str:
    """The folder that a file states the licence of."""
    folder, _, name = path.rpartition("/")
    above, _, parent = folder.rpartition("/")
    if installed := _INSTALLED.fullmatch(path):
        return _installed(installed)
    if path == "debian/copyright" or folder == "EGG-INFO":
        return ""
    if parent == "LICENSES" or (parent == ".reuse" and name == "dep5"):
        folder = above
    return f"{folder}/" if folder else ""


def _installed(found: re.Match[str]) -> str:
    """The scope of metadata beside installed packages: all of a wheel, else the folder with the package's name."""
    above = found["above"]
    return f"{above}/{found['name'].replace('.', '/')}/" if above else ""


def _text(path: str, content: bytes, scope: str) -> LicenceStatement:
    tag = own_licence(content)
    name, digest = recognise(content)
    claims = [WrittenLicence("spdx", tag)] if tag else []
    parent, _, file = path.rpartition("/")
    if parent.endswith("LICENSES"):
        claims.append(WrittenLicence("spdx", file.rpartition(".")[0] or file))
    claims.append(WrittenLicence("text", name or ""))
    document = None if tag or name else licence_document(path, content)
    return LicenceStatement(path, "text", scope, tuple(claims), digest=digest, document=document)


def _sidecar(path: str, content: bytes, _scope: str) -> LicenceStatement | None:
    tag = own_licence(content)
    return (
        LicenceStatement(path, "sidecar", path.removesuffix(".license"), (WrittenLicence("spdx", tag),))
        if tag
        else None
    )


_OTHERS = {
    "core metadata": package_metadata.core_metadata,
    "copyright": lambda path, content, scope: debian_copyright(path, content, "debian", scope),
    "dep5": lambda path, content, scope: debian_copyright(path, content, "annotations", scope),
    ".license": _sidecar,
    ".gemspec": package_metadata.gemspec,
    "text": _text,
}
