"""Statements without effect are told from those with one, and from the rows of them that ordinary code has."""

from __future__ import annotations

import pytest

from winnow_ci.languages import front_end_of, idle_statements, tokenize

WORK = {
    "python": ["total = 0", "for item in items:", "    total += item.price", "report(total, items)"],
    "c": [
        "int total = 0;",
        "for (int i = 0; i < count; i++) {",
        "total += prices[i];",
        "}",
        "report(total, i, count);",
    ],
    "java": ["int total = 0;", "for (Item item : items)", "{", "total += item.price;", "}", "report(total, items);"],
    "javascript": ["let total = 0", "for (const item of items) {", "total += item.price", "}", "report(total, items)"],
    "rust": ["let mut total = 0;", "for item in items {", "total += item.price;", "}", "report(total, items);"],
}
IDLE = {
    "python": ["spare = 7", "other = len('spare')", "assert 5 != 3", "if 50 > 95: third = 50", "fourth = [1, 2]"],
    "c": ["int spare = 7;", 'const char *other = "x";', "(void) 5;", "if (0) { (void) 3; }", "unsigned third = 1 + 2;"],
    "java": ["int spare = 7;", "boolean other = false;", 'String third = "x";', "assert 5 != 3;", "long last = 1 + 2;"],
    "javascript": ["let spare = 7;", "const other = null", "void 5;", "if (5 > 3) { void 5; }", 'var third = "x"'],
    "rust": [
        "let spare = 7;",
        "let other: bool = false;",
        "let mut third = [1, 2];",
        "const LAST: u8 = 1 + 2;",
        "0 + 5;",
    ],
}


def idle_lines(language: str, lines: list[str]) -> list[str]:
    """The lines of which all tokens stand in statements without effect; others have none in one."""
    tokens = tokenize(language, "\n".join(lines).encode())
    idle = idle_statements(tokens, front_end_of(language).name)
    marked = set(tokens.first_lines[idle].tolist())
    assert not marked & set(tokens.first_lines[~idle].tolist())
    return [lines[number - 1] for number in sorted(marked)]


@pytest.mark.parametrize("language", IDLE)
def test_statements_without_effect_between_others_are_found(language: str) -> None:
    for number, one in enumerate(IDLE[language]):
        other = IDLE[language][number - 1]
        work = WORK[language]
        pair = [one, other]
        assert idle_lines(language, [*work[:1], pair[0], *work[1:-1], pair[1], *work[-1:]]) == pair


@pytest.mark.parametrize("language", WORK)
def test_statements_with_an_effect_are_none(language: str) -> None:
    assert idle_lines(language, WORK[language] * 2) == []


@pytest.mark.parametrize(
    "line",
    [
        *("return 5 + 3", "self.spare = 7", "call(spare=7)", "spare == 7", "spare += 7", "while 5 > 3:"),
        *("assert used != 7", "use(used)", "raise Spare(7)", "x"),
    ],
)
def test_what_may_have_an_effect_is_none(line: str) -> None:
    lines = ["used = 1", "first = 9", line, "use(used)", "second = 9", "use(used)"]
    assert idle_lines("python", lines) == ["first = 9", "second = 9"]


def test_part_of_a_longer_statement_is_none() -> None:
    lines = [
        "use(",
        "spare = 7,",
        ")",
        "use()",
        "table = [",
        "5, 6,",
        "]",
        "use(table)",
        "use(\\",
        "5, 6)",
        "int = 3 +\\",
        "4",
    ]
    assert idle_lines("python", lines) == []
    assert idle_lines("c", ["use(a);", "int x[] = {", "5, 6,", "7", "};", "use(x);", "int y =", "5;", "use(a);"]) == []


def test_rows_of_them_are_constants_and_count_as_code() -> None:
    constants = ["RED = 1", "GREEN = 2", "BLUE = 3"]
    assert idle_lines("python", ["use(1)", *constants, "use(2)"]) == []
    assert idle_lines("python", ["use(1)", *constants[:2], "use(2)"]) == constants[:2]


def test_one_far_from_others_counts_as_code() -> None:
    between = ["use(first, second, third, fourth)"] * 12
    assert idle_lines("python", ["use(1)", "RED = 1", *between[:-1], "GREEN = 2", "use(1)"]) == ["RED = 1", "GREEN = 2"]
    assert idle_lines("python", ["use(1)", "RED = 1", *between * 2, "GREEN = 2", "use(1)"]) == []


def test_a_bracket_that_closes_nothing_is_in_no_way() -> None:
    assert idle_lines("c", ["a);", "int x = 5;", "use(a);", "int y = 6;", "use(a);"]) == ["int x = 5;", "int y = 6;"]


def test_of_other_languages_and_of_nothing_no_statement_is_known() -> None:
    tokens = tokenize("go", b"x := 5\nuse(a)\ny = 6\nuse(a)\n")
    assert not idle_statements(tokens, "go").any()
    assert idle_statements(tokenize("python", b""), "python").tolist() == []
