"""Small repositories that stand for endlessly many paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.repository import Checkout

FAN = 10


def tree_of_trees(checkout: Checkout, leaf: str | None, levels: int) -> str:
    """A tree that holds ten of a tree that holds ten of a tree …: 10 to the power of ``levels`` paths.

    At the end of each there is the blob ``leaf`` or, without one, an empty folder. Returns the tree's id.
    """
    mode, kind, below = ("100644", "blob", leaf) if leaf else ("040000", "tree", checkout.git("mktree"))
    for _ in range(levels):
        entries = "".join(f"{mode} {kind} {below}\tname{number}.py\n" for number in range(FAN))
        mode, kind, below = "040000", "tree", checkout.git("mktree", stdin=entries.encode())
    return below


def commit_of(checkout: Checkout, tree: str, *parents: str) -> str:
    """Commit a tree without checking it out; returns the commit's id."""
    options = (option for parent in parents for option in ("-p", parent))
    return checkout.git("commit-tree", tree, *options, "-m", "bomb")
