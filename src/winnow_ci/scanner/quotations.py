"""The quoted code of a changed file (``languages.quoted_code``), as files of their own beside it.

They have the file's path, content and lines, and pass through all further steps: a copy in a comment is found, grouped,
judged and shown like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages import (
    DATA,
    front_end_named,
    normalise,
    quoted_code,
)
from winnow_ci.scanner.added import marked_in, on_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.languages import QuotedCode
    from winnow_ci.model import Tokens
    from winnow_ci.scanner.values import PreparedFile


def with_quoted_code(file: PreparedFile, families: frozenset[str]) -> PreparedFile:
    """A file with the quoted code that stands on its added lines, read in some families."""
    # The fallback tokenizer reads comments as code already.
    if file.language == DATA or file.failure is not None or not families or not file.added_lines:
        return file
    text = normalise(file.content)
    wanted = marked_in(file.added_lines, text.count(b"\n") + 1)
    found, unread = quoted_code(file.language, text, file.tokens, families, wanted)
    return file._replace(quoted=tuple(_quoted(file, one) for one in found), unread=unread)


def quoted_tokens(language: str, content: bytes, tokens: Tokens, families: frozenset[str]) -> Iterator[Tokens]:
    """The tokens of the quoted code in a file's bytes, read in some families, given the file's own tokens.

    Raises:
        Untokenizable: the content is binary.
    """
    text = normalise(content)
    found, _ = quoted_code(language, text, tokens, families, np.ones(text.count(b"\n") + 1, np.bool_))
    yield from (one.tokens for one in found)


def _quoted(file: PreparedFile, found: QuotedCode) -> PreparedFile:
    tokens = found.tokens
    return file._replace(
        front_end=front_end_named(found.family),
        tokens=tokens,
        added=on_lines(tokens.first_lines, tokens.last_lines, file.added_lines),
        in_text=True,
    )
