"""A folder with a manifest, an index that follows from it, and code beside it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from support.command import Ended, winnow
from support.debian import tarball
from support.donor import INNOCENT, LOGS, ROUTES
from support.forged_indexes import content_rows

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Project:
    """A folder in which sync is run."""

    root: Path

    @classmethod
    def create(cls, root: Path) -> Project:
        """Make one, with ``roads`` and ``logs-1.0.tar.gz`` beside it; the tarball of ``logs`` has two files."""
        (root / "project" / ".winnow").mkdir(parents=True)
        (root / "roads").mkdir()
        (root / "roads" / "routes.py").write_text(ROUTES)
        members = {"logs-1.0/logs.py": LOGS.encode(), "logs-1.0/other.py": INNOCENT.encode()}
        (root / "logs-1.0.tar.gz").write_bytes(tarball(members))
        return cls(root / "project")

    @property
    def manifest(self) -> Path:
        return self.root / ".winnow" / "sources.yml"

    @property
    def lock(self) -> Path:
        return self.root / ".winnow" / "sources.lock"

    @property
    def index(self) -> Path:
        return self.root / ".winnow" / "index.db"

    def declare(self, *sources: str) -> None:
        """Write the manifest."""
        self.manifest.write_text("sources:\n" + "".join(f"- {source}\n" for source in sources))

    def sync(self, *options: str, **settings: str) -> Ended:
        return winnow("index", "sync", *options, cwd=self.root, **settings)

    def synced(self, *options: str, **settings: str) -> dict[str, str]:
        """Sync, which must succeed: what became of each source."""
        return states(self.sync(*options, **settings))

    def sources(self) -> dict[str, tuple[str | None, str]]:
        """Version and licence of the sources of the index, which must be sound."""
        verified = winnow("index", "verify", self.index, cwd=self.root)
        assert verified.status == 0, verified
        with closing(sqlite3.connect(self.index)) as connection:
            rows = connection.execute("SELECT name, version, license FROM source").fetchall()
            return {name: (version, licence) for name, version, licence in rows}

    def paths(self) -> list[str]:
        """Those of all files of the index."""
        with closing(sqlite3.connect(self.index)) as connection:
            return sorted({file.path.decode() for row in content_rows(connection).values() for file in row.files})


def states(ended: Ended) -> dict[str, str]:
    """What became of each source, by what a sync said."""
    assert ended.status == 0, ended
    *rows, last = ended.output.splitlines()
    assert "; digest " in last
    found = {}
    for row in rows:
        state = next(state for state in ("added", "replaced", "removed", "unchanged") if row.endswith(f"  {state}"))
        found[row.split("  ")[0]] = state
    return found
