"""Scans pull requests one after the other, each of which is merged if its scan is clean."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from commands import Ended, git, winnow
from histories import Commit, edit, written
from known_code import CONFIGURATION, INNOCENT, known_index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from histories import Tree


class Scanned(NamedTuple):
    """How the scan of a change ended.

    Attributes:
        ended: the command.
        is_said: whether the report says that text was not looked at as code.
    """

    ended: Ended
    is_said: bool


class Stage(NamedTuple):
    """What the trials of a part share: an index, and a folder to work in."""

    index: bytes

    @classmethod
    def prepared(cls, work: Path) -> Stage:
        return cls(known_index(work))

    def series(self, changes: Sequence[Tree], base: Tree | None = None) -> list[Scanned]:
        """Scan pull requests one after the other, up to the first that does not pass."""
        begun = {".winnow.yml": CONFIGURATION, ".winnow/index.db": self.index, **INNOCENT, **(base or {})}
        folder = Path(tempfile.mkdtemp(dir=Path.cwd())) / "repository"
        commits = [Commit("refs/heads/main", begun)]
        commits += [Commit("refs/heads/main", change, ("refs/heads/main",)) for change in changes]
        written(folder, commits)
        scans: list[Scanned] = []
        for number in range(len(changes)):
            last = len(changes) - number - 1
            scans.append(_scan(folder, f"main~{last + 1}", f"main~{last}"))
            if scans[-1].ended.status:
                break
        return scans


def _scan(folder: Path, base: str, head: str) -> Scanned:
    git(folder, "checkout", "--quiet", "--force", "--detach", head)
    report = folder.with_name("report.json")
    command = ("scan", "--range", f"{base}..{head}", "--policy-from", "base", "--format", f"json:{report}")
    ended = winnow(*command, cwd=folder)
    told = json.loads(report.read_text()) if report.exists() else {}
    report.unlink(missing_ok=True)
    return Scanned(ended, _says_text(told))


def _says_text(report: dict[str, object]) -> bool:
    scan = report.get("scan")
    text = scan.get("text_not_read") if isinstance(scan, dict) else None
    return bool(text)


def recipe(changes: Sequence[Tree]) -> dict[str, bytes]:
    """The changes of a trial, as fast-import takes them."""
    return {
        f"change-{number + 1}.txt": b"".join(edit(path, content) for path, content in change.items())
        for number, change in enumerate(changes)
    }
