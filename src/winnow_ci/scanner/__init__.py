"""Scan a change: read, look up, match, find moved code, group, attribute, settle, show."""

from winnow_ci.scanner.scan import ScanChoices, read_ahead, scan
from winnow_ci.scanner.settle import Suppressions, combined

__all__ = ["ScanChoices", "Suppressions", "combined", "read_ahead", "scan"]
