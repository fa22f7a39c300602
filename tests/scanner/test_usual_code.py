"""What both sides write again and again is weaker evidence; one sign of it alone is none."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.file_hits import tokens_on
from winnow_ci.matching import part_of, union
from winnow_ci.model import LineRange, Place, Source, SourceFile, TokenMap
from winnow_ci.model.regions import Evidence, Region, Stretch
from winnow_ci.records import replace
from winnow_ci.scanner.usual_code import UsualCode
from winnow_ci.scanner.values import Match

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.model import Tokens

# A file of four parts; what is matched is the second.
PART, START = 30, 30
COUNT = 4 * PART
ONCE = np.arange(COUNT) + 1


@pytest.fixture
def without_collection() -> Iterator[None]:
    """No garbage is collected meanwhile, as hardly ever during a scan."""
    gc.disable()
    yield
    gc.enable()


def repeated(tokens: int = PART) -> np.ndarray:
    """Ids of a file that has the first tokens of the match once more, far away from it."""
    ids = ONCE.copy()
    ids[3 * PART : 3 * PART + tokens] = ids[START : START + tokens]
    return ids


def changed(ids: np.ndarray = ONCE) -> Tokens:
    return replace(tokens_on([1] * COUNT), structural=ids.astype(np.uint64))


def known(ids: np.ndarray = ONCE) -> TokenMap:
    lines = np.ones(COUNT, np.int32)
    return TokenMap(lines, lines, ids.astype(np.uint8))


def match(
    path: str = "tests/a.py", *, source: str = "django", kind: str = "renamed", bits: float = 100.0, tokens: int = PART
) -> Match:
    region = Region(
        content=0,
        start=START,
        end=START + tokens,
        source_start=START,
        source_end=START + tokens,
        matched=tokens,
        matched_verbatim=0,
        fingerprints=1,
        kind="renamed" if kind == "renamed" else "verbatim",
        stretches=(Stretch(START, START, tokens),),
        bits=bits,
        weight=60.0,
        strength="strong",
        evidence=Evidence(lines=3),
        same=np.packbits(np.full(tokens, kind == "verbatim")).tobytes(),
    )
    lines = LineRange(1, 1)
    return Match("a.py", region, lines, (lines,), b"", (Place(SourceFile(Source(source), path), lines),))


def weighed(*matches: Match, here: np.ndarray = ONCE, there: np.ndarray = ONCE) -> tuple[float, str]:
    region = UsualCode(matches, changed(here), lambda _: known(there)).weakened()[0].region
    return region.weight, region.strength


def test_one_sign_is_none() -> None:
    other = match("tests/b.py")
    for found in (
        weighed(match()),
        weighed(match(), here=repeated()),
        weighed(match(), there=repeated()),
        weighed(match(), other),
    ):
        assert found == (60.0, "strong")


def test_two_signs_make_a_match_weak() -> None:
    other, again = match("tests/b.py"), repeated()
    assert weighed(match(), here=again, there=again) == (0.0, "weak")
    assert weighed(match(), other, here=again) == (0.0, "weak")
    assert weighed(match(), other, there=again) == (0.0, "weak")


@pytest.mark.parametrize(("signs", "enough"), [(2, 64.0), (3, 94.0)])
def test_a_heavy_copy_stays_strong(signs: int, enough: float) -> None:
    others = [match("tests/b.py")] * (signs - 2)

    def found(weight: float) -> str:
        heavy = match()._replace(region=match().region._replace(weight=weight))
        return weighed(heavy, *others, here=repeated(), there=repeated())[1]

    assert (found(enough), found(enough - 0.1)) == ("strong", "weak")


@pytest.mark.parametrize(("signs", "enough"), [(2, 90.0), (3, 120.0)])
def test_lines_of_verbatim_copies_say_nothing_then(signs: int, enough: float) -> None:
    others = [match("tests/b.py")] * (signs - 2)

    def found(bits: float) -> str:
        return weighed(match(kind="verbatim", bits=bits), *others, here=repeated(), there=repeated())[1]

    assert (found(enough), found(enough - 0.1)) == ("strong", "weak")


def test_the_same_name_and_other_sources_are_no_sign() -> None:
    again = repeated()
    for other in (match("old/a.py"), match("tests/a.pyi"), match("tests/b.py", source="a fork")):
        assert weighed(match(), other, here=again) == (60.0, "strong")


def test_a_match_of_a_small_part_is_no_sign() -> None:
    assert weighed(match(), match("tests/b.py", tokens=PART // 2 - 1), here=repeated()) == (60.0, "strong")
    assert weighed(match(), match("tests/b.py", tokens=PART // 2), here=repeated()) == (0.0, "weak")


def test_most_of_the_match_has_to_be_elsewhere() -> None:
    half = PART // 2
    assert weighed(match(), here=repeated(half), there=repeated(half)) == (0.0, "weak")
    assert weighed(match(), here=repeated(half - 1), there=repeated()) == (60.0, "strong")
    assert weighed(match(), here=repeated(), there=repeated(half - 1)) == (60.0, "strong")


def test_what_repeats_itself_inside_of_the_match_is_no_sign() -> None:
    ids = ONCE.copy()
    ids[START + 15 : START + 30] = ids[START : START + 15]
    assert weighed(match(), here=ids, there=ids) == (60.0, "strong")


def test_an_identical_file_stays_strong() -> None:
    whole = match()._replace(region=match(kind="verbatim").region._replace(identical=True))
    assert weighed(whole, here=repeated(), there=repeated()) == (60.0, "strong")


def test_a_part_of_usual_code_is_weak() -> None:
    weak = match(kind="verbatim").region._replace(strength="weak")
    part = part_of(weak, START, START + 20)
    assert part
    assert part.strength == "weak"


def test_usual_code_adds_nothing_to_what_it_is_joined_with() -> None:
    (found,) = UsualCode([match()], changed(repeated()), lambda _: known(repeated())).weakened()
    later = found.region._replace(start=60, end=90, stretches=(Stretch(60, 60, PART),), weight=33.0)
    assert union(found.region, later).strength == "weak"
    assert union(found.region, later._replace(weight=34.0)).strength == "strong"


def test_it_holds_no_file_once_it_has_answered(without_collection: None) -> None:
    asked = []

    def token_map(content: int) -> TokenMap:
        asked.append(content)
        return known(repeated())

    usual = UsualCode([match()], changed(repeated()), token_map)
    usual.weakened()
    kept = weakref.ref(usual)
    del usual
    assert asked == [0]
    assert kept() is None
