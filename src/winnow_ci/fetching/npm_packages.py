"""Packages of npm: ``pkg:npm/lodash@4.17.21``, ``pkg:npm/%40types/node``.

The user's own npm asks the registry, so registries, scopes, credentials, proxies and certificates are those of its
settings. It fetches one tarball into a temporary npm cache, where the tarball is found by its hash: no name that a
registry or a package chooses becomes a path, no script runs, and nothing is unpacked. npm checks the tarball against
the integrity that the registry states, and we check it again.
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
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching import client_process, file_cache
from winnow_ci.fetching.artifacts import Artifact, ResolvedSource
from winnow_ci.fetching.purl import qualifiers
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packageurl import PackageURL

    from winnow_ci.fetching.download import Progress

_TO_ASK, _TO_FETCH = 180.0, 1800.0  # seconds
_PART = r"[a-z0-9~][a-z0-9._~-]*"
# Old packages have capitals in their names.
_NAME = re.compile(rf"(?:@{_PART}/)?{_PART}", re.IGNORECASE)
_LONGEST_NAME = 214
# Such a version cannot be mistaken for a tag, a range, a folder, a URL or a repository.
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?", re.ASCII)
_LONGEST_VERSION = 256
_ALGORITHMS = ("sha512", "sha384", "sha256", "sha1")
_PREFIX = re.compile(r"npm (?:ERR!|error) ")
# In global mode npm reads no settings of a project.
_SETTINGS = ("--global", "--ignore-scripts", "--json", "--loglevel=error", "--logs-max=0", "--no-update-notifier")


class _Published(NamedTuple):
    """A version as its registry describes it."""

    version: str
    algorithm: str
    digest: str


def resolve(purl: PackageURL, progress: Progress | None = None) -> ResolvedSource:
    """Pin a version and the sha256 of its tarball, which is fetched for that.

    Args:
        purl: of the package; without a version, the one that the registry calls ``latest``.
        progress: called when the tarball has arrived.

    Raises:
        ConfigError: the package URL does not name a package of a registry.
        FetchError: there is no npm, no such package, or the tarball is not what the registry says.
    """
    name, asked = _name(purl), _exact(purl, purl.version) if purl.version else "latest"
    with _npm(purl) as npm:
        published = _published(npm, name, asked)
        path = _tarball(npm, f"{name}@{published.version}", published.algorithm, published.digest)
        sha256 = file_cache.put(path, None, progress).name
    filename = f"{name.removeprefix('@').replace('/', '-')}-{published.version}.tgz"
    return ResolvedSource(name, published.version, (Artifact(filename, sha256),))


def fetch(purl: PackageURL, resolved: ResolvedSource, progress: Progress | None = None) -> tuple[Path, ...]:
    """The pinned tarball, in the cache; no registry is asked if it is there.

    Raises:
        ConfigError: the package URL or the pinned version does not name a package of a registry.
        FetchError: it is not in the cache, and there is no npm, no such version, or another tarball.
    """
    spec = f"{_name(purl)}@{_exact(purl, resolved.version)}"
    return tuple(_fetched(purl, spec, artifact.sha256, progress) for artifact in resolved.artifacts)


def _fetched(purl: PackageURL, spec: str, sha256: str, progress: Progress | None) -> Path:
    if found := file_cache.get(sha256):
        return found
    with _npm(purl) as npm:
        return file_cache.put(_tarball(npm, spec, "sha256", sha256), sha256, progress)


def _name(purl: PackageURL) -> str:
    qualifiers(purl)
    name = f"{purl.namespace}/{purl.name}" if purl.namespace else purl.name
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        raise ConfigError(
            f"{purl}: no name of an npm package", "write pkg:npm/NAME@VERSION or pkg:npm/%40SCOPE/NAME@VERSION"
        )
    return name


def _exact(purl: PackageURL, version: str | None) -> str:
    if version is None or not _VERSION.fullmatch(version) or len(version) > _LONGEST_VERSION:
        problem = f"{purl}: {version!r:.100} is no exact version of an npm package"
        raise ConfigError(
            problem, "write one like 1.2.3, or none for the latest; git and URLs are sources of their own"
        )
    return version


class _Npm(NamedTuple):
    """npm, in its own empty folder."""

    program: str
    folder: Path
    purl: PackageURL

    @property
    def store(self) -> Path:
        """The folder that it fetches into."""
        return self.folder / "cache"

    def ask(self, seconds: float, *arguments: str) -> Any:
        """Its answer; None if there is none."""
        home = self.folder / "empty"
        said = client_process.run((self.program, *arguments), home, os.environ, seconds)
        answer = None
        with contextlib.suppress(ValueError, RecursionError):
            answer = json.loads(said.output) if said.output.strip() else None
        if said.status:
            code, summary = _failure(answer, said)
            raise FetchError(f"{self.purl}: npm: {code}: {summary}"[:1000], _remedy(code))
        return answer


@contextlib.contextmanager
def _npm(purl: PackageURL) -> Iterator[_Npm]:
    program = client_process.program("npm")
    if program is None:
        remedy = "install npm, or name the tarball by its https URL and sha256"
        raise FetchError(f"{purl}: there is no npm on this machine to fetch it with", remedy)
    with tempfile.TemporaryDirectory(prefix="winnow-ci-npm-", ignore_cleanup_errors=True) as folder:
        home = Path(folder, "empty")
        home.mkdir()
        # npm takes this for its project, and looks no further up.
        (home / "package.json").write_text("{}\n", encoding="ascii")
        yield _Npm(program, Path(folder), purl)


def _published(npm: _Npm, name: str, version: str) -> _Published:
    fields = ("name", "version", "dist.integrity", "dist.shasum")
    arguments = (*_SETTINGS, f"--cache={npm.store}", "--", f"{name}@{version}", *fields)
    answer = npm.ask(_TO_ASK, "view", *arguments)
    # For fields of several versions, the answer is a list.
    said = answer[0] if isinstance(answer, list) and len(answer) == 1 else answer
    if not isinstance(said, dict) or said.get("name") != name or not _is_version(said.get("version"), version):
        raise FetchError(
            f"{npm.purl}: the registry does not say what this is", "see that the name and the version are right"
        )
    digests = _digests(said)
    if not digests:
        raise FetchError(
            f"{npm.purl}: the registry states no hash of it", "name the tarball by its https URL and sha256"
        )
    algorithm = min(digests, key=_ALGORITHMS.index)
    return _Published(said["version"], algorithm, digests[algorithm])


def _is_version(found: object, asked: str) -> bool:
    if not isinstance(found, str) or not _VERSION.fullmatch(found) or len(found) > _LONGEST_VERSION:
        return False
    # Registries omit what follows a plus sign.
    return asked == "latest" or found.partition("+")[0] == asked.partition("+")[0]


def _digests(said: dict[str, Any]) -> dict[str, str]:
    """The hashes that a registry states, in hexadecimal, by algorithm; old registries have only ``sha1``."""
    stated = said.get("dist.integrity")
    digests: dict[str, Any] = {}
    for one in stated.split() if isinstance(stated, str) else ():
        algorithm, _, value = one.partition("-")
        with contextlib.suppress(binascii.Error, ValueError):
            digests[algorithm] = base64.b64decode(value.partition("?")[0], validate=True).hex()
    digests.setdefault("sha1", said.get("dist.shasum"))
    sizes = {name: hashlib.new(name, usedforsecurity=False).digest_size * 2 for name in _ALGORITHMS}
    return {name: value for name, value in digests.items() if isinstance(value, str) and len(value) == sizes.get(name)}


def _tarball(npm: _Npm, spec: str, algorithm: str, digest: str) -> Path:
    """The file with this hash among those that npm fetches for a package."""
    npm.ask(_TO_FETCH, "cache", "add", *_SETTINGS, f"--cache={npm.store}", "--", spec)
    for path in npm.store.rglob("*"):
        if stat.S_ISREG(path.lstat().st_mode) and _hash_of(path, algorithm) == digest:
            return path
    problem = f"{npm.purl}: the registry has another tarball of {spec} than the one with {algorithm} {digest}"
    raise FetchError(problem, "find out who changed it before you pin it again")


def _hash_of(path: Path, algorithm: str) -> str:
    digest = hashlib.new(algorithm, usedforsecurity=False)
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def _failure(answer: Any, said: client_process.ClientOutput) -> tuple[str, str]:
    """The code of an error, and its summary."""
    error = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(error, dict) and error.get("summary"):
        code, summary = str(error.get("code", "")), str(error["summary"])
    else:
        # Before npm 9 errors were only text for people.
        lines = [_PREFIX.sub("", line) for line in said.complaints.splitlines() if _PREFIX.match(line)]
        code = next((line[5:] for line in lines if line.startswith("code ")), f"status {said.status}")
        summary = next((line for line in lines if not line.startswith("code ")), said.complaints.strip())
    return code, client_process.hide_credentials(summary).partition("\n")[0]


def _remedy(code: str) -> str:
    if code in {"E404", "ETARGET"}:
        return "see that the name and the version are right, and that your registry has it"
    if code in {"E401", "E403", "ENEEDAUTH"}:
        return "give npm your credentials for that registry: npm login"
    if code == "EINTEGRITY":
        return "the registry, or what stands before it, sends something else than it promises: find out which"
    return "see that npm reaches its registry: npm ping"
