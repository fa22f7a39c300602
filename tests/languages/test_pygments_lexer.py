"""Languages that Pygments reads."""

from __future__ import annotations

import numpy as np
import pytest

from support.token_rows import rows_of, written
from winnow_ci.languages import front_end_of, pygments_lexer, tokenize
from winnow_ci.languages.pygments_lexer import LexedPieces, end_lexer, lex


def test_token_stream() -> None:
    code = b'// no\nfn main() {\n    let x = "a\\n\nb"; /* no */\n    x += 0x1f;\n}\n'
    stream = {
        2: ["w fn", "i main", "w (", "w )", "w {"],
        3: ["w let", "i x", "w =", 's "a\\n\nb"'],
        4: ["w ;"],
        5: ["i x", "w +", "w =", "n 0x1f", "w ;"],
        6: ["w }"],
    }
    assert rows_of(lex(code, "rust")) == written("pygments", stream)


def test_preprocessor_text_is_code() -> None:
    tokens = tokenize("nesc", b"#define SUM(a) (a + 1)\n")
    assert len(tokens) > 5


def test_quote_style_does_not_matter() -> None:
    assert rows_of(lex(b"x = 'abc'", "ruby")) == rows_of(lex(b'x = "abc"', "ruby"))


def test_a_lone_carriage_return_ends_a_comment_but_not_a_line() -> None:
    tokens = lex(b"// x\rlet a;\nlet b;\n", "rust")
    assert tokens.first_lines.tolist() == [1, 1, 1, 2, 2, 2]


def test_lines_count_characters_not_bytes() -> None:
    assert lex("é = 'ü\nß'\nx".encode(), "ruby").first_lines.tolist()[-1] == 3


def test_a_lexer_that_tells_wrong_places_still_has_its_text_read() -> None:
    """Pygments' lexer of sessions counts from the beginning of each of their parts."""
    tokens = tokenize("dylan-console", b"? let a = 1;\n? a\n")
    assert len(tokens) > 5
    assert tokens.last_lines.max() <= 3


@pytest.mark.parametrize(("size", "seconds"), [(0, 2.0), (1_000_000, 7.0), (1_600_000, 10.0), (9_000_000, 10.0)])
def test_the_budget_grows_with_the_text(monkeypatch: pytest.MonkeyPatch, size: int, seconds: float) -> None:
    given: list[float] = []

    def lexed(_: object, __: str, ___: str, budget: float) -> LexedPieces:
        given.append(budget)
        return LexedPieces(np.zeros(0, np.uint8), np.zeros(0, np.uint32), np.zeros(0, np.uint32), "")

    monkeypatch.setattr(pygments_lexer._Lexer, "lex", lexed)
    lex(bytes(size), "rust")
    end_lexer()
    assert given == [pytest.approx(seconds)]


def test_the_revision_names_pygments() -> None:
    assert "pygments-" in front_end_of("nesc").revision
    assert front_end_of("nesc").name == "pygments"
