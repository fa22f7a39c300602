"""``winnow-ci index``: what is built, what is refused, and what an index says of itself."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from support.command import build, winnow
from support.donor import INNOCENT, KNOWN, LOGS, ROUTES, write_known

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with a source, and with folders that are none."""
    write_known(tmp_path / "source")
    for folder in ("empty", "data", "short"):
        (tmp_path / folder).mkdir()
    (tmp_path / "data" / "package.json").write_text("{}")
    (tmp_path / "data" / "LICENSE").write_text("Do what you like.")
    (tmp_path / "short" / "__init__.py").write_text("from .a import b\n")
    (tmp_path / "file.py").write_text(INNOCENT)
    return tmp_path


def digest_of(index: Path) -> str:
    """What ``index list`` says."""
    listed = winnow("index", "list", index, cwd=index.parent)
    assert listed.status == 0
    return listed.output.split()[-1]


def rows(index: Path) -> list[list[str]]:
    """The table of ``index list``, without its heading."""
    listed = winnow("index", "list", index, cwd=index.parent)
    assert (listed.status, listed.errors) == (0, "")
    return [line.split() for line in listed.output.splitlines()[1:-1]]


def test_an_index_can_be_built_listed_and_verified(work: Path) -> None:
    described = ("--version", "2.1", "--license", "gpl-3.0-only", "--url", "https://example.org")
    built = build(work / "source", work / "i.db", *described)
    assert built.errors.splitlines() == [
        "winnow-ci: roads: 2 files indexed (0 with contents known before), 0 skipped",
        "winnow-ci: roads: licence GPL-3.0-only (from argument)",
    ]
    listed = winnow("index", "list", "i.db", cwd=work)
    heading, row, total = listed.output.splitlines()
    assert heading.split() == "SOURCE VERSION LICENCE FROM FILES WHOLE FINGERPRINTS BYTES TEXT URL".split()
    name, version, licence, origin, files, whole, fingerprints, _, text, url = row.split()
    assert (name, version, licence, origin, files, whole, text, url) == (
        "roads",
        "2.1",
        "GPL-3.0-only",
        "argument",
        "2",
        "0",
        "-",
        "https://example.org",
    )
    digest = digest_of(work / "i.db")
    size = f"{(work / 'i.db').stat().st_size:,} bytes"
    assert total == f"{fingerprints} fingerprints, {size}, k = 16, w = 9, anchored selection, digest {digest}"
    assert built.output == f"{work / 'i.db'}: digest {digest}\n"
    verified = winnow("index", "verify", "i.db", cwd=work)
    assert (verified.status, verified.errors) == (0, "")
    assert verified.output == f"i.db is sound: 2 contents, {fingerprints} fingerprints\ndigest {digest}\n"


def test_what_is_left_out_is_counted(work: Path) -> None:
    (work / "data" / "routes.py").write_text(ROUTES)
    built = build(work / "data", work / "i.db")
    assert "1 file indexed" in built.errors
    assert "2 skipped (1 data, 1 licence text)" in built.errors


COMPLETE = "--output new.db --name roads"


@pytest.mark.parametrize(
    ("arguments", "status", "problem", "remedy"),
    [
        (COMPLETE, 2, "required: DIR", "index build --help"),
        ("source --name roads", 2, "required: --output", "index build --help"),
        ("source --output new.db", 2, "required: --name", "index build --help"),
        (f"absent {COMPLETE}", 2, "absent: No such file or directory", "a folder with the source's code"),
        (f"file.py {COMPLETE}", 2, "file.py is not a folder or archive", "a folder with the source's code"),
        (
            f"source file.py {COMPLETE}",
            2,
            "file.py is not a folder or archive",
            "a folder with the source's code",
        ),
        (f"source source {COMPLETE}", 2, "would both get the path roads/logs.py", "two sources"),
        (f"empty {COMPLETE}", 3, "empty has no files", "a folder with the source's code"),
        (f"data {COMPLETE}", 3, "nothing to fingerprint in roads", "source code in a language"),
        (f"short {COMPLETE}", 3, "the first skipped because: fewer than 16 tokens", "source code in a language"),
        (f"source {COMPLETE} --license GPLv3", 2, "SPDX does not know 'GPLv3'", "GPL-3.0-only"),
        (f"source {COMPLETE} --license MIT_AND", 2, "licence 'MIT AND' is not an SPDX expression", "such as MIT"),
        (f"source {COMPLETE} --license=", 2, "the licence is empty", "such as MIT"),
        ("source --output new.db --name=", 2, "the source has an empty name", "--name NAME"),
        ("source --output new.db --name _", 2, "the source has an empty name", "--name NAME"),
        (f"source {COMPLETE} -k 0", 2, "-k: must be a whole number from 4 to 200, not '0'", "index build --help"),
        (f"source {COMPLETE} -k 3", 2, "-k: must be a whole number from 4 to 200, not '3'", "index build --help"),
        (f"source {COMPLETE} -k -5", 2, "-k: must be a whole number from 4 to 200, not '-5'", "index build --help"),
        (f"source {COMPLETE} -k 100000", 2, "from 4 to 200, not '100000'", "index build --help"),
        (f"source {COMPLETE} -k {'9' * 30}", 2, "from 4 to 200", "index build --help"),
        (f"source {COMPLETE} -k 16.0", 2, "from 4 to 200, not '16.0'", "index build --help"),
        (f"source {COMPLETE} -k ten", 2, "from 4 to 200, not 'ten'", "index build --help"),
        (f"source {COMPLETE} -w 0", 2, "-w: must be a whole number from 1 to 500, not '0'", "index build --help"),
        (f"source {COMPLETE} -w 501", 2, "-w: must be a whole number from 1 to 500, not '501'", "build --help"),
        (f"source {COMPLETE} --selection mod-q", 2, "invalid choice: 'mod-q'", "did you mean mod-p?"),
        ("source --output empty --name roads", 3, "cannot write the index empty: it is a folder", "--output"),
        ("source --output= --name roads", 3, "cannot write the index .: it is a folder", "--output"),
        ("source --output file.py/i.db --name roads", 3, "cannot write the index file.py/i.db", "--output"),
        ("source --output /dev/null/i.db --name roads", 3, "cannot write the index /dev/null/i.db", "--output"),
        ("source --output file.py --name roads", 3, "file.py is not an index of winnow-ci", "index build"),
    ],
)
def test_a_build_that_is_refused(work: Path, arguments: str, status: int, problem: str, remedy: str) -> None:
    before = sorted(work.rglob("*"))
    words = [word.replace("_", " ") for word in arguments.split()]
    said, advice = winnow("index", "build", *words, cwd=work).complaint(status)
    assert problem in said
    assert remedy in advice
    assert sorted(work.rglob("*")) == before
    assert (work / "file.py").read_text() == INNOCENT


@pytest.mark.parametrize("setting", ["k: 3", "k: 201", "w: 0", "w: 501"])
def test_a_configuration_is_held_to_the_limits_of_the_command(work: Path, setting: str) -> None:
    (work / ".winnow.yml").write_text(setting)
    problem, _ = winnow("index", "build", "source", *COMPLETE.split(), cwd=work).complaint(2)
    assert problem.startswith(f".winnow.yml:1: {setting[0]} must be a whole number from ")


def test_a_build_asks_for_what_the_configuration_here_says(work: Path) -> None:
    (work / ".winnow.yml").write_text("k: 23\nw: 17\n")
    build(work / "source", work / "i.db")
    assert "k = 23, w = 17, " in winnow("index", "list", "i.db", cwd=work).output
    build(work / "source", work / "other.db", "-k", "20")
    assert "k = 20, w = 17, " in winnow("index", "list", "other.db", cwd=work).output


@pytest.mark.parametrize(
    ("asked", "agrees"),
    [
        ("", True),
        ("-k 23", True),
        ("-w 9", True),
        ("-k 23 -w 9 --selection winnowing", True),
        ("-k 16", False),
        ("-k 23 -w 12", False),
        ("--selection robust", False),
    ],
)
def test_what_is_added_must_agree_with_the_parameters_of_the_index(work: Path, asked: str, agrees: bool) -> None:
    index = work / "i.db"
    build(work / "source", index, "-k", "23", "-w", "9", "--selection", "winnowing")
    before = index.read_bytes()
    ended = winnow("index", "build", "source", "--output", index, "--name", "again", *asked.split(), cwd=work)
    if agrees:
        assert (ended.status, len(rows(index))) == (0, 2)
    else:
        problem, remedy = ended.complaint(3)
        assert f"{index} was made with k = 23, w = 9 and winnowing selection" in problem
        assert "another --output" in remedy
        assert index.read_bytes() == before


def test_a_source_of_the_same_name_is_replaced_and_a_new_one_added(work: Path) -> None:
    index = work / "i.db"
    build(work / "source", index, "--version", "1")
    first = digest_of(index)
    (work / "source" / "roads" / "logs.py").unlink()
    build(work / "source", index, "--version", "2")
    assert [row[:5] for row in rows(index)] == [["roads", "2", "unknown", "-", "1"]]
    build(work / "source", index, "--license", "MIT", name="fork")
    fork, roads = [row[:5] for row in rows(index)]
    assert (fork, roads) == (["fork", "-", "MIT", "argument", "1"], ["roads", "2", "unknown", "-", "1"])
    (work / "source" / "roads" / "logs.py").write_text(LOGS)
    write_known(work / "again")
    index.rename(work / "old.db")
    build(work / "again", index, "--version", "1")
    assert digest_of(index) == first


def texts_kept(index: Path) -> list[tuple[str, str]]:
    """Of each source in ``index list``, whether its text is kept."""
    return [(row[0], row[8]) for row in rows(index)]


def test_text_is_kept_of_the_sources_for_which_that_is_asked(work: Path) -> None:
    index, other, plain = work / "i.db", work / "other.db", work / "plain.db"
    (work / "short" / "greetings.py").write_text(INNOCENT)
    built = build(work / "source", index, "--with-text")
    assert "0 skipped; their text is kept\n" in built.errors
    build(work / "short", index, name="greetings")
    assert texts_kept(index) == [("greetings", "-"), ("roads", "kept")]
    assert winnow("index", "verify", "i.db", cwd=work).output.startswith("i.db is sound: 3 contents (text of 2), ")
    build(work / "short", other, name="greetings")
    build(work / "source", other, "--with-text")
    assert other.read_bytes() == index.read_bytes()
    build(work / "source", index)
    build(work / "short", plain, name="greetings")
    build(work / "source", plain)
    assert plain.read_bytes() == index.read_bytes()


def test_a_text_that_two_sources_have_is_kept_if_one_of_them_asks(work: Path) -> None:
    one, other = work / "one.db", work / "other.db"
    build(work / "source", one, "--with-text")
    build(work / "source", one, name="fork")
    build(work / "source", other, name="fork")
    build(work / "source", other, "--with-text")
    assert texts_kept(one) == [("fork", "-"), ("roads", "kept")]
    assert one.read_bytes() == other.read_bytes()


def test_neither_the_order_of_files_nor_that_of_sources_shows(work: Path) -> None:
    one, other = work / "one.db", work / "other.db"
    (work / "backwards" / "roads").mkdir(parents=True)
    for name in sorted(KNOWN, reverse=True):
        (work / "backwards" / name).write_text(KNOWN[name])
    (work / "short" / "greetings.py").write_text(INNOCENT)
    build(work / "source", one)
    build(work / "short", one, name="greetings")
    build(work / "short", other, name="greetings")
    build(work / "backwards", other)
    assert one.read_bytes() == other.read_bytes()


def test_worker_processes_give_the_same_index_each_time(tmp_path: Path) -> None:
    texts = {f"f{number}.py": f"SIZE = {number}\n" + ROUTES * 4 + LOGS * (number % 3) for number in range(120)}
    assert sum(map(len, texts.values())) > 1 << 20
    for folder, order in (("one", sorted(texts)), ("other", sorted(texts, reverse=True))):
        (tmp_path / folder).mkdir()
        for name in order:
            (tmp_path / folder / name).write_text(texts[name])
        build(tmp_path / folder, tmp_path / f"{folder}.db")
    assert (tmp_path / "one.db").read_bytes() == (tmp_path / "other.db").read_bytes()


# ---- damage ----------------------------------------------------------------------------------------------------


def _truncate(index: Path) -> None:
    os.truncate(index, index.stat().st_size // 2)


def _statement(statement: str) -> Callable[[Path], None]:
    def execute(index: Path) -> None:
        with closing(sqlite3.connect(index)) as connection:
            connection.execute(statement)
            connection.commit()

    return execute


DAMAGE: list[Any] = [
    pytest.param(_truncate, "damaged", id="truncated"),
    pytest.param(_statement("UPDATE source SET license = 'MIT'"), "damaged: a source", id="licence"),
    pytest.param(
        _statement("UPDATE pack SET chunk = zeroblob(length(chunk))"), "damaged: pack 0 of contents", id="contents"
    ),
    pytest.param(_statement("UPDATE block SET postings = zeroblob(20)"), "damaged: block 0", id="block"),
    pytest.param(_statement("UPDATE meta SET value = '17' WHERE key = 'k'"), "damaged: its description", id="meta"),
]


@pytest.mark.parametrize(("damage", "problem"), DAMAGE)
def test_verify_finds_damage(known: Path, tmp_path: Path, damage: Callable[[Path], None], problem: str) -> None:
    index = tmp_path / "i.db"
    index.write_bytes(known.read_bytes())
    damage(index)
    said, remedy = winnow("index", "verify", "i.db", cwd=tmp_path).complaint(3)
    assert said.startswith("the index i.db is ")
    assert problem in said
    assert "build it again" in remedy


@pytest.mark.parametrize("action", ["list", "verify", "build"])
def test_a_truncated_index_is_refused_and_left_alone(work: Path, known: Path, action: str) -> None:
    index = work / "i.db"
    index.write_bytes(known.read_bytes())
    _truncate(index)
    damaged = index.read_bytes()
    arguments = ("source", "--output", index, "--name", "roads") if action == "build" else (index,)
    problem, _ = winnow("index", action, *arguments, cwd=work).complaint(3)
    assert f"{index} is damaged" in problem
    assert index.read_bytes() == damaged


@pytest.mark.parametrize("action", ["list", "verify"])
@pytest.mark.parametrize("file", ["absent.db", "empty"])
def test_an_index_that_is_not_there(work: Path, action: str, file: str) -> None:
    problem, remedy = winnow("index", action, file, cwd=work).complaint(3)
    assert problem == f"no index at {file}"
    assert "winnow-ci index build" in remedy
