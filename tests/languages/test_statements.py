"""Imports, statements without effect, and state, with the kernel and without it."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from support.kernels import need_kernel
from support.statement_cases import statement_case, told_both_ways
from winnow_ci.languages import around_variables, front_end_of, idle_statements, in_imports, tokenize
from winnow_ci.languages.statements import IMPORTING

# ---- import statements ----------------------------------------------------------------------------------------------

IMPORTS = {
    "c": '#include <sys/types.h>\n#  include "own.h"',
    "csharp": "using System.Text;\nusing static System.Math;",
    "dart": "import 'dart:io';\nimport 'a.dart' as a;",
    "go": 'import (\n\t"fmt"\n\tmetav1 "k8s.io/meta/v1"\n\t. "own"\n)\nimport "os"',
    "groovy": "import groovy.json.JsonSlurper\nimport static a.B.c",
    "java": "import a.b.C;\nimport static a.b.D.*;",
    "javascript": 'import {\n  one as first,\n  two,\n} from "own";\nimport * as all from "all"\nimport "effect";',
    "julia": "using Statistics\nimport Base.show",
    "kotlin": "import a.b.C\nimport a.b.D as E",
    "perl": "use Data::Dumper;\nuse strict;",
    "php": "use A\\B\\C;\nuse function A\\d;",
    "python": "import a.b as c\nfrom .d import (\n    e,\n    f as g,\n)\nfrom .. import h",
    "ruby": "require 'json'\nrequire_relative \"own\"",
    "rust": "use std::{collections::HashMap, fmt::*};\nuse super::one as other;",
    "scala": "import a.b.{C, D}\nimport a.e._",
    "solidity": 'import "./Own.sol";\nimport {A, B as C} from "./Other.sol";',
    "swift": "import Foundation\nimport UIKit",
}
CODE = {
    "c": "#define include(x) use(x)\n#if 5\nint import = include(7) + one;\n#endif",
    "csharp": "using (one) {\n  two(three);\n  one.Read(two);\n}\nusing var two = Open(5);",
    "go": 'var importing = map[string]int{"a": 5}\nfunc use() {\n  x = 5\n}',
    "java": "class A { int importing = 5; }",
    "javascript": 'import("own").then(function () {\n  one.use(two)\n  one.read("three");\n})\nconst one = 5 + use',
    "perl": "use one (two(three),\n  four(five));",
    "php": "$one = function ()\nuse ($two, $three) {\n  use($two);\n  read($three);\n};",
    "python": "x = use(5)\nyield from x\nimporting = [x]",
    "ruby": "require one { two.use(three)\n  two.read }",
    "rust": "let used = 5;\nfn one() -> usize { 7 }",
}


def imported_lines(language: str, text: str) -> set[int]:
    """The lines of which all tokens stand in imports; others have none in one."""
    tokens = tokenize(language, text.encode())
    found = in_imports(tokens, front_end_of(language).name)
    marked = set(tokens.first_lines[found].tolist())
    assert not marked & set(tokens.first_lines[~found].tolist())
    return marked


def test_every_word_has_a_case() -> None:
    assert {front_end_of(language).name for language in IMPORTS} == set(IMPORTING)


@pytest.mark.parametrize("language", IMPORTS)
def test_imports_are_found_and_the_code_beside_them_is_not(language: str) -> None:
    text = IMPORTS[language]
    count = text.count("\n") + 1
    own = "one = two(three)" + (";" if text.endswith(";") else "")
    assert imported_lines(language, f"{own}\n{text}\n{own}\n") == set(range(2, count + 2))


@pytest.mark.parametrize("language", CODE)
def test_other_code_is_none(language: str) -> None:
    assert imported_lines(language, CODE[language]) == set()


def test_what_follows_an_import_on_its_line_is_code() -> None:
    tokens = tokenize("python", b"import os; x = use(y)\nimport sys\n")
    assert in_imports(tokens, "python").tolist() == [True] * 3 + [False] * 6 + [True] * 2


@pytest.mark.parametrize("text", ["from a import (b,\nx = 5\nuse(c, d)\n", "from a import (b, c\n", "import a(\n" * 9])
def test_a_bracket_that_stays_open_hides_nothing(text: str) -> None:
    assert imported_lines("python", text) == set()


def test_a_header_with_a_bracket_in_its_name_ends_with_its_line() -> None:
    assert imported_lines("c", "#include <a(b.h>\nuse(one, two);\n") <= {1}


def test_without_tokens_or_words_there_is_none() -> None:
    assert in_imports(tokenize("python", b""), "python").tolist() == []
    assert not in_imports(tokenize("java", b"import a.b.C;"), "css").any()


# ---- idle statements ------------------------------------------------------------------------------------------------

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


# ---- state ------------------------------------------------------------------------------------------------------

SET = "self.first = use(self.second)\nself.second = use(self.first)\n"
"""Eight tokens are around variables."""


def around(text: str) -> str:
    """The tokens around variables, each with its own text."""
    tokens = tokenize("python", text.encode())
    marks = around_variables(tokens, "python")
    words = re.findall(r"\w+|'\w*'|[^\w\s]", text)
    assert len(words) == len(tokens)
    return " ".join(word for word, is_marked in zip(words, marks.tolist(), strict=True) if is_marked)


def test_what_is_around_many_variables_is_marked() -> None:
    assert around(SET * 3) == " ".join(["self ."] * 12)
    assert around("") == ""


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("self.other.first", ""),
        ("other.self.first", ""),
        ("ctx.first = ctx.second = use(ctx.third)", "ctx . ctx . ctx ."),
        ("self.read(self.first)", "self ."),
        ("use(self.first.part)", "self ."),
        ("other.first = other.second", ""),
        ("self.third, self.fourth = pair\nuse(self.third)", "self . self . self ."),
        ("for self.third in rows:\n    use(self.third)", "self . self ."),
        ("use(state['first'], state['second'])", "state [ ] state [ ]"),
        ("use(state['first'])", ""),
        ("use(state['first'][0], state['second']['part'])", "state [ ] state [ ]"),
        ("use(state[first], state[second], state['first':])", ""),
    ],
)
def test_state_is_an_object_whose_attributes_are_set_or_whose_items_are_used(text: str, marked: str) -> None:
    beside = " ".join(["self ."] * 12)
    assert around(f"{SET * 3}{text}\n{SET * 3}").split() == f"{beside} {marked} {beside}".split()


def test_few_variables_of_state_are_those_of_any_class() -> None:
    between = "use(first, second, third, fourth)\n" * 3
    assert around(SET * 2) == ""
    assert around((SET + between) * 9) == ""
    assert around(SET * 2 + "use(self.first)\n") == "self ." + " self ." * 8


# ---- native statements ----------------------------------------------------------------------------------------------

STATEMENT_CASES = 600


def test_it_tells_the_statements_that_python_tells() -> None:
    need_kernel()
    reached: Counter[str] = Counter()
    for seed in range(STATEMENT_CASES):
        case = statement_case(seed)
        assert told_both_ways(case) == "", f"case {seed}"
        imports, idle, state = in_imports(*case), idle_statements(*case), around_variables(*case)
        lines = case.tokens.first_lines
        reached["nothing"] += not len(case.tokens)
        reached["an import"] += bool(imports.any())
        reached["an import of several lines"] += bool((imports[1:] & imports[:-1] & (np.diff(lines) > 0)).any())
        reached["no import"] += not imports.any()
        reached["a statement without effect"] += bool(idle.any())
        reached["none"] += not idle.any()
        reached["state"] += bool(state.any())
        reached["little state"] += bool(len(state) and not state.all() and not state.any())
    assert len(reached) == 8
    assert not {what for what, times in reached.items() if times < 3}


@pytest.mark.parametrize("tell", [in_imports, idle_statements, around_variables])
def test_arrays_that_do_not_belong_together_are_refused(tell: type[in_imports]) -> None:
    need_kernel()
    tokens, front_end = next(case for case in map(statement_case, range(99)) if case.front_end == "python")
    short = type(tokens)(tokens.structural, tokens.verbatim, tokens.first_lines, tokens.last_lines[:-1], tokens.sketch)
    with pytest.raises(ValueError, match="other lengths"):
        tell(short, front_end)
