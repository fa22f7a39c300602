"""The findings that the command line names: by id, or enough of its beginning, or by source and licence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from winnow_ci.model.findings import Finding

_LISTED = 5
_OPTIONS = "give the options that the scan had"


def finding_of(findings: Sequence[Finding], wanted: str) -> Finding:
    """The finding of that id, or the only one whose id begins so.

    Raises:
        UsageError: there is none, or more than one.
    """
    exact = [finding for finding in findings if finding.id == wanted]
    begun = [finding for finding in findings if wanted and finding.id.startswith(wanted)]
    if exact or len(begun) == 1:
        return (exact or begun)[0]
    if begun:
        problem = f"{len(begun)} findings have ids that begin with {wanted}"
        raise UsageError(problem, f"give one of {_listed([finding.id for finding in begun])}")
    raise UsageError(f"no finding of this scan has the id {wanted!r}", _remedy([each.id for each in findings], wanted))


def findings_from(findings: Sequence[Finding], sources: Sequence[str], licences: Sequence[str]) -> list[Finding]:
    """The findings that nothing suppresses from one of the sources and under one of the licences.

    Args:
        findings: of a scan.
        sources: names; empty for all.
        licences: SPDX expressions as reports show them; empty for all.

    Raises:
        UsageError: there is none.
    """
    shown = [(finding, finding.source.file.source) for finding in findings if finding.suppressed is None]
    for name in sources:
        _check("source", name, {source.name for _, source in shown})
    for licence in licences:
        _check("licence", licence, {source.license for _, source in shown})
    return [
        finding
        for finding, source in shown
        if (not sources or source.name in sources) and (not licences or source.license in licences)
    ]


def _check(kind: str, wanted: str, known: Collection[str]) -> None:
    if wanted not in known:
        has = f"there are findings of {_listed(sorted(known))}; {_OPTIONS}" if known else f"it has none: {_OPTIONS}"
        remedy = did_you_mean(wanted, sorted(known), has)
        raise UsageError(f"no open finding of this scan has the {kind} {wanted!r}", remedy)


def _remedy(ids: Sequence[str], wanted: str) -> str:
    if not ids:
        return f"it has no findings at all: {_OPTIONS}"
    import difflib

    if near := difflib.get_close_matches(wanted, ids, n=3):
        return f"did you mean {' or '.join(near)}? Otherwise {_OPTIONS}"
    return f"its ids are {_listed(ids)}; {_OPTIONS}"


def _listed(ids: Sequence[str]) -> str:
    more = len(ids) - _LISTED
    return ", ".join(ids[:_LISTED]) + (f" and {more:,} more" if more > 0 else "")
