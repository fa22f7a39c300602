"""Files of a corpus in slices, each the work of one Spark task.

A slice goes to an executor with the contents of its files, so executors need no files of ours. Its name is a digest of
all that its result depends on, so what came of it is not taken for anything else.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

import winnow_ci
from winnow_ci.corpus import CorpusFile, read_file
from winnow_ci.evidence import tables_digest
from winnow_ci.index.schema import ALGORITHM, VERSION
from winnow_ci.indexer.preparation import FilePreparation, is_read
from winnow_ci.languages import LARGEST_FILE, revisions
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Up to a second of a core's work, next to which a task of Spark costs little. A large archive is many slices.
SLICE_BYTES = 1 << 21
SLICE_FILES = 512

_DIGEST_BYTES = 20
_NOWHERE = Path()


class FileSlice(NamedTuple):
    """What a task is given.

    Attributes:
        made_by: see ``made_by``; of the driver.
        preparation: what it knows are contents that files of this slice may have.
        files: with their contents, where these are asked for.
    """

    made_by: str
    preparation: FilePreparation
    files: tuple[CorpusFile, ...]

    @property
    def size(self) -> int:
        """Bytes of all contents."""
        return sum(len(file.content or b"") for file in self.files)

    def name(self) -> str:
        """Digest of all that the result depends on, but for what is known, in hexadecimal."""
        how = self.preparation
        settings = [self.made_by, *how.parameters, how.boilerplate, how.known_texts is not None]
        state = hashlib.blake2b(json.dumps(settings).encode(), digest_size=_DIGEST_BYTES)
        for path, _, size, content, reason in map(_fields, self.files):
            state.update(json.dumps([path, size, reason, None if content is None else len(content)]).encode())
            state.update(content or b"")
        return state.hexdigest()


def made_by() -> str:
    """What the root of an index depends on besides parameters and contents: driver and executors must agree in it."""
    made = {
        "winnow-ci": winnow_ci.__version__,
        "format": f"{VERSION}.{ALGORITHM}",
        "tables": tables_digest(),
        **dict(sorted(revisions().items())),
    }
    return json.dumps(made)


def slices(
    files: Iterable[CorpusFile], prepare: FilePreparation, by: str
) -> Iterator[tuple[list[CorpusFile], FileSlice]]:
    """Files in their order: some of them without their contents, and the slice of them.

    Args:
        files: of a corpus.
        prepare: how to prepare them; what it knows is looked up when a slice is complete.
        by: see ``made_by``.

    Raises:
        CorpusError: a file cannot be read.
    """
    taken: list[CorpusFile] = []
    sent: list[CorpusFile] = []
    size = 0
    for file in files:
        taken.append(replace(file, content=None))
        sent.append(_with_content(file))
        size += len(sent[-1].content or b"")
        if size >= SLICE_BYTES or len(sent) == SLICE_FILES:
            yield taken, _slice(sent, prepare, by)
            taken, sent, size = [], [], 0
    if sent:
        yield taken, _slice(sent, prepare, by)


def _with_content(file: CorpusFile) -> CorpusFile:
    content = read_file(file, LARGEST_FILE) if is_read(file) else None
    return CorpusFile(file.path, _NOWHERE, file.size, content, file.reason)


def _slice(files: Sequence[CorpusFile], prepare: FilePreparation, by: str) -> FileSlice:
    keys = {key for file in files for key in prepare.keys(file)}
    texts = None if prepare.known_texts is None else prepare.known_texts & keys
    return FileSlice(by, replace(prepare, known=prepare.known & keys, known_texts=texts), tuple(files))


def _fields(file: CorpusFile) -> tuple[str, Path, int, bytes | None, str | None]:
    return file.path, file.root, file.size, file.content, file.reason
