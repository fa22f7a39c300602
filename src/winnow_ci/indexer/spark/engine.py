"""Builds on Spark: slices of the corpus go to executors, and parts come back, which wait in a folder.

The driver reads the files, so folders, archives and repositories are all alike to the executors, and it writes the
parts and the index. Memory is bounded on both sides: some slices for each core of the cluster are under way, and what
has come back is on disk. Slices are named by their contents, so ``prepare`` finds what ``begin`` has begun with, and
what an earlier build has left.
"""

from __future__ import annotations

import json
from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack
from itertools import islice
from typing import TYPE_CHECKING

from winnow_ci.errors import EngineError
from winnow_ci.indexer.engine import KeptParts
from winnow_ci.indexer.spark import session, task
from winnow_ci.indexer.spark.parts import PartFolder, checked
from winnow_ci.indexer.spark.slices import made_by, slices
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import record

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from typing_extensions import Self

    from winnow_ci.corpus import CorpusFile
    from winnow_ci.indexer.engine import SourceFiles
    from winnow_ci.indexer.preparation import FilePreparation, PreparedBatch
    from winnow_ci.indexer.spark.slices import FileSlice
    from winnow_ci.model import Progress, Skipped

# Enough for the executors to have the next one at hand, and for some that take longer.
SLICES_A_CORE = 4
MOST_UNDER_WAY = 1 << 28  # bytes of slices, which wait in memory
# Seconds without an executor at work until somebody is told: a cluster may have to start machines first.
PATIENCE = 300.0

_NOBODY = "see that the cluster has free cores and memory for an executor (spark.executor.memory, spark.cores.max)"
_AGAIN = "run it again: what is done is kept"


class _Arrived(NamedTuple):
    """Keys of the contents and texts of a part."""

    keys: set[bytes]
    texts: set[bytes]


class _UnderWay(NamedTuple):
    """A slice that an executor works on: what will come of it, and its size in bytes."""

    future: Future[_Arrived]
    size: int


@record(frozen=True, slots=True)
class _BegunFiles:
    """Files that executors work on, in the order of their corpus: how many each slice has, and its name."""

    files: tuple[CorpusFile, ...]
    skipped: tuple[Skipped, ...]
    slices: tuple[tuple[int, str], ...]

    def __iter__(self) -> Iterator[CorpusFile]:
        return iter(self.files)


class SparkEngine:
    """Fingerprints on a cluster; as a context, it stops Spark at its end. Spark is started for the first slice.

    Args:
        master: URL of the master; None for what Spark's own configuration says.
        folder: where parts wait; see ``parts.folder_for``.

    Raises:
        EngineError: what Spark needs is not installed.
    """

    works_ahead = True

    def __init__(self, master: str | None, folder: Path) -> None:
        session.check()
        self.continued = 0
        self._master = master
        self._parts = PartFolder(folder)
        self._made_by = made_by()
        self._context = ExitStack()
        self._session: session.SparkSession | None = None
        self._under_way: dict[str, _UnderWay] = {}
        self._names: set[str] = set()
        self._arrived = _Arrived(set(), set())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._context.close()

    def begin(self, corpus: SourceFiles, prepare: FilePreparation, progress: Progress) -> SourceFiles:
        """See ``BuildEngine``. Returns once there is room for more."""
        self._tell(self._arrived, prepare)
        total, done = sum(file.size for file in corpus.files), 0
        names: list[tuple[int, str]] = []
        ordered: list[CorpusFile] = []
        for files, one in slices(corpus, prepare, self._made_by):
            names.append((len(files), self._begin(one, prepare)))
            ordered += files
            done += sum(file.size for file in files)
            progress(done, total)
        return _BegunFiles(tuple(ordered), corpus.skipped, tuple(names))

    def prepare(
        self, corpus: SourceFiles, prepare: FilePreparation
    ) -> Generator[tuple[list[CorpusFile], PreparedBatch], None, None]:
        """See ``BuildEngine``."""
        # What slices of a corpus lack that was begun with: contents that had come by then.
        self._tell(self._arrived, prepare)
        waiting: deque[tuple[list[CorpusFile], str]] = deque()
        for files, name in self._names_of(corpus, prepare):
            waiting.append((files, name))
            self._collect(0, prepare)
            while waiting and waiting[0][1] not in self._under_way:
                yield self._taken(*waiting.popleft(), prepare)
        for files, name in waiting:
            while name in self._under_way:
                self._wait(prepare)
            yield self._taken(files, name, prepare)

    def stop(self) -> KeptParts | None:
        """See ``BuildEngine``."""
        self._context.close()
        parts = len(self._parts)
        return KeptParts(parts, self._parts.path) if parts else None

    def forget(self) -> None:
        """See ``BuildEngine``."""
        self._parts.clear()

    # ---- slices go out ------------------------------------------------------------------------------------------

    def _names_of(self, corpus: SourceFiles, prepare: FilePreparation) -> Iterator[tuple[list[CorpusFile], str]]:
        """Slices that are begun with: their files and names."""
        if not isinstance(corpus, _BegunFiles):
            for files, one in slices(corpus, prepare, self._made_by):
                yield files, self._begin(one, prepare)
            return
        ordered = iter(corpus.files)
        for count, name in corpus.slices:
            yield list(islice(ordered, count)), name

    def _begin(self, one: FileSlice, prepare: FilePreparation) -> str:
        """Have a slice done, unless it is done or under way; its name."""
        name = one.name()
        if name in self._under_way:
            return name
        if part := self._parts.get(name, prepare):
            self.continued += name not in self._names
            self._tell(_Arrived(part.keys, part.text_keys), prepare)
        else:
            self._send(name, one, prepare)
        self._names.add(name)
        return name

    def _send(self, name: str, one: FileSlice, prepare: FilePreparation) -> None:
        if self._session is None:
            self._session = self._context.enter_context(session.started(self._master))
        while self._is_full(one.size):
            self._wait(prepare)
        label = f"{len(one.files)} files from {one.files[0].path}"
        future = self._session.run(label, task.given(one), lambda record: self._keep(name, record))
        self._under_way[name] = _UnderWay(future, one.size)

    def _is_full(self, size: int) -> bool:
        assert self._session is not None
        held = sum(one.size for one in self._under_way.values())
        most = SLICES_A_CORE * self._session.cores
        return bool(self._under_way) and (len(self._under_way) >= most or held + size > MOST_UNDER_WAY)

    # ---- parts come back ----------------------------------------------------------------------------------------

    def _keep(self, name: str, record: bytes) -> _Arrived:
        """Keep what an executor has sent; in the thread that waited for it."""
        try:
            kind, payload = checked(record)
            if kind == task.OTHER:
                raise _other(json.loads(self._made_by), json.loads(payload))
            if kind == task.FAILED:
                problem, remedy = json.loads(payload)
                raise EngineError(f"on an executor: {problem}", remedy)
            part = self._parts.put(name, record)
        except ValueError as error:
            raise EngineError("an executor has sent something else than the part of its slice", _AGAIN) from error
        return _Arrived(part.keys, part.text_keys)

    def _wait(self, prepare: FilePreparation) -> None:
        """Wait until a part has come.

        Raises:
            EngineError: no executor works on any.
        """
        if not self._collect(PATIENCE, prepare):
            assert self._session is not None
            if not self._session.works().result(PATIENCE):
                raise EngineError(f"no executor has worked on this for {PATIENCE:.0f} s", _NOBODY)

    def _collect(self, seconds: float, prepare: FilePreparation) -> bool:
        """Take note of the parts that have come; wait for one. Returns whether there were any."""
        done, _ = wait([one.future for one in self._under_way.values()], seconds, FIRST_COMPLETED)
        for name in [name for name, one in self._under_way.items() if one.future in done]:
            self._tell(self._under_way.pop(name).future.result(), prepare)
        return bool(done)

    def _tell(self, arrived: _Arrived, prepare: FilePreparation) -> None:
        """Slices from now on need not have done again what has arrived."""
        self._arrived.keys.update(arrived.keys)
        self._arrived.texts.update(arrived.texts)
        prepare.known.update(arrived.keys)
        if prepare.known_texts is not None:
            prepare.known_texts.update(arrived.texts)

    def _taken(
        self, files: list[CorpusFile], name: str, prepare: FilePreparation
    ) -> tuple[list[CorpusFile], PreparedBatch]:
        part = self._parts.get(name, prepare)
        if part is None or len(part.outcomes) != len(files):
            raise EngineError(f"{self._parts.path}: a part of the build is no longer there", _AGAIN)
        return files, part.batch()


def _other(here: dict[str, str], there: dict[str, str]) -> EngineError:
    """An executor has another winnow-ci, or another of what that is made of."""
    differing = next((name for name in here if here[name] != there.get(name)), "winnow-ci")
    found = f"{differing} {there.get(differing)}, and this machine has {here.get(differing)}"
    return EngineError(f"an executor has {found}", session.SAME)
