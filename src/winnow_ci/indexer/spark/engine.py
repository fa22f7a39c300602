"""Build on Spark: slices of the corpus go to executors, and parts come back, which wait in a folder.

The driver reads the files, so folders, archives and repositories look alike to the executors, and it writes the parts
and the index; the two share no file system. Memory is bounded on both sides: some slices for each core of the cluster
are under way, and what has come back is on disk. Slices are named by their contents, so ``prepare`` finds what
``begin`` has begun, and what an earlier build has left.
"""

from __future__ import annotations

import json
import shutil
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.corpus import CorpusFile
from winnow_ci.errors import EngineError, FetchError
from winnow_ci.fetching.cache import folder_of_build, incoming_file
from winnow_ci.indexer.engine import BuildEngine, PreparedFiles, SourceFiles
from winnow_ci.indexer.preparation import FilePreparation
from winnow_ci.indexer.spark import session
from winnow_ci.indexer.spark.slices import (
    FAILED,
    OTHER,
    FileSlice,
    Part,
    PartKeys,
    checked,
    made_with,
    slices,
    task_of,
    unpacked_part,
)
from winnow_ci.model import Progress, Skipped
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regular_file import open_regular
from winnow_ci.start_up import record

if TYPE_CHECKING:
    from typing_extensions import Self

SLICES_A_CORE = 4  # enough for the executors to have the next one at hand, and for some that take longer
MOST_SLICE_BYTES_UNDER_WAY = 1 << 28  # they wait in memory
# Seconds without a working executor before the build fails: a cluster may have to start machines first.
EXECUTOR_PATIENCE = 300.0

_NOBODY = "check that the cluster has free cores and memory for an executor (spark.executor.memory, spark.cores.max)"
_AGAIN = "run it again: finished work is kept"
_NO_ROOM = "make room there, or name another folder with WINNOW_CI_CACHE_DIR; then run this again to continue"


class _UnderWay(NamedTuple):
    """A slice that an executor works on."""

    future: Future[PartKeys]
    size: int  # bytes


@record(frozen=True, slots=True)
class _BegunFiles:
    """Files that executors work on, in the order of their corpus."""

    slices: tuple[tuple[list[CorpusFile], str], ...]  # the files of each slice, and its name
    skipped: tuple[Skipped, ...]

    @property
    def files(self) -> tuple[CorpusFile, ...]:
        return tuple(file for files, _ in self.slices for file in files)

    def __iter__(self) -> Iterator[CorpusFile]:
        return iter(self.files)


class SparkEngine(BuildEngine):
    """Fingerprints on a cluster; as a context, it stops Spark at its end. Spark is started for the first slice.

    Without a URL of the ``master``, Spark's own configuration counts; parts wait in ``folder`` (``folder_for``). Raises
    ``EngineError`` if what Spark needs is not installed.
    """

    works_ahead = True

    def __init__(self, master: str | None, folder: Path) -> None:
        session.check_installed()
        self.continued = 0
        self._master = master
        self._parts = PartFolder(folder)
        self._made_with = made_with()
        self._context = ExitStack()
        self._session: session.SparkSession | None = None
        self._under_way: dict[str, _UnderWay] = {}
        self._names: set[str] = set()
        self._arrived = PartKeys(set(), set())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._context.close()

    def begin(self, corpus: SourceFiles, prepare: FilePreparation, progress: Progress) -> SourceFiles:
        """Begin with files, once there is room for more; see ``BuildEngine``."""
        self._note(self._arrived, prepare)
        total, done = sum(file.size for file in corpus.files), 0
        begun: list[tuple[list[CorpusFile], str]] = []
        for files, one in slices(corpus, prepare, self._made_with):
            begun.append((files, self._begin(one, prepare)))
            done += sum(file.size for file in files)
            progress(done, total)
        return _BegunFiles(tuple(begun), corpus.skipped)

    def prepare(self, corpus: SourceFiles, prepare: FilePreparation) -> Generator[PreparedFiles, None, None]:  # noqa: D102
        # Slices that were begun lack contents that had arrived by then.
        self._note(self._arrived, prepare)
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

    def stop(self) -> str | None:  # noqa: D102
        self._context.close()
        parts = len(self._parts)
        return f"{parts:,} of the executors' parts are kept in {self._parts.path}" if parts else None

    def forget(self) -> None:  # noqa: D102
        self._parts.clear()

    def _names_of(self, corpus: SourceFiles, prepare: FilePreparation) -> Iterator[tuple[list[CorpusFile], str]]:
        """Return the files and names of slices, which are begun."""
        if isinstance(corpus, _BegunFiles):
            return iter(corpus.slices)
        return ((files, self._begin(one, prepare)) for files, one in slices(corpus, prepare, self._made_with))

    def _begin(self, one: FileSlice, prepare: FilePreparation) -> str:
        """Have a slice done, unless it is done or under way; return its name."""
        name = one.name()
        if name in self._under_way:
            return name
        if part := self._parts.get(name, prepare):
            self.continued += name not in self._names
            self._note(part.keys(), prepare)
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
        future = self._session.run(label, task_of(one), lambda record: self._keep(name, record))
        self._under_way[name] = _UnderWay(future, one.size)

    def _is_full(self, size: int) -> bool:
        assert self._session is not None
        held = sum(one.size for one in self._under_way.values())
        most = SLICES_A_CORE * self._session.cores
        return bool(self._under_way) and (len(self._under_way) >= most or held + size > MOST_SLICE_BYTES_UNDER_WAY)

    def _keep(self, name: str, record: bytes) -> PartKeys:
        """Keep what an executor has sent; runs in the thread that waited for it."""
        try:
            kind, payload = checked(record)
            if kind == OTHER:
                raise _other(json.loads(self._made_with), json.loads(payload))
            if kind == FAILED:
                problem, remedy = json.loads(payload)
                raise EngineError(f"on an executor: {problem}", remedy)
            return self._parts.put(name, record).keys()
        except ValueError as error:
            raise EngineError("an executor sent something other than its part of the build", _AGAIN) from error

    def _wait(self, prepare: FilePreparation) -> None:
        """Wait until a part has come; raise ``EngineError`` if no executor works on any."""
        if not self._collect(EXECUTOR_PATIENCE, prepare):
            assert self._session is not None
            if not self._session.works().result(EXECUTOR_PATIENCE):
                raise EngineError(f"no executor has made progress for {EXECUTOR_PATIENCE:.0f} s", _NOBODY)

    def _collect(self, seconds: float, prepare: FilePreparation) -> bool:
        """Note the parts that have come, waiting for one; return whether there were any."""
        done, _ = wait([one.future for one in self._under_way.values()], seconds, FIRST_COMPLETED)
        for name in [name for name, one in self._under_way.items() if one.future in done]:
            self._note(self._under_way.pop(name).future.result(), prepare)
        return bool(done)

    def _note(self, arrived: PartKeys, prepare: FilePreparation) -> None:
        """Note that slices from now on need not do again what has arrived."""
        self._arrived.contents.update(arrived.contents)
        self._arrived.texts.update(arrived.texts)
        prepare.known.update(arrived.contents)
        if prepare.known_texts is not None:
            prepare.known_texts.update(arrived.texts)

    def _taken(self, files: list[CorpusFile], name: str, prepare: FilePreparation) -> PreparedFiles:
        part = self._parts.get(name, prepare)
        if part is None or len(part.outcomes) != len(files):
            raise EngineError(f"{self._parts.path}: a part of the build is no longer there", _AGAIN)
        return files, part.batch()


def _other(here: dict[str, str], there: dict[str, str]) -> EngineError:
    """Return how the winnow-ci of an executor differs."""
    differing = next((name for name in here if here[name] != there.get(name)), "winnow-ci")
    found = f"{differing} {there.get(differing)}, but this machine has {here.get(differing)}"
    return EngineError(f"an executor has {found}", session.SAME_AS_HERE)


def folder_for(index: Path) -> Path:
    """Return where the parts of a build wait for the rest of it, given the index that it writes."""
    return folder_of_build(index, "parts")


class PartFolder:
    """Parts in a folder, each a file: the checkpoint of a build on Spark.

    A part gets the name of its slice when it has been checked and written. So a build that was stopped at any moment
    does not do that slice again. The folder is in the user's cache, where strangers cannot put parts. Every method
    raises ``EngineError`` if the folder cannot be written or read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __len__(self) -> int:
        with self._explained():
            return len([*self.path.iterdir()]) if self.path.exists() else 0

    def get(self, name: str, prepare: FilePreparation) -> Part | None:
        """Return the part of a slice; None if it is missing or damaged, or lacks something that is not known now."""
        try:
            with self._explained(), open_regular(self.path / name, follow=False) as file:
                part = unpacked_part(file.read())
        except (FileNotFoundError, ValueError):
            return None
        is_filled = part.known <= prepare.known and part.known_texts <= (prepare.known_texts or set())
        return part if part.slice == name and is_filled else None

    def put(self, name: str, record: bytes) -> Part:
        """Keep a part that has come from elsewhere, and return it; raise ``ValueError`` if it is another one."""
        part = unpacked_part(record)
        if part.slice != name:
            raise ValueError("the part of another slice")
        with self._explained(), incoming_file() as file:
            file.write(record)
            file.keep(self.path / name)
        return part

    def clear(self) -> None:
        """Remove all parts."""
        shutil.rmtree(self.path, ignore_errors=True)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            raise
        except (OSError, FetchError) as error:
            problem = error.problem if isinstance(error, FetchError) else f"{self.path}: {error.strerror}"
            raise EngineError(f"cannot keep parts of the build: {problem}", _NO_ROOM) from error
