"""Scanning a change: git changes → front end → lookup → matching → policy → report."""

from winnow_ci.scanner.combining import combined
from winnow_ci.scanner.scan import scan

__all__ = ["combined", "scan"]
