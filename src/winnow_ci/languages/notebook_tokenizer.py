"""Read Jupyter notebooks: JSON whose cells hold code and prose.

The code of all cells is read as one text in the language of the notebook's kernel, Python unless it says otherwise;
what the cells printed is left out. The other cells are text (``text_lines``), as is a cell with a magic word for
another language, and so are the cells of an unknown kernel, besides being read as Python. Tokens have the lines of the
file; a cell that is on one line of it has all its tokens there.

Formats 1 to 4 are read (https://nbformat.readthedocs.io). They differ in where the cells are and in what their text is
called. A text may be cut into any pieces, which are joined; of a repeated key the last one counts.
"""

from __future__ import annotations

from json import JSONDecoder
from json.decoder import scanstring  # type: ignore[attr-defined] # in all versions, without a declaration
from json.scanner import py_make_scanner  # type: ignore[attr-defined] # likewise
from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci.languages.families import FAMILIES
from winnow_ci.languages.normalisation import as_characters
from winnow_ci.languages.table_tokenizer import family_tokens
from winnow_ci.languages.tokens import Untokenizable, line_numbers, with_lines
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from winnow_ci.languages.families import LanguageFamily
    from winnow_ci.model import I32, Tokens

LANGUAGE = "notebook"
_KERNELS = {
    family.name: family for family in FAMILIES if family.name in {"python", "julia", "r", "javascript", "scala"}
}
_NAMES = ("metadata", "kernelspec", "language"), ("metadata", "language_info", "name"), ("metadata", "language")
# What holds a cell's text: since format 4, of code before, and in format 1.
_SOURCES = ("source", "input", "code", "text")
_PROSAIC = frozenset({"heading", "html", "markdown", "raw", "rst", "text"})
KERNELS = tuple(_KERNELS)  # families that the code of a notebook is read in

REVISION = ".".join(("2", *(str(family.revision) for family in _KERNELS.values())))

# Of the JSON; more would take too much memory.
_MOST_MARKS = 8_000_000


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
    """A string of the JSON that is a value: its place, and what it says."""

    at: int
    text: str


def tokenize(text: bytes) -> Tokens:
    """Make the tokens of the code in a normalised notebook; raises what ``parsed`` does."""
    notebook = parsed(text)
    code = b"\n".join(line.text for line in notebook.code)
    places = np.array([(line.line, line.last) for line in notebook.code] or [(1, 1)], np.int32)
    return with_lines(family_tokens(code, notebook.family), *places.T)


def parsed(text: bytes) -> Notebook:
    """Read the cells of a normalised notebook; ``Untokenizable`` if it is not JSON, or no notebook."""
    if not text.strip():
        return Notebook(_KERNELS["python"], [], [])
    characters = as_characters(text)
    try:
        whole = _json(characters)
    except (ValueError, RecursionError) as error:
        raise Untokenizable("not a notebook: its JSON cannot be read", "not-scanned") from error
    cells = _cells(whole)
    names = [*_names(whole), *(cell.get("language") for cell in cells)]
    named = sorted(name for name in names if isinstance(name, _Text))
    kernels = [_KERNELS.get(name.text.lower()) for name in named]
    family = next(filter(None, kernels), _KERNELS["python"])
    lines, code, prose = line_numbers(characters), list[CellLine](), list[CellLine]()
    for pieces, is_prose in sorted(_sources(cells)):
        found = list(_lines(pieces, lines))
        code += [] if is_prose else found
        prose += found if is_prose or any(kernel is not family for kernel in kernels) else []
    return Notebook(family, code, prose)


def _json(text: str) -> Any:
    """What a JSON text says, without its numbers; strings that are values are ``_Text``s."""

    def placed(text: str, start: int, strict: bool) -> tuple[_Text, int]:
        value, end = scanstring(text, start, strict)
        return _Text(start - 1, value), end

    if sum(map(text.count, '"[{,')) > _MOST_MARKS:
        raise ValueError
    decoder: Any = JSONDecoder(strict=False, parse_int=len, parse_float=len, parse_constant=len)
    decoder.parse_string = placed
    decoder.scan_once = py_make_scanner(decoder)
    return decoder.decode(text)


def _cells(whole: Any) -> list[dict[str, Any]]:
    """The cells of a notebook; refuses what is none, and one with a cell whose text is nowhere."""
    is_known = isinstance(whole, dict) and ("cells" in whole or "worksheets" in whole)
    sheets = [whole, *_objects(whole.get("worksheets"))] if is_known else []
    cells = [cell for sheet in sheets for cell in _objects(sheet.get("cells"))]
    if not is_known or any("cell_type" in cell and not cell.keys() & set(_SOURCES) for cell in cells):
        raise Untokenizable("a notebook in an unknown format: its cells have no text", "not-scanned")
    return cells


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _names(whole: Any) -> Iterator[Any]:
    """What may name the language of the kernel."""
    for path in _NAMES:
        value = whole
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        yield value


def _sources(cells: list[dict[str, Any]]) -> Iterator[tuple[list[_Text], bool]]:
    """Yield the pieces of each text of a cell, and whether it is prose."""
    for cell in cells:
        for name in _SOURCES:
            value = cell.get(name)
            pieces = [piece for piece in (value if isinstance(value, list) else [value]) if isinstance(piece, _Text)]
            if pieces:
                # Another program runs what begins with a magic word.
                has_magic = "".join(piece.text for piece in pieces).lstrip().startswith("%%")
                kind = cell.get("cell_type")
                yield pieces, name == "text" or has_magic or (isinstance(kind, _Text) and kind.text in _PROSAIC)


def _lines(pieces: Sequence[_Text], lines: I32) -> Iterator[CellLine]:
    ends = np.cumsum([len(piece.text) for piece in pieces])
    parts = "".join(piece.text for piece in pieces).removesuffix("\n").split("\n")
    begins = np.cumsum([0, *(len(part) + 1 for part in parts)])
    places = np.minimum(np.searchsorted(ends, [begins[:-1], begins[1:] - 1], "right"), len(pieces) - 1)
    for part, first, last in zip(parts, *places.tolist(), strict=True):
        plain = part.encode(errors="surrogatepass").replace(b"\0", b" ").replace(b"\r", b" ")
        yield CellLine(int(lines[pieces[first].at]), plain, int(lines[pieces[last].at]))
