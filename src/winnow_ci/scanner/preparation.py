"""Changed files → tokens: files in scope are read and tokenised one by one."""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import TYPE_CHECKING

from winnow_ci import git
from winnow_ci.languages import (
    BINARY_CONTENT,
    DATA,
    LICENCE_TEXT,
    MOST_TOKENS,
    Untokenizable,
    comments,
    is_archive,
    language_by_name,
    language_of,
    may_be_whole_data,
    may_quote,
    normalise,
    read,
)
from winnow_ci.model import Change, LineRange, Skipped
from winnow_ci.policy import allow_comments
from winnow_ci.scanner.added import on_lines
from winnow_ci.scanner.identity import data_file, license_file
from winnow_ci.scanner.scope import language_in_scope, skip_by_path
from winnow_ci.scanner.uncovered import added_or_uncovered, shares_alphabet
from winnow_ci.scanner.values import PreparedFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from winnow_ci.config.settings import Settings
    from winnow_ci.model.changes import ChangedFile
    from winnow_ci.scanner.values import Contents, DataFile, ReadFile

LARGEST_FILE = 64 << 20
# More than anyone needs; comments beyond this number allow nothing.
_MOST_ALLOWS = 10_000
# NUL bytes may stand between, in UTF-16 and UTF-32.
_MARK = re.compile(b"\\0*".join(re.escape(bytes([byte])) for byte in allow_comments.COMMENT_MARK.encode()))


def prepare_all(contents: Contents, files: Sequence[ChangedFile], settings: Settings) -> Iterator[ReadFile]:
    """Read and tokenise changed files, but for quoted code; those that need not be read come first.

    Args:
        contents: gives what is in them.
        files: the files.
        settings: what is in scope.

    Raises:
        GitError: git failed.
    """
    wanted = []
    for file in files:
        if skipped := skip_by_path(file.path, settings):
            yield skipped
        else:
            wanted.append(_as_new(file, settings) if file.was else file)
    yield from prepare(contents, wanted, settings)


def prepare(
    contents: Contents, files: Sequence[ChangedFile], settings: Settings, *, is_known: bool = False
) -> Iterator[PreparedFile | DataFile | Skipped]:
    """Read and tokenise files whatever the rules for paths say; data only if it is known."""
    for file, change in _with_members(contents, files, settings):
        if isinstance(change, Skipped):
            yield _unread(change)
            continue
        language = language_in_scope(change, settings)
        if isinstance(language, Skipped):
            yield language
        elif language == DATA and not is_known:
            yield data_file(file, change.content)
        else:
            yield _with_quotes(file, change, _tokenised(change, language))


def prepare_as(language: str, contents: Contents, files: Sequence[ChangedFile]) -> Iterator[PreparedFile | Skipped]:
    """Read and tokenise files as code of a language, whatever their names and the rules for paths say.

    Files that are read as data have no tokens of their own, only the code that they quote.
    """
    for _, change in _with_members(contents, files):
        yield change if isinstance(change, Skipped) else _tokenised(change, language, has_own=language != DATA)


def ahead(files: Iterator[ReadFile], tokens: int) -> Iterator[ReadFile]:
    """The same files, of which so many have been read when this returns that they have so many tokens."""
    taken: list[ReadFile] = []
    while tokens > 0 and (file := next(files, None)) is not None:
        taken.append(file)
        tokens -= len(file.tokens) if isinstance(file, PreparedFile) else 0
    return chain(taken, files)


def _with_members(
    contents: Contents, files: Sequence[ChangedFile], settings: Settings | None = None
) -> Iterator[tuple[ChangedFile, Change | Skipped]]:
    """The contents of files; in the place of archives, those of their members, by the rules for paths if given."""
    if not any(file.archive or is_archive(file.path) for file in files):
        return contents(files, LARGEST_FILE)
    from winnow_ci.scanner.archives import with_members  # noqa: PLC0415 - few changes have an archive

    return with_members(contents, files, LARGEST_FILE, settings)


def _unread(skipped: Skipped) -> Skipped:
    """A file that could not be read; a scan that lacks nothing but data has looked at all code."""
    if may_be_whole_data(skipped.path):
        return Skipped(skipped.path, DATA, "out-of-scope")
    # Models and assets: what a name without a language points to is no code, and new as a whole if it ever comes.
    if skipped.reason == git.LFS_POINTER and language_of(skipped.path, b"") is None:
        return skipped._replace(state="out-of-scope")
    return skipped


def _with_quotes(file: ChangedFile, change: Change, read: PreparedFile | Skipped) -> PreparedFile | DataFile | Skipped:
    """What was read, or the text of a licence if that quotes code."""
    is_license = isinstance(read, Skipped) and read.reason == LICENCE_TEXT
    return license_file(file) if is_license and may_quote(change.content) else read


def _as_new(file: ChangedFile, settings: Settings) -> ChangedFile:
    """A renamed file; all of it is new if its old path was out of scope, or that of another language."""
    was = Change(file.was or file.path, b"", ())
    language = language_in_scope(was, settings)
    if skip_by_path(was.path, settings):
        return file._replace(old=None)
    if isinstance(language, Skipped):
        return file if is_archive(was.path) else file._replace(old=None)
    now = language_by_name(file.path)
    endings = {path.rpartition(".")[2] for path in (was.path, file.path)}
    is_alike = shares_alphabet(language, now) if now else len(endings) == 1
    return file if is_alike else file._replace(old=None)


def _tokenised(change: Change, language: str, *, has_own: bool = True) -> PreparedFile | Skipped:
    """A file with its tokens; with none of its own if only the code that it quotes matters."""
    is_marked = bool(_MARK.search(change.content))
    try:
        tokens, front_end, failure = read(language, change.content if has_own else b"")
        # A lexer that failed, or took all of its time, would do so once more.
        allows = _allows(language, change) if is_marked and failure is None else ()
    except Untokenizable as reason:
        # Its name says that it is code. What looks binary may be: some compilers read past NUL bytes.
        state = "not-scanned" if reason.reason == BINARY_CONTENT else reason.state
        return Skipped(change.path, reason.reason, state)
    if len(tokens) > MOST_TOKENS:
        return Skipped(change.path, f"more than {MOST_TOKENS:,} tokens", "not-scanned")
    lines = added_or_uncovered(change, language, front_end, tokens)
    added = on_lines(tokens.first_lines, tokens.last_lines, lines)
    return PreparedFile(
        *(change.path, change.content, front_end, tokens, lines, added, allows, failure, is_marked, language)
    )


def _allows(language: str, change: Change) -> tuple[allow_comments.AllowComment, ...]:
    """The comments of a file that allow a copy."""
    try:
        told = comments(language, normalise(change.content))
    except Untokenizable:
        # The code was read and its copies will be found; only its comments allow nothing.
        return ()
    found = (
        allow
        for comment in told
        for allow in allow_comments.read_comment(
            change.path, comment.text, comment.line, LineRange(comment.first, comment.last), change.added
        )
    )
    return tuple(islice(found, _MOST_ALLOWS))
