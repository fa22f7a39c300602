"""A server with a repository, as a CI meets it: a pull request, a trial merge, and clones as its jobs make them.

main    first ── moved_on ─────────┐
          └── (topic) pulled ── merge (refs/pull/7/merge)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from support.repository import Checkout

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PROJECT = "octo/widget"
Depth = Literal[1, 2, 0]


@dataclass(frozen=True)
class Forge:
    """The repository of a server, and the commits in it."""

    bare: Checkout
    first: str
    moved_on: str
    pulled: str
    merge: str

    @classmethod
    def create(
        cls,
        folder: Path,
        before: Mapping[str, str | bytes],
        pulled: Mapping[str, str | bytes],
        elsewhere: Mapping[str, str | bytes],
    ) -> Forge:
        """Make a repository: a first commit, a pull request, and what main has gained since the request was opened."""
        bare = Checkout.create(folder / "server" / f"{PROJECT}.git", "--bare")
        author = Checkout.create(folder / "author")
        author.git("remote", "add", "origin", str(bare.root))
        first = author.commit(dict(before))
        author.git("switch", "--quiet", "--create", "topic")
        head = author.commit(dict(pulled))
        author.git("switch", "--quiet", "main")
        moved_on = author.commit(dict(elsewhere))
        author.git("switch", "--quiet", "--detach")
        author.git("merge", "--quiet", "--no-ff", "--no-edit", "--strategy-option=theirs", "topic")
        merge = author.git("rev-parse", "HEAD")
        author.git("push", "--quiet", "origin", "main", "topic:refs/pull/7/head", "HEAD:refs/pull/7/merge")
        return cls(bare, first, moved_on, head, merge)

    @property
    def url(self) -> str:
        return f"file://{self.bare.root}"

    def push(self, author: Path, branch: str, files: Mapping[str, str | bytes], onto: str, *options: str) -> str:
        """Push a commit with these files, made on top of ``onto``, to a branch."""
        clone = Checkout.create(author)
        clone.git("fetch", "--quiet", self.url, onto)
        clone.git("switch", "--quiet", "--detach", onto)
        commit = clone.commit(dict(files))
        clone.git("push", "--quiet", *options, self.url, f"{commit}:refs/heads/{branch}")
        return commit

    def check_out(
        self, folder: Path, commit: str, depth: Depth = 1, *, reference: str = "refs/pull/7/merge"
    ) -> Checkout:
        """Clone as ``actions/checkout`` does."""
        clone = Checkout.create(folder)
        clone.git("remote", "add", "origin", self.url)
        local = reference.replace("refs/heads/", "refs/remotes/origin/").replace("refs/pull/", "refs/remotes/pull/")
        wanted = [f"+{commit}:{local}"]
        if depth == 0:
            wanted = [] if reference.startswith("refs/heads/") else wanted
            wanted += ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"]
        options = ["--no-tags", "--prune", "--no-recurse-submodules", *([f"--depth={depth}"] if depth else [])]
        clone.git("fetch", "--quiet", *options, "origin", *wanted)
        clone.git("checkout", "--quiet", "--force", local)
        assert clone.git("rev-parse", "HEAD") == commit
        return clone


def unreachable(clone: Checkout) -> Checkout:
    """The same clone, whose remote cannot be reached: ``persist-credentials: false`` in a private repository."""
    clone.git("remote", "set-url", "origin", f"file:///nowhere/{PROJECT}.git")
    return clone
