"""What came of slices: parts, each a file in a folder, which is the checkpoint of a build on Spark.

A part is one record of ``index.records``, with a digest. Executors send parts through Spark, and the driver writes them
down, so the two share no file system. A part that is there is complete: it is renamed to the name of its slice when it
has been written and checked. A build that was stopped at any moment, and is run again, does not do that slice again.

The payload is a pickle that can hold nothing but the values named here: neither a file nor an executor can have code
run by it. The folder is in the user's cache, not in a repository where strangers could put parts.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from winnow_ci.errors import EngineError
from winnow_ci.fetching.cache import cache_folder
from winnow_ci.index import ContentBatch, ContentRow, PackedMap, PackedText
from winnow_ci.index.records import HEADER, framed
from winnow_ci.index.schema import POSTING
from winnow_ci.indexer.preparation import FilePreparation, FingerprintedFile, PreparedBatch
from winnow_ci.licensing import LicenceClaims
from winnow_ci.licensing.licence_texts import LicenceDocument
from winnow_ci.licensing.statements import LicenceAnnotation, LicenceStatement, WrittenLicence
from winnow_ci.model import Skipped
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regular_file import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.indexer.spark.slices import FileSlice

KIND = b"part"

_DIGEST_BYTES = 16
_PREFIX = "incoming-"
_REMEDY = "make room there, or name another folder with WINNOW_CI_CACHE_DIR; then run this again, and it goes on"


class Part(NamedTuple):
    """What came of a slice.

    Attributes:
        slice: name of the slice.
        known: keys of the contents that it lacks because they were known.
        known_texts: keys of those whose text it lacks.
        outcomes: see ``PreparedBatch``; so for the following.
        rows: of the contents.
        postings: the bytes of ``ContentBatch.postings``.
        texts: to keep.
        sayings: on licences.
    """

    slice: str
    known: frozenset[bytes]
    known_texts: frozenset[bytes]
    outcomes: tuple[FingerprintedFile | Skipped, ...]
    rows: tuple[ContentRow, ...]
    postings: bytes
    texts: tuple[tuple[bytes, PackedText], ...]
    sayings: tuple[LicenceClaims | None, ...]

    @property
    def keys(self) -> set[bytes]:
        """Keys of the contents that it has."""
        return {row.key for row in self.rows}

    @property
    def text_keys(self) -> set[bytes]:
        """Keys of the contents whose text it has."""
        return {key for key, _ in self.texts}

    def batch(self) -> PreparedBatch:
        """What a front end of this machine would have given."""
        contents = ContentBatch(self.rows, np.frombuffer(bytearray(self.postings), POSTING))
        return PreparedBatch(list(self.outcomes), contents, list(self.texts), list(self.sayings))

    def is_whole(self) -> bool:
        """Whether there is a content for each key, and as many postings for each content as it says."""
        asked = {key for one in self.outcomes if isinstance(one, FingerprintedFile) for key in one.keys}
        counts = np.bincount(np.frombuffer(self.postings, POSTING)["content"], minlength=len(self.rows)).tolist()
        return (
            len(self.outcomes) == len(self.sayings)
            and len(self.keys) == len(self.rows)
            and asked <= self.keys | self.known
            and counts == [row.fingerprints for row in self.rows]
        )


def fingerprinted(task: FileSlice) -> Part:
    """What comes of a slice: the work of an executor."""
    name, how = task.name(), task.preparation
    # What is prepared is known after that.
    known, known_texts = frozenset(how.known), frozenset(how.known_texts or ())
    made = how(task.files)
    rows, postings = tuple(made.contents.rows), made.contents.postings.tobytes()
    return Part(name, known, known_texts, tuple(made.outcomes), rows, postings, tuple(made.texts), tuple(made.sayings))


def packed(part: Part) -> bytes:
    """A part as a record."""
    return framed(KIND, pickle.dumps(part, pickle.HIGHEST_PROTOCOL))


def checked(record: bytes) -> tuple[bytes, bytes]:
    """Kind and payload of a record.

    Raises:
        ValueError: it is damaged.
    """
    kind, payload = record[: len(KIND)], record[HEADER:]
    if framed(kind, payload) != record:
        raise ValueError("not as it was written")
    return kind, payload


def folder_for(index: Path) -> Path:
    """Where the parts of a build wait for the rest of it, given the index that it writes."""
    place = hashlib.blake2b(os.fsencode(index.absolute()), digest_size=_DIGEST_BYTES)
    return cache_folder() / "parts" / place.hexdigest()


class PartFolder:
    """Parts in a folder, which is made when the first one comes.

    Raises:
        EngineError: from every method: the folder cannot be written or read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __len__(self) -> int:
        with self._told():
            names = [place.name for place in self.path.iterdir()] if self.path.exists() else []
        return sum(not name.startswith(_PREFIX) for name in names)

    def get(self, name: str, prepare: FilePreparation) -> Part | None:
        """The part of a slice; None if there is none, it is damaged, or it lacks what is not known now."""
        try:
            with self._told(), open_regular(self.path / name, follow=False) as file:
                part = unpacked(file.read())
        except (FileNotFoundError, ValueError):
            return None
        is_filled = part.known <= prepare.known and part.known_texts <= (prepare.known_texts or set())
        return part if part.slice == name and is_filled else None

    def put(self, name: str, record: bytes) -> Part:
        """Keep a part that has come from elsewhere, if it is that of a slice; the part.

        Raises:
            ValueError: it is not, or is damaged.
        """
        part = unpacked(record)
        if part.slice != name:
            raise ValueError("the part of another slice")
        with self._told():
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, unfinished = tempfile.mkstemp(prefix=_PREFIX, dir=self.path)
            try:
                with open(descriptor, "wb") as file:  # noqa: PTH123 - of a descriptor
                    file.write(record)
                Path(unfinished).replace(self.path / name)
            except BaseException:
                with suppress(OSError):
                    Path(unfinished).unlink()
                raise
        return part

    def clear(self) -> None:
        """Remove all parts."""
        shutil.rmtree(self.path, ignore_errors=True)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            raise
        except OSError as error:
            raise EngineError(f"cannot keep parts of the build in {self.path}: {error.strerror}", _REMEDY) from error


class _Unpickler(pickle.Unpickler):
    """Makes values of these types and nothing else."""

    _TYPES = (
        *(Part, FingerprintedFile, Skipped, ContentRow, PackedMap, PackedText),
        *(LicenceClaims, LicenceStatement, LicenceAnnotation, LicenceDocument, WrittenLicence),
    )
    _BY_NAME: ClassVar = {(one.__module__, one.__qualname__): one for one in _TYPES}

    def find_class(self, module: str, name: str) -> Any:
        """The type of this name.

        Raises:
            ValueError: it is none of these.
        """
        if (module, name) not in self._BY_NAME:
            raise ValueError(f"a part with {module}.{name} in it")
        return self._BY_NAME[module, name]


def unpacked(record: bytes) -> Part:
    """The part in a record.

    Raises:
        ValueError: there is none, or it is damaged.
    """
    kind, payload = checked(record)
    try:
        part = _Unpickler(io.BytesIO(payload)).load()
        is_part = kind == KIND and isinstance(part, Part) and part.is_whole()
    except Exception as error:
        # Unpickling what somebody else has written may raise anything.
        raise ValueError("no part") from error
    if not is_part:
        raise ValueError("no part")
    assert isinstance(part, Part)
    return part
