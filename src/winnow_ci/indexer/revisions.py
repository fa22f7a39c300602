"""Add commits of a git repository to an index: one revision as a source, or each tag as a version.

Versions have most files in common. Each path with its content is read and fingerprinted once, however many versions
have it, so a version costs what it changes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from winnow_ci import git
from winnow_ci.corpus import CorpusFile
from winnow_ci.errors import CorpusError
from winnow_ci.index import display_source, stored_name
from winnow_ci.indexer.filling import IndexAddition
from winnow_ci.indexer.preparation import needs_content
from winnow_ci.model import Skipped, Source
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.snapshot import StoredFile, check_total, loaded, snapshot, with_sizes
from winnow_ci.start_up import record

_REMEDY = "`git ls-tree -r` lists the files of a revision"
_PREFIXES = ("releases", "release", "rel", "version", "tags", "tag")
_WORD_END = re.compile(r"[-_/@.\d]")
_V = re.compile(r"[vV]\.?(?=\d)")


class SourceVersion(NamedTuple):
    """A source, and the full id of the commit that has its files."""

    source: Source
    commit: str


@record(frozen=True, slots=True)
class CommittedFiles:
    """The files of some commits, each path with its content once."""

    repository: git.Repository
    files: tuple[StoredFile, ...]
    skipped: tuple[Skipped, ...]

    def __iter__(self) -> Iterator[CorpusFile]:
        return loaded(self.repository, self.files, needs_content)


def at_revision(place: Path, revision: str, source: Source) -> IndexAddition:
    """Take a commit of a repository, bare or not, as one source, which replaces the one with its name.

    Raises ``GitError`` or ``CorpusError`` if there is no such commit, or it has no files or exceeds a limit.
    """
    commit = git.resolve_revision(git.Repository.at(place), revision)
    return at_commits(place, [SourceVersion(source, commit)], lambda old: old.name == source.name)


def at_tags(place: Path, project: Source) -> IndexAddition:
    """Take each tag of a repository as a version; they replace all versions of the project in the index.

    Raises ``GitError`` or ``CorpusError`` if it has no tags of commits, or one has no files or exceeds a limit.
    """
    known = [(tag, _why_not(tag)) for tag in git.tags(git.Repository.at(place))]
    tags = {tag.name: tag.commit for tag, reason in known if tag.commit and reason is None}
    if not tags:
        raise CorpusError(f"{place} has no tags of commits", "fetch them: git fetch --tags; or give a --revision")
    skipped = [Skipped(tag.name, reason, "out-of-scope") for tag, reason in known if reason is not None]
    return at_commits(place, tagged_versions(tags, project), lambda old: is_version(old, project), skipped)


def tagged_versions(tags: Mapping[str, str], project: Source) -> list[SourceVersion]:
    """Return the sources that an index has for the tags of a project, given the commit of each tag."""
    return [
        SourceVersion(project._replace(name=stored_name(project.name, version), version=version), commit)
        for version, commit in zip(versions_of(list(tags), project.name), tags.values(), strict=True)
    ]


def is_version(source: Source, project: Source) -> bool:
    """Return whether a source of an index is one of several versions of a project."""
    return source.name != project.name and display_source(source).name == project.name


def at_commits(
    place: Path, wanted: Sequence[SourceVersion], replaces: Callable[[Source], bool], skipped: Iterable[Skipped] = ()
) -> IndexAddition:
    """Take some commits of a repository, bare or not, each as a source; raises what ``at_revision`` does."""
    repository = git.Repository.at(place)
    owners, left_out = _owners(repository, place, wanted)
    if not owners:
        raise CorpusError(f"{place} has no files at {wanted[0].commit[:12]}", _REMEDY)
    files = with_sizes(repository, owners)
    _check_totals(place, wanted, zip(files, owners.values(), strict=True))
    by_content = {(file.path, file.blob): sources for file, sources in owners.items()}

    def sources_of(file: CorpusFile) -> Sequence[Source]:
        assert isinstance(file, StoredFile)
        return by_content[file.path, file.blob]

    commits = CommittedFiles(repository, files, (*left_out, *skipped))
    return IndexAddition(commits, tuple(version.source for version in wanted), sources_of, replaces)


def _owners(
    repository: git.Repository, place: Path, wanted: Sequence[SourceVersion]
) -> tuple[dict[StoredFile, list[Source]], Iterable[Skipped]]:
    """Return the files of all commits with the sources that have each, and what is not a file."""
    owners: dict[StoredFile, list[Source]] = {}
    skipped: dict[Skipped, None] = {}
    for source, commit in wanted:
        found = snapshot(repository, commit, place)
        for file in found.files:
            owners.setdefault(file, []).append(source)
        skipped.update(dict.fromkeys(found.skipped))
    return owners, skipped


def _check_totals(
    place: Path, wanted: Sequence[SourceVersion], files: Iterable[tuple[StoredFile, Sequence[Source]]]
) -> None:
    of_source: dict[Source, list[StoredFile]] = {source: [] for source, _ in wanted}
    for file, sources in files:
        for source in sources:
            of_source[source].append(file)
    for source, commit in wanted:
        check_total(of_source[source], f"{place}: {commit[:12]}")


def _why_not(tag: git.Tag) -> str | None:
    if tag.commit is None:
        return "tag of something other than a commit"
    return "tag with a name that is not UTF-8" if any("\udc80" <= c <= "\udcff" for c in tag.name) else None


def version_of(tag: str, project: str) -> str:
    """Return the version that a tag names, without the project's name, ``release`` or ``version``, and ``v``.

    A tag stays as it is if no number would be left at its start: ``requests-stable``, ``releases``.
    """
    rest = tag
    for word in (project, project.rpartition("/")[2], *_PREFIXES):
        if rest.lower().startswith(word.lower()) and _WORD_END.match(rest, len(word)):
            rest = rest[len(word) :].lstrip("-_/@.")
    version = _V.sub("", rest, count=1) if _V.match(rest) else rest
    return version if version[:1].isdecimal() else tag


def versions_of(tags: Sequence[str], project: str) -> list[str]:
    """Return the version of each tag; tags that would have the same one keep their names."""
    versions = [version_of(tag, project) for tag in tags]
    counts = Counter(versions)
    found = [tag if counts[version] > 1 else version for tag, version in zip(tags, versions, strict=True)]
    return found if len(set(found)) == len(found) else list(tags)
