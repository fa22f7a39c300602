"""``compare --sketch bounded``: files are reduced to sketches of a bounded size, and nothing else is compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import winnow

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
    assert "of at most 20 entries a file; two of them miss a shared run" in said("--sketch", "bounded", "--size", "20")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sketch", "bounded"], "needs the length of the runs"),
        (["--window", "50"], "--window is for --sketch bounded"),
        (["--sketch", "5", "--size", "50"], "--size is for --sketch bounded"),
        (["--sketch", "some"], "neither bounded nor a whole number"),
    ],
)
def test_what_makes_no_sense_is_refused(both: Path, options: list[str], said: str) -> None:
    assert said in winnow("compare", "a.py", "b.py", *options, cwd=both).complaint(2)[0]
