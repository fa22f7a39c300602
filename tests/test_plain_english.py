"""Documentation, messages, help texts and first lines of docstrings have no words that a reader stumbles over."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """The words in a text that are refused, each with what stands around it."""
    return [text[max(0, found.start() - 40) : found.end() + 40] for found in REFUSED.finditer(text)]


def words_of(module: str) -> Iterator[str]:
    """First lines of docstrings, and all other texts of a module."""
    tree = ast.parse(module)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node.body[0] for node in ast.walk(tree) if isinstance(node, documented) and ast.get_docstring(node)]
    docstrings = {id(body.value) for body in bodies if isinstance(body, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.strip().partition("\n")[0] if id(node) in docstrings else node.value


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_is_in_plain_english(page: Path) -> None:
    assert refused(page.read_text()) == []


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.relative_to(ROOT).as_posix())
def test_a_module_speaks_plain_english(module: Path) -> None:
    assert [found for text in words_of(module.read_text()) for found in refused(text)] == []


def test_words_are_refused_in_first_lines_and_messages() -> None:
    module = '"""Say what is told.\n\nOf which more below.\n"""\n\nTEXT = f"{1} of which are shown"\nNAME = "anew"\n'
    assert sum(len(refused(text)) for text in words_of(module)) == 3
