"""How many paths two trees differ in, without a walk along each of these paths.

The trees are read level by level. A pair of trees that stands at many paths of a level is read once and counted as
often as it stands there, so the time depends on what is stored and not on what that stands for.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci.git import objects
from winnow_ci.git.plumbing import object_id
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.git.repository import Repository

    TreePair: TypeAlias = tuple[str | None, str | None]

DEEPEST = 2048
"""Levels of folders; git itself refuses more from version 2.43 on (``core.maxTreeDepth``)."""

_FOLDER = b"40000"


class _TreeItem(NamedTuple):
    mode: bytes
    id: str


def differs_in_more(repository: Repository, old: str | None, new: str, most: int) -> bool:
    """Tell whether two trees differ in more paths, folders among them, than given, or in folders below ``DEEPEST``.

    Args:
        repository: where they are.
        old: id of a tree or of a commit; None for the empty tree.
        new: the other one.
        most: paths.

    Raises:
        GitError: git failed, or a tree is missing.
    """
    level: Counter[TreePair] = Counter({(old and _tree_of(repository, old), _tree_of(repository, new)): 1})
    paths = 0
    for _ in range(DEEPEST):
        below: Counter[TreePair] = Counter()
        for pair, times in _differing(repository, level):
            paths += times
            if paths > most:
                return True
            if pair != (None, None):
                below[pair] += times
        if not below:
            return False
        level = below
    return True


def _tree_of(repository: Repository, treeish: str) -> str:
    return object_id(repository.run("rev-parse", "--verify", f"{treeish}^{{tree}}"))


def _differing(repository: Repository, level: Counter[TreePair]) -> Iterator[tuple[TreePair, int]]:
    """For each path that differs, the folders there (None for what is none), and how often that is so."""
    ids = [tree for pair in level for tree in pair if tree]
    with closing(objects.contents(repository, ids, "tree")) as stored:
        for (old, new), times in level.items():
            before = dict(_items(old, next(stored))) if old else {}
            for name, item in _items(new, next(stored)) if new else ():
                known = before.pop(name, None)
                if known != item:
                    yield (_folder(known), _folder(item)), times
            for gone in before.values():
                yield (_folder(gone), None), times


def _items(tree: str, content: bytes) -> Iterator[tuple[bytes, _TreeItem]]:
    """Entries of a tree object: mode, space, name, NUL, and the id in binary."""
    for found in re.finditer(rb"([0-7]+) ([^\0]+)\0([\0-\xff]{%d})" % (len(tree) // 2), content):
        yield found[2], _TreeItem(found[1], found[3].hex())


def _folder(item: _TreeItem | None) -> str | None:
    return item.id if item and item.mode.lstrip(b"0") == _FOLDER else None
