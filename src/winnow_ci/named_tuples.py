"""``NamedTuple``, as ``typing`` has it, but cheap to define.

The user of a commit hook waits while Python defines some 140 such values. ``typing`` compiles the annotation of each
field, and a constructor and five methods for each class. Here annotations stay text, constructors with the same number
of fields share their code, and the other methods are the same for all. Type checkers see the original.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["NamedTuple"]

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from collections import _tuplegetter  # what a field of ``namedtuple`` is; there is none as quick
    from functools import cache
    from types import FunctionType

    class _Values(tuple):
        __slots__ = ()

        @classmethod
        def _make(cls, values):
            made = tuple.__new__(cls, values)
            if tuple.__len__(made) != len(cls._fields):
                raise TypeError(f"{cls.__name__} has {len(cls._fields)} fields, not {tuple.__len__(made)}")
            return made

        def _replace(self, /, **changes):
            made = self._make(map(changes.pop, self._fields, tuple.__iter__(self)))
            if changes:
                raise ValueError(f"{type(self).__name__} has no fields {', '.join(changes)}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, tuple.__iter__(self), strict=True))

        def __repr__(self):
            fields = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({fields})"

        def __getnewargs__(self):
            return tuple(tuple.__iter__(self))

    class _Defining(type):
        """Makes a tuple with named fields of the body of a class."""

        def __new__(cls, name: str, _bases: tuple[type, ...], body: dict[str, Any]) -> type:
            fields = tuple(body.get("__annotations__", {}))
            defaults = {field: body[field] for field in fields if field in body}
            of_fields = {
                "_fields": fields,
                "_field_defaults": defaults,
                "__match_args__": fields,
                "__new__": _constructor(body["__qualname__"], fields, tuple(defaults.values())),
                "__slots__": (),
            }
            getters = {field: _getter(number) for number, field in enumerate(fields)}
            return type(name, (_Values,), {**of_fields, **body, **getters})

    def _constructor(name, fields, defaults):
        """Make what ``namedtuple`` compiles for each class, with the names of its fields."""
        code = _code(len(fields)).replace(co_name="__new__", co_varnames=("_cls", *fields))
        made = FunctionType(code, {"_new": tuple.__new__}, "__new__", defaults)
        made.__qualname__ = f"{name}.__new__"
        return made

    @cache
    def _code(count):
        names = ", ".join(f"_{number}" for number in range(count))
        return eval(f"lambda _cls, {names}: _new(_cls, ({names},))").__code__  # noqa: S307 - names of our own

    @cache
    def _getter(number):
        return _tuplegetter(number, None)

    # A class is defined only where the name ``NamedTuple`` stands as its base.
    NamedTuple = type.__new__(_Defining, "NamedTuple", (), {})
