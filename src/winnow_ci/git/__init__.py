"""The only package that asks git anything: what changed, and what it says. It writes nothing and runs nothing else."""

from winnow_ci.git.blobs import read
from winnow_ci.git.changes import ChangedFile, ChangeSet, between, branch, everything, since, staged
from winnow_ci.git.lines import added_lines
from winnow_ci.git.narrowing import narrow
from winnow_ci.git.repository import Repository

__all__ = [
    "ChangeSet",
    "ChangedFile",
    "Repository",
    "added_lines",
    "between",
    "branch",
    "everything",
    "narrow",
    "read",
    "since",
    "staged",
]
