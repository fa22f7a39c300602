"""Patterns of a configuration that match nothing: they are misspelt, or no longer needed.

Only a scan of everything tells, and only where it can: a change shows a few files of many, and a commit hook does not
pay for the rest. A pattern that is right gets no notice. So one that begins with a wildcard (``**/generated/**``,
``*.min.js``) may wait for files to come, and one of files that git ignores may leave them out wherever they are. A
policy may name licences that no source has yet; SPDX has been asked whether they exist. Nobody but a source defines
``LicenseRef-acme``.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from winnow_ci import git
from winnow_ci.policy.patterns import SourcePatterns
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from winnow_ci.config.settings import Settings
    from winnow_ci.git import Repository
    from winnow_ci.index import IndexReader
    from winnow_ci.model.changes import ChangeSet
    from winnow_ci.policy.patterns import PathPatterns

_NAMED = 10
_WILDCARD = compiled_on_use(r"[*?[]")
_OWN_LICENCES = ("licenseref-", "documentref-")
_WORD = compiled_on_use(r"[^\s()]+")


def unused_patterns(
    repository: Repository, change: ChangeSet, settings: Settings, indexes: Sequence[IndexReader], *, are_all: bool
) -> tuple[str, ...]:
    """Notices about the patterns that match nothing, if the change is everything.

    Args:
        repository: where the change is.
        change: what was scanned.
        settings: what a repository itself has written; what it extends serves others, too.
        indexes: what it was looked up in.
        are_all: whether these are the indexes that the settings name.

    Raises:
        GitError: git failed.
        IndexFileError: an index is damaged.
    """
    if change.scope.mode != "all" or change.is_narrowed:
        return ()
    found = list(_of_paths(repository, change, settings))
    if are_all:
        found += _of_sources(settings, indexes)
        found += _of_licences(settings, indexes)
    more = [f"{len(found[_NAMED:]):,} more patterns match nothing"] if found[_NAMED:] else []
    return (*found[:_NAMED], *more)


def _of_paths(repository: Repository, change: ChangeSet, settings: Settings) -> Iterator[str]:
    paths = [file.path for file in change.files]
    keys = {"paths.include": settings.include, "paths.exclude": settings.exclude, "boilerplate": settings.boilerplate}
    unused = {key: _unused(patterns, paths) for key, patterns in keys.items() if patterns}
    ignored = git.ignored(repository, {_literal(pattern) for pattern in chain.from_iterable(unused.values())})
    for key, patterns in unused.items():
        yield from (f"{key}: {pattern!r} matches no file" for pattern in patterns if _literal(pattern) not in ignored)


def _unused(patterns: PathPatterns, paths: Sequence[str]) -> list[str]:
    return [pattern for pattern in patterns.unmatched(paths) if _literal(pattern)]


def _literal(pattern: str) -> str:
    """The path that a pattern begins with; empty if it begins with a wildcard."""
    found = _WILDCARD.search(pattern)
    literal = pattern[: pattern.rfind("/", 0, found.start()) + 1] if found else pattern
    return literal.removeprefix(".").lstrip("/") if literal.startswith(("/", "./")) else literal


def _of_sources(settings: Settings, indexes: Iterable[IndexReader]) -> Iterator[str]:
    names = frozenset[str]().union(*(index.names for index in indexes))
    for pattern in settings.own.patterns:
        if not any(map(SourcePatterns((pattern,)).matches, names)):
            yield f"own: {pattern!r} matches no source"


def _of_licences(settings: Settings, indexes: Iterable[IndexReader]) -> Iterator[str]:
    allowed = settings.policy.allow if settings.policy else ()
    named = [name for name in allowed if name.lower().startswith(_OWN_LICENCES) and not _WILDCARD.search(name)]
    if named:
        licences = chain.from_iterable(index.licences() for index in indexes)
        known = {word.lower() for licence in licences for word in _WORD.findall(licence)}
        unused = (name for name in named if name.lower() not in known)
        yield from (f"policy.allow: {name!r} is the licence of no source" for name in unused)
