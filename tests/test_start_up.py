"""The quick forms of parts of the standard library: faces of packages, regular expressions and records."""

from __future__ import annotations

import ast
import dataclasses
import pickle
import re
import subprocess
import sys
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest

import winnow_ci
from winnow_ci.start_up import compiled_on_use, field, on_demand, record, replace

ROOT = Path(winnow_ci.__file__).parent
FACES = sorted(path.parent.name for path in ROOT.glob("*/__init__.py") if "on_demand(" in path.read_text())
# Its modules are reached through the face alone.
HIDING = {("index", "verify")}


def test_there_are_some() -> None:
    assert {"cli", "git", "index", "languages"} <= set(FACES)


def used(name: str) -> set[str]:
    """What modules of ours take from a face; type checkers see all names of its modules."""
    found = set()
    for path in ROOT.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text())))
        imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
        found |= {one.name for node in imports if node.module == f"winnow_ci.{name}" for one in node.names}
        if any(node.module == "winnow_ci" and name in [one.name for one in node.names] for node in imports):
            attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
            found |= {node.attr for node in attributes if isinstance(node.value, ast.Name) and node.value.id == name}
    return found


@pytest.mark.parametrize("name", FACES)
def test_what_others_use_is_there(name: str) -> None:
    face = import_module(f"winnow_ci.{name}")
    modules = {path.stem for path in (ROOT / name).iterdir()}
    assert {one for one in used(name) - modules if not hasattr(face, one)} == set()


@pytest.mark.parametrize("name", FACES)
def test_every_name_is_there(name: str) -> None:
    face = import_module(f"winnow_ci.{name}")
    modules = {path.stem for path in (ROOT / name).iterdir()}
    for public in face.__all__:
        assert not isinstance(getattr(face, public), ModuleType)
        # Importing a module of that name would hide what the face has.
        assert public not in modules or (name, public) in HIDING


def test_a_module_is_imported_when_it_is_needed() -> None:
    code = (
        "import sys, winnow_ci.git as face; before = 'winnow_ci.git.pushes' in sys.modules;"
        "first = face.sent; print(before, 'winnow_ci.git.pushes' in sys.modules, first is face.sent, first.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "True", "sent"]


def test_another_name_is_an_error() -> None:
    found = on_demand("winnow_ci.git", changes="staged")
    with pytest.raises(AttributeError, match=r"'winnow_ci.git' has no attribute 'steged'"):
        found("steged")


def test_it_is_compiled_once_and_only_if_it_is_used() -> None:
    with patch("re.compile", wraps=re.compile) as compiling:
        words = compiled_on_use(rb"[A-Z]+", re.IGNORECASE)
        assert words.pattern == rb"[A-Z]+"
        assert compiling.call_count == 0
        assert words.findall(b"ab 1 Cd") == words.findall(b"ab 1 Cd") == [b"ab", b"Cd"]
        assert compiling.call_count == 1


def test_what_is_no_expression_is_told_at_its_first_use() -> None:
    broken = compiled_on_use("(")
    with pytest.raises(re.error):
        broken.match("a")
    with pytest.raises(AttributeError):
        _ = compiled_on_use("a").matches  # type: ignore[attr-defined]


def bodies(define: Any, told: Any) -> Any:
    """The same classes, defined by ``dataclasses`` or by ``records``."""

    @define(frozen=True, slots=True)
    class Frozen:
        """A value."""

        name: str
        line: int = 3
        marks: list[str] = told(default_factory=list)
        hidden: str = told(default="x", repr=False, compare=False)
        _size: int = told(init=False, repr=False, compare=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "_size", len(self.name))

        def __len__(self) -> int:
            return self._size

    @define(slots=True, eq=False, repr=False)
    class Filled:
        count: int = 0
        seen: set[str] = told(default_factory=set)

    @define(frozen=True)
    class Cached:
        name: str = "a"

        @cached_property
        def longer(self) -> str:
            return self.name + self.name

    @define(frozen=True, slots=True)
    class Longer(Frozen):
        line: int = 5
        end: int = 9

    return Frozen, Filled, Cached, Longer


FROZEN, FILLED, CACHED, LONGER = bodies(record, field)
BOTH = [(FROZEN, FILLED, CACHED, LONGER), bodies(dataclasses.dataclass, dataclasses.field)]


@pytest.mark.parametrize(("frozen", "filled", "cached", "longer"), BOTH)
def test_records_are_what_dataclasses_are(frozen: Any, filled: Any, cached: Any, longer: Any) -> None:
    value = frozen("abc", marks=["m"])
    assert repr(value).rpartition(".")[2] == "Frozen(name='abc', line=3, marks=['m'])"
    assert value == frozen("abc", 3, ["m"], "other")
    assert value != frozen("abc", 3, ["n"])
    assert value != ("abc", 3, ["m"])
    assert (len(value), value.hidden) == (3, "x")
    assert frozen.__match_args__ == ("name", "line", "marks", "hidden")
    assert frozen.__doc__ == "A value."
    assert hash(cached("b")) == hash(cached("b"))
    assert cached("b").longer == "bb"
    assert not hasattr(value, "__dict__")
    with pytest.raises(AttributeError):
        value.line = 4
    with pytest.raises(AttributeError):
        del value.line
    with pytest.raises(AttributeError):
        cached().name = "c"
    with pytest.raises(TypeError, match="name"):
        frozen(line=3)
    with pytest.raises(TypeError, match="other"):
        frozen("a", other=3)
    more = longer("abc", marks=["m"])
    assert repr(more).rpartition(".")[2] == "Longer(name='abc', line=5, marks=['m'], end=9)"
    assert (more.hidden, len(more), hasattr(more, "__dict__")) == ("x", 3, False)
    assert more == longer("abc", 5, ["m"], "x", 9)
    assert more != value
    one, other = filled(), filled()
    one.seen.add("a")
    one.count += 1
    assert (one.count, other.count, other.seen) == (1, 0, set())
    assert one != other
    assert {one, other} == {other, one}
    assert repr(one).startswith("<")


def test_equal_values_that_can_change_have_no_hash() -> None:
    @record(slots=True)
    class Loose:
        name: str

    assert Loose("a") == Loose("a")
    with pytest.raises(TypeError, match="unhashable"):
        hash(Loose("a"))


def test_a_copy_with_another_value() -> None:
    value = FROZEN("abc", 4, ["m"])
    changed = replace(value, name="a")
    assert (changed.name, changed.line, changed.marks, len(changed)) == ("a", 4, ["m"], 1)
    assert value.name == "abc"
    with pytest.raises(TypeError, match="other"):
        replace(value, other=1)


@record(frozen=True, slots=True)
class Sent:
    """Stands in a module, so it can be sent."""

    name: str
    marks: list[str] = field(default_factory=list)


def test_it_travels_to_another_process() -> None:
    copy = pickle.loads(pickle.dumps(Sent("a", ["m"])))
    assert (type(copy), copy) == (Sent, Sent("a", ["m"]))
