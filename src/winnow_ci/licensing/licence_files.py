"""Find what a file states about its own licence, and about the licences of others.

Of several tags in a header all hold, as in REUSE. A tag does not count between ``REUSE-IgnoreStart`` and
``REUSE-IgnoreEnd``, nor in a string: code that writes such headers is not under the licence that it writes.
"""

from __future__ import annotations

import posixpath
import re
from functools import partial
from typing import TYPE_CHECKING

from winnow_ci.licensing.licence_texts import licence_of_notice, read_prose, texts_within, words_digest
from winnow_ci.licensing.statements import (
    MANIFESTS,
    LicenceClaims,
    LicenceStatement,
    WrittenLicence,
    core_metadata,
    debian_copyright,
    manifest_statement,
    reuse_toml,
)

if TYPE_CHECKING:
    from collections.abc import Callable

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


def may_state_licence(path: str, size: int) -> bool:
    """Whether a file may state the licence of other files."""
    return size <= LARGEST_STATEMENT and _kind(path) is not None


def licence_claims(path: str, content: bytes) -> LicenceClaims | None:
    """Return what a file states about licences; None if nothing."""
    own, kind = own_licence(content), _kind(path) if len(content) <= LARGEST_STATEMENT else None
    statement = _READERS[kind](path, content, _scope(path)) if kind else None
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


def _kind(path: str) -> str | None:
    """How to read a file: a key of ``_READERS``."""
    folder, _, name = path.rpartition("/")
    parent = folder.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    if name in MANIFESTS or name == "REUSE.toml":
        return name
    if path == "debian/copyright" or (name == "dep5" and parent == ".reuse"):
        return "debian copyright"
    if name in {"METADATA", "PKG-INFO"}:
        # Metadata in a nested folder for an egg are about the folder beside it.
        is_own = (
            "/" not in folder if folder.endswith(".egg-info") else name == "PKG-INFO" or folder.endswith(".dist-info")
        )
        return "core metadata" if is_own else None
    if stem and ending in {"license", "gemspec"}:
        return f"*.{ending}"
    is_text = parent == "LICENSES" or (_TEXT.fullmatch(name) and not (dot and ending.lower() in _CODE))
    return "text" if is_text else None


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


_READERS: dict[str, Callable[[str, bytes, str], LicenceStatement | None]] = {
    **{name: partial(manifest_statement, read) for name, read in MANIFESTS.items()},
    "core metadata": core_metadata,
    "debian copyright": debian_copyright,
    "REUSE.toml": reuse_toml,
    "*.license": _sidecar,
    "text": _licence_text,
}
