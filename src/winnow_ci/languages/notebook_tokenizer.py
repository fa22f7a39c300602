"""Read Jupyter notebooks: JSON whose cells hold code and prose.

The code of all cells is read as one text in the language of the notebook's kernel, Python unless it says otherwise;
what the cells printed is left out. So a copy is found whether it came from a module or from a notebook. The other cells
are text (``text_lines``), as is a cell with a magic word for another language, and so are the cells of a kernel whose
language is none of these, besides being read as Python. Tokens have the lines of the file; a cell that is on one line
of it has all its tokens there.

Formats 1 to 4 are read (https://nbformat.readthedocs.io). They differ in where the cells are and in what their text is
called. A text may be cut into any pieces, which are joined. The order of an object's keys is free; of a repeated key
the last one counts, as in every reader of JSON. Other JSON is not scanned.
"""

from __future__ import annotations

from json.decoder import scanstring  # type: ignore[attr-defined] # in all versions, without a declaration
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.languages.families import FAMILIES
from winnow_ci.languages.kernel_or_python import family_tokens
from winnow_ci.languages.normalisation import as_characters
from winnow_ci.languages.tokens import Untokenizable, line_numbers, with_lines
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from winnow_ci.languages.families import LanguageFamily
    from winnow_ci.model import Tokens

LANGUAGE = "notebook"
_KERNELS = {
    family.name: family for family in FAMILIES if family.name in {"python", "julia", "r", "javascript", "scala"}
}
_NAMES = ("metadata", "kernelspec", "language"), ("metadata", "language_info", "name"), ("metadata", "language")
# What holds a cell's text: since format 4, of code before, and in format 1.
_SOURCES = ("source", "input", "code", "text")
_PROSAIC = frozenset({"heading", "html", "markdown", "raw", "rst", "text"})
# Parts of the longest path that matters: worksheets, 0, cells, 0, input.
_LONGEST_PATH = 5
KERNELS = tuple(_KERNELS)
"""Families that the code of a notebook is read in."""

REVISION = ".".join(("2", *(str(family.revision) for family in _KERNELS.values())))

# After white space, colons and what is neither a string nor punctuation.
_MARK = compiled_on_use(r"[^\"{}\[\],]*([\"{}\[\],])")
_COLON = compiled_on_use(r"\s*:")
_MOST_MARKS = 4_000_000
_DEEPEST = 100
_NOT_A_NOTEBOOK = "not a notebook: its JSON cannot be read"
_UNKNOWN = "a notebook in an unknown format: its cells have no text"

_Path: TypeAlias = "tuple[str | int, ...]"


class CellLine(NamedTuple):
    """A line of a cell, and the lines of the file on which it begins and ends."""

    line: int
    text: bytes
    last: int


class Notebook(NamedTuple):
    """The lines of a notebook's cells, and the family of its code."""

    family: LanguageFamily
    code: list[CellLine]
    prose: list[CellLine]


class _Text(NamedTuple):
    """A string of the JSON: the keys and numbers that lead to it, its place, the line there, and what it says."""

    path: _Path
    at: int
    line: int
    text: str


def tokenize(text: bytes) -> Tokens:
    """Make the tokens of the code in a normalised notebook.

    Raises:
        Untokenizable: it is not JSON, or no notebook.
    """
    notebook = parsed(text)
    code = b"\n".join(line.text for line in notebook.code)
    places = np.array([(line.line, line.last) for line in notebook.code] or [(1, 1)], np.int32)
    return with_lines(family_tokens(code, notebook.family), *places.T)


def parsed(text: bytes) -> Notebook:
    """Read the cells of a normalised notebook.

    Raises:
        Untokenizable: it is not JSON, or no notebook.
    """
    keys: dict[_Path, int] = {}
    try:
        found = list(_strings(as_characters(text), keys))
    except (ValueError, IndexError) as error:
        raise Untokenizable(_NOT_A_NOTEBOOK, "not-scanned") from error
    # To an object, the last value of a key is the only one.
    strings = [string for string in found if _is_last(string, keys)]
    if text.strip():
        _check_format(keys)
    named = [(string.text.lower(), _KERNELS.get(string.text.lower())) for string in strings if _names_language(string)]
    family = next((known for _, known in named if known), _KERNELS["python"])
    is_foreign = any(known is not family for _, known in named)
    types = {string.path[:-1]: string.text for string in strings if string.path[-1:] == ("cell_type",)}
    code, prose = list[CellLine](), list[CellLine]()
    for path, pieces in _sources(strings).items():
        lines = list(_lines(pieces))
        is_prose = types.get(path[:-1]) in _PROSAIC or path[-1] == "text" or _has_magic(pieces)
        code += [] if is_prose else lines
        prose += lines if is_prose or is_foreign else []
    return Notebook(family, code, prose)


def _is_last(string: _Text, keys: Mapping[_Path, int]) -> bool:
    return all(keys.get(string.path[:length], 0) <= string.at for length in range(1, _LONGEST_PATH + 1))


def _check_format(keys: Mapping[_Path, int]) -> None:
    """Refuse what is no notebook, and one with a cell whose text is nowhere."""
    cells = {path[:-1] for path in keys if path[-1] == "cell_type" and len(_in_cell(path)) == 1}
    if not keys.keys() & {("cells",), ("worksheets",)} or any(
        all((*cell, name) not in keys for name in _SOURCES) for cell in cells
    ):
        raise Untokenizable(_UNKNOWN, "not-scanned")


def _in_cell(path: _Path) -> _Path:
    if path[:1] == ("cells",):
        return path[2:]
    return path[4:] if path[:1] == ("worksheets",) and path[2:3] == ("cells",) else ()


def _names_language(string: _Text) -> bool:
    return string.path in _NAMES or _in_cell(string.path) == ("language",)


def _sources(strings: Iterable[_Text]) -> dict[_Path, list[_Text]]:
    found: dict[_Path, list[_Text]] = {}
    for string in strings:
        inside = _in_cell(string.path)
        if inside[:1] and inside[0] in _SOURCES:
            found.setdefault(string.path[: len(string.path) - len(inside) + 1], []).append(string)
    return found


def _has_magic(pieces: Sequence[_Text]) -> bool:
    """Whether a cell says that another program runs it."""
    return "".join(piece.text for piece in pieces).lstrip().startswith("%%")


def _lines(pieces: Sequence[_Text]) -> Iterator[CellLine]:
    ends = np.cumsum([len(piece.text) for piece in pieces])
    lines = "".join(piece.text for piece in pieces).removesuffix("\n").split("\n")
    begins = np.cumsum([0, *(len(line) + 1 for line in lines)])
    places = np.minimum(np.searchsorted(ends, [begins[:-1], begins[1:] - 1], "right"), len(pieces) - 1)
    for line, first, last in zip(lines, *places.tolist(), strict=True):
        plain = line.encode(errors="surrogatepass").replace(b"\0", b" ").replace(b"\r", b" ")
        yield CellLine(pieces[first].line, plain, pieces[last].line)


def _strings(text: str, keys: dict[_Path, int]) -> Iterator[_Text]:
    """All strings of a JSON text but keys, with their paths; adds the paths of keys, each with its last place.

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
                if len(path) <= _LONGEST_PATH:
                    keys[tuple(path)] = start
            else:
                yield _Text(tuple(path), start, int(lines[start - 1]), value)
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
