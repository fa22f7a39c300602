"""``--selection``: an index made with any scheme can be scanned, and says what it does not promise."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest

from support.command import Ended, build, winnow
from support.donor import write_known
from winnow_ci.model import GUARANTEED, Selection

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout

SELECTIONS = get_args(Selection)


def scan(checkout: Checkout, index: Path, *options: str | Path) -> Ended:
    return winnow("scan", "--index", index, "--format", "json", *options, cwd=checkout.root)


@pytest.mark.parametrize("selection", SELECTIONS)
def test_a_copied_file_is_found_whatever_the_index_was_made_with(
    copied: Checkout, known: Path, tmp_path: Path, selection: str
) -> None:
    built = build(write_known(tmp_path / "source"), tmp_path / "i.db", "--selection", selection)
    assert ("may have no fingerprint" in built.errors) == (selection not in GUARANTEED)
    assert f" {selection} selection, " in winnow("index", "list", tmp_path / "i.db", cwd=tmp_path).output
    expected = {finding["path"] for finding in scan(copied, known).findings()}
    ended = scan(copied, tmp_path / "i.db")
    assert ended.status == 1
    assert {finding["path"] for finding in ended.findings()} == expected


def test_the_same_code_gives_the_same_index(tmp_path: Path) -> None:
    source = write_known(tmp_path / "source")
    for selection in SELECTIONS:
        for name in "ab":
            build(source, tmp_path / f"{name}.db", "--selection", selection)
        assert (tmp_path / "a.db").read_bytes() == (tmp_path / "b.db").read_bytes()
        for name in "ab":
            (tmp_path / f"{name}.db").unlink()


def test_the_configuration_chooses_the_selection(copied: Checkout, known: Path, tmp_path: Path) -> None:
    source = write_known(tmp_path / "source")
    (tmp_path / ".winnow.yml").write_text("selection: mod-minimizer\n")
    build(source, tmp_path / "i.db")
    assert " mod-minimizer selection, " in winnow("index", "list", "i.db", cwd=tmp_path).output
    configured = "--config", tmp_path / ".winnow.yml"
    assert scan(copied, tmp_path / "i.db", *configured).status == 1
    problem, remedy = scan(copied, known, *configured).complaint(3)
    assert "k = 16, w = 9 and anchored selection, but the configuration wants" in problem
    assert remedy.endswith(" -k 16 -w 9 --selection mod-minimizer")


def test_an_unknown_selection_is_an_error_that_names_those_there_are(tmp_path: Path) -> None:
    (tmp_path / ".winnow.yml").write_text("w: 12\nselection: mod-q\n")
    ended = winnow("index", "build", write_known(tmp_path / "source"), "--output=i.db", "--name=x", cwd=tmp_path)
    problem, remedy = ended.complaint(2)
    assert problem.startswith(".winnow.yml:2: selection cannot be 'mod-q'")
    assert all(selection in remedy for selection in SELECTIONS)
