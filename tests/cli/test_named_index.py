"""``index list`` and ``verify`` without an argument: the index that the configuration here names."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

ACTIONS = ("list", "verify")


@pytest.fixture
def folder(tmp_path: Path, known: Path) -> Path:
    (tmp_path / ".winnow").mkdir()
    shutil.copy(known, tmp_path / ".winnow" / "index.db")
    return tmp_path


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("entry", [".winnow/index.db", ".winnow"])
def test_the_only_index_of_the_configuration_is_meant(folder: Path, action: str, entry: str) -> None:
    (folder / ".winnow.yml").write_text(f"index: [{entry}]\n")
    named = winnow("index", action, ".winnow/index.db", cwd=folder)
    assert named.status == 0
    assert winnow("index", action, cwd=folder).output == named.output


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        (None, "no .winnow.yml here that names an index"),
        ("k: 16", "no .winnow.yml here that names an index"),
        ("index: [a.db, b.db]", ".winnow.yml names 2 indexes"),
    ],
)
def test_without_exactly_one_it_must_be_named(tmp_path: Path, action: str, rules: str | None, problem: str) -> None:
    if rules is not None:
        (tmp_path / ".winnow.yml").write_text(rules)
    first = "write a first configuration: winnow-ci init (or name the index: INDEX)"
    remedy = first if rules is None else "name the index: INDEX"
    assert winnow("index", action, cwd=tmp_path).complaint(2) == (problem, remedy)


def test_in_a_folder_of_a_repository_its_configuration_counts(folder: Path) -> None:
    (folder / ".winnow.yml").write_text("index: [.winnow/index.db]\n")
    below = folder / "src" / "deep"
    below.mkdir(parents=True)
    assert winnow("index", "list", cwd=below).status == 2
    Checkout.create(folder)
    assert winnow("index", "list", cwd=below).output == winnow("index", "list", cwd=folder).output != ""
    (below / ".winnow.yml").write_text("k: 16\n")
    assert winnow("index", "list", cwd=below).status == 2


def test_an_argument_needs_no_configuration(folder: Path) -> None:
    (folder / ".winnow.yml").write_text("polcy: {}\n")
    assert winnow("index", "list", ".winnow/index.db", cwd=folder).status == 0
    assert "unknown key 'polcy'" in winnow("index", "list", cwd=folder).complaint(2)[0]


def test_an_index_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / ".winnow.yml").write_text("index: [absent.db]\n")
    assert "no index at absent.db" in winnow("index", "verify", cwd=tmp_path).complaint(3)[0]
    (tmp_path / "absnet.db").touch()
    assert winnow("index", "verify", cwd=tmp_path).complaint(3)[1] == "did you mean absnet.db?"


def test_what_reads_all_of_an_index_needs_its_file(tmp_path: Path) -> None:
    said = winnow("index", "verify", "postgresql://ann@db/known#acme", cwd=tmp_path).complaint(2)
    assert said[0] == "this command needs an index file, not an index on a server"


@pytest.mark.parametrize("arguments", [("remove", "URI", "x"), ("merge", "URI", "a.db", "--output", "b.db")])
@pytest.mark.parametrize("uri", ["postgresql://ann@db/known#acme", f"https://example.org/a.db#sha256={'a' * 64}"])
def test_what_compares_and_writes_needs_files(tmp_path: Path, arguments: tuple[str, ...], uri: str) -> None:
    said = winnow("index", *(uri if word == "URI" else word for word in arguments), cwd=tmp_path).complaint(2)
    assert said[0] == "this command needs an index file, not a URI"
