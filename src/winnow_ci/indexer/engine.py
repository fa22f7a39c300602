"""Who fingerprints the files of a corpus: this machine, or a cluster (``indexer.spark``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from winnow_ci.indexer.workers import prepare_all
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from winnow_ci.corpus import CorpusFile
    from winnow_ci.indexer.preparation import FilePreparation, PreparedBatch
    from winnow_ci.model import Progress, Skipped


class SourceFiles(Protocol):
    """Files of known code: listed without their contents, iterated over with them, in any order."""

    @property
    def files(self) -> tuple[CorpusFile, ...]:
        """All of them."""

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """What was left out, and why."""

    def __iter__(self) -> Iterator[CorpusFile]:
        """All of them, with the contents of those that cannot be read at any time."""


class KeptParts(NamedTuple):
    """What an engine keeps for the next build: how many parts there are, and in which folder."""

    number: int
    folder: Path


class BuildEngine(Protocol):
    """Prepares files.

    Attributes:
        works_ahead: whether it is worth while to ``begin`` with files before ``prepare`` asks for them.
        continued: number of parts that an interrupted build had left, and that were used.
    """

    works_ahead: bool
    continued: int

    def begin(self, corpus: SourceFiles, prepare: FilePreparation, progress: Progress) -> SourceFiles:
        """Begin with files; gives what ``prepare`` is to be asked for later, when the corpus need no longer be open."""

    def prepare(
        self, corpus: SourceFiles, prepare: FilePreparation
    ) -> Generator[tuple[list[CorpusFile], PreparedBatch], None, None]:
        """Prepare files, or go on with those that were begun with.

        Each batch is given with its results, in the order of the corpus.

        Raises:
            CorpusError: a file cannot be read.
            EngineError: the engine failed.
        """

    def stop(self) -> KeptParts | None:
        """Stop all work; gives what is kept of it, None if nothing."""

    def forget(self) -> None:
        """Keep nothing: the index is written."""


class LocalEngine:
    """All cores of this machine."""

    works_ahead = False
    continued = 0

    def begin(
        self,
        corpus: SourceFiles,
        prepare: FilePreparation,  # noqa: ARG002
        progress: Progress,  # noqa: ARG002
    ) -> SourceFiles:
        """Do nothing: the cores are busy with what is asked for."""
        return corpus

    def prepare(
        self, corpus: SourceFiles, prepare: FilePreparation
    ) -> Generator[tuple[list[CorpusFile], PreparedBatch], None, None]:
        """See ``BuildEngine``."""
        return prepare_all(corpus, sum(file.size for file in corpus.files), prepare)

    def stop(self) -> KeptParts | None:
        """Do nothing: the workers have ended, and the journal keeps what is done."""
        return None

    def forget(self) -> None:
        """Do nothing."""


LOCAL = LocalEngine()
