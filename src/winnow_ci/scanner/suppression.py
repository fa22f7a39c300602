"""What people have decided about findings: comments and the baseline are applied once everything is found.

An entry or a comment is stale only if the scan saw where its copy would be; ``Seen`` records that while files pass.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from winnow_ci import git
from winnow_ci.languages import Untokenizable, normalise
from winnow_ci.languages.language_detection import LARGEST_FILE
from winnow_ci.languages.normalisation import as_characters
from winnow_ci.model import Change, LineRange
from winnow_ci.model.changes import outermost
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.policy import acceptance, allow_comments
from winnow_ci.scanner.added import clipped
from winnow_ci.start_up import field, record

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from winnow_ci.model.changes import ChangedFile, ChangeSet
    from winnow_ci.model.findings import BaselineEntry, BaselineUse, Finding
    from winnow_ci.scanner.values import PreparedFile


class Suppressions(NamedTuple):
    """What may suppress a finding besides the policy.

    Attributes:
        baseline: copies that may stay.
        today: decides which entries have expired.
        trust: which comments count.
        commit: whose comments are the base's; None for those of the base that the change is compared with.
    """

    baseline: tuple[BaselineEntry, ...] = ()
    today: dt.date = dt.date.min
    trust: allow_comments.CommentTrust = "always"
    commit: str | None = None


NOTHING_ACCEPTED = Suppressions()


@record(slots=True, eq=False, repr=False)
class Seen:
    """What a scan saw of files.

    Attributes:
        whole: paths of the files that were looked up as a whole.
        comments: comments that allow a copy, by path.
    """

    whole: set[str] = field(default_factory=set)
    comments: dict[str, tuple[allow_comments.AllowComment, ...]] = field(default_factory=dict)

    def keep(self, file: PreparedFile) -> None:
        """Record a file."""
        if file.added.all():
            self.whole.add(file.path)
        if file.allows:
            self.comments[file.path] = file.allows


class Settled(NamedTuple):
    """The findings, and what a person should know about them."""

    findings: tuple[Finding, ...]
    baseline: BaselineUse
    notices: tuple[str, ...]


def settle(
    repository: git.Repository | None,
    changes: ChangeSet,
    findings: Sequence[Finding],
    seen: Seen,
    sources: Iterable[str],
    suppressions: Suppressions,
) -> Settled:
    """Suppress the findings that comments and the baseline accept, unless the policy suppressed them already.

    Args:
        repository: where the change is; None if it is in none.
        changes: the change.
        findings: judged, by path.
        seen: what the scan saw.
        sources: names of the sources in the indexes.
        suppressions: what may suppress a finding.

    Raises:
        GitError: git failed.
    """
    allowed, notices = _allowed(repository, changes, findings, seen, suppressions)
    paths = {entry.path for entry in suppressions.baseline}
    coverage = acceptance.ScanCoverage(
        whole=seen.whole,
        sources=set(sources),
        gone=_gone(repository, changes, paths) if paths and repository else (),
        all_files=changes.scope.mode == "all" and not changes.is_narrowed,
    )
    accepted, use = acceptance.accept(allowed, suppressions.baseline, coverage, suppressions.today)
    return Settled(tuple(accepted), use, tuple(notices))


def _gone(repository: git.Repository, changes: ChangeSet, paths: set[str]) -> set[str]:
    """The paths at which nothing is any more; a member of an archive is there as long as the archive is."""
    absent = git.absent(repository, changes.scope, paths | set(map(outermost, paths)))
    return {path for path in paths if path in absent and outermost(path) in absent}


def _allowed(
    repository: git.Repository | None,
    changes: ChangeSet,
    findings: Sequence[Finding],
    seen: Seen,
    suppressions: Suppressions,
) -> tuple[list[Finding], list[str]]:
    """The findings, suppressed where a comment allows them, and notices about comments."""
    # The first push of a branch has no base either, and brings all of its comments.
    has_base = changes.scope.mode != "all" or suppressions.commit is not None
    judged, comments = findings, seen.comments
    if repository is not None and suppressions.trust == "base":
        judged, comments = _as_in_base(repository, changes, findings, seen, suppressions.commit or changes.target)
    allowed, notices = allow_comments.allow(judged, comments, suppressions.trust, whole=seen.whole, has_base=has_base)
    settled = zip(findings, allowed, strict=True)
    return [one._replace(suppressed=by.suppressed, reason=by.reason) for one, by in settled], notices


def _as_in_base(
    repository: git.Repository, changes: ChangeSet, findings: Sequence[Finding], seen: Seen, commit: str | None
) -> tuple[Sequence[Finding], dict[str, tuple[allow_comments.AllowComment, ...]]]:
    """The findings and comments, with what of them is new to a commit, the tip of the target branch."""
    copied = seen.comments.keys() & {finding.path for finding in findings}
    files = [file for file in changes.files if file.path in copied]
    if commit is None or (changes.bases and commit == changes.scope.base):
        return findings, seen.comments
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
    """Path → the lines that a file has and its version in a commit lacks, where the scan counts whole files as new."""
    entries = ((file, git.entry_at(repository, commit, file.path)) for file in files)
    compared = [file._replace(old=entry.id if entry and entry.kind == "file" else None) for file, entry in entries]
    read = git.read_changes(repository, compared, LARGEST_FILE)
    return {file.path: change.added for file, change in read if isinstance(change, Change)}


def _marked_withdrawn(
    repository: git.Repository, commit: str, files: Sequence[ChangedFile], seen: Seen
) -> dict[str, tuple[allow_comments.AllowComment, ...]]:
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
