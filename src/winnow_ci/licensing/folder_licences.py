"""The licence of a folder, by the files in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from winnow_ci.licensing.claims import LicenceStatement, StatementKind
    from winnow_ci.licensing.expressions import LicenceReader

UNKNOWN = "unknown"

# In the order in which they are believed.
_KINDS: tuple[StatementKind, ...] = ("debian", "package", "manifest", "annotations")
_MAIN = re.compile(r"(un)?licen[cs]e|copying", re.IGNORECASE)
_ENDINGS = frozenset({"", "txt", "md", "rst", "markdown", "html", "rtf"})
_RUST = re.compile(r"licen[cs]e-(mit|apache([-_]?2(\.0)?)?)", re.IGNORECASE)
_LESSER = re.compile(r"copying\.(lesser|lib)(\.\w+)?", re.IGNORECASE)


class FolderLicence(NamedTuple):
    """The licence of a folder.

    Attributes:
        license: an SPDX expression; ``unknown`` if the statements are not understood, or contradict each other.
        origin: paths of the files that state it.
        objections: paths and licences of the statements that were not believed.
    """

    license: str
    origin: tuple[str, ...]
    objections: tuple[tuple[str, str], ...] = ()


def folder_licence(
    statements: Sequence[LicenceStatement], texts: Mapping[str, LicenceStatement], reader: LicenceReader
) -> FolderLicence | None:
    """What the statements about one folder amount to; None if they say nothing.

    Args:
        statements: all that are about the folder, in the order of their paths.
        texts: all licence texts of the source, by path.
        reader: how licences are read.
    """
    own_texts = [one for one in statements if one.kind == "text"]
    by_text = _by_texts(own_texts, reader)
    for kind in _KINDS:
        said = _understood((one for one in statements if one.kind == kind), texts, reader)
        if said:
            return _chosen(said, by_text)
    return by_text


def _understood(
    statements: Iterable[LicenceStatement], texts: Mapping[str, LicenceStatement], reader: LicenceReader
) -> dict[str, str]:
    """The licences that are understood, by the paths of the files that state them."""
    found = {}
    for one in statements:
        licence = reader.first(one.licences)
        if licence is None and one.refers is not None and one.refers in texts:
            licence = reader.first(texts[one.refers].licences)
        if licence is not None:
            found[one.path] = licence
    return found


def _chosen(said: Mapping[str, str], by_text: FolderLicence | None) -> FolderLicence:
    """The licence that statements of one kind agree on, or that the licence text confirms."""
    licences = set(said.values())
    text = by_text.license if by_text and by_text.license != UNKNOWN else None
    if len(licences) > 1 and text not in licences:
        return FolderLicence(UNKNOWN, tuple(said), tuple(said.items()))
    licence = licences.pop() if len(licences) == 1 else str(text)
    others = tuple((path, other) for path, other in said.items() if other != licence)
    if by_text and text and not _agrees(text, licence):
        others += ((by_text.origin[0], text),)
    return FolderLicence(licence, tuple(path for path, one in said.items() if one == licence), others)


def _agrees(text: str, licence: str) -> bool:
    """Whether an expression names the licence of a text, which does not show "or later"."""
    return _families(text) <= _families(licence)


def _families(expression: str) -> set[str]:
    names = re.findall(r"[A-Za-z0-9.-]+", expression)
    return {name.removesuffix("-only").removesuffix("-or-later") for name in names} - {"AND", "OR", "WITH"}


def _by_texts(statements: Sequence[LicenceStatement], reader: LicenceReader) -> FolderLicence | None:
    """The licence of a folder by its licence texts.

    A file called plainly LICENSE holds for the folder. LICENSE.python and the like are about parts of it, as are the
    files in LICENSES, unless there are no others. Two different texts that both hold give no answer, with two usual
    exceptions: LICENSE-MIT and LICENSE-APACHE are a choice, and COPYING.LESSER extends COPYING.
    """
    beside = [one for one in statements if "LICENSES/" not in one.path]
    lesser = [one for one in beside if _LESSER.fullmatch(_name(one))]
    mains = lesser or [one for one in beside if _is_main(_name(one))]
    said = {one.path: reader.first(one.licences) or UNKNOWN for one in mains or beside or statements}
    paths, licences = tuple(said), set(said.values())
    # A file called license_header may be anything.
    if not licences or (not mains and UNKNOWN in licences):
        return None
    if len(licences) == 1:
        return FolderLicence(licences.pop(), paths)
    if licences == {"MIT", "Apache-2.0"} and all(_RUST.fullmatch(_stem(one)) for one in beside):
        return FolderLicence("MIT OR Apache-2.0", paths)
    return FolderLicence(UNKNOWN, paths, tuple(said.items()))


def _name(statement: LicenceStatement) -> str:
    return statement.path.rpartition("/")[2]


def _stem(statement: LicenceStatement) -> str:
    name = _name(statement)
    stem, _, ending = name.rpartition(".")
    return stem if ending.lower() in _ENDINGS else name


def _is_main(name: str) -> bool:
    stem, dot, ending = name.partition(".")
    return bool(_MAIN.fullmatch(stem)) and (not dot or ending.lower() in _ENDINGS)
