"""Comments are told from strings by what reads the language, and written as each language writes them."""

from __future__ import annotations

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.languages import comment_marks, comments, normalise, resolve_language, tokenize
from winnow_ci.languages.language_detection import METADATA
from winnow_ci.languages.text_lines import COMMENT_MARKS

# ---- comments -------------------------------------------------------------------------------------------------------

PYTHON = "# one\n# two\nx = 1  # three\n# four\ns = \"# no\"\n\n'''\n# no\n'''\n\n# five\n"
C = '/* one\n * two\n */\n// three\nint x; /* four */ int y;\nchar *s = "// no";\n'


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("python", PYTHON, [(1, 1, 2), (2, 1, 2), (3, 3, 3), (4, 4, 4), (11, 11, 11)]),
        ("c", C, [(1, 1, 4), (4, 1, 4), (5, 5, 5)]),
        ("javascript", "let a = `// no`; // one\n/** two */\n", [(1, 1, 1), (2, 2, 2)]),
        ("go", "var a = `\n// no\n`\n// one\n", [(4, 4, 4)]),
        ("ruby", "# one\nx = '# no'\n=begin\ntwo\n=end\n", [(1, 1, 1), (3, 3, 5)]),
        ("rust", '/* one /* two\n*/ three */\nlet a = r#"// no"#; // four\n', [(1, 1, 2), (3, 3, 3)]),
        ("php", "<p>// no</p>\n<?php\n$a = '# no'; # one ?> // no\n", [(3, 3, 3)]),
        ("lua", "--[[ one\ntwo ]] x = [[ -- no\n]] -- three\n", [(1, 1, 2), (3, 3, 3)]),
        ("perl", "$#a; # one\n\n=pod\n\n# two\n\n=cut\n\nq(# no);\n", [(1, 1, 1), (3, 3, 7)]),
        ("sql", "select '-- no';\n  -- one\n", [(2, 2, 2)]),
        ("html", "<p>\n<!-- one\ntwo -->\n</p>\n", [(2, 2, 3)]),
        ("markdown", "text\n\n<!-- one -->\n# no\n", [(3, 3, 3)]),
        ("restructuredtext", "text\n\n.. one\n", [(3, 3, 3)]),
    ],
)
def test_comments_of_a_language(language: str, text: str, found: list[tuple[int, int, int]]) -> None:
    assert [(c.line, c.first, c.last) for c in comments(language, text.encode())] == found
    assert not any("no" in comment.text for comment in comments(language, text.encode()))


def test_lines_are_those_of_the_file_in_any_encoding() -> None:
    text = "x = 'é'\r\n# ñ: one\r\n"
    for encoding in ("utf-8", "utf-16"):
        (comment,) = comments("python", normalise(text.encode(encoding)))
        assert (comment.text, comment.line) == ("# ñ: one", 2)


@given(
    st.sampled_from(["python", "c", "javascript", "ruby", "rust", "php", "zig", "text"]),
    st.lists(
        st.sampled_from(["# a", "// b", "/* c", "*/", "<!-- d -->", "x", "'", '"', "`", "\\", " ", "\n", "\n"]),
        max_size=12,
    ).map("".join),
)
def test_comments_of_any_text_are_in_order_and_in_the_text(language: str, text: str) -> None:
    found = comments(language, normalise(text.encode()))
    event(f"comments: {len(found) > 0}, read as one: {any(c.first < c.last for c in found)}")
    assert [(c.first, c.last) for c in found] == sorted((c.first, c.last) for c in found)
    for comment in found:
        assert comment.text in text
        assert 1 <= comment.first <= comment.line <= comment.last <= text.count("\n") + 1


# ---- comment marks --------------------------------------------------------------------------------------------------


def test_comments_are_those_of_languages_that_there_are() -> None:
    assert {name: resolve_language(name) for name in COMMENT_MARKS} == {name: name for name in COMMENT_MARKS}


# Read as words, or their comments are a part of the document.
@pytest.mark.parametrize("language", sorted(COMMENT_MARKS.keys() - METADATA - {"markdown", "typst", "xslt"}))
def test_what_stands_in_a_comment_is_no_token(language: str) -> None:
    opening, closing = comment_marks(language)
    line = f"{opening}winnow-ci: allow curl it is vendored{closing}\n".encode()
    assert len(tokenize(language, line)) == 0


def test_some_languages_have_no_comments() -> None:
    assert comment_marks("text") == comment_marks(None) == ("", "")
