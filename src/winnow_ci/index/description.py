"""The description of an index (the table ``meta``): checked before anything else is read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, get_args

from winnow_ci.errors import IndexFileError
from winnow_ci.index import schema
from winnow_ci.model import KGRAM_LENGTHS, WINDOW_LENGTHS, Selection

if TYPE_CHECKING:
    from collections.abc import Mapping

    from winnow_ci.index.store import Store

_COUNTS = ("bits", "crowd_bits", "sources", "contents", "postings", "texts", "boilerplate", "crowded", "cut")
_MOST_DIGITS = 18
# A file of 2^40 blocks would have 20 TB.
_MOST_BITS = 40


def description(store: Store) -> dict[str, str]:
    """The description of an index, checked.

    Raises:
        IndexFileError: it is damaged, or of an index that this version cannot read.
    """
    meta = dict(store.meta())
    expected = meta.pop("meta_digest", None)
    if expected != schema.digest(*(part for row in meta.items() for part in row)).hex():
        raise store.damaged("its description")
    with store.guard():
        _check_meta(meta, store.name)
    return meta


def _check_meta(meta: Mapping[str, str], name: str) -> None:
    """Check a description whose digest is right.

    Args:
        meta: its rows, without ``meta_digest``.
        name: of the index, for messages.

    Raises:
        ValueError: no version can have written it; the message says what is wrong.
        IndexFileError: a version wrote it whose fingerprints this one cannot compare with its own.
    """
    if meta.keys() != schema.META or not all(isinstance(value, str) for value in meta.values()):
        raise ValueError("its description is incomplete")
    if meta["algorithm"] != schema.ALGORITHM:
        msg = f"{name} was made with fingerprints of revision {meta['algorithm']}, not {schema.ALGORITHM}"
        raise IndexFileError(msg, "build it again: winnow-ci index build")
    numbers = {key: _number(meta[key]) for key in ("k", "w", *_COUNTS)}
    if max(numbers["bits"], numbers["crowd_bits"]) > _MOST_BITS or not _maps_strings(json.loads(meta["front_ends"])):
        raise ValueError("its description says what cannot be")
    known = (
        numbers["k"] in KGRAM_LENGTHS and numbers["w"] in WINDOW_LENGTHS and meta["selection"] in get_args(Selection)
    )
    if not known:
        made = f"k = {meta['k']}, w = {meta['w']} and {meta['selection']} selection"
        msg = f"{name} was made with {made}, which this winnow-ci does not know"
        raise IndexFileError(msg, "install the winnow-ci that made it, or build it again: winnow-ci index build")


def _number(value: str) -> int:
    if not (value.isascii() and value.isdecimal() and len(value) <= _MOST_DIGITS):
        raise ValueError("its description says what cannot be")
    return int(value)


def _maps_strings(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
