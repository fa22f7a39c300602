"""Wheels that tests make themselves."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_FILES = {
    "tiny.py": "",
    "tiny-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\nRequires-Dist: is-nowhere\n",
    "tiny-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "tiny-1.0.dist-info/RECORD": "",
}


def tiny_wheel(folder: Path) -> Path:
    """A wheel of one empty module, which needs a distribution that does not exist."""
    folder.mkdir()
    wheel = folder / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in _FILES.items():
            archive.writestr(name, text)
    return wheel
