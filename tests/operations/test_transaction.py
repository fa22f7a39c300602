"""Manifest, lock and index change together or not at all, at whatever step a sync is stopped."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.command import environment
from support.donor import LOGS, ROUTES
from support.stopped_syncs import FOLDER
from winnow_ci.config.lock import SourceLock
from winnow_ci.config.manifest import load_manifest
from winnow_ci.errors import UsageError
from winnow_ci.indexer.building import in_silence
from winnow_ci.indexer.syncing import SyncOptions, SyncProgress
from winnow_ci.operations.indexing import ManifestEdit, synchronise, transaction

PROGRESS = SyncProgress(in_silence, lambda error: None)
MANIFEST, LOCK, INDEX = "sources.yml", "sources.lock", "index.db"
ADDED = "- {path: ../logs}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a manifest of one source, synced, beside the code of two; not at the place of the stopped syncs."""
    for name, text in {"roads": ROUTES, "logs": LOGS}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.py").write_text(text)
    folder = tmp_path / "template"
    folder.mkdir()
    (folder / MANIFEST).write_text("sources:\n- {path: ../roads}\n")
    synchronise(load_manifest(folder / MANIFEST), SyncOptions(), PROGRESS)
    return folder


def stopped(folder: Path, how: str) -> tuple[list[dict[str, Any]], dict[str, str], dict[str, str]]:
    """A sync, stopped before each step: the steps; the folder before, and after a sync that nobody stops."""
    script = Path(__file__).parents[1] / "support" / "stopped_syncs.py"
    done = subprocess.run(
        [sys.executable, str(script), str(folder), how, ADDED],
        cwd=folder.parent,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return found["stopped"], {path.name: path.read_bytes().hex() for path in folder.iterdir()}, found["whole"]


def states(contents: dict[str, str], before: dict[str, str], after: dict[str, str]) -> tuple[str, ...]:
    """Of manifest, lock and index: whether each is the old or the new one."""
    assert all(contents[name] in {before[name], after[name]} for name in (MANIFEST, LOCK, INDEX))
    return tuple("old" if contents[name] == before[name] else "new" for name in (MANIFEST, LOCK, INDEX))


OLD, NEW = ("old", "old", "old"), ("new", "new", "new")


@pytest.mark.parametrize("how", ["fail", "interrupt"])
def test_a_failure_or_an_interruption_leaves_all_old_or_all_new(folder: Path, how: str) -> None:
    steps, before, after = stopped(folder, how)
    names = [one["step"] for one in steps]
    assert f"os.rename .{INDEX}.unfinished" in names
    for one in steps:
        assert states(one["after"], before, after) in {OLD, NEW}, one["step"]
        assert set(one["after"]) <= set(before), one["step"]
    # Before the new index is in its place, everything is put back.
    last = names.index(f"os.rename .{INDEX}.unfinished")
    assert {states(one["after"], before, after) for one in steps[: last + 1]} == {OLD}
    assert {states(one["after"], before, after) for one in steps[last + 1 :]} == {NEW}


def test_a_kill_leaves_what_the_next_sync_completes(folder: Path) -> None:
    steps, before, after = stopped(folder, "kill")
    found = [states(one["after"], before, after) for one in steps]
    # The manifest is written first, then the lock, then the index.
    assert list(dict.fromkeys(found)) == [OLD, ("new", "old", "old"), ("new", "new", "old"), NEW]
    for one, state in zip(steps, found, strict=True):
        assert states(one["next"], before, after) == (OLD if state == OLD else NEW), one["step"]
        # What a killed sync has begun is cleared away by the next that has something to do.
        assert state == OLD or one["next"].keys() == before.keys(), one["step"]


def test_nothing_is_written_if_the_manifest_was_edited_meanwhile(folder: Path) -> None:
    manifest = folder / MANIFEST
    read = manifest.read_bytes()
    manifest.write_bytes(read + b"# mine\n")
    with pytest.raises(UsageError, match="has changed meanwhile"):
        synchronise(load_manifest(manifest), SyncOptions(), PROGRESS, ManifestEdit(read, read + b"# theirs\n"))
    assert manifest.read_bytes() == read + b"# mine\n"


@pytest.mark.parametrize("name", [MANIFEST, LOCK])
def test_nor_if_somebody_writes_during_the_sync(folder: Path, name: str) -> None:
    before = (folder / name).read_bytes()
    with (
        pytest.raises(UsageError, match=f"{name} has changed meanwhile"),
        transaction(load_manifest(folder / MANIFEST)) as write,
    ):
        (folder / name).write_bytes(before + b"# mine\n")
        write(SourceLock())
    assert (folder / name).read_bytes() == before + b"# mine\n"


def test_a_first_manifest_and_lock_go_away_again(folder: Path) -> None:
    manifest = load_manifest(folder / MANIFEST)
    text = (folder / MANIFEST).read_bytes()
    (folder / MANIFEST).unlink()
    (folder / LOCK).unlink()
    with pytest.raises(KeyboardInterrupt), transaction(manifest, ManifestEdit(b"", text)) as write:
        write(SourceLock())
        assert (folder / MANIFEST).read_bytes() == text
        assert (folder / LOCK).exists()
        raise KeyboardInterrupt
    assert [path.name for path in folder.iterdir()] == [INDEX]


def test_what_has_not_changed_is_not_written(folder: Path) -> None:
    times = {name: (folder / name).stat().st_mtime_ns for name in (MANIFEST, LOCK, INDEX)}
    report = synchronise(load_manifest(folder / MANIFEST), SyncOptions(), PROGRESS)
    assert [outcome.state for outcome in report.outcomes] == ["unchanged"]
    assert {name: (folder / name).stat().st_mtime_ns for name in times} == times
    assert FOLDER.name not in [path.name for path in folder.parent.iterdir()]
