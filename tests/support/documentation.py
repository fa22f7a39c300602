"""The documentation: its pages, the site that is made of them, and the commands in them."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from winnow_ci.cli import COMMANDS, parser_of

if TYPE_CHECKING:
    import argparse

ROOT = Path(__file__).parents[2]


def made(tool: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """What making the site says."""
    return subprocess.run([sys.executable, tool, folder], capture_output=True, text=True, check=False)


def pages() -> list[Path]:
    """The pages in which commands stand that a user may give."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    """The blocks of code in a language, or in none (``""``)."""
    parsed = MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8"))
    return [token.content for token in parsed if token.type == "fence" and token.info == language]


def command_lines(page: Path) -> list[str]:
    """The lines of its shell blocks that do something."""
    lines = "".join(blocks(page, "sh")).splitlines()
    return [line for line in lines if shlex.split(line, comments=True)]


def inline_commands(page: Path) -> list[str]:
    """Commands of ours in the text of a page."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"(?<!`)`(winnow-ci [^`]+)`", text)


def command_of(words: list[str]) -> tuple[argparse.ArgumentParser, list[str]]:
    """The parser of a command, and the words that follow its name."""
    parser, rest = parser_of(COMMANDS), words[1:]
    while rest and parser._subparsers is not None:
        (action,) = parser._subparsers._group_actions
        assert isinstance(action.choices, dict)
        assert rest[0] in action.choices or rest[0].startswith("-"), f"no command {rest[0]}"
        if rest[0] not in action.choices:
            break
        parser, rest = action.choices[rest[0]], rest[1:]
    return parser, rest
