"""Source packages of Debian and its derivatives: ``pkg:deb/debian/zlib@1:1.2.13.dfsg-1?distro=bookworm``.

They come from the user's own mirrors by the user's own apt, which checks lists and files against the signatures of the
mirrors. Nothing is unpacked or built, nothing of the system changes, and no privileges are needed: lists of packages,
locks and settings lie in the user's cache. The lists are of source packages, even if the user's settings name only
binary ones. Hooks that would run after an update of the system's lists do not run.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import re
import shlex
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import deb822, system
from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching.cache import cache_folder, cached_file, put_file, writing_to
from winnow_ci.fetching.client_process import ClientOutput, find_program, run_client
from winnow_ci.fetching.packages import Artifact, ResolvedSource, qualifiers
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regular_file import open_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from packageurl import PackageURL

    from winnow_ci.model import Progress

_NAME = re.compile(r"[a-z0-9][a-z0-9.+-]+")
_VERSION = re.compile(r"(?:[0-9]+:)?[0-9][A-Za-z0-9.+~-]*")
# These belong to a release. Backports and proposed updates do not: they must be asked for by their own names.
_PARTS = ("", "-updates", "-security", "/updates")
_CHECK = "check that apt reaches its mirrors: apt-get update"


class _SourceList(NamedTuple):
    """A mirror's list of source packages, and the names of its release."""

    path: Path
    origin: str
    releases: frozenset[str]


class _Wanted(NamedTuple):
    purl: PackageURL
    version: str | None
    distro: str | None

    def is_in(self, sources: _SourceList) -> bool:
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
    return ResolvedSource(purl.name, found.version, found.artifacts)


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
                mirrors.download(purl.name, found.version, folder, tell)
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
    return _Wanted(purl, version, asked.get("distro"))


def _found(mirrors: Apt, wanted: _Wanted) -> _Package:
    # A version never changes, so an old list is good enough.
    if wanted.version and (found := _newest(mirrors, wanted)):
        return found
    complaint = mirrors.update()
    if complaint and not wanted.version:
        raise FetchError(f"{wanted.purl}: apt: {complaint}", "check that apt reaches its mirrors, or pin a version")
    if found := _newest(mirrors, wanted):
        return found
    if complaint:
        raise FetchError(f"{wanted.purl}: apt: {complaint}", _CHECK)
    raise _absent(mirrors, wanted)


def _newest(mirrors: Apt, wanted: _Wanted) -> _Package | None:
    newest = None
    for sources in mirrors.lists():
        for content in _paragraphs(sources.path, wanted.purl.name) if wanted.is_in(sources) else ():
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


def _absent(mirrors: Apt, wanted: _Wanted) -> FetchError:
    lists = mirrors.lists()
    if not any(wanted.is_in(sources) for sources in lists):
        known = {f"{one.origin or 'of no name'} {'/'.join(sorted(filter(None, one.releases)))}" for one in lists}
        problem = f"{wanted.purl}: none of your signed mirrors has that distribution and release"
        return FetchError(problem, f"mirrors with source packages: {', '.join(sorted(known))[:500] or 'none'}")
    version = f" in version {wanted.version}" if wanted.version else ""
    problem = f"{wanted.purl}: none of your mirrors has the source package {wanted.purl.name}{version}"
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


# ---- apt --------------------------------------------------------------------------------------------------------

_TO_ASK, _TO_UPDATE, _TO_FETCH = 60.0, 900.0, 3600.0  # seconds
_FRESH = 600.0  # seconds
_FIELDS = "\t".join(f"$({field})" for field in ("FILENAME", "ORIGIN", "CODENAME", "SUITE", "RELEASE", "TRUSTED"))
# Names in the folder of settings.
_FIRST, _LAST, _MIRRORS = "first.conf", "last.conf", "mirrors"
_HOOKS = ("Pre-Invoke", "Post-Invoke", "Post-Invoke-Success")
_PLACES = {"MAIN": "Dir::Etc::main/f", "LIST": "Dir::Etc::sourcelist/f", "PARTS": "Dir::Etc::sourceparts/d"}
_TYPES = re.compile(r"(?im)^types[ \t]*:.*(?:\n[ \t].*)*")
_TARGETS = re.compile(r"(?im)^targets(?:-add|-remove)?[ \t]*:.*(?:\n[ \t].*)*\n?")
_ONE_LINE = re.compile(r"[ \t]*deb(?:-src)?(?=[ \t])(?!.*[ \t]cdrom:)")


class Apt(NamedTuple):
    """apt, with folders for its settings and its state."""

    program: str
    settings: Path
    state: Path
    digest: str

    def update(self) -> str | None:
        """Update the lists, unless they are fresh; return apt's complaint."""
        mark = self.state / "updated"
        with contextlib.suppress(OSError, ValueError), open_regular(mark, follow=False) as stamp:
            # A time in the future cannot be trusted.
            age = abs(time.time() - mark.stat().st_mtime)
            if stamp.read(len(self.digest) + 1).decode("ascii") == self.digest and age < _FRESH:
                return None
        mark.unlink(missing_ok=True)
        said = self._run(_TO_UPDATE, self.settings, "update", "-q")
        if said.status:
            return _complaint(said)
        mark.write_text(self.digest, encoding="ascii")
        return None

    def lists(self) -> list[_SourceList]:
        """Return the lists that the mirrors have signed or the user trusts."""
        said = self._run(_TO_ASK, self.settings, "indextargets", "--format", _FIELDS, "Created-By: Sources")
        if said.status:
            raise FetchError(f"apt: {_complaint(said)}", _CHECK)
        rows = (line.split("\t") for line in said.output.splitlines())
        trusted = [row for row in rows if len(row) == 6 and row[5] == "yes" and Path(row[0]).is_file()]
        return [_SourceList(Path(row[0]), row[1], frozenset(row[2:5])) for row in trusted]

    def download(self, package: str, version: str, folder: Path, tick: Callable[[], None]) -> None:
        """Download the missing files of a source package; apt checks their hashes."""
        arguments = ("source", "-q", "--download-only", "--only-source", "--", f"{package}={version}")
        said = self._run(_TO_FETCH, folder, *arguments, tick=tick)
        if said.status:
            remedy = "check that apt reaches its mirrors, and that they still have this version: apt-get update"
            raise FetchError(f"apt cannot fetch {package} {version}: {_complaint(said)}", remedy)

    def is_newer(self, one: str, other: str) -> bool:
        """Whether a version is newer than another, in the order of dpkg."""
        command = (find_program("dpkg") or "dpkg", "--compare-versions", one, "gt", other)
        return run_client(command, self.settings, os.environ, _TO_ASK).status == 0

    def _run(
        self, seconds: float, folder: Path, *arguments: str, tick: Callable[[], None] = lambda: None
    ) -> ClientOutput:
        options = {
            "Dir::Etc::sourcelist": "/dev/null",
            "Dir::Etc::sourceparts": f"{self.settings}/{_MIRRORS}",
            "Dir::State::lists": f"{self.state}/lists",
            "Dir::State::status": "/dev/null",
            "Dir::Cache": f"{self.state}/cache",
            "Dir::Cache::pkgcache": "",
            "Dir::Cache::srcpkgcache": "",
            "Acquire::GzipIndexes": "false",
            "Acquire::Languages": "none",
        }
        command = (self.program, *(f"-o{key}={value}" for key, value in options.items()), *arguments)
        environment = {**os.environ, "APT_CONFIG": f"{self.settings}/{_FIRST}", "LC_ALL": "C"}
        return run_client(command, folder, environment, seconds, tick)


@contextlib.contextmanager
def apt() -> Iterator[Apt]:
    """Give apt; only one process at a time gets it."""
    program, config = find_program("apt-get"), find_program("apt-config")
    if program is None or config is None:
        remedy = "name its tarballs by https URL and sha256, or name a .dsc next to its files"
        raise FetchError("fetching Debian sources needs apt, which is not on this machine", remedy)
    with tempfile.TemporaryDirectory(prefix="winnow-ci-apt-", ignore_cleanup_errors=True) as folder:
        settings, state = Path(folder), cache_folder() / "apt"
        digest = _write_settings(config, settings)
        with _locked(state):
            yield Apt(program, settings, state, digest)


@contextlib.contextmanager
def _locked(state: Path) -> Iterator[None]:
    with writing_to(state):
        for folder in ("lists/partial", "cache/archives/partial"):
            (state / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = (state / "lock").open("a", encoding="ascii")
    with lock:
        # Whoever has the lock runs only programs with a time limit.
        system.lock(lock.fileno(), wait=True)
        yield


def _complaint(said: ClientOutput) -> str:
    lines = said.complaints.splitlines()
    errors = [line.removeprefix("E: ") for line in lines if line.startswith("E: ")]
    return "; ".join(errors or lines)[:500] or f"ended with status {said.status}"


# ---- settings -------------------------------------------------------------------------------------------------------


def _write_settings(config: str, folder: Path) -> str:
    """Write settings for apt into a folder: ``_FIRST``, ``_LAST`` and ``_MIRRORS``; return the mirrors' digest."""
    pairs = [word for pair in _PLACES.items() for word in pair]
    said = run_client((config, "shell", *pairs), folder, os.environ, _TO_ASK)
    found = dict(word.split("=", 1) for word in shlex.split(said.output) if "=" in word)
    if said.status or not found.keys() >= _PLACES.keys():
        raise FetchError("apt-config does not show where apt's settings are", "run apt-config dump to see why")
    main, one, parts = (Path(found[name]) for name in _PLACES)
    own = os.environ.get("APT_CONFIG")
    # apt reads the file of the variable first, then those of a folder, and last the main one, which may clear settings.
    first = (*_included(Path.cwd() / own if own else None), f'Dir::Etc::main "{folder / _LAST}";')
    last = (*_included(main), *(f"#clear APT::Update::{hook};" for hook in _HOOKS))
    mirrors = _mirrors(one, parts)
    if not mirrors:
        remedy = "add one (see the manual page sources.list)"
        raise FetchError("apt has no mirrors configured that you may read", remedy)
    (folder / _MIRRORS).mkdir()
    files = {_FIRST: "\n".join((*first, "")), _LAST: "\n".join((*last, ""))}
    files |= {f"{_MIRRORS}/{name}": text for name, text in mirrors.items()}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", errors="surrogateescape")
    return hashlib.sha256(repr(sorted(mirrors.items())).encode("utf-8", "surrogateescape")).hexdigest()


def _included(path: Path | None) -> tuple[str, ...]:
    return (f'#include "{path}";',) if path is not None and path.is_file() else ()


def _mirrors(one: Path, parts: Path) -> dict[str, str]:
    mirrors = {}
    among = sorted(parts.iterdir()) if parts.is_dir() else []
    for number, path in enumerate((one, *among)):
        if path.suffix in {".list", ".sources"} and path.is_file() and os.access(path, os.R_OK):
            text = path.read_text(encoding="utf-8", errors="surrogateescape")
            mirrors[f"{number}{path.suffix}"] = _of_sources(text, path.suffix)
    return {name: text for name, text in mirrors.items() if text}


def _of_sources(text: str, suffix: str) -> str:
    if suffix == ".sources":
        return _TARGETS.sub("", _TYPES.sub("Types: deb-src", text)) if _TYPES.search(text) else ""
    lines = (_ONE_LINE.sub("deb-src", line) for line in text.splitlines() if _ONE_LINE.match(line))
    # A mirror of both binary and source packages has two lines.
    return "".join(f"{line}\n" for line in dict.fromkeys(lines))
