"""What ``scan --update-baseline`` says of the baseline that it has written, on standard error."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from winnow_ci.report.printable import name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.model import Place
    from winnow_ci.model.findings import Finding
    from winnow_ci.operations.baseline_update import BaselineUpdate

_NAMED = 20


def say(update: BaselineUpdate) -> None:
    """Say which copies were recorded, and which were not because the policy denies them."""
    added = sum(copies.entries for copies in update.added)
    path = name(str(update.path))
    _say(f"winnow-ci: {path}: {added:,} added, {update.kept:,} kept, {update.removed:,} removed")
    _say_some([f"{copies.entries:,} from {copies.source} ({copies.license})" for copies in update.added], "sources")
    if refused := len(update.denied):
        _say(f"winnow-ci: {refused:,} not recorded, since policy.deny names the licence (but see --including-denied):")
    _say_some([_denied(finding, place) for finding, place in update.denied], "findings")


def _denied(finding: Finding, place: Place) -> str:
    (first, last), source = finding.lines, place.file.source
    return f"{finding.id}  {finding.path}:{first}-{last} from {source.name} ({source.license})"


def _say_some(lines: Sequence[str], kind: str) -> None:
    """Say the first lines, then how many more there are."""
    for line in lines[:_NAMED]:
        _say(f"  {name(line)}")
    if more := len(lines[_NAMED:]):
        _say(f"  and {more:,} more {kind}")


def _say(line: str) -> None:
    print(line, file=sys.stderr)
