"""The licences of a source and of its files, decided when all files have been read."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from winnow_ci.errors import UsageError
from winnow_ci.licensing import UNKNOWN, LicenceEvidence, SourceLicences

if TYPE_CHECKING:
    from winnow_ci.licensing import FileLicence, LicenceClaims
    from winnow_ci.model import Source

ARGUMENT = "argument"
MANIFEST = "manifest"
GIVEN = frozenset({ARGUMENT, MANIFEST})


class LicenceCollector:
    """Collects the licences that the files of a source state, until all have been read.

    Args:
        source: the source. If it has a licence, or somebody has stated that it is unknown, that stays; so does a
            licence that was read from the code before.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._is_known = source.license != UNKNOWN or source.license_from is not None
        self._is_given = self._is_known and (source.license_from is None or source.license_from in GIVEN)
        self._evidence = LicenceEvidence()
        self._licences: SourceLicences | None = None

    def add(self, claims: LicenceClaims | None) -> None:
        """Add what a file states."""
        self._evidence.add(claims)

    def licensed(self) -> tuple[Source, tuple[tuple[str, str], ...]]:
        """The source with its licence, and what files state that was not believed: path and licence."""
        stated = None if self._is_known else self._decided().source
        if stated is None:
            return self._source, ()
        origin = _shown(", ".join(stated.origin))
        return self._source._replace(license=stated.license, license_from=origin), stated.objections

    def own_licence(self, licence: str, path: str, header: str | None) -> FileLicence | None:
        """The licence of a file, and where it was read; None if it is that of its source.

        Where the source's licence was given, only what a file states itself, or a file beside it, counts.
        """
        decided = self._decided()
        found = decided.of_file_itself(path, header) if self._is_given else decided.of_file(path, header)
        return None if found is None or found.license == licence else found._replace(origin=_shown(found.origin))

    def _decided(self) -> SourceLicences:
        if self._licences is None:
            self._licences = SourceLicences(self._evidence, canonical)
        return self._licences


def _shown(origin: str) -> str:
    """Paths as text that an index can keep."""
    return origin.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@cache
def canonical(expression: str) -> str | None:
    """The canonical form of an SPDX expression; None if it is not one."""
    from winnow_ci.policy.spdx import canonical_expression  # noqa: PLC0415 - reads the list of licences

    try:
        return canonical_expression(expression)
    except UsageError:
        return None
