"""Documents that hold scripts and styles: where they are cut, and whose tokens each part has."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.token_rows import rows_of, written
from winnow_ci.languages import front_end_of, language_at, markup_tokenizer, normalise, tokenize
from winnow_ci.languages.families.braces import JAVASCRIPT
from winnow_ci.languages.families.declarative import CSS, HTML
from winnow_ci.winnowing import kgram_hashes

SCRIPT = b"import { ref } from 'vue'\nconst count = ref(0) // it's\nexport default { data: () => ({ a: /<b>/ }) }\n"


def cut(text: bytes) -> list[tuple[bytes, str]]:
    parts = markup_tokenizer.markup_parts(normalise(text))
    return [(b"".join(part.pieces), part.family.name) for part in parts if part.pieces]


def test_token_stream() -> None:
    text = b"""\
<!DOCTYPE html><!-- it's -->
<P Class="a b" @click='x("y")'>It's &amp; 5</p>
<script lang="ts">let a = 1</script><style>
a { color: red } /* */
</style>"""
    html = {
        1: ["w <!", "w doctype", "w html", "w >"],
        2: [
            "w <",
            "w p",
            "w class",
            "w =",
            's "a b"',
            "w @",
            "w click",
            "w =",
            "s 'x(\"y\")'",
            "w >",
            "w it",
            "w '",
            "w s",
            "w &",
            "w amp",
            "w ;",
            "n 5",
            "w </",
            "w p",
            "w >",
        ],
        3: ["w <", "w script", "w lang", "w =", 's "ts"', "w >"],
    }
    expected = [
        *written("markup", html),
        *written("javascript", {3: ["w let", "i a", "w =", "n 1"]}),
        *written("markup", {3: ["w </", "w script", "w >", "w <", "w style", "w >"]}),
        *written("css", {4: ["i a", "w {", "w color", "w :", "i red", "w }"]}),
        *written("markup", {5: ["w </", "w style", "w >"]}),
    ]
    assert rows_of(tokenize("html", text)) == expected


@pytest.mark.parametrize(
    "tag", [b"<script>", b'<script setup lang="ts">', b"<SCRIPT type=module\n>", b'<script x="a>b">']
)
def test_a_script_has_the_tokens_of_its_own_file(tag: bytes) -> None:
    alone = tokenize("javascript", SCRIPT)
    inside = tokenize("vue", b"<template>\n<p>it's</p>\n</template>\n" + tag + b"\n" + SCRIPT + b"</script>\n")
    found = set(kgram_hashes(inside.structural, 16).tolist())
    assert set(kgram_hashes(alone.structural, 16).tolist()) <= found
    start = inside.verbatim.tolist().index(alone.verbatim[0])
    assert inside.verbatim[start : start + len(alone)].tolist() == alone.verbatim.tolist()
    shift = 4 + tag.count(b"\n")
    assert (inside.first_lines[start : start + len(alone)] - shift).tolist() == alone.first_lines.tolist()


@pytest.mark.parametrize(
    ("text", "families"),
    [
        (b"<script>a</script>", ["markup", "javascript", "markup"]),
        (b"<script>a", ["markup", "javascript"]),
        (b"<style>a</STYLE><script>b", ["markup", "css", "markup", "javascript"]),
        (b"<script src=a></script><p>", ["markup"]),
        (b"<script", ["markup"]),
        (b"<scripted>a", ["markup"]),
        (b"<!-- <script>a</script> -->", ["markup"]),
        (b"<!-- <script>a</script>", ["markup", "javascript", "markup"]),
        (b"<script type='application/ld+json'>{}</script>", ["markup"]),
        (b"<script type=text/x-template><p></script><style>b", ["markup", "css"]),
        (b"<script type='text/javascript'>a", ["markup", "javascript"]),
        (b"<script 'a>b", ["markup", "javascript"]),
        (b"<style><script></style>a", ["markup", "css", "markup"]),
        (b"<script" + b" " * 4095 + b">a", ["markup", "javascript"]),
        (b"<script" + b" " * 4095 + b"></script>", ["markup"]),
        (b"<script" + b" " * 4096 + b"></script>", ["markup", "javascript", "markup"]),
        (b"", []),
    ],
)
def test_where_a_document_is_cut(text: bytes, families: list[str]) -> None:
    parts = cut(text)
    joined = [family for place, (_, family) in enumerate(parts) if place == 0 or parts[place - 1][1] != family]
    assert joined == families


@given(
    st.lists(st.sampled_from("<script> </script> <style <style> </style> <!-- --> > \" ' = a ` /* */ \n #!".split(" ")))
)
def test_parts_are_all_of_any_document(fragments: list[str]) -> None:
    text = normalise("".join(fragments).encode())
    pieces = [piece for part in markup_tokenizer.markup_parts(text) for piece in part.pieces]
    assert sum(map(len, pieces)) == len(text)
    tokens = tokenize("html", text)
    assert all(one <= other for one, other in pairwise(tokens.first_lines.tolist()))


@pytest.mark.parametrize(
    ("line", "language"),
    [(1, "vue"), (2, "vue"), (3, "javascript"), (4, "javascript"), (5, "css"), (6, "css"), (7, "vue")],
)
def test_the_language_of_a_line(line: int, language: str) -> None:
    text = b"<p>\n<script>a\nb\n</script><style>\nc\n</style>\n<p>"
    assert language_at("a.vue", text, line) == language


def test_what_a_script_leaves_open_says_nothing_of_the_rest() -> None:
    text = b"<script>/* ` \" </script>\n<p id='a'>b</p><script>x()</script>"
    end = b"\n<p id='a'>b</p><script>x()</script>"
    assert (
        tokenize("html", text).verbatim.tolist()[-20:] == tokenize("html", b"</script>" + end).verbatim.tolist()[-20:]
    )


def test_every_document_has_one_front_end() -> None:
    front_end = front_end_of("vue")
    assert front_end is front_end_of("html")
    assert front_end.name == HTML.name == "markup"
    assert all(str(family.revision) in front_end.revision for family in (HTML, JAVASCRIPT, CSS))


@pytest.mark.parametrize(
    "unit", [b"<script>", b"<script '", b"<!--", b"<script></script>", b'="', b"<style <script>", b"<"]
)
def test_pumps_stay_cheap(unit: bytes) -> None:
    """Not a proof: a square law takes seconds at this size."""
    began = time.process_time()
    tokenize("html", unit * (200_000 // len(unit)))
    assert time.process_time() - began < 4
