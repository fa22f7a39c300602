"""What runs on Windows: folders and files of tests, and the table of what in them does not, with the reasons.

Python's own name for the system decides, so the same holds under wine (``make windows``) and on a real Windows. A file
in the table is not even imported. A test has the name of its file, ``::`` and its own name, without parameters.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

HERE = sys.platform == "win32"
UNHELD = sys.platform == "win32" or os.geteuid() == 0
"""Whether mode bits hold this user back from nothing."""

_QUICK = ("cli/test_check.py", "cli/test_scan_errors.py", "hooks/test_pre_commit.py", "test_system.py", "windows")
_MORE = ("cli/test_interruption.py", "cli/test_scan.py")
RUN = _QUICK if "WINEPREFIX" in os.environ and not os.environ.get("ALL") else _QUICK + _MORE
"""Files and folders whose tests are about the command, git and files; a few under wine, where a scan takes 3.5 s.
What only computes is the same on every system."""

MODES = "is about the mode bits, owners or pipes of POSIX"
TIME = "takes minutes under wine"
HOST = "compares wine with the host, from the host"

_NOT_HERE = {
    MODES: "cli/test_check.py::test_a_configuration_of_somebody_else_is_refused",
    TIME: """
        cli/test_interruption.py::test_a_build_ends_that_is_interrupted_where_its_workers_are_locked
        cli/test_interruption.py::test_other_parameters_begin_again
        hooks/test_pre_commit.py::test_more_names_than_a_command_line_holds
    """,
    HOST: "windows/test_same_as_linux.py",
}
NOT_HERE = {place: reason for reason, places in _NOT_HERE.items() for place in places.split()}


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
