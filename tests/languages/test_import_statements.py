"""Statements that import something are found in each language, and no other code is taken for one."""

from __future__ import annotations

import pytest

from winnow_ci.languages import front_end_of, in_imports, tokenize
from winnow_ci.languages.statements import IMPORTING

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
