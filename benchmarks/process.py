"""Runs the command for the benchmarks."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

WINNOW = (sys.executable, "-m", "winnow_ci")


def run(*command: str, cwd: Path | None = None) -> str:
    """What a command prints. Any status but 0 and 1 ends the benchmark."""
    done = subprocess.run(command, cwd=cwd, check=False, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return done.stdout
