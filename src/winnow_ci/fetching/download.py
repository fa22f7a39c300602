"""Downloads with limits on size and time, checked, and retried where that can help."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar
from urllib.parse import urlsplit
from urllib.request import url2pathname

from winnow_ci import run_log
from winnow_ci.errors import FetchError
from winnow_ci.fetching import file_cache
from winnow_ci.fetching.registry import Registry, shown_url
from winnow_ci.fetching.transfer import ONLINE, NotFoundError, TransientError, chunks, length, response
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
Progress: TypeAlias = "Callable[[int, int | None], object]"
"""Gets how many bytes have arrived, and how many there will be if that is known."""

_NONE = Registry(url="")
_LONGEST_PAUSE = 60.0  # seconds


class DownloadLimits(NamedTuple):
    """What a download may take.

    Attributes:
        file: bytes of a file.
        page: bytes of a page, which is held in memory.
        silence: seconds to wait for a connection, and for anything to arrive on it.
        total: seconds for one try.
        tries: how often it is tried.
        pause: seconds before the second try; doubled before each further one.
    """

    file: int = file_cache.LARGEST_FILE
    page: int = 64 << 20
    silence: float = 30.0
    total: float = 3600.0
    tries: int = 4
    pause: float = 1.0


_USUAL = DownloadLimits()


class WebPage(NamedTuple):
    """What is at a URL.

    Attributes:
        content: all of it.
        kind: its media type, in lower case and without parameters; empty if unknown.
        url: after all redirects; links in the page are relative to it.
    """

    content: bytes
    kind: str
    url: str


def download(
    url: str,
    sha256: str | None = None,
    *,
    registry: Registry = _NONE,
    progress: Progress | None = None,
    limits: DownloadLimits = _USUAL,
) -> Path:
    """Download a file into the cache, unless it is there.

    Args:
        url: where it is, without credentials.
        sha256: that it must have; None to accept any.
        registry: of the user, whose file it is.
        progress: gets how much has arrived.
        limits: what it may take.

    Raises:
        NotFoundError: there is no such file.
        FetchError: it cannot be fetched, is too large, or has another sha256.
    """
    if sha256 is not None and (found := file_cache.get(sha256)):
        return found
    if _is_local(url, registry):
        return file_cache.put(_local(url, limits.file), sha256)
    with file_cache.incoming() as file:
        _persistently(lambda: _receive(file, url, registry, progress, limits), url, limits)
        if sha256 is not None and file.sha256 != sha256:
            problem = f"{shown_url(url)}: its sha256 is {file.sha256}, not {sha256}"
            raise FetchError(problem, "it is not what was pinned: find out why before you pin it anew")
        return file.keep()


def web_page(url: str, *, registry: Registry = _NONE, accept: str = "*/*", limits: DownloadLimits = _USUAL) -> WebPage:
    """What is at a URL, in memory.

    Args:
        url: where it is, without credentials.
        registry: of the user, whose page it is.
        accept: the media types that are understood.
        limits: what it may take.

    Raises:
        NotFoundError: there is nothing.
        FetchError: it cannot be fetched, or is too large.
    """
    if _is_local(url, registry):
        return WebPage(_local(url, limits.page).read_bytes(), "", url)
    return _persistently(lambda: _read(url, registry, accept, limits), url, limits)


def _is_local(url: str, registry: Registry) -> bool:
    if not registry.permits(url):
        remedy = "use https; another scheme must be that of the registry that your own tools use"
        raise FetchError(f"{shown_url(url)}: not an https URL", remedy)
    return urlsplit(url).scheme == "file"


def _local(url: str, most: int) -> Path:
    """The file that a URL names; of a folder, the page that lists it."""
    path = Path(url2pathname(urlsplit(url).path))
    try:
        path = path / "index.html" if path.is_dir() else path
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFoundError(f"{path}: {error.strerror}", "see that the name and the version are right") from error
    except (OSError, ValueError) as error:
        raise FetchError(f"{path}: cannot be read", "make it readable") from error
    # Opening a named pipe would wait until somebody writes to it.
    if not stat.S_ISREG(found.st_mode) or not os.access(path, os.R_OK):
        raise FetchError(f"{path}: cannot be read, or is no regular file", "make it one, and readable")
    if found.st_size > most:
        raise FetchError(f"{path}: larger than {most:,} bytes", "name a smaller one")
    return path


def _receive(
    file: file_cache.IncomingFile, url: str, registry: Registry, progress: Progress | None, limits: DownloadLimits
) -> None:
    file.restart()
    run_log.tell(f"downloading {shown_url(url)}")
    with response(url, registry, "*/*", limits.silence) as answer:
        done, total = 0, length(answer)
        for chunk in chunks(answer, limits.file, limits.total, unpacked=False):
            file.write(chunk)
            done += len(chunk)
            if progress:
                progress(done, total)


def _read(url: str, registry: Registry, accept: str, limits: DownloadLimits) -> WebPage:
    run_log.tell(f"asking {shown_url(url)}")
    with response(url, registry, accept, limits.silence) as answer:
        content = b"".join(chunks(answer, limits.page, limits.total, unpacked=True))
        kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        return WebPage(content, kind, answer.url)


def _persistently(attempt: Callable[[], T], url: str, limits: DownloadLimits) -> T:
    tries = 1
    while isinstance(found := _one(attempt), TransientError):
        if tries >= limits.tries:
            raise FetchError(f"{shown_url(url)}: {found} (tried {tries}×)", ONLINE) from found
        time.sleep(min(max(limits.pause * 2 ** (tries - 1), found.pause), _LONGEST_PAUSE))
        tries += 1
    return found


def _one(attempt: Callable[[], T]) -> T | TransientError:
    try:
        return attempt()
    except TransientError as error:
        return error
