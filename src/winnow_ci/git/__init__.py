"""Asks git about a repository, as no other package does: what changed, and what files contain. It writes nothing.

There is one exception, for a CI: ``history`` stores what it fetches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.start_up import on_demand

if TYPE_CHECKING:
    from winnow_ci.git.blobs import LFS_POINTER, is_lfs_pointer, read
    from winnow_ci.git.changes import (
        between,
        branch,
        commits,
        everything,
        nothing,
        since,
        staged,
    )
    from winnow_ci.git.earlier import holding, load
    from winnow_ci.git.folded_names import is_tracked
    from winnow_ci.git.history import branch_tip, first_parent, fork_point, obtain, require
    from winnow_ci.git.ignored_paths import ignored
    from winnow_ci.git.line_diff import added_lines
    from winnow_ci.git.narrowing import named, narrow
    from winnow_ci.git.objects import contents, sizes
    from winnow_ci.git.path_history import first_with, versions
    from winnow_ci.git.pushes import received, sent, unsent
    from winnow_ci.git.repository import Repository, forget_callers_repository
    from winnow_ci.git.revisions import Tag, head, resolve, tags, usual_branch
    from winnow_ci.git.trees import TreeEntry, absent, contents_at, entries_below, entry_at
else:
    __getattr__ = on_demand(
        __name__,
        blobs="LFS_POINTER is_lfs_pointer read",
        changes="between branch commits everything nothing since staged",
        earlier="holding load",
        folded_names="is_tracked",
        history="branch_tip first_parent fork_point obtain require",
        ignored_paths="ignored",
        line_diff="added_lines",
        narrowing="named narrow",
        objects="contents sizes",
        path_history="first_with versions",
        pushes="received sent unsent",
        repository="Repository forget_callers_repository",
        revisions="Tag head resolve tags usual_branch",
        trees="TreeEntry absent contents_at entries_below entry_at",
    )

__all__ = [
    "LFS_POINTER",
    "Repository",
    "Tag",
    "TreeEntry",
    "absent",
    "added_lines",
    "between",
    "branch",
    "branch_tip",
    "commits",
    "contents",
    "contents_at",
    "entries_below",
    "entry_at",
    "everything",
    "first_parent",
    "first_with",
    "forget_callers_repository",
    "fork_point",
    "head",
    "holding",
    "ignored",
    "is_lfs_pointer",
    "is_tracked",
    "load",
    "named",
    "narrow",
    "nothing",
    "obtain",
    "read",
    "received",
    "require",
    "resolve",
    "sent",
    "since",
    "sizes",
    "staged",
    "tags",
    "unsent",
    "usual_branch",
    "versions",
]
