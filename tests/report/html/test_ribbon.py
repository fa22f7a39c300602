"""Which lines match, drawn as bands."""

from __future__ import annotations

from support.reports import finding
from winnow_ci.model import LineRange
from winnow_ci.model.regions import AlignedLines
from winnow_ci.report.html.ribbon import MOST_BANDS, RibbonBand, of_lines, ribbon


def lines(here: tuple[int, int], there: tuple[int, int]) -> AlignedLines:
    return AlignedLines(LineRange(*here), LineRange(*there))


def test_bands_lie_where_the_lines_do() -> None:
    drawn = of_lines([lines((11, 15), (101, 110)), lines((16, 20), (141, 200))])
    assert (drawn.here, drawn.there) == (LineRange(11, 20), LineRange(101, 200))
    assert drawn.bands == (RibbonBand(0, 500, 0, 100), RibbonBand(500, 1000, 400, 1000))


def test_bands_of_moved_blocks_cross() -> None:
    first, second = of_lines([lines((1, 5), (26, 30)), lines((6, 10), (21, 25))]).bands
    assert first.left < second.left
    assert first.left_there > second.left_there


def test_a_finding_without_an_alignment_is_one_band() -> None:
    one = finding()
    drawn = ribbon(one)
    assert drawn.bands == (RibbonBand(0, 1000, 0, 1000),)
    assert (drawn.here, drawn.there) == (one.lines, one.source.lines)


def test_every_line_of_an_identical_file_matches() -> None:
    one = finding()._replace(identical=True, alignment=(lines((12, 40), (103, 130)),))
    assert ribbon(one).bands == (RibbonBand(0, 1000, 0, 1000),)
    first, last = ribbon(one._replace(identical=False)).bands[0][:2]
    assert 0 < first < last < 1000


def test_no_more_bands_are_drawn_than_a_screen_shows() -> None:
    many = [lines((2 * number, 2 * number), (number, number)) for number in range(1, MOST_BANDS + 2)]
    drawn = of_lines(many)
    assert len(drawn.bands) == MOST_BANDS
    assert drawn.here == LineRange(2, 2 * MOST_BANDS + 2)
