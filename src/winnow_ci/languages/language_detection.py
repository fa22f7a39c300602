"""Path and first bytes → the name of the language, which is Pygments' own.

A file's name decides: first our tables (``known_names``), then Pygments' file name patterns. A file whose name says
nothing may name a program in its first line (``#!``). Content decides where an ending has several meanings
(``language_by_content``).

Some files have no language: texts of licences (they are everywhere, and meant to be copied), and data (``data_files``).
"""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import TYPE_CHECKING

from winnow_ci.languages.data_files import ending_of, is_binary_by_name, is_data, is_mostly_data
from winnow_ci.languages.known_names import ALIASES, EXTENSIONS, FILE_NAMES, INTERPRETERS
from winnow_ci.languages.known_texts import LICENCE_TEXT
from winnow_ci.languages.language_by_content import BY_CONTENT
from winnow_ci.languages.normalisation import is_binary
from winnow_ci.model import Skipped
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from types import ModuleType

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

OWN = frozenset({"notebook"})
"""Languages that Pygments does not know."""

UNKNOWN_LANGUAGE = "unknown language"
BINARY_DATA = "binary data"
"""Why files are not read."""

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

_SCRIPT = compiled_on_use(rb"(?i:<(?:\w+:)?script\b)")
_SHEBANG = compiled_on_use(rb"(?:\xef\xbb\xbf)?#![ \t]*([^\r\n]{1,500})")


def language_of(path: str, content: bytes) -> str | None:
    """The language of a file, or None if it has no known one."""
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
    """Whether a file is binary data, and no code that somebody hides under its name, given its language."""
    return (language in PROSE | METADATA or is_mostly_data(path)) and is_binary(content)


def language_by_name(path: str) -> str | None:
    """The language of a file whose name alone decides; None if the content has a say."""
    name = _name(path)
    return None if ending_of(_inner(name)) in BY_CONTENT or not may_have_language(path) else _by_name(name)


def may_have_language(path: str) -> bool:
    """Whether a file may have a language, by its name."""
    return not (is_license_text(path) or is_data(path) or is_binary_by_name(_name(path)))


def skip_by_path_and_size(path: str, size: int) -> Skipped | None:
    """Why a file of known code needs no reading: its name says that no code is in it, or it is too large."""
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


def _is_named_as_license(path: str) -> bool:
    return bool(_LICENCE.fullmatch(_name(path))) or _name(path.rpartition("/")[0]) == "LICENSES"


def extensions() -> set[tuple[str, str]]:
    """The lower-case endings of the table above, each with its language."""
    return {(extension.lower(), language) for extension, language in EXTENSIONS.items()}


def resolve(name: str) -> str | None:
    """The name of a language under any of its aliases, in any case; None if there is no such language."""
    plain = name.strip().lower()
    known = ALIASES.get("-".join(plain.split())) or plain
    return known if known in OWN else _preferred(_pygments_names().names().get(known))


def language_names() -> list[str]:
    """All names that ``resolve`` knows, in lower case."""
    return sorted({*OWN, *ALIASES, *_pygments_names().names()})


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
    known = known or _preferred(_pygments_names().by_file_name(name))
    inner = _inner(name)
    return (_by_name(inner) if inner != name and may_have_language(inner) else None) or known


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


def _pygments_names() -> ModuleType:
    """Imported only for a name that the tables lack."""
    return importlib.import_module("winnow_ci.languages.pygments_names")
