"""Package URLs of packages (``pkg:pypi/requests@2.32.3``) and of repositories (``pkg:github/OWNER/NAME@v1.0``)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packageurl import PackageURL

from winnow_ci.errors import ConfigError, FetchError
from winnow_ci.fetching.git_address import revision_name
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

# The hosts whose repositories have package URLs of their own (the types of the specification of package URLs).
_FORGES = {"github": "https://github.com", "gitlab": "https://gitlab.com", "bitbucket": "https://bitbucket.org"}
_PART = r"(?![.-])[A-Za-z0-9._-]{1,100}"
_WORD = r"[^\u0000-\u0020\u007f-\u00a0/#?@]+"
_TEXT = r"[^\u0000-\u0020\u007f-\u00a0#?&]+"
_QUALIFIER = rf"[A-Za-z._-][A-Za-z0-9._-]*={_TEXT}"
PURL = (
    rf"pkg:(?:{'|'.join(_FORGES)})/{_PART}(?:/{_PART})+(?:@{_TEXT})?"
    rf"|pkg:(?!(?:{'|'.join(_FORGES)})/)[A-Za-z._-][A-Za-z0-9._-]*/(?:@?{_WORD}/)*{_WORD}(?:@{_TEXT})?"
    rf"(?:\?{_QUALIFIER}(?:&{_QUALIFIER})*)?"
)
"""A pattern of package URLs, as far as a pattern can tell."""


class PackageRepository(NamedTuple):
    """The git repository that a package URL stands for, and a revision of it."""

    url: str
    revision: str


def parse_purl(text: str) -> PackageURL:
    """The package URL that a text is.

    Raises:
        ConfigError: it is not one, or names a part of a package.
    """
    try:
        purl = PackageURL.from_string(text)
    except ValueError as error:
        remedy = "write pkg:TYPE/NAME@VERSION, such as pkg:pypi/NAME@1.0"
        raise ConfigError(f"{text!r:.200} is no package URL: {error}", remedy) from error
    if purl.subpath:
        problem = f"{text}: a part of a package (#{purl.subpath}) cannot be fetched"
        raise ConfigError(problem, "leave out what begins with #")
    return purl


def qualifiers(purl: PackageURL, known: Collection[str] = ()) -> dict[str, str]:
    """The qualifiers of a package URL.

    Args:
        purl: the package URL.
        known: the names that are supported. ``repository_url`` never is: registries are the user's own.

    Raises:
        ConfigError: it has others.
    """
    found = dict(purl.qualifiers) if isinstance(purl.qualifiers, dict) else {}
    others = [name for name in found if name not in known]
    if others:
        remedy = f"those of pkg:{purl.type} are: {', '.join(known) or 'none'}; registries are those of your own tools"
        raise ConfigError(f"{purl}: there is no use for the qualifier {others[0]!r:.60}", remedy)
    return found


def repository_of(purl: PackageURL) -> PackageRepository | None:
    """The repository that a package URL stands for; None if it is that of a package.

    Raises:
        ConfigError: there can be no such repository, or no such revision.
    """
    forge = _FORGES.get(purl.type)
    if forge is None:
        return None
    qualifiers(purl)
    path = [*(purl.namespace or "").split("/"), purl.name]
    if len(path) < 2 or not all(re.fullmatch(_PART, part) for part in path):
        raise ConfigError(f"{purl}: no name of a repository", f"write pkg:{purl.type}/OWNER/NAME@REVISION")
    try:
        revision = revision_name(purl.version) if purl.version else "HEAD"
    except FetchError as error:
        raise ConfigError(f"{purl}: {error.problem}", error.remedy) from error
    return PackageRepository(f"{forge}/{'/'.join(path)}.git", revision)
