"""The only package that asks git anything: what changed, and what it says. It writes nothing and runs nothing else.

``history`` makes one exception, for a CI: it stores what it fetches.
"""

from winnow_ci.git.blobs import read
from winnow_ci.git.changes import ChangedFile, ChangeSet, between, branch, commits, everything, nothing, since, staged
from winnow_ci.git.earlier import Earlier, holding, load, replaced
from winnow_ci.git.history import first_parent, fork_point, obtain, require
from winnow_ci.git.lines import added_lines
from winnow_ci.git.narrowing import named, narrow
from winnow_ci.git.pushes import received, sent, unsent
from winnow_ci.git.repository import Repository
from winnow_ci.git.revisions import head
from winnow_ci.git.trees import absent, contents_at

__all__ = [
    "ChangeSet",
    "ChangedFile",
    "Earlier",
    "Repository",
    "absent",
    "added_lines",
    "between",
    "branch",
    "commits",
    "contents_at",
    "everything",
    "first_parent",
    "fork_point",
    "head",
    "holding",
    "load",
    "named",
    "narrow",
    "nothing",
    "obtain",
    "read",
    "received",
    "replaced",
    "require",
    "sent",
    "since",
    "staged",
    "unsent",
]
