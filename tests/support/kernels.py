"""The kernel beside Python: the same work done both ways, to be compared.

A machine without the kernel skips these tests and says so. With ``REQUIRE_KERNEL`` in its environment, as ``.ci/run``
sets it, it fails.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from winnow_ci import native

if TYPE_CHECKING:
    from collections.abc import Iterator

REQUIRED = bool(os.environ.get("REQUIRE_KERNEL"))


@contextmanager
def without_kernel() -> Iterator[None]:
    """Python alone does what is done in the block."""
    with patch.object(native, "_found", lambda: (None, "")):
        yield


def need_kernel() -> None:
    """Skip a test if there is no kernel."""
    if native.kernel() is None and not REQUIRED:
        pytest.skip("no kernel: make kernel")
    assert native.kernel() is not None, native.kernel_refusal()
