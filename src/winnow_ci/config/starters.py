"""The starter of a language: the first sources of its manifest in ``indexes``, which are small and well known."""

from __future__ import annotations

from collections import Counter
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterable

_SOURCES = 12
_LEAST_SHARE = 0.1
# At the top of the project; a wheel has it beside this file.
_MANIFESTS = next(folder / "indexes" for folder in Path(__file__).parents if (folder / "indexes").is_dir())
STARTERS = {
    "c-cpp": "c cc cpp cxx h hh hpp hxx".split(),
    "go": ["go"],
    "java": ["java"],
    "javascript": "cjs cts js jsx mjs mts svelte ts tsx vue".split(),
    "php": ["php", "phtml"],
    "python": "ipynb py pyi pyx".split(),
    "rust": ["rs"],
}
"""Languages that have a starter, and the endings of their files; TypeScript belongs to JavaScript."""
OTHER_NAMES = {
    **dict.fromkeys(("golang",), "go"),
    **dict.fromkeys(("maven", "kotlin"), "java"),
    **dict.fromkeys(("js", "node", "npm", "typescript"), "javascript"),
    **dict.fromkeys(("composer", "packagist"), "php"),
    **dict.fromkeys(("pip", "pypi"), "python"),
    **dict.fromkeys(("cargo", "crates"), "rust"),
}
"""What else people call them, such as the registry → the language."""
_LANGUAGE_OF = {f".{ending}": language for language, endings in STARTERS.items() for ending in endings}


def starter(language: str) -> list[dict[str, Any]]:
    """Return the sources of a starter, as keys and values of a manifest."""
    text = (_MANIFESTS / f"{language}.yml").read_text(encoding="utf-8")
    return [one if isinstance(one, dict) else {"purl": one} for one in yaml.safe_load(text)["sources"][:_SOURCES]]


def languages_of(paths: Iterable[str]) -> list[str]:
    """Return the languages of at least a tenth of the files that have one of ``STARTERS``, the most frequent first."""
    counts = Counter(_LANGUAGE_OF.get(PurePath(path).suffix.lower()) for path in paths)
    del counts[None]
    return [str(language) for language, count in counts.most_common() if count >= _LEAST_SHARE * counts.total()]
