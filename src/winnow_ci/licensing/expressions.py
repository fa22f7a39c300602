"""Claims → SPDX expressions, where they are understood."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from winnow_ci.licensing import debian_copyright, licence_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from winnow_ci.licensing.claims import WrittenLicence

GNU = frozenset({"GPL-2.0", "GPL-3.0", "LGPL-2.1", "LGPL-3.0", "AGPL-3.0", "GPL-1.0", "LGPL-2.0"})
# SPDX's list has them as other names of "version 1 or later", which is not what people mean.
_VAGUE = frozenset({"gpl", "lgpl", "agpl", "unlicensed"})


class LicenceReader(NamedTuple):
    """How claims are read.

    Attributes:
        canonical: gives the canonical form of an SPDX expression, or None.
        later: whether the text of a GNU licence stands for its later versions as well.
    """

    canonical: Callable[[str], str | None]
    later: bool

    def of(self, claim: WrittenLicence) -> str | None:
        """The expression that a claim means; None if it is not understood."""
        if not claim.text:
            return None
        if claim.form == "text":
            return self.canonical(self._version_of(claim.text))
        if claim.form == "debian":
            return debian_copyright.expression_of(claim.text, self.spdx)
        if claim.form == "classifiers":
            found = licence_names.expression_of_classifiers(claim.text.split("\n"))
            return found and self.canonical(found)
        if claim.form == "name":
            return self._named(claim.text.split("\n"))
        return self.spdx(claim.text)

    def first(self, claims: Iterable[WrittenLicence]) -> str | None:
        """What the first of some claims means that is understood."""
        return next((found for claim in claims if (found := self.of(claim)) is not None), None)

    def spdx(self, text: str) -> str | None:
        """The canonical form of what should be an SPDX expression."""
        return None if text.strip().lower() in _VAGUE or len(text) > licence_names.LONGEST else self.canonical(text)

    def _named(self, lines: list[str]) -> str | None:
        """What names mean of which one may be chosen."""
        found = [self._one(line) for line in lines]
        if len(found) == 1:
            return found[0]
        return None if None in found else self.canonical(" OR ".join(f"({one})" for one in found))

    def _one(self, name: str) -> str | None:
        expression = self.spdx(name) or self.spdx(name.replace("/", " OR ")) or licence_names.expression_of(name)
        return expression and self.canonical(expression)

    def _version_of(self, name: str) -> str:
        """A licence text does not say whether later versions hold as well; the notices in files do."""
        if name not in GNU:
            return name
        return f"{name}-or-later" if self.later else f"{name}-only"
