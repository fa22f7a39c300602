"""Pull requests by somebody who means harm: whatever git can store, and how their scan on GitHub ends.

main    base ─────────────── merge (refs/pull/7/merge)
           └── pulled ──────┘
"""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from support.command import Ended, winnow
from support.forge import PROJECT, Forge
from support.payloads import FROZEN_BASE, PULL_HEAD, payload
from support.repository import Checkout
from support.runner import commands

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_IDENTITY = b"committer Ada <ada@example.org> 1714564800 +0000\n"
# Controls, formats (directions of text, no width), surrogates, separators of lines and paragraphs.
_HARMFUL = {"Cc", "Cf", "Cs", "Zl", "Zp"}


class Link(NamedTuple):
    """A symbolic link in a commit."""

    target: str


class Submodule(NamedTuple):
    """A submodule in a commit."""

    commit: str


class Indexes(NamedTuple):
    """Contents of index files: of the code that is copied, and of other code; and a baseline that has the copy."""

    known: bytes
    other: bytes
    baseline: bytes


Content: TypeAlias = "str | bytes | Link | Submodule | Callable[[Indexes], bytes] | None"
Tree: TypeAlias = "Mapping[str | bytes, Content]"
"""Paths with what a commit has there; None for what it removes."""


def pull_request(folder: Path, base: Tree, change: Tree, indexes: Indexes) -> Forge:
    """Make a server with a pull request. No work tree is involved: nothing of git's own has a say in names."""
    bare = Checkout.create(folder / "server" / f"{PROJECT}.git", "--bare")
    first, pulled = _edits(base, indexes), _edits(change, indexes)
    stream = [
        _commit(b"refs/heads/main", b"", first),
        _commit(b"refs/pull/7/head", b"from refs/heads/main\n", pulled),
        _commit(b"refs/pull/7/merge", b"from refs/heads/main\nmerge refs/pull/7/head\n", pulled),
    ]
    bare.git("fast-import", "--quiet", stdin=b"".join(stream))
    ids = bare.git("rev-parse", "refs/heads/main", "refs/pull/7/head", "refs/pull/7/merge").split()
    return Forge(bare, ids[0], ids[0], ids[1], ids[2])


def _commit(reference: bytes, parents: bytes, edits: bytes) -> bytes:
    return b"commit %b\n%bdata 0\n%b%b\n" % (reference, _IDENTITY, parents, edits)


def _edits(tree: Tree, indexes: Indexes) -> bytes:
    return b"".join(_edit(path, content, indexes) for path, content in tree.items())


def _edit(path: str | bytes, content: Content, indexes: Indexes) -> bytes:
    name = b'"%b"' % b"".join(b"\\%03o" % byte for byte in (path.encode() if isinstance(path, str) else path))
    if content is None:
        return b"D %b\n" % name
    if isinstance(content, Submodule):
        return b"M 160000 %b %b\n" % (content.commit.encode(), name)
    mode, data = b"100644", content
    if isinstance(content, Link):
        mode, data = b"120000", content.target
    elif callable(content):
        data = content(indexes)
    stored = data.encode() if isinstance(data, str) else data
    assert isinstance(stored, bytes)
    return b"M %b inline %b\ndata %d\n%b\n" % (mode, name, len(stored), stored)


@dataclass(frozen=True)
class Scanned:
    """How the scan of a pull request ended, and what it has left behind."""

    ended: Ended
    summary: str
    report: dict[str, Any] | None

    def found(self) -> dict[str, list[tuple[int, int]]]:
        """Where findings are that fail the scan."""
        places: dict[str, list[tuple[int, int]]] = {}
        for finding in self.report["findings"] if self.report else []:
            assert finding["level"] == "error"
            assert finding["suppressed"] is None
            places.setdefault(finding["path"], []).append((finding["start_line"], finding["end_line"]))
        return places


def scan(clone: Checkout, forge: Forge, folder: Path, *arguments: str) -> Scanned:
    """Scan a checkout as a job for the pull request does. ``folder`` is the job's own."""
    event, summary, report = (folder / name for name in ("event.json", "summary.md", "report.json"))
    event.write_text(payload("pull_request", {PULL_HEAD: forge.pulled, FROZEN_BASE: forge.first}))
    ended = winnow(
        "scan",
        *arguments,
        *("--format", "auto", "--format", f"json:{report}"),
        cwd=clone.root,
        CI="true",
        GITHUB_ACTIONS="true",
        GITHUB_EVENT_NAME="pull_request",
        GITHUB_EVENT_PATH=str(event),
        GITHUB_REPOSITORY=PROJECT,
        GITHUB_SHA=forge.merge,
        GITHUB_REF="refs/pull/7/merge",
        GITHUB_STEP_SUMMARY=str(summary),
    )
    return Scanned(
        ended,
        summary.read_text(encoding="utf-8") if summary.exists() else "",
        json.loads(report.read_text(encoding="utf-8")) if report.exists() else None,
    )


def assert_harmless(scanned: Scanned) -> None:
    """Nothing acts on a terminal, and a runner obeys nothing but our annotations and the guard of the text."""
    ended = scanned.ended
    for text in (ended.output, ended.errors, scanned.summary):
        assert not {c for c in text if c != "\n" and unicodedata.category(c) in _HARMFUL}
    assert commands(ended.errors) == []
    obeyed = commands(ended.output)
    if not obeyed:
        assert ended.output == ""
        return
    *annotations, stop, resume = obeyed
    assert (stop.name, resume.name) == ("stop-commands", stop.data)
    titles = {
        ("error", "Copied from"),
        ("notice", "Maybe translated"),
        ("error", "winnow-ci could"),
        ("warning", "How winnow-ci"),
    }
    assert {(each.name, " ".join(each.properties["title"].split()[:2])) for each in annotations} <= titles
