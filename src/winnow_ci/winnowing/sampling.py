"""Selection by single hashes: samples of a document, which promise nothing about a single run.

- ``mod-p`` (Manber 1994): the hashes that are 0 modulo p. Equal k-grams are selected in all documents or in none, but
  the distance between two of them has no bound: in random text the chance that w k-grams have none is (1 − 1/p)^w, and
  code that repeats itself may have none at all. p is chosen to keep about as many as winnowing, 2 in w + 1.
- ``bottom-s`` (Heintze 1996; Broder 1997): the s smallest distinct hashes of a document, each where it stands first.
  From two such sketches follows how much the documents resemble each other as wholes (``comparing.similarity``). A
  short copy inside a long document is most likely not among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# s: with it, the standard error of a resemblance of one half is 3%.
SKETCH = 256


def mod_p(hashes: NDArray[np.uint64], w: int) -> NDArray[np.int64]:
    """Select the hashes that are 0 modulo (w + 1) // 2; rising positions, possibly none."""
    return np.flatnonzero(hashes % np.uint64(max(1, (w + 1) // 2)) == 0)


def bottom_s(hashes: NDArray[np.uint64], w: int = 0, s: int = SKETCH) -> NDArray[np.int64]:  # noqa: ARG001
    """Select the first place of each of the s smallest distinct hashes; rising positions. ``w`` does not matter."""
    return np.sort(np.unique(hashes, return_index=True)[1][:s])
