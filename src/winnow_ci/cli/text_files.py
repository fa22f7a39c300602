"""Text files that are ours to write, and stand in a repository."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def replace(path: Path, text: bytes) -> None:
    """Put a file in its place, whole or not at all; a link in its place is no way to another file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Others may write the same file at this moment.
    unfinished = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        with unfinished.open("xb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
