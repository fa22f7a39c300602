"""Source packages of Debian and its derivatives: ``pkg:deb/debian/zlib@1:1.2.13.dfsg-1?distro=bookworm``.

They come from the user's own mirrors, and apt checks what it fetches against their signatures. Nothing is unpacked or
built.
"""

from __future__ import annotations

import mmap
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import deb822
from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching.apt import apt
from winnow_ci.fetching.cache import cached_file, put_file
from winnow_ci.fetching.packages import Artifact, ResolvedSource, qualifiers
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regular_file import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packageurl import PackageURL

    from winnow_ci.fetching.apt import Apt, AptSourceList
    from winnow_ci.model import Progress

_NAME = re.compile(r"[a-z0-9][a-z0-9.+-]+")
_VERSION = re.compile(r"(?:[0-9]+:)?[0-9][A-Za-z0-9.+~-]*")
# These belong to a release. Backports and proposed updates do not: they must be asked for by their own names.
_PARTS = ("", "-updates", "-security", "/updates")


class _Wanted(NamedTuple):
    purl: PackageURL
    name: str
    version: str | None
    distro: str | None

    def is_in(self, sources: AptSourceList) -> bool:
        """Whether a list is of this distribution and release."""
        origin = sources.origin.lower().split()[:1]
        if self.purl.namespace and origin != [self.purl.namespace.lower()]:
            return False
        return self.distro is None or any(f"{self.distro}{part}" in sources.releases for part in _PARTS)


class _Package(NamedTuple):
    version: str
    files: tuple[deb822.ListedFile, ...]

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """The files that are read: the ``.dsc`` first, and no signatures."""
        files = [Artifact(file.filename, file.sha256) for file in self.files if not file.filename.endswith(".asc")]
        return tuple(sorted(files, key=lambda file: (not file.filename.endswith(".dsc"), file.filename)))


def resolve(purl: PackageURL, _progress: Progress | None = None) -> ResolvedSource:
    """Pin a version and its files, as the mirrors have signed them.

    Without a version the newest is taken; the qualifier ``distro`` is the name of a release.
    """
    wanted = _wanted(purl, purl.version)
    with apt() as mirrors:
        found = _found(mirrors, wanted)
    return ResolvedSource(wanted.name, found.version, found.artifacts)


def fetch(purl: PackageURL, resolved: ResolvedSource, artifact: Artifact, progress: Progress | None = None) -> Path:
    """Fetch all missing files of a package, and return one."""
    wanted = _wanted(purl, resolved.version)
    with tempfile.TemporaryDirectory(prefix="winnow-ci-deb-") as name:
        folder = Path(name)
        with apt() as mirrors:
            found = _found(mirrors, wanted)
            if others := set(resolved.artifacts) - set(found.artifacts):
                problem = f"{purl}: {min(others).filename} {found.version} on the mirrors differs from the pinned one"
                raise FetchError(problem, "find out who changed it before you pin it again")
            # Not before the check: names become paths here, and only those that a mirror has signed may.
            missing = _bring_cached(resolved, folder)
            total = sum(file.size for file in found.files)

            def tell() -> None:
                if progress:
                    progress(min(total, sum(path.stat().st_size for path in folder.iterdir() if path.is_file())), total)

            try:
                mirrors.download(wanted.name, found.version, folder, tell)
            except FetchError:
                # Perhaps only a signature is missing from the mirror.
                if not all((folder / one.filename).exists() for one in resolved.artifacts):
                    raise
        paths = {one: put_file(folder / one.filename, one.sha256) for one in {*missing, artifact}}
    return paths[artifact]


def _wanted(purl: PackageURL, version: str | None) -> _Wanted:
    asked = qualifiers(purl, ("arch", "distro"))
    if asked.get("arch", "source") != "source":
        raise ConfigError(f"{purl}: names a binary package", "name its source package instead, without arch")
    if not _NAME.fullmatch(purl.name):
        raise ConfigError(f"{purl}: not a valid Debian package name", "write pkg:deb/debian/NAME@VERSION")
    if version is not None and not _VERSION.fullmatch(version):
        problem = f"{purl}: {version!r:.100} is not a version of a Debian package"
        raise ConfigError(problem, "write one like 1:1.2.13-1, or none")
    return _Wanted(purl, purl.name, version, asked.get("distro"))


def _found(mirrors: Apt, wanted: _Wanted) -> _Package:
    # A version never changes, so an old list is good enough.
    if wanted.version and (found := _newest(mirrors, wanted)):
        return found
    complaint = mirrors.update()
    if complaint and not wanted.version:
        raise FetchError(f"{wanted.purl}: apt: {complaint}", "check that apt reaches its mirrors, or pin a version")
    if found := _newest(mirrors, wanted):
        return found
    raise _absent(mirrors, wanted, complaint)


def _newest(mirrors: Apt, wanted: _Wanted) -> _Package | None:
    newest = None
    for sources in mirrors.lists():
        for content in _paragraphs(sources.path, wanted.name) if wanted.is_in(sources) else ():
            package = _package(content, wanted.purl)
            if package.version != (wanted.version or package.version):
                continue
            if newest is None or mirrors.is_newer(package.version, newest.version):
                newest = package
    return newest


def _package(content: bytes, purl: PackageURL) -> _Package:
    try:
        fields = deb822.paragraph(content)
        version, files = fields.get("version", ""), deb822.listed_files(fields)
        if not _VERSION.fullmatch(version):
            raise ValueError(f"{version[:100]!r} is not a version")  # noqa: TRY301
    except ValueError as error:
        problem = f"{purl}: a mirror's list of source packages: {error}"
        raise FetchError(problem, "name its tarballs by https URL and sha256") from error
    return _Package(version, files)


def _paragraphs(path: Path, name: str) -> Iterator[bytes]:
    """The paragraphs about a source package in a list (some 50 MB)."""
    if not path.stat().st_size:
        return
    with open_regular(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for found in re.finditer(rb"(?m)^Package: *%s *$" % re.escape(name.encode("ascii")), content):
            start, end = content.rfind(b"\n\n", 0, found.start()), content.find(b"\n\n", found.end())
            yield content[start + 2 if start >= 0 else 0 : end if end >= 0 else len(content)]


def _absent(mirrors: Apt, wanted: _Wanted, complaint: str | None) -> FetchError:
    lists = mirrors.lists()
    if complaint:
        return FetchError(f"{wanted.purl}: apt: {complaint}", "check that apt reaches its mirrors: apt-get update")
    if not any(wanted.is_in(sources) for sources in lists):
        known = {f"{one.origin or 'of no name'} {'/'.join(sorted(filter(None, one.releases)))}" for one in lists}
        problem = f"{wanted.purl}: none of your signed mirrors has that distribution and release"
        return FetchError(problem, f"mirrors with source packages: {', '.join(sorted(known))[:500] or 'none'}")
    version = f" in version {wanted.version}" if wanted.version else ""
    problem = f"{wanted.purl}: none of your mirrors has the source package {wanted.name}{version}"
    return FetchError(problem, "name an existing source package and version, or add a mirror that keeps old versions")


def _bring_cached(resolved: ResolvedSource, folder: Path) -> list[Artifact]:
    """Copy cached files into a folder; return what is missing."""
    missing = []
    for artifact in resolved.artifacts:
        if path := cached_file(artifact.sha256):
            shutil.copyfile(path, folder / artifact.filename)
        else:
            missing.append(artifact)
    return missing
