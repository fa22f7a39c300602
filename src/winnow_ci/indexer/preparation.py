"""Files of a corpus → contents ready to be stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from winnow_ci.corpus import CorpusFile, read
from winnow_ci.fingerprint import fingerprint
from winnow_ci.index import Batch, ContentRow, Entry, PackedText, batched, content_key, pack_map, pack_text
from winnow_ci.languages import Untokenizable, front_end_of, is_data, is_license_text, language_of, tokenize
from winnow_ci.model import Parameters, Skipped, TokenMap

if TYPE_CHECKING:
    from collections.abc import Sequence

LARGEST_FILE = 64 << 20


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A corpus file after the front end; without an entry its content is known already, without a text its text is."""

    key: bytes
    entry: Entry | None
    text: PackedText | None


class Prepared(NamedTuple):
    """Files after the front end.

    Attributes:
        outcomes: of each file, the key of its content, or why it has no fingerprints.
        contents: those that were not known.
        texts: those to keep that were not known, by the key of their content.
    """

    outcomes: list[bytes | Skipped]
    contents: Batch
    texts: list[tuple[bytes, PackedText]]


@dataclass(frozen=True, slots=True)
class Preparation:
    """The front half of the road, for some files; a worker process gets it once, not with each file.

    Attributes:
        parameters: of the fingerprints.
        known: keys of the contents that need not be fingerprinted; those that have been are added.
        known_texts: keys of the contents whose text need not be kept once more; None if no text is kept.
    """

    parameters: Parameters
    known: set[bytes]
    known_texts: set[bytes] | None

    def __call__(self, files: Sequence[CorpusFile]) -> Prepared:
        """Prepare some files."""
        outcomes: list[bytes | Skipped] = []
        entries, texts = [], []
        for prepared in (_prepare(file, self) for file in files):
            if isinstance(prepared, Skipped):
                outcomes.append(prepared)
                continue
            outcomes.append(prepared.key)
            if prepared.entry:
                entries.append(prepared.entry)
                self.known.add(prepared.key)
            if prepared.text and self.known_texts is not None:
                texts.append((prepared.key, prepared.text))
                self.known_texts.add(prepared.key)
        return Prepared(outcomes, batched(entries), texts)

    def text(self, key: bytes, content: bytes) -> PackedText | None:
        """The text to keep of a content."""
        return None if self.known_texts is None or key in self.known_texts else pack_text(content)


def _prepare(file: CorpusFile, preparation: Preparation) -> _Prepared | Skipped:
    if skip := _skip_unread(file):
        return skip
    content = read(file, LARGEST_FILE)
    language = language_of(file.path, content)
    if language is None:
        return Skipped(file.path, "unknown language", "out-of-scope")
    key = content_key(language, content)
    if key in preparation.known:
        return _Prepared(key, None, preparation.text(key, content))
    try:
        entry = _entry(key, language, content, preparation.parameters)
    except Untokenizable as reason:
        return Skipped(file.path, reason.reason, reason.state)
    if len(entry.fingerprints) == 0:
        return Skipped(file.path, f"fewer than {preparation.parameters.k} tokens", "out-of-scope")
    return _Prepared(key, entry, preparation.text(key, content))


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
