"""Which files of a change are read; a named rule skips every other file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.languages import (
    BINARY_DATA,
    DATA,
    LICENCE_TEXT,
    UNKNOWN_LANGUAGE,
    Untokenizable,
    is_archive,
    is_binary_data,
    is_data,
    is_drawing,
    is_license_page,
    is_license_text,
    is_whole_data,
    language_by_name,
    language_of,
    may_be_whole_data,
    may_have_language,
    may_quote,
    normalise,
    shows_license,
)
from winnow_ci.model import Skipped

if TYPE_CHECKING:
    from winnow_ci.config.settings import Settings
    from winnow_ci.model import Change


def skip_by_path(path: str, settings: Settings) -> Skipped | None:
    """Skip a file that its path alone puts out of scope, before anything is read."""
    reason = _excluded(path, settings) or _no_code(path)
    if reason is None and settings.languages is not None:
        reason = _other_language(language_by_name(path), settings)
    return Skipped(path, reason, "out-of-scope") if reason else None


def language_in_scope(change: Change, settings: Settings) -> str | Skipped:
    """The language of a changed file, or why it is out of scope."""
    language = None if _is_only_license(change) else language_of(change.path, change.content)
    if language is None and _is_compared(change):
        language = DATA
    if language is None:
        return without_language(change.path)
    if is_binary_data(change.path, language, change.content):
        return Skipped(change.path, BINARY_DATA, "out-of-scope")
    reason = _other_language(language, settings)
    return Skipped(change.path, reason, "out-of-scope") if reason else language


def is_license(path: str) -> bool:
    """Whether a file's name says that it is a licence: its text is left out, but not the code that it quotes."""
    return is_license_text(path) or is_license_page(path)


def _is_compared(change: Change) -> bool:
    """Whether a file without a language is compared as a whole, or may quote code."""
    is_unknown = may_have_language(change.path) and not is_license_page(change.path)
    return is_whole_data(change.path, change.content, is_unknown=is_unknown) or (
        not is_data(change.path) and may_quote(change.content)
    )


def _is_only_license(change: Change) -> bool:
    """Whether a page is called as a licence, and shows nothing else; scripts in it are quoted code."""
    if not is_license_page(change.path):
        return False
    try:
        return shows_license(normalise(change.content))
    except Untokenizable:
        return False


def without_language(path: str) -> Skipped:
    """A file that no front end reads."""
    return Skipped(path, _reason(path), "out-of-scope")


def _reason(path: str) -> str:
    if is_license(path):
        return LICENCE_TEXT
    return DATA if is_data(path) else UNKNOWN_LANGUAGE


def _excluded(path: str, settings: Settings) -> str | None:
    if settings.include is not None and not settings.include.matches(path):
        return "not under paths.include"
    if pattern := settings.exclude.first_match(path):
        return f"excluded by {pattern}"
    if pattern := settings.boilerplate.first_match(path):
        return f"boilerplate by {pattern}"
    return None


def _no_code(path: str) -> str | None:
    is_read = may_have_language(path) or may_be_whole_data(path) or is_archive(path)
    return None if is_read or is_license_text(path) or is_drawing(path) else _reason(path)


def _other_language(language: str | None, settings: Settings) -> str | None:
    if language is None or settings.languages is None or language in settings.languages:
        return None
    return f"language {language} is not among the configured languages"
