"""Code that repeats itself: what was copied is found in it, without comparing all with all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout

ROWS, COPIED, OWN = 400, range(200, 240), 3000


def row(name: str, number: int) -> str:
    return f"    {name}.on({name}_{number}, {name}(s[{number}], {name} + 4), {name}s={{A: {name}}}, mode='{name}')\n"


@pytest.mark.parametrize("own", ["of the same shape", "equal"])
def test_a_part_of_a_table_is_found_behind_very_many_rows(checkout: Checkout, tmp_path: Path, own: str) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "known.py").write_text("def known(handler):\n" + "".join(row("known", n) for n in range(ROWS)))
    build(source, tmp_path / "known.db")
    before = (row("own", n if own == "of the same shape" else 1) for n in range(1000, 1000 + OWN))
    copied = (row("known", n) for n in COPIED)
    checkout.write("table.py", "def table(handler):\n" + "".join([*before, *copied]))
    ended = winnow("scan", "--index", tmp_path / "known.db", "--format", "json", cwd=checkout.root)
    verbatim = [finding for finding in ended.findings() if finding["kind"] == "verbatim"]
    assert [(one["start_line"], one["end_line"], one["source"]["start_line"]) for one in verbatim] == [
        (OWN + 2, OWN + len(COPIED) + 1, COPIED.start + 2)
    ]
