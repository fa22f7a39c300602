"""Reports: one module a format, one function a module. Nothing here prints.

What a value of ours is called in a format, and how hostile text is made harmless there, is decided in the format's
module.
"""

from winnow_ci.report import json_v1, text
from winnow_ci.report.coverage import coverage
from winnow_ci.report.style import Format, Style

FORMATS: dict[str, Format] = {
    "text": text.render,
    "json": json_v1.render,
}
"""Name of a format → its function."""

__all__ = ["FORMATS", "Format", "Style", "coverage"]
