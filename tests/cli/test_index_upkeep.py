"""``winnow-ci index remove``, ``merge``, ``list --json`` and ``verify``: the result is as if it had been built so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.donor import INNOCENT, LOGS, ROUTES
from support.indexes import make_of_other_tables
from winnow_ci.evidence.tables import tables_digest
from winnow_ci.index import IndexDraft, WholeIndex, replacing
from winnow_ci.languages import revisions

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three sources that share files, each in an index, two together, and all; not to be changed."""
    folder = tmp_path_factory.mktemp("shop")
    texts = {"a": {"routes.py": ROUTES, "logs.py": LOGS}, "b": {"x/logs.py": LOGS}, "c": {"greetings.py": INNOCENT}}
    for name, files in texts.items():
        for path, text in files.items():
            (folder / name / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / name / path).write_text(text)
    for index in ("a", "b", "c", "ab", "bc", "abc"):
        for name in index:
            options = ("--license", "MIT", "--with-text") if name == "b" else ("--version", "1")
            build(folder / name, folder / f"{index}.db", *options, name=name)
    return folder


@pytest.fixture
def work(shop: Path, tmp_path: Path) -> Path:
    """A folder with copies of those indexes."""
    for index in shop.glob("*.db"):
        (tmp_path / index.name).write_bytes(index.read_bytes())
    return tmp_path


def made_by_others(index: Path, revision: str = "0.9") -> None:
    """Let the front end of an index be one of another version."""
    with WholeIndex(index) as old:
        draft = IndexDraft(old.parameters, {**revisions(), "python": revision}, old.tables)
        draft.keep(old)
        with replacing(index) as unfinished:
            draft.write(unfinished)


# ---- remove ----------------------------------------------------------------------------------------------------


def test_sources_leave_an_index_of_another_version_too(work: Path) -> None:
    made_by_others(work / "abc.db")
    made_by_others(work / "ab.db")
    assert winnow("index", "remove", "abc.db", "c", cwd=work).status == 0
    assert (work / "abc.db").read_bytes() == (work / "ab.db").read_bytes()


# ---- merge -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "status", "problem", "remedy"),
    [
        (
            "a.db k20.db --output new.db",
            3,
            "a.db was made with k = 16, w = 9 and anchored selection, k20.db",
            "index build",
        ),
        (
            "a.db old.db --output new.db",
            3,
            "old.db was made with revision 0.9 of the python front end",
            "build it again",
        ),
        (
            "a.db other.db --output new.db",
            3,
            "other.db was made with revision 0123456789ab of the learnt tables",
            "build it again",
        ),
        ("old.db --output new.db", 3, "old.db was made with revision 0.9 of the python front end", "build it again"),
        ("a.db absent.db --output new.db", 3, "no index at absent.db", "index build"),
        (
            "a.db b.db --output c.db",
            2,
            "c.db already exists, and is not among the indexes to merge",
            "another place with --output",
        ),
        ("a.db b.db", 2, "required: --output", "index merge --help"),
        ("a.db --output a.db/new.db", 3, "cannot write the index a.db/new.db: ", "another place with --output"),
        ("a.db --output .", 3, "cannot write the index .: it is a folder", "--output"),
    ],
)
def test_a_merge_that_is_refused(
    work: Path, shop: Path, arguments: str, status: int, problem: str, remedy: str
) -> None:
    build(shop / "c", work / "k20.db", "-k", "20", name="c")
    (work / "old.db").write_bytes((work / "b.db").read_bytes())
    made_by_others(work / "old.db")
    (work / "other.db").write_bytes((work / "b.db").read_bytes())
    make_of_other_tables(work / "other.db")
    before = {path: path.read_bytes() for path in work.iterdir()}
    said, advice = winnow("index", "merge", *arguments.split(), cwd=work).complaint(status)
    assert problem in said
    assert remedy in advice
    assert {path: path.read_bytes() for path in work.iterdir()} == before


# ---- list and verify -------------------------------------------------------------------------------------------


def test_a_list_for_programs(work: Path) -> None:
    listed = winnow("index", "list", "abc.db", "--json", cwd=work)
    assert (listed.status, listed.errors) == (0, "")
    content = json.loads(listed.output)
    a, b, _ = content["sources"]
    assert (a["name"], a["version"], a["license"], a["url"], a["files"], a["text"]) == (
        "a",
        "1",
        "unknown",
        None,
        2,
        False,
    )
    assert (b["name"], b["version"], b["license"], b["files"], b["text"]) == ("b", None, "MIT", 1, True)
    assert a["fingerprints"] > b["fingerprints"] > 0
    assert content["bytes"] == (work / "abc.db").stat().st_size > a["bytes"] > 8 * a["fingerprints"]
    assert content["parameters"] == {"k": 16, "w": 9, "selection": "anchored"}
    assert content["front_ends"] == {"python": revisions()["python"]}
    with WholeIndex(work / "abc.db") as index:
        assert (content["digest"], content["format"], content["contents"]) == (index.digest, 6, 3)


def test_verify_tells_that_a_sound_index_is_one_that_a_scan_refuses(work: Path) -> None:
    assert winnow("index", "verify", "abc.db", cwd=work).status == 0
    made_by_others(work / "abc.db")
    problem, remedy = winnow("index", "verify", "abc.db", cwd=work).complaint(3)
    here = revisions()["python"]
    assert problem == f"abc.db was made with revision 0.9 of the python front end, ours is revision {here}"
    assert "winnow-ci index build" in remedy


def test_an_index_made_with_other_tables_keeps_them_and_gets_no_code(work: Path, shop: Path) -> None:
    index, sound = work / "abc.db", (work / "abc.db").read_bytes()
    make_of_other_tables(index)
    made_with_them = index.read_bytes()
    refused = [
        winnow("index", "verify", "abc.db", cwd=work),
        winnow("index", "build", shop / "a", "--output", "abc.db", "--name", "d", cwd=work),
    ]
    ours = tables_digest()[:12]
    for ended in refused:
        problem, remedy = ended.complaint(3)
        assert problem == f"abc.db was made with revision 0123456789ab of the learnt tables, ours is revision {ours}"
        assert "winnow-ci index build" in remedy
    assert index.read_bytes() == made_with_them
    assert winnow("index", "remove", "abc.db", "c", cwd=work).status == 0
    with WholeIndex(index) as kept:
        assert kept.tables == "0123456789abcdef" * 2
    make_of_other_tables(work / "ab.db")
    assert (work / "ab.db").read_bytes() == index.read_bytes() != sound
