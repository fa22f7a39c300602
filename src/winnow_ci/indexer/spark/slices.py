"""Cut a corpus into slices, one for each Spark task, and make a part of each on an executor.

A slice goes to an executor with the contents of its files, so executors need no files of ours. Its name is a digest of
all that its result depends on. A part depends on nothing but its slice, so Spark may run a task again, elsewhere, or
twice at a time. It comes back as one record of ``index.journal``, with a digest.

The payload is a pickle that can hold nothing but the values named here: neither a file nor an executor can make it run
code.
"""

from __future__ import annotations

import gc
import hashlib
import io
import json
import pickle
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import winnow_ci
from winnow_ci.corpus import CorpusFile, read_file
from winnow_ci.errors import WinnowError
from winnow_ci.evidence.tables import tables_digest
from winnow_ci.index import ContentBatch, ContentRow, PackedText
from winnow_ci.index.journal import RECORD_HEADER, framed
from winnow_ci.index.schema import ALGORITHM, FORMAT_VERSION, POSTING
from winnow_ci.indexer.preparation import FilePreparation, FingerprintedFile, PreparedBatch, needs_content
from winnow_ci.languages import LARGEST_FILE, revisions
from winnow_ci.licensing import LicenceClaims
from winnow_ci.licensing.statements import LicenceAnnotation, LicenceStatement, WrittenLicence
from winnow_ci.model import Skipped
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from pyspark import Broadcast

# Up to a second of a core's work, next to which a task of Spark costs little. A large archive is many slices.
SLICE_BYTES = 1 << 21
SLICE_FILES = 512
_DIGEST_BYTES = 20
COLLECTED_EVERY = 64  # an executor looks for cycles after this many tasks

PART_KIND = b"part"  # of records, as the next two
OTHER = b"othr"  # what the winnow-ci of the executor was made with
FAILED = b"fail"  # problem and remedy of an error that another try would not fix


class FileSlice(NamedTuple):
    """What a task gets."""

    made_with: str  # see ``made_with``; of the driver
    preparation: FilePreparation  # what it knows are contents that files of this slice may have
    files: tuple[CorpusFile, ...]  # with the contents that are needed

    @property
    def size(self) -> int:
        """Return the bytes of all contents."""
        return sum(len(file.content or b"") for file in self.files)

    def name(self) -> str:
        """Return a digest, in hexadecimal, of all that the result depends on, except what is known."""
        how = self.preparation
        settings = [self.made_with, *how.parameters, how.boilerplate, how.known_texts is not None]
        state = hashlib.blake2b(json.dumps(settings).encode(), digest_size=_DIGEST_BYTES)
        for file in self.files:
            size = None if file.content is None else len(file.content)
            state.update(json.dumps([file.path, file.size, file.reason, size]).encode())
            state.update(file.content or b"")
        return state.hexdigest()


def made_with() -> str:
    """Return what an index depends on besides parameters and contents: driver and executors must agree on it."""
    made = {
        "winnow-ci": winnow_ci.__version__,
        "format": f"{FORMAT_VERSION}.{ALGORITHM}",
        "tables": tables_digest(),
        **dict(sorted(revisions().items())),
    }
    return json.dumps(made)


def slices(
    files: Iterable[CorpusFile], prepare: FilePreparation, by: str
) -> Iterator[tuple[list[CorpusFile], FileSlice]]:
    """Yield files in their order, without their contents, and the slice of them; may raise ``CorpusError``.

    What ``prepare`` knows is looked up when a slice is complete; for ``by`` see ``made_with``.
    """
    taken: list[CorpusFile] = []
    sent: list[CorpusFile] = []
    size = 0
    for file in files:
        content = read_file(file, LARGEST_FILE) if needs_content(file) else None
        taken.append(replace(file, content=None))
        sent.append(CorpusFile(file.path, Path(), file.size, content, file.reason))
        size += len(content or b"")
        if size >= SLICE_BYTES or len(sent) == SLICE_FILES:
            yield taken, _slice(sent, prepare, by)
            taken, sent, size = [], [], 0
    if sent:
        yield taken, _slice(sent, prepare, by)


def _slice(files: Sequence[CorpusFile], prepare: FilePreparation, by: str) -> FileSlice:
    keys = {key for file in files for key in prepare.keys(file)}
    texts = None if prepare.known_texts is None else prepare.known_texts & keys
    return FileSlice(by, replace(prepare, known=prepare.known & keys, known_texts=texts), tuple(files))


class PartKeys(NamedTuple):
    """Keys of the contents, and of the texts, that are there."""

    contents: set[bytes]
    texts: set[bytes]


class Part(NamedTuple):
    """What came of a slice; the last five are those of a ``PreparedBatch``."""

    slice: str  # name of the slice
    known: frozenset[bytes]  # keys of the contents that it lacks because they were known
    known_texts: frozenset[bytes]  # keys of those whose text it lacks
    outcomes: tuple[FingerprintedFile | Skipped, ...]
    rows: tuple[ContentRow, ...]
    postings: bytes
    texts: tuple[tuple[bytes, PackedText], ...]
    sayings: tuple[LicenceClaims | None, ...]

    def keys(self) -> PartKeys:
        """Return the keys of the contents, and of the texts, that it has."""
        return PartKeys({row.key for row in self.rows}, {key for key, _ in self.texts})

    def batch(self) -> PreparedBatch:
        """Return what the local engine would have given."""
        contents = ContentBatch(self.rows, np.frombuffer(bytearray(self.postings), POSTING))
        return PreparedBatch(list(self.outcomes), contents, list(self.texts), list(self.sayings))

    def is_whole(self) -> bool:
        """Return whether there is a content for each key, with as many postings as it says."""
        keys = self.keys().contents
        asked = {key for one in self.outcomes if isinstance(one, FingerprintedFile) for key in one.keys}
        counts = np.bincount(np.frombuffer(self.postings, POSTING)["content"], minlength=len(self.rows)).tolist()
        return (
            len(self.outcomes) == len(self.sayings)
            and len(keys) == len(self.rows)
            and asked <= keys | self.known
            and counts == [row.fingerprints for row in self.rows]
        )


def fingerprint_slice(task: FileSlice) -> Part:
    """Fingerprint a slice: the work of an executor."""
    how = task.preparation
    # Preparing adds to what is known.
    known, known_texts = frozenset(how.known), frozenset(how.known_texts or ())
    name, made = task.name(), how(task.files)
    rows, postings = tuple(made.contents.rows), made.contents.postings.tobytes()
    return Part(name, known, known_texts, tuple(made.outcomes), rows, postings, tuple(made.texts), tuple(made.sayings))


def packed_part(part: Part) -> bytes:
    """Return a part as a record."""
    return framed(PART_KIND, pickle.dumps(part, pickle.HIGHEST_PROTOCOL))


def checked(record: bytes) -> tuple[bytes, bytes]:
    """Return kind and payload of a record; raise ``ValueError`` if it is damaged."""
    kind, payload = record[: len(PART_KIND)], record[RECORD_HEADER:]
    if framed(kind, payload) != record:
        raise ValueError("changed since it was written")
    return kind, payload


class _Unpickler(pickle.Unpickler):
    """Creates values of these types and nothing else."""

    _TYPES = (
        *(Part, FingerprintedFile, Skipped, ContentRow, PackedText),
        *(LicenceClaims, LicenceStatement, LicenceAnnotation, WrittenLicence),
    )
    _BY_NAME: ClassVar = {(one.__module__, one.__qualname__): one for one in _TYPES}

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self._BY_NAME:
            raise ValueError(f"a part with {module}.{name} in it")
        return self._BY_NAME[module, name]


def unpacked_part(record: bytes) -> Part:
    """Return the part in a record; raise ``ValueError`` if there is none, or it is damaged."""
    kind, payload = checked(record)
    try:
        part = _Unpickler(io.BytesIO(payload)).load()
        if kind == PART_KIND and isinstance(part, Part) and part.is_whole():
            return part
    except Exception as error:
        # Unpickling what somebody else has written may raise anything.
        raise ValueError("no part") from error
    raise ValueError("no part")


class SliceTask:
    """Runs one task, whose slice executors fetch from the driver when they get to it."""

    def __init__(self, of_task: Broadcast[tuple[str, bytes]]) -> None:
        self._of_task = of_task

    def __call__(self, _: object) -> bytes:
        """See ``run_task``."""
        record = run_task(self._of_task.value)
        _spare_collection()
        return record


def task_of(one: FileSlice) -> tuple[str, bytes]:
    """Return what a task gets; another version of winnow-ci may only be able to read the first of these."""
    return one.made_with, pickle.dumps(one, pickle.HIGHEST_PROTOCOL)


def run_task(of_task: tuple[str, bytes]) -> bytes:
    """Fingerprint a slice, and return a record of kind ``PART_KIND``, ``OTHER`` or ``FAILED``."""
    by, content = of_task
    here = made_with()
    if by != here:
        return framed(OTHER, here.encode())
    try:
        return packed_part(fingerprint_slice(pickle.loads(content)))  # noqa: S301 - from the driver, whose work this is
    except WinnowError as error:
        return framed(FAILED, json.dumps([error.problem, error.remedy]).encode())


def _spare_collection() -> None:
    """Hide what front ends remember from PySpark, whose search for cycles after each task takes a quarter of it."""
    if next(_tasks) % COLLECTED_EVERY:
        gc.freeze()
    else:
        gc.unfreeze()


_tasks = count(1)
