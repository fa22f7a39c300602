"""Prepare files of a corpus for an index: tokens, fingerprints, texts, and statements of licences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from winnow_ci.corpus import CorpusFile, is_archive_content, read_file
from winnow_ci.fingerprint import index_fingerprints
from winnow_ci.index import (
    BOILERPLATE,
    ContentBatch,
    ContentRow,
    NewContent,
    PackedText,
    batched,
    content_key,
    pack_map,
    pack_text,
)
from winnow_ci.languages import (
    BINARY_DATA,
    DATA,
    DATA_SIZES,
    FALLBACK,
    LARGEST_FILE,
    UNKNOWN_LANGUAGE,
    FrontEnd,
    TokenizedContent,
    Untokenizable,
    front_ends_of,
    is_binary_data,
    is_whole_data,
    language_of,
    may_be_whole_data,
    may_have_language,
    readings,
    skip_by_path_and_size,
)
from winnow_ci.licensing import LicenceClaims, licence_claims, may_state_licence
from winnow_ci.model import Fingerprints, Parameters, Skipped, TokenMap
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import field, record

NOT_WANTED = "left out by the manifest"
"""Why a file of a source is not fingerprinted that its manifest does not want."""

_NO_MAP = pack_map(TokenMap(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.uint8)))
_NO_FINGERPRINTS = Fingerprints(np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.uint32))


class FingerprintedFile(NamedTuple):
    """The result for a file."""

    keys: tuple[bytes, ...]  # of its contents
    failure: str | None  # why only the fallback tokenizer could read it
    is_data: bool = False  # only a digest of it is kept


class PreparedBatch(NamedTuple):
    """Files after the front end, with what the index did not know."""

    outcomes: list[FingerprintedFile | Skipped]  # of each file
    contents: ContentBatch
    texts: list[tuple[bytes, PackedText]]  # by the key of their content
    sayings: list[LicenceClaims | None]  # what each file says of licences


@record(frozen=True, slots=True)
class FilePreparation:
    """How to prepare files; a worker process gets it once, not with each file."""

    parameters: Parameters  # of the fingerprints
    known: set[bytes]  # keys of contents that need not be fingerprinted; those that have been are added
    known_texts: set[bytes] | None  # keys of contents whose text need not be kept again; None to keep no text
    boilerplate: bool = False  # keep all k-grams, so that each is recognised, and keep such contents apart from others

    def __call__(self, files: Sequence[CorpusFile]) -> PreparedBatch:
        """Prepare some files."""
        batch = _Batch(self)
        outcomes: list[FingerprintedFile | Skipped] = []
        sayings: list[LicenceClaims | None] = []
        for file in files:
            skip = skip_without_content(file)
            if skip and not may_state_licence(file.path, file.size):
                outcomes.append(skip)
                sayings.append(None)
                continue
            content = read_file(file, LARGEST_FILE)
            outcomes.append(skip or batch.fingerprinted(file, content))
            # A file without code may state the licence of others.
            sayings.append(licence_claims(file.path, content))
        return PreparedBatch(outcomes, batched(batch.entries), batch.texts, sayings)

    def keys(self, file: CorpusFile) -> Sequence[bytes]:
        """Return the keys of the contents that may come of a file; it has its content if it needs that."""
        if file.content is None or skip_without_content(file):
            return ()
        language = language_of(file.path, file.content)
        return [self.data_key(file.content)] if language is None else self.code_keys(language, file.content)

    def code_keys(self, language: str, content: bytes) -> list[bytes]:
        """Return the key of what each front end makes of a content, that of its language's own first."""
        return [content_key(self.stored_name(language, one), content) for one in front_ends_of(language)]

    def data_key(self, content: bytes) -> bytes:
        """Return the key of data, which is kept only as a digest."""
        return content_key(self.mark + DATA, content)

    def stored_name(self, language: str, front_end: FrontEnd) -> str:
        """Return what an index calls a language; the fallback tokenizer makes no difference between languages."""
        return self.mark + (FALLBACK if front_end.name == FALLBACK else language)

    @property
    def mark(self) -> str:
        """Return what the name of a language begins with."""
        return BOILERPLATE if self.boilerplate else ""


@record(slots=True)
class _Batch:
    """What is new in some files."""

    how: FilePreparation
    entries: list[NewContent] = field(default_factory=list)
    texts: list[tuple[bytes, PackedText]] = field(default_factory=list)

    def fingerprinted(self, file: CorpusFile, content: bytes) -> FingerprintedFile | Skipped:
        language = language_of(file.path, content)
        if language is None:
            return self._whole_data(file, content)
        if is_binary_data(file.path, language, content):
            return Skipped(file.path, BINARY_DATA, "out-of-scope")
        try:
            return self._code(file, language, content)
        except Untokenizable as reason:
            return Skipped(file.path, reason.reason, reason.state)

    def _whole_data(self, file: CorpusFile, content: bytes) -> FingerprintedFile | Skipped:
        is_unknown = may_have_language(file.path)
        if not is_whole_data(file.path, content, is_unknown=is_unknown):
            reason = "an archive inside it" if is_archive_content(content) else UNKNOWN_LANGUAGE if is_unknown else DATA
            return Skipped(file.path, reason, "out-of-scope")
        row = ContentRow(self.how.data_key(content), self.how.mark + DATA, DATA, 0, 0, _NO_MAP, ())
        self._keep(row.key, content, NewContent(row, _NO_FINGERPRINTS))
        return FingerprintedFile((row.key,), None, is_data=True)

    def _code(self, file: CorpusFile, language: str, content: bytes) -> FingerprintedFile | Skipped:
        """Read a content by each front end that may have to read its copies."""
        keys = self.how.code_keys(language, content)
        if self.how.known.issuperset(keys):
            for key in keys:
                self._keep(key, content)
            return FingerprintedFile(tuple(keys), None)
        made, failure = [], None
        for reading in readings(language, content):
            entry = self._entry(reading, language, content)
            if len(entry.fingerprints) == 0:
                break
            self._keep(entry.row.key, content, entry)
            made.append(entry.row.key)
            failure = reading.failure
        if not made:
            return Skipped(file.path, f"fewer than {self.how.parameters.k} tokens", "out-of-scope")
        return FingerprintedFile(tuple(made), failure)

    def _entry(self, reading: TokenizedContent, language: str, content: bytes) -> NewContent:
        tokens, front_end, _ = reading
        name = self.how.stored_name(language, front_end)
        fingerprints = index_fingerprints(tokens, self.how.parameters, dense=self.how.boilerplate)
        token_map = pack_map(TokenMap(tokens.first_lines, tokens.last_lines, tokens.sketch))
        key = content_key(name, content)
        row = ContentRow(key, name, front_end.name, len(tokens), len(fingerprints), token_map, ())
        return NewContent(row, fingerprints)

    def _keep(self, key: bytes, text: bytes, entry: NewContent | None = None) -> None:
        if entry is not None and key not in self.how.known:
            self.entries.append(entry)
            self.how.known.add(key)
        known_texts = self.how.known_texts
        if known_texts is not None and key not in known_texts:
            self.texts.append((key, pack_text(text)))
            known_texts.add(key)


def needs_content(file: CorpusFile) -> bool:
    """Return whether a file is read: to fingerprint it, or because it may state licences."""
    return skip_without_content(file) is None or may_state_licence(file.path, file.size)


def skip_without_content(file: CorpusFile) -> Skipped | None:
    """Return why a file is skipped, if that is known without its content."""
    if file.reason is not None:
        return Skipped(file.path, file.reason, "out-of-scope" if file.reason == NOT_WANTED else "not-scanned")
    is_kept = may_be_whole_data(file.path) and file.size in DATA_SIZES
    return None if is_kept else skip_by_path_and_size(file.path, file.size)
