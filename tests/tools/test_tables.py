"""Who changes how a learnt language is read learns its tables anew."""

from __future__ import annotations

from learnt_with import learnt_with, noted


def test_the_tables_were_learnt_with_what_there_is() -> None:
    assert learnt_with() == noted(), "run: python tools/tables, then measure again what docs/figures.md says"
