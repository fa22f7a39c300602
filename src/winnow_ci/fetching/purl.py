"""Package URLs (``pkg:pypi/requests@2.32.3``) of what can be fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packageurl import PackageURL

from winnow_ci.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection


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
