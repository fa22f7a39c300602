"""The file that keeps answers from scan to scan: in git's own folder, bounded, and safe to delete.

One file for each question (``lasting``), in ``winnow-ci/`` of the folder that all work trees of a clone share. It is 32
bytes of BLAKE2b over the rest, then 20 bytes an answer: key 16, number u32, little endian.

- All digests are keyed with a secret of the user's own, kept outside of any repository. So an archive of a clone cannot
  bring answers, nor can another user of a shared clone; what is damaged is no answer either.
- It is written beside its place and renamed. If two scans end together, the last one wins; the files of the other are
  read again.
- Links are not followed. Nothing else in the folder is touched.
- Failures are silent: without the file a scan only takes longer.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import struct
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FOLDER = "winnow-ci"
KEY = 16
MOST_ANSWERS = 1 << 20
MOST_BYTES = 64 << 20

_ANSWER = struct.Struct(f"<{KEY}sI")
_DIGEST = 32
_SECRET = 32
_SECRET_PLACE = Path("winnow-ci", "secret")
_NAME = re.compile(r"\.?[0-9a-f]{32}(\.[0-9a-f]{8})?")
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class AnswerFile:
    """Answers to one question.

    Args:
        shared: git's folder.
        question: digest of the question.
        secret: of the user.
    """

    def __init__(self, shared: Path, question: bytes, secret: bytes) -> None:
        self._shared = shared
        self._secret = secret
        self._name = blake2b(question, key=secret, digest_size=16).hexdigest()

    def load(self) -> dict[bytes, int]:
        """The answers by their keys; none if the file is missing or damaged."""
        with contextlib.suppress(OSError), _folder(self._shared) as folder:
            return self._answers(_content(folder, self._name, MOST_BYTES))
        return {}

    def save(self, answers: Mapping[bytes, int]) -> None:
        """Add answers to the file; if there are more than ``MOST_ANSWERS``, keep only the new ones."""
        with contextlib.suppress(OSError), _folder(self._shared, create=True) as folder:
            kept = self._answers(_content(folder, self._name, MOST_BYTES)) | dict(answers)
            if len(kept) > MOST_ANSWERS:
                kept = dict(list(answers.items())[:MOST_ANSWERS])
            data = b"".join(_ANSWER.pack(*answer) for answer in kept.items())
            _publish(folder, self._name, self._digest(data) + data)
            _remove_oldest(folder, self._name)

    def touch(self) -> None:
        """Mark the file as used: unused files are deleted first."""
        with contextlib.suppress(OSError), _folder(self._shared) as folder:
            os.utime(self._name, dir_fd=folder, follow_symlinks=False)

    def _answers(self, content: bytes) -> dict[bytes, int]:
        data = content[_DIGEST:]
        if content[:_DIGEST] != self._digest(data) or len(data) % _ANSWER.size:
            return {}
        return dict(_ANSWER.iter_unpack(data))

    def _digest(self, data: bytes) -> bytes:
        return blake2b(self._name.encode() + data, key=self._secret, digest_size=_DIGEST).digest()


@contextlib.contextmanager
def _folder(shared: Path, *, create: bool = False) -> Iterator[int]:
    """Our folder, opened; a link in its place is not followed."""
    if create:
        with contextlib.suppress(FileExistsError):
            (shared / FOLDER).mkdir()
    folder = os.open(shared / FOLDER, _READ | os.O_DIRECTORY)
    try:
        yield folder
    finally:
        os.close(folder)


def _content(folder: int, name: str, most: int) -> bytes:
    """The bytes of a regular file; none if it is missing or too large."""
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except FileNotFoundError:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        return file.read(most) if stat.S_ISREG(found.st_mode) and found.st_size <= most else b""


def _publish(folder: int, name: str, content: bytes) -> None:
    unfinished = f".{name}.{os.urandom(4).hex()}"
    with os.fdopen(os.open(unfinished, _WRITE, 0o600, dir_fd=folder), "wb") as file:
        try:
            file.write(content)
            file.flush()
            os.replace(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            os.unlink(unfinished, dir_fd=folder)
            raise


def _remove_oldest(folder: int, newest: str) -> None:
    """Keep all files together, those of killed scans included, below ``MOST_BYTES``."""
    names = [name for name in os.listdir(folder) if _NAME.fullmatch(name) and name != newest]
    found = {name: os.stat(name, dir_fd=folder, follow_symlinks=False) for name in names}
    total = os.stat(newest, dir_fd=folder).st_size
    for name in sorted(names, key=lambda name: -found[name].st_mtime_ns):
        total += found[name].st_size
        if total > MOST_BYTES:
            os.unlink(name, dir_fd=folder)


# ---- the secret -----------------------------------------------------------------------------------------------------


def secret() -> bytes | None:
    """The user's own secret, which proves that this user's scan wrote a file, and nobody else.

    It is made when it is first asked for; None if it cannot be kept, or is not safe.
    """
    # RuntimeError: there is no home.
    with contextlib.suppress(OSError, RuntimeError):
        path = _state() / _SECRET_PLACE
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
        content = file.read(_SECRET + 1) if is_ours else b""
        return content if len(content) == _SECRET else None


def _make(path: Path) -> None:
    """Make the secret, whole or not at all; if another process is quicker, its secret stays."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_name(f".{os.urandom(8).hex()}")
    with os.fdopen(os.open(unfinished, _WRITE, 0o600), "wb") as file:
        file.write(os.urandom(_SECRET))
    try:
        with contextlib.suppress(FileExistsError):
            os.link(unfinished, path)
    finally:
        unfinished.unlink()
