"""Files → documents with their fingerprints."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci import corpus
from winnow_ci.arrays import among
from winnow_ci.comparing.kept_sketches import KeptDocument
from winnow_ci.errors import CorpusError
from winnow_ci.fingerprint import all_kgrams, fingerprint
from winnow_ci.languages import (
    BINARY_CONTENT,
    BINARY_DATA,
    LARGEST_FILE,
    UNKNOWN_LANGUAGE,
    Untokenizable,
    is_binary_data,
    language_of,
    read,
    skip_by_path_and_size,
)
from winnow_ci.model import Fingerprints, Skipped
from winnow_ci.model.comparison import PairedText
from winnow_ci.start_up import record
from winnow_ci.winnowing.bounded import Sketch, sketched

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from winnow_ci.comparing.bodies import CodeBody
    from winnow_ci.languages import TokenizedContent
    from winnow_ci.model import I32, U64, Parameters, Tokens
    from winnow_ci.model.comparison import ComparisonOptions, DocumentSketch

_REMEDY = "name a file or a folder with code in a language that winnow-ci knows"


@record(frozen=True, slots=True)
class FingerprintedDocument:
    """A file after front end and winnowing, without boilerplate.

    Attributes:
        fingerprints: of the document, boilerplate excepted.
        first_lines: int32, one per fingerprint; the line on which its k-gram begins.
        last_lines: int32, one per fingerprint; the line on which its k-gram ends.
        failure: why the language's lexer failed, if the fallback tokenizer had to read the file.
        sketch: what its fingerprints are the entries of; None if they are selected by the parameters.
    """

    fingerprints: Fingerprints
    first_lines: I32
    last_lines: I32
    failure: str | None = None
    sketch: Sketch | None = None

    @property
    def hashes(self) -> U64:
        """Its hashes: uint64, sorted, each once."""
        return np.unique(self.fingerprints.hashes)


def skip_unread(file: corpus.CorpusFile) -> Skipped | None:
    """Why a file is skipped, as far as that is known without its content."""
    if file.reason is not None:
        return Skipped(file.path, file.reason, "not-scanned")
    return skip_by_path_and_size(file.path, file.size)


def with_contents(body: CodeBody, files: Sequence[corpus.CorpusFile]) -> Iterator[corpus.CorpusFile]:
    """Files of a body in the order given, as ``reading_of`` needs them: with their contents, if they come from git.

    Raises:
        GitError: git failed.
    """
    return body.read(files, lambda file: skip_unread(file) is None)


def reading_of(file: corpus.CorpusFile) -> TokenizedContent | Skipped:
    """A file's tokens, or why it has none.

    Raises:
        CorpusError: it cannot be read.
    """
    if skip := skip_unread(file):
        return skip
    content = corpus.read_file(file, LARGEST_FILE)
    language = language_of(file.path, content)
    if language is None:
        return Skipped(file.path, UNKNOWN_LANGUAGE, "out-of-scope")
    if is_binary_data(file.path, language, content):
        return Skipped(file.path, BINARY_DATA, "out-of-scope")
    try:
        return read(language, content)
    except Untokenizable as failure:
        # By its name it is code, even if it looks binary.
        return Skipped(file.path, failure.reason, "not-scanned" if failure.reason == BINARY_CONTENT else failure.state)


def text_of(file: corpus.CorpusFile) -> PairedText | None:
    """A file with its text, read once more; None if it has no tokens any more.

    Raises:
        CorpusError: it cannot be read.
    """
    content = corpus.read_file(file, LARGEST_FILE)
    language = language_of(file.path, content)
    if language is None:
        return None
    try:
        return PairedText(content, language, read(language, content).front_end.name)
    except Untokenizable:
        return None


def document_of(
    path: str, reading: TokenizedContent | Skipped, options: ComparisonOptions, boilerplate: U64
) -> FingerprintedDocument | Skipped:
    """A file's fingerprints, or why it has none.

    Args:
        path: of the file.
        reading: its tokens, or why it has none.
        options: how to fingerprint it, or what to reduce it to.
        boilerplate: uint64, sorted; hashes to leave out.
    """
    parameters = options.parameters
    if isinstance(reading, Skipped):
        return reading
    tokens = reading.tokens
    if len(tokens) < parameters.k:
        return Skipped(path, f"fewer than {parameters.k} tokens", "out-of-scope")
    selected, made = fingerprint(tokens, parameters), None
    if options.reduced is not None:
        selected, made = _entries(tokens, parameters, options.reduced)
    own = ~among(selected.hashes, boilerplate)
    at = selected.positions[own]
    fingerprints = Fingerprints(selected.hashes[own], selected.checks[own], at)
    ends = at + np.uint32(parameters.k - 1)
    return FingerprintedDocument(fingerprints, tokens.first_lines[at], tokens.last_lines[ends], reading.failure, made)


def kept_document(path: str, document: FingerprintedDocument) -> KeptDocument:
    """A document that was reduced to a sketch, as a file keeps it."""
    assert document.sketch is not None
    level = round(-log2(document.sketch.rate))
    return KeptDocument(path, level, document.sketch.frequency, document.hashes)


def document_kept(kept: KeptDocument, boilerplate: U64) -> FingerprintedDocument:
    """The document that a file keeps; nobody knows where its fingerprints stand."""
    hashes, nothing = kept.entries[~among(kept.entries, boilerplate)], np.empty(0, np.int64)
    made = Sketch(nothing, nothing, nothing, nothing, 0.5**kept.level, kept.frequency)
    unknown = np.zeros(len(hashes), np.uint32)
    lines = unknown.astype(np.int32)
    return FingerprintedDocument(Fingerprints(hashes, unknown, unknown), lines, lines, sketch=made)


def _entries(tokens: Tokens, parameters: Parameters, wanted: DocumentSketch) -> tuple[Fingerprints, Sketch]:
    """The k-grams that a sketch has, each at one place."""
    every = all_kgrams(tokens, parameters)
    made = sketched(every.hashes, *wanted)
    at = made.places
    return Fingerprints(every.hashes[at], every.checks[at], every.positions[at]), made


def boilerplate_of(bodies: Iterable[CodeBody], parameters: Parameters) -> U64:
    """The hashes of all k-grams of boilerplate: winnowing may select any of them, depending on the code around it.

    Returns:
        uint64, sorted.

    Raises:
        CorpusError: a file cannot be read, or a body has no k-gram.
        GitError: git failed.
    """
    hashes = [np.empty(0, np.uint64)]
    for body in bodies:
        readings = map(reading_of, with_contents(body, body.files))
        own = [all_kgrams(one.tokens, parameters).hashes for one in readings if not isinstance(one, Skipped)]
        if not any(map(len, own)):
            raise CorpusError(f"boilerplate: no code to fingerprint in {body.name}", _REMEDY)
        hashes += own
    return np.unique(np.concatenate(hashes))
