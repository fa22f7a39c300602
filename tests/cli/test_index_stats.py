"""``winnow-ci index stats``: how much each source has, and what most of them share."""

from __future__ import annotations

import json
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


def test_what_all_sources_share_comes_first(index: Path) -> None:
    done = winnow("index", "stats", "i.db", "--top", "1", cwd=index.parent)
    assert (done.status, done.errors) == (0, "")
    lines = done.output.splitlines()
    assert lines[0].split() == ["SOURCE", "FINGERPRINTS", "SHARE", "FILES", "WHOLE", "BYTES"]
    assert [line.split()[0] for line in lines[1:4]] == ["a", "b", "c"]
    assert lines[4].endswith(" fingerprints of 4 contents, 1 of them shared")
    assert lines[6] == "most widely shared:"
    assert lines[7].startswith("  3 sources, 3 contents: ")
    assert ":".join(lines[7].split(":")[1:]).strip().split(":")[0] in {"a m.py", "b m.py", "c m.py"}


def test_figures_for_programs(index: Path) -> None:
    done = winnow("index", "stats", "i.db", "--top", "100", "--json", cwd=index.parent)
    content = json.loads(done.output)
    assert (done.status, content["contents"], content["shared_contents"]) == (0, 4, 1)
    shares = {source["name"]: source["share"] for source in content["sources"]}
    assert shares == {s["name"]: round(s["fingerprints"] / content["fingerprints"], 4) for s in content["sources"]}
    ranks = [(entry["sources"], entry["contents"]) for entry in content["most_shared"]]
    assert ranks == sorted(ranks, reverse=True)
    assert ranks[0] == (3, 3)
    assert ranks[-1][1] == 2
    for entry in content["most_shared"]:
        if entry["source"] == "a":
            text = (PREAMBLE + ROUTES).splitlines()
            assert entry["text"] == text[entry["start_line"] - 1 : entry["end_line"]]
        else:
            assert entry["text"] == []
    assert any(entry["text"] for entry in content["most_shared"])


@pytest.mark.parametrize("top", ["-1", "1001", "ten"])
def test_a_number_that_cannot_be(index: Path, top: str) -> None:
    problem, _ = winnow("index", "stats", "i.db", f"--top={top}", cwd=index.parent).complaint(2)
    assert "must be a whole number from 0 to 1000" in problem


def test_nothing_more_is_said_than_asked(index: Path) -> None:
    done = winnow("index", "stats", "i.db", "--top", "0", cwd=index.parent)
    assert (done.status, "shared:" in done.output) == (0, False)


def test_what_several_sources_say_is_not_among_the_kgrams(tmp_path: Path) -> None:
    said = "one = 1  # the winnow is a fan for the grain\ntwo = 'the chaff goes with the wind'\n"
    for name, text in {"a": ROUTES, "b": LOGS, "c": INNOCENT}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "m.py").write_text(text)
        build(tmp_path / name, tmp_path / "own.db", name=name)
        (tmp_path / name / "m.py").write_text(said + text)
        build(tmp_path / name, tmp_path / "said.db", name=name)
    own, more = (
        winnow("index", "stats", index, "--top", "100", "--json", cwd=tmp_path).report()
        for index in ("own.db", "said.db")
    )
    assert more["fingerprints"] > own["fingerprints"]
    lines = [(entry["source"], entry["start_line"], entry["end_line"]) for entry in more["most_shared"]]
    assert all(end > 2 for _, _, end in lines)
    assert all(entry["sources"] < 3 for entry in more["most_shared"])
