"""Run Python for Windows on this machine: under wine, with a git that forwards to the real one.

``python tests/windows/run.py .venv/windows -m pytest tests/cli`` does what that command does on Windows. The folder is
what ``make windows`` fills: ``python`` (CPython for Windows and distributions), ``bin`` (``git.exe``) and ``prefix``
(wine's drive C and registry). ``--prepare`` makes the prefix.

Wine's services inherit the streams of the first program, and would keep a pipe open for ever. So a server and a program
that does nothing are started first, without streams. Python's own output must be a pipe: wine refuses to say what kind
of file another stream is.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))  # also where a test imports this

from git_server import Place, serving, write_launchers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]
_LONGEST = 120
_SECONDS_TO_LISTEN = 0.5
_ENDED = 143


def windows_path(path: Path) -> str:
    """Name a path of the host as a program under wine does."""
    return "Z:" + str(path.resolve()).replace("/", "\\")


def prepare(folder: Path) -> None:
    """Make wine's prefix, with the name of Windows 10."""
    environment = _variables(folder)
    for command in (["wineboot", "--init"], ["wine", "winecfg", "-v", "win10"], ["wineserver", "--wait"]):
        _quietly(command, environment)


@contextmanager
def wine(folder: Path, made: Path) -> Iterator[list[str]]:
    """Start wine and the server for git, and give the command of Python; tests write to ``made``."""
    folder = folder.resolve()
    python = windows_path(folder / "python" / "python.exe")
    place = Place(folder / "prefix" / "drive_c", (made, ROOT), folder / "launchers")
    write_launchers(place.launchers, python, windows_path(Path(__file__).with_name("from_hook.py")))
    environment = _variables(folder)
    os.environ.update(environment)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    none = subprocess.DEVNULL
    server = subprocess.Popen(
        ["wineserver", "--foreground", "--persistent"], stdin=none, stdout=none, stderr=none, start_new_session=True
    )
    try:
        time.sleep(_SECONDS_TO_LISTEN)
        _quietly(["wine", "cmd", "/c", "exit"], environment)
        with serving(place, folder / "bin" / "git.address"):
            yield ["wine", python]
    finally:
        _quietly(["wineserver", "--kill"], environment)
        server.wait(_LONGEST)


def main(folder: Path, arguments: Sequence[str]) -> int:
    """Run Python with these arguments, and pass on what it prints."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_ENDED))
    with (
        tempfile.TemporaryDirectory(prefix="winnow-", ignore_cleanup_errors=True) as made,
        wine(folder, Path(made)) as python,
    ):
        command = [*python, *arguments]
        if "pytest" in arguments:
            command += ["-p", "no:cacheprovider", f"--basetemp={windows_path(Path(made, 't'))}"]
        run = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            assert run.stdout is not None
            while content := os.read(run.stdout.fileno(), 1 << 16):
                sys.stdout.buffer.write(content)
                sys.stdout.buffer.flush()
            run.wait()
        finally:
            run.kill()
        return run.returncode


def _variables(folder: Path) -> dict[str, str]:
    """The variables of programs under wine; it drops the host's PATH, HOME and TEMP itself."""
    paths = (ROOT / "src", ROOT / "tests")
    return {
        **os.environ,
        "WINEPREFIX": str(folder.resolve() / "prefix"),
        "WINEARCH": "win64",
        "WINEDEBUG": "-all",
        "WINEDLLOVERRIDES": "mscoree=;mshtml=;winemenubuilder.exe=",
        "WINEPATH": windows_path(folder / "bin"),
        "PYTHONPATH": ";".join(map(windows_path, paths)),
        # Not beside the sources, where the host's Python has its own.
        "PYTHONPYCACHEPREFIX": windows_path(folder / "compiled"),
    }


def _quietly(command: Sequence[str], environment: dict[str, str]) -> None:
    none = subprocess.DEVNULL
    subprocess.run(command, env=environment, stdin=none, stdout=none, stderr=none, check=False, timeout=_LONGEST)


if __name__ == "__main__":
    if sys.argv[2:] == ["--prepare"]:
        prepare(Path(sys.argv[1]))
    else:
        sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
