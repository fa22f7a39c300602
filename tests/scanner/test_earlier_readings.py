"""What the base had is read once for several questions, unless it is long."""

from __future__ import annotations

import pytest

from winnow_ci.languages import Untokenizable, readings
from winnow_ci.scanner.read import LONGEST_EARLIER, earlier_readings

CODE = b"def level(depth):\n    return depth * 2\n"


def test_other_alphabets_of_the_batch_make_no_difference() -> None:
    (one,) = earlier_readings("python", CODE, {"python"})
    (other,) = earlier_readings("python", CODE, {"python", "c"})
    (new,) = readings("python", CODE, {"python"})
    assert one is other
    assert one.tokens.verbatim.tolist() == new.tokens.verbatim.tolist()


def test_what_is_asked_for_makes_a_difference() -> None:
    assert list(earlier_readings("python", CODE, {"c"})) == []
    (scanned,) = earlier_readings("python", CODE, {"python"})
    (as_c,) = earlier_readings("c", CODE, {"c"})
    assert (scanned.front_end.name, as_c.front_end.name) == ("python", "c")


@pytest.mark.parametrize(("size", "is_kept"), [(LONGEST_EARLIER, True), (LONGEST_EARLIER + 1, False)])
def test_long_contents_are_not_kept(size: int, is_kept: bool) -> None:
    content = CODE.ljust(size, b"\n")
    (one,), (other,) = (earlier_readings("python", content, {"python"}) for _ in range(2))
    assert (one is other) is is_kept


def test_what_cannot_be_read_is_told_each_time() -> None:
    for _ in range(2):
        with pytest.raises(Untokenizable):
            list(earlier_readings("python", b"\0binary", {"python"}))
