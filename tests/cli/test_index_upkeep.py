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


@pytest.mark.parametrize(("names", "left"), [("c", "ab"), ("a", "bc"), ("b c", "a"), ("c a", "b"), ("a a b", "c")])
def test_what_is_left_is_as_if_the_rest_had_never_been_there(work: Path, names: str, left: str) -> None:
    done = winnow("index", "remove", "abc.db", *names.split(), cwd=work)
    assert (done.status, done.errors) == (0, "")
    assert (work / "abc.db").read_bytes() == (work / f"{left}.db").read_bytes()
    sources = "1 source" if len(left) == 1 else f"{len(left)} sources"
    assert done.output.startswith(f"abc.db: {sources}, digest ")


def test_what_a_manifest_declares_comes_back(work: Path) -> None:
    (work / "sources.yml").touch()
    done = winnow("index", "remove", "abc.db", "c", cwd=work)
    said = "winnow-ci: the next winnow-ci index sync will add again what sources.yml declares\n"
    assert (done.status, done.errors) == (0, said)


@pytest.mark.parametrize(
    ("arguments", "status", "problem", "remedy"),
    [
        ("abc.db d", 2, "abc.db has no source 'd'", "list its sources: winnow-ci index list abc.db"),
        ("abc.db c aa", 2, "abc.db has no source 'aa'", "did you mean a?"),
        ("abc.db \x1b[2J", 2, r"abc.db has no source '\x1b[2J'", "winnow-ci index list"),
        ("abc.db a b c", 2, "nothing would be left in abc.db", "delete the file"),
        ("abc.db", 2, "required: NAME", "index remove --help"),
        ("d/e/absent.db a", 3, "no index at d/e/absent.db", "index build"),
    ],
)
def test_a_removal_that_is_refused(work: Path, arguments: str, status: int, problem: str, remedy: str) -> None:
    before = {path: path.read_bytes() for path in work.iterdir()}
    said, advice = winnow("index", "remove", *arguments.split(), cwd=work).complaint(status)
    assert problem in said
    assert remedy in advice
    assert {path: path.read_bytes() for path in work.iterdir()} == before


def test_sources_leave_an_index_of_another_version_too(work: Path) -> None:
    made_by_others(work / "abc.db")
    made_by_others(work / "ab.db")
    assert winnow("index", "remove", "abc.db", "c", cwd=work).status == 0
    assert (work / "abc.db").read_bytes() == (work / "ab.db").read_bytes()


# ---- merge -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", ["a bc", "bc a", "ab c", "a b c", "ab bc", "bc ab", "abc b", "b abc ab abc"])
def test_a_merge_is_as_if_all_had_been_built_into_one(work: Path, parts: str) -> None:
    done = winnow("index", "merge", *(f"{part}.db" for part in parts.split()), "--output", "new.db", cwd=work)
    assert (done.status, done.errors) == (0, "")
    assert (work / "new.db").read_bytes() == (work / "abc.db").read_bytes()
    assert done.output.startswith("new.db: 3 sources, digest ")


def test_an_index_can_be_merged_into(work: Path) -> None:
    assert winnow("index", "merge", "./ab.db", "c.db", "--output", "ab.db", cwd=work).status == 0
    assert (work / "ab.db").read_bytes() == (work / "abc.db").read_bytes()


def test_the_text_of_a_source_is_kept_if_one_of_the_indexes_keeps_it(work: Path, shop: Path) -> None:
    build(shop / "b", work / "plain.db", "--license", "MIT", name="b")
    for parts in (("plain.db", "b.db"), ("b.db", "plain.db")):
        assert winnow("index", "merge", *parts, "--output", "new.db", cwd=work).status == 0
        assert (work / "new.db").read_bytes() == (work / "b.db").read_bytes()
        (work / "new.db").unlink()
    assert winnow("index", "merge", "plain.db", "b.db", "--output", "new.db", "--prefer=first", cwd=work).status == 0
    assert (work / "new.db").read_bytes() == (work / "plain.db").read_bytes()


@pytest.mark.parametrize(
    ("folder", "options", "what"),
    [
        ("c", ("--version", "1"), "other files"),
        ("a", ("--version", "2"), "another version, licence or URL"),
        ("a", ("--version", "1", "--license", "MIT"), "another version, licence or URL"),
    ],
)
def test_different_sources_of_one_name(
    work: Path, shop: Path, folder: str, options: tuple[str, ...], what: str
) -> None:
    build(shop / folder, work / "other.db", *options, name="a")
    asked = ("index", "merge", "a.db", "other.db", "--output", "new.db")
    problem, remedy = winnow(*asked, cwd=work).complaint(3)
    assert problem == f"the source 'a' of other.db has {what} than in a.db"
    assert "--prefer first or --prefer last" in remedy
    assert not (work / "new.db").exists()
    for preferred, expected in (("first", "a.db"), ("last", "other.db")):
        assert winnow(*asked, "--prefer", preferred, cwd=work).status == 0
        assert (work / "new.db").read_bytes() == (work / expected).read_bytes()
        (work / "new.db").unlink()


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
    assert problem == f"abc.db was made with revision 0.9 of the python front end, this is revision {here}"
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
        assert problem == f"abc.db was made with revision 0123456789ab of the learnt tables, this is revision {ours}"
        assert "winnow-ci index build" in remedy
    assert index.read_bytes() == made_with_them
    assert winnow("index", "remove", "abc.db", "c", cwd=work).status == 0
    with WholeIndex(index) as kept:
        assert kept.tables == "0123456789abcdef" * 2
    make_of_other_tables(work / "ab.db")
    assert (work / "ab.db").read_bytes() == index.read_bytes() != sound
