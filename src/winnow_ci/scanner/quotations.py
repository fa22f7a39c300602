"""The quoted code of a changed file (``languages.quoted_code``), as files of their own beside it.

They have the file's path, content and lines, and pass through all further steps: a copy in a comment is found, grouped,
judged and shown like any other.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages import (
    DATA,
    front_end_named,
    is_data,
    normalise,
    quoted_code,
)
from winnow_ci.scanner.added import marked_in, on_lines
from winnow_ci.scanner.values import PreparedFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from winnow_ci.languages import QuotedCode
    from winnow_ci.model import Source, Tokens
    from winnow_ci.model.findings import Finding
    from winnow_ci.scanner.values import Match, ReadFile


def with_quoted_code(file: PreparedFile, families: frozenset[str]) -> PreparedFile:
    """A file with the quoted code that stands on its added lines, read in some families."""
    # The fallback tokenizer reads comments as code already.
    is_read = file.failure is not None or (file.language == DATA and is_data(file.path))
    if is_read or not families or not file.added_lines:
        return file
    text = normalise(file.content)
    wanted = marked_in(file.added_lines, text.count(b"\n") + 1)
    found, unread = quoted_code(file.language, text, file.tokens, families, wanted)
    return file._replace(quoted=tuple(_quoted(file, one) for one in found), unread=unread)


def with_quoted_codes(files: Iterable[ReadFile], families: frozenset[str]) -> Iterator[ReadFile]:
    """Files, those that were read with their quoted code."""
    for file in files:
        yield with_quoted_code(file, families) if isinstance(file, PreparedFile) else file


def quoted_tokens(language: str, content: bytes, tokens: Tokens, families: frozenset[str]) -> Iterator[Tokens]:
    """The tokens of the quoted code in a file's bytes, read in some families, given the file's own tokens.

    Raises:
        Untokenizable: the content is binary.
    """
    text = normalise(content)
    found, _ = quoted_code(language, text, tokens, families, np.ones(text.count(b"\n") + 1, np.bool_))
    yield from (one.tokens for one in found)


def told_once(found: Sequence[tuple[Finding, Match]]) -> list[tuple[Finding, Match]]:
    """The findings without quoted code inside a copy of code from the same source: its comments came with it."""
    code = defaultdict[str, list["Finding"]](list)
    for finding, _ in found:
        if not finding.in_text and finding.strength == "strong":
            code[finding.path].append(finding)
    return [
        (finding, match)
        for finding, match in found
        if not (finding.in_text and any(_includes(copy, finding) for copy in code[finding.path]))
    ]


def _includes(copy: Finding, quoted: Finding) -> bool:
    """Whether a copy has the lines of quoted code, from the same source under the same licence."""
    (first, last), inside = copy.lines, quoted.lines
    is_inside = first <= inside.first and inside.last <= last
    return is_inside and _origin(copy.source.file.source) == _origin(quoted.source.file.source)


def _origin(source: Source) -> tuple[str, str]:
    return source.name, source.license


def _quoted(file: PreparedFile, found: QuotedCode) -> PreparedFile:
    tokens = found.tokens
    return file._replace(
        front_end=front_end_named(found.family),
        tokens=tokens,
        added=on_lines(tokens.first_lines, tokens.last_lines, file.added_lines),
        in_text=True,
    )
