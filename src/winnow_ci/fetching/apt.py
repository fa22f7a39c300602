"""Use apt with the user's mirrors and keys, and a separate state.

Nothing of the system changes, and no privileges are needed: lists of packages, locks and settings lie in the user's
cache. The lists are of source packages, even if the user's settings name only binary ones; apt itself checks them
against the signatures of the mirrors. Hooks that would run after an update of the system's lists do not run.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import system
from winnow_ci.errors import FetchError
from winnow_ci.fetching.cache import cache_folder, writing_to
from winnow_ci.fetching.client_process import ClientOutput, find_program, run_client
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regular_file import open_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_TO_ASK, _TO_UPDATE, _TO_FETCH = 60.0, 900.0, 3600.0  # seconds
_FRESH = 600.0  # seconds
_FIELDS = "\t".join(f"$({field})" for field in ("FILENAME", "ORIGIN", "CODENAME", "SUITE", "RELEASE", "TRUSTED"))
# Names in the folder of settings.
_FIRST, _LAST, _MIRRORS = "first.conf", "last.conf", "mirrors"
_HOOKS = ("Pre-Invoke", "Post-Invoke", "Post-Invoke-Success")
_PLACES = {"MAIN": "Dir::Etc::main/f", "LIST": "Dir::Etc::sourcelist/f", "PARTS": "Dir::Etc::sourceparts/d"}
_TYPES = re.compile(r"(?im)^types[ \t]*:.*(?:\n[ \t].*)*")
_TARGETS = re.compile(r"(?im)^targets(?:-add|-remove)?[ \t]*:.*(?:\n[ \t].*)*\n?")
_ONE_LINE = re.compile(r"[ \t]*deb(?:-src)?(?=[ \t])(?!.*[ \t]cdrom:)")


class AptSourceList(NamedTuple):
    """A mirror's list of source packages, and the names of its release."""

    path: Path
    origin: str
    releases: frozenset[str]


class Apt(NamedTuple):
    """apt, with folders for its settings and its state."""

    program: str
    settings: Path
    state: Path
    digest: str

    def update(self) -> str | None:
        """Update the lists, unless they are fresh; return apt's complaint."""
        mark = self.state / "updated"
        with contextlib.suppress(OSError, ValueError), open_regular(mark, follow=False) as stamp:
            # A time in the future cannot be trusted.
            age = abs(time.time() - mark.stat().st_mtime)
            if stamp.read(len(self.digest) + 1).decode("ascii") == self.digest and age < _FRESH:
                return None
        mark.unlink(missing_ok=True)
        said = self._run(_TO_UPDATE, self.settings, "update", "-q")
        if said.status:
            return _complaint(said)
        mark.write_text(self.digest, encoding="ascii")
        return None

    def lists(self) -> list[AptSourceList]:
        """Return the lists that the mirrors have signed or the user trusts."""
        said = self._run(_TO_ASK, self.settings, "indextargets", "--format", _FIELDS, "Created-By: Sources")
        if said.status:
            raise FetchError(f"apt: {_complaint(said)}", "check that apt reaches its mirrors: apt-get update")
        rows = (line.split("\t") for line in said.output.splitlines())
        trusted = [row for row in rows if len(row) == 6 and row[5] == "yes" and Path(row[0]).is_file()]
        return [AptSourceList(Path(row[0]), row[1], frozenset(row[2:5])) for row in trusted]

    def download(self, package: str, version: str, folder: Path, tick: Callable[[], None]) -> None:
        """Download the missing files of a source package; apt checks their hashes."""
        arguments = ("source", "-q", "--download-only", "--only-source", "--", f"{package}={version}")
        said = self._run(_TO_FETCH, folder, *arguments, tick=tick)
        if said.status:
            remedy = "check that apt reaches its mirrors, and that they still have this version: apt-get update"
            raise FetchError(f"apt cannot fetch {package} {version}: {_complaint(said)}", remedy)

    def is_newer(self, one: str, other: str) -> bool:
        """Whether a version is newer than another, in the order of dpkg."""
        command = (find_program("dpkg") or "dpkg", "--compare-versions", one, "gt", other)
        return run_client(command, self.settings, os.environ, _TO_ASK).status == 0

    def _run(
        self, seconds: float, folder: Path, *arguments: str, tick: Callable[[], None] = lambda: None
    ) -> ClientOutput:
        options = {
            "Dir::Etc::sourcelist": "/dev/null",
            "Dir::Etc::sourceparts": f"{self.settings}/{_MIRRORS}",
            "Dir::State::lists": f"{self.state}/lists",
            "Dir::State::status": "/dev/null",
            "Dir::Cache": f"{self.state}/cache",
            "Dir::Cache::pkgcache": "",
            "Dir::Cache::srcpkgcache": "",
            "Acquire::GzipIndexes": "false",
            "Acquire::Languages": "none",
        }
        command = (self.program, *(f"-o{key}={value}" for key, value in options.items()), *arguments)
        environment = {**os.environ, "APT_CONFIG": f"{self.settings}/{_FIRST}", "LC_ALL": "C"}
        return run_client(command, folder, environment, seconds, tick)


@contextlib.contextmanager
def apt() -> Iterator[Apt]:
    """Give apt; only one process at a time gets it."""
    program, config = find_program("apt-get"), find_program("apt-config")
    if program is None or config is None:
        remedy = "name its tarballs by https URL and sha256, or name a .dsc next to its files"
        raise FetchError("fetching Debian sources needs apt, which is not on this machine", remedy)
    with tempfile.TemporaryDirectory(prefix="winnow-ci-apt-", ignore_cleanup_errors=True) as folder:
        settings, state = Path(folder), cache_folder() / "apt"
        digest = _write_settings(config, settings)
        with _locked(state):
            yield Apt(program, settings, state, digest)


@contextlib.contextmanager
def _locked(state: Path) -> Iterator[None]:
    with writing_to(state):
        for folder in ("lists/partial", "cache/archives/partial"):
            (state / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = (state / "lock").open("a", encoding="ascii")
    with lock:
        # Whoever has the lock runs only programs with a time limit.
        system.lock(lock.fileno(), wait=True)
        yield


def _complaint(said: ClientOutput) -> str:
    lines = said.complaints.splitlines()
    errors = [line.removeprefix("E: ") for line in lines if line.startswith("E: ")]
    return "; ".join(errors or lines)[:500] or f"ended with status {said.status}"


# ---- settings -------------------------------------------------------------------------------------------------------


def _write_settings(config: str, folder: Path) -> str:
    """Write settings for apt into a folder: ``_FIRST``, ``_LAST`` and ``_MIRRORS``; return the mirrors' digest."""
    pairs = [word for pair in _PLACES.items() for word in pair]
    said = run_client((config, "shell", *pairs), folder, os.environ, _TO_ASK)
    found = dict(word.split("=", 1) for word in shlex.split(said.output) if "=" in word)
    if said.status or not found.keys() >= _PLACES.keys():
        raise FetchError("apt-config does not show where apt's settings are", "run apt-config dump to see why")
    main, one, parts = (Path(found[name]) for name in _PLACES)
    own = os.environ.get("APT_CONFIG")
    # apt reads the file of the variable first, then those of a folder, and last the main one, which may clear settings.
    first = (*_included(Path.cwd() / own if own else None), f'Dir::Etc::main "{folder / _LAST}";')
    last = (*_included(main), *(f"#clear APT::Update::{hook};" for hook in _HOOKS))
    mirrors = _mirrors(one, parts)
    if not mirrors:
        remedy = "add one (see the manual page sources.list)"
        raise FetchError("apt has no mirrors configured that you may read", remedy)
    (folder / _MIRRORS).mkdir()
    files = {_FIRST: "\n".join((*first, "")), _LAST: "\n".join((*last, ""))}
    files |= {f"{_MIRRORS}/{name}": text for name, text in mirrors.items()}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", errors="surrogateescape")
    return hashlib.sha256(repr(sorted(mirrors.items())).encode("utf-8", "surrogateescape")).hexdigest()


def _included(path: Path | None) -> tuple[str, ...]:
    return (f'#include "{path}";',) if path is not None and path.is_file() else ()


def _mirrors(one: Path, parts: Path) -> dict[str, str]:
    mirrors = {}
    among = sorted(parts.iterdir()) if parts.is_dir() else []
    for number, path in enumerate((one, *among)):
        if path.suffix in {".list", ".sources"} and path.is_file() and os.access(path, os.R_OK):
            text = path.read_text(encoding="utf-8", errors="surrogateescape")
            mirrors[f"{number}{path.suffix}"] = _of_sources(text, path.suffix)
    return {name: text for name, text in mirrors.items() if text}


def _of_sources(text: str, suffix: str) -> str:
    if suffix == ".sources":
        return _TARGETS.sub("", _TYPES.sub("Types: deb-src", text)) if _TYPES.search(text) else ""
    lines = (_ONE_LINE.sub("deb-src", line) for line in text.splitlines() if _ONE_LINE.match(line))
    # A mirror of both binary and source packages has two lines.
    return "".join(f"{line}\n" for line in dict.fromkeys(lines))
