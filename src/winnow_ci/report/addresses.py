"""Addresses in reports: of lines of the change, of sources, of the documentation; only http and https.

Text from a repository or an index is percent-encoded, so that nothing in an address ends it, and it stays on the server
that its first part names.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from packageurl import PackageURL
from packageurl.contrib import purl2url

from winnow_ci.model import LineRange, Source
from winnow_ci.model.changes import WebRepository

_LONGEST = 2000
_PLAIN = re.compile(r"https?://[A-Za-z0-9./~%-]+")
_DOCUMENTATION = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~@-]+)*", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")  # SHA-1 or SHA-256
_NO_BYTE = re.compile(r"[\ud800-\udc7f\udd00-\udfff]")  # surrogates that stand for no byte
_BETWEEN = {"github": ("blob", "-L"), "gitlab": ("-/blob", "-")}
# Types whose address follows from name and version, according to ``purl2url``. For others it makes addresses of
# downloads, or some that need an account.
_SURE = frozenset({"bitbucket", "cargo", "gem", "github", "gitlab", "golang", "hackage", "npm", "nuget", "pypi"})
_DEBIAN = "https://sources.debian.org/src"


def of_lines(repository: WebRepository | None, commit: str | None, path: str, lines: LineRange) -> str | None:
    """Where a browser shows lines of a commit; None if unknown, or if git can have no such path."""
    if repository is None or commit is None or not _COMMIT.fullmatch(commit):
        return None
    if any(part in {"", ".", ".."} for part in path.split("/")):
        return None
    blob, between = _BETWEEN[repository.service]
    fragment = f"L{lines.first}" if lines.first == lines.last else f"L{lines.first}{between}{lines.last}"
    return _if_short(f"{repository.url}/{blob}/{commit}/{of_path(path)}#{fragment}")


def of_path(path: str) -> str:
    """A relative reference with exactly the path's bytes; ``.`` for none."""
    return quote(_NO_BYTE.sub("?", path).encode("utf-8", "surrogateescape"), safe="/") or "."


def package_url(source: Source) -> PackageURL | None:
    """The package URL of a source; None without a valid one."""
    try:
        return PackageURL.from_string(source.purl) if source.purl else None
    except ValueError:
        return None


def of_source(source: Source) -> str | None:
    """Where a source comes from: its URL if that is plain, else the one that follows from its package URL."""
    if source.url and _PLAIN.fullmatch(source.url):
        return _if_short(source.url)
    return None if source.url or source.purl is None else _of_package(source.purl)


def of_rule(documentation: str | None, rule: str) -> str | None:
    """The page of a rule in the documentation; None if the documentation has no address."""
    # A forge shows the pages as they are in the repository, at an address with ``/blob/``; a site has HTML instead.
    if documentation is None or not _DOCUMENTATION.fullmatch(documentation):
        return None
    return _if_short(f"{documentation}/rules/{rule}.{'md' if '/blob/' in documentation else 'html'}")


def _of_package(purl: str) -> str | None:
    try:
        package = PackageURL.from_string(purl)
        if package.type == "deb" and package.namespace == "debian":
            parts = (quote(part, safe="") for part in (package.name, package.version) if part)
            return _if_short("/".join((_DEBIAN, *parts, "")))
        if package.type not in _SURE:
            return None
        # Qualifiers could name another server.
        bare = PackageURL(package.type, package.namespace, package.name, package.version)
        url: str | None = purl2url.get_repo_url(bare.to_string())  # type: ignore[no-untyped-call]
    except (ValueError, TypeError):
        # The library does not expect names that are empty once they are normalised.
        return None
    return _if_short(quote(url, safe=":/@~")) if url else None


def _if_short(url: str) -> str | None:
    return url if len(url) <= _LONGEST else None
