"""What is different between two indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from winnow_ci.index import file_digests, files_of
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from winnow_ci.index import WholeIndex

Value: TypeAlias = str | int | bool | None


class FieldChange(NamedTuple):
    """What something is in the one index and in the other."""

    what: str
    before: Value
    after: Value


class SourceChange(NamedTuple):
    """What is different of a source that both have.

    Attributes:
        name: of the source.
        fields: version, licence, URLs, whether it is boilerplate, whether text is kept, numbers of files and of
            fingerprints; those that differ.
        added: paths that only the second has.
        removed: paths that only the first has.
        changed: paths with other contents.
    """

    name: str
    fields: tuple[FieldChange, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


class IndexDifference(NamedTuple):
    """What is different between two indexes.

    Attributes:
        equal: they have the same digest, so nothing is.
        parameters: k, w and selection; those that differ.
        front_ends: revisions that differ, None where a front end has read nothing that is inside.
        only_before: names of the sources that only the first has.
        only_after: names of those that only the second has.
        changed: what is different of sources that both have.
    """

    equal: bool
    parameters: tuple[FieldChange, ...]
    front_ends: tuple[FieldChange, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    changed: tuple[SourceChange, ...]


def difference(before: WholeIndex, after: WholeIndex) -> IndexDifference:
    """Compare two indexes; their fingerprints themselves are not read, which follow from the rest.

    Raises:
        IndexFileError: one is damaged; every source and every content is checked.
    """
    fields = _fields(before), _fields(after)
    digests = file_digests(before), file_digests(after)
    both = sorted(fields[0].keys() & fields[1].keys())
    other_files = [name for name in both if digests[0][name] != digests[1][name]]
    files = files_of(before, other_files), files_of(after, other_files)
    changed = []
    for name in both:
        changes = _changes(fields[0][name], fields[1][name])
        if changes or name in files[0]:
            paths = _compared(files[0][name], files[1][name]) if name in files[0] else ((), (), ())
            changed.append(SourceChange(name, changes, *paths))
    return IndexDifference(
        equal=before.digest == after.digest,
        parameters=_changes(before.parameters._asdict(), after.parameters._asdict()),
        front_ends=_changes(before.front_ends, after.front_ends),
        only_before=tuple(sorted(fields[0].keys() - fields[1].keys())),
        only_after=tuple(sorted(fields[1].keys() - fields[0].keys())),
        changed=tuple(changed),
    )


def _fields(index: WholeIndex) -> dict[str, dict[str, Value]]:
    return {
        source.name: {
            "version": source.version,
            "license": source.license,
            "url": source.url,
            "package URL": source.purl,
            "boilerplate": source.boilerplate,
            "text": text,
            "files": files,
            "fingerprints": fingerprints,
        }
        for source, files, _, fingerprints, text, _ in index.summaries()
    }


def _changes(before: Mapping[str, Value], after: Mapping[str, Value]) -> tuple[FieldChange, ...]:
    names = [*before, *(name for name in after if name not in before)]
    pairs = (FieldChange(name, before.get(name), after.get(name)) for name in names)
    return tuple(change for change in pairs if change.before != change.after)


def _compared(
    before: Mapping[bytes, Sequence[bytes]], after: Mapping[bytes, Sequence[bytes]]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Paths that were added, removed, changed."""
    added, removed = after.keys() - before.keys(), before.keys() - after.keys()
    changed = {path for path in before.keys() & after.keys() if before[path] != after[path]}
    return _paths(added), _paths(removed), _paths(changed)


def _paths(paths: set[bytes]) -> tuple[str, ...]:
    return tuple(path.decode("utf-8", "surrogateescape") for path in sorted(paths))
