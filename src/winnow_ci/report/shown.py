"""Choose the findings of a report: their order, groups, rules and colours."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias, TypeVar, get_args

from winnow_ci.model import Kind, Level, LineRange, Skipped, Source
from winnow_ci.model.changes import WebRepository
from winnow_ci.model.findings import Finding, ScanReport
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import field, record

_T = TypeVar("_T")
_Key = TypeVar("_Key")
# The filter of code that a program wrote (``scanner.attribute``).
GENERATED = "generated code"
LEVELS: tuple[Level, ...] = ("error", "warning", "note")
GroupBy: TypeAlias = Literal["source", "licence", "folder"]
GROUPINGS: tuple[GroupBy, ...] = get_args(GroupBy)
MANY_FINDINGS = 20  # a person reads about as many one after another
OTHERS_OF_GROUP = {"source": "Licences", "licence": "Sources", "folder": "Licences"}
"""What the findings of a group differ in, as a heading."""
_NAMED_OTHERS = 3
# Copies of one file that another is compared with, the last ones.
_MOST_COMPARED = 50
_SGR = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "path": "1",
    "faint": "2",
    "renamed": "36",
    "literal": "35",
    "only-here": "32",
    "only-there": "31",
}


@record(frozen=True, slots=True, eq=False, repr=False)
class ReportStyle:
    """The reader's screen and options."""

    colour: bool = False
    width: int = 100  # in characters
    wraps: bool = False  # whether longer lines of words are broken between words
    # A word that the author of a change cannot foresee; it fences off text in the log of a CI runner.
    guard: str = field(default_factory=lambda: os.urandom(16).hex())
    group_by: GroupBy | None = None  # in ``text`` and ``markdown``; None to group only many findings
    repository: WebRepository | None = None  # where a browser shows the lines of the change
    documentation: str | None = None  # where a browser shows the documentation


def paint(text: str, role: str, style: ReportStyle) -> str:
    """The text in the colour of its role or mark on a terminal, if it has one."""
    return f"\x1b[{_SGR[role]}m{text}\x1b[0m" if style.colour and role in _SGR else text


def with_rest(texts: Iterable[str], most: int) -> list[str]:
    """The first texts, and how many more there are: ``a``, ``b``, ``and 3 more``."""
    listed = list(texts)
    return [*listed[:most], *([f"and {len(listed) - most:,} more"] if listed[most:] else [])]


def by_key(things: Iterable[_T], key: Callable[[_T], _Key]) -> dict[_Key, list[_T]]:
    """The things of each key, all in their order."""
    groups: dict[_Key, list[_T]] = {}
    for one in things:
        groups.setdefault(key(one), []).append(one)
    return groups


def by_place(findings: Iterable[Finding]) -> list[Finding]:
    """Findings sorted by path and line."""
    return sorted(findings, key=lambda finding: (finding.path, finding.lines, finding.id))


def ranked(findings: Iterable[Finding]) -> list[Finding]:
    """Findings sorted by level, those under a denied licence first and weak ones last, then by how much they copy."""

    def rank(finding: Finding) -> tuple[int, bool, bool, int]:
        # A stored report has no more digits.
        copied = finding.tokens * hundredths(finding.similarity)
        return LEVELS.index(finding.level), not finding.denied, finding.strength == "weak", -copied

    return sorted(by_place(findings), key=rank)


def causes(findings: Iterable[Finding]) -> list[tuple[Finding, ...]]:
    """Ranked findings in groups: copies of about the same lines of one file, such as a snippet in five built files."""
    groups: list[list[Finding]] = []
    known: dict[tuple[object, ...], list[list[Finding]]] = {}
    for one in ranked(findings):
        kind = one.level, one.denied, one.strength, one.suppressed, one.in_text
        source = one.source.file.source
        alike = known.setdefault((*kind, versioned(source), source.license, one.source.file.path), [])
        for group in alike[-_MOST_COMPARED:]:
            if _shares(group[0].source.lines, one.source.lines):
                group.append(one)
                break
        else:
            alike.append([one])
            groups.append(alike[-1])
    return list(map(tuple, groups))


def _shares(lines: LineRange, others: LineRange) -> bool:
    """Whether two ranges have at least half of the shorter one in common."""
    common = min(lines.last, others.last) - max(lines.first, others.first) + 1
    return 2 * common >= min(lines.last - lines.first, others.last - others.first) + 1


def unsuppressed(report: ScanReport) -> list[Finding]:
    """The findings that nobody has accepted, sorted by path and line."""
    return [finding for finding in by_place(report.findings) if finding.suppressed is None]


def suppressed_count(report: ScanReport) -> int:
    """How many findings are suppressed."""
    return sum(finding.suppressed is not None for finding in report.findings)


def counts_by_level(report: ScanReport) -> dict[str, int]:
    """How many findings of each level nothing suppresses, and how many are suppressed."""
    return {**{level: report.count(level) for level in LEVELS}, "suppressed": suppressed_count(report)}


def readable(report: ScanReport) -> list[Finding]:
    """The unsuppressed findings that a person should read: reports only count the notes in generated code."""
    return [one for one in unsuppressed(report) if not (one.level == "note" and one.filter == GENERATED)]


def accepted_by_people(report: ScanReport) -> list[Finding]:
    """The findings accepted in a baseline or a comment, sorted by path and line."""
    return [finding for finding in by_place(report.findings) if finding.is_accepted]


def billed(report: ScanReport) -> list[Finding]:
    """The findings that bills of materials list, sorted by path and line."""
    return [one for one in by_place(report.findings) if one.strength == "strong" and one.suppressed != "boilerplate"]


def undecided_count(report: ScanReport) -> int:
    """How many findings stand in the baseline without a decision."""
    return sum(finding.suppressed == "baseline" and not finding.is_accepted for finding in report.findings)


def not_scanned(report: ScanReport) -> list[Skipped]:
    """The files that make a scan incomplete."""
    return [skip for skip in report.skipped if skip.state == "not-scanned"]


def first_added(finding: Finding) -> LineRange:
    """The first copied lines that the change adds: tools drop findings that point outside of it, even partly."""
    return finding.added[0] if finding.added else finding.lines


def hundredths(share: float) -> int:
    """A share as a rounded percentage; 100 only if the share is 1."""
    return 100 if share >= 1 else min(round(share * 100), 99)


def covered_lines(findings: Iterable[Finding]) -> int:
    """How many lines of the repository are in some findings; a line of two findings counts once."""
    count, path, covered = 0, None, 0
    for finding in by_place(findings):
        covered = covered if finding.path == path else 0
        path, (first, last) = finding.path, finding.lines
        count += max(last - max(first - 1, covered), 0)
        covered = max(covered, last)
    return count


class FindingGroup(NamedTuple):
    """Findings with something in common; each format makes the names harmless in its own way."""

    name: str  # of the source with its version, of the licence, or of the folder
    findings: tuple[Finding, ...]  # at least one, as ``ranked`` orders them

    @property
    def level(self) -> str:
        """The severest level, and whether the policy denies the licence of a finding."""
        return level_in_words(self.findings[0].level, denied=self.is_denied)

    @property
    def is_denied(self) -> bool:
        """Whether the policy denies the licence of any."""
        return any(finding.denied for finding in self.findings)

    @property
    def counts(self) -> tuple[str, str, str]:
        """How many findings, lines and files of the repository are in the group."""
        files = len({finding.path for finding in self.findings})
        return f"{len(self.findings):,}", f"{covered_lines(self.findings):,}", f"{files:,}"

    def others(self, by: GroupBy) -> str:
        """The licences of the group's findings, or the sources in a group by licence."""
        other: GroupBy = "source" if by == "licence" else "licence"
        return ", ".join(with_rest(dict.fromkeys(_group_name(one, other) for one in self.findings), _NAMED_OTHERS))


def finding_groups(findings: Iterable[Finding], by: GroupBy) -> list[FindingGroup]:
    """The findings in groups: the worst level first, then groups with a denied licence, then the largest."""

    def rank(group: FindingGroup) -> tuple[int, bool, int]:
        return LEVELS.index(group.findings[0].level), not group.is_denied, -len(group.findings)

    groups = by_key(ranked(findings), lambda finding: _group_name(finding, by))
    return sorted((FindingGroup(name, tuple(members)) for name, members in groups.items()), key=rank)


def level_in_words(level: Level, *, denied: bool) -> str:
    """A level, and whether the policy denies the licence."""
    return f"{level}, denied" if denied else level


def versioned(source: Source) -> str:
    """A source with its version, not yet made harmless."""
    return f"{source.name} {source.version}" if source.version else source.name


def _group_name(finding: Finding, by: GroupBy) -> str:
    if by == "folder":
        return f"{finding.path.rpartition('/')[0] or '.'}/"
    source = finding.source.file.source
    return source.license if by == "licence" else versioned(source)


class FindingRule(NamedTuple):
    """A rule that findings fall under in SARIF, Code Quality and JUnit; its id never changes.

    GitHub shows the texts beside an alert, and cuts descriptions at 1,024 characters.
    """

    id: str
    short: str
    full: str
    precision: str  # in GitHub's words, how often such a finding is right


NOT_SCANNED = "not-scanned"
TOO_MANY = "left-out"
RULES: dict[Kind, FindingRule] = {
    "verbatim": FindingRule(
        "copied-verbatim",
        "Lines copied from known external code",
        "The change adds code whose tokens, all or all but a few, equal those of a file in the index of known code. "
        "White space and comments are not compared. The licence of that source governs the copied lines.",
        "very-high",
    ),
    "renamed": FindingRule(
        "copied-renamed",
        "Lines copied from known external code, with names changed",
        "The change adds code that has the structure of a file in the index of known code: the same keywords, "
        "operators and punctuation, and most names correspond one to one. The licence of that source may govern the "
        "copied lines.",
        "high",
    ),
    "restated": FindingRule(
        "restated",
        "Lines that may restate known external code",
        "The change has rare names, comments, messages and numbers of a file in the index of known code, near each "
        "other, and little of its structure. Somebody may have rewritten that file, or both may use the same library.",
        "medium",
    ),
    "translated": FindingRule(
        "translated",
        "Lines that may be known external code in another language",
        "The change has rare names, comments, messages and numbers of a file in the index of known code, near each "
        "other. That file is in another language. Somebody may have translated it, or both may have the same origin.",
        "medium",
    ),
}
HELP = {
    "Where it comes from": "The message names the source, its version and licence, and the lines there.",
    "If it was copied": (
        "Keep to the licence (notice, attribution, source code: whatever it asks for) and allow it in the policy, or "
        "use the library as a dependency, or write your own code."
    ),
    "If it was not copied": (
        "List files that everybody has as boilerplate, leave generated or vendored folders out of the paths, or allow "
        "the licence. All of these are settings in .winnow.yml."
    ),
}
"""What to do about a finding: heading → paragraph."""


def rule_id(finding: Finding) -> str:
    """The id of the rule that a finding falls under."""
    return RULES[finding.kind].id
