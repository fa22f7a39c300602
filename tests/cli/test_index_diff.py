"""``winnow-ci index diff``: what is different, and the exit status."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from support.command import Ended, build, winnow
from support.donor import INNOCENT, LOGS, ROUTES

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Two indexes: a source that changed, one that stayed, and one in each that the other has not."""
    for name, text in {"old/a.py": ROUTES, "old/gone.py": LOGS, "new/a.py": ROUTES + LOGS, "new/b.py": LOGS}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "same").mkdir()
    (tmp_path / "same" / "greetings.py").write_text(INNOCENT)
    build(tmp_path / "old", tmp_path / "a.db", "--version", "1", name="lib")
    build(tmp_path / "new", tmp_path / "b.db", "--version", "2", "--with-text", name="lib")
    for index, only in (("a.db", "left"), ("b.db", "right")):
        build(tmp_path / "same", tmp_path / index, name="same")
        build(tmp_path / "same", tmp_path / index, name=only)
    return tmp_path


def diff(work: Path, *arguments: str) -> Ended:
    done = winnow("index", "diff", *arguments, cwd=work)
    assert done.errors == ""
    return done


def test_differences_for_people(work: Path) -> None:
    done = diff(work, "a.db", "b.db")
    assert done.status == 1
    lines = done.output.splitlines()
    assert lines[:2] == [f"{name}: digest {digest(work / name)}" for name in ("a.db", "b.db")]
    assert lines[2:4] == ["only in a.db: left", "only in b.db: right"]
    (changed,) = lines[4:]
    assert changed.startswith("changed: lib: version: 1 -> 2; text: - -> kept; fingerprints: ")
    assert changed.endswith("; paths: 1 added, 1 removed, 1 changed")


def digest(index: Path) -> str:
    return str(json.loads(winnow("index", "list", index, "--json", cwd=index.parent).output)["digest"])


def test_differences_for_programs(work: Path) -> None:
    done = diff(work, "a.db", "b.db", "--json")
    content: dict[str, Any] = json.loads(done.output)
    assert (done.status, content["equal"]) == (1, False)
    assert (content["a"]["index"], content["parameters"], content["front_ends"]) == ("a.db", {}, {})
    assert (content["sources"]["only_a"], content["sources"]["only_b"]) == (["left"], ["right"])
    (lib,) = content["sources"]["changed"]
    assert lib["name"] == "lib"
    assert lib["fields"]["version"] == {"a": "1", "b": "2"}
    assert lib["fields"].keys() == {"version", "text", "fingerprints"}
    assert lib["paths"] == {"added": ["b.py"], "removed": ["gone.py"], "changed": ["a.py"]}


def test_equal_indexes(work: Path) -> None:
    (work / "again.db").write_bytes((work / "a.db").read_bytes())
    done = diff(work, "a.db", "again.db")
    assert (done.status, done.output) == (0, f"a.db and again.db are equal: digest {digest(work / 'a.db')}\n")
    done = diff(work, "a.db", "again.db", "--json")
    assert (done.status, json.loads(done.output)["equal"]) == (0, True)


def test_other_parameters(work: Path) -> None:
    build(work / "same", work / "k20.db", "-k", "20", "--selection", "winnowing", name="same")
    build(work / "same", work / "k16.db", name="same")
    done = diff(work, "k16.db", "k20.db")
    assert done.status == 1
    assert "\nk: 16 -> 20\nselection: anchored -> winnowing\n" in done.output


def test_a_damaged_index_is_not_equal_to_any(work: Path) -> None:
    data = bytearray((work / "a.db").read_bytes())
    at = data.rindex(b"gone.py")
    data[at : at + 4] = b"went"
    (work / "bad.db").write_bytes(data)
    for pair in (("a.db", "bad.db"), ("bad.db", "bad.db")):
        problem, _ = winnow("index", "diff", *pair, cwd=work).complaint(3)
        assert "bad.db is damaged" in problem
