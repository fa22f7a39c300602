"""What the commands do, without the command line: each operation is one list of steps.

A command hands over what it was asked for as values and prints what comes back; nothing here reads arguments, prints
or exits.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

CONFIGURATION = ".winnow.yml"
MANIFEST = ".winnow/sources.yml"


def nearest_configuration(root: Path, is_there: Callable[[Path], bool] = os.path.lexists) -> Path:
    """Return the configuration of the working folder, or of the nearest folder above it that has one.

    Args:
        root: of the repository, where the search ends; a working folder elsewhere has no part in it.
        is_there: whether a configuration that is asked about exists.
    """
    here = Path.cwd()
    folders = [folder for folder in (here, *here.parents) if folder != root and folder.is_relative_to(root)]
    return next((place for folder in folders if is_there(place := folder / CONFIGURATION)), root / CONFIGURATION)
