"""How wide the terminal is, as ``shutil`` finds it, but a commit hook need not wait while that is imported."""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def width(usual: int = 80) -> int:
    """Characters of a line: what ``COLUMNS`` says, or the terminal of standard output, or else what is usual."""
    with suppress(KeyError, ValueError):
        if (told := int(os.environ["COLUMNS"])) > 0:
            return told
    with suppress(AttributeError, ValueError, OSError):
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or usual  # type: ignore[union-attr]
    return usual
