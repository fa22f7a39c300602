"""winnow-ci with another model of evidence, for `tools/evidence`: `python observing.py MODEL COMMAND …`.

With the word `unlearnt` after the model, all languages count as unlearnt, and no shape as common.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from winnow_ci.evidence import model, tables, weights


def forget() -> None:
    """Take the tables of common shapes away, and the languages that they were learnt from."""
    weights.LEARNT = frozenset()  # type: ignore[misc]
    learnt = tables._file  # noqa: SLF001 - no other program needs to forget
    rows, digest = learnt("common")

    def without_common(name: str) -> Any:
        return (rows[:0], digest) if name == "common" else learnt(name)

    tables._file = without_common  # type: ignore[assignment]  # noqa: SLF001


if __name__ == "__main__":
    model.FILE = Path(sys.argv.pop(1))
    if sys.argv[1] == "unlearnt":
        del sys.argv[1]
        forget()
    from winnow_ci.cli import entry_point  # everything else is imported with this model

    entry_point()
