"""Runs the command as ``python -m winnow_ci``."""

import sys
from contextlib import suppress
from pathlib import Path

import winnow_ci

if __name__ == "__main__":
    # Python looks into the current folder first: the repository to be scanned, whose git.py or yaml.py would be run.
    with suppress(OSError):
        if sys.path[0] == str(Path.cwd()) != str(Path(winnow_ci.__file__).parents[1]):
            del sys.path[0]
    from winnow_ci.cli import entry_point

    entry_point()
