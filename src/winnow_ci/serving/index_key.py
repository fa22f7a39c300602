"""Make and read the key of an organisation's index: a file that builder and clients have, and the server does not.

All that protects an index on a server follows from its 32 bytes, the root of the index, and a salt that each
publication draws, by keyed BLAKE2b (RFC 7693). So no two publications share a key, even if somebody makes two indexes
with one root, or another zlib compresses the rows of one index differently. The salt lies on the server beside the
rows. It is no secret, and a server gains nothing by changing it: no row has a seal under the keys that then follow.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import run_log
from winnow_ci.ci import service
from winnow_ci.errors import IndexKeyError, UsageError
from winnow_ci.regular_file import open_regular
from winnow_ci.start_up import field, record

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "WINNOW_CI_INDEX_KEY"
_KEY_BYTES = 32
SALT_BYTES = hashlib.blake2b.SALT_SIZE
# Part of all that is derived: change it when what is stored under the keys changes its form.
_FORM = b"1"
# A key with its line end, and room for the line end of another system.
_LONGEST_FILE = 2 * _KEY_BYTES + 2
_WRITTEN = re.compile(rb"[0-9a-fA-F]{%d}\s{0,2}" % (2 * _KEY_BYTES))
_FORBIDDEN = stat.S_IRWXG | stat.S_IRWXO
_ASK = "ask whoever publishes the index for its key"


@record(frozen=True, slots=True)
class RowKeys:
    """What protects one publication of an index on a server; none of it may be shown."""

    hashes: bytes = field(repr=False)  # 16 bytes; under it fingerprints are hashed
    streams: bytes = field(repr=False)  # 32 bytes; under it rows are encrypted
    seals: bytes = field(repr=False)  # 32 bytes; under it rows are authenticated


@record(frozen=True, slots=True)
class IndexKey:
    """A key, and the file that it was read from."""

    secret: bytes = field(repr=False)
    path: Path

    @property
    def name(self) -> bytes:
        """Return 8 bytes that may be shown: they tell one key from another, and nothing more."""
        return self._derived(b"name", 8, "", b"")

    def keys_of(self, root: str, salt: bytes) -> RowKeys:
        """Derive the keys for a publication of the index with this root; its salt has ``SALT_BYTES`` bytes."""
        sizes = {b"hashes": 16, b"streams": 32, b"seals": 32}
        return RowKeys(*(self._derived(purpose, size, root, salt) for purpose, size in sizes.items()))

    def _derived(self, purpose: bytes, size: int, root: str, salt: bytes) -> bytes:
        person = b"winnow " + purpose
        state = hashlib.blake2b(key=self.secret, digest_size=size, person=person, salt=salt)
        state.update(_FORM + root.encode())
        return state.digest()


def write_key(path: Path) -> None:
    """Write 32 random bytes, in hexadecimal, to a new file that only its owner can read.

    Raises:
        UsageError: there is something at the path, or the file cannot be made.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, 0o600)
    except FileExistsError as error:
        problem = f"{path} already exists: overwriting a key would lose it, and every index published under it"
        raise UsageError(problem, "name a new file") from error
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", "name a file in an existing folder") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_hex(_KEY_BYTES).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        raise UsageError(f"cannot write {path}: {error.strerror}", "make room, or name another file") from error


def read_key(environment: Mapping[str, str]) -> IndexKey:
    """Read the key in the file that the environment names.

    Raises:
        IndexKeyError: no file is named, or it cannot be read, holds no key, or could be read by others.
    """
    if not (named := environment.get(VARIABLE)):
        problem = f"an index on a server needs its key, but {VARIABLE} is not set"
        raise IndexKeyError(problem, f"set {VARIABLE} to the file of the key; {_ASK}")
    path = Path(named)
    try:
        with open_regular(path) as file:
            status = os.fstat(file.fileno())
            written = file.read(_LONGEST_FILE + 1)
    except OSError as error:
        problem = f"cannot read the index key {path}, which {VARIABLE} names: {error.strerror}"
        raise IndexKeyError(problem, f"set {VARIABLE} to the file of the key; {_ASK}") from error
    if not _WRITTEN.fullmatch(written):
        problem = f"{path}, which {VARIABLE} names, is not an index key: a key has {2 * _KEY_BYTES} hexadecimal digits"
        raise IndexKeyError(problem, f"{_ASK}, or make one: winnow-ci index key FILE")
    _check_permissions(path, status, environment)
    key = IndexKey(bytes.fromhex(written.decode()), path)
    run_log.tell(f"index key {key.name.hex()} from {path}")
    return key


def _check_permissions(path: Path, status: os.stat_result, environment: Mapping[str, str]) -> None:
    """Refuse what ssh and libpq refuse of their keys; a file of root may be readable by its group.

    A CI puts a job's secrets where it likes, with the permissions that it likes, on a machine that is the job's alone.
    """
    if service(environment) or (status.st_uid == 0 and not status.st_mode & (_FORBIDDEN & ~stat.S_IRGRP)):
        return
    if status.st_mode & _FORBIDDEN:
        problem = f"others can read or change the index key {path}"
        raise IndexKeyError(problem, f"let only its owner read it: chmod 600 {path}")
