"""Copies in text: in comments, strings, here-documents, prose and settings, where no front end takes them for code.

And launderings: a first change brings the copy as text, and a second one makes it code by removing the marks around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.command import build, winnow
from support.donor import INNOCENT, MERGE_CLOSURES, SHORTEST_ROUTE, write_known
from support.quotations import QUOTATIONS, Quotation, notebook
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

# Its docstring would end some of the texts.
CODE = "".join(line for line in SHORTEST_ROUTE.text.splitlines(keepends=True) if '"""' not in line)
LINES = len(CODE.splitlines())
NOTEBOOKS = {
    "code.ipynb": notebook((CODE, "code")),
    "prose.ipynb": notebook((CODE, "markdown")),
    "magic.ipynb": notebook((f"%%writefile route.py\n{CODE}", "code")),
}

# What uncovers the copy, by path: the second change of each leaves the lines of the copy as they are.
UNCOVERED = {
    "docstring.py": ('def f():\n    """Words.\n\n', '    """\n', "def f():\n    if 1:\n", "", "    "),
    "raw.py": ("TEXT = r'''\n", "'''\n", "", "", ""),
    "both.py": ('"""\n', '"""\n', '""" """\n', '""" """\n', ""),
    "shifted.py": ('a = 1\n"""\n', '"""\n', 'a = 1\n"""\n"""\n', "", ""),
    "hash.py": ('"""\n', '"""\n', '# """\n', '# """\n', ""),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("known")
    build(write_known(folder / "source"), folder / "known.db")
    return folder / "known.db"


def scanned(checkout: Checkout, index: Path, *arguments: str) -> dict[str, list[dict[str, Any]]]:
    """The findings of a scan of what is staged, by path."""
    checkout.git("add", "--all")
    ended = winnow("scan", "--staged", "--index", index, "--format", "json", *arguments, cwd=checkout.root)
    found: dict[str, list[dict[str, Any]]] = {}
    for finding in ended.findings():
        found.setdefault(finding["path"], []).append(finding)
    return found


def covered(findings: list[dict[str, Any]]) -> int:
    return sum(finding["end_line"] - finding["start_line"] + 1 for finding in findings)


@pytest.fixture(scope="module")
def quoted(index: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """The findings of a change that brings the copy in each quotation."""
    checkout = Checkout.create(tmp_path_factory.mktemp("quoted") / "checkout")
    checkout.commit({"README": "Nothing.\n"})
    for quotation in QUOTATIONS:
        checkout.write(quotation.path, quotation.file(CODE))
    for path, content in NOTEBOOKS.items():
        checkout.write(path, content)
    return scanned(checkout, index)


@pytest.mark.parametrize("quotation", QUOTATIONS, ids=lambda quotation: quotation.path)
def test_a_copy_in_text_is_found(quotation: Quotation, quoted: dict[str, list[dict[str, Any]]]) -> None:
    found = quoted.get(quotation.path, [])
    assert covered(found) >= 0.8 * LINES
    assert all(finding["in_text"] for finding in found)
    first = quotation.first
    # Lines beside the copy may go on like the source.
    copy = range(first - 3, first + LINES + 3)
    assert all(finding["start_line"] in copy and finding["end_line"] in copy for finding in found)


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_a_copy_in_a_notebook_is_found(path: str, quoted: dict[str, list[dict[str, Any]]]) -> None:
    assert covered(quoted.get(path, [])) >= 0.8 * LINES
    assert {finding["in_text"] for finding in quoted[path]} == {path != "code.ipynb"}


def test_text_that_quotes_nothing_known_is_no_finding(index: Path, tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"README": "Nothing.\n"})
    for quotation in QUOTATIONS:
        checkout.write(quotation.path, quotation.file(INNOCENT))
    assert scanned(checkout, index) == {}


def test_text_beside_code_that_has_text_is_found(index: Path, tmp_path: Path) -> None:
    """The page of a PHP file, and the prose of a notebook, stand before the comments of the code, and after them."""
    code = "".join(f"// {line}\n" for line in INNOCENT.splitlines())
    page = f"<pre>\n{CODE}</pre>\n"
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"README": "Nothing.\n"})
    checkout.write("before.php", f"{page}<?php\n{code}\n$a = 1;\n")
    checkout.write("after.php", f"<?php\n{code}\n$a = 1;\n?>\n{page}")
    checkout.write("within.php", f"<?php\n{code}\n$a = 1;\n?>\n{page}<?php\n{code}\n$a = 1;\n")
    commented = "".join(f"# {line}\n" for line in INNOCENT.splitlines())
    checkout.write("before.ipynb", notebook((CODE, "markdown"), (commented, "code")))
    checkout.write("after.ipynb", notebook((commented, "code"), (CODE, "markdown")))
    found = scanned(checkout, index)
    assert sorted(found) == ["after.ipynb", "after.php", "before.ipynb", "before.php", "within.php"]
    assert all(covered(findings) >= 0.8 * LINES for findings in found.values())


@pytest.mark.parametrize("path", UNCOVERED)
def test_a_copy_that_is_no_longer_text_is_new(path: str, index: Path, tmp_path: Path) -> None:
    before, after, now_before, now_after, indentation = UNCOVERED[path]
    code = "".join(f"{indentation}{line}\n" for line in CODE.splitlines())
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({path: before + code + after})
    checkout.write(path, now_before + code + now_after)
    found = scanned(checkout, index).get(path, [])
    assert covered([finding for finding in found if not finding["in_text"]]) >= 0.8 * LINES


@pytest.mark.parametrize("line", ["", "x = 1"])
def test_a_copy_behind_a_line_that_no_longer_continues_into_it_is_new(line: str, index: Path, tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    rest = "".join(f"{line} \\\n" for line in CODE.splitlines()) + "'\n"
    checkout.commit({"plan.py": f"TEXT = '\\\n{rest}"})
    checkout.write("plan.py", f"TEXT = '\\\n{line}\n{rest}")
    found = scanned(checkout, index).get("plan.py", [])
    assert covered([finding for finding in found if not finding["in_text"]]) >= 0.8 * LINES


@pytest.mark.parametrize("was", ["plan.txt", "plan.rb", "plan.inc", "plan.md", "plan", "plan.c"])
def test_a_copy_in_a_file_that_is_renamed_to_code_is_new(was: str, index: Path, tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({was: CODE})
    checkout.git("mv", was, "plan.py")
    assert covered(scanned(checkout, index).get("plan.py", [])) >= 0.8 * LINES


def test_a_copy_in_a_file_that_gets_an_interpreter_is_new(index: Path, tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"plan": CODE})
    checkout.write("plan", "#!/usr/bin/env python3\n" + CODE)
    assert covered(scanned(checkout, index).get("plan", [])) >= 0.8 * LINES


def test_code_that_was_there_is_not_new_where_a_comment_beside_it_goes(index: Path, tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"plan.py": f'"""\nx = 1\n"""\n{CODE}'})
    checkout.write("plan.py", f"x = 1\n{CODE}")
    assert scanned(checkout, index) == {}


def test_text_that_was_there_is_not_new_where_it_moves(index: Path, tmp_path: Path) -> None:
    text = next(one for one in QUOTATIONS if one.path == "text.md").file(CODE)
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"one.md": f"{text}\nAnd more.\n", "other.md": "Words.\n"})
    checkout.write("other.md", f"Words.\n\n{text}")
    checkout.write("one.md", "# Moved\n")
    assert scanned(checkout, index) == {}


def test_code_that_was_there_as_text_only_is_new_where_it_moves(index: Path, tmp_path: Path) -> None:
    text = next(one for one in QUOTATIONS if one.path == "docstring.py").file(CODE)
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"one.py": text})
    checkout.write("other.py", CODE)
    assert covered(scanned(checkout, index).get("other.py", [])) >= 0.8 * LINES


@pytest.mark.parametrize("quoted_from", ["the same source", "another source"])
def test_quoted_code_in_a_copy_is_told_once_if_it_came_with_the_copy(quoted_from: str, tmp_path: Path) -> None:
    lines = "".join(f"    >>> {line}\n" for line in CODE.splitlines())
    copy = f'{MERGE_CLOSURES.text}\n\ndef plan():\n    """As in:\n\n{lines}    """\n{INNOCENT}'
    index, source, other = tmp_path / "known.db", tmp_path / "source", tmp_path / "other"
    source.mkdir()
    other.mkdir()
    (source / "plan.py").write_text(copy)
    ((source if quoted_from == "the same source" else other) / "route.py").write_text(CODE)
    (other / "rest.py").write_text("REST = 1\n" * 20)
    build(source, index, name="source")
    build(other, index, name="other")
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"README": "Nothing.\n"})
    checkout.write("plan.py", f"{copy}\n\nCOPIED = True\n")
    found = [(one["in_text"], one["source"]["name"]) for one in scanned(checkout, index)["plan.py"]]
    expected = [(False, "source")] if quoted_from == "the same source" else [(False, "source"), (True, "other")]
    assert found == expected
