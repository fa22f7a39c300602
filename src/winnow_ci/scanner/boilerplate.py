"""The tokens of boilerplate: files of the repository, texts of the configuration, and texts that are built in.

Marks such as "DO NOT EDIT" or "@generated" make nothing boilerplate: anyone can write one above a copy.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.errors import ConfigError
from winnow_ci.languages import FALLBACK, LICENCE_TEXT, Untokenizable, front_end_of, tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from winnow_ci.config.settings import Settings
    from winnow_ci.model import Tokens
    from winnow_ci.scanner.values import PreparedFile

# Front ends of languages that the fallback tokenizer may have to read, and of what stands in comments.
_BESIDES = frozenset({"pygments", "text"})


def boilerplate_tokens(files: Iterable[PreparedFile], settings: Settings) -> Iterator[Tokens]:
    """Yield the tokens of these files, and of the texts that a configuration calls boilerplate.

    A text that may stand in a file that the fallback tokenizer reads, comments included, is read by that one too.

    Raises:
        ConfigError: a lexer failed or took too long with one of the texts.
    """
    for file in files:
        yield file.tokens
        if file.front_end.name in _BESIDES:
            yield tokenize(FALLBACK, file.content)
    for language, content in _texts(settings):
        yield from _tokens(language, content)
        if front_end_of(language).name in _BESIDES:
            yield tokenize(FALLBACK, content)


def _texts(settings: Settings) -> Iterator[tuple[str, bytes]]:
    """Yield the language and the content of each text."""
    for snippet in settings.snippets:
        yield snippet.language, snippet.text.encode()
    for name in settings.builtins:
        folder = Path(__file__).with_name("boilerplate_texts") / name
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            yield file.name.rpartition(".")[2], file.read_bytes()


def _tokens(language: str, content: bytes) -> Iterator[Tokens]:
    """The tokens of a text; none of a licence's, which is evidence nowhere."""
    try:
        yield tokenize(language, content)
    except Untokenizable as reason:
        if reason.reason == LICENCE_TEXT:
            return
        problem = f"boilerplate: a text of the configuration in {language}: {reason}"
        raise ConfigError(problem, "shorten it, or keep it in a file and name that") from reason
