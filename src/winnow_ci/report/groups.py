"""Findings in groups, for reports that nobody would read from end to end: by source, by licence or by folder.

What is denied comes first, then the worst level, then the most findings. Names are as they came: each format makes
them harmless in its own way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report import wording
from winnow_ci.report.shown import LEVELS, copied_lines, ranked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from winnow_ci.model import Level
    from winnow_ci.model.findings import Finding
    from winnow_ci.report.shown import GroupBy

# About as many findings as a person reads one after another.
LONG = 20
_NAMED = 3


class FindingGroup(NamedTuple):
    """Findings with something in common.

    Attributes:
        name: of the source with its version, of the licence, or of the folder.
        findings: at least one, as ``ranked`` orders them.
    """

    name: str
    findings: tuple[Finding, ...]

    @property
    def worst(self) -> Level:
        """The severest level."""
        return self.findings[0].level

    @property
    def denied(self) -> bool:
        """Whether the policy denies the licence of a finding."""
        return any(finding.denied for finding in self.findings)

    @property
    def lines(self) -> int:
        """How many lines of the repository are in its findings; a line of two findings counts once."""
        return copied_lines(self.findings)

    @property
    def files(self) -> int:
        """How many files of the repository have its findings."""
        return len({finding.path for finding in self.findings})


def grouped(findings: Iterable[Finding], by: GroupBy) -> list[FindingGroup]:
    """The findings in groups, the most severe and the largest first."""
    groups: dict[str, list[Finding]] = {}
    for finding in ranked(findings):
        groups.setdefault(_name(finding, by), []).append(finding)
    made = (FindingGroup(name, tuple(members)) for name, members in groups.items())
    return sorted(made, key=lambda group: (LEVELS.index(group.worst), not group.denied, -len(group.findings)))


def others(group: FindingGroup, by: GroupBy) -> str:
    """What the group's findings have besides what it is named after: licences, or of a licence the sources."""
    names = list(
        dict.fromkeys(_source(finding) if by == "licence" else _licence(finding) for finding in group.findings)
    )
    more = [f"and {len(names) - _NAMED:,} more"] if len(names) > _NAMED else []
    return ", ".join(names[:_NAMED] + more)


def _name(finding: Finding, by: GroupBy) -> str:
    if by == "folder":
        return f"{finding.path.rpartition('/')[0] or '.'}/"
    return _licence(finding) if by == "licence" else _source(finding)


def _source(finding: Finding) -> str:
    return wording.versioned(finding.source.file.source)


def _licence(finding: Finding) -> str:
    return finding.source.file.source.license
