"""Where the baseline is written: the file that the configuration names, or the usual one, which it then names.

The baseline is written first. A configuration that names a baseline which is not there would make a notice.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from winnow_ci.config.baseline import baseline_text, load_baseline
from winnow_ci.config.settings import NEW_BASELINE, with_baseline_named
from winnow_ci.errors import UsageError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations import atomic_file

if TYPE_CHECKING:
    from pathlib import Path

    from winnow_ci.model.findings import BaselineEntry


class BaselinePlace(NamedTuple):
    """Where a baseline is written.

    Attributes:
        path: of the file.
        configuration: of the repository.
        edited: the text that the configuration gets, so that it names the baseline; None if it does already.
    """

    path: Path
    configuration: Path
    edited: bytes | None = None


def baseline_place(named: Path | None, configuration: Path) -> BaselinePlace:
    """Find the place, below the folder of the configuration.

    Args:
        named: the baseline that the configuration names, if any.
        configuration: its file, which need not be there.

    Raises:
        UsageError: something is in the way.
        ConfigError: the configuration has a form that nothing can be added to.
    """
    path = named or configuration.parent / NEW_BASELINE
    if not path.parent.resolve().is_relative_to(configuration.parent.resolve()):
        raise UsageError(f"{path}: lies behind a symbolic link", "put a folder in the place of the link")
    if named:
        return BaselinePlace(path, configuration)
    if os.path.lexists(path):
        remedy = f"name it there, if it counts: baseline: {NEW_BASELINE}; otherwise remove it"
        raise UsageError(f"{path} is there, but {configuration.name} does not name it", remedy)
    if configuration.is_symlink():
        remedy = f"add to the file that it leads to: baseline: {NEW_BASELINE}"
        raise UsageError(f"{configuration}: a symbolic link, which is not written through", remedy)
    written = configuration.read_bytes() if configuration.exists() else b""
    return BaselinePlace(path, configuration, with_baseline_named(written, configuration))


def write(place: BaselinePlace, before: tuple[BaselineEntry, ...], after: tuple[BaselineEntry, ...]) -> None:
    """Write the baseline, and the configuration if it is edited; if that fails, there is no new baseline either.

    Raises:
        UsageError: somebody else has written the baseline since ``before`` was read.
        OSError: a file cannot be written.
    """
    if (load_baseline(place.path) if os.path.lexists(place.path) else ()) != before:
        raise UsageError(f"{place.path} has changed meanwhile", "run this again")
    atomic_file.replace(place.path, baseline_text(after).encode())
    if place.edited is None:
        return
    try:
        atomic_file.replace(place.configuration, place.edited)
    except BaseException:
        place.path.unlink()
        raise
