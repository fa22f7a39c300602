"""``winnow-ci index verify`` names the code that most sources share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.donor import INNOCENT, LOGS, ROUTES

if TYPE_CHECKING:
    from pathlib import Path

PREAMBLE = """\
def main(arguments=None, stream=open("log.txt")):
    parser = make_parser(arguments, prog="tool", width=80)
    if not arguments or arguments[0] == "--help":
        raise SystemExit(parser.help(stream, 3))
    return [line.strip() for line in stream if line > 7]


"""


# What two sources share is counted by equal fingerprints, so that each has to select the same of equal code.
LOCAL = ("--selection", "robust", "-w", "12")


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """Three sources that begin alike, two of which have one file in common; the text of one is kept."""
    for name, text in {"a": ROUTES, "b": LOGS, "c": INNOCENT}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "m.py").write_text(PREAMBLE + text)
    for name in "bc":
        (tmp_path / name / "both.py").write_text(INNOCENT)
    for name in "abc":
        build(tmp_path / name, tmp_path / "i.db", *LOCAL, *(("--with-text",) if name == "a" else ()), name=name)
    return tmp_path / "i.db"


def shared(folder: Path, index: str) -> list[tuple[str, ...]]:
    """Of each line: how many sources and contents share the code, the source and path of one place, and its lines."""
    done = winnow("index", "verify", index, cwd=folder)
    assert (done.status, done.errors) == (0, "")
    assert re.search(r"\ndigest [0-9a-f]{32}\n$", done.output)
    return re.findall(r"^shared by (\d+) sources, (\d+) contents?: (\S+) (\S+):(\d+)-(\d+)$", done.output, re.MULTILINE)


def test_what_all_sources_share_comes_first(index: Path) -> None:
    found = shared(index.parent, "i.db")
    assert found[0][:2] == ("3", "3")
    assert (found[0][2], found[0][3]) in {(name, "m.py") for name in "abc"}
    assert 1 <= int(found[0][4]) <= int(found[0][5]) <= len(PREAMBLE.splitlines())
    ranks = [(int(sources), int(contents)) for sources, contents, *_ in found]
    assert ranks == sorted(ranks, reverse=True)
    assert len(ranks) == 10
    assert "\n1 content in several sources\n" in winnow("index", "verify", index, cwd=index.parent).output


def test_what_several_sources_say_is_not_among_the_kgrams(tmp_path: Path) -> None:
    said = "one = 1  # the winnow is a fan for the grain\ntwo = 'the chaff goes with the wind'\n"
    for name, text in {"a": ROUTES, "b": LOGS, "c": INNOCENT}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "m.py").write_text(said + text)
        build(tmp_path / name, tmp_path / "said.db", name=name)
    assert all(int(end) > 2 and sources != "3" for sources, *_, end in shared(tmp_path, "said.db"))
