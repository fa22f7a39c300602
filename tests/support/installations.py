"""Programs that installers put into folders of their own, away from the environment of the tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BESIDE = Path(sys.executable).parent
# What a make around the tests sets, too: another make is none of its children.
_SCRUBBED = ("PYTHON", "VIRTUAL_ENV", "MAKE", "MFLAGS")


def run(command: Sequence[str | Path], cwd: Path, settings: Mapping[str, str], status: int = 0) -> str:
    """Run a command, which must end with this status; returns what it prints."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(_SCRUBBED)}
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**clean, **settings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, (command, done.stdout, done.stderr)
    return done.stdout + done.stderr


def tools(home: Path) -> dict[str, str]:
    """Where uv and pipx put things, and where a shell finds these."""
    folders = {name: str(home / name.lower()) for name in ("PIPX_HOME", "UV_TOOL_DIR", "UV_CACHE_DIR")}
    programs = str(home / "bin")
    path = os.pathsep.join([programs, os.environ["PATH"]])
    return {**folders, "PIPX_BIN_DIR": programs, "UV_TOOL_BIN_DIR": programs, "PATH": path}
