"""Settle findings: apply what people have decided about them, and join reports.

An entry of the baseline or a comment is stale only if the scan saw where its copy would be.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import attrgetter
from typing import Any

from winnow_ci import git
from winnow_ci.config.baseline import entry_record
from winnow_ci.config.settings import Settings
from winnow_ci.evidence.model import evidence_model
from winnow_ci.languages import Untokenizable, normalise
from winnow_ci.languages.language_detection import LARGEST_FILE
from winnow_ci.languages.normalisation import as_characters
from winnow_ci.model import Change, LineRange, Tokens
from winnow_ci.model.changes import ChangedFile, ChangeSet, outermost
from winnow_ci.model.findings import AssistedWork, BaselineEntry, BaselineUse, Finding, ScanReport, Scope
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.policy import acceptance, allow_comments
from winnow_ci.policy.allow_comments import AllowComment
from winnow_ci.policy.license_policy import LicensePolicy
from winnow_ci.scanner.files import clipped
from winnow_ci.start_up import sha256


class Suppressions(NamedTuple):
    """What may suppress a finding besides the policy."""

    baseline: tuple[BaselineEntry, ...] = ()  # copies that may stay
    today: dt.date = dt.date.min  # decides which entries have expired
    trust: allow_comments.CommentTrust = "always"  # which comments count
    # The commit whose comments are the base's; None for the base that the change is compared with.
    commit: str | None = None


NOTHING_ACCEPTED = Suppressions()


class Seen(NamedTuple):
    """What a scan saw."""

    whole: AbstractSet[str]  # paths of files that it looked up as a whole
    comments: Mapping[str, tuple[AllowComment, ...]]  # those that allow a copy, by path
    sources: AbstractSet[str]  # the names of the sources in the indexes


def settle(
    repository: git.Repository | None,
    changes: ChangeSet,
    findings: Sequence[Finding],
    seen: Seen,
    suppressions: Suppressions,
    policy: LicensePolicy | None,
) -> tuple[list[Finding], BaselineUse, list[str]]:
    """Suppress the findings that comments and the baseline accept, unless the policy did; return notices, too."""
    judged, comments = _as_in_base(repository, changes, findings, seen, suppressions)
    # The first push of a branch has no base either, and brings all of its comments.
    has_base = changes.scope.mode != "all" or suppressions.commit is not None
    allowed, notices = allow_comments.allow(
        judged, comments, suppressions.trust, policy, whole=seen.whole, has_base=has_base
    )
    allowed = [
        one._replace(suppressed=by.suppressed, reason=by.reason) for one, by in zip(findings, allowed, strict=True)
    ]
    paths = {entry.path for entry in suppressions.baseline}
    coverage = acceptance.ScanCoverage(
        whole=seen.whole,
        sources=seen.sources,
        gone=_gone(repository, changes, paths) if paths and repository else (),
        all_files=changes.scope.mode == "all" and not changes.is_narrowed,
    )
    accepted, use = acceptance.accept(allowed, suppressions.baseline, coverage, suppressions.today)
    return list(accepted), use, list(notices)


def _gone(repository: git.Repository, changes: ChangeSet, paths: set[str]) -> set[str]:
    """The paths at which nothing is any more; a member of an archive is there as long as the archive is."""
    absent = git.absent(repository, changes.scope, paths | set(map(outermost, paths)))
    return {path for path in paths if path in absent and outermost(path) in absent}


def _as_in_base(
    repository: git.Repository | None,
    changes: ChangeSet,
    findings: Sequence[Finding],
    seen: Seen,
    suppressions: Suppressions,
) -> tuple[Sequence[Finding], Mapping[str, tuple[AllowComment, ...]]]:
    """The findings and comments; if the base decides, with what of them is new to the tip of the target branch."""
    commit = suppressions.commit or changes.target
    is_base_compared = changes.bases and commit == changes.scope.base
    if repository is None or suppressions.trust != "base" or commit is None or is_base_compared:
        return findings, seen.comments
    copied = seen.comments.keys() & {finding.path for finding in findings}
    files = [file for file in changes.files if file.path in copied]
    if changes.bases:
        return findings, _marked_withdrawn(repository, commit, files, seen)
    # The scan counts whole files as new, and what it counts says nothing of the base.
    added = _added_since(repository, commit, files)
    comments = {path: tuple(each.against(added[path]) for each in seen.comments[path]) for path in added}
    judged = [one._replace(added=clipped(added.get(one.path, one.added), one.lines)) for one in findings]
    return judged, {**seen.comments, **comments}


def _added_since(
    repository: git.Repository, commit: str, files: Sequence[ChangedFile]
) -> dict[str, tuple[LineRange, ...]]:
    """Path → the lines that a file has and its version in a commit lacks."""
    entries = ((file, git.entry_at(repository, commit, file.path)) for file in files)
    compared = [file._replace(old=entry.id if entry and entry.kind == "file" else None) for file, entry in entries]
    read = git.read_changes(repository, compared, LARGEST_FILE)
    return {file.path: change.added for file, change in read if isinstance(change, Change)}


def _marked_withdrawn(
    repository: git.Repository, commit: str, files: Sequence[ChangedFile], seen: Seen
) -> dict[str, tuple[AllowComment, ...]]:
    """The comments in files with findings, those marked that a commit, the target branch's tip, no longer has there."""
    marked = dict(seen.comments)
    for path, name in ((file.path, file.was or file.path) for file in files):
        standing = _comments_at(repository, commit, name)
        marked[path] = tuple(
            comment._replace(is_withdrawn=(comment.pattern, comment.reason) not in standing)
            for comment in seen.comments[path]
        )
    return marked


def _comments_at(repository: git.Repository, commit: str, name: str) -> set[tuple[str, str]]:
    """Pattern and reason of each comment that a file of a commit has; text that looks like one counts, too."""
    content = dict(git.contents_at(repository, commit, name)).get(name, b"")
    try:
        text = as_characters(normalise(content))
    except Untokenizable:
        return set()
    found = allow_comments.read_comment(name, text, 1, LineRange(0, 0), ())
    return {(comment.pattern, comment.reason) for comment in found}


def rules_digest(settings: Settings, suppressions: Suppressions, boilerplate: Iterable[Tokens]) -> str:
    """Return the sha256 of the rules of a scan, in hexadecimal: two reports went by the same rules if it is equal.

    The indexes have digests of their own. The day, and what the command line narrows, are no rules.
    """
    report, assisted = settings.report, settings.assisted
    described: dict[str, Any] = {
        "policy": _described(settings.policy),
        "report": [report.min_tokens, report.min_tokens_renamed, report.weak, report.cut],
        "evidence": evidence_model().digest,
        "languages": settings.languages and sorted(settings.languages),
        "paths": [None if settings.include is None else settings.include.patterns, settings.exclude.patterns],
        "own": settings.own.patterns,
        "comments": suppressions.trust,
        **({"assisted": [_described(assisted.policy), assisted.weak]} if assisted else {}),
        "baseline": [entry_record(entry) for entry in suppressions.baseline],
    }
    digest = sha256(json.dumps(described, sort_keys=True).encode())
    for tokens in boilerplate:
        digest.update(b"%d:" % len(tokens))
        digest.update(tokens.verbatim.tobytes())
    return digest.hexdigest()


def _described(policy: LicensePolicy | None) -> list[Any] | None:
    """The rules of a policy, also the licence of the team and the day of the matrix that judges by it."""
    if policy is None:
        return None
    rules = [policy.deny, policy.warn, policy.allow, policy.default]
    if policy.outbound is None:
        return rules
    from winnow_ci.policy.outbound import matrix  # noqa: PLC0415 - few policies need it

    return [*rules, policy.outbound, matrix().date]


def combined(reports: Sequence[ScanReport]) -> ScanReport:
    """Merge the reports of several scans; what several of them found is in it once."""
    if len(reports) == 1:
        return reports[0]

    def every(name: str) -> tuple[Any, ...]:
        """Each value of a field, once."""
        return tuple(dict.fromkeys(one for report in reports for one in attrgetter(name)(report)))

    return ScanReport(
        scope=Scope("range", None, None, "; ".join(report.scope.description for report in reports)),
        files_scanned=sum(report.files_scanned for report in reports),
        tokens=sum(report.tokens for report in reports),
        findings=tuple(sorted(every("findings"), key=lambda finding: (finding.path, finding.lines, finding.id))),
        skipped=tuple(sorted(every("skipped"), key=lambda skip: skip.path)),
        notices=every("notices"),
        lacking=every("lacking"),
        existing=sum(report.existing for report in reports),
        fallback=tuple(sorted(every("fallback"), key=lambda file: file.path)),
        # One command line names one change: the first that there is something to say about.
        advice=next((report for report in reports if report.findings), reports[0]).advice,
        unread=tuple(sorted(every("unread"))),
        uncompared=tuple(sorted(every("uncompared"))),
        indexes=every("indexes"),
        assisted=_summed([report.assisted for report in reports if report.assisted]),
        policy_digest=_common_digest({report.policy_digest for report in reports}),
        model_digest=_common_digest({report.model_digest for report in reports}),
        baseline=BaselineUse(
            stale=every("baseline.stale"), waiting=every("baseline.waiting"), expired=every("baseline.expired")
        ),
    )


def _summed(works: Sequence[AssistedWork]) -> AssistedWork | None:
    """The sum of several scans; a push of two branches may count a commit twice."""
    if not works:
        return None
    commits, checked, copies = (sum(counts) for counts in zip(*(work[:3] for work in works), strict=True))
    return AssistedWork(commits, checked, copies, all(work.are_known for work in works))


def _common_digest(digests: AbstractSet[str]) -> str:
    """The digest that all scans have, or one of several: each branch may have a base with rules of its own."""
    return next(iter(digests)) if len(digests) == 1 else sha256("".join(sorted(digests)).encode()).hexdigest()
