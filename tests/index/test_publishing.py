"""Writers that take turns, each beginning the moment that the one before has put its file in its place."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from winnow_ci.errors import IndexFileError
from winnow_ci.index import replacing

if TYPE_CHECKING:
    from pathlib import Path

WRITERS = "abcd"
TURNS = 60


def test_what_each_of_many_writers_adds_stays(tmp_path: Path) -> None:
    place = tmp_path / "i.db"
    wrong: list[BaseException] = []

    def add(name: str) -> None:
        try:
            for turn in range(TURNS):
                while not _added(place, f"{name} {turn}\n"):
                    pass
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=add, args=(name,)) for name in WRITERS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert sorted(place.read_text().splitlines()) == sorted(f"{n} {t}" for n in WRITERS for t in range(TURNS))
    assert list(tmp_path.iterdir()) == [place]


def _added(place: Path, line: str) -> bool:
    """Add a line to the file; whether nobody else was writing."""
    try:
        with replacing(place) as unfinished:
            old = place.read_text() if place.exists() else ""
            assert unfinished.read_text() == ""
            unfinished.write_text(old + line)
    except IndexFileError as error:
        if "another process is writing" not in str(error):
            raise
        return False
    return True
