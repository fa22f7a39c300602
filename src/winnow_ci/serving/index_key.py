"""The key of an organisation's index: a file that the builder and the clients have, and the server has not.

All that protects an index on a server comes from its 32 bytes, the root of the index, and a salt that each publication
draws, by keyed BLAKE2b (RFC 7693). So two publications have no key in common, be it of two indexes that somebody made
to have one root, or of one index whose rows another zlib has compressed. The salt lies on the server beside the rows.
It is no secret, and a server gains nothing by another one: no row has a seal under the keys that follow from that.
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
KEY_BYTES = 32
HASH_KEY_BYTES = 16
SEAL_KEY_BYTES = 32
SALT_BYTES = hashlib.blake2b.SALT_SIZE
# Of all that is derived: another one when what is stored under the keys changes its form.
_FORM = b"1"
# A key with its line end, and room for the line end of another system.
_LONGEST_FILE = 2 * KEY_BYTES + 2
_WRITTEN = re.compile(rb"[0-9a-fA-F]{%d}\s{0,2}" % (2 * KEY_BYTES))
_FORBIDDEN = stat.S_IRWXG | stat.S_IRWXO
_ASK = "ask whoever publishes the index for its key"


@record(frozen=True, slots=True)
class RowKeys:
    """What protects one publication of an index on a server; no value of it may be shown.

    Attributes:
        hashes: ``HASH_KEY_BYTES`` bytes; under it fingerprints are hashed.
        streams: ``SEAL_KEY_BYTES`` bytes; under it rows are encrypted.
        seals: ``SEAL_KEY_BYTES`` bytes; under it rows are authenticated.
    """

    hashes: bytes = field(repr=False)
    streams: bytes = field(repr=False)
    seals: bytes = field(repr=False)


@record(frozen=True, slots=True)
class IndexKey:
    """A key, and the file that it was read from."""

    secret: bytes = field(repr=False)
    path: Path

    @property
    def name(self) -> bytes:
        """8 bytes that may be shown: they tell one key from another, and nothing more."""
        return self._derived(b"name", 8, "", b"")

    def keys_of(self, root: str, salt: bytes) -> RowKeys:
        """The keys for a publication of the index with this root; ``salt``: of it, ``SALT_BYTES`` bytes."""
        return RowKeys(
            self._derived(b"hashes", HASH_KEY_BYTES, root, salt),
            self._derived(b"streams", SEAL_KEY_BYTES, root, salt),
            self._derived(b"seals", SEAL_KEY_BYTES, root, salt),
        )

    def _derived(self, purpose: bytes, size: int, root: str, salt: bytes) -> bytes:
        person = b"winnow " + purpose
        state = hashlib.blake2b(key=self.secret, digest_size=size, person=person, salt=salt)
        state.update(_FORM + root.encode())
        return state.digest()


def write_key(path: Path) -> None:
    """Make a key: 32 random bytes, in hexadecimal, in a new file that only its owner can read.

    Raises:
        UsageError: there is something at the path, or the file cannot be made.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, 0o600)
    except FileExistsError as error:
        problem = f"{path} is there already, and a key that is overwritten is lost, with every index published under it"
        raise UsageError(problem, "name a new file") from error
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", "name a file in a folder that is there") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_hex(KEY_BYTES).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        raise UsageError(f"cannot write {path}: {error.strerror}", "make room, or name another file") from error


def read_key(environment: Mapping[str, str]) -> IndexKey:
    """The key in the file that the environment names.

    Raises:
        IndexKeyError: none is named, it cannot be read, it is no key, or others could read it.
    """
    if not (named := environment.get(VARIABLE)):
        problem = f"an index on a server needs its key, and {VARIABLE} names no file"
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
        problem = f"{path}, which {VARIABLE} names, holds no index key: that is {2 * KEY_BYTES} hexadecimal digits"
        raise IndexKeyError(problem, f"{_ASK}, or make one: winnow-ci index key FILE")
    _check_permissions(path, status, environment)
    key = IndexKey(bytes.fromhex(written.decode()), path)
    run_log.tell(f"index key {key.name.hex()} from {path}")
    return key


def _check_permissions(path: Path, status: os.stat_result, environment: Mapping[str, str]) -> None:
    """Refuse what ssh and libpq refuse of their keys; a file of the system may be readable by its group.

    A CI puts a job's secrets where it likes, with the permissions that it likes, on a machine that is the job's alone.
    """
    if service(environment) or (status.st_uid == 0 and not status.st_mode & (_FORBIDDEN & ~stat.S_IRGRP)):
        return
    if status.st_mode & _FORBIDDEN:
        problem = f"others can read or change the index key {path}"
        raise IndexKeyError(problem, f"let only its owner read it: chmod 600 {path}")
