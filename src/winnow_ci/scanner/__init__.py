"""Scanning a change: git changes → front end → lookup → matching → policy → report."""

from winnow_ci.scanner.combining import combined
from winnow_ci.scanner.scan import read_ahead, scan
from winnow_ci.scanner.suppression import Suppressions

__all__ = ["Suppressions", "combined", "read_ahead", "scan"]
