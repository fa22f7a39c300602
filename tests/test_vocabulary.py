"""One word for one thing: no two public classes of a name, no name that says nothing, no module too long to read."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import winnow_ci

PACKAGE = Path(winnow_ci.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
EMPTY_NAMES = {"base", "common", "core", "helper", "helpers", "lib", "manager", "misc", "shared", "util", "utils"}


def public_classes() -> list[str]:
    return [
        node.name
        for module in MODULES
        if module.name != "windows.py"  # what it has, posix.py has too
        for node in ast.parse(module.read_bytes()).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]


def test_a_public_class_name_stands_once_in_the_package() -> None:
    names = public_classes()
    assert len(names) > 100
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_module_names_say_something() -> None:
    assert {module.stem for module in MODULES} & EMPTY_NAMES == set()


def test_a_module_can_be_read_at_a_sitting() -> None:
    lengths = {module.relative_to(PACKAGE): module.read_bytes().count(b"\n") for module in MODULES}
    assert {str(name): lines for name, lines in lengths.items() if lines > 430} == {}
