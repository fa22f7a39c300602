"""What a report says of a copy is so: copies with random edits, their tokens counted again from the texts."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.command import build
from support.donor import DISTRICTS, LOGS, MERGE_CLOSURES, ROUTES, SHORTEST_ROUTE, write_known
from support.repository import Checkout
from winnow_ci import git
from winnow_ci.config.settings import Settings
from winnow_ci.index import WholeIndex
from winnow_ci.languages import tokenize
from winnow_ci.report import wording
from winnow_ci.scanner import scan

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from winnow_ci.model import LineRange
    from winnow_ci.model.findings import Finding

SOURCES = {"roads/routes.py": ROUTES, "roads/logs.py": LOGS}


def edited(text: str, chance: random.Random) -> str:
    """A function with up to two edits, some of which change no token."""
    lines = text.splitlines()
    for _ in range(chance.randrange(3)):
        at = chance.randrange(1, len(lines) - 1)
        edit = chance.randrange(7)
        if edit == 0:
            lines[at] += "  # a comment"
        elif edit == 1:
            lines.insert(at, "")
        elif edit == 2:
            lines[at] = lines[at].replace(" = ", " += ")
        elif edit == 3:
            del lines[at]
        elif edit == 4:
            lines[at] = lines[at].replace("place", "spot").replace("end", "stop").replace("0", "1")
        elif edit == 5:
            lines[0] = lines[0].replace("def ", "def my_")
        else:
            half = len(lines) // 2
            lines = [lines[0], *lines[half:], *lines[1:half]]
    return "\n".join([*lines, ""])


def tokens_on(text: str, lines: LineRange) -> NDArray[np.uint64]:
    """The texts of the tokens on some lines, as hashes."""
    tokens = tokenize("python", text.encode())
    return tokens.verbatim[(tokens.first_lines >= lines.first) & (tokens.last_lines <= lines.last)]


@pytest.mark.parametrize("with_text", [True, False])
def test_identical_is_said_of_all_copies_that_are_and_only_of_those(tmp_path: Path, with_text: bool) -> None:
    build(write_known(tmp_path / "source"), tmp_path / "known.db", *(["--with-text"] if with_text else []))
    chance = random.Random(14)
    copies = [SHORTEST_ROUTE.text, MERGE_CLOSURES.text, DISTRICTS.text]
    files = {f"copy{number}.py": edited(copies[number % 3], chance) for number in range(60)}
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit(files)
    repository = git.Repository.find(checkout.root)
    with WholeIndex(tmp_path / "known.db") as index:
        found = scan(repository, git.everything(repository), [index], Settings()).findings
    told = [said_and_so(finding, files) for finding in found]
    assert len(told) >= 60
    assert {said for said, _ in told if not with_text} <= {False}
    assert not with_text or (0 < sum(said for said, _ in told) < len(told))
    assert all(so for said, so in told if said)
    assert not with_text or all(said for said, so in told if so)


def said_and_so(finding: Finding, files: dict[str, str]) -> tuple[bool, bool]:
    """Whether a finding is said to be identical, and whether the tokens on its lines are those on the source's."""
    here = tokens_on(files[finding.path], finding.lines)
    there = tokens_on(SOURCES[finding.source.file.path], finding.source.lines)
    return wording.likeness(finding).startswith("identical, "), np.array_equal(here, there)
