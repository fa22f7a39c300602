"""Find the bodies of code that ``compare`` is given by name: files, folders, revisions and kept sketches.

A name is a revision only if no file or folder has it. As in git, ``REV`` is a whole commit, ``REV:path`` a file or
folder in it.

A file of sketches lets two sides compare documents that neither has of the other. It is one JSON object in UTF-8:

    winnow-ci sketches   1, the version of this format; it comes first, and tells such a file from code
    made                 k, scheme, window, size and delta (``model.comparison.DocumentSketch``), and the revision of
                         each front end: only sketches that were made alike can be compared
    documents            of each: path, level and frequency of the sketch, and its entries: the hashes of k-grams,
                         rising, 16 hexadecimal digits each, without separators

Nobody can read code from hashes, but anybody can check whether a guessed k-gram is there. Such a file may come from
anybody, so anything unexpected in it is refused.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci import corpus, git
from winnow_ci.errors import CorpusError, GitError, UsageError
from winnow_ci.languages import revisions, skip_by_path_and_size
from winnow_ci.model import Skipped
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regular_file import open_regular
from winnow_ci.snapshot import StoredFile, check_total, loaded, snapshot, with_sizes
from winnow_ci.start_up import record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from winnow_ci.model import U64
    from winnow_ci.model.comparison import ComparisonOptions

MAGIC = b'{"winnow-ci sketches": 1,'
_LARGEST_SKETCHES = 1 << 28  # bytes of a file
_DIGITS = 16  # of an entry
_MADE = ("k", "scheme", "window", "size", "delta", "front_ends")
_REMEDY = "name a file, a folder, or a revision (REV or REV:path) with code in a language that winnow-ci knows"
_MAKE_AGAIN = "make it again with: winnow-ci compare DIR --sketch bounded --window W --keep FILE"


@record(frozen=True, slots=True, eq=False)
class CodeBody:
    """Files to compare, listed by path and without content."""

    name: str  # as the user gave it
    files: tuple[corpus.CorpusFile, ...]
    skipped: tuple[Skipped, ...] = ()  # what is not a file, and why
    commit: str | None = None  # id of the commit that has the files; None for a file or folder
    kept: KeptSketches | None = None  # their sketches, if nothing else is known
    _repository: git.Repository | None = None

    def read(self, files: Sequence[corpus.CorpusFile]) -> Iterator[corpus.CorpusFile]:
        """Yield some of the files in the order given; those of a commit with the contents that are needed.

        Raises:
            GitError: git failed.
        """
        if self._repository is None:
            return iter(files)
        stored = [file for file in files if isinstance(file, StoredFile)]
        return loaded(self._repository, stored, lambda file: skipped_unread(file) is None)


def skipped_unread(file: corpus.CorpusFile) -> Skipped | None:
    """Return why a file is skipped, if that is known without its content."""
    if file.reason is not None:
        return Skipped(file.path, file.reason, "not-scanned")
    return skip_by_path_and_size(file.path, file.size)


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
    # Unlike Path.is_file, this is False where a link leads to what may not be read.
    if kept := kept_in(path) if os.path.isfile(path) else None:  # noqa: PTH113
        known = (corpus.CorpusFile(of, path, 0, reason="only its sketch is known") for of in kept.documents)
        return CodeBody(name, tuple(known), kept=kept)
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
    return CodeBody(name, tuple(corpus.documents(path)))


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
        here = os.path.relpath(os.path.realpath("."), os.path.realpath(repository.root))
        path = os.path.normpath(f"{here}/{path}")
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


# ---- files of sketches -----------------------------------------------------------------------------------------------


class KeptDocument(NamedTuple):
    """The sketch of a file."""

    path: str
    level: int  # of its sample, whose rate is 2^−level
    frequency: int  # of its sketch (``winnowing.bounded.Sketch``)
    entries: U64  # hashes of k-grams, rising, each once


@record(frozen=True, slots=True, eq=False)
class KeptSketches:
    """The content of a file of sketches."""

    made: dict[str, Any]
    documents: dict[str, KeptDocument]  # by path

    def check(self, name: str, options: ComparisonOptions) -> None:
        """Refuse sketches that were made with other options.

        Raises:
            UsageError: they were made with others.
        """
        if self.made == (asked := _made_by(options)):
            return
        if self.made["front_ends"] != asked["front_ends"]:
            raise UsageError(f"{name} was made with another revision of the front ends", _MAKE_AGAIN)
        made = {**self.made, "size": self.made["size"] or "none"}
        given = "-k {k} --sketch bounded --window {window} --size {size} --delta {delta}".format(**made)
        raise UsageError(f"{name} was made with other options", f"give {given}".replace(" --size none", ""))


def _made_by(options: ComparisonOptions) -> dict[str, Any]:
    reduced = options.reduced._asdict() if options.reduced else dict.fromkeys(("window", "size", "delta"))
    # Older versions also wrote sketches of other schemes.
    return {"k": options.parameters.k, "scheme": "bounded", **reduced, "front_ends": revisions()}


def sketches_text(documents: Iterable[KeptDocument], options: ComparisonOptions) -> str:
    """Write the text of a file of sketches."""
    rows = [{**each._asdict(), "entries": each.entries.astype(">u8").tobytes().hex()} for each in documents]
    return json.dumps({"winnow-ci sketches": 1, "made": _made_by(options), "documents": rows}) + "\n"


def kept_in(path: Path) -> KeptSketches | None:
    """Read a file of sketches; None if the file is something else.

    Raises:
        CorpusError: it is damaged or cannot be read.
    """
    try:
        with open_regular(path) as file:
            content = file.read(len(MAGIC))
            if content != MAGIC:
                return None
            content += file.read(_LARGEST_SKETCHES)
        return _parsed(json.loads(content))
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}", "check that it can be read") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CorpusError(f"{path}: not a sketch file, or damaged", _MAKE_AGAIN) from error


def _parsed(content: Any) -> KeptSketches:
    documents = [_document(row) for row in content["documents"]]
    by_path = {each.path: each for each in documents}
    made = content["made"]
    if len(by_path) < len(documents) or not documents or not isinstance(made, dict):
        raise ValueError
    return KeptSketches({name: made[name] for name in _MADE}, by_path)


def _document(row: Any) -> KeptDocument:
    path, level, frequency, entries = row["path"], row["level"], row["frequency"], row["entries"]
    hashes = np.frombuffer(bytes.fromhex(entries), ">u8").astype(np.uint64)
    is_number = all(type(number) is int for number in (level, frequency))
    if not (isinstance(path, str) and is_number and 0 <= level <= 65 and 2 <= frequency < 1 << 63):
        raise ValueError
    if len(entries) != _DIGITS * len(hashes) or np.any(hashes[1:] <= hashes[:-1]):
        raise ValueError
    return KeptDocument(path, level, frequency, hashes)
