"""The page of a comparison, as MOSS has it: pairs of files with bars, and each pair side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import winnow_ci
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report.comparison import basis, body_name, share
from winnow_ci.report.html.finding_view import MOST_CHIPS
from winnow_ci.report.html.markup import assets, rendered
from winnow_ci.report.html.panes import panes
from winnow_ci.report.html.ribbon import of_lines
from winnow_ci.report.html.room import LISTED_AT_ONCE, ROOM, fitting
from winnow_ci.report.wording import counted, lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from winnow_ci.model.comparison import Comparison, ComparisonOptions, FilePair, ShownPair
    from winnow_ci.report.html.panes import Panes
    from winnow_ci.report.html.ribbon import Ribbon


class ListedPair(NamedTuple):
    """A line of the list of pairs.

    Attributes:
        pair: the files.
        anchor: its name in the page.
        of_a, of_b: how much of each the other one has.
        verbatim: how much of it has the same names and numbers.
        longest: lines of the longest stretch in both; empty if it is not known.
    """

    pair: FilePair
    anchor: str
    of_a: str
    of_b: str
    verbatim: str
    longest: tuple[str, str]


class PairView(NamedTuple):
    """All that a template needs to show a pair.

    Attributes:
        listed: the pair, as it stands in the list.
        number: its place in the list, from 1.
        previous, following: anchors of its neighbours in the list.
        ribbon: which lines match which; None if that is not known.
        panes: both sides; None if they are not known.
        renames: names of the one, those of the other, and how often.
        renames_left_out: how many more there are.
    """

    listed: ListedPair
    number: int
    previous: str | None
    following: str | None
    ribbon: Ribbon | None
    panes: Panes | None
    renames: tuple[tuple[str, str, int], ...]
    renames_left_out: int


def comparison_page(found: Comparison, options: ComparisonOptions, pairs: Sequence[ShownPair], room: int = ROOM) -> str:
    """The page of a comparison: the same bytes for the same files.

    Args:
        found: what was compared.
        options: how.
        pairs: its pairs with their lines.
        room: bytes for all pairs.
    """
    listed = [_listed(pair.pair, number) for number, pair in enumerate(pairs, 1)]
    bodies = fitting(lambda most_rows: _bodies(pairs, listed, most_rows), room)
    similarity = found.similarity
    html = rendered(
        "comparison.html.j2",
        assets=assets(),
        version=winnow_ci.__version__,
        names=[body_name(body) for body in found.bodies],
        read=[f"{counted(body.files, 'file')}, {counted(body.fingerprints, 'fingerprint')}" for body in found.bodies],
        not_read=[skip for body in found.bodies for skip in body.skipped if skip.state == "not-scanned"],
        shares=None if similarity is None else [share(each) for each in similarity],
        basis=basis(options),
        parameters=options.parameters.described(", "),
        found=found.found,
        least=options.limits.least,
        parts_of_list=[listed[start : start + LISTED_AT_ONCE] for start in range(0, len(listed), LISTED_AT_ONCE)],
        listed_at_once=LISTED_AT_ONCE,
        heaviest=max((pair.pair.weight for pair in pairs), default=1.0) or 1.0,
        bodies=list(zip((one.anchor for one in listed), bodies, strict=True)),
    )
    return f"{html}\n"


def _listed(pair: FilePair, number: int) -> ListedPair:
    longest = pair.longest
    return ListedPair(
        pair,
        f"pair-{number}",
        f"{pair.a.share:.0%}",
        f"{pair.b.share:.0%}",
        f"{pair.verbatim:.0%}",
        (lines(longest.lines), lines(longest.lines_there)) if longest else ("", ""),
    )


def _bodies(pairs: Sequence[ShownPair], listed: Sequence[ListedPair], most_rows: int) -> Iterator[Markup]:
    for number, pair in enumerate(pairs):
        renames = [(new, old, times) for old, new, times in pair.beside.renames] if pair.beside else []
        view = PairView(
            listed[number],
            number + 1,
            listed[number - 1].anchor if number else None,
            listed[number + 1].anchor if number + 1 < len(listed) else None,
            of_lines(pair.alignment) if pair.alignment else None,
            panes(pair.beside, most_rows) if pair.beside else None,
            tuple(renames[:MOST_CHIPS]),
            max(len(renames) - MOST_CHIPS, 0),
        )
        yield rendered("pair.html.j2", view=view, count=len(pairs))
