"""Clients of registries: what bounds them, and what is seen of what they say."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from winnow_ci.errors import FetchError
from winnow_ci.fetching.client_process import ClientOutput, find_program, run_client


def _run(folder: Path, script: str, seconds: float = 60.0) -> ClientOutput:
    return run_client(("/bin/sh", "-c", script), folder, os.environ, seconds)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_what_a_client_says(tmp_path: Path) -> None:
    said = _run(tmp_path, "pwd; cat; echo get https://me:s3cret@example.org/a >&2; exit 3")
    assert said == ClientOutput(3, f"{tmp_path}\n", "get https://example.org/a\n")


def test_a_client_that_does_not_end_is_ended_with_its_children(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="sh did not finish in time"):
        _run(tmp_path, "sleep 600 & echo $! >child; wait", 0.5)
    child = int((tmp_path / "child").read_text())
    while _is_running(child):
        time.sleep(0.01)


def test_a_client_that_does_not_stop_talking_is_ended(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="sh printed more than 8 MiB"):
        _run(tmp_path, "yes")


def test_what_a_client_may_say(tmp_path: Path) -> None:
    said = _run(tmp_path, "head -c 8388607 /dev/zero; echo >&2")
    assert (len(said.output), said.complaints) == (8388607, "\n")
    with pytest.raises(FetchError, match="sh printed more than 8 MiB"):
        _run(tmp_path, "head -c 8388608 /dev/zero; echo >&2")


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="no such limit")
def test_how_large_a_file_a_client_may_write(tmp_path: Path) -> None:
    # The limit is there shortly after the start.
    assert _run(tmp_path, "sleep 0.5; grep 'file size' /proc/self/limits").output.split()[3] == str(8 << 30)


def test_no_client_is_taken_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "npm").write_text("#!/bin/sh\n")
    (tmp_path / "npm").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    assert find_program("npm") is None
