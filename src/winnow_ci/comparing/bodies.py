"""Find the bodies of code that ``compare`` is given by name, and fingerprint their files.

A body is a file, a folder or a revision. A name is a revision only if no file or folder has it. As in git, ``REV`` is a
whole commit, ``REV:path`` a file or folder in it.
"""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci import corpus, git, languages
from winnow_ci.arrays import among
from winnow_ci.errors import CorpusError, GitError, UsageError
from winnow_ci.fingerprint import all_kgrams, fingerprint
from winnow_ci.model import Fingerprints, Skipped
from winnow_ci.model.comparison import ComparisonOptions, PairedText
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.snapshot import StoredFile, check_total, loaded, snapshot, with_sizes
from winnow_ci.start_up import record
from winnow_ci.winnowing.bounded import Sketch, sketched

if TYPE_CHECKING:
    from winnow_ci.model import I32, U64, Parameters, Tokens

_REMEDY = "name a file, a folder, or a revision (REV or REV:path) with code in a language that winnow-ci knows"


@record(frozen=True, slots=True, eq=False)
class CodeBody:
    """Files to compare, listed by path and without content."""

    name: str  # as the user gave it
    files: tuple[corpus.CorpusFile, ...]
    skipped: tuple[Skipped, ...] = ()  # what is not a file, and why
    commit: str | None = None  # id of the commit that has the files; None for a file or folder
    _repository: git.Repository | None = None

    def read(self, files: Sequence[corpus.CorpusFile]) -> Iterator[corpus.CorpusFile]:
        """Yield some of the files in the order given, those of a commit with their contents; GitError if git fails."""
        if self._repository is None:
            return iter(files)
        stored = [file for file in files if isinstance(file, StoredFile)]
        return loaded(self._repository, stored, lambda file: skipped_unread(file) is None)


def skipped_unread(file: corpus.CorpusFile) -> Skipped | None:
    """Return why a file is skipped, if that is known without its content."""
    if file.reason is not None:
        return Skipped(file.path, file.reason, "not-scanned")
    return languages.skip_by_path_and_size(file.path, file.size)


def find_body(name: str) -> CodeBody:
    """Find what a name on the command line means.

    Raises:
        UsageError: no file, folder or revision has that name.
        GitError: there is no such revision, or git failed.
        CorpusError: a folder cannot be listed, or there are no files.
    """
    if os.path.lexists(name):
        return _on_disk(name)
    try:
        repository = git.Repository.find(Path.cwd())
    except GitError as error:
        raise UsageError(f"{name}: No such file or directory, and no git repository here", _REMEDY) from error
    revision, path = _split(name)
    try:
        commit = git.resolve_revision(repository, revision)
    except GitError as error:
        problem = f"{name} is not a file, a folder or a revision of this repository"
        raise UsageError(problem, error.remedy if "shallow" in error.remedy else _REMEDY) from error
    return _in_commit(repository, name, commit, _from_root(repository, path))


def _on_disk(name: str) -> CodeBody:
    path = Path(name)
    try:
        # A link that the user names is followed; links inside a folder are not.
        found = path.resolve(strict=True)
        status = found.stat()
    except (OSError, RuntimeError) as error:
        raise UsageError(f"{path}: {getattr(error, 'strerror', error)}", _REMEDY) from error
    if stat.S_ISREG(status.st_mode):
        return CodeBody(name, (corpus.CorpusFile(found.name, found.parent, status.st_size),))
    if not stat.S_ISDIR(status.st_mode):
        raise UsageError(f"{path} is not a file or folder", _REMEDY)
    return CodeBody(name, corpus.collect([path]).files)


def _split(name: str) -> tuple[str, str]:
    """Split into revision and path as git does, at the first colon outside braces (``HEAD^{/fix: it}:src``)."""
    depth = 0
    for position, character in enumerate(name):
        depth = max(0, depth + (character == "{") - (character == "}"))
        if character == ":" and not depth:
            return name[:position], name[position + 1 :]
    return name, ""


def _from_root(repository: git.Repository, path: str) -> str:
    """Make a path in a commit relative to its root. Only ``.`` or ``..`` at its start mean the current folder."""
    if path.split("/", 1)[0] in {".", ".."} and repository.root is not None:
        here = Path(os.path.relpath(os.path.realpath("."), os.path.realpath(repository.root))).as_posix()
        path = posixpath.normpath(f"{here}/{path}")
    return "" if path == "." else path.rstrip("/")


def _in_commit(repository: git.Repository, name: str, commit: str, path: str) -> CodeBody:
    # Git fails on paths that no commit can have.
    is_outside = path.startswith("/") or ".." in path.split("/")
    entry = None if is_outside else git.entry_at(repository, commit, path)
    root = Path(repository.root or repository.git_dir)
    if entry is None or entry.kind not in {"file", "folder"}:
        what = "nothing there" if entry is None else f"a {entry.kind}"
        raise UsageError(f"{name}: {commit[:12]} has {what}", "`git ls-tree -r --name-only REV` shows its files")
    if entry.kind == "file":
        files: tuple[StoredFile, ...] = (StoredFile(entry.path.rpartition("/")[2], root, 0, blob=entry.id),)
        skipped: tuple[Skipped, ...] = ()
    else:
        files, skipped = snapshot(repository, entry.id, root)
    if not files:
        raise CorpusError(f"{name} has no files", _REMEDY)
    files = with_sizes(repository, files)
    check_total(files, name)
    return CodeBody(name, files, skipped, commit, _repository=repository)


class ReadDocument(NamedTuple):
    """A file after its front end."""

    path: str
    text: PairedText
    tokens: Tokens
    failure: str | None  # why the language's lexer failed, if the fallback tokenizer read the file


class FingerprintedDocument(NamedTuple):
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
    """Read a file, or say why it has no tokens; CorpusError if it cannot be read."""
    if skip := skipped_unread(file):
        return skip
    content = corpus.read_file(file, languages.LARGEST_FILE)
    language = languages.language_of(file.path, content)
    if language is None:
        return Skipped(file.path, languages.UNKNOWN_LANGUAGE, "out-of-scope")
    if languages.is_binary_data(file.path, language, content):
        return Skipped(file.path, languages.BINARY_DATA, "out-of-scope")
    try:
        tokens, front_end, failure = languages.first_reading(language, content)
    except languages.Untokenizable as reason:
        # By its name it is code, even if it looks binary.
        state = "not-scanned" if reason.reason == languages.BINARY_CONTENT else reason.state
        return Skipped(file.path, reason.reason, state)
    return ReadDocument(file.path, PairedText(content, language, front_end.name), tokens, failure)


def fingerprinted(
    document: ReadDocument | Skipped, options: ComparisonOptions, boilerplate: U64
) -> FingerprintedDocument | Skipped:
    """Fingerprint a file, or say why it has no fingerprints; ``boilerplate``: sorted hashes to leave out."""
    if isinstance(document, Skipped):
        return document
    tokens, parameters = document.tokens, options.parameters
    if len(tokens) < parameters.k:
        return Skipped(document.path, f"fewer than {parameters.k} tokens", "out-of-scope")
    selected = all_kgrams(tokens, parameters) if options.reduced else fingerprint(tokens, parameters)
    sketch = sketched(selected.hashes, *options.reduced) if options.reduced else None
    chosen = sketch.places if sketch else np.arange(len(selected))
    kept = selected.part(chosen[~among(selected.hashes[chosen], boilerplate)])
    last_lines = tokens.last_lines[kept.positions + np.uint32(parameters.k - 1)]
    return FingerprintedDocument(kept, tokens.first_lines[kept.positions], last_lines, document.failure, sketch)


def boilerplate_of(bodies: Iterable[CodeBody], parameters: Parameters) -> U64:
    """Return the hashes of all k-grams of boilerplate, sorted: winnowing may select any of them.

    Raises:
        CorpusError: a file cannot be read, or a body has no k-gram.
        GitError: git failed.
    """
    hashes = [np.empty(0, np.uint64)]
    for body in bodies:
        documents = map(tokenised_document, body.read(body.files))
        own = [all_kgrams(one.tokens, parameters).hashes for one in documents if not isinstance(one, Skipped)]
        if not any(map(len, own)):
            raise CorpusError(f"boilerplate: no code to fingerprint in {body.name}", _REMEDY)
        hashes += own
    return np.unique(np.concatenate(hashes))
