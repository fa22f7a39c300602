"""Values from an environment or a payload, checked before use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from winnow_ci.errors import CIError

if TYPE_CHECKING:
    from collections.abc import Mapping

_OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
# What git-check-ref-format(1) forbids, except rules that would only make a name unknown.
_NO_BRANCH = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|//|@\{|^[-/]|[/.]$|^$")
_REPOSITORY = re.compile(r"[\w.-]+(/[\w.-]+)+", re.ASCII)
REMEDY = "name what to compare: --since REV, --range A..B or --all"


def commit(value: object, what: str) -> str:
    """Return the id of a commit.

    Raises:
        CIError: it is not one.
    """
    if isinstance(value, str) and _OBJECT_ID.fullmatch(value):
        return value
    raise _unexpected(what, "the full id of a commit", value)


def branch(value: object, what: str) -> str:
    """Return the name of a branch, which may stand in a reference.

    Raises:
        CIError: it is not one.
    """
    if isinstance(value, str) and not _NO_BRANCH.search(value):
        return value
    raise _unexpected(what, "the name of a branch", value)


def repository(value: object, what: str) -> str:
    """Return the path of a repository on its server: ``owner/name``, or with more parts.

    Raises:
        CIError: it is not one.
    """
    if isinstance(value, str) and _REPOSITORY.fullmatch(value):
        return value
    raise _unexpected(what, "the path of a repository", value)


def variable(environment: Mapping[str, str], name: str) -> str:
    """Return an environment variable.

    Raises:
        CIError: it is not set, or empty.
    """
    if value := environment.get(name):
        return value
    raise CIError(f"{name} is not set, although this seems to be a CI that sets it", REMEDY)


def is_null(object_id: str) -> bool:
    """Tell whether an id is all zeros, which stands for no commit."""
    return not object_id.strip("0")


def _unexpected(what: str, expected: str, value: object) -> CIError:
    given = "missing" if value is None else ascii(value)[:80]
    return CIError(f"{what} is not {expected}: {given}", REMEDY)
