"""What runs on Windows: folders and files of tests. ``not_on_windows.txt`` has what in them does not, with the reasons.

Python's own name for the system decides, so the same holds under wine (``make windows``) and on a real Windows. A file
in the table is not even imported. A test has the name of its file, ``::`` and its own name, without parameters.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if sys.platform == "win32":
    import _winapi

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HERE = sys.platform == "win32"
WINE = HERE and "WINEPREFIX" in os.environ
UNHELD = sys.platform == "win32" or os.geteuid() == 0
"""Whether mode bits hold this user back from nothing."""

RUN = ("cli", "hooks", "test_system.py", "windows")
"""Files and folders whose tests are about the command, git and files. What only computes is the same everywhere."""

_SLOW = "takes minutes under wine"
_LEAVES_SLOW_OUT = WINE and not os.environ.get("ALL")


def _table() -> dict[str, str]:
    """Tests and files that do not run here, each with the reason; ``ALL=1 make windows`` runs the slow ones, too."""
    text = (Path(__file__).parent / "not_on_windows.txt").read_text(encoding="utf-8")
    paragraphs = [paragraph.split("\n") for paragraph in text.rstrip("\n").split("\n\n")[1:]]
    reasons = {place: reason.removeprefix("# ") for reason, *places in paragraphs for place in places}
    return {place: reason for place, reason in reasons.items() if _LEAVES_SLOW_OUT or reason != _SLOW}


NOT_HERE = _table()
_INTERNAL_ERROR = 1359


def reason_against(session: str) -> str:
    """Why a session with this remark on Windows does not run here; nothing if it does."""
    return session if HERE else ""


def left_out(path: Path, tests: Path) -> bool:
    """Return whether a file or folder of the tests is not collected here."""
    if not HERE or path == tests or not path.is_relative_to(tests):
        return False
    place = path.relative_to(tests).as_posix()
    wanted = any(place == run or place.startswith(f"{run}/") or run.startswith(f"{place}/") for run in RUN)
    return not wanted or place in NOT_HERE


def skips(items: Iterable[pytest.Item]) -> Iterator[tuple[pytest.Item, str]]:
    """The tests of the table, each with its reason."""
    for item in items:
        path, _, name = item.nodeid.replace("\\", "/").removeprefix("tests/").partition("::")
        if reason := NOT_HERE.get(f"{path}::{name.partition('[')[0]}"):
            yield item, reason


def mark(items: Iterable[pytest.Item]) -> None:
    """Skip the tests of the table, and say why."""
    for item, reason in skips(items) if HERE else ():
        item.add_marker(pytest.mark.skip(reason=f"on Windows: {reason}"))


def start_processes_again() -> None:
    """Start a process again if wine 8 could not: with four at a time, one in some thousand fails."""
    if sys.platform == "win32" and WINE:
        once = _winapi.CreateProcess

        def twice(*arguments: Any) -> Any:
            try:
                return once(*arguments)
            except OSError as error:
                if error.winerror != _INTERNAL_ERROR:
                    raise
                return once(*arguments)

        _winapi.CreateProcess = twice
