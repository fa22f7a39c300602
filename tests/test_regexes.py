"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import re
from unittest.mock import patch

import pytest

from winnow_ci.regexes import compiled_on_use


def test_it_is_compiled_once_and_only_if_it_is_used() -> None:
    with patch("re.compile", wraps=re.compile) as compiling:
        words = compiled_on_use(rb"[A-Z]+", re.IGNORECASE)
        assert words.pattern == rb"[A-Z]+"
        assert compiling.call_count == 0
        assert words.findall(b"ab 1 Cd") == words.findall(b"ab 1 Cd") == [b"ab", b"Cd"]
        assert compiling.call_count == 1


def test_what_is_no_expression_is_told_at_its_first_use() -> None:
    broken = compiled_on_use("(")
    with pytest.raises(re.error):
        broken.match("a")
    with pytest.raises(AttributeError):
        _ = compiled_on_use("a").matches  # type: ignore[attr-defined]
