"""Pygments' names for languages and for their files; no lexer is loaded.

Only lexers that come with Pygments count: those of installed plugins are other people's code.
"""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache

from pygments.lexers import get_all_lexers


@lru_cache
def names() -> dict[str, str]:
    """Alias, in lower case → the first alias of the same lexer, which is the language's name here."""
    known: dict[str, str] = {}
    for _, aliases, _, _ in sorted(get_all_lexers(plugins=False)):
        for alias in aliases:
            known.setdefault(alias.lower(), aliases[0])
    return known


def by_file_name(name: str) -> str | None:
    """The language of a file name; where several lexers claim it, the first by name."""
    extension = name[name.rfind(".") :]
    fixed, patterns = _claims()
    known = fixed.get(name) or fixed.get("*" + extension)
    return known or next((language for pattern, language in patterns if pattern.match(name)), None)


@lru_cache
def _claims() -> tuple[dict[str, str], list[tuple[re.Pattern[str], str]]]:
    fixed: dict[str, str] = {}
    patterns: list[tuple[re.Pattern[str], str]] = []
    for _, aliases, globs, _ in sorted(get_all_lexers(plugins=False)):
        for glob in globs if aliases else ():
            if re.search(r"[*?[]", glob.removeprefix("*.")):
                patterns.append((re.compile(translate(glob)), aliases[0]))
            else:
                fixed.setdefault(glob, aliases[0])
    return fixed, patterns
