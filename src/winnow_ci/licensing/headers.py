"""What a file states of its own licence in its first lines: tags of SPDX, and the notice of the GNU licences.

Of several tags all hold, as in REUSE. A tag does not count between ``REUSE-IgnoreStart`` and ``REUSE-IgnoreEnd``, nor
in a string: code that writes such headers is not under the licence that it writes.
"""

from __future__ import annotations

import re

HEAD = 8192
"""Length in bytes of the start of a file in which its header is looked for."""

_TAG = b"SPDX-License-Identifier:"
_MOST_TAGS = 16
_LONGEST = 500
# What may be an expression: not placeholders such as <licence>, nor format strings.
_EXPRESSION = re.compile(r"[A-Za-z0-9.+:()_ -]*[A-Za-z0-9][A-Za-z0-9.+:()_ -]*")
_LETTERS = re.compile(r"[A-Za-z]+")
_ENDS = ("*/", "-->", "--}}", "#}", "%>", "*)", "-}", "--]]", "]]", "|#", "=#", "%}", '"""', "'''", "#>", "}", "\\n")


def own_licence(content: bytes) -> str | None:
    """The expression in the header of a file, as written; None without one."""
    if _TAG not in content[:HEAD]:
        return None
    found = list(dict.fromkeys(_tags(content[:HEAD].decode("utf-8", "replace"))))
    if len(found) > 1:
        return " AND ".join(f"({one})" for one in found)
    return found[0] if found else None


def allows_later(content: bytes) -> bool | None:
    """Whether the notice in the header of a file allows later versions of a GNU licence; None without a notice.

    A special exception marks a file of the GNU build tools, which states nothing of the code beside it.
    """
    head = content[:HEAD]
    if b"GNU" not in head or b"ublic" not in head:
        return None
    words = " ".join(_LETTERS.findall(head.decode("utf-8", "replace"))).lower()
    if "general public license" not in words or "special exception" in words:
        return None
    return "any later version" in words


def _tags(head: str) -> list[str]:
    found: list[str] = []
    ignored = False
    for line in head.splitlines():
        if "REUSE-Ignore" in line:
            ignored = "REUSE-IgnoreStart" in line
        before, tag, value = line.partition("SPDX-License-Identifier:")
        if tag and not ignored and len(found) < _MOST_TAGS and not _in_a_string(before):
            found += _expression(value)
    return found


def _in_a_string(before: str) -> bool:
    opening = before.strip()
    return opening not in {'"""', "'''", 'r"""'} and any(quote in before for quote in "\"'`")


def _expression(value: str) -> list[str]:
    text = value.strip()
    while ending := next((end for end in _ENDS if text.endswith(end)), None):
        text = text[: -len(ending)].rstrip()
    return [text] if len(text) <= _LONGEST and _EXPRESSION.fullmatch(text) else []
