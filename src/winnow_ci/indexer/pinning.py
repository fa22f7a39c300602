"""Pin the sources of a manifest (versions, hashes, commits), and get their files by way of the user's cache."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from winnow_ci import fetching, git
from winnow_ci.config.lock import PinnedSource, SourcePins, declaration
from winnow_ci.config.source import DeclaredSource, is_remote
from winnow_ci.corpus import (
    ArchiveLimits,
    CorpusFile,
    InstalledFiles,
    InstalledPackage,
    collect,
    files_of_packages,
    installed_packages,
    read_file,
)
from winnow_ci.errors import ConfigError, CorpusError, FetchError, UsageError
from winnow_ci.fetching import remote_git
from winnow_ci.fetching.cache import cache_folder, cached_file, digest_of
from winnow_ci.fetching.packages import POM, ResolvedSource, link_artifacts, parse_purl
from winnow_ci.index import stored_name
from winnow_ci.indexer.engine import SourceFiles
from winnow_ci.indexer.filling import BY_MANIFEST, IndexAddition
from winnow_ci.indexer.preparation import NOT_WANTED
from winnow_ci.indexer.revisions import SourceVersion, at_commits, tagged_versions, version_of
from winnow_ci.languages import LARGEST_FILE
from winnow_ci.licensing import may_state_licence
from winnow_ci.model import Progress, Skipped, Source, SourceFile, no_progress
from winnow_ci.policy.patterns import PathPatterns
from winnow_ci.regular_file import open_regular
from winnow_ci.start_up import record, replace

_INSTALLED = "install them first, or name node_modules, a virtual environment, vendor or a cache of Cargo, Go or Maven"
_REVISION = 2  # if something else is made of the same inputs, change this, and sources are made again


def inputs(one: PinnedSource) -> str:
    """Return a digest (64 digits) of all that a source depends on but parameters and the licence found in it."""
    described = [_REVISION, declaration(one.declared), replace(one.pins, license=None, license_from=None)]
    text = json.dumps(described, sort_keys=True, default=lambda pins: {k: getattr(pins, k) for k in pins.__slots__})
    return hashlib.sha256(text.encode()).hexdigest()


def source_to_index(one: PinnedSource) -> Source:
    """Return how an index describes a source; for a repository with all tags, what its versions have in common."""
    declared, pins = one
    origin = declared.origin
    return Source(
        declared.name,
        declared.version or pins.version,
        declared.license or pins.license or "unknown",
        origin.url or (origin.git if origin.git and is_remote(origin.git) else None),
        _exact(origin.purl, pins.version) if origin.purl else None,
        BY_MANIFEST if declared.license else pins.license_from,
        inputs(one),
        boilerplate=declared.boilerplate,
    )


def _exact(purl: str, version: str | None) -> str:
    package = parse_purl(purl)
    return purl if version is None or package.version else str(package._replace(version=version).to_string())


def pinned_files(declared: DeclaredSource, folder: Path) -> SourcePins:
    """Pin the content at the path of a source, or that of the packages installed there.

    Raises ``UsageError`` if it is neither a folder nor an archive, ``ConfigError`` if it holds the manifest itself, and
    ``CorpusError`` if it cannot be read, or holds no packages.
    """
    if declared.origin.installed:
        with _packages(declared, folder) as (_, files):
            owned = ((f"{owner[:3]}{file.path}", file) for file in files for owner in files.packages_of(file))
            return SourcePins(digest=_digest_of_files(folder, owned))
    place = _place(declared, folder)
    if place.is_dir():
        with collect([place]) as corpus:
            taken = selected(corpus, declared).files
        return SourcePins(digest=_digest_of_files(place, ((file.path, file) for file in taken)))
    try:
        with open_regular(place) as archive:
            return SourcePins(digest=digest_of(archive))
    except OSError as error:
        raise UsageError(f"{place}: {error.strerror}", "name a readable folder or archive") from error


def _place(declared: DeclaredSource, folder: Path) -> Path:
    place = _beside(folder, declared.origin.path or "")
    if folder.resolve().is_relative_to(place.resolve()):
        problem = f"path: {declared.origin.path} holds the manifest itself, and therefore the index"
        raise ConfigError(problem, "name a folder or an archive next to it")
    return place


def _beside(folder: Path, path: str) -> Path:
    """Resolve a path relative to a folder, which need not exist yet."""
    return folder / path if folder.is_dir() else Path(os.path.normpath(folder.resolve() / path))


def _digest_of_files(place: Path, files: Iterable[tuple[str, CorpusFile]]) -> str:
    """Return the digest of files, given with their names, in any order."""
    limits, total = ArchiveLimits(), 0
    found: list[tuple[bytes, int, bytes]] = []
    for name, file in files:
        total += file.size
        if len(found) >= limits.members or total > limits.total:
            raise CorpusError(f"{place}: has more files or bytes than an archive may", "take parts of it (paths)")
        content = b"" if file.size > LARGEST_FILE else read_file(file, LARGEST_FILE)
        found.append((name.encode("utf-8", "surrogateescape"), file.size, hashlib.sha256(content).digest()))
    state = hashlib.sha256()
    for written, size, digest in sorted(found):
        state.update(b"%d:%b%d:%b" % (len(written), written, size, digest))
    return state.hexdigest()


@contextmanager
def _packages(declared: DeclaredSource, folder: Path) -> Iterator[tuple[list[InstalledPackage], InstalledFiles]]:
    places = [_beside(folder, str(Path(place).expanduser())) for place in declared.origin.installed]
    found = installed_packages(*places)
    if not found:
        raise CorpusError(f"{declared.origin}: no installed packages here", _INSTALLED)
    with files_of_packages(found, ArchiveLimits(member=LARGEST_FILE)) as files:
        yield found, files


def resolved(declared: DeclaredSource, folder: Path, progress: Progress) -> SourcePins:
    """Ask the origin of a source, other than a path, what the source is; ``progress`` counts what must be fetched.

    Raises ``ConfigError`` if there is no way to fetch it, ``FetchError`` if that fails, and ``GitError`` if a local
    repository does not have it.
    """
    origin = declared.origin
    if origin.git:
        return _resolved_in_git(declared, folder, progress)
    found = fetching.resolve(origin.purl or origin.url or "", progress, origin.sha256)
    return SourcePins(found.version, found.artifacts)


def _resolved_in_git(declared: DeclaredSource, folder: Path, progress: Progress) -> SourcePins:
    origin = declared.origin
    assert origin.git is not None
    if is_remote(origin.git):
        if origin.all_tags:
            return _all_tags(remote_git.resolve_tags(origin.git, repositories(), progress))
        commit = remote_git.resolve(origin.git, origin.revision or "")
    else:
        repository = git.Repository.at(_beside(folder, origin.git))
        if origin.all_tags:
            return _all_tags({tag.name: tag.commit for tag in git.tags(repository) if tag.commit})
        commit = git.resolve_revision(repository, origin.revision or "")
    version = version_of(origin.revision or "", declared.name)
    # The name of a branch does not say what it was then.
    return SourcePins(version if version[:1].isdecimal() and version != commit else commit[:12], commit=commit)


def _all_tags(tags: Mapping[str, str]) -> SourcePins:
    named = sorted((tag, commit) for tag, commit in tags.items() if tag.isprintable())
    if not named:
        raise FetchError("the repository has no tags of commits", "name a single revision")
    return SourcePins(tags=tuple(named))


def repositories() -> Path:
    """Return the folder of fetched repositories."""
    return cache_folder() / "git"


def _commits(one: PinnedSource) -> tuple[str, ...]:
    return (one.pins.commit,) if one.pins.commit else tuple(commit for _, commit in one.pins.tags)


def is_cached(one: PinnedSource) -> bool:
    """Return whether the cache has all files of a source."""
    if one.declared.origin.git and is_remote(one.declared.origin.git):
        return remote_git.has_commits(one.declared.origin.git, _commits(one), repositories())
    return all(cached_file(artifact.sha256) for artifact in one.pins.artifacts)


def fetch_source(one: PinnedSource, folder: Path, progress: Progress) -> None:
    """Fetch the files of a source that the cache lacks; raise ``FetchError`` if that fails."""
    if one.declared.origin.git:
        _repository(one, folder, progress)
    elif one.pins.artifacts:
        _artifacts(one, progress)


@contextmanager
def opened_source(one: PinnedSource, folder: Path) -> Iterator[IndexAddition]:
    """Yield the files of a source; the cache has all of them.

    Raises ``CorpusError`` if it cannot be read, ``ConfigError`` if the patterns of its paths leave nothing.
    """
    source = source_to_index(one)
    if one.declared.origin.git:
        repository = _repository(one, folder)
        commit, tags = one.pins.commit, dict(one.pins.tags)
        wanted = [SourceVersion(source, commit)] if commit else tagged_versions(tags, source)
        addition = at_commits(repository, wanted, lambda _: False)
        yield addition._replace(corpus=selected(addition.corpus, one.declared))
        return
    if one.declared.origin.installed:
        with _packages(one.declared, folder) as (packages, files):
            sources = dict(zip(packages, _sources_of_packages(packages, source), strict=True))

            def sources_of(file: CorpusFile) -> list[Source]:
                return [sources[package] for package in files.packages_of(file)]

            yield IndexAddition(files, tuple(sources.values()), sources_of, lambda _: False)
        return
    with tempfile.TemporaryDirectory(prefix="winnow-ci-") as names:
        if one.pins.artifacts:
            roots = _named_archives(one, _artifacts(one), Path(names))
        else:
            roots = [_place(one.declared, folder)]
        with collect(roots, ArchiveLimits(member=LARGEST_FILE)) as corpus:
            yield IndexAddition(selected(corpus, one.declared), (source,), lambda _: (source,), lambda _: False)


def _sources_of_packages(packages: Sequence[InstalledPackage], source: Source) -> Iterator[Source]:
    """Yield the source of each package; all have the rest of a source in common."""
    from packageurl import PackageURL  # noqa: PLC0415 - few need it

    count = Counter((one.type, one.name) for one in packages)
    for one in packages:
        namespace, _, last = one.name.rpartition("/")
        purl = PackageURL(one.type, namespace, last, one.version).to_string()
        # A manifest may name a package of the same name, and an ecosystem another one.
        name = f"{one.type}:{one.name}"
        is_single = count[one.type, one.name] == 1 or one.version is None
        stored = name if is_single else stored_name(name, one.version or "")
        yield source._replace(name=stored, version=one.version, purl=purl)


def is_installed_package(source: Source) -> bool:
    """Tell whether a source of an index is an installed package, by how it is named."""
    ecosystem = (source.purl or "").removeprefix("pkg:").partition("/")[0]
    return source.inputs is not None and bool(ecosystem) and source.name.startswith(f"{ecosystem}:")


def _repository(one: PinnedSource, folder: Path, progress: Progress = no_progress) -> Path:
    repository = one.declared.origin.git
    assert repository is not None
    if not is_remote(repository):
        return _beside(folder, repository)
    return remote_git.fetch(repository, _commits(one), repositories(), progress)


def _artifacts(one: PinnedSource, progress: Progress = no_progress) -> tuple[Path, ...]:
    origin, pins = one.declared.origin, one.pins
    known = ResolvedSource(one.declared.name, pins.version, pins.artifacts)
    return fetching.fetch(origin.purl or origin.url or "", known, progress)


def _named_archives(one: PinnedSource, cached: Sequence[Path], folder: Path) -> Sequence[Path]:
    """Link artifacts under their own names in an empty folder, since the cache names them by their sha256."""
    roots = link_artifacts(one.pins.artifacts, cached, folder)
    # The .dsc of a Debian source names the other files, which lie beside it.
    return [root for root in roots if root.suffix == ".dsc"] or [_archive_or_metadata(root, folder) for root in roots]


def _archive_or_metadata(root: Path, folder: Path) -> Path:
    if root.name != POM:
        return root
    about = folder / "metadata"
    about.mkdir()
    shutil.copyfile(root, about / POM)
    return about


def is_cacheable(one: PinnedSource) -> bool:
    """Return whether the cache can have the files of a source; it never has a path or a local repository."""
    origin = one.declared.origin
    return is_remote(origin.git) if origin.git else bool(one.pins.artifacts)


def pinned_texts(one: PinnedSource, wanted: Collection[SourceFile]) -> Iterator[tuple[str, bytes]]:
    """Yield paths and contents of the wanted files, each in its version, if the cache has the source.

    Raises ``FetchError``, ``CorpusError`` or ``GitError`` if what the cache has cannot be read.
    """
    if not is_cacheable(one) or not is_cached(one):
        return
    if one.declared.origin.git:
        yield from _texts_in_git(one, wanted)
        return
    paths = {file.path for file in wanted}
    cached = [path for artifact in one.pins.artifacts if (path := cached_file(artifact.sha256))]
    with tempfile.TemporaryDirectory(prefix="winnow-ci-") as folder:
        roots = _named_archives(one, cached, Path(folder))
        with collect(roots, ArchiveLimits(member=LARGEST_FILE)) as corpus:
            for file in corpus:
                if file.path in paths and file.size <= LARGEST_FILE:
                    yield file.path, read_file(file, LARGEST_FILE)


def _texts_in_git(one: PinnedSource, wanted: Collection[SourceFile]) -> Iterator[tuple[str, bytes]]:
    # All commits are here, so this fetches nothing.
    repository = git.Repository.at(_repository(one, Path()))
    versions = tagged_versions(dict(one.pins.tags), source_to_index(one))
    commits = {source.version: commit for source, commit in versions}
    for file in wanted:
        commit = one.pins.commit or commits.get(file.source.version)
        if commit:
            yield from git.contents_at(repository, commit, file.path)


@record(frozen=True, slots=True)
class SelectedFiles:
    """A part of some files, and what may state the licence of that part."""

    material: SourceFiles
    files: tuple[CorpusFile, ...]
    skipped: tuple[Skipped, ...]

    def __iter__(self) -> Iterator[CorpusFile]:
        reasons = {file.path: file.reason for file in self.files}
        for file in self.material:
            if file.path in reasons:
                yield replace(file, reason=NOT_WANTED) if reasons[file.path] == NOT_WANTED else file


def selected(material: SourceFiles, declared: DeclaredSource) -> SourceFiles:
    """Apply the patterns of a source to its files; raise ``ConfigError`` if nothing is left."""
    if declared.include is None and not declared.exclude:
        return material
    include = None if declared.include is None else PathPatterns(declared.include)
    exclude = PathPatterns(declared.exclude)

    def takes(path: str) -> bool:
        return (include is None or include.matches(path)) and not exclude.matches(path)

    taken = [file for file in material.files if takes(file.path)]
    if not taken:
        problem = f"paths: none of the {len(material.files):,} files of {declared.name} match"
        first = material.files[0].path if material.files else ""
        raise ConfigError(problem, f"write patterns that match its paths, such as {first}")
    # A file that is not taken may state the licence of what is.
    others = [file for file in material.files if not takes(file.path) and may_state_licence(file.path, file.size)]
    files = (*taken, *(replace(file, reason=NOT_WANTED) for file in others))
    return SelectedFiles(material, files, tuple(skip for skip in material.skipped if takes(skip.path)))
