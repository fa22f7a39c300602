"""Archives whose authors mean harm: each is refused, or does none.

Refused means two lines and status 3, with the index as it was. In either case nothing is written but the index, and
memory stays bounded.
"""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from support.command import build, command, environment
from support.donor import write_known
from support.hostile_archives import HOSTILE, Hostile
from winnow_ci.index import WholeIndex

if TYPE_CHECKING:
    from pathlib import Path

LONGEST = 120
MOST_KIB = 300 << 10


class Ended(NamedTuple):
    status: int
    errors: str
    peak: int


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("built")
    build(write_known(folder / "source"), folder / "i.db", name="before")
    return (folder / "i.db").read_bytes()


# On Linux a process begins with the peak of the one that starts it: that of a test process is no measure.
MEASURED = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=sys.stderr).returncode
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def _build(archive: Path, index: Path) -> Ended:
    """Build, and say how much memory the largest process took, in KiB."""
    line = command("index", "build", archive.name, "--output", index, "--name", "hostile")
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, "timeout", str(LONGEST), *line],
        cwd=archive.parent,
        env=environment(),
        capture_output=True,
        check=True,
    )
    status, peak = map(int, done.stdout.split())
    return Ended(status, done.stderr.decode("utf-8"), peak)


def _paths(index: Path) -> tuple[bytes, ...]:
    with WholeIndex(index) as reader:
        number = next(n for n, source in enumerate(reader.sources) if source.name == "hostile")
        files = [file for _, row in reader.all_contents() for file in row.files]
        return tuple(sorted({file.path for file in files if file.source == number}))


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.name)
def test_a_hostile_archive(tmp_path: Path, built: bytes, hostile: Hostile) -> None:
    work, place = tmp_path / "work", tmp_path / "place"
    work.mkdir()
    place.mkdir()
    (work / hostile.name).write_bytes(hostile.make())
    index = place / "i.db"
    index.write_bytes(built)
    ended = _build(work / hostile.name, index)
    assert [path.name for path in work.iterdir()] == [hostile.name]
    assert not [path for path in tmp_path.iterdir() if path not in {work, place}]
    assert ended.peak < MOST_KIB
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", ended.errors)
    if hostile.refused is not None:
        problem, remedy = ended.errors.splitlines()
        assert ended.status == 3, ended
        assert problem.startswith(f"winnow-ci: error: {hostile.name}") or "hostile" in problem
        assert re.search(hostile.refused, problem), problem
        assert remedy
        assert index.read_bytes() == built
    else:
        assert ended.status == 0, ended
        assert _paths(index) == hostile.paths
        assert hostile.skipped in ended.errors
