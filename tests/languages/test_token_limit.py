"""Too many tokens are refused while a text is cut; what is no token does not count."""

from __future__ import annotations

import pytest

from winnow_ci.languages import Untokenizable, front_end_of, kernel_or_python, tokens, words
from winnow_ci.languages.tokens import TOKEN_LIMIT, bounded_pieces
from winnow_ci.languages.words import fallback_tokens


def refuses(language: str, text: bytes) -> bool:
    try:
        front_end_of(language).tokenize(text, language)
    except Untokenizable as reason:
        return (reason.reason, reason.state) == (f"more than {tokens.TOKEN_LIMIT:,} tokens", "not-scanned")
    return False


def limit(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    for module in (tokens, kernel_or_python, words):
        monkeypatch.setattr(module, "TOKEN_LIMIT", most)


@pytest.fixture
def six(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most six tokens."""
    assert TOKEN_LIMIT == 20_000_000
    limit(monkeypatch, 6)


@pytest.mark.usefixtures("six")
@pytest.mark.parametrize("language", ["c", "python", "javascript", "sql", "generic"])
def test_one_token_more(language: str) -> None:
    assert not refuses(language, b"a b = c + d\n\n\n\n")
    assert refuses(language, b"a b = c + d + e\n")


@pytest.mark.usefixtures("six")
def test_comments_and_white_space_do_not_count() -> None:
    assert not refuses("c", b"/**/ // x\n" * 50 + b"a = b ;  \n\n" + b"/* x */\n" * 50 + b"c;")
    assert refuses("c", b"/**/ // x\n" * 50 + b"a = b ;  \n\n" + b"/* x */\n" * 50 + b"c; d;")


@pytest.mark.usefixtures("six")
def test_where_spans_hold_others_of_their_kind() -> None:
    assert refuses("rust", b"/* a /* b */ c */ a b c d e f g")
    assert not refuses("rust", b"/* a /* b */ c */ a b c d e f")


@pytest.mark.usefixtures("six")
def test_after_a_span_that_nothing_closes() -> None:
    assert refuses("c", b"a /* b c d e f g h i")


def test_what_is_read_is_the_same_with_and_without_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"f(a) /* b */ + 'c' + 1.5;\n" * 20
    before = (
        fallback_tokens(text).verbatim.tolist(),
        front_end_of("c").tokenize(text, "c").verbatim.tolist(),
    )
    limit(monkeypatch, len(text) - 1)
    after = fallback_tokens(text).verbatim.tolist(), front_end_of("c").tokenize(text, "c").verbatim.tolist()
    assert after == before


def test_equal_pieces_are_one_object(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, 0)
    pieces = bounded_pieces((bytes(bytearray(b"name")) for _ in range(9)), b"text", lambda _: None)
    assert pieces == [b"name"] * 9
    assert len({id(piece) for piece in pieces}) == 1
