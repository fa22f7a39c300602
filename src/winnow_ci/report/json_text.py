"""JSON for files and logs: ASCII, all else escaped, so that nothing in it acts on a terminal or a CI runner."""

from __future__ import annotations

import json

# ``json`` does not escape DEL, nor what CI runners take for commands. They occur only inside strings.
_HARMFUL = (("\x7f", "\\u007f"), ("##[", "#\\u0023["), ("##vso[", "#\\u0023vso["))


def dump(content: object) -> str:
    """A JSON document and a line break."""
    text = json.dumps(content, indent=2)
    for harmful, escaped in _HARMFUL:
        text = text.replace(harmful, escaped)
    return text + "\n"
