"""Ask git about a repository: what changed, and what files contain. No other package does.

Nothing is written, except that ``history`` stores what it fetches on a CI. Every function may
raise ``GitError`` if git fails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.start_up import on_demand

if TYPE_CHECKING:
    from winnow_ci.git.changes import (
        between,
        between_commits,
        everything,
        narrow,
        no_changes,
        on_branch,
        since,
        staged,
        staged_in,
    )
    from winnow_ci.git.history import (
        PastCommit,
        branch_tip,
        changes_of,
        commits_since,
        first_parent,
        first_with,
        fork_point,
        obtain,
        path_versions,
        require,
    )
    from winnow_ci.git.line_diff import added_lines
    from winnow_ci.git.objects import LFS_POINTER, blob_sizes, is_lfs_pointer, object_contents, read_changes
    from winnow_ci.git.pushes import received, sent, unsent
    from winnow_ci.git.repository import Repository, forget_callers_repository
    from winnow_ci.git.revisions import (
        Tag,
        checked_out,
        head_commit,
        identity,
        resolve_revision,
        tags,
        tree_of,
        usual_branch,
    )
    from winnow_ci.git.trees import (
        TreeEntry,
        absent,
        contents_at,
        entries_below,
        entry_at,
        files_with_lines,
        ignored,
        is_tracked,
        load_files,
    )
else:
    __getattr__ = on_demand(
        __name__,
        changes="between between_commits everything narrow no_changes on_branch since staged staged_in",
        history=(
            "PastCommit branch_tip changes_of commits_since first_parent first_with fork_point obtain path_versions "
            "require"
        ),
        line_diff="added_lines",
        objects="LFS_POINTER blob_sizes is_lfs_pointer object_contents read_changes",
        pushes="received sent unsent",
        repository="Repository forget_callers_repository",
        revisions="Tag checked_out head_commit identity resolve_revision tags tree_of usual_branch",
        trees="TreeEntry absent contents_at entries_below entry_at files_with_lines ignored is_tracked load_files",
    )
