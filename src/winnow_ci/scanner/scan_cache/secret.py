"""A secret of the user's own: it proves that this user's scan wrote a file, and nobody else."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

LENGTH = 32

_PLACE = Path("winnow-ci", "secret")
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def secret() -> bytes | None:
    """The secret (``LENGTH`` bytes), made when it is first asked for; None if it cannot be kept, or is not safe."""
    # RuntimeError: there is no home.
    with contextlib.suppress(OSError, RuntimeError):
        path = _state() / _PLACE
        if not path.exists():
            _make(path)
        return _kept(path)
    return None


def _state() -> Path:
    """The folder for state, by the XDG Base Directory Specification."""
    named = Path(os.environ.get("XDG_STATE_HOME", ""))
    return named if named.is_absolute() else Path("~/.local/state").expanduser()


def _kept(path: Path) -> bytes | None:
    with os.fdopen(os.open(path, _READ), "rb") as file:
        found = os.fstat(file.fileno())
        is_ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077
        content = file.read(LENGTH + 1) if is_ours else b""
        return content if len(content) == LENGTH else None


def _make(path: Path) -> None:
    """Make the secret, whole or not at all; if another process is quicker, its secret stays."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_name(f".{os.urandom(8).hex()}")
    with os.fdopen(os.open(unfinished, _WRITE, 0o600), "wb") as file:
        file.write(os.urandom(LENGTH))
    try:
        with contextlib.suppress(FileExistsError):
            os.link(unfinished, path)
    finally:
        unfinished.unlink()
