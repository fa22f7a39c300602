"""Each line of a copy is in the lines of a finding, however many copies a file has.

The files are made of random tokens, so nothing else in them is alike. Their copies are runs of t tokens, the shortest
that the guarantee is about, in each arrangement in which one copy can hide another: beside each other, one within
another, in another order, and with a weak chain of renamed code across them.
"""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.command import build
from support.repository import Checkout
from winnow_ci import git
from winnow_ci.config.settings import Settings
from winnow_ci.evidence.weights import common_grams, common_kgrams, grams, informative
from winnow_ci.index import WholeIndex
from winnow_ci.languages import tokenize
from winnow_ci.model import Parameters
from winnow_ci.scanner import scan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from winnow_ci.model.findings import Finding

K = Parameters().k
T = Parameters().guarantee
EXAMPLES = 60
A_LINE = 6
SOURCES, LENGTH = ("ash", "elm", "fir", "oak"), 400
MARKS = "if for while return else in not and or is ( ) [ ] { } : , . + - * / % == != <= = 1 2 'a' 'b'".split()


def random_words(name: str, seed: object, count: int) -> list[str]:
    """Tokens of which half are names that begin with that name."""
    chance = random.Random(f"{name} {seed}")
    return [f"{name}{chance.randrange(60)}" if chance.random() < 0.5 else chance.choice(MARKS) for _ in range(count)]


KNOWN = {name: random_words(name, 0, LENGTH) for name in SOURCES}


class Piece(NamedTuple):
    """Lines of a changed file.

    Attributes:
        kind: a copied run, code of a known file with its names changed, or random tokens.
        source: which known file; empty for random tokens.
        start: its first token there.
        words: its tokens.
    """

    kind: Literal["run", "renamed", "noise"]
    source: str
    start: int
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(" ".join(self.words[n : n + A_LINE]) + "\n" for n in range(0, len(self.words), A_LINE))


def promised_starts(words: Sequence[str]) -> list[int]:
    """Where runs of t tokens begin that are all informative."""
    tokens = tokenize("python", " ".join(words).encode())
    assert len(tokens) == len(words)
    telling = informative(grams(tokens), K) & ~common_kgrams(tokens, K, common_grams(tokens))
    return [start for start in range(len(words) - T) if telling[start : start + T - K + 1].all()]


STARTS = {name: promised_starts(words) for name, words in KNOWN.items()}


def run(name: str, start: int) -> Piece:
    return Piece("run", name, start, tuple(KNOWN[name][start : start + T]))


def renamed(name: str, start: int, count: int) -> Piece:
    words = (f"other_{word}" if word.startswith(name) else word for word in KNOWN[name][start : start + count])
    return Piece("renamed", name, start, tuple(words))


@st.composite
def noises(draw: st.DrawFn) -> list[Piece]:
    seed, count = draw(st.integers(0, 10**6)), draw(st.integers(1, 30))
    return [Piece("noise", "", 0, tuple(random_words("zq", seed, count)))]


@st.composite
def runs(draw: st.DrawFn, names: Sequence[str] = SOURCES) -> Piece:
    name = draw(st.sampled_from(names))
    return run(name, draw(st.sampled_from(STARTS[name])))


@st.composite
def nested(draw: st.DrawFn) -> list[Piece]:
    """A run, the one behind it there, and between them one of another file."""
    name = draw(st.sampled_from(SOURCES))
    later = set(STARTS[name])
    first = draw(st.sampled_from([start for start in STARTS[name] if start + T in later]))
    inner = draw(runs([other for other in SOURCES if other != name]))
    return [run(name, first), inner, run(name, first + T)]


@st.composite
def chained(draw: st.DrawFn) -> list[Piece]:
    """Parts of a file with their names changed, and between them runs of that file or of others."""
    name = draw(st.sampled_from(SOURCES))
    foreign = draw(st.booleans())
    at, pieces = draw(st.integers(0, 60)), []
    for _ in range(draw(st.integers(1, 3))):
        end = min(start for start in STARTS[name] if start >= at + 30)
        pieces.append(renamed(name, at, end - at))
        pieces.append(draw(runs([other for other in SOURCES if other != name])) if foreign else run(name, end))
        at = end if foreign else end + T
    return [*pieces, renamed(name, at, 40)]


arrangements = st.one_of(st.lists(runs(), min_size=1, max_size=4), nested(), chained(), noises())
changed_files = st.lists(arrangements, min_size=3, max_size=7).map(
    lambda parts: [one for part in parts for one in part]
)


def cases(pieces: Sequence[Piece]) -> Iterator[str]:
    """Which hard cases a file has, seen from its pieces alone."""
    kinds = [piece.kind for piece in pieces]
    if ("run", "run") in pairwise(kinds):
        yield "adjacent"
    triples = list(zip(pieces, pieces[1:], pieces[2:], strict=False))
    if any(a.kind == b.kind == c.kind == "run" and a.source == c.source != b.source for a, b, c in triples):
        yield "nested"
    if any(a.kind == b.kind == "run" and a.source == b.source and a.start > b.start for a, b in pairwise(pieces)):
        yield "out of order"
    weak = [(b.source == a.source) for a, b, c in triples if (a.kind, b.kind, c.kind) == ("renamed", "run", "renamed")]
    yield from {"in a weak chain" if own else "across a weak chain" for own in weak}
    if kinds.count("run") >= 10:
        yield "ten and more"


def test_the_files_have_the_hard_cases() -> None:
    seen: Counter[str] = Counter()

    @given(changed_files)
    @settings(max_examples=EXAMPLES, database=None)
    def look(pieces: list[Piece]) -> None:
        seen.update(cases(pieces))

    look()
    expected = ("adjacent", "nested", "out of order", "in a weak chain", "across a weak chain", "ten and more")
    assert all(seen[case] >= EXAMPLES // 10 for case in expected), seen


@pytest.fixture(scope="module", params=["anchored", "mod-minimizer"])
def known(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeIndex]:
    """An index of which every k-gram is asked, and one of which only those are that the change selects."""
    folder = tmp_path_factory.mktemp("known")
    for name, words in KNOWN.items():
        (folder / name).mkdir()
        (folder / name / "code.py").write_text(Piece("run", name, 0, tuple(words)).text)
        build(folder / name, folder / "known.db", "--selection", request.param, name=name)
    with WholeIndex(folder / "known.db") as index:
        yield index


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return Checkout.create(tmp_path_factory.mktemp("checkout"))


def found_in(text: str, checkout: Checkout, known: WholeIndex) -> tuple[Finding, ...]:
    checkout.write("changed.py", text)
    checkout.git("add", "changed.py")
    repository = git.Repository.find(checkout.root)
    return scan(repository, git.staged(repository), [known], Settings()).findings


def lines_of(finding: Finding) -> set[int]:
    return set(range(finding.lines.first, finding.lines.last + 1))


def copied(pieces: Sequence[Piece]) -> Iterator[tuple[str, set[int]]]:
    """The source and the lines of each run in a file."""
    line = 1
    for piece in pieces:
        lines = set(range(line, line := line + piece.text.count("\n")))
        if piece.kind == "run":
            yield piece.source, lines


@given(pieces=changed_files)
@settings(max_examples=EXAMPLES)
def test_each_line_of_a_copy_is_in_the_lines_of_a_finding(
    checkout: Checkout, known: WholeIndex, pieces: list[Piece]
) -> None:
    found = found_in("".join(piece.text for piece in pieces), checkout, known)
    shown: set[int] = set().union(*map(lines_of, found))
    for source, lines in copied(pieces):
        assert lines <= shown, (source, min(lines), max(lines))
