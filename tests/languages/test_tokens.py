"""Ids, sketches, limits, and what holds for the tokens of any bytes in any language."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from winnow_ci.languages import Untokenizable, table_tokenizer, tokenize, tokens, words
from winnow_ci.languages.families import FAMILIES
from winnow_ci.languages.tokens import TOKEN_LIMIT, bounded_pieces
from winnow_ci.languages.words import fallback_tokens
from winnow_ci.matching.extension import CLASSES
from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH, Tokens

# ---- tokens ---------------------------------------------------------------------------------------------------------

SCANNED = (*(family.languages[0] for family in FAMILIES), "html", "generic")
PROSE = ("text", "markdown")
LEXED = ("clojure", "cmake", "d", "fish", "fsharp", "make", "nesc", "nim", "prolog", "tcl", "vim", "xml", "yaml")

FRAGMENTS = (
    *b'" \' ` \'\'\' """ /* */ // # \\ R"x( )x" R"( )" = / [ ] ( ) { } int a f 0x1 1. 1e+'.split(),
    *b"<!-- --> <?php %q( << EOF \xef\xbb\xbf \xc2\xa0 \xe9 \xe2\x80\xa8 \xff\xfe".split(),
    *(b"\n", b"\r\n", b"\r", b" ", b"\t", b"\f", b"\0"),
)
contents = st.one_of(
    st.binary(max_size=200),
    st.lists(st.sampled_from(FRAGMENTS), max_size=40).map(b"".join),
    st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass")),
)


def check(language: str, content: bytes) -> None:
    try:
        tokens = tokenize(language, content)
    except Untokenizable:
        return
    columns = (tokens.structural, tokens.verbatim, tokens.first_lines, tokens.last_lines, tokens.sketch)
    assert [column.dtype for column in columns] == [np.uint64, np.uint64, np.int32, np.int32, np.uint8]
    assert {len(column) for column in columns} == {len(tokens)}
    assert (np.diff(tokens.first_lines) >= 0).all()
    assert (tokens.first_lines <= tokens.last_lines).all()
    assert tokens.first_lines.min(initial=1) >= 1
    text = content if b"\n" in content else content.replace(b"\r", b"\n")
    assert tokens.last_lines.max(initial=1) <= text.count(b"\n") + 1 or content.startswith((b"\xff\xfe", b"\xfe\xff"))


@pytest.mark.parametrize("language", SCANNED + PROSE)
@given(content=contents)
@example(content=b"/*")
@example(content=b"\\")
@example(content=b'"\\')
@example(content=b"#!")
@example(content=b"#!\n")
@settings(max_examples=60)
def test_any_bytes_scanned(language: str, content: bytes) -> None:
    check(language, content)


@pytest.mark.parametrize("language", LEXED)
@given(content=contents)
@settings(max_examples=40)
def test_any_bytes_lexed(language: str, content: bytes) -> None:
    check(language, content)


@pytest.mark.parametrize("language", ["c", "python", "javascript", "java", "go", "rust", "sql", "nesc", "text"])
def test_the_sketch_agrees_with_the_ids(language: str) -> None:
    words = b" ".join(b'x%d %d "y%d" ( + if return ==' % (n, n, n) for n in range(400))
    tokens = tokenize(language, words)
    kinds = {
        IDENTIFIER_SKETCH: tokenize(language, b"ab").structural,
        NUMBER_SKETCH: tokenize(language, b"17").structural,
        STRING_SKETCH: tokenize(language, b'"c"').structural,
    }
    expected = tokens.structural % 128
    for values, structural in kinds.items() if language != "text" else ():
        where = tokens.structural == structural[0]
        assert where.sum() == 400
        expected[where] = values.start + tokens.verbatim[where] % len(values)
    assert tokens.sketch.tolist() == expected.tolist()


def test_sketch_classes_are_structural_classes() -> None:
    classes = CLASSES
    assert classes.dtype == np.uint8
    assert classes.tolist() == [*range(128), *[128] * 80, *[208] * 22, *[230] * 26]


def test_equal_structural_ids_have_equal_sketch_classes() -> None:
    tokens: Tokens = tokenize("c", b"int f(int a, char *b) { return a + 1 + b[2] + \"s\" + 't'; }")
    pairs = set(zip(tokens.structural.tolist(), CLASSES[tokens.sketch].tolist(), strict=True))
    assert len(pairs) == len(set(tokens.structural.tolist()))


def test_importing_does_not_import_pygments() -> None:
    code = (
        "import sys; from winnow_ci.languages import language_of, tokenize;"
        "tokenize(language_of('a.py', b''), b'x = 1');"
        "sys.exit('pygments' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ---- token limit ----------------------------------------------------------------------------------------------------


def refuses(language: str, text: bytes) -> bool:
    try:
        tokenize(language, text)
    except Untokenizable as reason:
        return (reason.reason, reason.state) == (f"more than {tokens.TOKEN_LIMIT:,} tokens", "not-scanned")
    return False


def limit(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    for module in (tokens, table_tokenizer, words):
        monkeypatch.setattr(module, "TOKEN_LIMIT", most)


@pytest.fixture
def six(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most six tokens."""
    assert TOKEN_LIMIT == 20_000_000
    limit(monkeypatch, 6)


@pytest.mark.usefixtures("six")
@pytest.mark.parametrize("language", ["c", "python", "javascript", "sql", "generic"])
def test_one_token_more(language: str) -> None:
    assert not refuses(language, b"a b = c + d\n\n\n\n")
    assert refuses(language, b"a b = c + d + e\n")


@pytest.mark.usefixtures("six")
def test_comments_and_white_space_do_not_count() -> None:
    assert not refuses("c", b"/**/ // x\na = b ;  \n\nc;")
    assert refuses("c", b"/**/ // x\na = b ;  \n\nc; d;")


@pytest.mark.usefixtures("six")
def test_where_spans_hold_others_of_their_kind() -> None:
    assert refuses("rust", b"/* a /* b */ c */ a b c d e f g")
    assert not refuses("rust", b"/* a /* b */ c */ a b c d e f")


@pytest.mark.usefixtures("six")
def test_after_a_span_that_nothing_closes() -> None:
    assert refuses("c", b"a /* b c d e f g h i")


def test_what_is_read_is_the_same_with_and_without_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"f(a) /* b */ + 'c' + 1.5;\n" * 20
    before = fallback_tokens(text).verbatim.tolist(), tokenize("c", text).verbatim.tolist()
    limit(monkeypatch, len(text) - 1)
    after = fallback_tokens(text).verbatim.tolist(), tokenize("c", text).verbatim.tolist()
    assert after == before


def test_equal_pieces_are_one_object(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, 3)
    pieces = bounded_pieces((bytes(bytearray(b"name")) for _ in range(9)), b"text")
    assert pieces == [b"name"] * 9
    assert len({id(piece) for piece in pieces}) == 1
