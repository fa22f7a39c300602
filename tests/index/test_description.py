"""What a description may say, and what it cannot: both sides of each limit."""

from __future__ import annotations

import pytest

from winnow_ci.errors import IndexFileError
from winnow_ci.index import schema
from winnow_ci.index.reader import _check_meta

SOUND = {
    **dict.fromkeys(schema.META, "1"),
    "k": "16",
    "w": "12",
    "selection": "robust",
    "front_ends": "{}",
    "algorithm": "2",
}


def check(**changed: str) -> None:
    _check_meta({**SOUND, **changed}, "i.db")


@pytest.mark.parametrize(
    ("key", "value"),
    [("k", "4"), ("k", "200"), ("w", "1"), ("w", "500"), ("bits", "40"), ("postings", "9" * 18), ("tables", "any")],
)
def test_what_a_description_may_say(key: str, value: str) -> None:
    check(**{key: value})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("bits", "41"), ("postings", "9" * 19), ("postings", "-1"), ("texts", "²")),
        *(("front_ends", "[]"), ("digits", "1")),
    ],
)
def test_what_a_description_cannot_say(key: str, value: str) -> None:
    with pytest.raises(ValueError, match="its description"):
        check(**{key: value})


@pytest.mark.parametrize(
    ("key", "value"), [("k", "3"), ("k", "201"), ("w", "0"), ("w", "501"), ("selection", "none"), ("algorithm", "1")]
)
def test_what_another_version_may_have_written(key: str, value: str) -> None:
    with pytest.raises(IndexFileError, match=value):
        check(**{key: value})
