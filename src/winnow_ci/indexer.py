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
from winnow_ci.languages import (
    FALLBACK,
    Untokenizable,
    front_ends_of,
    is_data,
    is_license_text,
    language_of,
    readings,
    revisions,
)
from winnow_ci.model import Fallback, Parameters, Skipped, Source, TokenMap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from winnow_ci.languages import FrontEnd, Reading

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
        fallback: files of the source that only the fallback tokenizer could read.
    """

    files: int
    known: int
    skipped: tuple[Skipped, ...]
    digest: str
    fallback: tuple[Fallback, ...] = ()


@dataclass(frozen=True, slots=True)
class _Content:
    """What one front end makes of a file; without an entry it is known already, without a text its text is."""

    key: bytes
    entry: Entry | None
    text: PackedText | None


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A corpus file after the front ends that may have to read it, and why its own did not, if it did not."""

    file: CorpusFile
    contents: tuple[_Content, ...]
    failure: str | None = None


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
        known, skipped, fallback = _fill(draft, source, files, progress)
        draft.write(unfinished)
        with IndexReader(unfinished) as written:
            digest = written.digest
    return BuildReport(len(files) - len(skipped), known, tuple(skipped), digest, tuple(fallback))


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
) -> tuple[int, list[Skipped], list[Fallback]]:
    """Add the files to the draft; how many had a known content, which were skipped, and which took the fallback."""
    total, done, known = sum(file.size for file in files), 0, 0
    skipped: list[Skipped] = []
    fallback: list[Fallback] = []
    for file, prepared in _prepare_all(files, total, _preparation_for(draft, source)):
        if isinstance(prepared, Skipped):
            skipped.append(prepared)
        else:
            known += _add(draft, source, prepared)
            if prepared.failure is not None:
                fallback.append(Fallback(file.path, prepared.failure))
        done += file.size
        progress(done, total)
    if len(skipped) == len(files):
        msg = f"nothing to fingerprint in {source.name}: {len(files)} files, the first skipped for: {skipped[0].reason}"
        raise CorpusError(msg, "name folders with source code in a language that winnow-ci knows")
    return known, skipped, fallback


def _add(draft: IndexDraft, source: Source, prepared: _Prepared) -> bool:
    """Add a file to the draft; whether all that is made of it was there."""
    known = all(content.key in draft for content in prepared.contents)
    for key, entry, text in ((content.key, content.entry, content.text) for content in prepared.contents):
        if entry and key not in draft:
            draft.add_content(entry)
        if text:
            draft.add_text(key, text)
        draft.add_file(source, prepared.file.path.encode("utf-8", "surrogateescape"), key)
    return known


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

    def content(self, key: bytes, text: bytes, entry: Entry | None = None) -> _Content:
        """What there is to keep of a file, besides its text only what is new."""
        keep = self.known_texts is not None and key not in self.known_texts
        return _Content(key, None if key in self.known else entry, pack_text(text) if keep else None)


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
    try:
        return _prepared(file, language, content, preparation)
    except Untokenizable as reason:
        return Skipped(file.path, reason.reason, reason.state)


def _prepared(file: CorpusFile, language: str, content: bytes, preparation: _Preparation) -> _Prepared | Skipped:
    """A content that each front end has read that may have to read its copies."""
    keys = _keys(language, content)
    if keys[0] in preparation.known:
        return _Prepared(file, tuple(preparation.content(key, content) for key in keys if key in preparation.known))
    contents, failure = [], None
    for reading in readings(language, content):
        entry = _entry(reading, language, content, preparation.parameters)
        if len(entry.fingerprints) == 0:
            break
        contents.append(preparation.content(entry.row.key, content, entry))
        failure = reading.failure
    if not contents:
        return Skipped(file.path, f"fewer than {preparation.parameters.k} tokens", "out-of-scope")
    return _Prepared(file, tuple(contents), failure)


def _skip_unread(file: CorpusFile) -> Skipped | None:
    if is_license_text(file.path):
        return Skipped(file.path, "licence text", "out-of-scope")
    if is_data(file.path):
        return Skipped(file.path, "data", "out-of-scope")
    if file.size > LARGEST_FILE:
        return Skipped(file.path, f"larger than {LARGEST_FILE >> 20} MiB", "not-scanned")
    return None


def _keys(language: str, content: bytes) -> list[bytes]:
    """Keys of what the front ends make of a content, that of its language's own first."""
    return [content_key(_name(language, front_end), content) for front_end in front_ends_of(language)]


def _name(language: str, front_end: FrontEnd) -> str:
    """What an index calls a language after a front end has read it: to the fallback tokenizer all of them are one."""
    return FALLBACK if front_end.name == FALLBACK else language


def _entry(reading: Reading, language: str, content: bytes, parameters: Parameters) -> Entry:
    tokens, front_end, _ = reading
    language = _name(language, front_end)
    fingerprints = fingerprint(tokens, parameters)
    token_map = pack_map(TokenMap(tokens.first_lines, tokens.last_lines, tokens.sketch))
    key = content_key(language, content)
    return Entry(ContentRow(key, language, front_end.name, len(tokens), len(fingerprints), token_map, ()), fingerprints)
