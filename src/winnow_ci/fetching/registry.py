"""Registries of the user, and which URLs may be fetched for them, with which credentials."""

from __future__ import annotations

from base64 import b64encode
from urllib.parse import SplitResult, unquote, urlsplit

from winnow_ci.named_tuples import NamedTuple

_PORTS = {"https": 443, "http": 80}


class Registry(NamedTuple):
    """A registry that the user's own tools are configured with.

    Attributes:
        url: without credentials.
        authorization: content of the header; None to leave it to ``.netrc``. It is sent only to the origin of ``url``.
        certificates: file or folder of trusted certificates; None for those that ``requests`` trusts.
        proxy: through which it is reached, if no variable of the environment names one; may have credentials.
    """

    url: str
    authorization: str | None = None
    certificates: str | None = None
    proxy: str | None = None

    def serves(self, url: str) -> bool:
        """Whether a URL has the same origin: scheme, host and port."""
        return origin(url) == origin(self.url)

    def permits(self, url: str) -> bool:
        """Whether a URL may be fetched: any https URL; others if the registry itself has the same origin."""
        return is_https(url) or (_scheme(url) in {"http", "file"} and self.serves(url))


def registry_at(url: str, certificates: str | None = None) -> Registry:
    """The registry at a URL, which may have credentials in it."""
    parts = urlsplit(url)
    if parts.username is None:
        return Registry(url, None, certificates)
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return Registry(without_credentials(url), f"Basic {b64encode(pair.encode()).decode()}", certificates)


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port of a URL."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme)


def is_https(url: str) -> bool:
    """Whether a text is an ``https`` URL with a host."""
    try:
        scheme, host, port = origin(url)
    except ValueError:
        return False
    return bool(scheme == "https" and host and port)


def without_credentials(url: str) -> str:
    """The URL without a user's name and password."""
    parts = urlsplit(url)
    return parts._replace(netloc=_host(parts)).geturl()


def has_credentials(url: str) -> bool:
    """Whether a URL has a user's name or a password."""
    return "@" in urlsplit(url).netloc


def shown_url(url: str) -> str:
    """The URL for messages: without credentials, and without a query, which may have some too."""
    try:
        parts = urlsplit(url)
        return parts._replace(netloc=_host(parts), query="", fragment="").geturl()
    except ValueError:
        return "a URL that is none"


def _host(parts: SplitResult) -> str:
    return parts.netloc.rpartition("@")[2]


def _scheme(url: str) -> str:
    try:
        return origin(url)[0]
    except ValueError:
        return ""
