"""Comments are written as each language writes them."""

from __future__ import annotations

import pytest

from winnow_ci.languages import comment_marks, resolve_language, tokenize
from winnow_ci.languages.comment_finding import COMMENT_MARKS
from winnow_ci.languages.language_detection import METADATA


def test_comments_are_those_of_languages_that_there_are() -> None:
    assert {name: resolve_language(name) for name in COMMENT_MARKS} == {name: name for name in COMMENT_MARKS}


# Read as words, or their comments are a part of the document.
@pytest.mark.parametrize("language", sorted(COMMENT_MARKS.keys() - METADATA - {"markdown", "typst", "xslt"}))
def test_what_stands_in_a_comment_is_no_token(language: str) -> None:
    opening, closing = comment_marks(language)
    line = f"{opening}winnow-ci: allow curl it is vendored{closing}\n".encode()
    assert len(tokenize(language, line)) == 0


def test_some_languages_have_no_comments() -> None:
    assert comment_marks("text") == comment_marks(None) == ("", "")
