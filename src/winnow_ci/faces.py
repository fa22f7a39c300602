"""The face of a package: the names that others import from it, whichever of its modules they are in.

A commit hook pays for every import, and needs a few names of each package. So a face imports a module when one of its
names is asked for. To type checkers and import-linter it looks like any other::

    if TYPE_CHECKING:
        from winnow_ci.git.changes import staged
    else:
        __getattr__ = on_demand(__name__, changes="staged")
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def on_demand(package: str, **modules: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` (PEP 562) of a package that imports its modules when they are needed.

    Args:
        package: its name.
        modules: module → the names that the package has from it, with blanks between them.
    """
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def found(name: str) -> Any:
        if name not in homes:
            msg = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(msg)
        home = f"{package}.{homes[name]}"
        # Unlike ``importlib.import_module``, this is seen by ``-X importtime``.
        __import__(home)
        value = getattr(sys.modules[home], name)
        # The next time it is there. This also replaces a module of that name, which the import has put there.
        setattr(sys.modules[package], name, value)
        return value

    return found
