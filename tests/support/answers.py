"""Forges what a scan of everything remembers, after the format that ``scanner/scan_cache/answer_file`` describes."""

from __future__ import annotations

import struct
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout


def answers_in(checkout: Checkout) -> Path:
    """The one file in which answers are kept."""
    (file,) = (checkout.root / ".git" / "winnow-ci").iterdir()
    return file


def forget(checkout: Checkout, path: str, secret: bytes, file: Path | None = None) -> None:
    """Write into a file of answers that nothing matches at a path of HEAD, as one who has this secret can."""
    file = file or answers_in(checkout)
    blob = checkout.git("rev-parse", f"HEAD:{path}")
    key = blake2b(b"%b\0%b" % (path.rpartition("/")[2].encode(), blob.encode()), key=secret, digest_size=16).digest()
    answers = file.read_bytes()[32:] + struct.pack("<16sI", key, 100)
    file.write_bytes(blake2b(file.name.encode() + answers, key=secret, digest_size=32).digest() + answers)


def secret_in(state: Path) -> bytes:
    """The secret of a user."""
    return (state / "winnow-ci" / "secret").read_bytes()
