"""Crates: ``pkg:cargo/serde@1.0.219``.

The user's own Cargo fetches them, so the registry that stands for that of crates (``[source.crates-io]``), credentials,
proxies and certificates are those of its settings. ``cargo info`` fetches one crate, compares it with the checksum in
the registry's index, and builds nothing. Cargo also unpacks it, into a temporary home that nobody reads. That home has
links to the settings and credentials of the user's home, and a cache of its own.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching import client_process, file_cache
from winnow_ci.fetching.artifacts import Artifact, ResolvedSource
from winnow_ci.fetching.purl import qualifiers
from winnow_ci.named_tuples import NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packageurl import PackageURL

    from winnow_ci.fetching.download import Progress

_TO_ASK, _TO_FETCH = 180.0, 1800.0  # seconds
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?", re.ASCII)
_LONGEST_VERSION = 256
_SETTINGS = ("config.toml", "config", "credentials.toml", "credentials")
# The newest version, whatever Rust is installed, and no other Rust to be fetched.
_ENVIRONMENT = {"CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS": "allow", "RUSTUP_AUTO_INSTALL": "0"}
_QUIETLY = ("--color=never", "--registry=crates-io")
# A package that needs the newest version. The empty table ends Cargo's search for a workspace further up.
_WANTING = (
    '[package]\nname = "wanting"\nversion = "0.0.0"\n[lib]\npath = "lib.rs"\n[workspace]\n[dependencies]\n{} = "*"\n'
)


def resolve(purl: PackageURL, progress: Progress | None = None) -> ResolvedSource:
    """Pin a version and the sha256 of its crate, which is fetched for that.

    Args:
        purl: of the crate; without a version, the newest that is neither yanked nor a pre-release.
        progress: called when the crate has arrived.

    Raises:
        ConfigError: the package URL does not name a crate.
        FetchError: there is no Cargo, no such crate, or it is not what the registry says.
    """
    name = _name(purl)
    with _cargo(purl) as cargo:
        version = _exact(purl, purl.version or _newest(cargo, name))
        sha256 = file_cache.put(_crate(cargo, f"{name}@{version}"), None, progress).name
    return ResolvedSource(name, version, (Artifact(f"{name}-{version}.crate", sha256),))


def fetch(purl: PackageURL, resolved: ResolvedSource, progress: Progress | None = None) -> tuple[Path, ...]:
    """The pinned crate, in the cache; no registry is asked if it is there.

    Raises:
        ConfigError: the package URL or the pinned version does not name a crate.
        FetchError: it is not in the cache, and there is no Cargo, no such version, or another crate.
    """
    spec = f"{_name(purl)}@{_exact(purl, resolved.version)}"
    return tuple(
        file_cache.get(artifact.sha256) or _fetched(purl, spec, artifact.sha256, progress)
        for artifact in resolved.artifacts
    )


def _fetched(purl: PackageURL, spec: str, sha256: str, progress: Progress | None) -> Path:
    with _cargo(purl) as cargo:
        return file_cache.put(_crate(cargo, spec), sha256, progress)


def _name(purl: PackageURL) -> str:
    qualifiers(purl)
    if purl.namespace or not _NAME.fullmatch(purl.name):
        raise ConfigError(f"{purl}: no name of a crate", "write pkg:cargo/NAME@VERSION")
    return str(purl.name)


def _exact(purl: PackageURL, version: str | None) -> str:
    if version is None or not _VERSION.fullmatch(version) or len(version) > _LONGEST_VERSION:
        problem = f"{purl}: {version!r:.100} is no exact version of a crate"
        raise ConfigError(problem, "write one like 1.2.3, or none for the newest; git is a source of its own")
    return version


class _Cargo(NamedTuple):
    """Cargo, with a home of its own."""

    program: str
    home: Path
    purl: PackageURL

    def run(self, seconds: float, *arguments: str) -> None:
        """Run a command, which must succeed."""
        environment = {**os.environ, **_ENVIRONMENT, "CARGO_HOME": str(self.home)}
        # In the root of the file system: in the folder for temporary ones a stranger's settings may lie.
        said = client_process.run((self.program, *arguments), Path(os.sep), environment, seconds)
        if said.status:
            problem, remedy = _failure(said.complaints)
            raise FetchError(f"{self.purl}: cargo: {problem}"[:1000], remedy)


@contextmanager
def _cargo(purl: PackageURL) -> Iterator[_Cargo]:
    program = client_process.program("cargo")
    if program is None:
        remedy = "install Cargo, or name the crate by its https URL and sha256"
        raise FetchError(f"{purl}: there is no cargo on this machine to fetch it with", remedy)
    users = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    with tempfile.TemporaryDirectory(prefix="winnow-ci-cargo-", ignore_cleanup_errors=True) as folder:
        for name in _SETTINGS:
            if (users / name).is_file():
                Path(folder, name).symlink_to(users.absolute() / name)
        yield _Cargo(program, Path(folder), purl)


def _newest(cargo: _Cargo, name: str) -> str | None:
    """The version that a package gets which asks for any. Its dependencies are looked up for that, but not fetched."""
    package = cargo.home / "package"
    package.mkdir()
    (package / "lib.rs").touch()
    (package / "Cargo.toml").write_text(_WANTING.format(name), encoding="ascii")
    cargo.run(_TO_ASK, "generate-lockfile", "--color=never", f"--manifest-path={package / 'Cargo.toml'}")
    locked = tomllib.loads((package / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    return next((one["version"] for one in locked if one["name"] == name), None)


def _crate(cargo: _Cargo, spec: str) -> Path:
    """Have Cargo fetch a crate, the only one in its home."""
    cargo.run(_TO_FETCH, "info", *_QUIETLY, "--", spec)
    for path in cargo.home.glob("registry/cache/*/*.crate"):
        return path
    problem = f"{cargo.purl}: cargo has it in a folder, and not as a crate"
    raise FetchError(problem, "name that folder as a source: path: FOLDER")


def _failure(said: str) -> tuple[str, str]:
    """The problem in one line: what Cargo could not do, and the innermost cause; and the remedy."""
    plain = client_process.hide_credentials(said)
    complaint, _, causes = plain.partition("error: ")[2].partition("Caused by:")
    cause = " ".join(causes.rpartition("Caused by:")[2].split())
    problem = " ".join(complaint.split()) or " ".join(plain.split()) or "no answer"
    if "no such command" in problem:
        return (
            problem,
            "install Cargo 1.82 or newer, or name the crate by its https URL and sha256",
        )
    if "checksum" in plain:
        return f"{problem}: {cause}", "the registry sends something else than its index promises: find out why"
    remedy = "see that the name and the version are right and not yanked, and that your registry has it"
    return f"{problem}: {cause}" if cause else problem, remedy
