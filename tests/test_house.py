"""The house stays small: few files in a folder, short functions, one meaning for each public name."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCES = Path(__file__).parents[1] / "src" / "winnow_ci"
MODULES = {path.relative_to(SOURCES).as_posix(): path.read_text() for path in sorted(SOURCES.rglob("*.py"))}
# What commands, kinds of source, formats of reports and front ends have in common: each module of them has one.
INTERFACES = {"add_to", "run", "resolve", "fetch", "render", "scan", "tokenize", "REVISION"}


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    for module, text in MODULES.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                yield f"{module}: {node.name}", node


def public_names(text: str) -> Iterator[str]:
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [node.name]
        else:
            targets = getattr(node, "targets", [getattr(node, "target", None)])
            names = [target.id for target in targets if isinstance(target, ast.Name)]
        yield from (name for name in names if not name.startswith("_"))


def test_all_of_it_fits_into_44_000_lines_and_235_modules() -> None:
    """The goal is 40,000 lines: lower these numbers whenever you can."""
    assert sum(len(text.splitlines()) for text in MODULES.values()) <= 44_000
    assert len(MODULES) <= 235


def test_a_folder_has_at_most_22_files() -> None:
    folders = Counter(module.rpartition("/")[0] for module in MODULES)
    assert {folder: count for folder, count in folders.items() if count > 22} == {}


def test_a_public_name_means_one_thing() -> None:
    homes = defaultdict(set)
    for module, text in MODULES.items():
        # What it has, ``system/posix.py`` has too.
        for name in public_names(text) if not module.startswith("system/windows") else ():
            homes[name].add(module)
    assert {name: sorted(own) for name, own in homes.items() if len(own) > 1 and name not in INTERFACES} == {}


def test_a_function_has_at_most_60_lines_and_7_parameters() -> None:
    def parameters(node: ast.FunctionDef) -> int:
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        return sum(one.arg not in {"self", "cls"} for one in given)

    long = [name for name, node in functions() if (node.end_lineno or 0) - node.lineno >= 60]
    assert long == []
    assert [name for name, node in functions() if parameters(node) > 7] == []
