"""The most used packages of an ecosystem, from which a first manifest is made.

Each list was counted by ``tools/starters``; its first line says when and in what.
"""

from __future__ import annotations

from pathlib import Path

ECOSYSTEMS = ("pypi", "npm", "cargo", "golang", "maven")
"""Types of package URLs for which there is a list."""


def starter(ecosystem: str) -> tuple[str, ...]:
    """Names of packages without version, as a package URL has them, the most used first.

    Args:
        ecosystem: one of ``ECOSYSTEMS``.
    """
    text = Path(__file__).with_name(f"{ecosystem}.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if not line.startswith("#"))
