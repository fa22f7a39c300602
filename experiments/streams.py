"""Fingerprints of a stream that memory does not hold at once.

The paper hashes all pages as one stream: a k-gram may begin in one page and end in the next (its k-grams are its
characters less k − 1). A stream is cut for selection where a window's smallest hash is another than that of the window
before: there neither definition of winnowing looks back, so the choices are those of the whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.winnowing import kgram_hashes, select

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray
    from pages import Page


BLOCK = 1 << 21  # k-grams


class StreamCounts(NamedTuple):
    """A scheme on a stream.

    Attributes:
        kgrams: how many there are.
        kept: how many are fingerprints.
        longest: the longest run without one, in k-grams.
    """

    kgrams: int
    kept: int
    longest: int


def hashes_of(pages: Iterable[Page], k: int, block: int = BLOCK) -> Iterator[NDArray[np.uint64]]:
    """The k-gram hashes of all pages as one stream, in blocks: uint64."""
    parts: list[NDArray[np.uint64]] = []
    for page in pages:
        parts.append(page.ids)
        if sum(map(len, parts)) >= block + k - 1:
            ids = np.concatenate(parts)
            yield kgram_hashes(ids, k)
            parts = [ids[len(ids) - k + 1 :]]
    if parts:
        yield kgram_hashes(np.concatenate(parts), k)


def selected(
    blocks: Iterable[NDArray[np.uint64]], w: int, scheme: str
) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int64]]]:
    """Parts of a stream that follow each other without overlap, and what a scheme selects in each.

    ``winnowing``, ``robust`` and ``mod-p`` select what they would select of the whole. The places of a part count from
    its first k-gram; those of a window across its end belong to the part, and may lie behind it.
    """
    if scheme == "mod-p":
        yield from ((block, np.flatnonzero(block % np.uint64((w + 1) // 2) == 0)) for block in blocks)
        return
    rest = np.empty(0, np.uint64)
    for block in blocks:
        rest = np.concatenate([rest, block])
        if end := last_change(rest, w):
            yield rest[:end], select(rest[: end + w - 1], w, scheme)
            rest = rest[end:]
    if len(rest):
        yield rest, select(rest, w, scheme)


def last_change(hashes: NDArray[np.uint64], w: int) -> int:
    """The last window whose smallest hash is another than that of the window before; 0 if there is none."""
    if len(hashes) <= w:
        return 0
    smallest, span = hashes, 1
    while span < w:
        step = min(span, w - span)
        smallest = np.minimum(smallest[step:], smallest[:-step])
        span += step
    changes = np.flatnonzero(smallest[1:] != smallest[:-1])
    return int(changes[-1]) + 1 if len(changes) else 0


def counted(blocks: Iterable[NDArray[np.uint64]], w: int, scheme: str) -> StreamCounts:
    """Count what a scheme selects of a stream."""
    kgrams = kept = longest = 0
    last = -1
    for part, chosen in selected(blocks, w, scheme):
        places = np.concatenate([[last], kgrams + chosen])
        longest = max(longest, int(np.diff(places).max(initial=1)) - 1)
        last, kgrams, kept = int(places[-1]), kgrams + len(part), kept + len(chosen)
    return StreamCounts(kgrams, kept, max(longest, kgrams - 1 - last))
