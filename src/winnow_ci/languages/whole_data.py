"""Data that is compared as a whole: nothing of it is read as code, but a copied file is a copy whatever it holds.

These are tables and documents (CSV, JSON), and text under endings that belong to no language. An index keeps only their
digests. Left out are what programs write for themselves (lock files, source maps), drawings, settings and files whose
names begin with a dot, which are the same in very many projects; so is what is very short.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.languages import fallback_tokenizer, prose_tokenizer
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from winnow_ci.model import Tokens

DATA = "data"
"""The name of the language, and of the front end, of such files."""

DATA_SIZES = range(256, (8 << 20) + 1)
"""Bytes of those that an index keeps."""

REVISION = 1

_ENDINGS = frozenset(".csv .geojson .json .json5 .jsonl .jsonld .ndjson .tsv".split())
_WRITTEN_BY_PROGRAMS = frozenset({"package-lock.json", "npm-shrinkwrap.json", "packages.lock.json"})
_OTHER = compiled_on_use(r"[^.].*\.[A-Za-z][A-Za-z0-9_-]*")


def tokenize(text: bytes) -> Tokens:
    """Tokens of normalised text, which only show what was copied: the file as a whole is what is compared.

    Raises:
        Untokenizable: it is the text of a licence or the like.
    """
    prose_tokenizer.tokenize(text)
    return fallback_tokenizer.tokenize(text)


def may_be_whole_data(path: str) -> bool:
    """Whether a file's name says that it is data, of a kind that is compared as a whole."""
    name = path.rpartition("/")[2].lower()
    ending = "." + name.rpartition(".")[2]
    return ending in _ENDINGS and name not in _WRITTEN_BY_PROGRAMS and not name.startswith(".")


def is_whole_data(path: str, content: bytes, *, is_unknown: bool) -> bool:
    """Whether a file is data that is compared as a whole.

    Args:
        path: its path.
        content: its bytes.
        is_unknown: whether it may be code by its name, but of no language that is known.
    """
    named = may_be_whole_data(path) or (is_unknown and _OTHER.fullmatch(path.rpartition("/")[2]) is not None)
    return named and len(content) in DATA_SIZES and b"\0" not in content
