"""All that the files of a source say → its licence, and those of its files that have one of their own."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from winnow_ci.licensing.annotation_globs import LastMatchingGlob
from winnow_ci.licensing.claims import LicenceAnnotation, WrittenLicence
from winnow_ci.licensing.expressions import LicenceReader
from winnow_ci.licensing.folder_licences import UNKNOWN, FolderLicence, folder_licence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from winnow_ci.licensing.claims import LicenceClaims, LicenceStatement

MOST_STATEMENTS = 20_000
# Each glob without a folder of its own is tried on each file.
_MOST_TRIES = 5_000_000


@dataclass(slots=True)
class LicenceEvidence:
    """What the files of a source have said so far."""

    statements: list[LicenceStatement] = field(default_factory=list)
    notices: Counter[bool] = field(default_factory=Counter)
    files: int = 0

    def add(self, saying: LicenceClaims | None) -> None:
        """Add what a file says."""
        self.files += 1
        if saying is None:
            return
        if saying.later is not None:
            self.notices[saying.later] += 1
        if saying.statement is not None:
            self.statements.append(saying.statement)
            if len(self.statements) > 2 * MOST_STATEMENTS:
                self.statements = self.nearest_to_the_root()

    def nearest_to_the_root(self) -> list[LicenceStatement]:
        """The statements that count, those about more before those about less."""
        return sorted(self.statements, key=lambda one: (one.path.count("/"), one.path))[:MOST_STATEMENTS]


class SourceLicences:
    """What licences a source and its files have.

    Args:
        evidence: all of it.
        canonical: gives the canonical form of an SPDX expression, or None for what is none.

    Attributes:
        source: that of the source, with where it was read; None if nothing says it.
    """

    def __init__(self, evidence: LicenceEvidence, canonical: Callable[[str], str | None]) -> None:
        notices = evidence.notices
        self._understanding = LicenceReader(canonical, notices[True] > notices[False])
        statements = evidence.nearest_to_the_root()
        texts = {one.path: one for one in statements if one.kind == "text"}
        folders: dict[str, list[LicenceStatement]] = {}
        for one in statements:
            if one.kind != "sidecar":
                folders.setdefault(one.scope, []).append(one)
        self._sidecars = {
            one.scope: self._understanding.first(one.claims) for one in statements if one.kind == "sidecar"
        }
        self._annotated = {
            scope: annotated
            for scope, inside in folders.items()
            if (annotated := _Annotated.of(inside, evidence.files))
        }
        root = folders.pop("", [])
        self.source: FolderLicence | None = folder_licence(root, texts, self._understanding)
        own = {one.digest for one in root if one.digest}
        self._folders = {
            scope: found
            for scope, inside in folders.items()
            if (found := folder_licence([one for one in inside if one.digest not in own], texts, self._understanding))
        }

    def by_itself(self, path: str, own: str | None) -> str | None:
        """The licence of a file by its header, or by the file of that purpose beside it, which REUSE believes first.

        Args:
            path: of the file.
            own: what its header says.
        """
        if path in self._sidecars:
            return self._sidecars[path] or UNKNOWN
        return None if own is None else self._understanding.spdx(own) or UNKNOWN

    def of(self, path: str, own: str | None) -> str | None:
        """The licence of a file; None if nobody says one but what says it of the whole source.

        Args:
            path: of the file.
            own: what its header says.
        """
        itself, annotation = self.by_itself(path, own), self._annotation(path)
        if annotation is None:
            return itself or self._nearest(path)
        noted = self._understanding.of(annotation.claim) or UNKNOWN
        if itself is None or annotation.precedence == "override":
            return noted
        if annotation.precedence == "aggregate" and itself != noted:
            return self._understanding.spdx(f"({itself}) AND ({noted})") or UNKNOWN
        return itself

    def _annotation(self, path: str) -> LicenceAnnotation | None:
        """What the nearest file that annotates says of a file."""
        for folder in _folders_above(path):
            if (annotated := self._annotated.get(folder)) and (found := annotated.find(path[len(folder) :])):
                return found
        return None

    def _nearest(self, path: str) -> str | None:
        for folder in _folders_above(path):
            if stated := self._folders.get(folder):
                return stated.license
        return None


class _Annotated(NamedTuple):
    """What is said of some files of a folder."""

    annotations: tuple[LicenceAnnotation, ...]
    last: LastMatchingGlob

    @classmethod
    def of(cls, statements: list[LicenceStatement], files: int) -> _Annotated | None:
        """What the most believed of some statements says of files."""
        said = [one for one in statements if one.annotations]
        if not said:
            return None
        chosen = next((one for one in said if one.kind == "debian"), said[0])
        globs = [(glob, number) for number, one in enumerate(chosen.annotations) for glob in one.globs]
        last = LastMatchingGlob(globs, debian=not chosen.path.endswith(".toml"))
        if last.tries * files > _MOST_TRIES:
            everything = LicenceAnnotation(("**",), WrittenLicence("spdx", UNKNOWN))
            return cls((everything,), LastMatchingGlob([("**", 0)], debian=False))
        return cls(chosen.annotations, last)

    def find(self, path: str) -> LicenceAnnotation | None:
        """What is said of a file, by its path in the folder."""
        number = self.last(path)
        return None if number is None else self.annotations[number]


def _folders_above(path: str) -> Iterator[str]:
    """The folders that a file is in, the nearest first, and the root."""
    at = path.rfind("/")
    while at >= 0:
        yield path[: at + 1]
        at = path.rfind("/", 0, at)
    yield ""
