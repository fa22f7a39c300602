"""The indexes that the user's pip is configured with, in files and ``PIP_…`` variables."""

from __future__ import annotations

import ast
import os
import re
import sys
import sysconfig
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.errors import FetchError
from winnow_ci.fetching import client_process
from winnow_ci.fetching.registry import Registry, registry_at
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

# Of several values the last one counts.
_SECTIONS = ("global", "install", ":env:")
_PATIENCE = 60.0  # seconds
_YES = {"1", "true", "yes", "y", "t", "on"}


class PipSettings(NamedTuple):
    """Where the user's pip looks.

    Attributes:
        indexes: with a page for each project; first that of ``index-url``.
        lists: folders of files, and pages with links to files (``find-links``).
    """

    indexes: tuple[Registry, ...]
    lists: tuple[Registry, ...]


@cache
def pip_settings() -> PipSettings:
    """What pip says; it is asked once.

    Raises:
        FetchError: there is no pip, and no variable names an index.
    """
    said = _configured()
    certificates = said.get("cert")
    urls = [] if said.get("no-index", "").lower() in _YES else [_index_url(said), *_words(said, "extra-index-url")]
    return PipSettings(_registries(urls, certificates), _registries(_words(said, "find-links"), certificates))


def _index_url(said: dict[str, str]) -> str:
    if url := said.get("index-url") or _default():
        return url
    problem = "your Python package index is unknown: pip does not answer"
    raise FetchError(problem, "install pip beside winnow-ci, or name the index with PIP_INDEX_URL")


def _configured() -> dict[str, str]:
    found = _answer("config", "list")
    if found is None:
        variables = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        return {name[4:].lower().replace("_", "-"): value for name, value in variables.items()}
    sections: dict[str, dict[str, str]] = {}
    for line in found.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        sections.setdefault(section, {})[name] = _unquoted(value)
    return {name: value for section in _SECTIONS for name, value in sections.get(section, {}).items()}


def _answer(*arguments: str) -> str | None:
    """The output of the first pip that answers.

    It never runs in the user's working folder: that is the repository, where pip and Python would look for settings and
    code.
    """
    for pip in _pips():
        with suppress(FetchError):
            said = client_process.run((*pip, *arguments), Path(os.sep), os.environ, _PATIENCE)
            if said.status == 0:
                return said.output
    return None


def _pips() -> Iterator[tuple[str, ...]]:
    """The pip of this environment, that on the PATH, and that which Python keeps for new environments (`ensurepip`).

    uv makes environments without pip, and may be all that a machine has.
    """
    yield sys.executable, "-I", "-m", "pip"
    if on_path := client_process.program("pip"):
        yield (on_path,)
    # Distributors of Python may keep it elsewhere.
    folders = (Path(sysconfig.get_path("stdlib"), "ensurepip", "_bundled"), sysconfig.get_config_var("WHEEL_PKG_DIR"))
    for folder in filter(None, folders):
        yield from ((sys.executable, "-I", f"{wheel}/pip") for wheel in Path(folder).glob("pip-*.whl"))


def _unquoted(value: str) -> str:
    try:
        return str(ast.literal_eval(value))
    except (ValueError, SyntaxError):
        return value


def _default() -> str | None:
    """The default index of pip."""
    text = " ".join((_answer("help", "install") or "").split())
    found = re.search(r"--index-url <url>.*?\(default (\S+?)\)", text)
    return found[1] if found else None


def _words(said: dict[str, str], name: str) -> list[str]:
    return said.get(name, "").split()


def _registries(places: list[str], certificates: str | None) -> tuple[Registry, ...]:
    found = (_registry(place, certificates) for place in places)
    return tuple(dict.fromkeys(registry for registry in found if registry))


def _registry(place: str, certificates: str | None) -> Registry | None:
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", place):
        # A relative path could name a folder of the repository.
        path = Path(place).expanduser()
        return Registry(path.as_uri()) if path.is_absolute() else None
    try:
        return registry_at(place, certificates)
    except ValueError as error:
        problem = "pip is configured with an index whose URL is invalid"
        raise FetchError(problem, "fix it: pip config list shows it") from error
