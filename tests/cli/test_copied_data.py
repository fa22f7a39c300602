"""Files of data are compared as a whole: copies are found, other data is not, and nothing in it is read as code."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout


def readings(seed: int) -> list[dict[str, float]]:
    chance = random.Random(seed)
    return [{"at": 60 * number, "level": round(chance.gauss(20, 3), 3)} for number in range(400)]


def csv(seed: int) -> str:
    return "at,level\n" + "".join(f"{row['at']},{row['level']}\n" for row in readings(seed))


FILES = {
    "level.csv": csv(1),
    "level.json": json.dumps(readings(1), indent=1) + "\n",
    "packed.json": json.dumps(readings(1), separators=(",", ":")),
    "level.readings": csv(2).replace(",", "\t"),
}
OTHERS = {
    "level.csv": csv(3),
    "level.json": json.dumps(readings(3), indent=1) + "\n",
    "packed.json": json.dumps(readings(1), separators=(",", ": ")),
    "level.readings": csv(3).replace(",", "\t"),
}
# Too short to say anything; no text; written by a program; a setting that very many projects have.
LEFT_OUT = {
    "short.json": json.dumps(readings(1)[:3]),
    "binary.readings": csv(1).encode() + b"\0",
    "package-lock.json": FILES["packed.json"],
    ".hidden.json": FILES["packed.json"],
    ".settings": csv(1),
}


@pytest.fixture(scope="module")
def known_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return index_of(tmp_path_factory.mktemp("data"), {**FILES, **LEFT_OUT})


def index_of(folder: Path, files: dict[str, str] | dict[str, str | bytes]) -> Path:
    source = folder / "source"
    source.mkdir()
    for name, text in files.items():
        (source / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    build(source, folder / "known.db")
    return folder / "known.db"


def found(checkout: Checkout, index: Path, *options: str) -> list[tuple[str, int, int, bool, str]]:
    ended = winnow("scan", "--index", index, "--format", "json", *options, cwd=checkout.root)
    assert ended.status in (0, 1), ended
    keys = "path", "start_line", "end_line", "identical"
    return [(*(one[key] for key in keys), one["source"]["path"]) for one in ended.findings()]  # type: ignore[misc]


def test_copied_data_is_found_as_a_whole_whatever_its_name(checkout: Checkout, known_data: Path) -> None:
    for name, text in FILES.items():
        checkout.write(f"data/our_{name}", text.replace("\n", "\r\n"))
    lines = {name: text.count("\n") or 1 for name, text in FILES.items()}
    assert found(checkout, known_data) == [
        (f"data/our_{name}", 1, count, True, name) for name, count in sorted(lines.items())
    ]


def test_data_that_differs_is_not_found(checkout: Checkout, known_data: Path) -> None:
    files = {**OTHERS, **LEFT_OUT}
    for name, text in files.items():
        checkout.write(name, text)
    ended = winnow("scan", "--index", known_data, "--format", "json", cwd=checkout.root)
    assert ended.findings() == []
    assert ended.report()["scan"]["complete"]
    skipped = {skip["path"]: skip["reason"] for skip in ended.report()["scan"]["files_skipped"]}
    assert skipped == {name: "data" if name.endswith((".csv", ".json")) else "unknown language" for name in files}


def test_data_that_the_base_has_is_not_new(checkout: Checkout, known_data: Path) -> None:
    checkout.commit(dict(FILES))
    for name, text in FILES.items():
        checkout.write(f"copied/{name}", text)
    checkout.git("mv", "level.csv", "moved.csv")
    checkout.git("add", "--all")
    assert found(checkout, known_data, "--staged") == []
    assert len(found(checkout, known_data, "--all")) == 2 * len(FILES)


def test_data_of_boilerplate_is_not_reported(checkout: Checkout, tmp_path: Path) -> None:
    index = index_of(tmp_path, dict(FILES))
    (tmp_path / "source" / "level.json").unlink()
    build(tmp_path / "source", index, "--boilerplate", name="everybodys")
    for name, text in FILES.items():
        checkout.write(name, text)
    assert found(checkout, index) == [("level.json", 1, FILES["level.json"].count("\n"), True, "level.json")]


def test_the_report_shows_data_as_an_identical_file(checkout: Checkout, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "level.csv").write_text(FILES["level.csv"])
    build(source, tmp_path / "known.db", "--with-text")
    assert winnow("index", "verify", tmp_path / "known.db", cwd=tmp_path).status == 0
    checkout.write("own.csv", FILES["level.csv"])
    ended = winnow("scan", "--index", tmp_path / "known.db", cwd=checkout.root)
    assert "own.csv:1-401: error: copied from roads (unknown licence), level.csv:1-401\n" in ended.output
    assert "  identical file, " in ended.output
    assert "at,level" in ended.output


def test_a_file_that_is_too_large_to_read_leaves_the_scan_complete(checkout: Checkout, known_data: Path) -> None:
    with checkout.write("large.csv", "").open("wb") as file:
        file.truncate((64 << 20) + 1)
    ended = winnow("scan", "--index", known_data, "--format", "json", cwd=checkout.root)
    assert ended.report()["scan"]["complete"]
    assert [(skip["path"], skip["reason"]) for skip in ended.report()["scan"]["files_skipped"]] == [
        ("large.csv", "data")
    ]
