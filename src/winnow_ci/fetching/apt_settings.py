"""The settings of apt when winnow-ci starts it: those of the user without hooks, and mirrors with source packages."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from pathlib import Path

from winnow_ci.errors import FetchError
from winnow_ci.fetching import client_process

FIRST = "first.conf"
MIRRORS = "mirrors"
_LAST = "last.conf"
_TO_ASK = 60.0  # seconds
_HOOKS = ("Pre-Invoke", "Post-Invoke", "Post-Invoke-Success")
_PLACES = ("Dir::Etc::main/f", "Dir::Etc::sourcelist/f", "Dir::Etc::sourceparts/d")
_TYPES = re.compile(r"(?im)^types[ \t]*:.*(?:\n[ \t].*)*")
_TARGETS = re.compile(r"(?im)^targets(?:-add|-remove)?[ \t]*:.*(?:\n[ \t].*)*\n?")
_ONE_LINE = re.compile(r"[ \t]*deb(?:-src)?(?=[ \t])(?!.*[ \t]cdrom:)")


def write(config: str, folder: Path) -> str:
    """Write settings for apt.

    Args:
        config: path of ``apt-config``, which says where the user's settings are.
        folder: an empty one. It gets ``FIRST`` for the variable ``APT_CONFIG``, and ``MIRRORS`` for the setting
            ``Dir::Etc::sourceparts``.

    Returns:
        a digest of the settings of mirrors.

    Raises:
        FetchError: apt has no settings, or no mirrors.
    """
    main, one, parts = _places(config, folder)
    own = os.environ.get("APT_CONFIG")
    # apt reads the file of the variable first, then those of a folder, and last the main one, which may clear settings.
    last = (*_included(main), *(f"#clear APT::Update::{hook};" for hook in _HOOKS))
    first = (*_included(Path.cwd() / own if own else None), f'Dir::Etc::main "{folder / _LAST}";')
    (folder / FIRST).write_text("\n".join((*first, "")), encoding="utf-8", errors="surrogateescape")
    (folder / _LAST).write_text("\n".join((*last, "")), encoding="utf-8", errors="surrogateescape")
    mirrors = _mirrors(one, parts)
    if not mirrors:
        raise FetchError("apt has no mirrors set up that you may read", "add one, as the manual page sources.list says")
    (folder / MIRRORS).mkdir()
    for name, text in mirrors.items():
        (folder / MIRRORS / name).write_text(text, encoding="utf-8", errors="surrogateescape")
    return hashlib.sha256(repr(sorted(mirrors.items())).encode("utf-8", "surrogateescape")).hexdigest()


def _places(config: str, folder: Path) -> list[Path]:
    names = ("MAIN", "LIST", "PARTS")
    pairs = [word for pair in zip(names, _PLACES, strict=True) for word in pair]
    said = client_process.run((config, "shell", *pairs), folder, os.environ, _TO_ASK)
    found = dict(word.split("=", 1) for word in shlex.split(said.output) if "=" in word)
    if said.status or not set(names) <= set(found):
        raise FetchError("apt-config does not say where apt's settings are", "see what this says: apt-config dump")
    return [Path(found[name]) for name in names]


def _included(path: Path | None) -> tuple[str, ...]:
    return (f'#include "{path}";',) if path is not None and path.is_file() else ()


def _mirrors(one: Path, parts: Path) -> dict[str, str]:
    """The user's files of mirrors, changed to source packages, except files that this user may not read."""
    mirrors = {}
    among = sorted(parts.iterdir()) if parts.is_dir() else []
    for number, path in enumerate((one, *among)):
        if path.suffix in {".list", ".sources"} and path.is_file() and os.access(path, os.R_OK):
            text = path.read_text(encoding="utf-8", errors="surrogateescape")
            if turned := _turned(text, path.suffix):
                mirrors[f"{number}{path.suffix}"] = turned
    return mirrors


def _turned(text: str, suffix: str) -> str:
    if suffix == ".sources":
        return _TARGETS.sub("", _TYPES.sub("Types: deb-src", text)) if _TYPES.search(text) else ""
    lines = (_ONE_LINE.sub("deb-src", line) for line in text.splitlines() if _ONE_LINE.match(line))
    # A mirror of both binary and source packages has two lines.
    return "".join(f"{line}\n" for line in dict.fromkeys(lines))
