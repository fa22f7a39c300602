"""Code that everybody has and that no file of the repository holds: texts of the configuration, and those built in.

There is no rule by a mark such as "DO NOT EDIT" or "@generated": anybody can write one above a copy.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from winnow_ci.errors import ConfigError
from winnow_ci.languages import Untokenizable, tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.config import Settings, Snippet
    from winnow_ci.model import Tokens


def common_code(settings: Settings) -> Iterator[Tokens]:
    """Tokens of the texts that a configuration calls boilerplate.

    Raises:
        ConfigError: a lexer failed or took too long with one of them.
    """
    yield from map(_tokens, settings.snippets)
    for name in settings.builtins:
        folder = resources.files("winnow_ci.scanner") / "boilerplate" / name
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            yield tokenize(file.name.rpartition(".")[2], file.read_bytes())


def _tokens(snippet: Snippet) -> Tokens:
    try:
        return tokenize(snippet.language, snippet.text.encode())
    except Untokenizable as reason:
        problem = f"boilerplate: a text of the configuration in {snippet.language}: {reason}"
        raise ConfigError(problem, "shorten it, or keep it in a file and name that") from reason
