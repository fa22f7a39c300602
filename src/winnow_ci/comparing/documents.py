"""Files → documents with their fingerprints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci import corpus
from winnow_ci.errors import CorpusError
from winnow_ci.fingerprint import all_kgrams, fingerprint
from winnow_ci.languages import LARGEST_FILE, Untokenizable, language_of, read, skip_by_path_and_size
from winnow_ci.model import Fingerprints, Skipped
from winnow_ci.winnowing import among

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from winnow_ci.comparing.bodies import CodeBody
    from winnow_ci.languages import TokenizedContent
    from winnow_ci.model import I32, U64, Parameters

_REMEDY = "name a file or a folder with code in a language that winnow-ci knows"


@dataclass(frozen=True, slots=True)
class FingerprintedDocument:
    """A file after front end and winnowing, without boilerplate.

    Attributes:
        fingerprints: those that are not boilerplate.
        first_lines: int32, one a fingerprint; the line on which its k-gram begins.
        last_lines: int32, one a fingerprint; the line on which its k-gram ends.
        failure: why the fallback tokenizer read it, if it did.
    """

    fingerprints: Fingerprints
    first_lines: I32
    last_lines: I32
    failure: str | None = None

    @property
    def hashes(self) -> U64:
        """Sorted, each once."""
        return np.unique(self.fingerprints.hashes)


def skip_unread(file: corpus.CorpusFile) -> Skipped | None:
    """Why a file is skipped, as far as that is known without its content."""
    if file.reason is not None:
        return Skipped(file.path, file.reason, "not-scanned")
    return skip_by_path_and_size(file.path, file.size)


def with_contents(place: CodeBody, files: Sequence[corpus.CorpusFile]) -> Iterator[corpus.CorpusFile]:
    """Files of a place in the order given, fit for ``reading_of``.

    Raises:
        GitError: git failed.
    """
    return place.read(files, lambda file: skip_unread(file) is None)


def reading_of(file: corpus.CorpusFile) -> TokenizedContent | Skipped:
    """A file after its front end, or why it has no tokens.

    Raises:
        CorpusError: it cannot be read.
    """
    if skip := skip_unread(file):
        return skip
    content = corpus.read(file, LARGEST_FILE)
    language = language_of(file.path, content)
    if language is None:
        return Skipped(file.path, "unknown language", "out-of-scope")
    try:
        return read(language, content)
    except Untokenizable as failure:
        # Its name says that it is code, also if it looks binary.
        return Skipped(file.path, failure.reason, "not-scanned")


def document_of(file: corpus.CorpusFile, parameters: Parameters, boilerplate: U64) -> FingerprintedDocument | Skipped:
    """A file's fingerprints, or why it has none.

    Args:
        file: the file.
        parameters: how to fingerprint it.
        boilerplate: uint64, sorted; hashes that do not count.

    Raises:
        CorpusError: it cannot be read.
    """
    reading = reading_of(file)
    if isinstance(reading, Skipped):
        return reading
    tokens = reading.tokens
    if len(tokens) < parameters.k:
        return Skipped(file.path, f"fewer than {parameters.k} tokens", "out-of-scope")
    selected = fingerprint(tokens, parameters)
    own = ~among(selected.hashes, boilerplate)
    at = selected.positions[own]
    fingerprints = Fingerprints(selected.hashes[own], selected.checks[own], at)
    ends = at + np.uint32(parameters.k - 1)
    return FingerprintedDocument(fingerprints, tokens.first_lines[at], tokens.last_lines[ends], reading.failure)


def boilerplate_of(places: Iterable[CodeBody], parameters: Parameters) -> U64:
    """All k-grams of boilerplate, not only those that winnowing selects: beside other code it selects others.

    Returns:
        uint64, sorted.

    Raises:
        CorpusError, GitError: as for ``reading_of`` and ``with_contents``; or one of the places has no k-gram.
    """
    hashes = [np.empty(0, np.uint64)]
    for place in places:
        readings = map(reading_of, with_contents(place, place.files))
        own = [all_kgrams(one.tokens, parameters).hashes for one in readings if not isinstance(one, Skipped)]
        if not any(map(len, own)):
            raise CorpusError(f"boilerplate: no code to fingerprint in {place.name}", _REMEDY)
        hashes += own
    return np.unique(np.concatenate(hashes))
