r"""Make hostile text harmless: the author of a change, who chose names and code, may want to deceive the reader.

Escape sequences may rewrite the screen, line breaks forge a line of the report, and other characters reverse the
direction of text or have no width (https://trojansource.codes). All are shown as escapes, such as ``\x1b``, ``\u202e``.

A report may also end up in the log of a CI runner, which obeys lines that begin with ``::``, and those that contain
``##[`` or ``##vso[``. Escapes break these up too, also in JSON, which may be printed or stored.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    import re

_UNSAFE = compiled_on_use(
    "["
    r"\x00-\x1f\x7f-\x9f"  # controls
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"  # no width, or marks of direction
    r"\u2028-\u202e\u2060-\u206f"  # line and paragraph separators, embeddings, overrides, isolates, invisible operators
    r"\u3164\uffa0\ufeff\ufff0-\uffff"  # fillers, byte order mark, annotations, noncharacters
    r"\ud800-\udfff"  # lone surrogates; \udc80-\udcff stand for bytes (PEP 383)
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # tags and other invisible ones
    "]"
)
_COMMAND = compiled_on_use(r"^(\s*):(?=:)")
_OLD_COMMAND = compiled_on_use(r"##(?=\[|vso\[)")
_LONE = compiled_on_use(r"[\ud800-\udfff]")
_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_TAB_SIZE = 4
# ``json`` does not escape DEL, nor commands of CI runners. They occur only inside strings.
_HARMFUL_IN_JSON = (("\x7f", "\\u007f"), ("##[", "#\\u0023["), ("##vso[", "#\\u0023vso["))


def name(text: str) -> str:
    """A path or another name, on one line, harmless even at the beginning of a line."""
    return _COMMAND.sub(r"\1\\x3a", inline(text))


def inline(text: str) -> str:
    """Text that is harmless after other text on its line."""
    # Most text needs no escape, and a page has a million pieces of it.
    if text.isascii() and text.isprintable() and "##" not in text:
        return text
    return _OLD_COMMAND.sub(r"#\\x23", _UNSAFE.sub(_escape, text))


def code(line: str) -> str:
    """A line of code without its line break, with spaces for tabs; harmless after other text on its line."""
    return inline(line.rstrip("\r\n").expandtabs(_TAB_SIZE))


def unicode(text: str) -> str:
    """The text with only its lone surrogates escaped, which no encoding can represent."""
    return _LONE.sub(_escape, text)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of names with aligned columns, without a line break at the end."""
    safe = [[name(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*safe, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in safe)
    return "\n".join(line.rstrip() for line in lines)


def json_text(content: object) -> str:
    """A JSON document in ASCII, and a line break."""
    text = json.dumps(content, indent=2)
    for harmful, escaped in _HARMFUL_IN_JSON:
        text = text.replace(harmful, escaped)
    return text + "\n"


def encodable_json(content: object) -> str:
    """A JSON document as ``json_text`` has it, with all of its texts as ``unicode`` leaves them."""
    text = json_text(content)
    # Few reports have surrogates, and it takes long to look at each of a million values.
    return json_text(_encodable(content)) if r"\ud" in text else text


def _encodable(content: Any) -> Any:
    if isinstance(content, str):
        return unicode(content)
    if isinstance(content, dict):
        return {key: _encodable(value) for key, value in content.items()}
    return [_encodable(value) for value in content] if isinstance(content, list | tuple) else content


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    point = ord(character)
    if 0xDC80 <= point <= 0xDCFF:
        return f"\\x{point - 0xDC00:02x}"
    if point < 0x80:
        return _NAMED.get(character, f"\\x{point:02x}")
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
