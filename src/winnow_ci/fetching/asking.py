"""What the user's own tools know: where their registries are, and with which credentials."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

_PATIENCE = 60.0  # seconds


def answer(*command: str) -> str | None:
    """What a tool says on its standard output; None if there is no such tool, or it fails.

    A tool never runs in the folder that the user is in: that is the repository, and pip, npm and Python
    look for settings and code there.

    Args:
        command: name of a tool on the PATH, and its arguments.
    """
    tool = shutil.which(command[0])
    # A PATH with a relative folder would find what the repository brings.
    return _run(tool, *command[1:]) if tool and Path(tool).is_absolute() else None


def answer_of_pip(*arguments: str) -> str | None:
    """The same for the pip of this environment, whose settings count; if it has none, for the one on the PATH."""
    found = _run(sys.executable, "-I", "-m", "pip", *arguments)
    return answer("pip", *arguments) if found is None else found


def _run(*command: str) -> str | None:
    try:
        done = subprocess.run(
            command,
            cwd=os.sep,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "surrogateescape")
