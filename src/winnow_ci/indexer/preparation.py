"""Files of a corpus → contents ready to be stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from winnow_ci.licensing import licence_claims, may_state_licence
from winnow_ci.model import Fingerprints, Parameters, Skipped, TokenMap
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.languages import FrontEnd, TokenizedContent
    from winnow_ci.licensing import LicenceClaims

LEFT_OUT = "left out by the manifest"
"""Why a file is not to be fingerprinted that its source has, and its manifest does not want."""

_NO_MAP = pack_map(TokenMap(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.uint8)))
_NO_FINGERPRINTS = Fingerprints(np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.uint32))


class _Content(NamedTuple):
    """What one front end makes of a file; without an entry it is known already, without a text its text is."""

    key: bytes
    entry: NewContent | None
    text: PackedText | None


class _Prepared(NamedTuple):
    """A corpus file after the front ends that may have to read it, and why its own did not, if it did not."""

    contents: tuple[_Content, ...]
    failure: str | None = None
    is_data: bool = False


class FingerprintedFile(NamedTuple):
    """What came of a file.

    Attributes:
        keys: of its contents.
        failure: why only the fallback tokenizer could read it, if so.
        is_data: whether it is data, of which only a digest is kept.
    """

    keys: tuple[bytes, ...]
    failure: str | None
    is_data: bool = False


class PreparedBatch(NamedTuple):
    """Files after the front end.

    Attributes:
        outcomes: of each file, or why it has no fingerprints.
        contents: those that were not known.
        texts: those to keep that were not known, by the key of their content.
        sayings: what each file says of licences, None if nothing.
    """

    outcomes: list[FingerprintedFile | Skipped]
    contents: ContentBatch
    texts: list[tuple[bytes, PackedText]]
    sayings: list[LicenceClaims | None]


@record(frozen=True, slots=True)
class FilePreparation:
    """The front half of the road, for some files; a worker process gets it once, not with each file.

    Attributes:
        parameters: of the fingerprints.
        known: keys of the contents that need not be fingerprinted; those that have been are added.
        known_texts: keys of the contents whose text need not be kept once more; None if no text is kept.
        boilerplate: keep all k-grams, so that each is known again, and keep such contents apart from others.
    """

    parameters: Parameters
    known: set[bytes]
    known_texts: set[bytes] | None
    boilerplate: bool = False

    def __call__(self, files: Sequence[CorpusFile]) -> PreparedBatch:
        """Prepare some files."""
        outcomes: list[FingerprintedFile | Skipped] = []
        entries: list[NewContent] = []
        texts: list[tuple[bytes, PackedText]] = []
        sayings: list[LicenceClaims | None] = []
        for prepared, said in (_prepare(file, self) for file in files):
            sayings.append(said)
            if isinstance(prepared, Skipped):
                outcomes.append(prepared)
                continue
            keys = tuple(content.key for content in prepared.contents)
            outcomes.append(FingerprintedFile(keys, prepared.failure, prepared.is_data))
            entries += (content.entry for content in prepared.contents if content.entry)
            texts += ((content.key, content.text) for content in prepared.contents if content.text)
            self.known.update(content.key for content in prepared.contents if content.entry)
            if self.known_texts is not None:
                self.known_texts.update(content.key for content in prepared.contents if content.text)
        return PreparedBatch(outcomes, batched(entries), texts, sayings)

    def keys(self, file: CorpusFile) -> Sequence[bytes]:
        """Keys of the contents that may become of a file, which has its content, if that is asked for."""
        if file.content is None or skip_unread(file):
            return ()
        mark, language = BOILERPLATE if self.boilerplate else "", language_of(file.path, file.content)
        return [content_key(mark + DATA, file.content)] if language is None else _keys(mark, language, file.content)

    def content(self, key: bytes, text: bytes, entry: NewContent | None = None) -> _Content:
        """What there is to keep of a file, besides its text only what is new."""
        keep = self.known_texts is not None and key not in self.known_texts
        return _Content(key, None if key in self.known else entry, pack_text(text) if keep else None)


def _prepare(file: CorpusFile, preparation: FilePreparation) -> tuple[_Prepared | Skipped, LicenceClaims | None]:
    """A file, and what it says of licences, which a file without code may say of others."""
    skip = skip_unread(file)
    if skip and not may_state_licence(file.path, file.size):
        return skip, None
    content = read_file(file, LARGEST_FILE)
    return skip or _fingerprinted(file, content, preparation), licence_claims(file.path, content)


def _fingerprinted(file: CorpusFile, content: bytes, preparation: FilePreparation) -> _Prepared | Skipped:
    language = language_of(file.path, content)
    if language is None:
        return _whole_data(file, content, preparation)
    if is_binary_data(file.path, language, content):
        return Skipped(file.path, BINARY_DATA, "out-of-scope")
    try:
        return _prepared(file, language, content, preparation)
    except Untokenizable as reason:
        return Skipped(file.path, reason.reason, reason.state)


def _whole_data(file: CorpusFile, content: bytes, preparation: FilePreparation) -> _Prepared | Skipped:
    """Data of which only the digest is kept, if it is such data."""
    is_unknown = may_have_language(file.path)
    if not is_whole_data(file.path, content, is_unknown=is_unknown):
        reason = "an archive in it" if is_archive_content(content) else UNKNOWN_LANGUAGE if is_unknown else DATA
        return Skipped(file.path, reason, "out-of-scope")
    language = (BOILERPLATE if preparation.boilerplate else "") + DATA
    row = ContentRow(content_key(language, content), language, DATA, 0, 0, _NO_MAP, ())
    return _Prepared((preparation.content(row.key, content, NewContent(row, _NO_FINGERPRINTS)),), is_data=True)


def _prepared(file: CorpusFile, language: str, content: bytes, preparation: FilePreparation) -> _Prepared | Skipped:
    """A content that each front end has read that may have to read its copies."""
    mark = BOILERPLATE if preparation.boilerplate else ""
    keys = _keys(mark, language, content)
    if preparation.known.issuperset(keys):
        return _Prepared(tuple(preparation.content(key, content) for key in keys))
    contents, failure = [], None
    for reading in readings(language, content):
        entry = _entry(reading, mark + _name(language, reading.front_end), content, preparation)
        if len(entry.fingerprints) == 0:
            break
        contents.append(preparation.content(entry.row.key, content, entry))
        failure = reading.failure
    if not contents:
        return Skipped(file.path, f"fewer than {preparation.parameters.k} tokens", "out-of-scope")
    return _Prepared(tuple(contents), failure)


def is_read(file: CorpusFile) -> bool:
    """Whether the content of a file is asked for: to fingerprint it, or for what it may say of licences."""
    return skip_unread(file) is None or may_state_licence(file.path, file.size)


def skip_unread(file: CorpusFile) -> Skipped | None:
    """The verdict on a file that is known without its content."""
    if file.reason is not None:
        return Skipped(file.path, file.reason, "out-of-scope" if file.reason == LEFT_OUT else "not-scanned")
    is_kept = may_be_whole_data(file.path) and file.size in DATA_SIZES
    return None if is_kept else skip_by_path_and_size(file.path, file.size)


def _keys(mark: str, language: str, content: bytes) -> list[bytes]:
    """Keys of what the front ends make of a content, that of its language's own first."""
    return [content_key(mark + _name(language, front_end), content) for front_end in front_ends_of(language)]


def _name(language: str, front_end: FrontEnd) -> str:
    """What an index calls a language after a front end has read it: to the fallback tokenizer all of them are one."""
    return FALLBACK if front_end.name == FALLBACK else language


def _entry(reading: TokenizedContent, language: str, content: bytes, preparation: FilePreparation) -> NewContent:
    """What to store of a content, in the language that an index calls it."""
    tokens, front_end, _ = reading
    fingerprints = index_fingerprints(tokens, preparation.parameters, dense=preparation.boilerplate)
    token_map = pack_map(TokenMap(tokens.first_lines, tokens.last_lines, tokens.sketch))
    key = content_key(language, content)
    return NewContent(
        ContentRow(key, language, front_end.name, len(tokens), len(fingerprints), token_map, ()), fingerprints
    )
