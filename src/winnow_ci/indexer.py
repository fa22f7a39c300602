"""Building an index: corpus → front end → winnowing → index, on all cores.

A content that the index already has is not fingerprinted again, so replacing a source by its next version costs what
has changed.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import dataclass, replace
from multiprocessing import connection, parent_process
from threading import Thread
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from winnow_ci.corpus import CorpusFile, collect, read
from winnow_ci.errors import CorpusError, IndexFileError
from winnow_ci.fingerprint import fingerprint
from winnow_ci.index import (
    ContentRow,
    Entry,
    IndexDraft,
    IndexReader,
    PackedText,
    content_key,
    pack_map,
    pack_text,
    replacing,
)
from winnow_ci.languages import Untokenizable, front_end_of, is_data, is_license_text, language_of, revisions, tokenize
from winnow_ci.model import Parameters, Skipped, Source, TokenMap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

LARGEST_FILE = 64 << 20
# Below this many bytes, starting worker processes costs more than they save.
WORTH_WORKERS = 1 << 20
BATCH_BYTES = 1 << 18
BATCH_FILES = 32
WAITING_BATCHES = 32


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did.

    Attributes:
        files: files of the source that the index holds.
        known: those of them whose content was there already, and was not fingerprinted again.
        skipped: files of the source that have no fingerprints, with the reason.
        digest: of the whole index.
    """

    files: int
    known: int
    skipped: tuple[Skipped, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A corpus file after the front end; without an entry its content is known already, without a text its text is."""

    file: CorpusFile
    key: bytes
    entry: Entry | None
    text: PackedText | None


def build(
    roots: Sequence[Path],
    output: Path,
    source: Source,
    parameters: Mapping[str, Any] = MappingProxyType({}),
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
    *,
    with_text: bool = False,
) -> BuildReport:
    """Add a source to an index, or replace the source of that name.

    Args:
        roots: folders of the source's code.
        output: the index; it is made if there is none.
        source: what the code is.
        parameters: those of ``Parameters`` that are asked for; the others are an existing index's, or the defaults.
        progress: is called after each file with the bytes done and the bytes of all files.
        with_text: whether the index shall keep the text of this source; what it keeps of others stays.

    Raises:
        CorpusError: the code could not be read, or nothing of it can be fingerprinted.
        IndexFileError: the index is damaged, was made with other parameters or front ends, or cannot be written.
    """
    files = collect(roots)
    with replacing(output) as unfinished, ExitStack() as stack:
        old = stack.enter_context(IndexReader(output)) if output.exists() else None
        draft = IndexDraft(_agreed(parameters, old), revisions())
        if old:
            draft.keep(old, without=source.name)
        if with_text:
            draft.keep_text(source)
        known, skipped = _fill(draft, source, files, progress)
        draft.write(unfinished)
        with IndexReader(unfinished) as written:
            digest = written.digest
    return BuildReport(len(files) - len(skipped), known, tuple(skipped), digest)


def _agreed(asked: Mapping[str, Any], old: IndexReader | None) -> Parameters:
    """The parameters to build with: an index has one set for all that is in it."""
    if old is None:
        return Parameters(**asked)
    if replace(old.parameters, **asked) != old.parameters:
        p = old.parameters
        msg = f"{old.path} was made with k = {p.k}, w = {p.w} and {p.selection} selection, not with those asked for"
        raise IndexFileError(msg, "leave out -k, -w and --selection, or build a new index with another --output")
    for name, revision in old.front_ends.items():
        if revisions().get(name) != revision:
            msg = f"{old.path} was made with revision {revision} of the {name} front end, not {revisions().get(name)}"
            raise IndexFileError(msg, "build the index again from all its sources, with a new --output")
    return old.parameters


def _fill(
    draft: IndexDraft, source: Source, files: Sequence[CorpusFile], progress: Callable[[int, int], None]
) -> tuple[int, list[Skipped]]:
    """Add the files to the draft; how many had a known content, and which were skipped."""
    total, done, known, skipped = sum(file.size for file in files), 0, 0, []
    for file, prepared in _prepare_all(files, total, _preparation_for(draft, source)):
        if isinstance(prepared, Skipped):
            skipped.append(prepared)
        else:
            if prepared.entry and prepared.key not in draft:
                draft.add_content(prepared.entry)
            elif prepared.key in draft:
                known += 1
            if prepared.text:
                draft.add_text(prepared.key, prepared.text)
            draft.add_file(source, file.path.encode("utf-8", "surrogateescape"), prepared.key)
        done += file.size
        progress(done, total)
    if len(skipped) == len(files):
        msg = f"nothing to fingerprint in {source.name}: {len(files)} files, the first skipped for: {skipped[0].reason}"
        raise CorpusError(msg, "name folders with source code in a language that winnow-ci knows")
    return known, skipped


def _preparation_for(draft: IndexDraft, source: Source) -> _Preparation:
    return _Preparation(draft.parameters, draft.keys(), draft.texts() if draft.keeps_text(source) else None)


def _prepare_all(
    files: Sequence[CorpusFile], total: int, prepare: _Preparation
) -> Iterator[tuple[CorpusFile, _Prepared | Skipped]]:
    if total < WORTH_WORKERS:
        yield from zip(files, prepare(files), strict=True)
        return
    with ProcessPoolExecutor(os.cpu_count(), initializer=_start_worker, initargs=(prepare,)) as pool:
        try:
            yield from _in_order(pool, _batches(files))
        except BrokenProcessPool as error:
            raise CorpusError("a worker process was killed", "free some memory, then run this again") from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _batches(files: Iterable[CorpusFile]) -> Iterator[list[CorpusFile]]:
    """Files for one task each: enough that handing over costs little, few enough that all cores end together."""
    batch: list[CorpusFile] = []
    for file in files:
        batch.append(file)
        if sum(each.size for each in batch) > BATCH_BYTES or len(batch) == BATCH_FILES:
            yield batch
            batch = []
    if batch:
        yield batch


def _in_order(
    pool: ProcessPoolExecutor, batches: Iterable[list[CorpusFile]]
) -> Iterator[tuple[CorpusFile, _Prepared | Skipped]]:
    """Run on all cores with a bounded number of batches under way, so that memory does not grow with the corpus."""
    waiting: deque[tuple[list[CorpusFile], Future[list[_Prepared | Skipped]]]] = deque()
    for batch in batches:
        waiting.append((batch, pool.submit(_prepare_in_worker, batch)))
        if len(waiting) >= WAITING_BATCHES:
            first, future = waiting.popleft()
            yield from zip(first, future.result(), strict=True)
    for first, future in waiting:
        yield from zip(first, future.result(), strict=True)


@dataclass(frozen=True, slots=True)
class _Preparation:
    """The front half of the road, for some files; a worker process gets it once, not with each file.

    Attributes:
        parameters: of the fingerprints.
        known: keys of the contents that need not be fingerprinted.
        known_texts: keys of the contents whose text need not be kept once more; None if no text is kept.
    """

    parameters: Parameters
    known: frozenset[bytes]
    known_texts: frozenset[bytes] | None

    def __call__(self, files: Sequence[CorpusFile]) -> list[_Prepared | Skipped]:
        return [_prepare(file, self) for file in files]

    def text(self, key: bytes, content: bytes) -> PackedText | None:
        """The text to keep of a content."""
        return None if self.known_texts is None or key in self.known_texts else pack_text(content)


def _start_worker(preparation: _Preparation) -> None:
    # The parent gets the same ^C and stops its workers; their own tracebacks would only hide its message.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    global _preparation  # noqa: PLW0603 - the one way in which a worker process of a pool can keep what it was given
    _preparation = preparation


def _end_with_parent() -> None:
    """A worker of a killed parent would wait for work for ever, and hold the lock on the unfinished index."""
    parent = parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os._exit(1)


def _prepare_in_worker(files: Sequence[CorpusFile]) -> list[_Prepared | Skipped]:
    return _preparation(files)


_preparation: _Preparation


def _prepare(file: CorpusFile, preparation: _Preparation) -> _Prepared | Skipped:
    if skip := _skip_unread(file):
        return skip
    content = read(file, LARGEST_FILE)
    language = language_of(file.path, content)
    if language is None:
        return Skipped(file.path, "unknown language", "out-of-scope")
    key = content_key(language, content)
    if key in preparation.known:
        return _Prepared(file, key, None, preparation.text(key, content))
    try:
        entry = _entry(key, language, content, preparation.parameters)
    except Untokenizable as reason:
        return Skipped(file.path, reason.reason, reason.state)
    if len(entry.fingerprints) == 0:
        return Skipped(file.path, f"fewer than {preparation.parameters.k} tokens", "out-of-scope")
    return _Prepared(file, key, entry, preparation.text(key, content))


def _skip_unread(file: CorpusFile) -> Skipped | None:
    if is_license_text(file.path):
        return Skipped(file.path, "licence text", "out-of-scope")
    if is_data(file.path):
        return Skipped(file.path, "data", "out-of-scope")
    if file.size > LARGEST_FILE:
        return Skipped(file.path, f"larger than {LARGEST_FILE >> 20} MiB", "not-scanned")
    return None


def _entry(key: bytes, language: str, content: bytes, parameters: Parameters) -> Entry:
    tokens = tokenize(language, content)
    fingerprints = fingerprint(tokens, parameters)
    token_map = pack_map(TokenMap(tokens.first_lines, tokens.last_lines, tokens.sketch))
    front_end = front_end_of(language).name
    return Entry(ContentRow(key, language, front_end, len(tokens), len(fingerprints), token_map, ()), fingerprints)
