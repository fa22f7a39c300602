"""A folder for files of one run, which is made when its path is asked for: a commit hook rarely needs one."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property
from pathlib import Path


class ScratchFolder(ExitStack):
    """A folder that is empty at first, and gone when the context ends."""

    @cached_property
    def path(self) -> Path:
        """Where it is."""
        from tempfile import TemporaryDirectory  # noqa: PLC0415 - as above

        return Path(self.enter_context(TemporaryDirectory(prefix="winnow-ci-")))
