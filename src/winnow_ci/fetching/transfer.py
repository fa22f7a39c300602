"""One attempt to get what is at a URL.

``requests`` finds proxies, ``.netrc`` and certificates. Other schemes than https are used only for a registry that the
user has set up so (``Registry.permits``), never because of a link or a redirect. Credentials go only to the origin that
they are for, and into no message: the errors of the libraries below contain the whole URL, so none of them is shown.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import requests
import urllib3
from requests import exceptions as failed
from requests.adapters import HTTPAdapter

import winnow_ci
from winnow_ci.errors import FetchError
from winnow_ci.fetching.registry import Registry, is_https, shown_url

if TYPE_CHECKING:
    from collections.abc import Iterator

ONLINE = "see that the network, the proxy and the server work, then run this again"

_CHUNK = 1 << 16
_MOST_REDIRECTS = 10
_ABSENT = {404, 410}
_FORBIDDEN = {401, 403, 407}
_PASSING = {408, 425, 429, 500, 502, 503, 504}


class NotFoundError(FetchError):
    """There is nothing at a URL."""


class TransientError(Exception):
    """A failure that another attempt may not meet.

    Args:
        reason: what is wrong.
        pause: seconds to wait, if the server says so.
    """

    def __init__(self, reason: str, pause: float = 0.0) -> None:
        super().__init__(reason)
        self.pause = pause


@contextmanager
def response(url: str, registry: Registry, accept: str, silence: float) -> Iterator[requests.Response]:
    """Give the answer of a server before its body has arrived.

    Raises:
        NotFoundError: there is nothing at the URL.
        FetchError: it fails, and another attempt would too.
        TransientError: it fails, but another attempt may not.
    """
    with _explained(url), _session(registry) as session:
        at = url
        for _ in range(_MOST_REDIRECTS + 1):
            with _asked(session, at, registry, accept, silence) as answer:
                if not answer.is_redirect:
                    _refuse(url, answer)
                    yield answer
                    return
                at = _target(url, answer, registry)
        raise FetchError(f"{shown_url(url)}: redirected without end", "name another server")


def chunks(answer: requests.Response, most: int, seconds: float, *, unpacked: bool) -> Iterator[bytes]:
    """The body of an answer, part by part.

    Args:
        answer: of ``response``, within whose block this is used.
        most: bytes that it may have.
        seconds: that it may take.
        unpacked: whether to undo the encoding that it was sent with.

    Raises:
        FetchError: it takes more.
        TransientError: it broke off.
    """
    given_up = time.monotonic() + seconds
    total, done = length(answer), 0
    if (total or 0) > most:
        raise _too_large(answer.url, most)
    # Unlike ``read`` it gives what has arrived, so a server that sends byte by byte cannot exceed the time.
    while chunk := answer.raw.read1(_CHUNK, decode_content=unpacked):
        done += len(chunk)
        if done > most:
            raise _too_large(answer.url, most)
        if time.monotonic() > given_up:
            raise FetchError(f"{shown_url(answer.url)}: not here after {seconds:,.0f} seconds", ONLINE)
        yield chunk
    if total is not None and done != total:
        raise TransientError(f"broke off after {done:,} of {total:,} bytes")


def length(answer: requests.Response) -> int | None:
    """Bytes of the body; None if the server does not say."""
    said = answer.headers.get("Content-Length", "")
    is_known = said.isdecimal() and len(said) < 20 and "Content-Encoding" not in answer.headers
    return int(said) if is_known else None


class _Session(requests.Session):
    """Follows no redirect: ``requests`` would read the body that comes with it, which may be endless."""

    def get_redirect_target(self, resp: requests.Response) -> None:  # noqa: ARG002
        return None


class _Authorization(requests.auth.AuthBase):
    """A header that ``.netrc`` does not replace."""

    def __init__(self, content: str) -> None:
        self._content = content

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = self._content
        return request


def _session(registry: Registry) -> requests.Session:
    session = _Session()
    session.adapters.clear()
    session.mount("https://", HTTPAdapter())
    at = urlsplit(registry.url)
    if at.scheme == "http":
        session.mount(f"http://{at.netloc}/", HTTPAdapter())
    if registry.proxy:
        session.proxies = {"https": registry.proxy, "http": registry.proxy}
    session.headers["User-Agent"] = f"winnow-ci/{winnow_ci.__version__}"
    return session


def _asked(session: requests.Session, url: str, registry: Registry, accept: str, silence: float) -> requests.Response:
    is_theirs = registry.authorization and registry.serves(url)
    return session.get(
        url,
        # An archive should arrive as it is, not compressed again.
        headers={"Accept": accept, "Accept-Encoding": "identity"},
        auth=_Authorization(registry.authorization or "") if is_theirs else None,
        verify=registry.certificates,
        stream=True,
        timeout=silence,
    )


def _target(url: str, answer: requests.Response, registry: Registry) -> str:
    location = answer.headers["Location"].encode("latin-1", "replace").decode("utf-8", "replace")
    try:
        target = urljoin(answer.url, location)
    except ValueError:
        target = ""
    stays = registry.serves(answer.url) and registry.permits(target)
    if not (is_https(target) or stays):
        raise FetchError(f"{shown_url(url)}: redirected to what is not https", "name a server that keeps to https")
    return target


def _refuse(url: str, answer: requests.Response) -> None:
    status = answer.status_code
    answered = f"{shown_url(url)}: the server answers {status}"
    if status in _ABSENT:
        raise NotFoundError(answered, "see that the name and the version are right, and that your registry has them")
    if status in _FORBIDDEN:
        raise FetchError(answered, "give your credentials in ~/.netrc, or where the tool of that registry has them")
    if status in _PASSING:
        after = answer.headers.get("Retry-After", "")
        raise TransientError(f"the server answers {status}", float(after) if after.isdecimal() else 0.0)
    if status != requests.codes.ok:
        raise FetchError(answered, ONLINE)


def _too_large(url: str, most: int) -> FetchError:
    return FetchError(f"{shown_url(url)}: larger than {most:,} bytes", "get it yourself, and name the file")


@contextmanager
def _explained(url: str) -> Iterator[None]:
    at = shown_url(url)
    try:
        yield
    except failed.SSLError as error:
        remedy = "REQUESTS_CA_BUNDLE names a file of the certificates that you trust"
        raise FetchError(f"{at}: no trust in the server's certificate", remedy) from error
    except (failed.Timeout, urllib3.exceptions.TimeoutError) as error:
        raise TransientError("the server is silent") from error
    except (failed.InvalidURL, failed.MissingSchema, failed.InvalidSchema) as error:
        raise FetchError(f"{at}: not a URL", "fix it") from error
    except (failed.RequestException, urllib3.exceptions.HTTPError) as error:
        raise TransientError(_cause(error) or "the connection broke off") from error
    except OSError as error:
        remedy = "name a file that is there with REQUESTS_CA_BUNDLE, or where the tool of that registry has it"
        raise FetchError(f"{at}: the certificates to trust cannot be read", remedy) from error


def _cause(error: BaseException | None) -> str | None:
    """The message of the operating system."""
    while error is not None:
        said = getattr(error, "strerror", None)
        if said and not isinstance(error, failed.RequestException):
            return str(said)
        error = error.__cause__ or error.__context__
    return None
