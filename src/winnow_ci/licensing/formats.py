"""Documents of hostile authors, read: what cannot be read, or would take too long, is empty."""

from __future__ import annotations

import json
import sys
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# tomllib takes time with the square of the parts of a dotted key, all of which stand on one line.
_LONGEST_TOML_LINE = 4000


def toml(content: bytes) -> dict[str, Any]:
    """A TOML document."""
    if any(len(line) > _LONGEST_TOML_LINE for line in content.splitlines()):
        return {}
    try:
        return tomllib.loads(content.decode())
    except (ValueError, RecursionError, MemoryError):
        return {}


def json_object(content: bytes) -> dict[str, Any]:
    """A JSON object."""
    try:
        return table(json.loads(content.decode("utf-8-sig")))
    except (ValueError, RecursionError, MemoryError):
        return {}


def table(value: Any) -> dict[str, Any]:
    """A value that should be a table."""
    return value if isinstance(value, dict) else {}


def strings(value: Any) -> list[str]:
    """A value that should be a string or several."""
    found = value if isinstance(value, list) else [value]
    return [one for one in found if isinstance(one, str) and one.strip()]
