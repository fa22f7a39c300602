"""A first manifest: the most used packages of an ecosystem."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from winnow_ci.config.manifest import MOST_BYTES_OF_MANIFEST, parse_manifest, with_sources_added
from winnow_ci.config.starters import starter
from winnow_ci.config.team_files import read_untrusted
from winnow_ci.errors import UsageError
from winnow_ci.fetching.packages import parse_purl
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations import atomic_file

if TYPE_CHECKING:
    from pathlib import Path

    from packageurl import PackageURL


class StarterResult(NamedTuple):
    """How many packages were added to a manifest, and how many it had."""

    added: int
    known: int


def start(path: Path, ecosystem: str) -> StarterResult:
    """Add the most used packages of an ecosystem to a manifest, which need not exist; what it has stays as it is.

    Args:
        path: of the manifest.
        ecosystem: one of ``starters.ECOSYSTEMS``.

    Raises:
        ConfigError: the manifest has a mistake, or a form that nothing can be added to.
        UsageError: it cannot be written.
    """
    is_there = path.exists() or path.is_symlink()
    written = read_untrusted(path, MOST_BYTES_OF_MANIFEST, "name a readable file with --manifest") if is_there else b""
    sources = parse_manifest(written, path).sources
    names = {one.name for one in sources}
    # Whoever has a package, of whatever version and under whatever name, needs it no second time.
    packages = {_package(one.origin.purl) for one in sources if one.origin.purl}
    missing = [name for name in starter(ecosystem) if _package(_purl(ecosystem, name)) not in packages]
    if missing:
        added = [_values(ecosystem, name, is_taken=name in names) for name in missing]
        _write(path, with_sources_added(written, added, path))
    return StarterResult(len(missing), len(starter(ecosystem)) - len(missing))


def _values(ecosystem: str, name: str, *, is_taken: bool) -> dict[str, str]:
    """Keys and values of a source; one whose name another ecosystem has is called after both."""
    values = {"purl": _purl(ecosystem, name)}
    return {**values, "name": f"{ecosystem}/{name}"} if is_taken else values


def _package(purl: str) -> PackageURL:
    return parse_purl(purl)._replace(version=None, qualifiers={})


def _purl(ecosystem: str, name: str) -> str:
    return f"pkg:{ecosystem}/{quote(name, safe='/')}"


def _write(path: Path, text: bytes) -> None:
    try:
        atomic_file.replace(path, text)
    except OSError as error:
        remedy = "make it writable, or name another file with --manifest"
        raise UsageError(f"{path}: {error.strerror}", remedy) from error
