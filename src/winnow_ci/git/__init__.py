"""Ask git about a repository: what changed, and what files contain. No other package does.

Nothing is written, except that ``history`` stores what it fetches on a CI. Every function may
raise ``GitError`` if git fails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.start_up import on_demand

if TYPE_CHECKING:
    from winnow_ci.git.changes import *
    from winnow_ci.git.history import *
    from winnow_ci.git.line_diff import *
    from winnow_ci.git.listing import *
    from winnow_ci.git.objects import *
    from winnow_ci.git.pushes import *
    from winnow_ci.git.repository import *
    from winnow_ci.git.revisions import *
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
        listing="TreeEntry absent contents_at entries_below entry_at files_with_lines ignored is_tracked load_files",
    )
