"""Read files and fingerprint them, without boilerplate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci import corpus
from winnow_ci.arrays import among
from winnow_ci.comparing.bodies import skipped_unread
from winnow_ci.errors import CorpusError
from winnow_ci.fingerprint import all_kgrams, fingerprint
from winnow_ci.languages import (
    BINARY_CONTENT,
    BINARY_DATA,
    LARGEST_FILE,
    UNKNOWN_LANGUAGE,
    Untokenizable,
    first_reading,
    is_binary_data,
    language_of,
)
from winnow_ci.model import Fingerprints, Skipped
from winnow_ci.model.comparison import PairedText
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import record
from winnow_ci.winnowing.bounded import sketched

if TYPE_CHECKING:
    from collections.abc import Iterable

    from winnow_ci.comparing.bodies import CodeBody
    from winnow_ci.model import I32, U64, Parameters, Tokens
    from winnow_ci.model.comparison import ComparisonOptions
    from winnow_ci.winnowing.bounded import Sketch


class ReadDocument(NamedTuple):
    """A file after its front end."""

    path: str
    text: PairedText
    tokens: Tokens
    failure: str | None  # why the language's lexer failed, if the fallback tokenizer read the file


@record(frozen=True, slots=True)
class FingerprintedDocument:
    """A file after front end and winnowing, without boilerplate."""

    fingerprints: Fingerprints
    first_lines: I32  # one for each fingerprint: where its k-gram begins
    last_lines: I32  # and where it ends
    failure: str | None = None  # see ``ReadDocument``
    sketch: Sketch | None = None  # the fingerprints are its entries; None if the parameters select them

    @property
    def hashes(self) -> U64:
        """Return its hashes, sorted, each once."""
        return np.unique(self.fingerprints.hashes)


def tokenised_document(file: corpus.CorpusFile) -> ReadDocument | Skipped:
    """Read a file, or say why it has no tokens.

    Raises:
        CorpusError: it cannot be read.
    """
    if skip := skipped_unread(file):
        return skip
    content = corpus.read_file(file, LARGEST_FILE)
    language = language_of(file.path, content)
    if language is None:
        return Skipped(file.path, UNKNOWN_LANGUAGE, "out-of-scope")
    if is_binary_data(file.path, language, content):
        return Skipped(file.path, BINARY_DATA, "out-of-scope")
    try:
        tokens, front_end, failure = first_reading(language, content)
    except Untokenizable as reason:
        # By its name it is code, even if it looks binary.
        return Skipped(file.path, reason.reason, "not-scanned" if reason.reason == BINARY_CONTENT else reason.state)
    return ReadDocument(file.path, PairedText(content, language, front_end.name), tokens, failure)


def fingerprinted(
    document: ReadDocument, options: ComparisonOptions, boilerplate: U64
) -> FingerprintedDocument | Skipped:
    """Fingerprint a file, or say why it has no fingerprints; ``boilerplate``: sorted hashes to leave out."""
    tokens, parameters = document.tokens, options.parameters
    if len(tokens) < parameters.k:
        return Skipped(document.path, f"fewer than {parameters.k} tokens", "out-of-scope")
    if options.reduced is None:
        selected, sketch = fingerprint(tokens, parameters), None
        chosen = np.arange(len(selected))
    else:
        selected = all_kgrams(tokens, parameters)
        sketch = sketched(selected.hashes, *options.reduced)
        chosen = sketch.places
    chosen = chosen[~among(selected.hashes[chosen], boilerplate)]
    at = selected.positions[chosen]
    return FingerprintedDocument(
        Fingerprints(selected.hashes[chosen], selected.checks[chosen], at),
        tokens.first_lines[at],
        tokens.last_lines[at + np.uint32(parameters.k - 1)],
        document.failure,
        sketch,
    )


def boilerplate_of(bodies: Iterable[CodeBody], parameters: Parameters) -> U64:
    """Return the hashes of all k-grams of boilerplate, sorted.

    Winnowing may select any of them, depending on the code around it.

    Raises:
        CorpusError: a file cannot be read, or a body has no k-gram.
        GitError: git failed.
    """
    hashes = [np.empty(0, np.uint64)]
    for body in bodies:
        documents = map(tokenised_document, body.read(body.files))
        own = [all_kgrams(one.tokens, parameters).hashes for one in documents if not isinstance(one, Skipped)]
        if not any(map(len, own)):
            remedy = "name a file or a folder with code in a language that winnow-ci knows"
            raise CorpusError(f"boilerplate: no code to fingerprint in {body.name}", remedy)
        hashes += own
    return np.unique(np.concatenate(hashes))
