"""Go modules: ``pkg:golang/golang.org/x/text@v0.14.0``.

The user's own Go fetches the zip of a module with its own settings (``go env``). It compares the module with the
checksum database, unless the settings except it (``GONOSUMDB``, ``GOPRIVATE``, ``GOSUMDB=off``). ``go mod download``
runs nothing of a module. Go also unpacks it, into a temporary folder that nobody reads.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.errors import ConfigError
from winnow_ci.fetching.cache import put_file
from winnow_ci.fetching.client_process import ROOT, client, in_one_line, run_client
from winnow_ci.fetching.packages import SEMANTIC_VERSION, Artifact, ResolvedSource, exact_version, qualifiers

if TYPE_CHECKING:
    from packageurl import PackageURL

    from winnow_ci.fetching.client_process import Client
    from winnow_ci.model import Progress

_TO_FETCH = 1800.0  # seconds
_LONGEST_PATH = 256
# As Go has it: the first part is a host (https://go.dev/ref/mod#go-mod-file-ident).
_MODULE = re.compile(r"(?=[^/]*\.)[A-Za-z0-9][A-Za-z0-9.-]*(?:/(?!\.)[A-Za-z0-9._~-]+)*")
# Package URLs for tools that write only small letters have capitals as Go's proxies have them.
_CAPITAL = re.compile(r"!([a-z])")
# No settings of a repository, no other Go to be fetched and run, and nothing asked of a person.
_ENVIRONMENT = {"GO111MODULE": "on", "GOWORK": "off", "GOTOOLCHAIN": "local", "GIT_TERMINAL_PROMPT": "0"}


def resolve(purl: PackageURL, _progress: Progress | None = None) -> ResolvedSource:
    """Fetch and pin the zip of a module: by default, ``latest``."""
    name = _name(purl)
    asked = _exact(purl, purl.version) if purl.version else "latest"
    with client(purl, "go", "zip") as go:
        answer = _download(go, f"{name}@{asked}")
        version = _exact(purl, answer.get("Version", ""))
        sha256 = put_file(Path(answer["Zip"])).name
    return ResolvedSource(name, version, (Artifact(f"{name.replace('/', '-')}@{version}.zip", sha256),))


def fetch(purl: PackageURL, resolved: ResolvedSource, artifact: Artifact, _progress: Progress | None = None) -> Path:
    """Fetch the pinned zip."""
    module = f"{_name(purl)}@{_exact(purl, resolved.version)}"
    with client(purl, "go", "zip") as go:
        return put_file(Path(_download(go, module)["Zip"]), artifact.sha256)


def _name(purl: PackageURL) -> str:
    qualifiers(purl)
    name = _CAPITAL.sub(lambda found: found[1].upper(), f"{purl.namespace or ''}/{purl.name}".strip("/"))
    if not _MODULE.fullmatch(name) or len(name) > _LONGEST_PATH:
        remedy = "write the module's path as in its go.mod: pkg:golang/golang.org/x/text@v0.14.0"
        raise ConfigError(f"{purl}: not a valid Go module path", remedy)
    return name


def _exact(purl: PackageURL, version: str | None) -> str:
    remedy = "write one like v1.2.3, or none for the latest; for a branch, use a git source"
    return exact_version(purl, version, f"v{SEMANTIC_VERSION}", "a Go module", remedy)


def _download(go: Client, module: str) -> dict[str, str]:
    """Have Go fetch PATH@VERSION; return its answer with ``Zip`` and ``Version``."""
    paths = {"GOPATH": str(go.folder), "GOMODCACHE": str(go.folder / "modules")}
    # Without -modcacherw the temporary folder could not be deleted.
    command = (go.program, "mod", "download", "-json", "-modcacherw", "--", module)
    said = run_client(command, ROOT, {**os.environ, **_ENVIRONMENT, **paths}, _TO_FETCH)
    answer: Any = None
    with contextlib.suppress(ValueError, RecursionError):
        answer = json.loads(said.output)
    texts = (
        {name: value for name, value in answer.items() if isinstance(value, str)} if isinstance(answer, dict) else {}
    )
    if said.status or not texts.get("Zip"):
        raise go.failed(*_failure(texts.get("Error") or said.complaints))
    return texts


def _failure(said: str) -> tuple[str, str]:
    problem, other, _ = in_one_line(said).partition("SECURITY ERROR")
    if other:
        named = problem.partition(" downloaded: ")[0]
        return f"{named}: it does not match the checksum database", "find out who changed it before you use it"
    if "verifying" in problem:
        return problem, "check that Go reaches its checksum database; set GOPRIVATE for private modules: go env"
    return (problem or "no answer", "check the path and the version, and that Go reaches its proxy: go env")
