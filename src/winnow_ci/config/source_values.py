"""The kinds of values that only a source of a manifest has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from winnow_ci.config.yaml_nodes import InvalidYamlError
from winnow_ci.config.yaml_values import PRINTABLE, matching, takes, text
from winnow_ci.errors import ConfigError, FetchError, UsageError
from winnow_ci.fetching.urls import GIT_HTTPS, GIT_SSH, git_address
from winnow_ci.policy.spdx import known_licences

if TYPE_CHECKING:
    import yaml

LONGEST_NAME = 200
# Schemes, what git calls helpers (``ext::``), and the short form of ssh.
_REMOTE = r"(?:[A-Za-z0-9+.-]+::?//|[A-Za-z0-9+.-]*::|[^/]+@[^/]*:)"
_NO_PATH = re.compile(_REMOTE)


# Expressions of several licences are a language of their own, which no pattern understands.
@takes(
    {
        "definition": "licence-expression",
        "type": "string",
        "anyOf": [
            {"enum": known_licences},
            {"pattern": r"^(?:(?:DocumentRef-[A-Za-z0-9.-]+:)?LicenseRef-[A-Za-z0-9.-]+|[!-~]+\+|[!-~]*[ (][ -~]*)$"},
        ],
    }
)
def licence(node: yaml.Node, key: str) -> str:
    """An SPDX expression, or ``unknown``, in its canonical form."""
    # 35 ms that a manifest without licences need not pay.
    from winnow_ci.policy.spdx import canonical_expression  # noqa: PLC0415

    value = text(node, key)
    try:
        return canonical_expression(value)
    except UsageError as error:
        raise InvalidYamlError(node, f"{key}: {error.problem}", error.remedy) from error


@takes({**matching(rf"(?={PRINTABLE}*[^\s]){PRINTABLE}+"), "maxLength": LONGEST_NAME})
def name(node: yaml.Node, key: str) -> str:
    """The name of a source."""
    value = text(node, key)
    if not value.strip() or len(value) > LONGEST_NAME:
        problem = f"{key} is empty" if not value.strip() else f"{key} is longer than {LONGEST_NAME} characters"
        raise InvalidYamlError(node, problem, "say what the code is called")
    return value


def _purls() -> str:
    from winnow_ci.fetching.packages import PURL  # noqa: PLC0415 - as below

    return f"^(?:{PURL})$"


@takes({"type": "string", "pattern": _purls, "definition": "purl"})
def purl(node: yaml.Node, key: str) -> str:
    """A package URL."""
    # 20 ms that a manifest without packages need not pay.
    from winnow_ci.fetching.packages import parse_purl, repository_of  # noqa: PLC0415

    value = text(node, key)
    try:
        # What is a repository is taken to it here, so its mistakes belong to this line.
        repository_of(parse_purl(value))
    except ConfigError as error:
        raise InvalidYamlError(node, f"{key}: {error.problem}", error.remedy) from error
    return value


@takes({"anyOf": [matching(rf"(?!-|{_REMOTE}){PRINTABLE}+"), matching(GIT_HTTPS), matching(GIT_SSH)]})
def git(node: yaml.Node, key: str) -> str:
    """A URL or a path of a repository."""
    value = text(node, key)
    try:
        if is_remote(value):
            git_address(value)
    except FetchError as error:
        raise InvalidYamlError(node, f"{key}: {error.problem}", error.remedy) from error
    if not value or value.startswith("-"):
        remedy = "name an https or ssh URL, or the path of a repository"
        raise InvalidYamlError(node, f"{key}: {value!r:.100} is no repository", remedy)
    return value


def is_remote(repository: str) -> bool:
    """Whether git takes the name of a repository for a URL, and not for a path."""
    return _NO_PATH.match(repository) is not None


@takes(matching(f"{PRINTABLE}+"))
def path(node: yaml.Node, key: str) -> str:
    """A path of a folder or an archive."""
    value = text(node, key)
    if not value:
        raise InvalidYamlError(node, f"{key} is empty", "name a folder or an archive")
    return value


@takes(matching(f"(?!-){PRINTABLE}+"))
def revision(node: yaml.Node, key: str) -> str:
    """A tag, a branch or a commit."""
    value = text(node, key)
    if not value or value.startswith("-"):
        raise InvalidYamlError(node, f"{key}: {value!r:.100} is no revision", "name a tag, a branch or a commit")
    return value
