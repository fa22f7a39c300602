"""Names that a file system may take for one.

macOS and Windows find ``.WINNOW.YML`` where ``.winnow.yml`` is asked for, and macOS also takes composed and decomposed
letters for the same, and ignores characters without width. Git tells all these names apart. So a file that a change
brings under such a name would pass for one that git does not track, which is to say: for one that an earlier step of
the job has written.
"""

from __future__ import annotations

import unicodedata
from contextlib import closing
from typing import TYPE_CHECKING

from winnow_ci.git import raw_diff
from winnow_ci.git.listing import listed

if TYPE_CHECKING:
    from winnow_ci.git.repository import Repository

_NO_WIDTH = "Cf"


def is_tracked(repository: Repository, name: str) -> bool:
    """Whether git tracks a file, or files in a folder, under a name that some file system takes for this one.

    Raises:
        GitError: git failed.
    """
    wanted = folded(name)
    with closing(listed(repository, "ls-files", "-z")) as names:
        tracked = (folded(raw_diff.decoded(each)) for each in names)
        return any(each == wanted or each.startswith(f"{wanted}/") for each in tracked)


def folded(name: str) -> str:
    """The same text for all names that a file system may take for one."""
    if name.isascii():
        return name.casefold()
    composed = unicodedata.normalize("NFKC", name).casefold()
    return "".join(each for each in unicodedata.normalize("NFKC", composed) if unicodedata.category(each) != _NO_WIDTH)
