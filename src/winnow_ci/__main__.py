"""Runs the command as ``python -m winnow_ci``."""

from winnow_ci.cli import entry_point

if __name__ == "__main__":
    entry_point()
