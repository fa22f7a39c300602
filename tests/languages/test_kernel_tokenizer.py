"""The kernel makes what Python makes, of whatever text."""

from __future__ import annotations

import random
from itertools import islice

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from support.golden_tokens import code
from support.kernels import need_kernel, without_kernel
from support.marks import MARKS, OPENERS
from support.tokenizing_cases import ALL_FAMILIES, difference, texts
from winnow_ci.languages import normalise, table_tokenizer
from winnow_ci.languages.code_in_text import CODE_MARKS, code_marks, passages
from winnow_ci.languages.families import FAMILY_OF, LanguageFamily, SpanRule
from winnow_ci.languages.families.braces import JAVASCRIPT, C
from winnow_ci.languages.families.declarative import HTML
from winnow_ci.languages.table_tokenizer import _made_reader, family_tokens, kernel_reader, unescaped
from winnow_ci.native import kernel

# ---- native tokenizer -----------------------------------------------------------------------------------------------

pytestmark = pytest.mark.usefixtures("_kernel")
families = pytest.mark.parametrize("family", ALL_FAMILIES, ids=lambda family: family.languages[0])

SAMPLE = 40


@pytest.fixture(scope="module")
def _kernel() -> None:
    need_kernel()


def source(family: LanguageFamily) -> bytes:
    return b"" if family is HTML else normalise(code(family))


@families
def test_every_family_is_served(family: LanguageFamily) -> None:
    assert not isinstance(_made_reader(family), ValueError)


@families
def test_real_code(family: LanguageFamily) -> None:
    text = source(family)
    assert difference(text, family) == ""
    assert difference(text.replace(b"\n", b"\r"), family) == ""
    assert difference(text[len(text) // 2 :], family) == ""


@families
def test_texts_of_chance(family: LanguageFamily) -> None:
    """``benchmarks/kernel_differences.py`` makes millions."""
    chooser = random.Random(f"texts of {family.languages[0]}")
    for text in islice(texts(family, chooser, [source(family)]), SAMPLE):
        assert difference(text, family) == "", text


@given(data=st.data())
@settings(max_examples=300)
def test_marks_in_any_order(data: st.DataObject) -> None:
    family = data.draw(st.sampled_from(ALL_FAMILIES))
    own = OPENERS.get(family.languages[0], b"<!--").split(b" ")
    marks = st.sampled_from(MARKS) | st.sampled_from(own) | st.sampled_from((b"\n", b'"', b"'", b"*/", b"\\", b" "))
    text = b"".join(data.draw(st.lists(marks, max_size=20)))
    event(f"something spans lines: {any(span.marker in text for span in family.spans)}")
    assert difference(text, family) == ""


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("c", b"#!/bin/sh\nint a;"),
        ("css", b"#!"),
        ("python", b"'" + b"\\" * 15 + b"' a '" + b"\\" * 40 + b"'" + b"\\" * 41 + b"'"),
        ("c", b'R"xy(a)" )xy" u8R"(b)" R"(c'),
        ("rust", b"/* a /* b */ c */ d /* e /* f"),
        ("ocaml", b'(* "*)" \'"\' {a|*)|a} *) b (* c'),
        ("php", b"Words and 'text' <?php echo 1; ?> More, words <? $a"),
        ("php", b"no code at all ?> x"),
        ("shell", b"cat <<E\na $b\nE\ncat <<F\nnothing ends it"),
        ("fortranfixed", b"c comment\n     1 continued\n\t2 continued\nC\n     0 not\n"),
        ("java", b"\\u0022a\\u0022 + '\\\\u0027' \\uuu005c\\u000a b"),
        ("python", b"import a_long_name_of_others\na_long_name_of_others = a_long_name_of_mine"),
        ("go", b"x = `a\r\nb` // c\rd"),
        ("javascript", b"a = `${b}` / c</a>/ d"),
    ],
)
def test_what_takes_a_rule_of_its_own(language: str, text: bytes) -> None:
    assert difference(text, FAMILY_OF.get(language, FAMILY_OF["bash"])) == ""


def test_what_it_forgets_changes_nothing() -> None:
    """More pieces, and more bytes, than it remembers."""
    names = b" ".join(b"name%d" % number for number in range(70_000))
    for text in (names, b"/* %b */" % (b"long " * 1_000_000), names + b" again", b"name1 name69999 other"):
        assert difference(text, C) == ""


def test_a_text_that_is_read_with_care_is_read_with_care_natively_too() -> None:
    text = b"a = `${`/*`}`; b = /[`]/; c = `*/`\n" * 3
    native = family_tokens(text, JAVASCRIPT)
    with without_kernel():
        python = family_tokens(text, JAVASCRIPT)
    assert kernel_reader(text, JAVASCRIPT).tokens(text, len(text))[2]
    assert native.verbatim.tolist() == python.verbatim.tolist()


@pytest.mark.parametrize(
    "content",
    [
        b"a\r\nb\rc\n",
        b"a\rb\r",
        b"\r\n",
        b"a\xc2\xa0b\xe1\x9a\x80c\xe2\x80\x8a\xe2\x80\xaf\xe2\x81\x9f\xe3\x80\x80",
        b"a\xc2\xadb\xe2\x80\x8b\xe2\x80\x8f\xe2\x80\xaa\xe2\x80\xae\xe2\x81\xa0\xe2\x81\xa5\xe2\x81\xa9\xef\xbb\xbfc",
        b"a\xe2\x80\xa8b\xe2\x80\xa9c",
        # What has no width stands in what then is the end of a line, or a space, which stays.
        b"\xe2\xc2\xad\x80\xa8",
        b"\xe2\x80\xc2\xad\x8a",
        b"x" * 31 + b"\xc2\xa0" + b"y" * 32 + b"\xc2",
        b"\xc3\xa9\xe2\x82\xac\xff\xe2\x80",
    ],
)
def test_text_is_made_plain_alike(content: bytes) -> None:
    native = normalise(content)
    with without_kernel():
        assert normalise(content) == native


@pytest.mark.parametrize("run", [(b"a", b"b"), (b"", b""), (b"\xc2\xa0", b"\xe2\x80\x80"), (b"\xc2", b"\xc3")])
def test_characters_that_are_no_run_are_refused(run: tuple[bytes, bytes]) -> None:
    with pytest.raises(ValueError, match="no run"):
        kernel().Normaliser([([run], b"")])


@pytest.mark.parametrize(
    "text",
    [
        rb"a\u0022b\u0022 \u002a\u002F",
        rb"\\u0022 \\\u0027 \uuu005C \u\u000a",
        rb"\u000d\u000A\u0041 \u002",
        b"\\u0022\n\\u0022x\t\\u",
        rb"\u00e9\u20ac \ud83d\ude00 \ud83d \ude00\ud83d \ud83d\u0041 \u0000 \uD83Dx\uffff",
        b"no escape",
    ],
)
def test_characters_are_unescaped_alike(text: bytes) -> None:
    escapes = FAMILY_OF["java"].unicode_escapes
    native = unescaped(text, escapes)
    with without_kernel():
        assert unescaped(text, escapes) == native


def test_short_pieces_are_told_apart_by_their_length() -> None:
    """A key has as many bytes as the longest ones."""
    names = b" ".join(b"abcdefghijklmnopqrst"[:length] for length in range(1, 21))
    assert difference(names + b" " + names, C) == ""


def test_a_text_with_more_bytes_than_tokens_may_be_is_left_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_tokenizer, "TOKEN_LIMIT", 4)
    assert kernel_reader(b"a b c", C) is None
    assert kernel_reader(b"a b", C) is not None


def test_a_family_with_a_pattern_that_is_not_served_is_left_to_python() -> None:
    rule = SpanRule("string", b"<", (rb"<(?>a)",), closer=b">")
    family = C._replace(name="other", spans=(rule,))
    assert "an extension" in str(_made_reader(family))
    assert kernel_reader(b"a", family) is None


# ---- code passages --------------------------------------------------------------------------------------------------

TEXTS = st.lists(st.sampled_from([b"\n", b"=", b"==", b"x", b" ", b"\r", b"\xff", b"f(a[0]) = {};", b"()"])).map(
    b"".join
)
LINES = st.lists(st.tuples(st.integers(0, 7), st.sampled_from([False, False, False, True])), max_size=60)


@given(TEXTS)
def test_marks_are_counted_by_line(text: bytes) -> None:
    plain = text
    while b"==" in plain:
        plain = plain.replace(b"==", b"=")
    counts = [sum(byte in CODE_MARKS for byte in line) for line in plain.split(b"\n")]
    with without_kernel():
        assert code_marks(text).tolist() == counts


@given(TEXTS, LINES)
def test_the_kernel_finds_the_same_passages(text: bytes, lines: list[tuple[int, bool]]) -> None:
    need_kernel()
    marks, wanted = np.array([one for one, _ in lines], np.int64), np.array([one for _, one in lines], np.bool_)
    both = code_marks(text), passages(marks, wanted)
    with without_kernel():
        assert [one.tolist() for one in both] == [code_marks(text).tolist(), passages(marks, wanted).tolist()]
    assert [one.dtype for one in both] == [np.int64, np.bool_]
