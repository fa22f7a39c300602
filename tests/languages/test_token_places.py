"""Places of tokens: the text there is the token's, whatever the front end, and they rise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from support.golden_tokens import GOLDEN, code
from winnow_ci.languages import FALLBACK, front_end_named, front_end_of
from winnow_ci.languages.families import FAMILIES, FAMILY_OF, LanguageFamily
from winnow_ci.languages.normalisation import normalise
from winnow_ci.languages.table_tokenizer import classifier
from winnow_ci.languages.texts_of_tokens import token_places
from winnow_ci.languages.tokens import Alphabet, line_numbers

SCHEME = b';; caf\xc3\xa9\n(define (caf\xc3\xa9 x) ; \xc3\xa9\n  (string-append "\xc3\xa9\n" x))\n'
PAGE = b"<p class='a'>\xc3\xa9 &amp; more\n<script>let a = `\n`; // no\n</script><style>p { top: 1px }</style>\n"


def checked(text: bytes, language: str, front_end: str = "") -> list[bytes]:
    """The text of each token, after places and lines have been found to agree."""
    reader = front_end_named(front_end) if front_end else front_end_of(language)
    tokens, places = reader.read(text, language), token_places(text, language, reader.name)
    assert places is not None
    assert len(places.starts) == len(places.ends) == len(tokens)
    assert (places.starts < places.ends).all()
    assert (places.ends[:-1] <= places.starts[1:]).all()
    lines = line_numbers(text)
    np.testing.assert_array_equal(lines[places.starts], tokens.first_lines)
    np.testing.assert_array_equal(lines[places.ends - 1], tokens.last_lines)
    found = [text[start:end] for start, end in zip(places.starts.tolist(), places.ends.tolist(), strict=True)]
    family = FAMILY_OF.get(language)
    if family and not front_end and not family.unicode_escapes and b"\r" not in text:
        classify = classifier(family)
        ids = [classify(token) for token in found]
        assert [each and each.verbatim for each in ids] == tokens.verbatim.tolist()
    return found


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.languages[0])
def test_the_text_at_the_place_of_a_token_is_the_tokens(family: LanguageFamily) -> None:
    text = normalise(code(family))
    assert len(checked(text, family.languages[0])) >= 9
    checked(text.replace(b"\n", b"\n\r"), family.languages[0])


def test_all_golden_languages_are_read() -> None:
    assert {path.stem for path in GOLDEN.glob("*.code")} == {family.languages[0] for family in FAMILIES}


def test_places_in_a_page() -> None:
    found = checked(PAGE, "html")
    assert [found.count(word) for word in (b"let", b"`\n`", b"top", b"more", b"no")] == [1, 1, 1, 1, 0]


def test_places_in_a_language_of_pygments_are_bytes() -> None:
    found = checked(SCHEME, "scheme")
    assert found.count("café".encode()) == 1
    assert '"é\n"'.encode() in found


def test_places_of_the_fallback_tokenizer() -> None:
    found = checked(SCHEME, "scheme", FALLBACK)
    assert found[:3] == [b";", b";", "café".encode()]


def test_places_of_words_leave_out_known_texts() -> None:
    known = b"Permission is hereby granted, free of charge, to any person obtaining a copy of this software and "
    known += b"associated documentation files (the Software), to deal in the Software without restriction, including"
    words = b" ".join(b"w\xc3\xb6rd%d" % number for number in range(70))
    found = checked(known + b"\n\n" + words + b"\n", "markdown")
    assert found[-70:] == words.split()
    assert b"Permission" not in found


def test_text_that_is_not_utf_8_has_places() -> None:
    assert checked(b"a = b\xe9 + c\n", "python") == [b"a", b"=", b"b\xe9", b"+", b"c"]
    assert checked(b"w\xe9rd %s\n" % (b"more " * 70), "markdown")[:2] == [b"w\xe9rd", b"more"]


def test_tokens_of_a_notebook_have_no_places() -> None:
    assert token_places(b'{"cells": [{"cell_type": "code", "source": ["a = 1"]}]}', "notebook", "notebook") is None


def test_of_a_lexer_that_fails_there_are_no_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("winnow_ci.languages.pygments_lexer.MOST_SECONDS", 0.0001)
    assert token_places(SCHEME * 2000, "scheme", "pygments") is None


PARTS = st.sampled_from(
    [
        "a",
        " ",
        "\n",
        "\r",
        "é",
        '"',
        "'",
        "`",
        "/*",
        "*/",
        "//",
        "#",
        "\\",
        "{",
        "0x1",
        "<script>",
        "</script>",
        "\\u002f",
    ]
)


@given(st.lists(PARTS, max_size=30).map("".join), st.sampled_from(["c", "python", "java", "javascript", "html", "php"]))
def test_whatever_the_text_places_and_lines_agree(text: str, language: str) -> None:
    found = checked(normalise(text.encode()), language)
    event("a token has a line break" if any(b"\n" in token for token in found) else "each token is on a line")


def test_the_ids_of_a_token_are_those_of_its_text_at_its_place() -> None:
    """An identifier's verbatim id is a hash of nothing but its text, in the family's alphabet."""
    text = b"first = second\n"
    tokens, places = front_end_of("python").read(text, "python"), token_places(text, "python", "python")
    assert places is not None
    ids = [Alphabet("python").identifier(text[places.starts[n] : places.ends[n]]).verbatim for n in (0, 2)]
    assert ids == tokens.verbatim[[0, 2]].tolist()
