"""Ways to put code into text: each makes a file in which no front end takes the code for code of its own.

``quotations.txt`` has them: below the path of a file its text, in which one line stands for each line of the code. A
word after ``@`` there says how that is written.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

_FILES = (Path(__file__).parent / "quotations.txt").read_text(encoding="utf-8")
_SPELLINGS = {
    "line": lambda line: line,
    "escaped": lambda line: line.replace("\\", "\\\\").replace('"', '\\"'),
    "markup": lambda line: line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"),
    "dollars": lambda line: line.replace("${", "\\${"),
    "quotes": lambda line: line.replace("'", '"'),
}
_CODE = re.compile(rf"^(.*)@({'|'.join(_SPELLINGS)})(.*\n)", re.MULTILINE)


class Quotation(NamedTuple):
    """A file that holds code as text: its path, and its text with a line for each line of the code."""

    path: str
    text: str

    @property
    def first(self) -> int:
        """The line of the file on which the code begins."""
        return _CODE.split(self.text)[0].count("\n") + 1

    def file(self, code: str) -> str:
        """The file with some code in it."""
        before, left, spelling, right, after = _CODE.split(self.text)
        spelt = map(_SPELLINGS[spelling], code.splitlines())
        return before + "".join(f"{left}{line}{right}" for line in spelt) + after


def notebook(*cells: tuple[str, str]) -> str:
    """A notebook of cells, each with its text and its type."""
    listed = [
        {"source": text.splitlines(keepends=True), "metadata": {}, "outputs": [], "cell_type": kind}
        for text, kind in cells
    ]
    return json.dumps({"cells": listed, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4}, indent=1)


QUOTATIONS = tuple(Quotation(*section.split("\n", 1)) for section in re.split(r"^=== ", _FILES, flags=re.MULTILINE)[1:])
"""Each with the marks that its language has for text."""
