"""The structural class of each sketch byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _classes() -> NDArray[np.uint8]:
    classes = np.arange(256, dtype=np.uint8)
    for sketches in (IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH):
        classes[sketches.start : sketches.stop] = sketches.start
    return classes


CLASSES = _classes()
IS_IDENTIFIER = np.equal(CLASSES, IDENTIFIER_SKETCH.start)
IS_NUMBER = np.equal(CLASSES, NUMBER_SKETCH.start)
IS_STRING = np.equal(CLASSES, STRING_SKETCH.start)
