"""A new index is written: sources are added to the old one, replaced or removed.

A content that the old index has is not fingerprinted again, so replacing a source by its next version costs what has
changed; neither is a content that a build had done before it was interrupted.
"""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from winnow_ci.errors import IndexFileError, Interrupted
from winnow_ci.evidence import tables_digest
from winnow_ci.index import IndexDraft, WholeIndex, continuing, replacing
from winnow_ci.indexer.compatibility import check_current
from winnow_ci.indexer.engine import LOCAL
from winnow_ci.indexer.filling import fill, preparation_for
from winnow_ci.languages import revisions
from winnow_ci.model import Parameters
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from winnow_ci.index import Journal
    from winnow_ci.indexer.engine import BuildEngine
    from winnow_ci.indexer.filling import AddedFiles, IndexAddition
    from winnow_ci.model import Counting, Progress


class IndexStart(NamedTuple):
    """A new index's parameters, and the sources of the old one that do not stay; None if nothing of it is used."""

    parameters: Parameters
    without: AbstractSet[str] | None


class WrittenIndex(NamedTuple):
    """An index that has been written: how many sources it holds, and the digest of all of it."""

    sources: int
    digest: str


class BuildReport(NamedTuple):
    """What a build did.

    Attributes:
        added: what came of the files.
        continued: number of contents that an earlier build had done when it was interrupted.
        parts: number of parts of the work that an earlier build on Spark had done.
        digest: of the index.
    """

    added: AddedFiles
    continued: int
    parts: int
    digest: str


@record(frozen=True, slots=True)
class NewIndex:
    """An index that is being written; ``continued`` counts the contents that an interrupted build has left."""

    draft: IndexDraft
    unfinished: Path
    continued: int
    engine: BuildEngine

    def begin(self, addition: IndexAddition, progress: Progress, *, with_text: bool) -> IndexAddition:
        """Let the engine begin with sources; gives what is to be added later, when the corpus need not be open."""
        self._keep_texts(addition, with_text=with_text)
        preparation = preparation_for(self.draft, addition.sources[0])
        return addition._replace(corpus=self.engine.begin(addition.corpus, preparation, progress))

    def add(self, addition: IndexAddition, progress: Progress, *, with_text: bool) -> AddedFiles:
        """Add sources; see ``filling.fill``."""
        self._keep_texts(addition, with_text=with_text)
        return fill(self.draft, addition, progress, self.engine)

    def write(self, progress: Progress) -> WrittenIndex:
        """Write the file.

        Raises:
            sqlite3.Error, OSError, IndexFileError: see ``IndexDraft.write``.
        """
        return written(self.draft, self.unfinished, progress)

    def _keep_texts(self, addition: IndexAddition, *, with_text: bool) -> None:
        for source in addition.sources if with_text else ():
            self.draft.keep_text(source)


@contextmanager
def in_silence(what: str, unit: str) -> Iterator[Progress]:  # noqa: ARG001
    """Tell nobody of any progress."""
    yield lambda done, total: None  # noqa: ARG005


@contextmanager
def rewritten(
    output: Path, start: Callable[[WholeIndex | None], IndexStart], engine: BuildEngine = LOCAL
) -> Iterator[NewIndex]:
    """Give a new index, which takes the place of the old one if the block ends well.

    Args:
        output: the index; it is made if there is none.
        start: says, given the old index, what the new one begins with.
        engine: fingerprints.

    Raises:
        IndexFileError: the index is damaged or cannot be written.
        Interrupted: by ^C, once there was something to keep for the next build.
    """
    with replacing(output) as unfinished, ExitStack() as stack:
        old = stack.enter_context(WholeIndex(output)) if output.exists() else None
        parameters, without = start(old)
        journal = stack.enter_context(continuing(output, _description(parameters)))
        stack.enter_context(_saying_what_is_kept(output, journal, engine))
        continued = len(journal.numbers)
        draft = IndexDraft(parameters, revisions(), tables_digest(), journal)
        if old and without is not None:
            draft.keep(old, without=without)
        yield NewIndex(draft, unfinished, continued, engine)
        # The journal has all of it by now.
        engine.forget()


def written(draft: IndexDraft, unfinished: Path, progress: Progress) -> WrittenIndex:
    """Write a draft into an unfinished index; raises what ``IndexDraft.write`` does."""
    draft.write(unfinished, progress)
    with WholeIndex(unfinished) as index:
        return WrittenIndex(len(index.sources), index.digest)


def add(
    addition: IndexAddition,
    output: Path,
    parameters: Mapping[str, Any] = MappingProxyType({}),
    counting: Counting = in_silence,
    engine: BuildEngine = LOCAL,
    *,
    with_text: bool = False,
) -> BuildReport:
    """Add sources to an index, and take out those that they replace.

    Args:
        addition: the files and their sources.
        output: the index; it is made if there is none.
        parameters: those of ``Parameters`` that are asked for; the others are an existing index's, or the defaults.
        counting: shows the progress.
        engine: fingerprints.
        with_text: whether the index shall keep the text of these sources; what it keeps of others stays.

    Raises:
        CorpusError: the code could not be read, or nothing of it can be fingerprinted.
        IndexFileError: the index is damaged, was made with other parameters or front ends, or cannot be written.
        Interrupted: by ^C, once there was something to keep for the next build.
    """

    def start(old: WholeIndex | None) -> IndexStart:
        replaced = {one.name for one in old.sources if addition.replaces(one)} if old else set()
        return IndexStart(_agreed(parameters, old), replaced)

    with rewritten(output, start, engine) as index:
        with counting("fingerprinting", "B") as progress:
            added = index.add(addition, progress, with_text=with_text)
        with counting("writing", " blocks") as progress:
            digest = index.write(progress).digest
    return BuildReport(added, index.continued, engine.continued, digest)


@contextmanager
def _saying_what_is_kept(output: Path, journal: Journal, engine: BuildEngine) -> Iterator[None]:
    """Say, if ^C ends the block, what is kept of its work."""
    try:
        yield
    except KeyboardInterrupt as interruption:
        # Another ^C while this is written leaves less behind, and nothing wrong.
        journal.flush()
        parts = engine.stop()
        if not (journal.kept or parts):
            raise
        what = "1 content is" if journal.kept == 1 else f"{journal.kept:,} contents are"
        problem = f"interrupted; the fingerprints of {what} kept beside {output}"
        if parts:
            problem = f"interrupted; {parts.number:,} of the parts that executors make are kept in {parts.folder}"
        raise Interrupted(problem, "run it again to go on from there; the index is unchanged") from interruption


def _description(parameters: Parameters) -> str:
    """What fingerprints depend on besides the content and its language."""
    return json.dumps([parameters.k, parameters.w, parameters.selection, revisions(), tables_digest()], sort_keys=True)


def _agreed(asked: Mapping[str, Any], old: WholeIndex | None) -> Parameters:
    """The parameters to build with: an index has one set for all that is in it."""
    if old is None:
        return Parameters(**asked)
    if old.parameters._replace(**asked) != old.parameters:
        msg = f"{old.path} was made with {old.parameters.described()}, not with those asked for"
        raise IndexFileError(msg, "leave out -k, -w and --selection, or build a new index with another --output")
    check_current(old)
    return old.parameters
