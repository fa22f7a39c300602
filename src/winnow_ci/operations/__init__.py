"""What the commands do, without the command line: each operation is one list of steps.

A command passes values and prints the result; nothing here reads arguments, prints or exits. Every function may raise a
``WinnowError``, whose message says what is wrong and what to do. A module is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from winnow_ci.operations import baseline, check, indexing, library, named_elsewhere, report, scan, trust
else:

    def __getattr__(name: str) -> Any:
        module = f"{__name__}.{name}"
        try:
            return import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def lock_beside(manifest: Path) -> Path:
    """Return where the lock of a manifest is."""
    return manifest.with_suffix(".lock")
