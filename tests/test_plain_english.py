"""Documentation and the package have no words that a reader stumbles over."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
REFUSED = re.compile(
    r"\b(?:(?:is|are|was|were|be|been) told|be had|mend(?:s|ed)?|such that|of which|of whom|that (?:is|are) none"
    r"|all the same|so many|anew|as far as|what stands|nobody else|one of its own|by the dozen|in its stead"
    r"|wherefore|the like|as a test tells)\b|\bwhose\b[^.]{0,60}\bcounts?\b",
    re.IGNORECASE,
)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = sorted((ROOT / "src").rglob("*.py"))


def refused(text: str) -> list[str]:
    """The words in a text that are refused, each with what stands around it, also where a line ends within them."""
    joined = re.sub(r"\s*\n[\s#>]*", " ", text)
    return [joined[max(0, found.start() - 40) : found.end() + 40] for found in REFUSED.finditer(joined)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_is_in_plain_english(page: Path) -> None:
    assert refused(page.read_text()) == []


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.relative_to(ROOT).as_posix())
def test_a_module_speaks_plain_english(module: Path) -> None:
    """In docstrings, comments and messages."""
    assert refused(module.read_text()) == []


def test_words_are_refused_wherever_they_stand() -> None:
    docstring, comment = '"""Say what is\n    told."""\n', "# Some of\n# which more below.\n"
    assert len(refused(docstring + comment + 'TEXT = f"{1} of which are shown"\nNAME = "anew"\n')) == 4
    assert refused("the tolder of those which") == []
