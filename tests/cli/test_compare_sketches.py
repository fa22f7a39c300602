"""``compare --sketch bounded``: files are reduced to sketches of a bounded size, and nothing else is compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.command import winnow
from winnow_ci.comparing import bodies
from winnow_ci.errors import CorpusError
from winnow_ci.model.comparison import ComparisonOptions

if TYPE_CHECKING:
    from collections.abc import Callable

OWN = [
    "".join(
        f"def {name}{n}(a, *b):\n    return {'[' * (n % 7)}a{']' * (n % 7)} {one[n % 5]} b{'.c' * (n // 7 % 5)}\n"
        for n in range(150)
    )
    for name, one in (("f", "+*-/%"), ("g", "|&^<>"))
]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files of code of their own with a long stretch that both have, and one with nothing of it."""
    folder = tmp_path_factory.mktemp("both")
    shared = Path(pytest.__file__).parent.joinpath("..", "_pytest", "scope.py").read_text()
    (folder / "a.py").write_text(OWN[0] + shared)
    (folder / "b.py").write_text(shared + OWN[1])
    return folder


def test_a_shared_run_is_found_in_sketches_of_a_tenth(both: Path) -> None:
    ended = winnow(
        "compare", "a.py", "b.py", "--sketch", "bounded", "--window", "250", "--size", "200", "--json", cwd=both
    )
    found = ended.report()
    assert ended.status == 0
    assert all(found[side]["fingerprints"] <= 200 for side in "ab")
    assert found["document_sketch"]["scheme"] == "bounded"
    assert 0 <= found["document_sketch"]["miss"] < 0.5
    assert (found["least"], found["pairs_found"]) == (1, 1)
    assert found["pairs"][0]["shared"] > 0
    assert found["pairs"][0]["longest_equal"]["tokens"] > 250


def test_it_is_said_what_two_sketches_promise(both: Path) -> None:
    def said(*options: str) -> str:
        return winnow("compare", both, "--all-pairs", "--window", "250", *options, cwd=both).output

    assert "never miss a shared run of 250 k-grams" in said("--sketch", "bounded")
    assert "the size for δ = 0.2 a file" in said("--sketch", "bounded", "--delta", "0.2")
    assert "of at most 20 entries a file; two of them miss a shared run" in said("--sketch", "bounded", "--size", "20")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sketch", "bounded"], "needs the length of the runs"),
        (["--window", "50"], "--window is for --sketch bounded"),
        (["--sketch", "5", "--size", "50"], "--size is for --sketch bounded"),
        (["--sketch", "bounded", "--window", "5", "--delta", "0.3"], "at most 0.2"),
        (["--sketch", "some"], "neither bounded nor a whole number"),
    ],
)
def test_what_makes_no_sense_is_refused(both: Path, options: list[str], said: str) -> None:
    assert said in winnow("compare", "a.py", "b.py", *options, cwd=both).complaint(2)[0]


OPTIONS = "--sketch", "bounded", "--window", "250", "--size", "200"


def test_kept_sketches_stand_in_for_their_files(both: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    ended = winnow("compare", both, *OPTIONS, "--keep", kept, cwd=both)
    assert (ended.status, ended.output) == (0, "")

    direct, instead = (
        winnow("compare", place, "b.py", *OPTIONS, "--json", cwd=both).report() for place in (both, kept)
    )

    same = ("resemblance", "containment_of_a", "containment_of_b", "document_sketch", "pairs_found", "matches")
    assert [instead[key] for key in same] == [direct[key] for key in same]
    assert [instead["a"][key] for key in ("files", "fingerprints")] == [2, direct["a"]["fingerprints"]]
    ours, theirs = ([(pair["a"], pair["shared"], pair["weight"]) for pair in one["pairs"]] for one in (direct, instead))
    assert ours == theirs != []
    assert all(pair["stretches"] == [] and pair["longest_equal"] is None for pair in instead["pairs"])
    assert winnow("compare", kept, "--all-pairs", *OPTIONS, cwd=both).output.count("a.py") == 1


def test_code_of_the_base_does_not_count_in_kept_sketches(both: Path, tmp_path: Path) -> None:
    winnow("compare", "a.py", *OPTIONS, "--keep", tmp_path / "kept", cwd=both)
    found = winnow("compare", tmp_path / "kept", "b.py", *OPTIONS, "--base", "a.py", "--json", cwd=both).report()
    assert (found["a"]["fingerprints"], found["pairs_found"]) == (0, 0)


def test_sketches_that_were_made_otherwise_are_refused(both: Path, tmp_path: Path) -> None:
    winnow("compare", both, *OPTIONS, "--keep", tmp_path / "kept", cwd=both)
    problem, remedy = winnow("compare", tmp_path / "kept", "b.py", *OPTIONS[:-1], "199", cwd=both).complaint(2)
    assert problem.endswith("was made with other options")
    assert remedy == "give -k 16 --sketch bounded --window 250 --size 200 --delta 0.01"
    assert winnow("compare", tmp_path / "kept", "b.py", cwd=both).status == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda row: row.update(level=66),
        lambda row: row.update(level=True),
        lambda row: row.update(frequency=1),
        lambda row: row.update(path=["a"]),
        lambda row: row.update(entries=row["entries"][:-1]),
        lambda row: row.update(entries=row["entries"][16:] + row["entries"][:16]),
        lambda row: row.update(entries=row["entries"][:16] * 2),
        lambda row: row.pop("entries"),
    ],
)
def test_a_file_of_sketches_that_is_not_as_it_should_be_is_refused(damage: Callable[[dict[str, Any]], Any], tmp_path):
    rows = [{"path": "a.py", "level": 0, "frequency": 2, "entries": "00000000000000010000000000000002"}]
    text = bodies.sketches_text([], ComparisonOptions())
    content = json.loads(text)
    content["documents"] = rows
    (tmp_path / "kept").write_text(json.dumps(content))
    assert bodies.kept_in(tmp_path / "kept").documents["a.py"].entries.tolist() == [1, 2]

    damage(rows[0])
    for broken in (json.dumps(content), text, text[:-9], text.replace('"made"', '"else"')):
        (tmp_path / "kept").write_text(broken)
        with pytest.raises(CorpusError):
            bodies.kept_in(tmp_path / "kept")
    (tmp_path / "kept").write_text("x = 1")
    assert bodies.kept_in(tmp_path / "kept") is None
