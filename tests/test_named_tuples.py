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
    assert set(dir(Typings)) - {"__orig_bases__"} <= set(dir(Place))
    assert Place._make(["a", 1, ()]) == Place("a", 1)
    assert Place("a", 1)._asdict() == {"path": "a", "line": 1, "marks": ()}


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
    with pytest.raises(TypeError, match="3 fields"):
        Place._make(["a"])


def test_what_is_no_field_is_refused() -> None:
    with pytest.raises(TypeError, match="lines"):
        Place("a", lines=1)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="lines"):
        Place("a")._replace(lines=1)  # type: ignore[call-arg]


class Side(NamedTuple):
    """Fields have names that a constructor might use itself."""

    cls: str
    new: str


def test_fields_have_any_names() -> None:
    assert Side(new="b", cls="a") == Side("a", "b") == ("a", "b")


class Numbered(NamedTuple):
    """A value whose length is not that of the tuple, with a subclass."""

    numbers: tuple[int, ...]
    name: str = ""

    def __len__(self) -> int:
        return len(self.numbers)


class Named(Numbered):
    __slots__ = ()


@pytest.mark.parametrize("kind", [Named, Numbered])
def test_the_first_value_may_be_one_of_a_subclass(kind: type[Numbered]) -> None:
    first = kind((1, 2, 3))
    assert (type(first), len(first), first.name) == (kind, 3, "")
    assert first._replace(name="a") == kind(name="a", numbers=(1, 2, 3))
