"""Decide the licence of a source, its folders and its files."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from winnow_ci.licensing.expressions import (
    LONGEST_LICENCE,
    expression_of_classifiers,
    expression_of_name,
    expression_of_synopsis,
)
from winnow_ci.licensing.statements import (
    LicenceAnnotation,
    LicenceClaims,
    LicenceStatement,
    StatementKind,
    WrittenLicence,
)
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import field, record

UNKNOWN = "unknown"

_GNU_TEXTS = frozenset({"GPL-2.0", "GPL-3.0", "LGPL-2.1", "LGPL-3.0", "AGPL-3.0", "GPL-1.0", "LGPL-2.0"})
# SPDX's list has them as other names of "version 1 or later", which is not what people mean.
_VAGUE = frozenset({"gpl", "lgpl", "agpl", "unlicensed"})
_MOST_STATEMENTS = 20_000
# Where the licence of a file was read that it states itself.
_HEADER = "its header"
# Each glob that does not begin with a folder is tried on each file.
_MOST_TRIES = 5_000_000
# Most trusted first.
_KINDS: tuple[StatementKind, ...] = ("debian", "package", "manifest", "annotations")
_ENDING = r"(\.(txt|md|rst|markdown|html|rtf|))?"
_MAIN = re.compile(rf"((un)?licen[cs]e|copying){_ENDING}", re.IGNORECASE)
_RUST = re.compile(rf"licen[cs]e-(mit|apache([-_]?2(\.0)?)?){_ENDING}", re.IGNORECASE)
_LESSER = re.compile(r"copying\.(lesser|lib)(\.\w+)?", re.IGNORECASE)


@record(slots=True)
class LicenceEvidence:
    """What the files of a source have stated so far."""

    statements: list[LicenceStatement] = field(default_factory=list)
    notices: Counter[bool] = field(default_factory=Counter)
    files: int = 0

    def add(self, claims: LicenceClaims | None) -> None:
        """Add what a file states."""
        self.files += 1
        if claims and claims.later is not None:
            self.notices[claims.later] += 1
        if claims and claims.statement:
            self.statements.append(claims.statement)
            if len(self.statements) > 2 * _MOST_STATEMENTS:
                self.statements = self.nearest_to_the_root()

    def nearest_to_the_root(self) -> list[LicenceStatement]:
        """Return the statements that count, those near the root first."""
        return sorted(self.statements, key=lambda one: (one.path.count("/"), one.path))[:_MOST_STATEMENTS]


class FileLicence(NamedTuple):
    """The licence of a file, and where it was read."""

    license: str
    origin: str


class FolderLicence(NamedTuple):
    """The licence of a folder."""

    license: str  # an SPDX expression; ``unknown`` if the statements are not understood, or contradict each other
    origin: tuple[str, ...]  # paths of the files that state it
    objections: tuple[tuple[str, str], ...] = ()  # paths and licences of the statements that were not believed


class SourceLicences:
    """The licences of a source (``source``; None if unstated) and its files.

    ``canonical`` gives the canonical form of an SPDX expression, or None for other texts.
    """

    def __init__(self, evidence: LicenceEvidence, canonical: Callable[[str], str | None]) -> None:
        notices, statements = evidence.notices, evidence.nearest_to_the_root()
        self._canonical = canonical
        # A licence text does not say whether later versions of a GNU licence hold as well; the notices in files do.
        self._of_gnu_text = "-or-later" if notices[True] > notices[False] else "-only"
        self._texts = {one.path: one for one in statements if one.kind == "text"}
        self._sidecars: dict[str, FileLicence] = {}
        folders: dict[str, list[LicenceStatement]] = {}
        for one in statements:
            if one.kind == "sidecar":
                self._sidecars[one.scope] = FileLicence(self._first(one.licences) or UNKNOWN, one.path)
            else:
                folders.setdefault(one.scope, []).append(one)
        self._annotated: dict[str, FolderAnnotations] = {}
        for scope, inside in folders.items():
            annotating = sorted((one for one in inside if one.annotations), key=lambda one: one.kind != "debian")
            if annotating:
                self._annotated[scope] = FolderAnnotations(annotating[0], evidence.files)
        root = folders.pop("", [])
        self.source = self._stated(root)
        own = {one.digest for one in root if one.digest}
        inner = ((scope, [one for one in inside if one.digest not in own]) for scope, inside in folders.items())
        self._folders = {scope: licence for scope, inside in inner if (licence := self._stated(inside))}

    def of_file_itself(self, path: str, own: str | None) -> FileLicence | None:
        """Return a file's licence by its sidecar (as in REUSE) or header."""
        if path in self._sidecars:
            return self._sidecars[path]
        return None if own is None else FileLicence(self._spdx(own) or UNKNOWN, _HEADER)

    def of_file(self, path: str, own: str | None, notice: str | None = None) -> FileLicence | None:
        """Return a file's licence; None if it is the source's.

        A ``notice`` in its header counts where nothing else is stated.
        """
        found = self._stated_of(path, own)
        return FileLicence(notice, _HEADER) if notice and not (found or self.source) else found

    def _stated_of(self, path: str, own: str | None) -> FileLicence | None:
        itself = self.of_file_itself(path, own)
        above = _folders_above(path) if self._annotated or self._folders else []
        for folder in above:
            if (near := self._annotated.get(folder)) and (found := near.find(path[len(folder) :])):
                annotated = FileLicence(self._expression(found.licence) or UNKNOWN, near.path)
                return self._together(itself, annotated, found.precedence)
        stated = next((self._folders[folder] for folder in above if folder in self._folders), None)
        return itself or (FileLicence(stated.license, ", ".join(stated.origin)) if stated else None)

    def _together(self, itself: FileLicence | None, annotated: FileLicence, precedence: str) -> FileLicence:
        if itself is None or precedence == "override":
            return annotated
        if precedence == "aggregate" and itself.license != annotated.license:
            both = self._spdx(f"({itself.license}) AND ({annotated.license})") or UNKNOWN
            return FileLicence(both, f"{itself.origin}, {annotated.origin}")
        return itself

    # ---- written licences ---------------------------------------------------------------------------------------

    def _first(self, licences: Iterable[WrittenLicence]) -> str | None:
        """The expression for the first licence that is understood."""
        return next((found for one in licences if (found := self._expression(one)) is not None), None)

    def _expression(self, licence: WrittenLicence) -> str | None:
        """The expression for a licence; None if not understood."""
        form, text = licence
        if not text:
            return None
        if form == "text":
            return self._canonical(f"{text}{self._of_gnu_text if text in _GNU_TEXTS else ''}")
        if form == "debian":
            return expression_of_synopsis(text, self._spdx)
        if form == "classifiers":
            found = expression_of_classifiers(text.split("\n"))
            return found and self._canonical(found)
        return self._choice(text.split("\n")) if form == "name" else self._spdx(text)

    def _spdx(self, text: str) -> str | None:
        """The canonical form of what should be an SPDX expression."""
        return None if text.strip().lower() in _VAGUE or len(text) > LONGEST_LICENCE else self._canonical(text)

    def _choice(self, names: list[str]) -> str | None:
        found = [self._named(name) for name in names]
        if len(found) == 1:
            return found[0]
        return None if None in found else self._canonical(" OR ".join(f"({one})" for one in found))

    def _named(self, name: str) -> str | None:
        expression = self._spdx(name) or self._spdx(name.replace("/", " OR ")) or expression_of_name(name)
        return expression and self._canonical(expression)

    # ---- folders ------------------------------------------------------------------------------------------------

    def _stated(self, statements: Sequence[LicenceStatement]) -> FolderLicence | None:
        """The licence that statements about one folder amount to."""
        by_text = self._by_texts([one for one in statements if one.kind == "text"])
        for kind in _KINDS:
            written = ((one.path, self._licence(one)) for one in statements if one.kind == kind)
            if said := {path: licence for path, licence in written if licence is not None}:
                return _chosen(said, by_text)
        return by_text

    def _licence(self, statement: LicenceStatement) -> str | None:
        licence = self._first(statement.licences)
        if licence is None and statement.refers in self._texts:
            licence = self._first(self._texts[statement.refers].licences)
        return licence

    def _by_texts(self, statements: Sequence[LicenceStatement]) -> FolderLicence | None:
        """The licence of a folder by its licence texts.

        A file called plainly LICENSE holds for the folder. LICENSE.python and similar files are about parts of it, as
        are the files in LICENSES, unless there are no others. Two different texts that both hold give no answer, with
        two usual exceptions: LICENSE-MIT and LICENSE-APACHE are a choice, and COPYING.LESSER extends COPYING.
        """
        beside = [one for one in statements if "LICENSES/" not in one.path]
        lesser = [one for one in beside if _LESSER.fullmatch(_name(one))]
        mains = lesser or [one for one in beside if _MAIN.fullmatch(_name(one))]
        said = {one.path: self._licence(one) or UNKNOWN for one in mains or beside or statements}
        paths, licences = tuple(said), set(said.values())
        # A file called license_header may be anything.
        if not licences or (not mains and UNKNOWN in licences):
            return None
        if len(licences) == 1:
            return FolderLicence(licences.pop(), paths)
        if licences == {"MIT", "Apache-2.0"} and all(_RUST.fullmatch(_name(one)) for one in beside):
            return FolderLicence("MIT OR Apache-2.0", paths)
        return FolderLicence(UNKNOWN, paths, tuple(said.items()))


def _chosen(said: Mapping[str, str], by_text: FolderLicence | None) -> FolderLicence:
    """The licence that statements agree on, or a licence text confirms."""
    licences = set(said.values())
    text = by_text.license if by_text and by_text.license != UNKNOWN else None
    if len(licences) > 1 and text not in licences:
        return FolderLicence(UNKNOWN, tuple(said), tuple(said.items()))
    licence = licences.pop() if len(licences) == 1 else str(text)
    others = tuple((path, other) for path, other in said.items() if other != licence)
    # A text does not show "or later".
    if by_text and text and not _families(text) <= _families(licence):
        others += ((by_text.origin[0], text),)
    return FolderLicence(licence, tuple(path for path, one in said.items() if one == licence), others)


def _families(expression: str) -> set[str]:
    names = re.findall(r"[A-Za-z0-9.-]+", expression)
    return {name.removesuffix("-only").removesuffix("-or-later") for name in names} - {"AND", "OR", "WITH"}


def _name(statement: LicenceStatement) -> str:
    return statement.path.rpartition("/")[2]


def _folders_above(path: str) -> list[str]:
    """The folders of a file, the nearest first, the root last."""
    ends = [found.end() for found in re.finditer("/", path)]
    return [path[:end] for end in (*reversed(ends), 0)]


# ---- annotations ------------------------------------------------------------------------------------------------


class FolderAnnotations:
    """The annotations of a folder; the last one that matches a path counts."""

    def __init__(self, statement: LicenceStatement, files: int) -> None:
        self.path = statement.path
        self._annotations = statement.annotations
        self._literal: dict[str, int] = {}
        # By the folder that they begin with; empty for any.
        self._below: defaultdict[str, list[tuple[int, AnnotationGlob]]] = defaultdict(list)
        globs = ((number, glob) for number, one in enumerate(self._annotations) for glob in one.globs)
        for number, pattern in globs:
            glob = AnnotationGlob(pattern, debian=not self.path.endswith(".toml"))
            if glob.is_literal:
                self._literal[glob.prefix] = number
            else:
                self._below[glob.prefix[: glob.prefix.find("/") + 1]].append((number, glob))
        self._is_costly = len(self._below[""]) * files > _MOST_TRIES

    def find(self, path: str) -> LicenceAnnotation | None:
        """Return the annotation of a file, by its path in the folder; an unknown one if to find it takes too long."""
        if self._is_costly:
            return LicenceAnnotation((), WrittenLicence("spdx", UNKNOWN))
        last = self._literal.get(path, -1)
        for top in {"", path[: path.find("/") + 1]} & self._below.keys():
            last = max(last, next((number for number, glob in reversed(self._below[top]) if glob.matches(path)), -1))
        return self._annotations[last] if last >= 0 else None


class AnnotationGlob:
    """A glob of REUSE or Debian, matched in linear time.

    The states that the matching can be in are the bits of one number, so nothing is tried twice. In globs of REUSE
    ``*`` stops at ``/`` and ``**`` does not; in Debian's ``*`` does not stop, and ``?`` is any character. In both, a
    backslash makes the next character an ordinary one.
    """

    def __init__(self, pattern: str, *, debian: bool) -> None:
        # The characters, None for any; and two masks of where anything may stand, and where anything but "/".
        elements: list[str | None] = []
        self._anything = self._names = 0
        for part in re.findall(r"\\.|\*+|.", pattern, re.DOTALL):
            if part[0] != "*":
                elements.append(None if debian and part == "?" else part[-1])
            elif debian or part != "*":
                self._anything |= 1 << len(elements)
            else:
                self._names |= 1 << len(elements)
        self._end = 1 << len(elements)
        self._any = sum(1 << at for at, element in enumerate(elements) if element is None)
        self._masks: dict[str, int] = {}
        for at, element in enumerate(elements):
            if element is not None:
                self._masks[element] = self._masks.get(element, self._any) | 1 << at
        stars = self._anything | self._names
        plain = next((at for at, one in enumerate(elements) if one is None or stars >> at & 1), len(elements))
        self.prefix = "".join(element or "" for element in elements[:plain])
        self.is_literal = plain == len(elements) and not stars

    def matches(self, path: str) -> bool:
        """Whether the whole path is matched."""
        if not path.startswith(self.prefix):
            return False
        states = 1
        for character in path:
            stay = states & (self._anything if character == "/" else self._anything | self._names)
            states = (states & self._masks.get(character, self._any)) << 1 | stay
            if not states:
                return False
        return bool(states & self._end)
