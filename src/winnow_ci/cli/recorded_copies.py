"""What ``scan --update-baseline`` and ``approve`` say of the baseline that they have written, on standard error."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.cli import messages
from winnow_ci.report.printable import name
from winnow_ci.report.wording import range_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.model import Place
    from winnow_ci.model.findings import Finding
    from winnow_ci.operations.baseline_place import BaselinePlace
    from winnow_ci.operations.baseline_update import BaselineUpdate

_NAMED = 20


def say(update: BaselineUpdate) -> None:
    """Say which copies were recorded, and which were not because the policy denies them."""
    added = sum(copies.entries for copies in update.added)
    _say_place(update.place)
    path = _file(update.place.path)
    messages.say(f"winnow-ci: {path}: {added:,} added, {update.kept:,} kept, {update.removed:,} removed")
    _say_some([f"{copies.entries:,} from {copies.source} ({copies.license})" for copies in update.added], "sources")
    _say_denied(update.denied)
    if update.added or update.removed:
        _say_what_to_stage(update.place)


def say_approved(
    place: BaselinePlace, findings: Sequence[Finding], denied: Sequence[tuple[Finding, Place]] = ()
) -> None:
    """Say which copies were approved, or of many how many from each source, and when that counts."""
    _say_place(place)
    messages.say(f"winnow-ci: {_file(place.path)}: {len(findings):,} approved")
    if len(findings) <= _NAMED:
        _say_some([_copy(finding, finding.source) for finding in findings], "findings")
    else:
        sources = Counter(finding.source.file.source for finding in findings).most_common()
        _say_some([f"{count:,} from {source.name} ({source.license})" for source, count in sources], "sources")
    _say_denied(denied)
    if findings:
        _say_what_to_stage(place)
        messages.say("winnow-ci: for a pull request this counts once it is merged (docs/ci.md, How to approve a copy)")


def _say_denied(denied: Sequence[tuple[Finding, Place]]) -> None:
    if denied:
        why = "since policy.deny names the licence (but see --including-denied)"
        messages.say(f"winnow-ci: {len(denied):,} not recorded, {why}:")
    _say_some([_copy(finding, place) for finding, place in denied], "findings")


def _say_place(place: BaselinePlace) -> None:
    if place.edited is not None:
        messages.say(f"winnow-ci: {_file(place.configuration)}: names the baseline now")


def _say_what_to_stage(place: BaselinePlace) -> None:
    files = [place.path, *([place.configuration] if place.edited is not None else [])]
    messages.say(f"winnow-ci: a commit hook counts it once it is staged: git add {' '.join(map(_file, files))}")


def _file(path: Path) -> str:
    """The path of a file, from the current folder on if it lies there."""
    here = Path.cwd()
    return name(str(path.relative_to(here) if path.is_relative_to(here) else path))


def _copy(finding: Finding, place: Place) -> str:
    source = place.file.source
    return f"{finding.id}  {finding.path}:{range_of(finding.lines)} from {source.name} ({source.license})"


def _say_some(said: Sequence[str], kind: str) -> None:
    """Say the first lines, then how many more there are."""
    for line in said[:_NAMED]:
        messages.say(f"  {name(line)}")
    if more := len(said[_NAMED:]):
        messages.say(f"  and {more:,} more {kind}")
