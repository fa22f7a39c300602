"""Archives of Debian, for any user and without a change to the machine.

The machine need not have ``deb-src`` entries: private ones are made of its ``deb`` entries (Debian 12 has the pinned
archives; another release may lack some). Of a source package only the upstream archives are fetched: they stay the
same while Debian's own part is revised. Packages are fetched, but not installed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Literal

Done = subprocess.CompletedProcess[str]
SYSTEM = Path("/etc/apt")
RELEASE = "bookworm"


class Debian:
    """apt with its state below one folder, for sources (``deb-src``) or for packages (``deb``)."""

    def __init__(self, state: Path, kind: Literal["deb-src", "deb"] = "deb-src") -> None:
        self._state = state.resolve()
        self._kind = kind
        self._is_ready = False

    def fetch(self, name: str, folder: Path) -> None:
        """Put the upstream archives of a source package into ``folder``: the release keeps what updates drop."""
        get = ("source", "--download-only", "--tar-only", "--only-source")
        if self._get(*get, name, folder=folder).returncode:
            _need(self._get(*get, f"{name}/{RELEASE}", folder=folder))

    def download(self, name: str, version: str, folder: Path) -> None:
        """Put a package of this version into ``folder``."""
        _need(self._get("download", f"{name}={version}", folder=folder))

    def _get(self, *arguments: str, folder: Path) -> Done:
        if not self._is_ready:
            self._make_ready()
        folder.mkdir(parents=True, exist_ok=True)
        return self._apt_get(*arguments, folder=folder)

    def _make_ready(self) -> None:
        for part in ("sources", "lists/partial", "cache/archives/partial"):
            (self._state / part).mkdir(parents=True, exist_ok=True)
        for file in [SYSTEM / "sources.list", *sorted((SYSTEM / "sources.list.d").glob("*"))]:
            if file.suffix in {".list", ".sources"} and file.is_file():
                (self._state / "sources" / file.name).write_text(_entries(file.read_text(), self._kind))
        # Several processes may work in one folder, and apt waits for no other.
        with (self._state / "update.lock").open("w") as lock:
            flock(lock, LOCK_EX)
            _need(self._apt_get("update", folder=self._state))
        self._is_ready = True

    def _apt_get(self, *arguments: str, folder: Path) -> Done:
        options = {
            "Dir::Etc::sourcelist": "/dev/null",
            "Dir::Etc::sourceparts": f"{self._state}/sources",
            "Dir::State::lists": f"{self._state}/lists",
            "Dir::Cache": f"{self._state}/cache",
        }
        command = ["apt-get", "-qq", *(f"-o{key}={value}" for key, value in options.items()), *arguments]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def _need(done: Done) -> None:
    if done.returncode:
        sys.exit(f"{' '.join(done.args)} failed\n{done.stderr.strip()}")


def _entries(entries: str, kind: str) -> str:
    """The same entries, of one kind, in both of apt's formats."""
    one_line = re.sub(r"(?m)^deb\s", f"{kind} ", re.sub(r"(?m)^deb-src\s.*", "", entries))
    return re.sub(r"(?mi)^types:.*", f"Types: {kind}", one_line)
