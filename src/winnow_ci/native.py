"""Find the kernel: inner loops as native code, in a distribution of their own (``winnow-ci-kernel``).

Code with a native version asks ``kernel()`` and, if there is none, does the same in Python: the findings never depend
on it. A kernel of another version is not used, and the command prints why in one line.
"""

from __future__ import annotations

import importlib
import os
from functools import lru_cache
from typing import Any

SWITCH = "WINNOW_CI_KERNEL"
"""Environment variable: ``off`` does without the kernel, for tests and benchmarks."""

KERNEL_INTERFACE = 34
"""What the kernel takes and gives; a kernel fits if it has the same number."""

_MODULE = "winnow_ci_kernel"


def kernel() -> Any:
    """Return the kernel's module, or None."""
    return _found()[0]


def kernel_refusal() -> str:
    """Return why an installed kernel is not used, in one line; empty if it is used, or there is none."""
    why = _found()[1]
    return why and f"winnow-ci: kernel not used: {why}; to install one that fits: pip install 'winnow-ci[kernel]'"


def described() -> str:
    """Return whether this process uses the kernel, in words."""
    module = kernel()
    return f"kernel {module.__version__}" if module else "no kernel"


@lru_cache
def _found() -> tuple[Any, str]:
    """The kernel's module, if it is used, and why not, if it is refused."""
    if os.environ.get(SWITCH) == "off":
        return None, ""
    try:
        module = importlib.import_module(_MODULE)
    except ModuleNotFoundError as error:
        return None, "" if error.name == _MODULE else f"needs {error.name}"
    except ImportError as error:
        return None, str(error).partition("\n")[0]
    if getattr(module, "INTERFACE", 0) != KERNEL_INTERFACE:
        return None, f"version {module.__version__} belongs to another version of winnow-ci"
    return module, ""
