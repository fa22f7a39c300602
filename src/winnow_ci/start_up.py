"""Replace parts of the standard library that are slow to import or to run at import.

The user of a commit hook waits for every import. ``dataclasses`` compiles the methods of each class, ``re.compile``
takes a tenth of a millisecond for each pattern, ``hashlib`` loads a large library. Type checkers see the originals.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, AnyStr, cast

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as record
    from dataclasses import field, replace
    from hashlib import sha256
else:
    from winnow_ci.named_tuples import NamedTuple

    try:
        from _sha2 import sha256  # since Python 3.12
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:  # a Python that was built without
            from hashlib import sha256

__all__ = ["compiled_on_use", "field", "on_demand", "record", "replace", "sha256"]


# ---- packages and regular expressions ---------------------------------------------------------------------------


def on_demand(package: str, **modules: str) -> Callable[[str], Any]:
    """Make the ``__getattr__`` (PEP 562) of a package that imports its modules when they are needed.

    ``modules`` are the names that the package has from each, with blanks between them. To type checkers and
    import-linter the package looks like any other::

        if TYPE_CHECKING:
            from winnow_ci.git.changes import *
        else:
            __getattr__ = on_demand(__name__, changes="staged")
    """
    homes = {name: module for module, names in modules.items() for name in names.split()}
    vars(sys.modules[package])["__all__"] = [*homes]

    def found(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = f"{package}.{homes[name]}"
        # Unlike ``importlib.import_module``, this is seen by ``-X importtime``.
        __import__(home)
        value = getattr(sys.modules[home], name)
        # The next time it is there. This also replaces a module of that name, which the import has put there.
        setattr(sys.modules[package], name, value)
        return value

    return found


def compiled_on_use(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what ``re.compile`` returns, compiled when one of its methods is first asked for; it fails only then."""
    return cast("re.Pattern[AnyStr]", _Uncompiled(pattern, flags))


class _Uncompiled:
    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # The next time it is there.
        value = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, value)
        return value


# ---- values that are filled bit by bit, or have a length of their own, and so are no tuples ------------------------

if not TYPE_CHECKING:
    _MISSING = object()

    class _Field(NamedTuple):
        """The options of ``field`` for an attribute, or its plain default."""

        default: Any = _MISSING
        default_factory: Any = None
        init: bool = True
        repr: bool = True
        compare: bool = True

    field = _Field

    def record(*, frozen=False, slots=False, eq=True, repr=True):  # noqa: A002 - as dataclasses calls it
        """Make a class a record, as ``dataclasses.dataclass`` does; all records share their methods."""

        def defined(cls):
            own = cls.__dict__
            inherited = getattr(cls, "__record_fields__", {})
            said = {name: own.get(name, _MISSING) for name in own.get("__annotations__", {})}
            new = {name: one if isinstance(one, _Field) else _Field(one) for name, one in said.items()}
            fields = {**inherited, **new}
            body = {name: value for name, value in own.items() if name not in {*new, "__dict__", "__weakref__"}}
            shared = {
                "__record_fields__": fields,
                "__match_args__": tuple(name for name, said in fields.items() if said.init),
                "__init__": _filled,
                "__reduce__": lambda self: (type(self), _initial(self)),
                **({"__slots__": tuple(name for name in new if name not in inherited)} if slots else {}),
                **({"__setattr__": _refuse, "__delattr__": _refuse} if frozen else {}),
                **({"__repr__": _shown} if repr else {}),
                **({"__eq__": _equal, "__hash__": _hashed if frozen else None} if eq else {}),
            }
            return type(cls)(cls.__name__, cls.__bases__, {**shared, **body})

        return defined

    def replace(value, /, **changes):
        """Copy a record, with other values in some of its fields."""
        return type(value)(**{**dict(zip(value.__match_args__, _initial(value), strict=True)), **changes})

    def _filled(self, /, *given, **named):
        names = self.__match_args__
        values = given if len(given) == len(names) and not named else _completed(self, given, named)
        for name, value in zip(names, values, strict=True):
            object.__setattr__(self, name, value)
        if hasattr(self, "__post_init__"):
            self.__post_init__()

    def _completed(self, given, named):
        names = self.__match_args__
        values = {**dict(zip(names, given, strict=False)), **named}
        if len(values) < len(given) + len(named) or not named.keys() <= {*names}:
            given_names = ", ".join(named) or "no names"
            raise TypeError(
                f"{type(self).__name__} takes {', '.join(names)}, not {len(given)} values and {given_names}"
            )
        for name in names:
            said = self.__record_fields__[name]
            value = values[name] if name in values else said.default_factory() if said.default_factory else said.default
            if value is _MISSING:
                raise TypeError(f"{type(self).__name__} has no value for {name}")
            yield value

    def _initial(value):
        return tuple(getattr(value, name) for name in value.__match_args__)

    def _compared(value):
        return tuple(getattr(value, name) for name, said in value.__record_fields__.items() if said.compare)

    def _equal(self, other):
        return _compared(self) == _compared(other) if type(self) is type(other) else NotImplemented

    def _hashed(self):
        return hash(_compared(self))

    def _shown(self):
        shown = (name for name, said in self.__record_fields__.items() if said.repr)
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def _refuse(self, name, *_):
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")
