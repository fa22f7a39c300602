"""What an index says of itself (its table ``meta``), held against what this version can read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, get_args

from winnow_ci.errors import IndexFileError
from winnow_ci.index import schema
from winnow_ci.model import KGRAM_LENGTHS, WINDOW_LENGTHS, Selection

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_COUNTS = ("bits", "sources", "contents", "postings", "texts", "boilerplate")
_MOST_DIGITS = 18
# A file of that many blocks would have 20 TB.
_MOST_BITS = 40


def check(meta: Mapping[str, str], path: Path) -> None:
    """Check a description whose digest is right.

    Args:
        meta: its rows, without ``meta_digest``.
        path: the index, for messages.

    Raises:
        ValueError: it cannot have been written by any version; the message says what is wrong.
        IndexFileError: it was written by a version whose fingerprints this one cannot compare with.
    """
    if meta.keys() != schema.META or not all(isinstance(value, str) for value in meta.values()):
        raise ValueError("its description is incomplete")
    if meta["algorithm"] != schema.ALGORITHM:
        msg = f"{path} was made with fingerprints of revision {meta['algorithm']}, not {schema.ALGORITHM}"
        raise IndexFileError(msg, "build it again: winnow-ci index build")
    numbers = {key: _number(meta[key]) for key in ("k", "w", *_COUNTS)}
    if numbers["bits"] > _MOST_BITS or not _is_table(json.loads(meta["front_ends"])):
        raise ValueError("its description says what cannot be")
    known = (
        numbers["k"] in KGRAM_LENGTHS and numbers["w"] in WINDOW_LENGTHS and meta["selection"] in get_args(Selection)
    )
    if not known:
        made = f"k = {meta['k']}, w = {meta['w']} and {meta['selection']} selection"
        msg = f"{path} was made with {made}, which this winnow-ci does not know"
        raise IndexFileError(msg, "install the winnow-ci that made it, or build it again: winnow-ci index build")


def _number(value: str) -> int:
    if not (value.isascii() and value.isdecimal() and len(value) <= _MOST_DIGITS):
        raise ValueError("its description says what cannot be")
    return int(value)


def _is_table(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
