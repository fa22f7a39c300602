"""Packages of npm: ``pkg:npm/lodash@4.17.21``, ``pkg:npm/%40types/node``.

The user's own npm asks the registry, with its own settings. It fetches one tarball into a temporary npm cache, where
the tarball is found by its hash: no name that a registry or a package chooses becomes a path, no script runs, and
nothing is unpacked. npm checks the tarball against the integrity that the registry states, and we check it again.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import json
import os
import re
import stat
from typing import TYPE_CHECKING, Any

from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching.cache import digest_of, put_file
from winnow_ci.fetching.client_process import Client, ClientOutput, client, run_client
from winnow_ci.fetching.packages import (
    SEMANTIC_VERSION,
    Artifact,
    ResolvedSource,
    exact_version,
    is_exact_version,
    qualifiers,
)
from winnow_ci.fetching.urls import hide_credentials

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from packageurl import PackageURL

    from winnow_ci.model import Progress

_TO_ASK, _TO_FETCH = 180.0, 1800.0  # seconds
_PART = r"[a-z0-9~][a-z0-9._~-]*"
# Old packages have capitals in their names.
_NAME = re.compile(rf"(?:@{_PART}/)?{_PART}", re.IGNORECASE)
_LONGEST_NAME = 214
_ALGORITHMS = ("sha512", "sha384", "sha256", "sha1")
_PREFIX = re.compile(r"npm (?:ERR!|error) ")
# In global mode npm reads no settings of a project. Between its tries it would wait for 10 seconds, then for 60.
_SETTINGS = (
    *("--global", "--ignore-scripts", "--json", "--loglevel=error", "--logs-max=0", "--no-update-notifier"),
    *("--fetch-retry-mintimeout=1000", "--fetch-retry-factor=2"),
)
_REMEDIES = {
    **dict.fromkeys(("E404", "ETARGET"), "check the name and the version, and that your registry has it"),
    **dict.fromkeys(("E401", "E403", "ENEEDAUTH"), "give npm your credentials for that registry: npm login"),
    "EINTEGRITY": "the registry, or a proxy in front of it, sends a file that does not match its hash: find out which",
}


def resolve(purl: PackageURL, _progress: Progress | None = None) -> ResolvedSource:
    """Fetch and pin a tarball: by default, ``latest``."""
    name, asked = _name(purl), _exact(purl, purl.version) if purl.version else "latest"
    with client(purl, "npm", "tarball") as npm:
        version, digests = _published(npm, name, asked)
        algorithm = min(digests, key=_ALGORITHMS.index)
        path = _tarball(npm, f"{name}@{version}", algorithm, digests[algorithm])
        sha256 = put_file(path).name
    filename = f"{name.removeprefix('@').replace('/', '-')}-{version}.tgz"
    return ResolvedSource(name, version, (Artifact(filename, sha256),))


def fetch(purl: PackageURL, resolved: ResolvedSource, artifact: Artifact, _progress: Progress | None = None) -> Path:
    """Fetch the pinned tarball."""
    spec = f"{_name(purl)}@{_exact(purl, resolved.version)}"
    with client(purl, "npm", "tarball") as npm:
        return put_file(_tarball(npm, spec, "sha256", artifact.sha256), artifact.sha256)


def _name(purl: PackageURL) -> str:
    qualifiers(purl)
    name = f"{purl.namespace}/{purl.name}" if purl.namespace else purl.name
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        remedy = "write pkg:npm/NAME@VERSION or pkg:npm/%40SCOPE/NAME@VERSION"
        raise ConfigError(f"{purl}: not a valid npm package name", remedy)
    return name


def _exact(purl: PackageURL, version: str | None) -> str:
    remedy = "write one like 1.2.3, or none for the latest; for git or a URL, use a git or url source"
    return exact_version(purl, version, SEMANTIC_VERSION, "an npm package", remedy)


def _answer(npm: Client, seconds: float, command: Sequence[str], *arguments: str) -> Any:
    """What npm answers; None if there is no answer."""
    home = npm.folder / "empty"
    home.mkdir(exist_ok=True)
    # npm takes this for its project, and looks no further up.
    (home / "package.json").write_text("{}\n", encoding="ascii")
    line = (npm.program, *command, *_SETTINGS, f"--cache={npm.folder / 'cache'}", "--", *arguments)
    said = run_client(line, home, os.environ, seconds)
    answer = None
    with contextlib.suppress(ValueError, RecursionError):
        answer = json.loads(said.output) if said.output.strip() else None
    if said.status:
        code, summary = _failure(answer, said)
        raise npm.failed(f"{code}: {summary}", _REMEDIES.get(code, "check that npm reaches its registry: npm ping"))
    return answer


def _published(npm: Client, name: str, version: str) -> tuple[str, dict[str, str]]:
    """The exact version, and its hashes by algorithm."""
    fields = ("name", "version", "dist.integrity", "dist.shasum")
    answer = _answer(npm, _TO_ASK, ["view"], f"{name}@{version}", *fields)
    # For fields of several versions, the answer is a list.
    said = answer[0] if isinstance(answer, list) and len(answer) == 1 else answer
    if not isinstance(said, dict) or said.get("name") != name or not _is_version(said.get("version"), version):
        raise FetchError(f"{npm.purl}: the registry has no description of it", "check the name and the version")
    if digests := _digests(said):
        return said["version"], digests
    raise FetchError(f"{npm.purl}: the registry has no hash for it", "name the tarball by its https URL and sha256")


def _is_version(found: object, asked: str) -> bool:
    if not isinstance(found, str) or not is_exact_version(found):
        return False
    # Registries omit what follows a plus sign.
    return asked == "latest" or found.partition("+")[0] == asked.partition("+")[0]


def _digests(said: dict[str, Any]) -> dict[str, str]:
    stated = said.get("dist.integrity")
    digests: dict[str, Any] = {}
    for one in stated.split() if isinstance(stated, str) else ():
        algorithm, _, value = one.partition("-")
        with contextlib.suppress(binascii.Error, ValueError):
            digests[algorithm] = base64.b64decode(value.partition("?")[0], validate=True).hex()
    digests.setdefault("sha1", said.get("dist.shasum"))
    sizes = {name: hashlib.new(name, usedforsecurity=False).digest_size * 2 for name in _ALGORITHMS}
    return {name: value for name, value in digests.items() if isinstance(value, str) and len(value) == sizes.get(name)}


def _tarball(npm: Client, spec: str, algorithm: str, digest: str) -> Path:
    """Have npm fetch a package; find its file with this hash."""
    _answer(npm, _TO_FETCH, ["cache", "add"], spec)
    for path in (npm.folder / "cache").rglob("*"):
        if stat.S_ISREG(path.lstat().st_mode):
            with path.open("rb") as file:
                if digest_of(file, algorithm) == digest:
                    return path
    problem = f"{npm.purl}: the registry's tarball of {spec} is not the one with {algorithm} {digest}"
    raise FetchError(problem, "find out who changed it before you pin it again")


def _failure(answer: Any, said: ClientOutput) -> tuple[str, str]:
    error = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(error, dict) and error.get("summary"):
        code, summary = str(error.get("code", "")), str(error["summary"])
    else:
        # Before npm 9 errors were only text for people.
        lines = [_PREFIX.sub("", line) for line in said.complaints.splitlines() if _PREFIX.match(line)]
        code = next((line[5:] for line in lines if line.startswith("code ")), f"status {said.status}")
        summary = next((line for line in lines if not line.startswith("code ")), said.complaints.strip())
    return code, hide_credentials(summary).partition("\n")[0]
