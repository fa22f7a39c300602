"""What front ends may not take for a comment, a string or a regular expression."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from support.confusions import Confusion, confusions
from winnow_ci.languages import tokenize
from winnow_ci.languages.families.here_document_reading import HERE_MOST_ON_LINE, _Text, here_names

# ---- confusions -----------------------------------------------------------------------------------------------------

CASES = confusions()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_copy_between_confusing_lines_has_the_tokens_that_it_has_alone(case: Confusion) -> None:
    alone = tokenize(case.language, case.copy)
    found = tokenize(case.language, case.text)
    first = case.before.count(b"\n") + 1
    here = (found.first_lines >= first) & (found.last_lines < first + case.copy.count(b"\n"))
    assert found.verbatim[here].tolist() == alone.verbatim.tolist()
    assert (found.first_lines[here] - first + 1).tolist() == alone.first_lines.tolist()


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 250
    assert len({case.language for case in CASES}) >= 35
    assert all(len(tokenize(case.language, case.copy)) >= 35 for case in CASES)


# ---- javascript reading ---------------------------------------------------------------------------------------------


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


# ---- here document reading ------------------------------------------------------------------------------------------

NAMES = (b"A", b" A", b"\tA", b"  ", b"a", b"ab", b"a?", b"b!")
PARTS = (*NAMES, b"\n", b"\n", b"\n ", b"\nA\n", b" = ", b"=", b"==", b"=~", b"$", b".", b"=>", b"<<", b"x")
texts = st.lists(st.sampled_from(PARTS), max_size=14).map(lambda parts: b"".join(parts) + b"\0")


@given(text=texts, name=st.sampled_from(NAMES))
def test_the_next_line_that_is_a_name(text: bytes, name: bytes) -> None:
    line = re.compile(rb"\n[ \t]*%b(?=[\n\0])" % re.escape(name))
    places = _Text(text)
    for at in (match.start() for match in re.finditer(rb"[\n\0]", text)):
        found = line.search(text, at)
        event(f"there is one: {found is not None}")
        assert places.line_behind(at, name) == (found.end() if found else None)


@given(text=texts, name=st.sampled_from(NAMES[4:]), near=st.integers(0, 9))
def test_whether_a_name_gets_a_value(text: bytes, name: bytes, near: int) -> None:
    value = re.compile(rb"(?<![\w$@.])%b[\x01-\x20]*=(?![=~>])" % re.escape(name))
    places = _Text(text)
    for before in (match.start() for match in re.finditer(b"<<", text)):
        found = value.search(text, max(0, before - near), before)
        event(f"it does: {found is not None}")
        assert places.is_assigned(name, max(0, before - near), before) == (found is not None)


def test_more_here_documents_on_a_line_than_anybody_writes_are_none() -> None:
    line = b"<<'A' " * (HERE_MOST_ON_LINE + 1)
    assert here_names(line, 6, len(line)) == [b"A"] * HERE_MOST_ON_LINE
    assert here_names(line, 0, len(line)) == []
