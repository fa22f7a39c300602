"""Remembered pieces yield the tokens that pieces looked at afresh do."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from winnow_ci.languages import vocabulary
from winnow_ci.languages.tokens import Alphabet, TokenIds, assemble, line_numbers
from winnow_ci.languages.vocabulary import Vocabulary

ALPHABET = Alphabet("test")
pieces = st.sampled_from([b" ", b"\n", b" \n\n", b"a", b"b", b"\n a", b"'''x\ny\n'''", b'"\n', b"/* \n */", b"\xff"])
texts = st.lists(st.lists(pieces, max_size=30), max_size=5)


def classify(piece: bytes) -> TokenIds | None:
    token = piece.strip()
    return ALPHABET.word(token) if token and not token.startswith(b"/*") else None


@given(texts=texts, most=st.integers(0, 20))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_tokens(texts: list[list[bytes]], most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "MOST_PIECES", most)
    known = Vocabulary(classify)
    for text in texts:
        found, expected = known.tokens(known.numbers(text)), assemble(text, classify, line_numbers(b"".join(text)))
        for field in ("structural", "verbatim", "first_lines", "last_lines", "sketch"):
            assert getattr(found, field).tolist() == getattr(expected, field).tolist()
            assert getattr(found, field).dtype == getattr(expected, field).dtype
        event(f"forgets: {len(known) == 0 < len(text)}")
        assert len(known) <= most or not text


@pytest.mark.parametrize("pieces", [[b"%d" % number for number in range(65536)], [b"x" * (1 << 22)]], ids=len)
def test_nothing_is_forgotten_before_there_is_too_much(pieces: list[bytes]) -> None:
    known = Vocabulary(classify)
    known.tokens(known.numbers(pieces))
    assert len(known) == len(pieces)
    known.tokens(known.numbers([b"y"]))
    assert len(known) == 0
