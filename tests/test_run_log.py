"""What a run tells of itself: lines to whoever listens, and the time of each stage."""

from __future__ import annotations

from itertools import count

import pytest

from winnow_ci import run_log


@pytest.fixture(autouse=True)
def by_the_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on by a second each time it is looked at, and a log that nothing has told anything yet."""
    seconds = count()
    monkeypatch.setattr(run_log, "perf_counter", lambda: float(next(seconds)))
    monkeypatch.setattr(run_log, "_seconds", {})
    monkeypatch.setattr(run_log, "_listeners", [])


def test_blocks_of_a_stage_are_added_up_in_the_order_of_their_beginnings() -> None:
    for name in ("read", "match", "read"):
        with run_log.stage(name):
            pass
    assert list(run_log.seconds().items()) == [("read", 2.0), ("match", 1.0)]


def test_a_stage_that_fails_has_taken_its_time() -> None:
    with pytest.raises(ValueError, match="no"), run_log.stage("read"):
        raise ValueError("no")
    assert run_log.seconds() == {"read": 1.0}


def test_items_come_unchanged_and_what_is_done_with_them_does_not_count() -> None:
    given = []
    for item in run_log.timed("read", iter([1, None, 3])):
        given.append(item)
        with run_log.stage("match"):
            pass
    # Asked three times for an item, and once more for one that is not there.
    assert (given, run_log.seconds()) == ([1, None, 3], {"read": 4.0, "match": 3.0})


def test_whoever_listens_hears_what_is_told_from_then_on() -> None:
    heard: list[str] = []
    run_log.tell("too early")
    run_log.listen(heard.append)
    run_log.tell("reading a")
    assert heard == ["reading a"]
