"""What of a document is text, without what makes it text."""

from __future__ import annotations

import numpy as np
import pytest

from support.quotations import QUOTATIONS, Quotation, notebook
from winnow_ci.languages import language_of, normalise
from winnow_ci.languages.text_lines import text_lines

# With quotation marks and brackets that some marks around it double or escape.
CODE = """\
for place in (1, 2, 3):
    if place > other["first"] && place:
        total[place] += weight(place); again(other)
    return "total\\n" + place
"""


def lines(path: str, text: str) -> list[tuple[int, str]]:
    content = text.encode()
    language = language_of(path, content)
    assert language
    everywhere = np.ones(text.count("\n") + 1, np.bool_)
    return [(line, part.decode()) for line, part in text_lines(language, normalise(content), everywhere)]


@pytest.mark.parametrize(
    "quotation", [one for one in QUOTATIONS if language_of(one.path, b"")], ids=lambda quotation: quotation.path
)
def test_quoted_lines_come_without_their_marks_and_with_their_numbers(quotation: Quotation) -> None:
    first = quotation.first
    found = [(line, " ".join(part.split())) for line, part in lines(quotation.path, quotation.file(CODE))]
    for number, line in enumerate(CODE.splitlines(), first):
        assert (number, " ".join(line.split())) in found


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", 'a = "if x(1):\\n    y = \\"z\\"\\n"\n', [(1, "if x(1):"), (1, '    y = "z"'), (1, "")]),
        ("a.js", "let a = 'b();\\tc(); d = [1];';\n", [(1, "b();\tc(); d = [1];")]),
        ("a.c", "/* one one one */ int x; // two two two\n", [(1, " one one one "), (1, " two two two")]),
        ("a.py", "a = [1, 2, 3]\nb = 'short'\n", []),
        # With its mark, what stands in it would be documentation to whoever reads it as Perl.
        ("a.pl", "=pod\n\nf(1);\n\n=cut\n", [(1, ""), (2, ""), (3, "f(1);"), (4, ""), (5, "=cut")]),
        # Line ends that count as none: no line of text stands behind the last one.
        ("a.r", "a <- '{one one}\r(two two)\n{three}\r'", [(1, "{one one}\r(two two)"), (2, "{three}\r")]),
        ("a.c", "/* one one one\u2028two two two */", [(1, " one one one\rtwo two two ")]),
        ("a.html", '<p onclick="go(1); stop()">Go</p>', [(1, " go(1); stop()Go ")]),
        (
            "a.md",
            "> quoted `code` here\n```js\nx\n```\n",
            [(1, " quoted `code` here"), (2, ""), (3, "x"), (4, ""), (5, "")],
        ),
        (
            "a.ipynb",
            notebook(("a = '''\nlong text in here\n'''\n", "code")),
            [(5, ""), (6, "long text in here"), (7, "")],
        ),
    ],
)
def test_text_of(path: str, text: str, expected: list[tuple[int, str]]) -> None:
    assert lines(path, text) == expected


def test_lines_that_do_not_matter_are_left_out() -> None:
    text = b"# one one one one\nx = 1\n# two two two two\n"
    assert [line.line for line in text_lines("python", text, np.array([False, False, True, False]))] == [3]


MIXED = {
    "a.php": "<p>1</p>\n<?php\n// a comment in code\n?>\n<p>2</p>\n<?php\n/* another comment */\n?>\n<p>3</p>\n",
    "a.html": "<p>1</p>\n<script>\n// a comment in code\n</script>\n<p>2</p>\n<style>/* another one */</style>\nend\n",
    "a.ipynb": notebook(("One.\n", "markdown"), ("# a comment in code\n", "code"), ("Two.\n", "markdown")),
    "a.tcl": '# a comment in code\nset a "a string in code"\n# another comment\n',
}


@pytest.mark.parametrize("path", MIXED)
def test_lines_come_in_the_order_of_the_document(path: str) -> None:
    numbers = [line for line, part in lines(path, MIXED[path]) if part.strip()]
    assert len(set(numbers)) >= 3
    assert numbers == sorted(numbers)


class CountedText(bytes):
    """A text that counts the bytes in which something is counted."""

    read = 0

    def count(self, part: bytes, start: int = 0, end: int | None = None) -> int:  # type: ignore[override]
        end = len(self) if end is None else end
        CountedText.read += end - start
        return super().count(part, start, end)


@pytest.mark.parametrize(
    ("language", "row"),
    [
        ("php", b"<b>a</b>\n<?php $x[1] = f($a); ?>\n"),
        ("php", b"<a b='c'><?= $x['y'] ?></a>\n"),
        ("perl", b"my $x = q!f(a[1]);!;\n"),
        ("sql", b"SELECT $a$ f(b[1]); $a$;\n"),
        ("html", b"<script>f(a[1]); /* g(b[1]); h(c[1]); */</script>\n<b>a</b>\n"),
    ],
)
def test_lines_are_not_counted_from_the_start_for_each_part(language: str, row: bytes) -> None:
    text = CountedText(row * 400)
    CountedText.read = 0
    assert len(list(text_lines(language, text, np.ones(text.count(b"\n") + 1, np.bool_)))) >= 400
    assert CountedText.read <= 5 * len(text)
