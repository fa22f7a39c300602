"""A commit hook that finds nothing stays in few modules and functions: a newcomer has to follow them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from support.command import environment
from support.donor import INNOCENT
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from support.repository import Checkout

SOURCES = Path(__file__).parents[2] / "src"
# Prints which modules of ours the command calls a function of, and how many functions; class bodies are none.
_WATCHED = """
import sys, threading
entered = set()
def watch(frame, event, _):
    code = frame.f_code
    if event == "call" and "winnow_ci/" in code.co_filename and code.co_flags & 1 and code.co_name[0] != "<":
        entered.add((code.co_filename, code.co_firstlineno))
threading.setprofile(watch)
sys.setprofile(watch)
from winnow_ci.cli import main
status = main(["scan", "--staged"])
sys.setprofile(None)
print(status, len({file for file, _ in entered}), len(entered))
"""


def test_a_staged_scan_without_a_finding_enters_at_most_80_modules_and_600_functions(
    checkout: Checkout, known: Path
) -> None:
    (checkout.root / ".winnow").mkdir()
    shutil.copy(known, checkout.root / ".winnow" / "index.db")
    checkout.commit({".winnow.yml": "index: [.winnow/index.db]\npolicy: {deny: ['GPL-*'], allow: [MIT]}\n"})
    checkout.stage("src/greetings.py", INNOCENT)
    checkout.stage(
        "src/pick.js", "export const pick = (list) => list.filter((one) => one.ok).map((one) => one.name);\n"
    )
    watched = subprocess.run(
        [sys.executable, "-c", _WATCHED],
        cwd=checkout.root,
        env=environment(PYTHONPATH=str(SOURCES)),
        capture_output=True,
        check=True,
    )
    status, modules, entered = map(int, watched.stdout.split()[-3:])
    assert status == 0
    # Python alone does what the kernel does in a few modules more.
    assert modules <= (80 if kernel() else 85)
    assert entered <= 600
