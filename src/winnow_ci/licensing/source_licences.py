"""All that the files of a source state → its licence, and those of the files that have their own."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from winnow_ci.licensing.annotation_globs import LastMatchingGlob
from winnow_ci.licensing.claims import LicenceAnnotation, WrittenLicence
from winnow_ci.licensing.expressions import LicenceReader
from winnow_ci.licensing.folder_licences import UNKNOWN, FolderLicence, folder_licence
from winnow_ci.licensing.licence_documents import adds_nothing
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import field, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from winnow_ci.licensing.claims import LicenceClaims, LicenceStatement

MOST_STATEMENTS = 20_000
# Where the licence of a file was read that it states itself.
HEADER = "its header"
# Each glob that does not begin with a folder is tried on each file.
_MOST_TRIES = 5_000_000


@record(slots=True)
class LicenceEvidence:
    """What the files of a source have stated so far."""

    statements: list[LicenceStatement] = field(default_factory=list)
    notices: Counter[bool] = field(default_factory=Counter)
    files: int = 0

    def add(self, claims: LicenceClaims | None) -> None:
        """Add what a file states."""
        self.files += 1
        if claims is None:
            return
        if claims.later is not None:
            self.notices[claims.later] += 1
        if claims.statement is not None:
            self.statements.append(claims.statement)
            if len(self.statements) > 2 * MOST_STATEMENTS:
                self.statements = self.nearest_to_the_root()

    def nearest_to_the_root(self) -> list[LicenceStatement]:
        """The statements that count, those near the root first."""
        return sorted(self.statements, key=lambda one: (one.path.count("/"), one.path))[:MOST_STATEMENTS]


class FileLicence(NamedTuple):
    """The licence of a file, and where it was read: in its header, or in these files of its source."""

    license: str
    origin: str


class SourceLicences:
    """The licences of a source and of its files.

    Args:
        evidence: what all files of the source state.
        canonical: gives the canonical form of an SPDX expression, or None for what is none.

    Attributes:
        source: the licence of the source, and where it was read; None if no file states it.
    """

    def __init__(self, evidence: LicenceEvidence, canonical: Callable[[str], str | None]) -> None:
        notices = evidence.notices
        self._reader = LicenceReader(canonical, notices[True] > notices[False])
        statements = evidence.nearest_to_the_root()
        self._texts = {one.path: one for one in statements if one.kind == "text"}
        folders: dict[str, list[LicenceStatement]] = {}
        for one in statements:
            if one.kind != "sidecar":
                folders.setdefault(one.scope, []).append(one)
        self._sidecars = {
            one.scope: FileLicence(self._reader.first(one.licences) or UNKNOWN, one.path)
            for one in statements
            if one.kind == "sidecar"
        }
        self._annotated = {
            scope: annotated
            for scope, inside in folders.items()
            if (annotated := _Annotated.of(inside, evidence.files))
        }
        root = folders.pop("", [])
        self.source: FolderLicence | None = None
        self._folders: dict[str, FolderLicence] = {}
        self.source = self._licence("", root)
        own = {one.digest for one in root if one.digest}
        for scope, inside in sorted(folders.items(), key=lambda folder: folder[0].count("/")):
            if found := self._licence(scope, [one for one in inside if one.digest not in own]):
                self._folders[scope] = found

    def _licence(self, scope: str, inside: list[LicenceStatement]) -> FolderLicence | None:
        """The licence of a folder, when those of the folders around it are there."""
        if documents := [one.document for one in inside if one.document]:
            others = [one for one in inside if not one.document]
            found = folder_licence(others, self._texts, self._reader)
            around, holds = (scope, found) if found else self._around(scope)
            if holds and all(adds_nothing(one, holds.license, around, self._texts, self._reader) for one in documents):
                return found
        return folder_licence(inside, self._texts, self._reader)

    def _around(self, scope: str) -> tuple[str, FolderLicence | None]:
        """The nearest folder around one that states a licence, and that licence."""
        for folder in _folders_above(scope.rstrip("/")):
            if folder and (stated := self._folders.get(folder)):
                return folder, stated
        return "", self.source

    def of_file_itself(self, path: str, own: str | None) -> FileLicence | None:
        """The licence of a file by its sidecar (which comes first, as in REUSE) or its header.

        Args:
            path: of the file.
            own: the licence in its header.
        """
        if path in self._sidecars:
            return self._sidecars[path]
        return None if own is None else FileLicence(self._reader.spdx(own) or UNKNOWN, HEADER)

    def of_file(self, path: str, own: str | None) -> FileLicence | None:
        """The licence of a file; None if it has only that of the whole source.

        Args:
            path: of the file.
            own: the licence in its header.
        """
        itself, noted = self.of_file_itself(path, own), self._noted(path)
        if noted is None:
            return itself or self._nearest(path)
        annotated, precedence = noted
        if itself is None or precedence == "override":
            return annotated
        if precedence == "aggregate" and itself.license != annotated.license:
            both = self._reader.spdx(f"({itself.license}) AND ({annotated.license})") or UNKNOWN
            return FileLicence(both, f"{itself.origin}, {annotated.origin}")
        return itself

    def _noted(self, path: str) -> tuple[FileLicence, str] | None:
        """What the nearest annotations say of a file, and their precedence."""
        for folder in _folders_above(path) if self._annotated else ():
            if (annotated := self._annotated.get(folder)) and (found := annotated.find(path[len(folder) :])):
                licence = self._reader.expression(found.licence) or UNKNOWN
                return FileLicence(licence, annotated.path), found.precedence
        return None

    def _nearest(self, path: str) -> FileLicence | None:
        for folder in _folders_above(path) if self._folders else ():
            if stated := self._folders.get(folder):
                return FileLicence(stated.license, ", ".join(stated.origin))
        return None


class _Annotated(NamedTuple):
    """The annotations of a folder, and the file that has them."""

    path: str
    annotations: tuple[LicenceAnnotation, ...]
    last: LastMatchingGlob

    @classmethod
    def of(cls, statements: list[LicenceStatement], files: int) -> _Annotated | None:
        """The annotations that are believed most; None without any."""
        annotating = [one for one in statements if one.annotations]
        if not annotating:
            return None
        chosen = next((one for one in annotating if one.kind == "debian"), annotating[0])
        globs = [(glob, number) for number, one in enumerate(chosen.annotations) for glob in one.globs]
        last = LastMatchingGlob(globs, debian=not chosen.path.endswith(".toml"))
        if last.tries * files > _MOST_TRIES:
            everything = LicenceAnnotation(("**",), WrittenLicence("spdx", UNKNOWN))
            return cls(chosen.path, (everything,), LastMatchingGlob([("**", 0)], debian=False))
        return cls(chosen.path, chosen.annotations, last)

    def find(self, path: str) -> LicenceAnnotation | None:
        """The annotation of a file, by its path in the folder."""
        number = self.last(path)
        return None if number is None else self.annotations[number]


def _folders_above(path: str) -> Iterator[str]:
    """The folders that a file is in, the nearest first and the root last."""
    at = path.rfind("/")
    while at >= 0:
        yield path[: at + 1]
        at = path.rfind("/", 0, at)
    yield ""
