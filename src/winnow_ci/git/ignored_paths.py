"""Which paths git leaves out by the patterns of ``.gitignore``."""

from __future__ import annotations

from os import fsencode
from typing import TYPE_CHECKING

from winnow_ci.git import raw_diff

if TYPE_CHECKING:
    from collections.abc import Collection

    from winnow_ci.git.repository import Repository

_NONE_OF_THEM = 1


def ignored(repository: Repository, paths: Collection[str]) -> set[str]:
    """Those of some paths that git ignores in the work tree, whether anything is there or not.

    All of them, if git does not tell: it refuses paths behind links and in submodules.

    Args:
        repository: where the work tree is; without one, nothing is ignored.
        paths: relative to the root; a slash at the end says that it is a folder.
    """
    if repository.root is None or not paths:
        return set()
    # The command takes no literal paths; with ./ before it, no path has a meaning of its own.
    given = b"".join(b"./" + fsencode(path) + b"\0" for path in paths)
    answer = repository.ask("--no-literal-pathspecs", "check-ignore", "--no-index", "-z", "--stdin", given=given)
    if answer.status not in {0, _NONE_OF_THEM}:
        return set(paths)
    return {raw_diff.decoded(name).removeprefix("./") for name in answer.output.split(b"\0") if name}
