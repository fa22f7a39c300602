"""Compare bodies of code with each other, without an index: two, or all files of one (docs/compare.md)."""

from winnow_ci.comparing.bodies import CodeBody, find_body
from winnow_ci.comparing.comparison import compare

__all__ = ["CodeBody", "compare", "find_body"]
