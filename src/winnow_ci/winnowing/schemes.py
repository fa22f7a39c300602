"""The family of selection schemes behind one name: which k-grams of a document become its fingerprints.

What each promises about a run of t = w + k − 1 tokens, which holds w k-grams. *Asked densely*: the other side looks up
every k-gram, so one selected k-gram in the run is enough. *Both selected*: both sides select. A scan selects where that
always finds (``scanner.questions``).

=================  ==========================  ==========================  ==========================================
scheme             asked densely               both selected               share of the k-grams kept
=================  ==========================  ==========================  ==========================================
``anchored``       always found                likely                      about 1 / w + 1 / 100
``winnowing``      always found                always found                2 / (w + 1); all of a constant stretch
``robust``         always found                always found                2 / (w + 1); one in w of such a stretch
``mod-minimizer``  always found                always found                less, if k ≥ w + 4; else as ``robust``
``mod-p``          no guarantee                no guarantee                1 / ((w + 1) // 2) on average
``bottom-s``       no guarantee                no guarantee                at most 256 k-grams of a document
``bounded``        likely, in longer runs      no guarantee                at most 2 / (w + 1), or 64; 65,536 at most
=================  ==========================  ==========================  ==========================================

A document with fewer than w k-grams is taken as one window: it has fewer than t tokens, so the guarantee does not
apply, but a short file should not be invisible.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Scheme = Literal["anchored", "winnowing", "robust", "mod-minimizer", "mod-p", "bottom-s", "bounded"]


def select(
    hashes: NDArray[np.uint64], w: int, scheme: Scheme, ids: NDArray[np.uint64] | None = None
) -> NDArray[np.int64]:
    """Select fingerprints.

    Args:
        hashes: uint64, shape (n,); one a k-gram.
        w: length of a window, at least 1.
        scheme: name of the scheme.
        ids: uint64, shape (n + k − 1,); the tokens of the k-grams. Only ``mod-minimizer`` needs them.

    Returns:
        int64, rising positions in ``hashes``.

    Raises:
        ValueError: the scheme needs ids, but none are given.
    """
    if len(hashes) == 0:
        return np.empty(0, np.int64)
    w = min(w, len(hashes))
    selected: NDArray[np.int64]
    if scheme != "mod-minimizer":
        selected = _function(scheme)(hashes, w)
    elif ids is None:
        raise ValueError("mod-minimizer selects by the ids of the tokens")
    else:
        selected = _function(scheme)(hashes, w, ids)
    return selected


# The module of each scheme, imported on first use: a scan needs one at most.
_MODULES: dict[Scheme, str] = {
    "anchored": "anchored",
    "winnowing": "selection",
    "robust": "selection",
    "mod-minimizer": "mod_minimizer",
    "mod-p": "sampling",
    "bottom-s": "sampling",
    "bounded": "bounded",
}


def _function(scheme: Scheme) -> Any:
    module = importlib.import_module(f"winnow_ci.winnowing.{_MODULES[scheme]}")
    return getattr(module, scheme.replace("-", "_"))
