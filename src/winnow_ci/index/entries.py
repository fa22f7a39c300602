"""What goes into an index: contents with their postings, one by one or many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.index import schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from winnow_ci.index.rows import ContentRow
    from winnow_ci.model import Fingerprints


class Entry(NamedTuple):
    """A content ready to be stored: its row (whose files are not known yet) and its postings."""

    row: ContentRow
    fingerprints: Fingerprints


class Batch(NamedTuple):
    """Several contents ready to be stored.

    Attributes:
        rows: of the contents; no two of one key.
        postings: ``schema.POSTING``, in any order; ``content`` is the place in ``rows``.
    """

    rows: Sequence[ContentRow]
    postings: NDArray[np.void]


def batched(entries: Sequence[Entry]) -> Batch:
    """Put contents together; their keys are distinct."""
    counts = [len(entry.fingerprints) for entry in entries]
    postings = np.empty(sum(counts), schema.POSTING)
    postings["content"] = np.repeat(np.arange(len(entries)), counts)
    if entries:
        for field, name in (("hash", "hashes"), ("position", "positions"), ("check", "checks")):
            postings[field] = np.concatenate([getattr(entry.fingerprints, name) for entry in entries])
        postings["hash"] = schema.spread(postings["hash"])
    return Batch([entry.row for entry in entries], postings)
