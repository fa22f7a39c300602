"""What keeps ``winnow-ci scan`` from scanning: the status, what is wrong and where, and what to do about it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.command import winnow
from support.indexes import make_of_other_tables
from support.repository import Checkout
from winnow_ci.index import HeldFile, IndexDraft, NewContent, WholeIndex, batched, replacing
from winnow_ci.model import Fingerprints

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_folder_outside_any_repository(tmp_path: Path, known: Path) -> None:
    problem, remedy = winnow("scan", "--index", known, cwd=tmp_path).complaint(3)
    assert problem == f"{tmp_path} is not in a git repository"
    assert "winnow-ci check FILE needs none" in remedy


def test_a_path_without_git(checkout: Checkout, known: Path, tmp_path: Path) -> None:
    problem, remedy = winnow("scan", "--index", known, cwd=checkout.root, PATH=str(tmp_path)).complaint(3)
    assert problem == "git was not found on the PATH"
    assert "install git" in remedy


def test_no_branch_to_compare_with(known: Path, tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "checkout", "--initial-branch", "trunk")
    checkout.commit({"a.py": "a = 1\n"})
    problem, remedy = winnow("scan", "--index", known, cwd=checkout.root).complaint(2)
    assert "cannot tell which branch" in problem
    assert "--since REV" in remedy


@pytest.mark.parametrize(("branch", "problem"), [("main", "no common ancestor"), ("feature~3", "unknown revision")])
def test_a_clone_that_is_too_shallow(
    checkout: Checkout, known: Path, tmp_path: Path, branch: str, problem: str
) -> None:
    checkout.git("switch", "--quiet", "--create", "feature")
    for text in ("a = 1\n", "a = 2\n"):
        checkout.commit({"src/a.py": text})
    options = ("--quiet", "--depth", "1", "--no-single-branch", "--branch", "feature")
    checkout.git("clone", *options, f"file://{checkout.root}", str(tmp_path / "clone"))
    since = f"origin/{branch}"
    said, remedy = winnow("scan", "--since", since, "--index", known, cwd=tmp_path / "clone").complaint(3)
    assert problem in said
    assert since in said
    assert "git fetch --unshallow" in remedy
    assert "fetch-depth: 0" in remedy


# ---- indexes ---------------------------------------------------------------------------------------------------


def _truncate(index: Path) -> None:
    os.truncate(index, index.stat().st_size * 2 // 3)


def _empty(index: Path) -> None:
    os.truncate(index, 0)


def _change_in_every_block(index: Path) -> None:
    data = index.read_bytes()
    with closing(sqlite3.connect(index)) as connection:
        blocks = [postings for (postings,) in connection.execute("SELECT postings FROM block") if postings]
    for postings in blocks:
        at = data.index(postings[:60]) + 8
        data = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
    index.write_bytes(data)


def _execute(index: Path, statement: str) -> None:
    with closing(sqlite3.connect(index)) as connection:
        connection.execute(statement)
        connection.commit()


def _newer(index: Path) -> None:
    _execute(index, "PRAGMA user_version = 999")


def _foreign(index: Path) -> None:
    index.unlink()
    _execute(index, "CREATE TABLE shopping (item TEXT)")


def _text(index: Path) -> None:
    index.write_text("Dear reader, this is no index. " * 100)


def _other_front_end(index: Path) -> None:
    """The same index, as a winnow-ci with another reading of Python would have made it."""
    with replacing(index) as unfinished, WholeIndex(index) as old:
        draft = IndexDraft(old.parameters, {**old.front_ends, "python": "0"}, old.tables)
        draft.keep(old)
        draft.write(unfinished)


def _older_than_a_front_end(index: Path) -> None:
    """An index made when the front end of C read Python, and in another way than it reads now."""
    nothing = Fingerprints(np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.uint32))
    with replacing(index) as unfinished, WholeIndex(index) as old:
        (_, row), draft = next(old.all_contents()), IndexDraft(old.parameters, {"c": "0"}, old.tables)
        draft.add_contents(batched([NewContent(row._replace(front_end="c", fingerprints=0), nothing)]))
        draft.add_file(old.sources[0], HeldFile(row.key, b"known.py"))
        draft.write(unfinished)


@pytest.mark.parametrize(
    ("damage", "problem", "remedy"),
    [
        (_truncate, "known.db is damaged", "index build"),
        (_change_in_every_block, "known.db is damaged: block 0", "restore it from a copy, or build it again"),
        (_empty, "known.db is not an index of winnow-ci", "index build"),
        (_foreign, "known.db is not an index of winnow-ci", "index build"),
        (_text, "known.db is not an index of winnow-ci", "index build"),
        (_newer, "known.db has index format 999", "install a newer winnow-ci"),
        (_other_front_end, "known.db was made with revision 0 of the python front end", "winnow-ci index build"),
        (make_of_other_tables, "known.db was made with revision 0123456789ab of the learnt tables", "index build"),
        (_older_than_a_front_end, "known.db was made with revision 0 of the c front end", "winnow-ci index build"),
    ],
)
def test_an_index_that_cannot_be_used(
    copied: Checkout, known: Path, tmp_path: Path, *, damage: Callable[[Path], None], problem: str, remedy: str
) -> None:
    index = tmp_path / "known.db"
    index.write_bytes(known.read_bytes())
    damage(index)
    said, advice = winnow("scan", "--index", known, "--index", index, cwd=copied.root).complaint(3)
    assert problem in said
    assert str(index) in said
    assert remedy in advice


@pytest.mark.parametrize("number", range(4))
def test_a_changed_byte_never_makes_a_scan_clean(copied: Checkout, known: Path, tmp_path: Path, number: int) -> None:
    index, data = tmp_path / "known.db", bytearray(known.read_bytes())
    for at in range(50 + 83 * number, len(data), 500):
        data[at] ^= 0x10
    index.write_bytes(data)
    assert winnow("scan", "--index", index, cwd=copied.root).complaint(3)


# ---- configuration ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problem", "remedy"),
    [
        ("k: 16\nindexs: [a.db]\n", ".winnow.yml:2: unknown key 'indexs'", "did you mean index?"),
        ("policy:\n  alow: [MIT]\n", ".winnow.yml:2: unknown key 'alow'", "did you mean allow?"),
        ("languages: python\n", ".winnow.yml:1: languages must be a list, not text", "languages: [...]"),
        ("k: '16'\n", ".winnow.yml:1: k must be a whole number from 4 to 200", "without quotes"),
        ("paths: {exclude: [*.js]}\n", ".winnow.yml:1: not valid YAML", "quote what starts with *"),
        ("languages: [pythom]\n", ".winnow.yml:1: languages: there is no language 'pythom'", "Pygments"),
    ],
)
def test_a_configuration_with_a_mistake(checkout: Checkout, known: Path, text: str, problem: str, remedy: str) -> None:
    checkout.write(".winnow.yml", text)
    said, advice = winnow("scan", "--index", known, cwd=checkout.root / "src").complaint(2)
    assert problem in said
    assert remedy in advice


@pytest.mark.parametrize(("setting", "asked"), [("k: 23", "-k 23 -w 9"), ("w: 12", "-k 16 -w 12")])
def test_an_index_with_other_parameters_than_configured(
    checkout: Checkout, known: Path, setting: str, asked: str
) -> None:
    checkout.write(".winnow.yml", setting)
    problem, remedy = winnow("scan", "--index", known, cwd=checkout.root).complaint(3)
    assert f"{known.as_posix()} was made with k = 16, w = 9 and anchored selection" in problem
    assert remedy.endswith(f"{asked} --selection anchored")


# ---- reports ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("file", "status"), [("absent/report.json", 2), ("src", 3), ("src/plan.py/report.json", 2)])
def test_a_report_that_cannot_be_written(copied: Checkout, known: Path, file: str, status: int) -> None:
    ended = winnow("scan", "--index", known, "--format", f"json:{file}", "--exit-zero", cwd=copied.root)
    assert (ended.status, ended.output) == (status, "")
    assert ended.last_words()[0].startswith(f"{Path(file)}: ")
