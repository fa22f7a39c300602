"""Examples → weights: logistic regression with weights of fixed signs.

False findings are few beside copies where it matters, near the cuts, so they count for more when the weights are
learnt: most of all those against a framework, which look most like copies. That shifts and stretches the log-odds.
So in the end, a base and a scale are fitted to the examples as they are (Platt 1999).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.evidence.model import FEATURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from examples import Example
    from numpy.typing import NDArray

# How much a false finding counts, by the kind of data.
SHARES = {"framework": 10.0, "unrelated": 3.0, "plants": 1.0}
# Of the squared weights, each for a feature at its bound, beside the mean loss.
RIDGE = 1e-5
STEPS = 20_000


class Fitted(NamedTuple):
    """A base, and a weight for each feature."""

    base: float
    weights: dict[str, float]

    def log_odds(self, examples: Sequence[Example]) -> NDArray[np.float64]:
        """The log-odds of each example: float64."""
        return self.base + _rows(examples) @ np.array([self.weights[name] for name in FEATURES])


def fitted(examples: Sequence[Example]) -> Fitted:
    """Fit the weights to examples of copies and others; what a filter drops is no example."""
    examples = [one for one in examples if one.filter is None]
    most = np.array([feature.most for feature in FEATURES.values()])
    signs = np.array([feature.sign for feature in FEATURES.values()])
    copies = np.array([one.label == "copy" for one in examples], np.float64)
    shares = np.array([1.0 if one.label == "copy" else SHARES[one.kind] for one in examples])
    found = _descended(_rows(examples) / most * signs, copies, shares)
    said = _rows(examples) / most * signs @ found[1:]
    base, scale = _descended(said[:, None], copies, np.ones(len(examples)))
    weights = scale * found[1:] * signs / most
    return Fitted(float(base), dict(zip(FEATURES, weights.tolist(), strict=True)))


def _rows(examples: Sequence[Example]) -> NDArray[np.float64]:
    rows = [[one.features.get(name, 0.0) for name in FEATURES] for one in examples]
    return np.array(rows, np.float64).reshape(-1, len(FEATURES))


def _descended(
    columns: NDArray[np.float64], copies: NDArray[np.float64], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Projected gradient descent with momentum (FISTA; Beck and Teboulle 2009): all but the base are 0 or more."""
    columns, shares = np.column_stack([np.ones(len(columns)), columns]), shares / shares.sum()
    step = 1 / (0.25 * np.linalg.eigvalsh((columns * shares[:, None]).T @ columns)[-1] + 2 * RIDGE)
    found = ahead = np.zeros(columns.shape[1])
    pace = 1.0
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-(columns @ ahead)))
        slope = columns.T @ (shares * (likely - copies))
        slope[1:] += 2 * RIDGE * ahead[1:]
        new = ahead - step * slope
        new[1:] = np.maximum(new[1:], 0)
        faster = (1 + np.sqrt(1 + 4 * pace**2)) / 2
        ahead, found, pace = new + (pace - 1) / faster * (new - found), new, faster
    return found
