"""Which front ends read a content, and what replaces one that fails."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support.slow import EXPONENTIAL, QUADRATIC, shorten
from support.token_rows import rows_of
from winnow_ci.languages import (
    FALLBACK,
    Untokenizable,
    comments,
    first_reading,
    readings,
    revisions,
    tokenize,
)

# ---- readings -------------------------------------------------------------------------------------------------------


def test_what_a_lexer_gets_through_is_read_by_it() -> None:
    reading = first_reading("chapel", b"var a = 1;")
    assert (reading.front_end.name, reading.failure) == ("pygments", None)
    assert rows_of(reading.tokens) == rows_of(tokenize("chapel", b"var a = 1;"))


@pytest.mark.parametrize(("language", "pump"), [("chapel", EXPONENTIAL), ("boo", QUADRATIC)])
def test_what_a_lexer_does_not_get_through_is_read_by_the_fallback(
    monkeypatch: pytest.MonkeyPatch, language: str, pump: bytes
) -> None:
    shorten(monkeypatch)
    code = b"a = b + 1\n" + pump
    reading = first_reading(language, code)
    assert (reading.front_end.name, reading.failure) == (FALLBACK, "not lexed within 0.3 s")
    assert rows_of(reading.tokens) == rows_of(tokenize(FALLBACK, code))
    assert [each.failure for each in readings(language, code)] == ["not lexed within 0.3 s"]


def test_both_readings_of_what_pygments_reads() -> None:
    assert [reading.front_end.name for reading in readings("chapel", b"a")] == ["pygments", FALLBACK]
    assert [reading.front_end.name for reading in readings("chapel", b"a", {FALLBACK})] == [FALLBACK]


@pytest.mark.parametrize(("language", "name"), [("c", "c"), ("python", "python"), ("markdown", "text")])
def test_one_reading_of_everything_else(language: str, name: str) -> None:
    assert [reading.front_end.name for reading in readings(language, b"a")] == [name]


def test_binary_content_is_read_by_none() -> None:
    with pytest.raises(Untokenizable, match="binary content"):
        first_reading("chapel", b"a\0\0\0")


def test_comments_have_the_same_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten(monkeypatch)
    assert [comment.text.strip() for comment in comments("chapel", b"var a; // b\n")] == ["// b"]
    with pytest.raises(Untokenizable):
        comments("chapel", b"var a; // b\n" + EXPONENTIAL)


def test_the_fallback_has_a_revision() -> None:
    assert FALLBACK in revisions()


def test_fast_languages_start_no_process() -> None:
    code = (
        "import sys; from winnow_ci.languages import readings;"
        "list(readings('c', b'int a;'));"
        "sys.exit(len({'pygments', 'winnow_ci.languages.pygments_lexer'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
