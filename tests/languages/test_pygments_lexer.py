"""Languages that Pygments reads, and the budget that it has."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from support.token_rows import rows_of, written
from winnow_ci.languages import Untokenizable, front_end_of, tokenize
from winnow_ci.languages.pygments_lexer import lex

HOSTILE = b'"' + b"\\" * 60


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


def test_a_hostile_input_runs_out_of_its_budget() -> None:
    began = time.monotonic()
    with pytest.raises(Untokenizable, match=r"not lexed within 0.2 s") as refused:
        lex(HOSTILE, "scala", seconds=0.2)
    assert refused.value.state == "not-scanned"
    assert time.monotonic() - began < 5


def test_the_alarm_is_left_as_it_was_found() -> None:
    handler = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 500, 7)
    try:
        lex(b"val a = 1", "scala")
        with pytest.raises(Untokenizable):
            lex(HOSTILE, "scala", seconds=0.05)
        remaining, interval = signal.getitimer(signal.ITIMER_REAL)
        assert 490 < remaining < 500
        assert interval == 7
        assert signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)


def test_another_thread_lexes_without_a_budget() -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(len(lex(b"val a = 1", "scala", seconds=1e-9))))
    thread.start()
    thread.join()
    assert found == [4]


def test_a_lexer_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_name: str) -> None:
        raise RecursionError

    monkeypatch.setattr("winnow_ci.languages.pygments_lexer.get_lexer_by_name", fail)
    with pytest.raises(Untokenizable, match="the nesc lexer failed: RecursionError") as refused:
        tokenize("nesc", b"fn")
    assert refused.value.state == "not-scanned"


def test_the_revision_names_pygments() -> None:
    assert "pygments-" in front_end_of("nesc").revision
    assert front_end_of("nesc").name == "pygments"
