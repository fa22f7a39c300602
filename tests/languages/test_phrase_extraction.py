"""What comments, strings and long names say, where it stands, and what says too little."""

from __future__ import annotations

from itertools import groupby
from string import ascii_lowercase
from typing import TYPE_CHECKING

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.languages import normalise, tokenize
from winnow_ci.languages.families.braces import JAVASCRIPT, C
from winnow_ci.languages.families.scripts import PYTHON
from winnow_ci.languages.phrase_extraction import phrase_of, phrases_in
from winnow_ci.languages.table_tokenizer import classifier, family_pieces, family_tokens
from winnow_ci.languages.tokens import assemble_tokens, line_numbers, with_plain_line_ends
from winnow_ci.model import WORD

if TYPE_CHECKING:
    from winnow_ci.languages.families import LanguageFamily
    from winnow_ci.model import Phrases


def phrases(language: str, text: str) -> Phrases:
    """The phrases of a text, without words."""
    found = tokenize(language, text.encode()).phrases
    assert found is not None
    return found.part(found.words != WORD)


def words(language: str, text: str) -> list[tuple[int, int, int]]:
    """The hash, the line and the token of each word."""
    found = tokenize(language, text.encode()).phrases
    assert found is not None
    own = found.part(found.words == WORD)
    return list(zip(own.hashes.tolist(), own.lines.tolist(), own.positions.tolist(), strict=True))


def places(language: str, text: str) -> list[tuple[int, int]]:
    """The line and the token of each phrase."""
    found = phrases(language, text)
    return list(zip(found.lines.tolist(), found.positions.tolist(), strict=True))


def said(text: str) -> list[int]:
    return [phrase.hash for phrase in phrases_in(text.encode())]


# ---- which text is a phrase ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("c", "// get chunk graph for\n"),
        ("c", "/* Get chunk -- graph FOR! */"),
        ("c", "/*\n *    get chunk graph for\n */"),
        ("c", "/**********************\n ** get chunk graph for **\n **********************/"),
        ("c", 'f("get chunk: graph for");'),
        ("python", "#get chunk graph for"),
        ("python", "x = 'Get chunk: {graph} for'"),
        ("python", 'def f():\n    """\n    Get chunk graph for.\n    """'),
        ("javascript", "x = `get chunk ${graph} for`"),
        ("javascript", "getChunkGraphFor(module)"),
        ("java", "GetChunkGraphFor.of(x)"),
        ("python", "get_chunk_graph_for(module)"),
        ("c", "GET_CHUNK_GRAPH_FOR"),
        ("python", "_get__chunk_graphFor"),
    ],
)
def test_however_it_is_written_it_says_the_same(language: str, text: str) -> None:
    assert phrases(language, text).hashes.tolist() == said("get chunk graph for")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("parseHTTPResponse", "parse http response"),
        ("XMLHttpRequest", "xml http request"),
        ("base64UrlEncode", "base64 url encode"),
        ("größeDerListe", "größe der liste"),
        ("$watchCollection_deep", "watch collection deep"),
    ],
)
def test_words_of_names(name: str, words: str) -> None:
    assert [phrase.hash for phrase in phrase_of(name.encode())] == said(words)


@pytest.mark.parametrize(
    "text",
    [
        "# internationalisation everywhere",
        "# get a b c",
        "# ---------------------- == ---------------------- == ------",
        "f('internationalisation everywhere')",
        "internationalisation_everywhere()",
        "get_a_b_c()",
        "# get chunk\n# graph for",
        "get(chunk, graph, for_)",
        "1234567890.1234567890",
    ],
)
def test_too_few_words_or_letters_say_nothing(text: str) -> None:
    assert len(phrases("python", text)) == 0


@pytest.mark.parametrize(("text", "count"), [("abc def ghi jk", 0), ("abc def ghi jkl", 1), ("abcdef ghijkl", 0)])
def test_three_words_and_twelve_letters_are_the_least(text: str, count: int) -> None:
    assert len(phrases("python", f"# {text}\n'{text}'")) == 2 * count
    (named,) = phrase_of(text.replace(" ", "_").encode())
    assert (named.words != WORD) == bool(count)


def test_other_words_and_another_order_say_something_else() -> None:
    texts = ["get chunk graph for", "get chunk graph", "chunk get graph for", "get chunkgraph for", "get chunk graph 4"]
    assert len({hash_ for text in texts for hash_ in said(text)}) == len(texts)


def test_keywords_and_operators_say_nothing() -> None:
    assert len(phrases("c", "static inline unsigned long; return sizeof(long double);")) == 0


# ---- where a phrase stands -------------------------------------------------------------------------------------

BLOCK = """\
/*
 * Copyright of all the owners
 */
int a;
int b; /* the second of the numbers
          and what it is good for */
call(b, "a message for the user");
// the last line of the file
"""


def test_places_of_comments_and_strings() -> None:
    assert places("c", BLOCK) == [(2, 0), (5, 6), (6, 6), (7, 10), (8, 13)]
    assert not phrases("c", BLOCK).names.any()


def test_places_in_a_string_of_several_lines() -> None:
    text = 'x = 1\ndef f():\n    """\n    What the function does.\n\n    And what it does not.\n    """\n    return 1\n'
    assert places("python", text) == [(4, 8), (6, 8)]


def test_names_are_told_from_texts() -> None:
    found = phrases("javascript", "// get chunk graph for\nlet a = getChunkGraphFor('get chunk graph for')")
    assert found.hashes.tolist() == said("get chunk graph for") * 3
    assert found.names.tolist() == [False, True, False]
    assert list(zip(found.lines, found.positions, strict=True)) == [(1, 0), (2, 3), (2, 5)]


def test_names_that_are_imported_are_no_phrases() -> None:
    text = "from x import read_the_whole_of_it\n\nour_name_of_the_thing = read_the_whole_of_it(path)\n"
    assert places("python", text) == [(3, 4)]


# ---- words -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "text", "other_language", "other_text"),
    [
        ("javascript", "baseMinimum", "python", "base_minimum"),
        ("c", "BASE_MINIMUM", "go", "baseMinimum"),
        ("php", "$baseMinimum", "ruby", "base_minimum"),
        ("python", "'Bad input.'", "go", '"bad input"'),
        ("javascript", "'bad input'", "php", '"Bad input!"'),
        ("python", "options['base_minimum']", "javascript", "options.baseMinimum"),
        ("c", "0x1FFul", "python", "511"),
        ("javascript", "1_000n", "java", "1000L"),
        ("c", "365.25", "rust", "365.25"),
    ],
)
def test_a_word_is_the_same_in_another_language(language: str, text: str, other_language: str, other_text: str) -> None:
    start = "<?php " if language == "php" else ""
    other_start = "<?php " if other_language == "php" else ""
    ((one, *_), *_), ((other, *_), *_) = words(language, start + text), words(other_language, other_start + other_text)
    assert one == other


@pytest.mark.parametrize(
    "text",
    ["abc", "a_b", "'abcde'", "'one two three'", "12", "0x10", "# word", "# two words", "import some_name", "return"],
)
def test_what_is_short_or_a_comment_or_imported_is_no_word(text: str) -> None:
    assert words("python", text) == []


def test_a_word_is_found_where_it_comes_first() -> None:
    found = words("python", "some_name = 1\nother = some_name\nprint(some_name, other)\n")
    assert [(line, token) for _, line, token in found] == [(1, 0), (2, 3), (3, 6)]


def test_what_is_long_enough_is_a_phrase_and_no_word() -> None:
    assert words("python", "get_chunk_graph_for\n'get chunk graph for'") == []
    assert len(words("python", "get_a_chunk\nget_chunk")) == 2


# ---- places, again ---------------------------------------------------------------------------------------------


def test_each_place_of_a_recurring_phrase_is_told() -> None:
    assert places("python", "a = 1  # what it is good for\n" * 3) == [(1, 3), (2, 6), (3, 9)]


def test_words_are_counted_up_to_what_a_byte_holds() -> None:
    text = "".join(f"# {'word ' * count}\n" for count in (4, 254, 255, 256, 1000))
    assert phrases("python", text).words.tolist() == [4, 254, 255, 255, 255]


def test_a_comment_that_nothing_closes_hides_nothing() -> None:
    assert phrases("c", "/* by get_chunk_graph_for(x)").hashes.tolist() == said("get chunk graph for")


# ---- against a plain definition --------------------------------------------------------------------------------


def kind(byte: int) -> str:
    """Of what a name consists: capitals, what may follow one, marks."""
    if byte >= 0x80 or chr(byte).isdigit() or chr(byte).islower():
        return "small"
    return "capital" if chr(byte).isupper() else "mark"


def words_of_name(name: bytes) -> list[bytes]:
    """One capital belongs to what follows it; of several the last one does, if that is a letter of ASCII."""
    words, capitals = [], b""
    for run, group in groupby(name, key=kind):
        text = bytes(group)
        if run == "capital":
            capitals = text
            continue
        takes_one = run == "small" and (len(capitals) == 1 or chr(text[0]) in ascii_lowercase)
        cut = len(capitals) - takes_one
        words += [capitals[: max(cut, 0)], capitals[max(cut, 0) :] + (text if run == "small" else b"")]
        capitals = b""
    return [word.lower() for word in [*words, capitals] if word]


def is_phrase(words: list[bytes]) -> bool:
    return len(words) >= 3 and sum(map(len, words)) >= 12


FRAGMENTS = (
    *('"', "'", "`", '"""', "'''", "/*", "*/", "//", "#", "\\", "\n", "\n", "  ", "\t", "(", ")", ";", "=", "/", "1.5"),
    *("getChunkGraphFor", "get_chunk_graph_for", "parseHTTPResponse2x", "AB1größeX", "return", "x", "\f", "é"),
    *("import", "from", "use", "#include "),
    *("what it is good for", " * the whole of it\n * and more of it", "one two", "${the_name_of_it}", "A1b2_C3d4"),
)
sources = st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join) | st.text("aB_9é \n\"'#/*", max_size=60)
families = st.sampled_from([C, PYTHON, JAVASCRIPT])


PARTS = st.sampled_from(["get", "Chunk", "GRAPH", "graphs", "9", "_", "é", "B", "of"])


@given(name=st.lists(PARTS, min_size=4, max_size=10).map("".join) | st.text("aBC9_é", max_size=20))
def test_names_agree_with_a_plain_definition(name: str) -> None:
    words = words_of_name(name.encode())
    event(f"is a phrase: {is_phrase(words)}")
    found = [phrase for phrase in phrase_of(name.encode()) if phrase.words != WORD]
    assert bool(found) == is_phrase(words)
    assert [(phrase.line, phrase.hash) for phrase in found] == [
        (0, phrase.hash) for phrase in phrases_in(b" ".join(words)) if found
    ]


@given(text=st.lists(sources | st.sampled_from("\r\n\u2028"), max_size=6).map("".join), family=families)
def test_line_ends_that_are_not_counted_hide_nothing(text: str, family: LanguageFamily) -> None:
    # So it has line feeds, and another line end among them is nobody's line break.
    plain = normalise(f"\r {text}\n".encode())
    found, lexed = (
        family_tokens(plain, family),
        family_tokens(with_plain_line_ends(plain), family),
    )
    assembled = assemble_tokens(family_pieces(plain, family), classifier(family), line_numbers(plain))
    for column in ("structural", "verbatim", "first_lines", "last_lines", "sketch"):
        assert getattr(found, column).tolist() == getattr(assembled, column).tolist()
        assert getattr(found, column).dtype == getattr(assembled, column).dtype
    assert found.phrases is not None
    assert lexed.phrases is not None
    counted = {line: 1 + before.count(b"\n") for line, before in enumerate(lines_before(plain), 1)}
    assert found.phrases.hashes.tolist() == lexed.phrases.hashes.tolist()
    assert found.phrases.positions.tolist() == lexed.phrases.positions.tolist()
    assert found.phrases.lines.tolist() == [counted[line] for line in lexed.phrases.lines.tolist()]


def lines_before(text: bytes) -> list[bytes]:
    """What stands before each line, as a lexer sees lines."""
    return [text[:at] for at in range(len(text) + 1) if at == 0 or text[at - 1] in b"\r\n"]


# ---- who does not tell -----------------------------------------------------------------------------------------

SAYING = "get_chunk_graph_for what it is good for"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("html", f"<!-- {SAYING} --><p title='{SAYING}'>{SAYING}</p><script>// {SAYING}\nlet {SAYING[:19]}</script>"),
        ("vue", f"<template><p>{SAYING}</p></template><script>let {SAYING[:19]} = '{SAYING}'</script>"),
        ("text", SAYING),
        ("ini", f"; {SAYING}\n[{SAYING[:19]}]\n{SAYING[:19]} = {SAYING}\n"),
    ],
)
def test_other_front_ends_do_not_tell(language: str, text: str) -> None:
    tokens = tokenize(language, text.encode())
    assert len(tokens) > 3
    assert tokens.phrases is None
