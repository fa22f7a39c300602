"""Write a new index: sources are added to the old one, replaced or removed, or several indexes are merged.

A content that the old index has is not fingerprinted again, so replacing a source by its next version costs what has
changed. Neither is a content that a build had done before it was interrupted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import xxhash

from winnow_ci.errors import IndexFileError, Interrupted, UsageError, did_you_mean
from winnow_ci.evidence.tables import tables_digest
from winnow_ci.fetching.cache import folder_of_build
from winnow_ci.index import IndexDraft, Journal, WholeIndex, continuing, display_source, rebuild_remedy, replacing
from winnow_ci.indexer.engine import LOCAL, BuildEngine
from winnow_ci.indexer.filling import AddedFiles, IndexAddition, fill, preparation_for
from winnow_ci.languages import revisions
from winnow_ci.model import Counting, Parameters, Progress, no_progress
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import record

IndexStart: TypeAlias = tuple[Parameters, AbstractSet[str] | None]
Preference: TypeAlias = Literal["first", "last"]


class WrittenIndex(NamedTuple):
    """An index that has been written: how many sources it holds, and the digest of all of it."""

    sources: int
    digest: str


class BuildReport(NamedTuple):
    """The result of a build."""

    added: AddedFiles
    continued: int  # contents that an earlier build had done when it was interrupted
    parts: int  # parts of the work that an earlier build on Spark had done
    digest: str  # of the index


@record(frozen=True, slots=True)
class NewIndex:
    """An index that is being written."""

    draft: IndexDraft
    unfinished: Path
    continued: int  # contents that an interrupted build has left
    engine: BuildEngine

    def begin(self, addition: IndexAddition, progress: Progress) -> IndexAddition:
        """Let the engine begin with sources; return what to add later, when the corpus need not be open."""
        preparation = preparation_for(self.draft, addition)
        return addition._replace(corpus=self.engine.begin(addition.corpus, preparation, progress))

    def add(self, addition: IndexAddition, progress: Progress) -> AddedFiles:
        """Add sources; see ``filling.fill``."""
        return fill(self.draft, addition, progress, self.engine)

    def write(self, progress: Progress) -> WrittenIndex:
        """Write the file; raises what ``IndexDraft.write`` does."""
        return _written(self.draft, self.unfinished, progress)


@contextmanager
def in_silence(_what: str, _unit: str) -> Iterator[Progress]:
    """Show no progress."""
    yield no_progress


def add(
    addition: IndexAddition,
    output: Path,
    parameters: Mapping[str, Any] = MappingProxyType({}),
    counting: Counting = in_silence,
    engine: BuildEngine = LOCAL,
    *,
    with_text: bool = False,
) -> BuildReport:
    """Add sources to an index, which is made if there is none, and take out those that they replace.

    ``parameters`` are those of ``Parameters`` that were asked for; the others are an existing index's, or the defaults.
    With ``with_text``, the index keeps the text of these sources; what it keeps of others stays.

    Raises:
        CorpusError: the code could not be read, or nothing of it can be fingerprinted.
        IndexFileError: the index is damaged, was made with other parameters or front ends, or cannot be written.
        Interrupted: by ^C, once there was something to keep for the next build.
    """

    def start(old: WholeIndex | None) -> IndexStart:
        replaced = {one.name for one in old.sources if addition.replaces(one)} if old else set()
        return _agreed(parameters, old), replaced

    with rewritten(output, start, engine) as index:
        with counting("fingerprinting", "B") as progress:
            added = index.add(addition._replace(with_text=with_text), progress)
        with counting("writing", " blocks") as progress:
            digest = index.write(progress).digest
    return BuildReport(added, index.continued, engine.continued, digest)


@contextmanager
def rewritten(
    output: Path, start: Callable[[WholeIndex | None], IndexStart], engine: BuildEngine = LOCAL
) -> Iterator[NewIndex]:
    """Yield a new index, which takes the place of the old one if the block ends well.

    ``start`` returns its parameters, given the old one, if there is one, and the names of the old sources that do not
    stay; None to use nothing of the old one. Raises what ``add`` does.
    """
    place = journal_of(output)
    with replacing(output, place) as unfinished, ExitStack() as stack:
        old = stack.enter_context(WholeIndex(output)) if output.exists() else None
        parameters, without = start(old)
        # What fingerprints depend on besides the content and its language.
        made_with = [parameters.k, parameters.w, parameters.selection, revisions(), tables_digest()]
        journal = stack.enter_context(continuing(place, json.dumps(made_with, sort_keys=True)))
        stack.enter_context(_saying_what_is_kept(journal, engine))
        continued = len(journal.numbers)
        draft = IndexDraft(parameters, revisions(), tables_digest(), journal)
        if old and without is not None:
            draft.keep(old, without=without)
        yield NewIndex(draft, unfinished, continued, engine)
        # The journal has all of it by now.
        engine.forget()


def journal_of(index: Path) -> Path:
    """Return where a build keeps its finished work: in the user's cache, so that no repository gets it."""
    return folder_of_build(index, "builds") / "journal"


def _written(draft: IndexDraft, unfinished: Path, progress: Progress) -> WrittenIndex:
    """Write a draft into an unfinished index; raises what ``IndexDraft.write`` does."""
    draft.write(unfinished, progress)
    with WholeIndex(unfinished) as index:
        return WrittenIndex(len(index.sources), index.digest)


@contextmanager
def _saying_what_is_kept(journal: Journal, engine: BuildEngine) -> Iterator[None]:
    """If ^C ends the block, say what is kept of its work."""
    try:
        yield
    except KeyboardInterrupt as interruption:
        # Another ^C during this write leaves less behind, but nothing wrong.
        journal.flush()
        parts = engine.stop()
        kept = 0 if journal.is_temporary else journal.kept
        if not (kept or parts):
            raise
        what = "1 content is" if kept == 1 else f"{kept:,} contents are"
        problem = f"interrupted; {parts or f'the fingerprints of {what} kept in your cache'}"
        raise Interrupted(problem, "run it again to continue from there; the index is unchanged") from interruption


def _agreed(asked: Mapping[str, Any], old: WholeIndex | None) -> Parameters:
    """Return the parameters to build with: an index has one set for everything in it."""
    if old is None:
        return Parameters(**asked)
    if old.parameters._replace(**asked) != old.parameters:
        msg = f"{old.path} was made with {old.parameters.described()}, not with the parameters given"
        raise IndexFileError(msg, "leave out -k, -w and --selection, or build a new index with another --output")
    check_current(old)
    return old.parameters


def check_current(index: WholeIndex) -> None:
    """Raise ``IndexFileError`` for an index of other front ends or learnt tables, for scans and additions alike."""
    if reason := staleness(index):
        again = "build it again from all its sources, in a new place: winnow-ci index build DIR --output INDEX"
        remedy = rebuild_remedy(index.path, f"{again} --name NAME", is_there=False)
        raise IndexFileError(f"{index.path} {reason}", remedy)


def staleness(index: WholeIndex) -> str | None:
    """Return why an index cannot be compared with code that this version reads; None if it can."""
    current = revisions()
    for name, revision in sorted(index.front_ends.items()):
        if current.get(name) != revision:
            here = f"ours is revision {current[name]}" if name in current else "this winnow-ci has no such front end"
            return f"was made with revision {revision} of the {name} front end, {here}"
    if index.tables != (ours := tables_digest()):
        return f"was made with revision {index.tables[:12]} of the learnt tables, ours is revision {ours[:12]}"
    return None


def check_alike(indexes: Sequence[WholeIndex]) -> None:
    """Raise ``IndexFileError`` if indexes to merge have different parameters, or one is not current."""
    first, *others = indexes
    for other in others:
        if other.parameters != first.parameters:
            one, another = first.parameters.described(), other.parameters.described()
            msg = f"{first.path} was made with {one}, {other.path} with {another}"
            again = "build one of them again with the other's -k, -w and --selection"
            raise IndexFileError(msg, f"{again}: winnow-ci index build")
    # Agreement among them is not enough: where one lacks a front end, another front end may have read such code.
    for index in indexes:
        check_current(index)


# ---- without front ends: remove sources, merge indexes ------------------------------------------------------------


def remove_sources(path: Path, names: Sequence[str], progress: Progress) -> WrittenIndex:
    """Rewrite an index without some sources, as if they had never been in it; a project stands for all its versions.

    That does not need the front ends, so it also works on an index that a scan refuses. Raises ``UsageError`` if it has
    no source with such a name, or no other source; ``IndexFileError`` if it is damaged, or cannot be written.
    """
    with WholeIndex(path) as old:
        _check_names(old, names)
    remedy = "make room in its folder, and check that you can write to it"
    with replacing(path, remedy=remedy) as unfinished, WholeIndex(path) as old:
        # Another process may have replaced the index since.
        _check_names(old, names)
        draft = IndexDraft(old.parameters, old.front_ends, old.tables)
        draft.keep(old, without=_named(old, names))
        return _written(draft, unfinished, progress)


def merge_indexes(paths: Sequence[Path], output: Path, prefer: Preference | None, progress: Progress) -> WrittenIndex:
    """Put the sources of several indexes into one; a source that several have with the same files is one.

    ``prefer`` says which index's source is taken if several have different ones of a name. With None that is an error,
    and the text of equal sources is kept if one of them keeps it. Raises ``UsageError`` if ``output`` exists and is not
    to be merged, ``IndexFileError`` if an index is missing or damaged, they do not agree, or one cannot be written.
    """
    if output.is_file() and not any(path.exists() and output.samefile(path) for path in paths):
        remedy = "add it to the indexes to merge, or name another place with --output"
        raise UsageError(f"{output} already exists, and is not among the indexes to merge", remedy)
    with ExitStack() as stack:
        for path in paths:
            stack.enter_context(WholeIndex(path))
    with replacing(output) as unfinished, ExitStack() as stack:
        indexes = [stack.enter_context(WholeIndex(path)) for path in paths]
        check_alike(indexes)
        taken = _taken(indexes, prefer)
        front_ends = {k: v for index in indexes for k, v in index.front_ends.items()}
        draft = IndexDraft(indexes[0].parameters, front_ends, indexes[0].tables)
        for number, index in enumerate(indexes):
            names = {source.name for source in index.sources}
            draft.keep(index, without={name for name in names if taken[name] != number})
        if prefer is None:
            # Sources of one name are the same here, but not each index need keep the text.
            for source in (index.sources[number] for index in indexes for number in index.with_text):
                draft.keep_text(source)
        return _written(draft, unfinished, progress)


def _check_names(index: WholeIndex, names: Sequence[str]) -> None:
    known = [source.name for source in index.sources]
    for name in names:
        if not _named(index, [name]):
            remedy = did_you_mean(name, known, f"list its sources: winnow-ci index list {index.path}")
            raise UsageError(f"{index.path} has no source {name!r}", remedy)
    if not set(known) - _named(index, names):
        msg = f"nothing would be left in {index.path}: a scan with an empty index would find nothing"
        raise UsageError(msg, "delete the file and remove it from .winnow.yml, or build another source into it first")


def _named(index: WholeIndex, names: Sequence[str]) -> frozenset[str]:
    """Return the sources with these names, and all versions of projects with these names."""
    return frozenset(source.name for source in index.sources if {source.name, display_source(source).name} & set(names))


def _taken(indexes: Sequence[WholeIndex], prefer: Preference | None) -> dict[str, int]:
    """Return for each name of a source the number of the index to take it from."""
    holders: dict[str, list[int]] = {}
    for number, index in enumerate(indexes):
        for source in index.sources:
            holders.setdefault(source.name, []).append(number)
    if prefer is None:
        _check_same(indexes, {name: numbers for name, numbers in holders.items() if len(numbers) > 1})
    return {name: numbers[-1 if prefer == "last" else 0] for name, numbers in holders.items()}


def file_digests(index: WholeIndex) -> dict[str, bytes]:
    """Return digests of the files of each source, their contents and licences, by name: equal in every index."""
    files: list[list[bytes]] = [[] for _ in index.sources]
    for _, row in index.all_contents():
        for source, path, licence, _ in row.files:
            described = b"%b%d:%b%b" % (row.key, len(path), path, (licence or "").encode())
            files[source].append(xxhash.xxh3_128_digest(described))
    # The order of contents depends on what else an index has.
    digests = (xxhash.xxh3_128_digest(b"".join(sorted(own))) for own in files)
    return {source.name: digest for source, digest in zip(index.sources, digests, strict=True)}


def _check_same(indexes: Sequence[WholeIndex], holders: Mapping[str, Sequence[int]]) -> None:
    several = {number for numbers in holders.values() for number in numbers}
    files = {number: file_digests(indexes[number]) for number in several}
    for name, (first, *others) in sorted(holders.items()):
        for other in others:
            ours, theirs = (next(s for s in indexes[n].sources if s.name == name) for n in (first, other))
            same = ours == theirs
            if not (same and files[first][name] == files[other][name]):
                what = "other files" if same else "a different version, licence or URL"
                msg = f"the source {name!r} has {what} in {indexes[other].path} than in {indexes[first].path}"
                remedy = "choose one: --prefer first or --prefer last; or build one of them under another name"
                raise IndexFileError(msg, remedy)
