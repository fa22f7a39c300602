"""Crates: ``pkg:cargo/serde@1.0.219``.

The user's own Cargo fetches them with its own settings. ``cargo info`` fetches one crate, compares it with the checksum
in the registry's index, and builds nothing. Cargo also unpacks it, into a temporary home that nobody reads. That home
has links to the settings and credentials of the user's home, and a cache of its own.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import system
from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching.cache import put_file
from winnow_ci.fetching.client_process import ROOT, Client, client, in_one_line, run_client
from winnow_ci.fetching.packages import SEMANTIC_VERSION, Artifact, ResolvedSource, exact_version, qualifiers

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packageurl import PackageURL

    from winnow_ci.model import Progress

_TO_ASK, _TO_FETCH = 180.0, 1800.0  # seconds
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_SETTINGS = ("config.toml", "config", "credentials.toml", "credentials")
# The newest version, whatever Rust is installed, and no other Rust to be fetched.
_ENVIRONMENT = {"CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS": "allow", "RUSTUP_AUTO_INSTALL": "0"}
# A package that needs the newest version. The empty table ends Cargo's search for a workspace further up.
_WANTING = (
    '[package]\nname = "wanting"\nversion = "0.0.0"\n[lib]\npath = "lib.rs"\n[workspace]\n[dependencies]\n{} = "*"\n'
)


def resolve(purl: PackageURL, _progress: Progress | None = None) -> ResolvedSource:
    """Fetch and pin a crate: by default, the newest stable version."""
    name, asked = _name(purl), _exact(purl, purl.version) if purl.version else None
    with _cargo(purl) as cargo:
        version = asked or _exact(purl, _newest(cargo, name))
        sha256 = put_file(_crate(cargo, f"{name}@{version}")).name
    return ResolvedSource(name, version, (Artifact(f"{name}-{version}.crate", sha256),))


def fetch(purl: PackageURL, resolved: ResolvedSource, artifact: Artifact, _progress: Progress | None = None) -> Path:
    """Fetch the pinned crate."""
    spec = f"{_name(purl)}@{_exact(purl, resolved.version)}"
    with _cargo(purl) as cargo:
        return put_file(_crate(cargo, spec), artifact.sha256)


def _name(purl: PackageURL) -> str:
    qualifiers(purl)
    if purl.namespace or not _NAME.fullmatch(purl.name):
        raise ConfigError(f"{purl}: not a valid crate name", "write pkg:cargo/NAME@VERSION")
    return str(purl.name)


def _exact(purl: PackageURL, version: str | None) -> str:
    remedy = "write one like 1.2.3, or none for the newest; for a git revision, use a git source"
    return exact_version(purl, version, SEMANTIC_VERSION, "a crate", remedy)


@contextmanager
def _cargo(purl: PackageURL) -> Iterator[Client]:
    users = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    with client(purl, "cargo", "crate") as cargo:
        for name in _SETTINGS:
            if (users / name).is_file():
                system.link_file(cargo.folder / name, users.absolute() / name)
        yield cargo


def _run(cargo: Client, seconds: float, *arguments: str) -> None:
    environment = {**os.environ, **_ENVIRONMENT, "CARGO_HOME": str(cargo.folder)}
    said = run_client((cargo.program, *arguments), ROOT, environment, seconds)
    if said.status:
        raise cargo.failed(*_failure(said.complaints))


def _newest(cargo: Client, name: str) -> str | None:
    """The newest version. Its dependencies are looked up for that, but not fetched."""
    package = cargo.folder / "package"
    package.mkdir()
    (package / "lib.rs").touch()
    (package / "Cargo.toml").write_text(_WANTING.format(name), encoding="ascii")
    _run(cargo, _TO_ASK, "generate-lockfile", "--color=never", f"--manifest-path={package / 'Cargo.toml'}")
    locked = tomllib.loads((package / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    return next((one["version"] for one in locked if one["name"] == name), None)


def _crate(cargo: Client, spec: str) -> Path:
    """Have Cargo fetch a crate, the only one in its home."""
    _run(cargo, _TO_FETCH, "info", "--color=never", "--registry=crates-io", "--", spec)
    for path in cargo.folder.glob("registry/cache/*/*.crate"):
        return path
    problem = f"{cargo.purl}: cargo has it as a folder, not as a crate"
    raise FetchError(problem, "name that folder as a source: path: FOLDER")


def _failure(said: str) -> tuple[str, str]:
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
