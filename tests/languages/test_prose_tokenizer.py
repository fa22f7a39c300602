"""Prose: words only."""

from __future__ import annotations

from support.token_rows import rows_of, written
from winnow_ci.languages import front_end_of, tokenize
from winnow_ci.languages.language_detection import METADATA


def test_words_in_lower_case() -> None:
    text = "# The *Café* — “it”\n\n```scala\nx_1 = 2\n```\n".encode()
    words = {1: ["w the", "w café", "w it"], 3: ["w scala"], 4: ["w x", "w 1", "w 2"]}
    assert rows_of(tokenize("markdown", text)) == written("text", words)


def test_structural_and_verbatim_ids_are_the_same() -> None:
    tokens = tokenize("text", b"To be, or not to be")
    assert tokens.structural.tolist() == tokens.verbatim.tolist()
    assert tokens.sketch.max() < 128


def test_a_fence_that_names_a_hostile_lexer_starts_none() -> None:
    assert front_end_of("markdown").name == "text"
    assert len(tokenize("markdown", b'```scala\n"' + b"\\" * 60 + b"\n```\n")) == 1


def test_settings_and_other_data_are_read_as_words() -> None:
    assert rows_of(tokenize("yaml", b"on: [push]  # always\n")) == written("text", {1: ["w on", "w push", "w always"]})
    assert rows_of(tokenize("xml", b"<a href='b'/>")) == written("text", {1: ["w a", "w href", "w b"]})
    assert {front_end_of(language).name for language in METADATA} == {"text"}
