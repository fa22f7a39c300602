"""Adds the key ``baseline:`` to the text of a configuration, and leaves everything else as people have written it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.config.settings_file import parse_settings
from winnow_ci.errors import ConfigError
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from pathlib import Path

BASELINE = ".winnow/baseline.json"
_HEAD = "# What winnow-ci looks at in this repository, and what it makes of it (docs/configuration.md).\n"
_LINE = f"baseline: {BASELINE}"


def with_baseline_named(written: bytes, path: Path) -> bytes:
    """The text of a configuration that names a baseline, where ``written`` names none.

    Args:
        written: the content of the file; empty if there is none.
        path: of the file.

    Raises:
        ConfigError: the text is invalid, or has a form that nothing can be added to.
    """
    before = parse_settings(written, str(path), path.parent)
    ending = b"\r\n" if b"\r\n" in written else b"\n"
    text = written or _HEAD.encode()
    after = text + (b"" if text.endswith(b"\n") else ending) + _LINE.encode() + ending
    try:
        is_right = parse_settings(after, str(path), path.parent) == replace(before, baseline=path.parent / BASELINE)
    except ConfigError:
        is_right = False
    if not is_right:
        raise ConfigError(f"{path}: written in a form that cannot be added to", f"add to it: {_LINE}")
    return after
