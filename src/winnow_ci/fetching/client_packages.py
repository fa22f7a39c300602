"""Packages that a registry's own client fetches: of Cargo, Go and npm.

It is the user's own client, with its own settings, and it runs nothing of a package: no script, no build.

- ``pkg:cargo/serde@1.0.219``: ``cargo info`` fetches one crate and compares it with the checksum in the registry's
  index. Cargo also unpacks it, into a temporary home that nobody reads. That home has links to the settings and
  credentials of the user's home, and a cache of its own.
- ``pkg:golang/golang.org/x/text@v0.14.0``: ``go mod download`` fetches the zip of a module, and compares the module
  with the checksum database, unless the settings except it (``GONOSUMDB``, ``GOPRIVATE``, ``GOSUMDB=off``). Go also
  unpacks it, into a temporary folder that nobody reads.
- ``pkg:npm/lodash@4.17.21``, ``pkg:npm/%40types/node``: npm fetches one tarball into a temporary cache, where it is
  found by its hash: no name that a registry or a package chooses becomes a path, and nothing is unpacked. npm checks
  the tarball against the integrity that the registry states, and we check it again.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import re
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci import system
from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching.cache import digest_of, put_file
from winnow_ci.fetching.client_process import ROOT, client, in_one_line, run_client
from winnow_ci.fetching.packages import (
    SEMANTIC_VERSION,
    Artifact,
    ResolvedSource,
    exact_version,
    is_exact_version,
    qualifiers,
)
from winnow_ci.fetching.urls import hide_credentials
from winnow_ci.named_tuples import NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from packageurl import PackageURL

    from winnow_ci.fetching.client_process import Client, ClientOutput
    from winnow_ci.model import Progress

_TO_ASK, _TO_FETCH = 180.0, 1800.0  # seconds
# Package URLs for tools that write only small letters have capitals as Go's proxies have them.
_CAPITAL = re.compile(r"!([a-z])")


class _Kind(NamedTuple):
    """A kind of package, and the client that fetches it."""

    client: str
    file: str  # what it fetches
    package: str  # as messages call it
    name: str  # a pattern
    write: str  # a package URL to write
    filename: str  # of a name and a version
    # fetches the file of a name and a version, or of the newest, with a sha256 if that is known; returns the version
    fetched: Callable[[Client, str, str | None, str | None], tuple[object, Path]]
    before_version: str = ""


def resolve(purl: PackageURL, _progress: Progress | None = None) -> ResolvedSource:
    """Fetch and pin a package: by default, the newest stable version."""
    kind, name = _named(purl)
    asked = _exact(purl, purl.version) if purl.version else None
    with client(purl, kind.client, kind.file) as program:
        found, path = kind.fetched(program, name, asked, None)
        version = _exact(purl, found)
        sha256 = put_file(path).name
    filename = kind.filename.format(name.removeprefix("@").replace("/", "-"), version)
    return ResolvedSource(name, version, (Artifact(filename, sha256),))


def fetch(purl: PackageURL, resolved: ResolvedSource, artifact: Artifact, _progress: Progress | None = None) -> Path:
    """Fetch the pinned file."""
    kind, name = _named(purl)
    version = _exact(purl, resolved.version)
    with client(purl, kind.client, kind.file) as program:
        return put_file(kind.fetched(program, name, version, artifact.sha256)[1], artifact.sha256)


def _named(purl: PackageURL) -> tuple[_Kind, str]:
    qualifiers(purl)
    kind, name = _KINDS[purl.type], f"{purl.namespace or ''}/{purl.name}".strip("/")
    if purl.type == "golang":
        name = _CAPITAL.sub(lambda found: found[1].upper(), name)
    if not re.fullmatch(kind.name, name):
        raise ConfigError(f"{purl}: not a valid name of {kind.package}", f"write {kind.write}")
    return kind, name


def _exact(purl: PackageURL, version: object) -> str:
    kind = _KINDS[purl.type]
    remedy = f"write one like {kind.before_version}1.2.3, or none for the newest; for a git revision, use a git source"
    return exact_version(purl, version, f"{kind.before_version}{SEMANTIC_VERSION}", kind.package, remedy)


# ---- Cargo ------------------------------------------------------------------------------------------------------

_CARGO_SETTINGS = ("config.toml", "config", "credentials.toml", "credentials")
# The newest version, whatever Rust is installed, and no other Rust to be fetched.
_CARGO_ENVIRONMENT = {"CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS": "allow", "RUSTUP_AUTO_INSTALL": "0"}
# A package that needs the newest version. The empty table ends Cargo's search for a workspace further up.
_WANTING = (
    '[package]\nname = "wanting"\nversion = "0.0.0"\n[lib]\npath = "lib.rs"\n[workspace]\n[dependencies]\n{} = "*"\n'
)


def _crate(cargo: Client, name: str, asked: str | None, _sha256: str | None) -> tuple[object, Path]:
    """Have Cargo fetch a crate, the only one in its home."""
    users = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    for settings in _CARGO_SETTINGS:
        if (users / settings).is_file():
            system.link_file(cargo.folder / settings, users.absolute() / settings)
    version = asked or _exact(cargo.purl, _newest(cargo, name))
    _run_cargo(cargo, _TO_FETCH, "info", "--color=never", "--registry=crates-io", "--", f"{name}@{version}")
    for path in cargo.folder.glob("registry/cache/*/*.crate"):
        return version, path
    problem = f"{cargo.purl}: cargo has it as a folder, not as a crate"
    raise FetchError(problem, "name that folder as a source: path: FOLDER")


def _newest(cargo: Client, name: str) -> str | None:
    """The newest version. Its dependencies are looked up for that, but not fetched."""
    package = cargo.folder / "package"
    package.mkdir()
    (package / "lib.rs").touch()
    (package / "Cargo.toml").write_text(_WANTING.format(name), encoding="ascii")
    _run_cargo(cargo, _TO_ASK, "generate-lockfile", "--color=never", f"--manifest-path={package / 'Cargo.toml'}")
    locked = tomllib.loads((package / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    return next((one["version"] for one in locked if one["name"] == name), None)


def _run_cargo(cargo: Client, seconds: float, *arguments: str) -> None:
    environment = {**os.environ, **_CARGO_ENVIRONMENT, "CARGO_HOME": str(cargo.folder)}
    said = run_client((cargo.program, *arguments), ROOT, environment, seconds)
    if said.status:
        raise cargo.failed(*_failure_of_cargo(said.complaints))


def _failure_of_cargo(said: str) -> tuple[str, str]:
    """The problem in one line, with the innermost cause; and the remedy."""
    complaint, _, causes = in_one_line(said).partition("error: ")[2].partition(" Caused by: ")
    cause = causes.rpartition("Caused by: ")[2]
    problem = complaint or in_one_line(said) or "no answer"
    if "no such command" in problem:
        return problem, "install Cargo 1.82 or newer, or name the crate by its https URL and sha256"
    if "checksum" in said:
        return f"{problem}: {cause}", "the crate does not match the hash in the registry's index: find out why"
    remedy = "check the name and the version, that it is not yanked, and that your registry has it"
    return f"{problem}: {cause}" if cause else problem, remedy


# ---- Go ---------------------------------------------------------------------------------------------------------

# No settings of a repository, no other Go to be fetched and run, and nothing asked of a person.
_GO_ENVIRONMENT = {"GO111MODULE": "on", "GOWORK": "off", "GOTOOLCHAIN": "local", "GIT_TERMINAL_PROMPT": "0"}


def _zip(go: Client, name: str, asked: str | None, _sha256: str | None) -> tuple[object, Path]:
    """Have Go fetch a module."""
    paths = {"GOPATH": str(go.folder), "GOMODCACHE": str(go.folder / "modules")}
    # Without -modcacherw the temporary folder could not be deleted.
    command = (go.program, "mod", "download", "-json", "-modcacherw", "--", f"{name}@{asked or 'latest'}")
    said = run_client(command, ROOT, {**os.environ, **_GO_ENVIRONMENT, **paths}, _TO_FETCH)
    answer = _json(said.output)
    found = answer if isinstance(answer, dict) else {}
    path, error = found.get("Zip"), found.get("Error")
    if said.status or not isinstance(path, str):
        raise go.failed(*_failure_of_go(error if error and isinstance(error, str) else said.complaints))
    return found.get("Version"), Path(path)


def _failure_of_go(said: str) -> tuple[str, str]:
    problem, other, _ = in_one_line(said).partition("SECURITY ERROR")
    if other:
        named = problem.partition(" downloaded: ")[0]
        return f"{named}: it does not match the checksum database", "find out who changed it before you use it"
    if "verifying" in problem:
        return problem, "check that Go reaches its checksum database; set GOPRIVATE for private modules: go env"
    return (problem or "no answer", "check the path and the version, and that Go reaches its proxy: go env")


# ---- npm --------------------------------------------------------------------------------------------------------

_ALGORITHMS = ("sha512", "sha384", "sha256", "sha1")
# In global mode npm reads no settings of a project. Between its tries it would wait for 10 seconds, then for 60.
_NPM_SETTINGS = (
    *("--global", "--ignore-scripts", "--json", "--loglevel=error", "--logs-max=0", "--no-update-notifier"),
    *("--fetch-retry-mintimeout=1000", "--fetch-retry-factor=2"),
)
_REMEDIES = {
    **dict.fromkeys(("E404", "ETARGET"), "check the name and the version, and that your registry has it"),
    **dict.fromkeys(("E401", "E403", "ENEEDAUTH"), "give npm your credentials for that registry: npm login"),
    "EINTEGRITY": "the registry, or a proxy in front of it, sends a file that does not match its hash: find out which",
}


def _tarball(npm: Client, name: str, asked: str | None, sha256: str | None) -> tuple[object, Path]:
    """Have npm fetch a package; find its file by the hash that is known, or that the registry states."""
    version, algorithm, digest = (asked, "sha256", sha256) if sha256 else _published(npm, name, asked)
    spec = f"{name}@{version}"
    _answer_of_npm(npm, _TO_FETCH, ["cache", "add"], spec)
    for path in (npm.folder / "cache").rglob("*"):
        if stat.S_ISREG(path.lstat().st_mode):
            with path.open("rb") as file:
                if digest_of(file, algorithm) == digest:
                    return version, path
    problem = f"{npm.purl}: the registry's tarball of {spec} is not the one with {algorithm} {digest}"
    raise FetchError(problem, "find out who changed it before you pin it again")


def _published(npm: Client, name: str, asked: str | None) -> tuple[str, str, str]:
    """The exact version, and its best hash: algorithm and digest."""
    fields = ("name", "version", "dist.integrity", "dist.shasum")
    answer = _answer_of_npm(npm, _TO_ASK, ["view"], f"{name}@{asked or 'latest'}", *fields)
    # For fields of several versions, the answer is a list.
    said = answer[0] if isinstance(answer, list) and len(answer) == 1 else answer
    if not isinstance(said, dict) or said.get("name") != name or not _is_version(said.get("version"), asked):
        raise FetchError(f"{npm.purl}: the registry has no description of it", "check the name and the version")
    digests = _digests(said)
    for algorithm in _ALGORITHMS:
        if algorithm in digests:
            return said["version"], algorithm, digests[algorithm]
    raise FetchError(f"{npm.purl}: the registry has no hash for it", "name the tarball by its https URL and sha256")


def _is_version(found: object, asked: str | None) -> bool:
    # Registries omit what follows a plus sign.
    return is_exact_version(found) and (asked is None or found.partition("+")[0] == asked.partition("+")[0])


def _digests(said: dict[str, Any]) -> dict[str, str]:
    stated = said.get("dist.integrity")
    digests: dict[str, Any] = {}
    for one in stated.split() if isinstance(stated, str) else ():
        algorithm, _, value = one.partition("-")
        with suppress(binascii.Error, ValueError):
            digests[algorithm] = base64.b64decode(value.partition("?")[0], validate=True).hex()
    digests.setdefault("sha1", said.get("dist.shasum"))
    sizes = {name: hashlib.new(name, usedforsecurity=False).digest_size * 2 for name in _ALGORITHMS}
    return {name: value for name, value in digests.items() if isinstance(value, str) and len(value) == sizes.get(name)}


def _answer_of_npm(npm: Client, seconds: float, command: Sequence[str], *arguments: str) -> Any:
    """What npm answers; None if there is no answer."""
    home = npm.folder / "empty"
    home.mkdir(exist_ok=True)
    # npm takes this for its project, and looks no further up.
    (home / "package.json").write_text("{}\n", encoding="ascii")
    line = (npm.program, *command, *_NPM_SETTINGS, f"--cache={npm.folder / 'cache'}", "--", *arguments)
    said = run_client(line, home, os.environ, seconds)
    answer = _json(said.output)
    if said.status:
        code, summary = _failure_of_npm(answer, said)
        raise npm.failed(f"{code}: {summary}", _REMEDIES.get(code, "check that npm reaches its registry: npm ping"))
    return answer


def _failure_of_npm(answer: Any, said: ClientOutput) -> tuple[str, str]:
    error = answer.get("error") if isinstance(answer, dict) else None
    if not isinstance(error, dict) or not error.get("summary"):
        return f"status {said.status}", in_one_line(said.complaints)
    return str(error.get("code", "")), hide_credentials(str(error["summary"])).partition("\n")[0]


def _json(text: str) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return None


# ---- the kinds --------------------------------------------------------------------------------------------------

# A part of a name of npm's. Old packages have capitals in their names.
_PART = r"[A-Za-z0-9~][A-Za-z0-9._~-]*"
_KINDS = {
    "cargo": _Kind(
        "cargo", "crate", "a crate", r"[A-Za-z][A-Za-z0-9_-]{0,63}", "pkg:cargo/NAME@VERSION", "{}-{}.crate", _crate
    ),
    "golang": _Kind(
        "go",
        "zip",
        "a Go module",
        # As Go has it: the first part is a host (https://go.dev/ref/mod#go-mod-file-ident).
        r"(?=.{1,256}\Z)(?=[^/]*\.)[A-Za-z0-9][A-Za-z0-9.-]*(?:/(?!\.)[A-Za-z0-9._~-]+)*",
        "the module's path as in its go.mod: pkg:golang/golang.org/x/text@v0.14.0",
        "{}@{}.zip",
        _zip,
        before_version="v",
    ),
    "npm": _Kind(
        "npm",
        "tarball",
        "an npm package",
        rf"(?=.{{1,214}}\Z)(?:@{_PART}/)?{_PART}",
        "pkg:npm/NAME@VERSION or pkg:npm/%40SCOPE/NAME@VERSION",
        "{}-{}.tgz",
        _tarball,
    ),
}
