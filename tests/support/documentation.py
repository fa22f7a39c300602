"""The documentation: its pages, the site that is made of them, and the commands in them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def made(tool: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """What making the site says."""
    return subprocess.run([sys.executable, tool, folder], capture_output=True, text=True, check=False)
