"""Find the language of a file (by Pygments' name) from its path and first bytes, or that it holds data.

A file's name decides: first our tables (``known_names.txt``), then Pygments' file name patterns. A file whose name says
nothing may name a program in its first line (``#!``). Content decides where an ending has several meanings
(``language_by_content``). Texts of licences and data have no language. Binary content under the name of code could hide
a copy, since a compiler may read past NUL bytes: it is not scanned, and the scan counts as incomplete.

Some data is compared as a whole (``DATA``): tables and documents (CSV, JSON), and text under endings that belong to no
language. An index keeps only their digests. Left out are what programs write for themselves (lock files, source maps),
drawings, settings, files whose names begin with a dot, which very many projects have, and what is very short.
"""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.languages.language_by_content import BY_CONTENT
from winnow_ci.languages.normalisation import is_binary
from winnow_ci.model import Skipped
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST_FILE = 64 << 20
"""Bytes; larger files are not read."""

PROSE = frozenset(
    {"text", "markdown", "restructuredtext"}
    # These start any lexer that the text names.
    | {"arturo", "email", "http", "mime", "notmuch", "tid", "wikitext"}
)
"""Languages that are read as plain words."""
METADATA = frozenset(
    {"debcontrol", "desktop", "ini", "pot", "properties", "registry", "systemd", "toml", "xml", "yaml"}
)
"""Languages of data and settings that people write by hand; they are read as plain words, too."""
TEXT_AS_A_WHOLE = PROSE | METADATA | {"diff", "docker", "make"}
"""Languages whose documents have no code of their own, or hardly any, but may quote some."""
DATA = "data"
"""The name of the language, and of the front end, of files that are compared as a whole."""
DATA_SIZES = range(256, (8 << 20) + 1)
"""Bytes of those that an index keeps."""
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

# Endings of what becomes a file of the language before them, or once was one.
_AROUND = frozenset("in j2 jinja jinja2 mako template dist sample example orig bak old deface hl src zon".split())

_LICENCE = compiled_on_use(
    r"(?i:licen[cs]es?|copying|copyright|notice|unlicen[cs]e)[0-9]?(?:\..*)?|(?:LICEN[CS]E|COPYING|NOTICE)[-_].*"
)

# All that nobody writes by hand (lock files), or that contains no code (JSON, SVG), has tokens that are alike.
_DATA_ENDINGS = frozenset(
    ".csv .geojson .json .json5 .jsonl .jsonld .lock .lockb .lockfile .map .ndjson .pem .sum .svg .tsv".split()
)
_BINARY_ENDINGS = frozenset(
    """
    .7z .bz2 .gz .jar .rar .tar .tgz .whl .xz .zip .zst
    .bmp .gif .icns .ico .jpeg .jpg .png .psd .tif .tiff .webp
    .avi .flac .mkv .mov .mp3 .mp4 .ogg .wav .webm
    .eot .otf .ttf .woff .woff2
    .db .pdf .sqlite .xls .xlsx
    .a .bin .class .dll .dylib .exe .ko .npy .npz .o .parquet .pickle .pkl .pyc .pyd .so .wasm
    """.split()
)

_ARCHIVE_ENDINGS = frozenset(
    """
    .7z .aar .apk .bz2 .cab .conda .crate .deb .ear .egg .gem .gz .jar .nupkg .pyz .rar .rpm .tar .tbz .tbz2 .tgz .txz
    .vsix .war .whl .xpi .xz .zip .zst
    """.split()
)

# Endings that belong, by the book, to a language that hardly anybody writes (Sophia, Alloy, Arrow), and in fact to data
# (encrypted files, projects of Ableton Live, photographs); those with digits are manual pages and shared libraries.
MOSTLY_DATA = frozenset(
    """
    .aes .als .arw .bc .cdf .dot .eps .flo .ma .max .mo .mod .nc .p .pack .prg .ps .qvw .run .sig .tlb .usd .x .xm
    .1 .2 .3 .4 .5 .6 .7 .8 .9
    """.split()
)

_WHOLE_ENDINGS = frozenset(".csv .geojson .json .json5 .jsonl .jsonld .ndjson .tsv".split())
_WRITTEN_BY_PROGRAMS = frozenset({"package-lock.json", "npm-shrinkwrap.json", "packages.lock.json"})
_OTHER_DATA = compiled_on_use(r"[^.].*\.[A-Za-z][A-Za-z0-9_-]*")

_SCRIPT = compiled_on_use(rb"(?i:<(?:\w+:)?script\b)")
_SHEBANG = compiled_on_use(rb"(?:\xef\xbb\xbf)?#![ \t]*([^\r\n]{1,500})")


def _known_names() -> Iterator[dict[str, str]]:
    text = Path(__file__).with_name("known_names.txt").read_text(encoding="utf-8")
    for section in text.split("\n[")[1:]:
        rows = (line.split(": ", 1) for line in section.splitlines()[1:] if line and not line.startswith("#"))
        yield {name: language for language, names in rows for name in names.split()}


EXTENSIONS, FILE_NAMES, INTERPRETERS, ALIASES = _known_names()


def language_of(path: str, content: bytes) -> str | None:
    """Return the language of a file, or None if it has no known one."""
    if is_license_text(path):
        return _by_shebang(content)
    if is_drawing(path):
        return "html" if _SCRIPT.search(content) else None
    if not may_have_language(path):
        return None
    name = _name(path)
    decide = BY_CONTENT.get(ending_of(_inner(name)))
    if decide and (found := _by_shebang(content) or decide(content)):
        return found
    return _by_name(name) or _by_shebang(content)


def is_binary_data(path: str, language: str, content: bytes) -> bool:
    """Whether a file in a language is binary data, and not code that somebody hides under its name."""
    return (language in PROSE | METADATA or ending_of(_name(path)) in MOSTLY_DATA) and is_binary(content)


def language_by_name(path: str) -> str | None:
    """Return the language of a file whose name alone decides; None if the content has a say."""
    name = _name(path)
    return None if ending_of(_inner(name)) in BY_CONTENT or not may_have_language(path) else _by_name(name)


def may_have_language(path: str) -> bool:
    """Whether a file may have a language, by its name."""
    return not (is_license_text(path) or is_data(path) or ending_of(_name(path)) in _BINARY_ENDINGS)


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
    return ending_of(_name(path)) == ".svg"


def is_license_page(path: str) -> bool:
    """Whether a file's name says that it shows the text of a licence in a browser: ``license.html``."""
    return _is_named_as_license(path) and _by_name(_name(path)) == "html"


def is_data(path: str) -> bool:
    """Whether a file's name says that it is a lock file or plain data."""
    name = _name(path)
    return name == "pnpm-lock.yaml" or ending_of(name) in _DATA_ENDINGS


def is_archive_name(path: str) -> bool:
    """Whether a file's name says that it holds other files, or a packed one."""
    return ending_of(_name(path)) in _ARCHIVE_ENDINGS


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


def ending_of(name: str) -> str:
    """``.py`` of ``A.PY``; empty for ``.profile``, whose dot begins the name."""
    stem, dot, extension = name.rpartition(".")
    return (dot + extension).lower() if stem else ""


def _inner(name: str) -> str:
    """A name without the endings that stand around another one, and without an editor's mark of what was there."""
    name = name.rstrip("~")
    while (parts := name.rpartition("."))[0] and parts[2].lower() in _AROUND:
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
