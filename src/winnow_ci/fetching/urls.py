"""Check URLs of registries and git repositories, and keep their credentials.

What git takes for a URL may also be a program (``ext::sh -c …``), an option (``-u…``), or part of the input of
credential helpers. A manifest that a pull request edits is hostile, so only a few forms reach git: ``https://``,
``ssh://`` and its short form ``user@host:path``. ``file://`` reads whatever the user can read, and is allowed only if
the caller says that the manifest is the user's own.
"""

from __future__ import annotations

import re
from contextlib import suppress
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from winnow_ci.errors import FetchError
from winnow_ci.named_tuples import NamedTuple

_PORTS = {"https": 443, "http": 80}
_CREDENTIALS = re.compile(r"(?<=//)[^/\s]*@")

_LONGEST_GIT_URL = 2048
_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])"
_USER = r"[A-Za-z0-9_](?:[A-Za-z0-9_.+~%-]*)"
_PATH = r'[!-"$->@-\[\]-~]+'
_URL_PATH = rf"(?::[0-9]{{1,5}})?/(?!-){_PATH}"
GIT_HTTPS = rf"https://(?:{_USER}@)?{_HOST}{_URL_PATH}"
GIT_SSH = rf"ssh://(?:{_USER}@)?{_HOST}{_URL_PATH}|{_USER}@{_HOST}:(?![/-]*-)(?!.*:){_PATH}"
"""Patterns of the URLs that git may be given."""
_GIT_FORMS = {"https": re.compile(GIT_HTTPS), "ssh": re.compile(GIT_SSH), "file": re.compile(rf"file:///{_PATH}")}
_PASSWORD = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/@]*:[^/@]*@")
_COMMIT_ID = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")
# As in git-check-ref-format(1); with an asterisk or a caret a name would be a pattern or an expression.
_REVISION = re.compile(r"(?!-)(?!.*(?:\.\.|@\{|//|/\.|\.lock(?:/|$)))[^\s\x00-\x20\x7f~^:?*\[\\]{1,255}(?<![./])")
_WRITE = "write https://HOST/PATH, ssh://USER@HOST/PATH or USER@HOST:PATH"


class Registry(NamedTuple):
    """A registry that the user's own tools are configured with."""

    url: str  # without credentials
    login: tuple[bytes, bytes] | None = None  # user and password, only for the origin of ``url``; None: see ``.netrc``
    certificates: str | None = None  # file or folder of trusted certificates; None for those that ``requests`` trusts
    proxy: str | None = None  # used if no environment variable names one; may have credentials

    def serves(self, url: str) -> bool:
        """Whether a URL has the same origin: scheme, host and port."""
        return _origin(url) == _origin(self.url)

    def permits(self, url: str) -> bool:
        """Whether a URL is https, or of the registry's own origin."""
        with suppress(ValueError):
            return is_https(url) or (_origin(url)[0] in {"http", "file"} and self.serves(url))
        return False


def registry_at(url: str, certificates: str | None = None) -> Registry:
    """Return the registry at a URL, which may have credentials in it."""
    parts = urlsplit(url)
    login = unquote_to_bytes(parts.username or ""), unquote_to_bytes(parts.password or "")
    return Registry(without_credentials(url), None if parts.username is None else login, certificates)


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme)


def is_https(url: str) -> bool:
    """Whether a text is an ``https`` URL with a host."""
    with suppress(ValueError):
        scheme, host, port = _origin(url)
        return bool(scheme == "https" and host and port)
    return False


def without_credentials(url: str) -> str:
    """Return the URL without a user's name and password."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def has_credentials(url: str) -> bool:
    """Whether a URL has a user's name or a password."""
    return "@" in urlsplit(url).netloc


def shown_url(url: str) -> str:
    """Return a URL for messages, without credentials and query."""
    with suppress(ValueError):
        return urlsplit(without_credentials(url))._replace(query="", fragment="").geturl()
    return "an invalid URL"


def hide_credentials(text: str) -> str:
    """Remove user names and passwords from the URLs of a text."""
    return _CREDENTIALS.sub("", text)


def harmless(text: str) -> str:
    """Return untrusted text for a message: without credentials, unprintable characters as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in hide_credentials(text))


# ---- git --------------------------------------------------------------------------------------------------------


class GitAddress(NamedTuple):
    """A URL that git may be given, and its protocol."""

    url: str
    protocol: str

    def __str__(self) -> str:
        """The URL for messages, without user names, which may be tokens."""
        return harmless(self.url)


def git_address(url: str, *, local: bool = False) -> GitAddress:
    """Check the URL of a git repository; ``local`` allows ``file://``."""
    plain = unquote(url)
    if len(url) > _LONGEST_GIT_URL or not (url.isascii() and plain.isprintable()) or " " in url or "\\" in plain:
        raise FetchError(f"not the URL of a git repository: {harmless(url[:80])!r}", _WRITE)
    if _PASSWORD.match(url):
        problem = f"a URL with a password in it: {harmless(url)}"
        raise FetchError(problem, "leave out the password: git asks your credential helper")
    for protocol, form in _GIT_FORMS.items():
        if form.fullmatch(url) and (local or protocol != "file"):
            return GitAddress(url, protocol)
    if _GIT_FORMS["file"].fullmatch(url):
        problem = f"{harmless(url)} is a folder on this machine, but somebody else may have written the manifest"
        raise FetchError(problem, "name its URL, or give its path as path:")
    raise FetchError(f"not the URL of a git repository: {harmless(url)}", _WRITE)


def is_commit_id(revision: str) -> bool:
    """Whether a revision is a full commit id."""
    return _COMMIT_ID.fullmatch(revision) is not None


def commit_id(text: str) -> str:
    """Check a commit id that a change may have edited."""
    if not is_commit_id(text):
        remedy = "write 40 (or 64) lower-case hexadecimal digits"
        raise FetchError(f"not a full commit id: {harmless(text[:80])!r}", remedy)
    return text


def revision_name(revision: str) -> str:
    """Check the name of a tag or branch."""
    if _REVISION.fullmatch(revision) is None or not revision.isprintable():
        raise FetchError(f"not a tag, branch or full commit id: {harmless(revision[:80])!r}", "name one of these")
    return revision
