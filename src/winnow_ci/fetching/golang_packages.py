"""Go modules: ``pkg:golang/golang.org/x/text@v0.14.0``.

The user's own Go fetches the zip of a module, so proxies, private modules, credentials and the checksum database are
those of its settings (``go env``), and with ``direct`` it asks the module's repository. It compares the module with the
checksum database, unless the settings except it (``GONOSUMDB``, ``GOPRIVATE``, ``GOSUMDB=off``). ``go mod download``
runs nothing of a module. Go also unpacks it, into a temporary folder that nobody reads.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching import client_process, file_cache
from winnow_ci.fetching.artifacts import Artifact, ResolvedSource
from winnow_ci.fetching.purl import qualifiers
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from packageurl import PackageURL

    from winnow_ci.fetching.download import Progress

_TO_FETCH = 1800.0  # seconds
_LONGEST = 256
# As Go has it: the first part is a host (https://go.dev/ref/mod#go-mod-file-ident).
_MODULE = re.compile(r"(?=[^/]*\.)[A-Za-z0-9][A-Za-z0-9.-]*(?:/(?!\.)[A-Za-z0-9._~-]+)*")
_VERSION = re.compile(r"v\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?", re.ASCII)
# Package URLs for tools that write only small letters have capitals as Go's proxies have them.
_CAPITAL = re.compile(r"!([a-z])")
# No settings of a repository, no other Go to be fetched and run, and nothing asked of a person.
_ENVIRONMENT = {"GO111MODULE": "on", "GOWORK": "off", "GOTOOLCHAIN": "local", "GIT_TERMINAL_PROMPT": "0"}


class _Module(NamedTuple):
    """A module as Go has fetched it."""

    version: str
    zip: Path


def resolve(purl: PackageURL, progress: Progress | None = None) -> ResolvedSource:
    """Pin a version and the sha256 of its zip, which is fetched for that.

    Args:
        purl: of the module; without a version, what Go calls ``latest``.
        progress: called when the zip has arrived.

    Raises:
        ConfigError: the package URL does not name a module.
        FetchError: there is no Go, no such module, or it is not what the checksum database says.
    """
    name = _name(purl)
    with tempfile.TemporaryDirectory(prefix="winnow-ci-go-", ignore_cleanup_errors=True) as folder:
        found = _downloaded(purl, f"{name}@{_exact(purl, purl.version) if purl.version else 'latest'}", Path(folder))
        version = _exact(purl, found.version)
        sha256 = file_cache.put(found.zip, None, progress).name
    return ResolvedSource(name, version, (Artifact(f"{name.replace('/', '-')}@{version}.zip", sha256),))


def fetch(purl: PackageURL, resolved: ResolvedSource, progress: Progress | None = None) -> tuple[Path, ...]:
    """The pinned zip, in the cache; nobody is asked if it is there.

    Raises:
        ConfigError: the package URL or the pinned version does not name a module.
        FetchError: it is not in the cache, and there is no Go, no such version, or another zip.
    """
    module = f"{_name(purl)}@{_exact(purl, resolved.version)}"
    return tuple(
        file_cache.get(artifact.sha256) or _fetched(purl, module, artifact.sha256, progress)
        for artifact in resolved.artifacts
    )


def _fetched(purl: PackageURL, module: str, sha256: str, progress: Progress | None) -> Path:
    with tempfile.TemporaryDirectory(prefix="winnow-ci-go-", ignore_cleanup_errors=True) as folder:
        return file_cache.put(_downloaded(purl, module, Path(folder)).zip, sha256, progress)


def _name(purl: PackageURL) -> str:
    qualifiers(purl)
    name = _CAPITAL.sub(lambda found: found[1].upper(), f"{purl.namespace or ''}/{purl.name}".strip("/"))
    if not _MODULE.fullmatch(name) or len(name) > _LONGEST:
        remedy = "write the module's path as its go.mod has it: pkg:golang/golang.org/x/text@v0.14.0"
        raise ConfigError(f"{purl}: no path of a Go module", remedy)
    return name


def _exact(purl: PackageURL, version: str | None) -> str:
    if version is None or not _VERSION.fullmatch(version) or len(version) > _LONGEST:
        problem = f"{purl}: {version!r:.100} is no exact version of a Go module"
        raise ConfigError(problem, "write one like v1.2.3, or none for the latest; branches are sources of git")
    return version


def _downloaded(purl: PackageURL, module: str, folder: Path) -> _Module:
    """Have Go fetch a module, given as PATH@VERSION, into a folder of its own."""
    program = client_process.program("go")
    if program is None:
        remedy = "install Go, or name the zip by its https URL and sha256"
        raise FetchError(f"{purl}: there is no go on this machine to fetch it with", remedy)
    environment = {**os.environ, **_ENVIRONMENT, "GOPATH": str(folder), "GOMODCACHE": str(folder / "modules")}
    # Without -modcacherw the temporary folder could not be deleted.
    command = (program, "mod", "download", "-json", "-modcacherw", "--", module)
    # It runs in the root of the file system: in the folder for temporary ones a stranger's go.mod may lie.
    said = client_process.run(command, Path(os.sep), environment, _TO_FETCH)
    answer = _answer(said.output)
    if said.status or not answer.get("Zip"):
        problem, remedy = _failure(answer.get("Error") or said.complaints)
        raise FetchError(f"{purl}: go: {problem}"[:1000], remedy)
    return _Module(answer.get("Version", ""), Path(answer["Zip"]))


def _answer(output: str) -> dict[str, str]:
    with contextlib.suppress(ValueError, RecursionError):
        answer = json.loads(output)
        if isinstance(answer, dict):
            return {name: value for name, value in answer.items() if isinstance(value, str)}
    return {}


def _failure(said: str) -> tuple[str, str]:
    """The problem in one line, and the remedy."""
    problem, other, _ = " ".join(client_process.hide_credentials(said).split()).partition("SECURITY ERROR")
    if other:
        named = problem.partition(" downloaded: ")[0]
        return f"{named}: it is not what the checksum database says", "find out who changed it before you use it"
    if "verifying" in problem:
        return problem, "see that Go reaches its checksum database; private modules are excepted by GOPRIVATE: go env"
    return problem or "no answer", "see that the path and the version are right, and that Go reaches its proxy: go env"
