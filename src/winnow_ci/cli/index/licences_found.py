"""What ``index build``, ``index add`` and ``index sync`` say of the licences that they have found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.report.printable import name
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.indexer import AddedFiles

_OBJECTIONS = 5
_LICENCES = 5


def lines(added: AddedFiles, setting: str) -> Iterator[str]:
    """The licence, where it was read, licences of single files, and statements that were not believed.

    Args:
        added: what was added.
        setting: how to say which licence it is, such as ``pass --license``.
    """
    yield f"licence {_licence(added, setting)}{_of_files(added)}"
    for path, licence in added.objections[:_OBJECTIONS]:
        yield f"{name(path)} says {name(licence)}: {setting} to settle it"


def _licence(added: AddedFiles, setting: str) -> str:
    from winnow_ci.indexer import GIVEN

    # Of several versions, the last one added is the newest as a rule.
    source = added.sources[-1]
    if source.license_from is None:
        return f"{name(source.license)} (nothing says it; {setting})"
    origin = name(source.license_from)
    if source.license == "unknown" and source.license_from not in GIVEN:
        return f"unknown ({origin} is not understood; {setting})"
    return f"{name(source.license)} (from {origin})"


def _of_files(added: AddedFiles) -> str:
    if not added.own_licences:
        return ""
    files = sum(count for _, count in added.own_licences)
    some = [f"{count:,} {name(licence)}" for licence, count in added.own_licences[:_LICENCES]]
    if more := len(added.own_licences) - _LICENCES:
        some += [f"and {counted(more, 'more licence')}"] if more > 0 else []
    return f"; {counted(files, 'file has', 'files have')} another: {', '.join(some)}"
