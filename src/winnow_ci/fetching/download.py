"""Download within limits of size and time; check, and try again.

``requests`` finds proxies, ``.netrc`` and certificates. Other schemes than https are used only for a registry that the
user has set up so (``Registry.permits``), never because of a link or a redirect. Credentials go only to the origin that
they are for, and into no message: the errors of the libraries below contain the whole URL, so none of them is shown.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar, cast
from urllib.parse import urljoin, urlsplit
from urllib.request import url2pathname

import requests
import urllib3
from requests import exceptions as failed
from requests.adapters import HTTPAdapter
from requests.auth import HTTPBasicAuth

import winnow_ci
from winnow_ci import run_log
from winnow_ci.errors import FetchError
from winnow_ci.fetching.cache import LARGEST_FETCHED, cached_file, incoming_file, put_file
from winnow_ci.fetching.urls import Registry, is_https, shown_url
from winnow_ci.model import Progress
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regular_file import open_regular

_T = TypeVar("_T")
_NONE = Registry(url="")
_ONLINE = "check that the network, the proxy and the server work, then run this again"
_LONGEST_PAUSE = 60.0  # seconds
_CHUNK = 1 << 16
_MOST_REDIRECTS = 10
_ABSENT = {404, 410}
_FORBIDDEN = {401, 403, 407}
_PASSING = {408, 425, 429, 500, 502, 503, 504}


class NotFoundError(FetchError):
    """There is nothing at a URL."""


class _TransientError(Exception):
    """A failure that may pass, after a pause in seconds."""

    def __init__(self, reason: str, pause: float = 0.0) -> None:
        super().__init__(reason)
        self.pause = pause


class DownloadLimits(NamedTuple):
    """The limits of a download."""

    file: int = LARGEST_FETCHED  # bytes of a file
    page: int = 64 << 20  # bytes of a page, which is held in memory
    silence: float = 30.0  # seconds to wait for a connection, and for anything to arrive on it
    total: float = 3600.0  # seconds for one try
    tries: int = 4  # how often it is tried
    pause: float = 1.0  # seconds before the second try; doubled before each further one


_USUAL = DownloadLimits()
_OF_RANGES = DownloadLimits(silence=10.0, total=60.0, tries=2)
_CONNECTIONS = 32
# Hosts that failed until the last try. Until one answers again, what else it has is tried once.
_silent: set[str] = set()


class WebPage(NamedTuple):
    """What is at a URL."""

    content: bytes
    kind: str  # its media type, in lower case and without parameters; empty if unknown
    url: str  # after all redirects; links in the page are relative to it


def download(
    url: str,
    sha256: str | None = None,
    *,
    registry: Registry = _NONE,
    progress: Progress | None = None,
    limits: DownloadLimits = _USUAL,
) -> Path:
    """Download a file of a registry into the cache; check its sha256."""
    if sha256 is not None and (found := cached_file(sha256)):
        return found
    if local := _local(url, registry, limits.file):
        return put_file(local, sha256)
    return asked_by(lambda: _response(url, registry, "*/*", limits.silence), url, sha256, progress, limits)


def web_page(url: str, *, registry: Registry = _NONE, accept: str = "*/*", limits: DownloadLimits = _USUAL) -> WebPage:
    """Return a page of a registry in an accepted media type."""
    if local := _local(url, registry, limits.page):
        return WebPage(local.read_bytes(), "", url)

    def attempt() -> WebPage:
        run_log.tell(f"asking {shown_url(url)}")
        with _explained(url), _response(url, registry, accept, limits.silence) as answer:
            _refuse_errors(url, answer.status_code, answer.headers)
            content = b"".join(_chunks(answer.raw, answer.url, limits.page, limits.total, unpacked=True))
            kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            return WebPage(content, kind, answer.url)

    return _persistently(attempt, url, limits)


def fetched_ranges(url: str, spans: Sequence[tuple[int, int]], limits: DownloadLimits = _OF_RANGES) -> Iterator[bytes]:
    """Yield ranges of the file at a URL, in their order, given where each begins and how many bytes it has.

    Several are asked for at a time. What comes may be shorter than asked for.
    """
    if not _NONE.permits(url):
        raise FetchError(f"{shown_url(url)}: not an https URL", "name an https URL")
    run_log.tell(f"asking {shown_url(url)} for {len(spans)} ranges")
    with _session(_NONE) as session:
        first, ask = _persistently(lambda: _first_range(session, url, spans[0], limits), url, limits)
        yield first
        pool = ThreadPoolExecutor(_CONNECTIONS)
        try:
            yield from pool.map(lambda span: _persistently(lambda: ask(span), url, limits), spans[1:])
        finally:
            pool.shutdown(cancel_futures=True)


def _first_range(
    session: requests.Session, url: str, span: tuple[int, int], limits: DownloadLimits
) -> tuple[bytes, Callable[[tuple[int, int]], bytes]]:
    """Return a range, and what asks for others: below ``requests``, which takes a millisecond for each."""
    with _explained(url), _answer(session, url, _NONE, _range_header(span), limits.silence) as answer:
        found = _range(answer.raw, url, span, limits)
        asked = answer.request
    adapter = cast("HTTPAdapter", session.get_adapter(str(asked.url)))
    settings = session.merge_environment_settings(asked.url, {}, stream=True, verify=None, cert=None)
    proxies = settings["proxies"]
    connections = cast(
        "urllib3.HTTPConnectionPool", adapter.get_connection_with_tls_context(asked, settings["verify"], proxies)
    )
    path = adapter.request_url(asked, proxies)

    def ask(span: tuple[int, int]) -> bytes:
        headers = {**asked.headers, **_range_header(span)}
        send = partial(connections.urlopen, redirect=False, retries=False, preload_content=False)
        with _explained(url), closing(send("GET", path, headers=headers, timeout=limits.silence)) as raw:
            return _range(raw, url, span, limits)

    return found, ask


def asked_by(
    ask: Callable[[], AbstractContextManager[requests.Response]],
    url: str,
    sha256: str | None,
    progress: Progress | None = None,
    limits: DownloadLimits = _USUAL,
) -> Path:
    """Download what somebody else's client asks for, as ``download`` does."""

    def attempt() -> Path:
        run_log.tell(f"downloading {shown_url(url)}")
        with _explained(url), ask() as answer, incoming_file() as file:
            _refuse_errors(url, answer.status_code, answer.headers)
            done, total = 0, _length(answer.headers)
            for chunk in _chunks(answer.raw, answer.url, limits.file, limits.total, unpacked=False):
                file.write(chunk)
                done += len(chunk)
                if progress:
                    progress(done, total)
            if sha256 is not None and file.sha256 != sha256:
                problem = f"{shown_url(url)}: its sha256 is {file.sha256}, not {sha256}"
                raise FetchError(problem, "it differs from the pinned file: find out why before you pin it again")
            return file.keep()

    return _persistently(attempt, url, limits)


def _range_header(span: tuple[int, int]) -> dict[str, str]:
    return {"Range": f"bytes={span[0]}-{sum(span) - 1}"}


def _range(raw: urllib3.BaseHTTPResponse, url: str, span: tuple[int, int], limits: DownloadLimits) -> bytes:
    if raw.status == requests.codes.ok:
        remedy = "ask whoever publishes the index for a server that does, or for the index as one file"
        raise FetchError(f"{shown_url(url)}: the server does not send parts of a file", remedy)
    _refuse_errors(url, raw.status, raw.headers, requests.codes.partial_content)
    return b"".join(_chunks(raw, url, span[1], limits.total, unpacked=False))


def _local(url: str, registry: Registry, most: int) -> Path | None:
    """The file that a permitted URL names, if it names one; for a folder, its list."""
    if not registry.permits(url):
        remedy = "use https; other schemes work only for the registry that your own tools use"
        raise FetchError(f"{shown_url(url)}: not an https URL", remedy)
    if urlsplit(url).scheme != "file":
        return None
    path = Path(url2pathname(urlsplit(url).path))
    try:
        path = path / "index.html" if path.is_dir() else path
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFoundError(f"{path}: {error.strerror}", "check the name and the version") from error
    except (OSError, ValueError) as error:
        raise FetchError(f"{path}: cannot be read, or is not a regular file", "name a readable regular file") from error
    if size > most:
        raise FetchError(f"{path}: larger than {most:,} bytes", "name a smaller one")
    return path


def _persistently(attempt: Callable[[], _T], url: str, limits: DownloadLimits) -> _T:
    host, tries = urlsplit(url).netloc, 1
    most = 1 if host in _silent else limits.tries
    while True:
        try:
            found = attempt()
        except _TransientError as error:
            if tries >= most:
                _silent.add(host)
                raise FetchError(f"{shown_url(url)}: {error} (tried {tries}×)", _ONLINE) from error
            pause = max(limits.pause * 2 ** (tries - 1), error.pause)
        else:
            _silent.discard(host)
            return found
        time.sleep(min(pause, _LONGEST_PAUSE))
        tries += 1


# ---- one attempt ------------------------------------------------------------------------------------------------


@contextmanager
def _response(url: str, registry: Registry, accept: str, silence: float) -> Iterator[requests.Response]:
    """Yield the answer of a server before its body has arrived."""
    with _session(registry) as session, _answer(session, url, registry, {"Accept": accept}, silence) as answer:
        yield answer


@contextmanager
def _answer(
    session: requests.Session, url: str, registry: Registry, headers: dict[str, str], silence: float
) -> Iterator[requests.Response]:
    at = url
    for _ in range(_MOST_REDIRECTS + 1):
        login = registry.login if registry.serves(at) else None
        with session.get(
            at,
            # An archive should arrive as it is, not compressed again.
            headers={**headers, "Accept-Encoding": "identity"},
            auth=HTTPBasicAuth(*login) if login else None,
            verify=registry.certificates,
            stream=True,
            timeout=silence,
        ) as answer:
            if not answer.is_redirect:
                yield answer
                return
            at = _target(url, answer, registry)
    raise FetchError(f"{shown_url(url)}: too many redirects", "name another server")


def _chunks(raw: urllib3.BaseHTTPResponse, url: str, most: int, seconds: float, *, unpacked: bool) -> Iterator[bytes]:
    """The body of an answer, part by part, decoded if ``unpacked``."""
    given_up = time.monotonic() + seconds
    total, done = _length(raw.headers), 0
    # Unlike ``read`` it gives what has arrived, so a server that sends byte by byte cannot exceed the time.
    while max(total or 0, done) <= most and (chunk := raw.read1(_CHUNK, decode_content=unpacked)):
        if time.monotonic() > given_up:
            raise FetchError(f"{shown_url(url)}: not complete after {seconds:,.0f} seconds", _ONLINE)
        yield chunk
        done += len(chunk)
    if max(total or 0, done) > most:
        raise FetchError(f"{shown_url(url)}: larger than {most:,} bytes", "download it yourself, and name the file")
    if total is not None and done != total:
        raise _TransientError(f"the connection was lost after {done:,} of {total:,} bytes")


def _length(headers: Mapping[str, str]) -> int | None:
    """Bytes of the body; None if the server does not say."""
    said = headers.get("Content-Length", "")
    is_known = said.isdecimal() and len(said) < 20 and "Content-Encoding" not in headers
    return int(said) if is_known else None


class _Session(requests.Session):
    """Follows no redirect: ``requests`` would read the body that comes with it, which may be endless."""

    def get_redirect_target(self, resp: requests.Response) -> None:  # noqa: ARG002
        return None


def _session(registry: Registry) -> requests.Session:
    session = _Session()
    session.adapters.clear()
    session.mount("https://", HTTPAdapter(pool_maxsize=_CONNECTIONS))
    at = urlsplit(registry.url)
    if at.scheme == "http":
        session.mount(f"http://{at.netloc}/", HTTPAdapter())
    if registry.proxy:
        session.proxies = {"https": registry.proxy, "http": registry.proxy}
    session.headers["User-Agent"] = f"winnow-ci/{winnow_ci.__version__}"
    return session


def _target(url: str, answer: requests.Response, registry: Registry) -> str:
    location = answer.headers["Location"].encode("latin-1", "replace").decode("utf-8", "replace")
    try:
        target = urljoin(answer.url, location)
    except ValueError:
        target = ""
    stays = registry.serves(answer.url) and registry.permits(target)
    if not (is_https(target) or stays):
        problem = f"{shown_url(url)}: redirected to a URL that is not https"
        raise FetchError(problem, "name a server that stays on https")
    return target


def _refuse_errors(url: str, status: int, headers: Mapping[str, str], expected: int = requests.codes.ok) -> None:
    answered = f"{shown_url(url)}: the server answers {status}"
    if status in _ABSENT:
        raise NotFoundError(answered, "check the name and the version, and that your registry has them")
    if status in _FORBIDDEN:
        raise FetchError(answered, "give your credentials in ~/.netrc, or in the settings of that registry's tool")
    if status in _PASSING:
        after = headers.get("Retry-After", "")
        raise _TransientError(f"the server answers {status}", float(after) if after.isdecimal() else 0.0)
    if status != expected:
        raise FetchError(answered, _ONLINE)


@contextmanager
def _explained(url: str) -> Iterator[None]:
    at = shown_url(url)
    try:
        yield
    except failed.SSLError as error:
        remedy = "set REQUESTS_CA_BUNDLE to a file with the certificates that you trust"
        raise FetchError(f"{at}: the server's certificate is not trusted", remedy) from error
    except (failed.Timeout, urllib3.exceptions.TimeoutError) as error:
        raise _TransientError("the server is silent") from error
    except (failed.InvalidURL, failed.MissingSchema, failed.InvalidSchema) as error:
        raise FetchError(f"{at}: not a URL", "fix it") from error
    except (failed.RequestException, urllib3.exceptions.HTTPError) as error:
        raise _TransientError(_cause(error) or "the connection was lost") from error
    except OSError as error:
        remedy = "set REQUESTS_CA_BUNDLE, or the setting of that registry's tool, to an existing file"
        raise FetchError(f"{at}: cannot read the trusted certificates", remedy) from error


def _cause(error: BaseException | None) -> str | None:
    """The message of the operating system."""
    while error is not None:
        said = getattr(error, "strerror", None)
        if said and not isinstance(error, failed.RequestException):
            return str(said)
        error = error.__cause__ or error.__context__
    return None
