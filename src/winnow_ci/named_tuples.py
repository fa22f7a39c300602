"""``NamedTuple``, as ``typing`` has it, but cheap to define.

A commit hook's user waits while Python defines some 140 such values, and ``typing`` compiles the annotation of each of
their fields, which nobody asks for. Here annotations stay the text that they are. To type checkers this is the one of
``typing``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["NamedTuple"]

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from collections import namedtuple

    class _Defining(type):
        """Makes of the body of a class what ``namedtuple`` makes of its fields, and adds the rest of the body."""

        def __new__(cls, name: str, _bases: tuple[type, ...], body: dict[str, Any]) -> type:
            fields = body.get("__annotations__", {})
            defaults = [body[field] for field in fields if field in body]
            made = namedtuple(  # noqa: PYI024 - the other one is what this replaces
                name, fields, defaults=defaults, module=body["__module__"]
            )
            for key in body.keys() - fields.keys() - {"__module__"}:
                setattr(made, key, body[key])
            return made

    # A class that names it as its base is made by ``_Defining``.
    NamedTuple = type.__new__(_Defining, "NamedTuple", (), {})
