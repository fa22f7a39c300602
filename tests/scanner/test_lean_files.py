"""A copy with statements without effect between its lines is found, and told in the lines of the file as it is."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.donor import INNOCENT, excerpt
from support.repository import Checkout
from winnow_ci import git
from winnow_ci.config.settings import Settings
from winnow_ci.languages import front_end_of, tokenize
from winnow_ci.matching.region_tokens import region_tokens, renumbered
from winnow_ci.model import LineRange
from winnow_ci.model.regions import Region, Stretch
from winnow_ci.scanner import scan
from winnow_ci.scanner.files import LEAN_REACH, PreparedFile, on_lines, readings_of, with_further_readings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from winnow_ci.index import WholeIndex
    from winnow_ci.model.findings import Finding

COPIED = excerpt("shortest_route").text
WITH_TWO = COPIED.replace("    route = ", "    spare = 5\n    route = ").replace(
    "    while ", "    idle = 7\n    while "
)
NAME = re.compile(r"\b(?!(?:def|while|for|in|if|not|else|break|continue|raise|return|f)\b)[a-z_]+\b")


@pytest.fixture
def look(tmp_path: Path, index: WholeIndex) -> Callable[..., tuple[Finding, ...]]:
    """Scans a file that a commit adds to a repository which has other files."""

    def look(text: str, **had: str) -> tuple[Finding, ...]:
        checkout = Checkout.create(tmp_path / "checkout")
        checkout.commit({"src/own.py": INNOCENT, **{f"src/{name}.py": known for name, known in had.items()}})
        checkout.commit({"src/new.py": text})
        repository = git.Repository.find(checkout.root)
        return scan(repository, git.between(repository, "HEAD~1..HEAD"), [index], Settings()).findings

    return look


def laundered(text: str, idle: str) -> str:
    """The code with its names, strings and comments changed, and a statement before every line of its body."""
    names: dict[str, str] = {}
    head, *body = re.sub(r'""".*?"""|"[^"]*"', '"?"', text, flags=re.DOTALL).split("\n")
    lines = [head, *(line for old in body if old.strip() for line in (_before(old, idle), old))]
    return "\n".join(NAME.sub(lambda name: names.setdefault(name[0], f"n{len(names)}"), line) for line in lines) + "\n"


def _before(line: str, idle: str) -> str:
    number = random.Random(line).randrange(10**6)
    indent = line[: len(line) - len(line.lstrip())]
    return "" if line.strip() == "else:" else indent + idle.format(f"N{number}")


def test_statements_without_effect_hide_no_copy(look: Callable[..., tuple[Finding, ...]]) -> None:
    text = laundered(COPIED, "{} = 5")
    (finding,) = look(INNOCENT + "\n\n" + text)
    first, last = INNOCENT.count("\n") + 3, (INNOCENT + "\n\n" + text).count("\n")
    assert first <= finding.lines.first <= first + 4
    assert last - 4 <= finding.lines.last <= last
    assert finding.kind == "renamed"
    assert finding.tokens > finding.agreement.matched


def test_statements_with_an_effect_do(look: Callable[..., tuple[Finding, ...]]) -> None:
    """So what is found above is found without the statements."""
    assert look(INNOCENT + "\n\n" + laundered(COPIED, "{0} = {0} + 5")) == ()


def test_code_with_such_statements_that_moves_is_not_new(look: Callable[..., tuple[Finding, ...]]) -> None:
    assert look(WITH_TWO, old=WITH_TWO) == ()


def test_such_a_copy_verbatim_is_found_once(look: Callable[..., tuple[Finding, ...]]) -> None:
    (finding,) = look(WITH_TWO)
    assert (finding.lines.first, finding.lines.last) == (1, WITH_TWO.count("\n"))
    assert (finding.agreement.verbatim, finding.also_in) == (finding.agreement.matched, ())


def lean_of(text: str, added: tuple[LineRange, ...]) -> tuple[PreparedFile, PreparedFile | None]:
    """A file and its lean file."""
    tokens = tokenize("python", text.encode())
    marks = on_lines(tokens.first_lines, tokens.last_lines, added)
    file = PreparedFile("a.py", text.encode(), front_end_of("python"), tokens, added, marks)
    (read,) = with_further_readings([file], frozenset())
    assert isinstance(read, PreparedFile)
    whole, *lean = readings_of(read)
    assert whole.tokens is tokens
    return read, lean[0] if lean else None


USES = "use(first, second, third, fourth)\n"


def test_a_lean_file_is_the_file_without_such_statements_that_the_change_adds() -> None:
    text = f"spare = 7\n{USES * 3}# so much to say\nother = 8\n{USES * 3}last = 9\n"
    read, lean = lean_of(text, (LineRange(2, 99),))
    assert lean is not None
    assert read.lean is not None
    without = tokenize("python", text.replace("other = 8\n", "\n").replace("last = 9\n", "\n").encode())
    assert lean.tokens.verbatim.tolist() == without.verbatim.tolist()
    assert lean.tokens.first_lines.tolist() == without.first_lines.tolist()
    assert read.tokens.verbatim[read.lean.numbers].tolist() == without.verbatim.tolist()
    assert lean.added.tolist() == [False] * 3 + [True] * (len(without) - 3)
    assert lean.tokens.phrases is not None
    assert without.phrases is not None
    assert lean.tokens.phrases.positions.tolist() == without.phrases.positions.tolist()
    assert lean.tokens.phrases.hashes.tolist() == without.phrases.hashes.tolist()


def test_what_is_far_from_such_statements_is_not_looked_up_again() -> None:
    text = USES * 60 + "spare = 7\n" + USES + "other = 8\n" + USES * 60
    _, lean = lean_of(text, (LineRange(1, 999),))
    assert lean is not None
    (found,) = np.flatnonzero(np.diff(lean.added, prepend=False, append=False)).reshape(-1, 2).tolist()
    first, last = len(tokenize("python", (USES * 60).encode())), len(tokenize("python", (USES * 61).encode()))
    assert found == [first - LEAN_REACH, last + LEAN_REACH]


def test_without_such_statements_or_of_a_small_change_there_is_no_lean_file() -> None:
    assert lean_of(USES * 20, (LineRange(1, 99),))[1] is None
    text = USES * 3 + "spare = 7\n" + USES + "other = 8\n" + USES * 3
    assert lean_of(text, (LineRange(1, 99),))[1] is not None
    assert lean_of(text, (LineRange(3, 5),))[1] is None


STATE = {
    "python": ("self.{}", "state['{}']"),
    "javascript": ("this.{}", "state['{}']", 'ctx["{}"]', "state?.{}"),
    "typescript": ("this.{}", "ctx['{}']"),
    "java": ("this.{}",),
    "c": ("state->{}", "state.{}"),
    "cpp": ("this->{}", "state['{}']"),
    "csharp": ("this.{}", 'state["{}"]'),
    "go": ("s.{}", 'state["{}"]'),
    "kotlin": ("this.{}", 'state["{}"]'),
    "php": ("$this->{}", "$state['{}']"),
    "rust": ("self.{}", 'state["{}"]'),
    "swift": ("self.{}", 'state["{}"]'),
    "scala": ("this.{}",),
}
WORK = ["{0} = work({1}, {2})", "{3} = {0}[{1}] * 3 + {2}[{0}]", "{1} = use({0}, {1}, {2}, {3})", "{2} = {3}.part({0})"]


@pytest.mark.parametrize(("language", "form"), [(name, form) for name, forms in STATE.items() for form in forms])
def test_variables_in_state_are_read_as_variables(language: str, form: str) -> None:
    mark = "$" if language == "php" else ""
    names = ["first", "second", "third", "fourth"]

    def text(of: str) -> str:
        return ("<?php\n" if mark else "") + "".join(
            line.format(*(of.format(name) for name in names)) + ";\n" for line in WORK * 3
        )

    tokens = tokenize(language, text(form).encode())
    file = PreparedFile(
        *("a", text(form).encode(), front_end_of(language), tokens, (LineRange(1, 99),), np.ones(len(tokens), np.bool_))
    )
    (read,) = with_further_readings([file], frozenset())
    assert isinstance(read, PreparedFile)
    _, lean = readings_of(read)
    plain = tokenize(language, text(mark + "{}").encode())
    assert lean.tokens.verbatim.tolist() == plain.verbatim.tolist()
    assert lean.tokens.structural.tolist() == plain.structural.tolist()
    assert lean.tokens.sketch.tolist() == plain.sketch.tolist()


@pytest.mark.parametrize("form", ["self.{}", "state['{}']"])
def test_a_function_whose_variables_are_state_is_found(look: Callable[..., tuple[Finding, ...]], form: str) -> None:
    head, *body = COPIED.split("\n")
    own = "|".join(sorted(set(re.findall(r"\b(\w+)(?=[^=\n]* = )", "\n".join(body)))))
    text = "\n".join([head, *(re.sub(rf"\b({own})\b", lambda name: form.format(name[0]), line) for line in body)])
    assert text != COPIED
    (finding,) = look(text)
    assert finding.strength == "strong"


@given(st.data())
def test_a_region_of_a_lean_file_has_the_same_tokens_in_the_file(data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=2, max_size=30).filter(any))
    numbers = np.flatnonzero(kept)
    marks = data.draw(st.lists(st.booleans(), min_size=len(numbers), max_size=len(numbers)).filter(any))
    shifts = data.draw(st.lists(st.integers(0, 3), min_size=len(numbers), max_size=len(numbers)))
    here = np.flatnonzero(marks).tolist()
    stretches = tuple(Stretch(place, 100 + place + sum(shifts[: place + 1]), 1) for place in here)
    same = np.array(marks)[here]
    region = Region(
        *(1, here[0], here[-1] + 1, 100, 300, len(here), len(here), 0, "renamed", stretches),
        same=np.packbits(same).tobytes(),
    )
    found = renumbered(region, numbers)
    before, after = region_tokens(region), region_tokens(found)
    assert after.here.tolist() == numbers[before.here].tolist()
    assert after.there.tolist() == before.there.tolist()
    assert after.same.tolist() == before.same.tolist()
    assert (found.start, found.end) == (after.here[0], after.here[-1] + 1)
    assert found._replace(start=region.start, end=region.end, stretches=stretches) == region
