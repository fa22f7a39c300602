"""Values are defined as ``typing`` would define them, without its compiling of annotations."""

from __future__ import annotations

import pickle
import typing

import pytest

from winnow_ci.named_tuples import NamedTuple


class Place(NamedTuple):
    """Where something stands."""

    path: str
    line: int | None = None
    marks: tuple[str, ...] = ()

    @property
    def end(self) -> int:
        return (self.line or 0) + len(self.marks)

    @classmethod
    def first(cls, path: str) -> Place:
        return cls(path, 1)


class Typings(typing.NamedTuple):
    """Where something stands."""

    path: str
    line: int | None = None
    marks: tuple[str, ...] = ()


def test_it_has_what_the_one_of_typing_has() -> None:
    assert Place._fields == Typings._fields
    assert Place._field_defaults == Typings._field_defaults
    assert Place.__doc__ == Typings.__doc__
    assert repr(Place("a", marks=("b",))) == repr(Typings("a", marks=("b",))).replace("Typings", "Place")
    assert Place("a", 2) == Typings("a", 2) == ("a", 2, ())
    assert set(vars(Typings)) - {"__orig_bases__"} <= set(vars(Place))


def test_what_else_its_body_says() -> None:
    assert Place.first("a").end == 1
    assert Place("a", 3)._replace(marks=("b", "c")).end == 5


def test_it_travels_to_another_process() -> None:
    copy = pickle.loads(pickle.dumps(Place("a", 1)))
    assert (type(copy), copy) == (Place, ("a", 1, ()))


def test_annotations_stay_text() -> None:
    assert Place.__annotations__ == {"path": "str", "line": "int | None", "marks": "tuple[str, ...]"}


def test_what_is_not_given_is_missed() -> None:
    with pytest.raises(TypeError, match="path"):
        Place()  # type: ignore[call-arg]
