"""Lines are as wide as Python's own library finds the terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import shutil
import struct
import sys
import termios

import pytest

from winnow_ci.cli.messages import terminal_width


@pytest.mark.parametrize("columns", [None, "50", "0", "-3", "wide", ""])
@pytest.mark.parametrize("shown", [None, 0, 123])
def test_as_wide_as_shutil_says(columns: str | None, shown: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if columns is None:
        monkeypatch.delenv("COLUMNS", raising=False)
    else:
        monkeypatch.setenv("COLUMNS", columns)
    leader, follower = pty.openpty()
    try:
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, shown or 0, 0, 0))
        with os.fdopen(os.dup(follower), "w") as terminal:
            monkeypatch.setattr(sys, "__stdout__", terminal if shown is not None else None)
            assert terminal_width(100) == shutil.get_terminal_size((100, 24)).columns
    finally:
        os.close(leader)
        os.close(follower)
    if columns == "50":
        assert terminal_width() == 50
