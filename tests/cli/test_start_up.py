"""What a commit hook's user waits for before the work begins: what is imported. No time is measured here."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from support.command import LONGEST, environment

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout


def imported(folder: Path, arguments: str) -> set[str]:
    """The modules that the command imports."""
    line = [sys.executable, "-X", "importtime", "-m", "winnow_ci", *arguments.split()]
    done = subprocess.run(
        line, cwd=folder, env=environment(), capture_output=True, text=True, timeout=LONGEST, check=False
    )
    assert done.returncode == 0, done.stderr
    return {row.rpartition("|")[2].strip() for row in done.stderr.splitlines() if row.startswith("import time:")}


NOT_FOR_A_HOOK = {"git", "gitdb"}


def test_a_clean_staged_scan(checkout: Checkout, known: Path) -> None:
    checkout.commit({"a.py": "a = 1\n"})
    checkout.stage("b.py", "def first(items):\n    return items[0] if items else None\n")
    modules = imported(checkout.root, f"scan --staged --index {known}")
    assert {"numpy", "winnow_ci.scanner.scan", "winnow_ci.git.blobs"} <= modules
    assert modules & NOT_FOR_A_HOOK == set()
