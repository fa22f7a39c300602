"""Where lines and assignments are in a text, against what the words say; and texts of nothing but openers."""

from __future__ import annotations

import re

from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.languages.families.here_document_reading import MOST_ON_LINE, _Text, here_names

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
    line = b"<<'A' " * (MOST_ON_LINE + 1)
    assert here_names(line, 6, len(line)) == [b"A"] * MOST_ON_LINE
    assert here_names(line, 0, len(line)) == []
