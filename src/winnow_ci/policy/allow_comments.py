"""Comments that allow a copy: ``winnow-ci: allow curl taken with its author's leave`` (docs/configuration.md).

The first word is a pattern of the source's name, or of its licence. A pattern of a licence does not suppress a copy
that another source has under a licence which would be an error: there a person has to name the source. No comment
allows a copy under a licence that ``policy.deny`` names.

Whoever adds a copy can add a comment, too. So where a change is judged by the rules of its base, only the base's
comments count, and only if at least half of the copy is in the base, unless those rules say otherwise. A comment that
the target branch has removed since does not count either: the author of a change chooses where it begins.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Literal, TypeAlias

from winnow_ci.model import LineRange
from winnow_ci.model.findings import Finding
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.policy.license_policy import LicensePolicy, denied_place
from winnow_ci.policy.patterns import SourcePatterns
from winnow_ci.start_up import compiled_on_use

CommentTrust: TypeAlias = Literal["never", "base", "always"]
"""Which comments count: none, those of the base, or those of the change as well."""

COMMENT_MARK = "winnow-ci:"
_ALLOW = compiled_on_use(r"winnow-ci:[ \t]*allow\b[ \t]*([^\s]*)[ \t]*([^\r]*)")
_ENDS = ("*/", "-->", "#}", "*)", "-}", "%>", "|#")
# One copy needs few comments; the author of a change may write many, to keep a scan busy.
_MOST_NEAR = 100
_LONGEST = 200
_FEWEST_WORDS = 2
# Of each kind of notice, since the author of a change may write thousands.
_MOST_NOTICES = 10
# A reviewer must see what a change allows itself.
_HONOURED = "copies that the change itself allows"
_MOST_HONOURED = 200

_Notice: TypeAlias = tuple[str, str]  # its kind, and its text


class AllowComment(NamedTuple):
    """A comment that allows a copy, at a line of a path."""

    path: str
    line: int
    first: int  # line of the comment that it is part of
    last: int
    pattern: str  # of the names of sources, or of licences
    reason: str
    is_new: bool  # whether the change adds its line
    on_new: bool  # whether the change also adds the line after the comment
    is_withdrawn: bool = False  # whether the branch that the change is for no longer has it

    def against(self, added: Sequence[LineRange]) -> AllowComment:
        """The same comment, given other lines that count as added, in order."""
        is_new = _within(self.line, added)
        return self._replace(is_new=is_new, on_new=is_new and _within(self.last + 1, added))

    @property
    def problem(self) -> str | None:
        """Why it has no effect, if so."""
        if not any(map(str.isalnum, self.pattern)):
            return "names neither a source nor a licence"
        if len(re.findall(r"\w+", self.reason)) < _FEWEST_WORDS:
            return "gives no reason (at least two words)"
        return None


def read_comment(
    path: str, text: str, line: int, lines: LineRange, added: Sequence[LineRange]
) -> Iterator[AllowComment]:
    """Yield the comments that allow a copy, in a comment of a file that begins on a line; line feeds end its lines.

    ``lines`` are those of all comments that are read as one with it, ``added``, in order, those that the change adds.
    """
    for number, content in enumerate(text.split("\n"), line):
        if found := _ALLOW.search(content):
            pattern, reason = _without_end(found[1]), _without_end(found[2])
            comment = AllowComment(path, number, *lines, pattern, reason, is_new=False, on_new=False)
            yield comment.against(added)


def _without_end(text: str) -> str:
    text = text.rstrip()
    for end in _ENDS:
        text = text.removesuffix(end)
    return text.rstrip()[:_LONGEST]


def allow(
    findings: Iterable[Finding],
    comments: Mapping[str, Sequence[AllowComment]],
    trust: CommentTrust,
    policy: LicensePolicy | None = None,
    *,
    whole: Iterable[str] = (),
    has_base: bool = True,
) -> tuple[list[Finding], list[str]]:
    """Suppress the findings that comments allow, and return notices about the comments.

    Comments come by path, in the order of their lines. The policy's ``deny`` is stronger than a comment. ``whole`` are
    paths of files that were looked up as a whole. Without a base of the change, all comments count as the base's.
    """
    trust = "always" if trust == "base" and not has_base else trust
    allowed: list[Finding] = []
    notices: list[_Notice] = []
    used: set[AllowComment] = set()
    for finding in findings:
        near = _near(finding, comments.get(finding.path, ()))
        naming = [comment for comment in near if comment.problem is None and _names(comment, finding)]
        used.update(naming, (comment for comment in near if comment.problem))
        if finding.suppressed is not None:
            allowed.append(finding)
            continue
        if naming and (denied := denied_place(finding, policy)):
            reason = f"has no effect: policy.deny names {denied.file.source.license} (approve --including-denied)"
            notices += [_ignored(comment, reason) for comment in naming]
            naming = []
        allowed.append(_judged(finding, naming, trust, notices, has_base=has_base))
        if allowed[-1].suppressed is None:
            notices += [_ignored(comment, comment.problem) for comment in near if comment.problem]
    seen = set(whole)
    of_all = () if trust == "never" else (comment for of_file in comments.values() for comment in of_file)
    unused = (one for one in of_all if (one.on_new or one.path in seen) and one not in used)
    return allowed, _listed([*notices, *map(_unused, unused)])


def _judged(
    finding: Finding, naming: Sequence[AllowComment], trust: CommentTrust, notices: list[_Notice], *, has_base: bool
) -> Finding:
    for comment in naming:
        if reason := _mistrust(comment, finding, trust):
            notices.append(_ignored(comment, reason))
            continue
        if comment.is_new and has_base:
            notices.append(_honoured(comment, finding))
        return finding._replace(suppressed="inline", reason=comment.reason)
    return finding


def _mistrust(comment: AllowComment, finding: Finding, trust: CommentTrust) -> str | None:
    if trust == "never":
        return "has no effect: the configuration has suppressions.inline: never"
    if trust == "base" and comment.is_new:
        return "is part of the change, and has an effect only if the base has suppressions.inline: always"
    if trust == "base" and comment.is_withdrawn:
        return "is gone from that place on the target branch, and no longer counts"
    added, (first, last) = sum(end - start + 1 for start, end in finding.added), finding.lines
    if trust == "base" and 2 * added > last - first + 1:
        return "was there before the copy, so it does not allow it"
    return None


def _near(finding: Finding, comments: Sequence[AllowComment]) -> list[AllowComment]:
    begin = bisect_left(comments, finding.lines.first - 1, key=attrgetter("last"))
    end = bisect_left(comments, finding.lines.last + 1, lo=begin, key=attrgetter("first"))
    return list(comments[begin : min(end, begin + _MOST_NEAR)])


def _names(comment: AllowComment, finding: Finding) -> bool:
    source = finding.source.file.source
    if SourcePatterns((comment.pattern,)).matches(source.name):
        return True
    return finding.objection is None and _allows_licence(comment.pattern, source.license)


@lru_cache(1 << 10)
def _allows_licence(pattern: str, licence: str) -> bool:
    try:
        return LicensePolicy(allow=(pattern,)).verdict(licence) == "allow"
    except ValueError:
        return False


def _within(line: int, ranges: Sequence[LineRange]) -> bool:
    number = bisect_left(ranges, line, key=attrgetter("last"))
    return number < len(ranges) and ranges[number].first <= line


def _honoured(comment: AllowComment, finding: Finding) -> _Notice:
    source, (first, last) = finding.source.file.source, finding.lines
    what = f"{finding.path}:{first}-{last} is copied from {source.name} ({source.license}): {comment.reason}"
    return _HONOURED, f"the change allows its own copy on line {comment.line}: {what}"


def _ignored(comment: AllowComment, reason: str) -> _Notice:
    return "comments without effect", f"{comment.path}:{comment.line}: this winnow-ci: allow {reason}"


def _unused(comment: AllowComment) -> _Notice:
    if comment.problem:
        return _ignored(comment, comment.problem)
    allowed = f"{comment.path}:{comment.line}: winnow-ci: allow {comment.pattern}"
    return "comments without a copy", f"{allowed}: no such copy at this comment"


def _listed(notices: Iterable[_Notice]) -> list[str]:
    by_kind = defaultdict[str, list[str]](list)
    for kind, notice in dict.fromkeys(notices):
        by_kind[kind].append(notice)
    listed = []
    for kind, found in by_kind.items():
        most = _MOST_HONOURED if kind == _HONOURED else _MOST_NOTICES
        listed += [*found[:most], *([f"{len(found) - most:,} more {kind}"] if found[most:] else [])]
    return listed
