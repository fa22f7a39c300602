"""The cache that lasts: contents in which earlier scans found no match, so that they need not be read again.

It keeps nothing else, and only files that are new as a whole and whose content is a blob of git's. Matches, files of
the work tree, and files that could not be read are looked at each time. An answer is the number of the file's tokens,
or that its language is unknown. Its key is the file's name (which may tell the language) and the id of its blob. It
answers one question: these indexes and settings, this program and what it runs on. If any of these change, the cache
knows nothing.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import xxhash

import winnow_ci
from winnow_ci.languages import UNKNOWN_LANGUAGE
from winnow_ci.model import Skipped
from winnow_ci.scanner.scan_cache import NO_CACHE, ScanCache
from winnow_ci.scanner.scan_cache.answer_file import KEY, AnswerFile, secret
from winnow_ci.scanner.values import Unmatched

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from winnow_ci.config import Settings
    from winnow_ci.index import IndexReader
    from winnow_ci.model.changes import ChangedFile
    from winnow_ci.scanner.values import Match, PreparedFile

# Settings that judge findings, or paths before anything is read; any other setting may change what is found.
_OTHER_SETTINGS = {"index", "include", "exclude", "policy", "own", "baseline", "inline"}
_NO_LANGUAGE = (1 << 32) - 1


class _LastingCache(ScanCache):
    """Keeps its answers in a file."""

    def __init__(self, file: AnswerFile, secret: bytes) -> None:
        self._file = file
        self._secret = secret
        self._known = file.load()
        self._used: dict[bytes, int] = {}
        self._asked: dict[str, bytes] = {}

    def recall(self, file: ChangedFile) -> Unmatched | Skipped | None:
        if file.kind != "file" or file.old is not None or file.new is None:
            return None
        key = self._key(file.path, file.new)
        answer = self._known.get(key)
        if answer is None:
            self._asked[file.path] = key
            return None
        self._used[key] = answer
        if answer == _NO_LANGUAGE:
            return Skipped(file.path, UNKNOWN_LANGUAGE, "out-of-scope")
        return Unmatched(file.path, answer)

    def keep_skipped(self, skipped: Skipped) -> None:
        if skipped.reason == UNKNOWN_LANGUAGE and (key := self._asked.pop(skipped.path, None)):
            self._used[key] = _NO_LANGUAGE

    def keep(self, batch: Sequence[PreparedFile], found: Sequence[Sequence[Match]]) -> None:
        matching = {file.path for file, matches in zip(batch, found, strict=True) if matches}
        for file in batch:
            if file.in_text:
                continue
            key = self._asked.pop(file.path, None)
            # Each scan reports on comments that allow copies, and on files that the fallback tokenizer read.
            is_plain = not file.is_marked and file.failure is None and not file.unread
            if key and file.path not in matching and is_plain and file.added.all():
                self._used[key] = len(file.tokens)

    def save(self) -> None:
        if self._used.keys() <= self._known.keys():
            self._file.touch()
        else:
            self._file.save(self._used)

    def _key(self, path: str, blob: str) -> bytes:
        name = path.rpartition("/")[2].encode("utf-8", "surrogateescape")
        return blake2b(b"%b\0%b" % (name, blob.encode()), key=self._secret, digest_size=KEY).digest()


def scan_cache(
    folder: Path, indexes: Iterable[IndexReader], settings: Settings, boilerplate: Iterable[NDArray[np.uint64]]
) -> ScanCache:
    """What scans with the same question found before; ``NO_CACHE`` where nothing can be kept.

    Args:
        folder: git's own, shared by all work trees of a clone.
        indexes: the indexes of the scan.
        settings: what is in scope and reported.
        boilerplate: hashes of the k-grams that are no evidence, for each index.
    """
    ours, program = secret(), _program()
    if ours is None or program is None:
        return NO_CACHE
    asked = blake2b()
    parts = (program, *(index.digest for index in indexes), _relevant(settings))
    for part in parts:
        asked.update(f"{len(part)}:{part}".encode("utf-8", "surrogateescape"))
    for hashes in boilerplate:
        asked.update(f"{len(hashes)}:".encode() + hashes.tobytes())
    return _LastingCache(AnswerFile(folder, asked.digest(), ours), ours)


def _relevant(settings: Settings) -> str:
    named = ((name, getattr(settings, name)) for name in settings.__match_args__)
    return repr([(name, value) for name, value in named if name not in _OTHER_SETTINGS])


@cache
def _program() -> str | None:
    """Everything of this program that may change what it finds, including edits without a new version."""
    root = Path(winnow_ci.__file__).parent
    files = (Path(folder, name) for folder, _, names in os.walk(root) if "__pycache__" not in folder for name in names)
    try:
        state = sorted((str(file.relative_to(root)), *_stamp(file)) for file in files)
    except OSError:
        return None
    # Imported here, so that a scan of a few files does not wait for it.
    import pygments  # noqa: PLC0415

    versions = (np.__version__, pygments.__version__, xxhash.VERSION)
    return repr((winnow_ci.__version__, sys.version, versions, state))


def _stamp(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_size, found.st_mtime_ns
