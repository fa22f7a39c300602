"""JavaScript that is read with care, made by somebody who wants it to fail or to take long."""

from __future__ import annotations

import time

from winnow_ci.languages import tokenize


def test_a_text_may_end_with_what_could_begin_an_element() -> None:
    assert len(tokenize("jsx", b"'\n<")) == 2


def test_templates_in_templates_that_do_not_end_are_read_once() -> None:
    """Thirty templates deep, each depth would read the rest of the text again."""

    def seconds(size: int) -> float:
        text = b"`a${b \n" * (size // 8)
        began = time.process_time()
        tokenize("javascript", text)
        return time.process_time() - began

    assert seconds(90_000) < 2
