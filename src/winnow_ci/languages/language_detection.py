"""Find the language of a file (by Pygments' name) from its path and first bytes, or that it holds data.

A file's name decides: first our tables (``known_names.txt``), then Pygments' file name patterns. A file whose name says
nothing may name a program in its first line (``#!``). Where an ending has several meanings, content decides
(``signs.txt``); what has no sign of any language is text, in which code of all languages is looked up. Texts of
licences and data have no language. Binary content under the name of code could hide a copy, since a compiler may read
past NUL bytes: it is not scanned, and the scan counts as incomplete.

Some data is compared as a whole (``DATA``): tables and documents (CSV, JSON), and text under endings that belong to no
language. An index keeps only their digests. Left out are what programs write for themselves (lock files, source maps),
drawings, settings, files whose names begin with a dot, which very many projects have, and what is very short.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fnmatch import translate
from functools import lru_cache, partial
from pathlib import Path

from winnow_ci.languages.normalisation import as_utf8, is_binary
from winnow_ci.model import Skipped
from winnow_ci.start_up import compiled_on_use

LARGEST_FILE = 64 << 20  # bytes; larger files are not read

# All but the first three start any lexer that the text names.
PROSE = frozenset("text markdown restructuredtext arturo email http mime notmuch tid wikitext".split())
"""Languages that are read as plain words."""
METADATA = frozenset("debcontrol desktop ini pot properties registry systemd toml xml yaml".split())
"""Languages of data and settings that people write by hand; they are read as plain words, too."""
TEXT_AS_A_WHOLE = PROSE | METADATA | {"diff", "docker", "make"}  # with hardly any code but what they quote
DATA = "data"  # the name of the language, and of the front end, of files that are compared as a whole
DATA_SIZES = range(256, (8 << 20) + 1)  # bytes of those that an index keeps
UNKNOWN_LANGUAGE, BINARY_DATA, LICENCE_TEXT = "unknown language", "binary data", "licence text"
"""Why files are not read."""

# Languages that Pygments does not know.
_OWN = frozenset({"notebook"})

_PREFERRED = {
    "splus": "r",
    # Their lexers start any lexer that the text names.
    **dict.fromkeys(("postgresql", "plpgsql", "psql", "postgres-explain"), "sql"),
}
"""Pygments' first alias → the language that it is read as."""

_LICENCE = compiled_on_use(
    r"(?i:licen[cs]es?|copying|copyright|notice|unlicen[cs]e)[0-9]?(?:\..*)?|(?:LICEN[CS]E|COPYING|NOTICE)[-_].*"
)

_WRITTEN_BY_PROGRAMS = frozenset({"package-lock.json", "npm-shrinkwrap.json", "packages.lock.json"})
_OTHER_DATA = compiled_on_use(r"[^.].*\.[A-Za-z][A-Za-z0-9_-]*")

_SCRIPT = compiled_on_use(rb"(?i:<(?:\w+:)?script\b)")
_SHEBANG = compiled_on_use(rb"(?:\xef\xbb\xbf)?#![ \t]*([^\r\n]{1,500})")


def _known_names() -> Iterator[list[tuple[str, list[str]]]]:
    text = Path(__file__).with_name("known_names.txt").read_text(encoding="utf-8")
    for section in text.split("\n[")[1:]:
        rows = (line.split(": ", 1) for line in section.splitlines()[1:] if line and not line.startswith("# "))
        yield [(key, names.split()) for key, names in rows]


def _key_of(rows: list[tuple[str, list[str]]]) -> dict[str, str]:
    return {name: key for key, names in rows for name in names}


_ROWS = list(_known_names())
EXTENSIONS, FILE_NAMES, INTERPRETERS, ALIASES = map(_key_of, _ROWS[:4])
COMMENT_MARK_OF = _key_of(_ROWS[5])  # language → what opens a comment of one line and, after a blank, what closes it


def _endings(kind: str) -> frozenset[str]:
    return frozenset(f".{name}" for row_kind, names in _ROWS[4] if row_kind == kind for name in names)


MOSTLY_DATA = _endings("mostly data")
_AROUND, _DATA_ENDINGS, _WHOLE_ENDINGS = _endings("around"), _endings("data"), _endings("whole")
_BINARY_ENDINGS, _ARCHIVE_ENDINGS = _endings("binary"), _endings("archive")


def language_of(path: str, content: bytes) -> str | None:
    """Return the language of a file, or None if it has no known one."""
    if is_license_text(path):
        return _by_shebang(content)
    if is_drawing(path):
        return "html" if _SCRIPT.search(content) else None
    if not may_have_language(path):
        return None
    name = _name(path)
    decide = _BY_CONTENT.get(_ending(_inner(name)))
    if decide and (found := _by_shebang(content) or decide(content)):
        return found
    return _by_name(name) or _by_shebang(content)


def is_binary_data(path: str, language: str, content: bytes) -> bool:
    """Whether a file in a language is binary data, and not code that somebody hides under its name."""
    return (language in PROSE | METADATA or _ending(path) in MOSTLY_DATA) and is_binary(content)


def language_by_name(path: str) -> str | None:
    """Return the language of a file whose name alone decides; None if the content has a say."""
    name = _name(path)
    return None if _ending(_inner(name)) in _BY_CONTENT or not may_have_language(path) else _by_name(name)


def may_have_language(path: str) -> bool:
    """Whether a file may have a language, by its name."""
    return not (is_license_text(path) or is_data(path) or _ending(path) in _BINARY_ENDINGS)


def skip_by_path_and_size(path: str, size: int) -> Skipped | None:
    """Return why a file of known code is not read: its name promises no code, or it is too large."""
    if is_license_text(path) or is_license_page(path):
        return Skipped(path, LICENCE_TEXT, "out-of-scope")
    if is_data(path):
        return Skipped(path, "data", "out-of-scope")
    if size > LARGEST_FILE:
        return Skipped(path, f"larger than {LARGEST_FILE >> 20} MiB", "not-scanned")
    return None


def is_license_text(path: str) -> bool:
    """Whether a file's name says that it is the text of a licence: ``LICENSE.md``, ``LICENSES/MIT.txt``."""
    return _is_named_as_license(path) and (_by_name(_name(path)) or "text") in PROSE


def is_drawing(path: str) -> bool:
    """Whether a file's name says that it is a drawing, whose scripts a browser runs."""
    return _ending(path) == ".svg"


def is_license_page(path: str) -> bool:
    """Whether a file's name says that it shows the text of a licence in a browser: ``license.html``."""
    return _is_named_as_license(path) and _by_name(_name(path)) == "html"


def is_data(path: str) -> bool:
    """Whether a file's name says that it is a lock file or plain data."""
    return _name(path) == "pnpm-lock.yaml" or _ending(path) in _DATA_ENDINGS


def is_archive_name(path: str) -> bool:
    """Whether a file's name says that it holds other files, or a packed one."""
    return _ending(path) in _ARCHIVE_ENDINGS


def may_be_whole_data(path: str) -> bool:
    """Whether a file's name says that it is data, of a kind that is compared as a whole."""
    name = _name(path).lower()
    ending = "." + name.rpartition(".")[2]
    return ending in _WHOLE_ENDINGS and name not in _WRITTEN_BY_PROGRAMS and not name.startswith(".")


def is_whole_data(path: str, content: bytes, *, is_unknown: bool) -> bool:
    """Whether a file is data that is compared as a whole; ``is_unknown``: code by its name, in no known language."""
    named = may_be_whole_data(path) or (is_unknown and _OTHER_DATA.fullmatch(_name(path)) is not None)
    return named and len(content) in DATA_SIZES and b"\0" not in content


def _is_named_as_license(path: str) -> bool:
    return bool(_LICENCE.fullmatch(_name(path))) or _name(path.rpartition("/")[0]) == "LICENSES"


def extensions() -> set[tuple[str, str]]:
    """Return the lower-case endings of our own tables, each with its language."""
    return {(extension.lower(), language) for extension, language in EXTENSIONS.items()}


def resolve_language(name: str) -> str | None:
    """Return the name of a language, given any of its aliases, in any case; None if there is no such language."""
    plain = name.strip().lower()
    known = ALIASES.get("-".join(plain.split())) or plain
    return known if known in _OWN else _preferred(_pygments_names().get(known))


def language_names() -> list[str]:
    """Return all names that ``resolve_language`` knows, in lower case."""
    return sorted({*_OWN, *ALIASES, *_pygments_names()})


def _preferred(language: str | None) -> str | None:
    return _PREFERRED.get(language, language) if language else None


def _name(path: str) -> str:
    return path.rpartition("/")[2]


@lru_cache(1 << 12)
def _by_name(name: str) -> str | None:
    if name in FILE_NAMES:
        return FILE_NAMES[name]
    stem, _, extension = name.rpartition(".")
    known = (EXTENSIONS.get(extension) or EXTENSIONS.get(extension.lower())) if stem else None
    known = known or _preferred(_by_pygments(name))
    inner = _inner(name)
    return (_by_name(inner) if inner != name and may_have_language(inner) else None) or known


def _ending(path: str) -> str:
    """``.py`` of ``A.PY``; empty for ``.profile``, whose dot begins the name."""
    stem, dot, extension = _name(path).rpartition(".")
    return (dot + extension).lower() if stem else ""


def _inner(name: str) -> str:
    """A name without the endings that stand around another one, and without an editor's mark of what was there."""
    name = name.rstrip("~")
    while (parts := name.rpartition("."))[0] and f".{parts[2].lower()}" in _AROUND:
        name = parts[0]
    return name


def _by_shebang(content: bytes) -> str | None:
    line = _SHEBANG.match(content)
    if line is None:
        return None
    for word in line.group(1).decode("latin-1").split():
        program = word.rpartition("/")[2]
        is_setting = word.startswith("-") or "=" in word
        if program != "env" and not is_setting:
            return INTERPRETERS.get(program) or INTERPRETERS.get(program.rstrip("0123456789.-"))
    return None


# ---- by content ------------------------------------------------------------------------------------------------------

_SAMPLE = 1 << 14  # bytes of a file that are looked at
_LINES_OF_A_SIGN = 20  # an include has a sign of its language on at least one line in this many
_LINES_OF_A_PIECE = 6  # a piece of PHP has a variable on at least one line in this many

# Not in a comment or a string of another language.
_IS_PHP = compiled_on_use(rb"^(?![ \t]*(?://|/\*|\*|[#;%'\"]|--))[^\n'\"]*<\?(?:php\b|=|hh\b)", re.MULTILINE)
_PHP_LINES = compiled_on_use(rb"^[^\n$<]*\$[A-Za-z_]\w* *(?:=|->|\[|[,;)])[^\n]*", re.MULTILINE)


def _signs() -> dict[str, list[tuple[str, re.Pattern[bytes]]]]:
    """Ending → languages, each with its sign."""
    found: dict[str, list[tuple[str, re.Pattern[bytes]]]] = {}
    for section in Path(__file__).with_name("signs.txt").read_text(encoding="utf-8").split("\n[")[1:]:
        meanings, _, pattern = section.partition("]\n")
        sign = compiled_on_use(pattern.strip().encode(), re.MULTILINE | re.VERBOSE)
        for ending, language in map(str.split, meanings.split(",")):
            found.setdefault(ending, []).append((language, sign))
    return found


_SIGNS = _signs()


def _decided(ending: str, content: bytes) -> str | None:
    sample = as_utf8(content[:_SAMPLE])
    return next((language for language, sign in _SIGNS[ending] if sign.search(sample)), None)


def _included(content: bytes) -> str:
    if _IS_PHP.search(as_utf8(content)):
        return "php"
    sample = as_utf8(content[:_SAMPLE])
    lines = {language: len(sign.findall(sample)) for language, sign in _SIGNS[".inc"]}
    best = max(lines, key=lambda language: lines[language])
    return best if lines[best] * _LINES_OF_A_SIGN >= sample.count(b"\n") and lines[best] else "text"


def _with_tags(content: bytes) -> str:
    """Outside of tags, PHP is text, but for a piece of code that was cut out; of nothing, only the name counts."""
    sample = content[:_SAMPLE]
    is_piece = len(_PHP_LINES.findall(sample)) * _LINES_OF_A_PIECE > sample.count(b"\n")
    return "php" if b"<?" in content or is_piece or not content else "html"


_BY_CONTENT: dict[str, Callable[[bytes], str | None]] = {
    **{ending: partial(_decided, ending) for ending in _SIGNS},
    # Only the first line may say what these are.
    **dict.fromkeys((".command", ".tool"), lambda _: None),
    ".inc": _included,
    **dict.fromkeys(
        (".engine", ".install", ".module", ".profile", ".test", ".theme", ".tpl"),
        lambda content: "php" if _IS_PHP.search(content[:_SAMPLE]) else None,
    ),
    **dict.fromkeys((".php", ".php3", ".php4", ".php5", ".php7", ".php8", ".phtml", ".ctp"), _with_tags),
}
"""Ending → the language of a file of that ending, given its content; None if its name or first line tells."""


# Only lexers that come with Pygments count: those of installed plugins are other people's code. No lexer is loaded.


@lru_cache
def _lexers() -> list[tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]]:
    from pygments.lexers import get_all_lexers  # noqa: PLC0415 - only for a name that the tables lack

    return sorted(get_all_lexers(plugins=False))


@lru_cache
def _pygments_names() -> dict[str, str]:
    """Alias, in lower case → the first alias of the same lexer, which is the language's name here."""
    return {alias.lower(): aliases[0] for _, aliases, _, _ in reversed(_lexers()) for alias in reversed(aliases)}


def _by_pygments(name: str) -> str | None:
    """The language of a file name; where several lexers claim it, the first by name."""
    fixed, patterns = _claims()
    known = fixed.get(name) or fixed.get("*" + name[name.rfind(".") :])
    return known or next((language for pattern, language in patterns if pattern.match(name)), None)


@lru_cache
def _claims() -> tuple[dict[str, str], list[tuple[re.Pattern[str], str]]]:
    fixed: dict[str, str] = {}
    patterns: list[tuple[re.Pattern[str], str]] = []
    for _, aliases, globs, _ in _lexers():
        for glob in globs if aliases else ():
            if re.search(r"[*?[]", glob.removeprefix("*.")):
                patterns.append((re.compile(translate(glob)), aliases[0]))
            else:
                fixed.setdefault(glob, aliases[0])
    return fixed, patterns
