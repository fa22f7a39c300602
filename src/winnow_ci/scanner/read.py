"""Read the files of a change that are in scope, and cut them into tokens.

Some lines that a change leaves alone count as added, too: those that were text before, and that the change makes code,
because it removes the marks around a comment or string, or gives the file another language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache, partial
from itertools import chain, islice
from pathlib import Path

import numpy as np

from winnow_ci import git, languages
from winnow_ci.arrays import among
from winnow_ci.config.settings import Settings
from winnow_ci.errors import ConfigError
from winnow_ci.evidence.weights import line_hashes
from winnow_ci.index import BOILERPLATE, content_key
from winnow_ci.languages import FrontEnd, TokenizedContent
from winnow_ci.model import Change, LineRange, Skipped, Tokens
from winnow_ci.model.changes import ChangedFile
from winnow_ci.policy import allow_comments
from winnow_ci.scanner.files import Contents, DataFile, PreparedFile, ReadFile, marked_in, on_lines, ranges_of

LARGEST_SCANNED = 64 << 20
# Further comments allow nothing.
_MOST_ALLOWS = 10_000
# In UTF-16 and UTF-32, NUL bytes stand between.
_MARK = re.compile(b"\\0*".join(re.escape(bytes([byte])) for byte in allow_comments.COMMENT_MARK.encode()))
# How many short contents of the base are kept, and how long one may be, in bytes.
_MOST_KEPT, LONGEST_EARLIER = 32, 1 << 16
# Front ends of languages that the fallback tokenizer may have to read, and of the text of comments.
_WITH_FALLBACK = frozenset({"pygments", "text"})


def read_in_scope(contents: Contents, files: Sequence[ChangedFile], settings: Settings) -> Iterator[ReadFile]:
    """Read the changed files whose paths are in scope; the others come first."""
    wanted = []
    for file in files:
        if skipped := skip_by_path(file.path, settings):
            yield skipped
        else:
            wanted.append(_as_new(file, settings) if file.was else file)
    yield from read_files(contents, wanted, settings)


def read_files(
    contents: Contents, files: Sequence[ChangedFile], settings: Settings, *, is_known: bool = False
) -> Iterator[ReadFile]:
    """Read files whatever the rules for paths say; data becomes tokens only if it is known."""
    for file, change in _with_members(contents, files, settings):
        if isinstance(change, Skipped):
            yield _unread(change)
            continue
        language = language_in_scope(change, settings)
        if isinstance(language, Skipped):
            yield language
        elif language == languages.DATA and not is_known:
            yield _data_file(file, change.content)
        else:
            found = _tokenised(change, language)
            is_license = isinstance(found, Skipped) and found.reason == languages.LICENCE_TEXT
            yield _license_file(file) if is_license and languages.may_quote(change.content) else found


def read_as(language: str, contents: Contents, files: Sequence[ChangedFile]) -> Iterator[PreparedFile | Skipped]:
    """Read files as code of a language, whatever their names and the rules for paths say.

    Files that are read as data have no tokens of their own, only the code that they quote.
    """
    for _, change in _with_members(contents, files):
        yield (
            change if isinstance(change, Skipped) else _tokenised(change, language, has_own=language != languages.DATA)
        )


def ahead(files: Iterator[ReadFile], tokens: int) -> Iterator[ReadFile]:
    """Read the first files, until they have enough tokens; return all files."""
    taken: list[ReadFile] = []
    while tokens > 0 and (file := next(files, None)) is not None:
        taken.append(file)
        tokens -= len(file.tokens) if isinstance(file, PreparedFile) else 0
    return chain(taken, files)


def boilerplate_tokens(contents: Contents, files: Sequence[ChangedFile], settings: Settings) -> Iterator[Tokens]:
    """Yield the tokens of boilerplate: of these files, and of the texts in a configuration.

    The fallback tokenizer also reads each text that may stand in a file that it reads, comments included.
    """
    for file in read_files(contents, files, settings):
        if isinstance(file, PreparedFile):
            yield file.tokens
            if file.front_end.name in _WITH_FALLBACK:
                yield languages.tokenize(languages.FALLBACK, file.content)
    for language, content in _boilerplate_texts(settings):
        try:
            yield languages.tokenize(language, content)
        except languages.Untokenizable as reason:
            # The text of a licence is evidence nowhere.
            if reason.reason != languages.LICENCE_TEXT:
                problem = f"boilerplate: a {language} text in the configuration: {reason}"
                raise ConfigError(problem, "shorten it, or put it into a file and name that") from reason
        if languages.front_end_of(language).name in _WITH_FALLBACK:
            yield languages.tokenize(languages.FALLBACK, content)


def _boilerplate_texts(settings: Settings) -> Iterator[tuple[str, bytes]]:
    """Yield the language and the content of each text."""
    for snippet in settings.snippets:
        yield snippet.language, snippet.text.encode()
    for name in settings.builtins:
        folder = Path(__file__).with_name("boilerplate_texts") / name
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            yield file.name.rpartition(".")[2], file.read_bytes()


def _with_members(
    contents: Contents, files: Sequence[ChangedFile], settings: Settings | None = None
) -> Iterator[tuple[ChangedFile, Change | Skipped]]:
    if not any(file.archive or languages.is_archive_name(file.path) for file in files):
        return contents(files, LARGEST_SCANNED)
    from winnow_ci.scanner.archives import with_members  # noqa: PLC0415 - few changes have an archive

    skips = partial(skip_by_path, settings=settings) if settings else lambda _: None
    return with_members(contents, files, LARGEST_SCANNED, skips)


def _unread(skipped: Skipped) -> Skipped:
    """Say that a file that could not be read is out of scope, if it certainly holds no code."""
    if languages.may_be_whole_data(skipped.path):
        return Skipped(skipped.path, languages.DATA, "out-of-scope")
    # Models and assets. If the file ever comes, all of it will be new.
    if skipped.reason == git.LFS_POINTER and languages.language_of(skipped.path, b"") is None:
        return skipped._replace(state="out-of-scope")
    return skipped


def _as_new(file: ChangedFile, settings: Settings) -> ChangedFile:
    """A renamed file; all of it is new if its old path was out of scope, or that of another language."""
    was, now = Change(file.was or file.path, b"", ()), languages.language_by_name(file.path)
    language = language_in_scope(was, settings)
    if skip_by_path(was.path, settings):
        is_alike = False
    elif isinstance(language, Skipped):
        is_alike = languages.is_archive_name(was.path)
    elif now:
        is_alike = bool(languages.front_end_of(language).alphabets & languages.front_end_of(now).alphabets)
    else:
        is_alike = was.path.rpartition(".")[2] == file.path.rpartition(".")[2]
    return file if is_alike else file._replace(old=None)


def _tokenised(change: Change, language: str, *, has_own: bool = True) -> PreparedFile | Skipped:
    """Cut a file into tokens; into none if only the code that it quotes matters."""
    try:
        tokens, front_end, failure = languages.first_reading(language, change.content if has_own else b"")
        # A lexer that failed, or took all of its time, would do so once more.
        allows = _allows(language, change) if failure is None and _MARK.search(change.content) else ()
    except languages.Untokenizable as reason:
        # Its name says that it is code. Binary content may be code: some compilers read past NUL bytes.
        state = "not-scanned" if reason.reason == languages.BINARY_CONTENT else reason.state
        return Skipped(change.path, reason.reason, state)
    if len(tokens) > languages.TOKEN_LIMIT:
        return Skipped(change.path, f"more than {languages.TOKEN_LIMIT:,} tokens", "not-scanned")
    lines = _added_or_uncovered(change, language, front_end, tokens)
    added = on_lines(tokens.first_lines, tokens.last_lines, lines)
    return PreparedFile(change.path, change.content, front_end, tokens, lines, added, allows, failure, language)


def _allows(language: str, change: Change) -> tuple[allow_comments.AllowComment, ...]:
    try:
        every = languages.comments(language, languages.normalise(change.content))
    except languages.Untokenizable:
        # The code was read and its copies will be found; only its comments allow nothing.
        return ()
    read = partial(allow_comments.read_comment, change.path, added=change.added)
    found = (read(one.text, one.line, LineRange(one.first, one.last)) for one in every)
    return tuple(islice(chain.from_iterable(found), _MOST_ALLOWS))


def _added_or_uncovered(change: Change, language: str, front_end: FrontEnd, tokens: Tokens) -> tuple[LineRange, ...]:
    if not change.old or not len(tokens):
        return change.added
    try:
        language_was = languages.language_of(change.path, change.old)
        # Words are the same whatever is before them, if what was there could be read at all.
        if language_was == language and front_end.shortest_text and languages.normalise(change.old):
            return change.added
        found = earlier_readings(language_was, change.old, front_end.alphabets) if language_was else ()
        earlier = next(iter(found), None)
    except languages.Untokenizable:
        earlier = None
    known = np.sort(line_hashes(earlier.tokens, 1).hashes) if earlier else np.empty(0, np.uint64)
    own = line_hashes(tokens, 1)
    lines = tokens.first_lines[own.starts]
    is_added = marked_in(change.added, max(int(lines[-1]), *(last for _, last in change.added), 0))
    is_added[lines[~among(own.hashes, known)] - 1] = True
    return ranges_of(np.flatnonzero(is_added) + 1)


def earlier_readings(language: str, content: bytes, wanted: AbstractSet[str]) -> Iterable[TokenizedContent]:
    """Read a content of the base (``languages.readings``); a scan asks for a short one up to three times."""
    if len(content) > LONGEST_EARLIER:
        return languages.readings(language, content, wanted)
    # The files of a batch may ask for more alphabets than a language has.
    alphabets = frozenset[str]().union(*(front_end.alphabets for front_end in languages.front_ends_of(language)))
    return _kept(language, content, alphabets & wanted)


@lru_cache(_MOST_KEPT)
def _kept(language: str, content: bytes, wanted: frozenset[str]) -> tuple[TokenizedContent, ...]:
    return tuple(languages.readings(language, content, wanted))


def skip_by_path(path: str, settings: Settings) -> Skipped | None:
    """Skip a file that its path alone puts out of scope, before anything is read."""
    reason = _excluded(path, settings) or _no_code(path) or _other_language(languages.language_by_name(path), settings)
    return Skipped(path, reason, "out-of-scope") if reason else None


def language_in_scope(change: Change, settings: Settings) -> str | Skipped:
    """Return the language of a changed file, or why it is out of scope."""
    language = None if _is_only_license(change) else languages.language_of(change.path, change.content)
    if language is None and _is_compared(change):
        language = languages.DATA
    if language is None:
        return _without_language(change.path)
    if languages.is_binary_data(change.path, language, change.content):
        return Skipped(change.path, languages.BINARY_DATA, "out-of-scope")
    reason = _other_language(language, settings)
    return Skipped(change.path, reason, "out-of-scope") if reason else language


def _is_compared(change: Change) -> bool:
    """Whether a file without a language is compared as a whole, or may quote code."""
    is_unknown = languages.may_have_language(change.path) and not languages.is_license_page(change.path)
    return languages.is_whole_data(change.path, change.content, is_unknown=is_unknown) or (
        not languages.is_data(change.path) and languages.may_quote(change.content)
    )


def _is_only_license(change: Change) -> bool:
    """Whether a page is named as a licence, and shows nothing else; scripts in it are quoted code."""
    if not languages.is_license_page(change.path):
        return False
    try:
        return languages.shows_license(languages.normalise(change.content))
    except languages.Untokenizable:
        return False


def _excluded(path: str, settings: Settings) -> str | None:
    if settings.include is not None and not settings.include.matches(path):
        return "not under paths.include"
    if pattern := settings.exclude.first_match(path):
        return f"excluded by {pattern}"
    if pattern := settings.boilerplate.first_match(path):
        return f"boilerplate by {pattern}"
    return None


def _no_code(path: str) -> str | None:
    may_be_read = (
        *(languages.may_have_language, languages.may_be_whole_data, languages.is_archive_name),
        *(languages.is_license_text, languages.is_drawing),
    )
    return None if any(applies(path) for applies in may_be_read) else _without_language(path).reason


def _other_language(language: str | None, settings: Settings) -> str | None:
    if language is None or settings.languages is None or language in settings.languages:
        return None
    return f"language {language} is not among the configured languages"


def _without_language(path: str) -> Skipped:
    if _is_license(path):
        return Skipped(path, languages.LICENCE_TEXT, "out-of-scope")
    return Skipped(path, languages.DATA if languages.is_data(path) else languages.UNKNOWN_LANGUAGE, "out-of-scope")


def _is_license(path: str) -> bool:
    """Whether a name is that of a licence: its text is left out, but not the code that it quotes."""
    return languages.is_license_text(path) or languages.is_license_page(path)


def _data_file(file: ChangedFile, content: bytes) -> DataFile:
    if _is_license(file.path):
        return _license_file(file)
    own, boilerplate = (
        tuple(content_key(name, form) for form in line_end_forms(content))
        for name in (languages.DATA, BOILERPLATE + languages.DATA)
    )
    quotes = not languages.is_data(file.path) and languages.may_quote(content)
    return DataFile(file, own, boilerplate, _without_language(file.path), quotes)


def _license_file(file: ChangedFile) -> DataFile:
    return DataFile(file, (), (), Skipped(file.path, languages.LICENCE_TEXT, "out-of-scope"), quotes=True)


def line_end_forms(content: bytes) -> Iterator[bytes]:
    """Yield the content, and the same with other line ends, with and without a line break at the end; each once.

    Git and editors change line ends, and an index has a digest of the bytes as they were.
    """
    plain = content.replace(b"\r\n", b"\n").rstrip(b"\n")
    dos = plain.replace(b"\n", b"\r\n")
    yield from dict.fromkeys((content, plain + b"\n", plain, dos + b"\r\n", dos))
