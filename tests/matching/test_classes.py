"""Every sketch has a class: names, numbers and strings one each, and every other token its own."""

from __future__ import annotations

import numpy as np

from winnow_ci.matching.extension import CLASSES, IS_IDENTIFIER, IS_NUMBER


def test_classes_are_those_of_the_sketch() -> None:
    assert CLASSES.tolist() == [*range(128), *[128] * 80, *[208] * 22, *[230] * 26]
    assert CLASSES.dtype == np.uint8
    assert np.flatnonzero(IS_IDENTIFIER).tolist() == [*range(128, 208)]
    assert np.flatnonzero(IS_NUMBER).tolist() == [*range(208, 230)]
