"""What may be code of another language where a front end takes it for its own."""

from __future__ import annotations

import pytest

from winnow_ci.languages.guests import guest_lines, guests


def lines(language: str, text: bytes) -> list[int]:
    """Numbers of the lines that hold guests, which both functions must agree in."""
    found = [line.line for line in guests(language, text)]
    assert [number + 1 for number, is_guest in enumerate(guest_lines(language, text)) if is_guest] == found
    return found


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
    assert lines("haskell", text) == expected


def test_between_dollar_signs_with_the_same_name() -> None:
    assert lines("sql", b"select 1;\nas $a$\nbegin $b$ end\n$a$;\nselect $1, $2;\n") == [2, 3, 4]


def test_between_lines_that_may_leave_a_string_of_a_shell_open() -> None:
    assert lines("bash", b"a='x'\nnode -e '\nf();\n'\nb=\"y\"\n") == [2, 3, 4]
    assert lines("bash", b"# it's\necho \"it's\" 'a \" b'\n") == []
    assert lines("bash", b"a=1\nb='\nf()") == [2, 3]


def test_behind_the_end() -> None:
    assert lines("ruby", b"a = 1\n__END__\nf();\n") == [2, 3, 4]
