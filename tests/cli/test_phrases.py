"""A comment, a message or a long name leads to an edited copy, and alone it is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.command import build, winnow
from support.phrases import (
    AROUND_COMMENT,
    BY_COMMENT,
    BY_MESSAGE,
    BY_NAMES,
    COMMENT,
    GRAB,
    HEADER,
    LONGER,
    SAME_LIBRARY,
    SAME_SHAPE,
    SHORT,
    UNRELATED,
    Edited,
)
from support.repository import Checkout
from winnow_ci.model import RESTATED

if TYPE_CHECKING:
    from pathlib import Path

EDITED = {"comment": BY_COMMENT, "message": BY_MESSAGE, "names": BY_NAMES, "short": SHORT}


class Team:
    """A repository, and an index of known code."""

    def __init__(self, folder: Path, ending: str) -> None:
        self.folder, self.ending = folder, ending
        self.checkout = Checkout.create(folder / "checkout")

    def knows(self, text: str, *options: str, name: str = "donor", index: str = "known.db") -> None:
        source = self.folder / name
        source.mkdir()
        (source / f"{name}.{self.ending}").write_text(text)
        build(source, self.folder / index, *options, name=name)

    def finds(self, before: str, after: str, **files: str) -> list[dict[str, Any]]:
        """The copies that are found in a change; who uses one library may share its names, which is no copy."""
        self.checkout.commit({f"own.{self.ending}": before})
        self.checkout.write(f"own.{self.ending}", after)
        for path, text in files.items():
            self.checkout.write(path.replace("_", "."), text)
        indexes = (part for index in sorted(self.folder.glob("*.db")) for part in ("--index", index))
        ended = winnow("scan", *indexes, "--format", "json", cwd=self.checkout.root)
        assert ended.status == any(finding["level"] == "error" for finding in ended.findings()), ended
        return [finding for finding in ended.findings() if finding["kind"] not in RESTATED]


@pytest.fixture
def team(tmp_path: Path) -> Team:
    """A team that knows the code whose comment was copied."""
    team = Team(tmp_path, BY_COMMENT.ending)
    team.knows(BY_COMMENT.known)
    return team


def lines(finding: dict[str, Any]) -> tuple[int, ...]:
    places = (finding, finding["source"])
    return tuple(place[key] for place in places for key in ("start_line", "end_line"))


# ---- what is found ---------------------------------------------------------------------------------------------


FOUND = [
    pytest.param(edited, id=name, marks=pytest.mark.xfail(name == "names", strict=True, reason="too many breaks"))
    for name, edited in EDITED.items()
]


@pytest.mark.parametrize("edited", FOUND)
def test_a_copy_without_a_whole_kgram_is_found_by_what_it_says(edited: Edited, tmp_path: Path) -> None:
    team = Team(tmp_path, edited.ending)
    team.knows(edited.known)
    (finding,) = team.finds(edited.before, edited.after)
    assert (lines(finding), finding["kind"], finding["fingerprints"]) == (edited.lines, "renamed", 0)
    assert finding["source"]["path"] == f"donor.{edited.ending}"


@pytest.mark.parametrize("edited", EDITED.values(), ids=EDITED)
def test_it_is_not_found_without(edited: Edited, tmp_path: Path) -> None:
    team = Team(tmp_path, edited.ending)
    team.knows(edited.known)
    assert team.finds(edited.before, edited.silent) == []


def test_how_a_comment_is_decorated_does_not_matter(team: Team) -> None:
    words = COMMENT.strip().removeprefix("/* ").removesuffix(" */")
    (finding,) = team.finds(BY_COMMENT.before, BY_COMMENT.after.replace(COMMENT, f"\t// *** {words.upper()} ***\n"))
    assert lines(finding) == BY_COMMENT.lines


def test_a_comment_may_have_been_made_a_message(team: Team) -> None:
    words = COMMENT.strip().removeprefix("/* ").removesuffix(" */")
    (finding,) = team.finds(BY_COMMENT.before, BY_COMMENT.after.replace(COMMENT, f'\ttrace("{words}");\n'))
    assert finding["fingerprints"] == 0


@pytest.mark.parametrize("mark", ["\r", "\u2028"])
def test_a_line_end_that_is_not_counted_does_not_hide_it(team: Team, mark: str) -> None:
    (finding,) = team.finds(BY_COMMENT.before, BY_COMMENT.after.replace("return -1;", f"return {mark} -1;"))
    assert lines(finding) == BY_COMMENT.lines


# ---- what is not -----------------------------------------------------------------------------------------------


def test_a_comment_above_other_code_is_no_copy(team: Team) -> None:
    assert COMMENT in UNRELATED
    assert team.finds(BY_COMMENT.before, UNRELATED) == []


@pytest.mark.parametrize("at", [0, BY_COMMENT.before.count("\n")])
@pytest.mark.parametrize("code", [UNRELATED, BY_COMMENT.after])
def test_the_header_of_a_file_leads_nowhere(tmp_path: Path, code: str, at: int) -> None:
    team = Team(tmp_path, "c")
    team.knows(HEADER + BY_COMMENT.known)
    rows = code.replace(COMMENT, "").splitlines(keepends=True)
    assert team.finds(BY_COMMENT.before, "".join([*rows[:at], HEADER, *rows[at:]])) == []


def test_what_is_said_on_lines_that_were_there_is_no_evidence(team: Team) -> None:
    before = BY_COMMENT.after.replace(GRAB, "")
    assert COMMENT in before
    assert team.finds(before, BY_COMMENT.after) == []


def test_what_is_said_beside_lines_that_were_there_is_no_copy(team: Team) -> None:
    assert team.finds(BY_COMMENT.after.replace(COMMENT, ""), BY_COMMENT.after) == []


@pytest.mark.parametrize("code", [SAME_LIBRARY, SAME_SHAPE], ids=["otherwise", "alike"])
def test_a_library_that_both_use_is_no_copy(tmp_path: Path, code: str) -> None:
    team = Team(tmp_path, BY_NAMES.ending)
    team.knows(BY_NAMES.known)
    names = [name for name in BY_NAMES.silenced if name in code]
    assert len(names) == len(BY_NAMES.silenced)
    assert team.finds(BY_NAMES.before, code) == []


# ---- what everybody says ---------------------------------------------------------------------------------------

SAYING = f"void other(void)\n{{\n{COMMENT}\tg(1, 2, 3);\n\tfor (;;) {{ puts(a); h(x, y); }}\n}}\n"


@pytest.mark.parametrize("index", ["known.db", "others.db"])
def test_what_boilerplate_says_is_no_evidence_in_any_index(team: Team, index: str) -> None:
    team.knows(SAYING, "--boilerplate", name="everybody", index=index)
    assert team.finds(BY_COMMENT.before, BY_COMMENT.after) == []


def test_what_another_source_says_too_still_is(team: Team) -> None:
    team.knows(SAYING, name="another")
    (finding,) = team.finds(BY_COMMENT.before, BY_COMMENT.after)
    assert (finding["source"]["name"], finding["also_in"]) == ("donor", [])


@pytest.mark.parametrize(("everybody", "count"), [("SPAN = 60;\n", 1), (AROUND_COMMENT, 0)])
def test_what_is_said_in_code_that_the_configuration_calls_boilerplate_is_no_evidence(
    tmp_path: Path, everybody: str, count: int
) -> None:
    team = Team(tmp_path, LONGER.ending)
    team.knows(LONGER.known)
    text = "".join(f"      {line}\n" for line in everybody.splitlines())
    config = f"boilerplate:\n  - language: c\n    text: |\n{text}"
    assert len(team.finds(LONGER.before, LONGER.after, _winnow_yml=config)) == count
