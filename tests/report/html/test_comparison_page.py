"""The page of a comparison, from values alone."""

from __future__ import annotations

import re

from support.pages import FORMAT_METER, block, comparison, renamed_pairs, shown_pair
from winnow_ci.model.comparison import ComparisonOptions
from winnow_ci.report.html import comparison_page

OPTIONS = ComparisonOptions()


def test_the_page_says_what_the_text_says() -> None:
    html = comparison_page(comparison(), OPTIONS, [shown_pair()])
    for said in ("0.013 ± 0.010", "from all fingerprints", "k = 16, w = 12", "1,209 fingerprints", "75%", "20-30"):
        assert said in html
    assert "3 pairs of files have at least 4 fingerprints in common; the first 1 are here (--top)" in html
    assert "<bdi>x</bdi>: y" in html


def test_names_of_the_one_come_first() -> None:
    html = comparison_page(comparison(), OPTIONS, [shown_pair()])
    assert "<bdi>whole</bdi> | <bdi>total</bdi>" in html


def test_a_pair_without_lines_says_so() -> None:
    html = comparison_page(comparison(), OPTIONS, [shown_pair()._replace(alignment=(), beside=None)])
    assert "The lines are not here" in html


def test_without_pairs_there_is_no_list() -> None:
    html = comparison_page(comparison()._replace(found=0, pairs=()), OPTIONS, [])
    assert "No pair of files has 4 fingerprints or more in common." in html
    assert "<table" not in html


def test_more_pairs_have_fewer_rows() -> None:
    html = comparison_page(comparison(), OPTIONS, [shown_pair()] * 2, room=100)
    assert re.findall(r">(\d+) more rows not shown", html) == [str(len(FORMAT_METER))] * 2


def test_blocks_that_rise_are_not_called_moved() -> None:
    pair = shown_pair()
    assert pair.beside is not None
    names = [names[:2] for names in renamed_pairs(FORMAT_METER)]
    rising = pair.beside._replace(blocks=(*pair.beside.blocks, block(FORMAT_METER, 90, 900, names)))
    html = comparison_page(comparison(), OPTIONS, [pair._replace(beside=rising)])
    assert "block 1 of 2: lines 11-16 here, 462-469 there" in html
