"""Which text is read as code, and as what."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import pytest

from support.kernels import need_kernel, without_kernel
from support.marks import OPENERS
from winnow_ci.languages import QuotedCode, may_quote, quoted_code, tokenize
from winnow_ci.languages.code_in_text import (
    LEAST_MARKS,
    MOST_QUOTED_FAMILIES,
    MOST_QUOTED_TEXT,
    PASSAGE_LINES,
    SMALL_QUOTATION,
    _without_text,
)
from winnow_ci.languages.families import FAMILIES, FAMILY_OF
from winnow_ci.languages.table_tokenizer import _made_reader, family_tokens
from winnow_ci.languages.text_lines import guests

# ---- quoted code ----------------------------------------------------------------------------------------------------

EVERY = frozenset(family.name for family in FAMILIES)
CODE = """\
def merged(spans):
    found = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((begin, end))
    return [end - begin for begin, end in found]
"""
PROSE = (
    """\
The spans are merged if they touch or overlap, which is what most callers want for
what they do. Others may pass a tolerance, which is added to both ends (see the paper).
If one is not given, return to the first, or import the other class; while it is true
that none is better, try both. Only then raise it, and do not yield to others for long.
"""
    * 10
)


Ids: TypeAlias = dict[str, list[int]]


def read(language: str, text: str, families: frozenset[str] = EVERY, lines: range | None = None) -> Ids:
    """The verbatim ids of the quoted code, by family; of a family that read it twice, the last."""
    content = text.encode()
    wanted = np.zeros(text.count("\n") + 1, np.bool_)
    wanted[list(lines) if lines else slice(None)] = True
    found, unread = quoted_code(language, content, tokenize(language, content), families, wanted)
    assert unread == 0
    return {one.family: one.tokens.verbatim.tolist() for one in found}


def of_python(language: str, content: bytes) -> tuple[list[QuotedCode], int]:
    """The Python that a text quotes, and the number of lines that were too many."""
    wanted = np.ones(content.count(b"\n") + 1, np.bool_)
    return quoted_code(language, content, tokenize(language, content), {"python"}, wanted)


def commented(code: str, mark: str = "# ") -> str:
    return "".join(f"{mark}{line}\n" for line in code.splitlines())


def test_quoted_code_has_the_tokens_of_its_language() -> None:
    assert read("c", commented(CODE, "// "))["python"] == tokenize("python", CODE.encode()).verbatim.tolist()


def test_it_has_the_lines_of_the_document() -> None:
    (found,), _ = of_python("python", f"x = 1\n\n{commented(CODE)}y = 2\n".encode())
    assert found.tokens.first_lines.tolist() == (tokenize("python", CODE.encode()).first_lines + 2).tolist()


def test_code_in_quoted_code_is_read_once_more() -> None:
    found, _ = of_python("c", f'/*\na = """\n{CODE}"""\n{CODE}*/\n'.encode())
    code = tokenize("python", CODE.encode()).verbatim.tolist()
    assert [one.tokens.verbatim.tolist()[-len(code) :] for one in found] == [code, code]
    assert [one.tokens.first_lines[0] for one in found] == [2, 3]


PERL = """\
sub merged {
    my ($self, @spans) = @_;
    my @found;
    for my $span (sort { $a->[0] <=> $b->[0] } @spans) {
        push @found, [@{$span}] and next unless @found && $span->[0] <= $found[-1][1];
        $found[-1][1] = $self->max($span->[1], $found[-1][1]);
    }
    return @found;
}
"""


@pytest.mark.parametrize("count", [1, 2, 3, 4, 9])
@pytest.mark.parametrize(
    ("language", "code", "family", "opener"),
    [
        ("text", PERL, "perl", "=pod\n\n"),
        ("perl", PERL, "perl", "=head1 A\n\n"),
        ("markdown", CODE, "python", "\"\"\"\n'''\n"),
        ("text", "f(a[1], b[2]);\n" * 9, "ruby", "if a or b then return end\n=begin\n"),
    ],
)
def test_no_number_of_marks_hides_code(language: str, code: str, family: str, opener: str, count: int) -> None:
    text = ("1;\n__END__\n\n" + opener * count + code).encode()
    wanted = np.ones(text.count(b"\n") + 1, np.bool_)
    found, _ = quoted_code(language, text, tokenize(language, text), {family}, wanted)
    expected = tokenize(FAMILY_OF[family].languages[0], code.encode()).verbatim.tolist()
    assert any(one.tokens.verbatim.tolist()[-len(expected) :] == expected for one in found)


def test_a_file_is_read_in_related_languages_of_which_code_is_known() -> None:
    text = b"class A { int b = c(1); }\n"
    wanted = np.ones(2, np.bool_)
    tokens = tokenize("kotlin", text)
    found, _ = quoted_code("kotlin", text, tokens, {"csharp", "java", "kotlin", "python"}, wanted)
    assert [one.family for one in found] == ["csharp", "java"]
    assert [one.tokens.verbatim.tolist() for one in found] == [
        tokenize(one.family, text).verbatim.tolist() for one in found
    ]
    assert quoted_code("kotlin", text, tokens, {"kotlin", "python"}, wanted) == ([], 0)
    assert quoted_code("kotlin", text, tokens, {"java"}, ~wanted) == ([], 0)


def test_the_kernel_reads_code_without_text_alike() -> None:
    need_kernel()
    text = b"\n".join((*OPENERS.values(), PERL.encode(), CODE.encode()))
    for family in map(_without_text, FAMILIES):
        assert not isinstance(_made_reader(family), ValueError)
        native = family_tokens(text, family)
        with without_kernel():
            assert family_tokens(text, family).verbatim.tolist() == native.verbatim.tolist()


@pytest.mark.parametrize("language", ["markdown", "python", "c"])
def test_prose_is_not_read(language: str) -> None:
    mark = {"markdown": "", "python": "# ", "c": "// "}[language]
    assert read(language, commented(PROSE, mark)) == {}


def test_code_of_the_document_is_not_read_again() -> None:
    assert read("python", CODE * 10) == {}


def test_only_passages_with_a_line_that_matters_are_read() -> None:
    gap = commented("Words and words.\n" * 3 * PASSAGE_LINES)
    text = commented(CODE) + gap + commented(CODE.replace("found", "kept"))
    code = tokenize("python", CODE.encode()).verbatim.tolist()
    assert read("python", text, lines=range(3))["python"][: len(code)] == code
    assert len(read("python", text, lines=range(3))["python"]) < 1.5 * len(code)
    assert read("python", text, lines=range(20, 22)) == {}


def test_only_families_that_matter_are_read() -> None:
    assert "python" in read("c", commented(CODE, "// "), frozenset({"python", "java"}))
    assert set(read("c", commented(CODE, "// "), frozenset({"java"}))) <= {"java"}


def test_no_keywords_of_others_can_crowd_a_family_out_of_a_small_text() -> None:
    words = " ".join(sorted(word.decode("latin-1") for family in FAMILIES for word in family.keywords))
    assert "python" in read("c", commented(CODE + words, "// "))


def test_of_a_large_text_the_likeliest_families_are_read() -> None:
    many = CODE * (SMALL_QUOTATION // len(CODE))
    found = read("text", many)
    assert len(found) <= MOST_QUOTED_FAMILIES
    assert "python" in found


def test_what_is_too_much_is_counted() -> None:
    text = (CODE * (MOST_QUOTED_TEXT * 11 // 10 // len(CODE))).encode()
    found, unread = of_python("text", text)
    assert 0 < unread < text.count(b"\n") / 5
    assert abs(found[0].tokens.last_lines[-1] + unread - text.count(b"\n")) <= 1


def test_a_passage_needs_its_marks_near_each_other() -> None:
    sparse = ("call(it)\n" + "word\n" * (PASSAGE_LINES // 2)) * LEAST_MARKS
    assert read("text", f"if for return while else\n{sparse}") == {}


@pytest.mark.parametrize(
    ("content", "quotes"),
    [
        (CODE.encode("utf-16"), True),
        (b"a\0\n" + CODE.encode(), True),
        (b"\xff\xfe\n" + CODE.encode(), True),
        (b"\x89PNG\0" + CODE.encode(), False),
        (b"version https://git-lfs.github.com/spec/v1\n" + CODE.encode(), False),
        (PROSE.encode("utf-16"), False),
    ],
)
def test_which_files_of_no_language_may_quote_code(content: bytes, quotes: bool) -> None:
    assert may_quote(content) == quotes


@pytest.mark.parametrize(
    ("language", "mark"), [("python", "#"), ("c", "//"), ("lua", "--"), ("perl", "# "), ("sql", "--")]
)
def test_code_in_short_comments_is_read(language: str, mark: str) -> None:
    """One line of code may be cut into many, each too short to say anything alone."""
    code = (
        "const f = (\na,\nb\n) => {\nif (a[\nb]) {\nreturn [\na, b,\n];\n}\nelse {\nfor (;\n;\n) {\nb(a);\n}\n}\n};\n"
    )
    assert (
        read(language, commented(code, mark))["javascript"] == tokenize("javascript", code.encode()).verbatim.tolist()
    )


# ---- guests ---------------------------------------------------------------------------------------------------------


def lines_of_guests(language: str, text: bytes) -> list[int]:
    """Numbers of the lines that hold guests."""
    return [line.line for line in guests(FAMILY_OF[language], text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"a = [r|\nx = f();\n|]\nb = 1\n", [1, 2, 3]),
        (b"a = [r|\nx = f();\n", [1, 2, 3]),
        (b"a = [x|x <- xs]\nb = 1\n", []),
        (b"a = [x|" + b" " * 100 + b"]\nb = 1\n", []),
        (b"a = [x|" + b" " * 101 + b"]\nb = 1\n", [1, 2, 3]),
    ],
)
def test_a_quote_of_haskell_is_no_list(text: bytes, expected: list[int]) -> None:
    """A list ends on its line, and near by."""
    assert lines_of_guests("haskell", text) == expected


def test_between_dollar_signs_with_the_same_name() -> None:
    assert lines_of_guests("sql", b"select 1;\nas $a$\nbegin $b$ end\n$a$;\nselect $1, $2;\n") == [2, 3, 4]


def test_between_lines_that_may_leave_a_string_of_a_shell_open() -> None:
    assert lines_of_guests("bash", b"a='x'\nnode -e '\nf();\n'\nb=\"y\"\n") == [2, 3, 4]
    assert lines_of_guests("bash", b"# it's\necho \"it's\" 'a \" b'\n") == []
    assert lines_of_guests("bash", b"a=1\nb='\nf()") == [2, 3]


def test_behind_the_end() -> None:
    assert lines_of_guests("ruby", b"a = 1\n__END__\nf();\n") == [2, 3, 4]
