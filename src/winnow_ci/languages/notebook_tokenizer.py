"""Jupyter notebooks: JSON whose cells hold code, and prose beside it.

The code of all cells is read as one text in the language of the notebook's kernel, Python unless it says otherwise;
what the cells printed is left out. So a copy is found whether it came from a module or from a notebook. The other cells
are text (``text_lines``), as is a cell with a magic word for another language, and so are the cells of a kernel whose
language is none of these, besides being read as Python. Tokens have the lines of the file; a
cell that stands on one line of it has all its tokens there.

The format: https://nbformat.readthedocs.io, version 4. The order of an object's keys is free.
"""

from __future__ import annotations

from json.decoder import scanstring  # type: ignore[attr-defined] # in all versions, without a declaration
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages import table_tokenizer
from winnow_ci.languages.families import FAMILIES
from winnow_ci.languages.normalisation import as_characters
from winnow_ci.languages.tokens import TextLine, Untokenizable, line_numbers, with_lines
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regexes import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from winnow_ci.languages.families import LanguageFamily
    from winnow_ci.model import Tokens

LANGUAGE = "notebook"
_KERNELS = {
    family.name: family for family in FAMILIES if family.name in {"python", "julia", "r", "javascript", "scala"}
}
_NAMES = ("metadata", "kernelspec", "language"), ("metadata", "language_info", "name")
KERNELS = tuple(_KERNELS)
"""Families that the code of a notebook is read in."""

REVISION = ".".join(str(family.revision) for family in _KERNELS.values())

# After white space, colons and what is neither a string nor punctuation.
_MARK = compiled_on_use(r"[^\"{}\[\],]*([\"{}\[\],])")
_COLON = compiled_on_use(r"\s*:")
_MOST_MARKS = 4_000_000
_DEEPEST = 100
_NOT_A_NOTEBOOK = "no notebook: its JSON cannot be read"


class Notebook(NamedTuple):
    """The lines of a notebook's cells, and the family of its code."""

    family: LanguageFamily
    code: list[TextLine]
    prose: list[TextLine]


class _Text(NamedTuple):
    """A string of the JSON: the keys and numbers that lead to it, the line that it begins on, and what it says."""

    path: tuple[str | int, ...]
    line: int
    text: str


def tokenize(text: bytes) -> Tokens:
    """Tokens of the code in a normalised notebook.

    Raises:
        Untokenizable: it is not JSON.
    """
    notebook = parsed(text)
    code = b"\n".join(line.text for line in notebook.code)
    numbers = np.array([line.line for line in notebook.code] or [1], np.int32)
    return with_lines(table_tokenizer.tokenize(code, notebook.family), numbers)


def parsed(text: bytes) -> Notebook:
    """The cells of a normalised notebook.

    Raises:
        Untokenizable: it is not JSON.
    """
    try:
        strings = list(_strings(as_characters(text)))
    except (ValueError, IndexError) as error:
        raise Untokenizable(_NOT_A_NOTEBOOK, "not-scanned") from error
    is_foreign = not _families(strings) and any(string.path in _NAMES for string in strings)
    prosaic = {string.path[:2] for string in strings if _is_prosaic(string)}
    code, prose = list[TextLine](), list[TextLine]()
    for path, line, value in strings:
        if path[:1] == ("cells",) and path[2:3] == ("source",):
            parts = value.removesuffix("\n").encode(errors="surrogatepass").split(b"\n")
            lines = [TextLine(line, part.replace(b"\0", b" ").replace(b"\r", b" ")) for part in parts]
            is_prose = path[:2] in prosaic
            code += [] if is_prose else lines
            prose += lines if is_prose or is_foreign else []
    return Notebook(next(iter(_families(strings)), _KERNELS["python"]), code, prose)


def _is_prosaic(string: _Text) -> bool:
    """Whether a string says that its cell holds no code of the notebook's language."""
    place = string.path[2:]
    if place == ("cell_type",):
        return string.text in ("markdown", "raw")
    return place in (("source",), ("source", 0)) and string.text.startswith("%%")


def _families(strings: Sequence[_Text]) -> list[LanguageFamily]:
    """The families of the languages that the kernel says it has, as far as they are known."""
    named = [string.text.lower() for string in strings if string.path in _NAMES]
    return [_KERNELS[name] for name in named if name in _KERNELS]


def _strings(text: str) -> Iterator[_Text]:
    """All strings of a JSON text but keys, with their paths.

    Raises:
        ValueError, IndexError: it is no JSON.
    """
    lines = line_numbers(text)
    path: list[str | int] = []
    at = 0
    for _ in range(_MOST_MARKS):
        found = _MARK.match(text, at)
        if found is None:
            return
        at, mark = found.end(), found.group(1)
        if mark == '"':
            start = at
            value, at = scanstring(text, at, False)
            if path and isinstance(path[-1], str) and _COLON.match(text, at):
                path[-1] = value
            else:
                yield _Text(tuple(path), int(lines[start - 1]), value)
        elif mark in "}]":
            path.pop()
        elif mark == ",":
            last = path[-1]
            path[-1] = last + 1 if isinstance(last, int) else ""
        elif mark in "{[":
            path.append("" if mark == "{" else 0)
        if len(path) > _DEEPEST:
            break
    raise ValueError(text[:0])
