"""The command within the process of the tests, for wine, where a new process of Python needs 2.4 seconds for imports.

Arguments, environment, folder, standard streams and exit status are those of a process. What a process would begin
without, it begins without here, too: what the functions of the package remember is forgotten.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from support import windows
from winnow_ci.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

WANTED = windows.WINE
_ERRORS = {"stdin": "strict", "stdout": "strict", "stderr": "backslashreplace"}


def run(arguments: Sequence[str], cwd: Path, variables: Mapping[str, str], given: bytes) -> tuple[int, bytes, bytes]:
    """Run the command to its end: its exit status, and what it prints on its two streams."""
    _forget()
    with tempfile.TemporaryDirectory(prefix="streams") as folder:
        input_, output, errors = paths = [Path(folder, name) for name in _ERRORS]
        input_.write_bytes(given)
        with _at(cwd, variables), _streams(paths):
            try:
                status = main(arguments)
            except SystemExit as ended:
                status = ended.code if isinstance(ended.code, int) else 0
        return status, output.read_bytes(), errors.read_bytes()


def _forget() -> None:
    """Empty the caches of the package's functions."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "winnow_ci":
            for value in vars(module).values():
                if callable(empty := getattr(value, "cache_clear", None)):
                    empty()


@contextmanager
def _at(cwd: Path, variables: Mapping[str, str]) -> Iterator[None]:
    """Stand in a folder, with these variables and no others."""
    folder, before, hook = Path.cwd(), dict(os.environ), sys.unraisablehook
    try:
        os.chdir(cwd)
        _set(variables)
        yield
    finally:
        os.chdir(folder)
        _set(before)
        sys.unraisablehook = hook


def _set(variables: Mapping[str, str]) -> None:
    for name in os.environ.keys() - variables.keys():
        del os.environ[name]
    os.environ.update(variables)


@contextmanager
def _streams(paths: Sequence[Path]) -> Iterator[None]:
    """Let Python's standard streams be these files, in the encoding that a process would choose."""
    with ExitStack() as opened:
        for path in paths:
            name = path.name
            text = path.open("r" if name == "stdin" else "w", errors=_ERRORS[name])
            opened.callback(setattr, sys, name, getattr(sys, name))
            setattr(sys, name, opened.enter_context(text))
        yield
