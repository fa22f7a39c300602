"""Downloads: what is refused, what is tried again, what is sent to whom."""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import sys
import threading
import traceback
from base64 import b64encode
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.https import Authority, Server, answer, redirecting, serving
from winnow_ci.errors import FetchError
from winnow_ci.fetching.cache import cached_file
from winnow_ci.fetching.download import DownloadLimits, NotFoundError, download, web_page
from winnow_ci.fetching.urls import Registry, registry_at

if TYPE_CHECKING:
    from http.server import BaseHTTPRequestHandler

CONTENT = bytes(range(256)) * 4000
DIGEST = hashlib.sha256(CONTENT).hexdigest()
ONCE = DownloadLimits(tries=1)
QUICKLY = DownloadLimits(tries=3, pause=0.01)
BASIC = f"Basic {b64encode(b'ann:s3cret').decode()}"


def _kept(folder: Path) -> list[str]:
    """Names of the files, without the lock and what says when they were used."""
    return sorted(
        one.name for one in folder.rglob("*") if one.is_file() and one.suffix != ".used" and one.name != "lock"
    )


def test_a_file_arrives_whole_and_is_fetched_once(server: Server) -> None:
    server.pages["/a.tar.gz"] = CONTENT
    told: list[tuple[int, int | None]] = []
    path = download(f"{server.url}/a.tar.gz", DIGEST, progress=lambda done, total: told.append((done, total)))
    assert path.read_bytes() == CONTENT
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert download(f"{server.url}/a.tar.gz", DIGEST) == path
    assert server.paths() == ["/a.tar.gz"]


def test_without_a_sha256_there_is_what_there_is(server: Server) -> None:
    server.pages["/a.tar.gz"] = CONTENT
    assert download(f"{server.url}/a.tar.gz").name == DIGEST


def test_another_content_than_what_was_pinned_is_refused(server: Server, cache_folder: Path) -> None:
    server.pages["/a.tar.gz"] = CONTENT
    with pytest.raises(FetchError, match=f"/a.tar.gz: its sha256 is {DIGEST}, not {'0' * 64}"):
        download(f"{server.url}/a.tar.gz", "0" * 64)
    assert _kept(cache_folder) == []


def test_what_is_packed_for_the_way_is_kept_as_it_was_sent(server: Server) -> None:
    server.pages["/a.tar.gz"] = lambda handler: answer(handler, 200, CONTENT, {"Content-Encoding": "gzip"})
    assert download(f"{server.url}/a.tar.gz", DIGEST).read_bytes() == CONTENT


def _in_chunks(handler: BaseHTTPRequestHandler) -> None:
    handler.protocol_version = "HTTP/1.1"
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for start in range(0, len(CONTENT), 100_000):
        part = CONTENT[start : start + 100_000]
        handler.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
    handler.wfile.write(b"0\r\n\r\n")


def test_a_body_in_chunks_of_no_known_length_arrives_whole(server: Server) -> None:
    server.pages["/a"] = _in_chunks
    assert download(f"{server.url}/a", DIGEST).read_bytes() == CONTENT


def _breaking_off(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(CONTENT)))
    handler.end_headers()
    handler.wfile.write(CONTENT[:1000])


def _breaking_off_in_chunks(handler: BaseHTTPRequestHandler) -> None:
    handler.protocol_version = "HTTP/1.1"
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b"%x\r\n%b" % (len(CONTENT), CONTENT[:1000]))


@pytest.mark.parametrize("broken", [_breaking_off, _breaking_off_in_chunks])
def test_what_breaks_off_is_tried_again_and_leaves_nothing_half(
    broken: object, server: Server, cache_folder: Path
) -> None:
    server.pages["/a"] = broken  # type: ignore[assignment]
    with pytest.raises(FetchError, match="tried 3×"):
        download(f"{server.url}/a", limits=QUICKLY)
    assert len(server.requests) == 3
    assert _kept(cache_folder) == []


def test_a_server_in_trouble_is_asked_again(server: Server) -> None:
    def recovering(handler: BaseHTTPRequestHandler) -> None:
        is_well = len(server.requests) == 3
        answer(handler, 200 if is_well else 503, CONTENT if is_well else b"", {"Retry-After": "0"})

    server.pages["/a"] = recovering
    assert download(f"{server.url}/a", DIGEST, limits=QUICKLY).read_bytes() == CONTENT


def test_what_is_not_there_is_not_asked_for_again(server: Server) -> None:
    with pytest.raises(NotFoundError, match="/a: the server answers 404"):
        download(f"{server.url}/a", limits=QUICKLY)
    assert len(server.requests) == 1


def test_an_endless_body_is_cut_at_the_limit(server: Server, cache_folder: Path) -> None:
    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(CONTENT)

    server.pages["/a"] = endless
    for get in (download, web_page):
        with pytest.raises(FetchError, match="larger than 100,000 bytes"):
            get(f"{server.url}/a", limits=DownloadLimits(file=100_000, page=100_000))  # type: ignore[operator]
    assert _kept(cache_folder) == []


def test_a_page_that_unpacks_to_more_than_the_limit_is_cut(server: Server) -> None:
    packed = gzip.compress(b"a" * 10_000_000)
    server.pages["/a"] = lambda handler: answer(handler, 200, packed, {"Content-Encoding": "gzip"})
    assert len(web_page(f"{server.url}/a").content) == 10_000_000
    with pytest.raises(FetchError, match="larger than 100,000 bytes"):
        web_page(f"{server.url}/a", limits=DownloadLimits(page=100_000))


def test_a_body_that_says_it_is_too_large_is_not_read(server: Server) -> None:
    server.pages["/a"] = lambda handler: answer(handler, 200, b"", {"Content-Length": "100000000000"})
    with pytest.raises(FetchError, match="larger than"):
        download(f"{server.url}/a")


def test_a_silent_server_is_given_up(server: Server, cache_folder: Path) -> None:
    over = threading.Event()
    server.pages["/a"] = lambda handler: over.wait() and None
    with pytest.raises(FetchError, match="the server is silent"):
        download(f"{server.url}/a", limits=DownloadLimits(silence=0.2, tries=1))
    over.set()
    assert _kept(cache_folder) == []


def test_a_server_that_sends_byte_by_byte_is_given_up(server: Server, cache_folder: Path) -> None:
    over = threading.Event()

    def dripping(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        while not over.wait(0.05):
            handler.wfile.write(b"a")

    server.pages["/a"] = dripping
    with pytest.raises(FetchError, match="not complete after"):
        download(f"{server.url}/a", limits=DownloadLimits(silence=30, total=0.3))
    over.set()
    assert _kept(cache_folder) == []


def test_an_unreachable_server_is_told_by_what_the_system_says(server: Server) -> None:
    with serving(None) as gone:
        pass
    with pytest.raises(FetchError, match=r"localhost:\d+/a: Connection refused \(tried 1×\)"):
        download(f"{gone.url.replace('http:', 'https:')}/a", limits=ONCE)


def test_a_certificate_that_nobody_vouches_for_is_refused(server: Server, tmp_path: Path) -> None:
    (tmp_path / "stranger").mkdir()
    with serving(Authority(tmp_path / "stranger")) as stranger:
        with pytest.raises(FetchError, match="the server's certificate is not trusted"):
            download(f"{stranger.url}/a")
        assert stranger.requests == []


def test_the_certificates_that_a_registry_is_set_up_with_count(server: Server, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    own = Authority(tmp_path / "own")
    with serving(own) as registry:
        registry.pages["/a"] = CONTENT
        download(f"{registry.url}/a", registry=Registry(registry.url, None, str(own.file)))


@pytest.mark.parametrize(
    "url", ["http://localhost/a", "file:///etc/passwd", "ftp://localhost/a", "https://", "a", "https://a:b/"]
)
def test_only_https_is_fetched(url: str, server: Server) -> None:
    for registry in (Registry(url=""), Registry(server.url)):
        with pytest.raises(FetchError, match="not an https URL"):
            download(url, registry=registry)


def test_a_redirect_to_http_is_refused_before_anything_is_sent(server: Server, plain_server: Server) -> None:
    server.pages["/a"] = redirecting(f"{plain_server.url}/a")
    for registry in (Registry(server.url), Registry(plain_server.url)):
        with pytest.raises(FetchError, match="redirected to a URL that is not https"):
            download(f"{server.url}/a", registry=registry)
    assert plain_server.requests == []


def test_a_redirect_to_a_file_is_refused(server: Server, tmp_path: Path) -> None:
    server.pages["/a"] = redirecting((tmp_path / "a").as_uri())
    with pytest.raises(FetchError, match="redirected to a URL that is not https"):
        download(f"{server.url}/a")


def test_a_redirect_with_an_endless_body_is_followed_at_once(server: Server) -> None:
    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(302)
        handler.send_header("Location", "/b%20c")
        handler.end_headers()
        while True:
            handler.wfile.write(CONTENT)

    server.pages["/a"] = endless
    server.pages["/b%20c"] = CONTENT
    assert download(f"{server.url}/a", DIGEST).read_bytes() == CONTENT


@pytest.mark.parametrize("location", ["https://[", "http://", "javascript:1", "//a:b/", "\xff\xfe:"])
def test_a_redirect_to_what_is_no_url_is_refused(location: str, server: Server) -> None:
    server.pages["/a"] = redirecting(location)
    with pytest.raises(FetchError, match=r"redirected to a URL that is not https|answers 404"):
        download(f"{server.url}/a")


def test_redirects_without_end_are_refused(server: Server) -> None:
    server.pages["/a"] = redirecting(f"{server.url}/a")
    with pytest.raises(FetchError, match="too many redirects"):
        download(f"{server.url}/a")


def test_the_user_s_own_registry_may_have_http(plain_server: Server, server: Server) -> None:
    plain_server.pages["/a"] = CONTENT
    registry = registry_at(f"{plain_server.url}/simple")
    plain_server.pages["/moved"] = redirecting("/a")
    assert download(f"{plain_server.url}/moved", registry=registry).name == DIGEST
    with serving(None) as another, pytest.raises(FetchError, match="not an https URL"):
        download(f"{another.url}/a", registry=registry)


def test_a_registry_of_files_has_files_and_nobody_else(tmp_path: Path, server: Server) -> None:
    (tmp_path / "a.whl").write_bytes(CONTENT)
    url = (tmp_path / "a.whl").as_uri()
    assert download(url, DIGEST, registry=Registry(tmp_path.as_uri())).read_bytes() == CONTENT
    with pytest.raises(FetchError, match="not an https URL"):
        download(url, registry=Registry(server.url))


def test_a_pipe_in_a_registry_of_files_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.whl")
    with pytest.raises(FetchError, match="not a regular file"):
        download((tmp_path / "a.whl").as_uri(), registry=Registry(tmp_path.as_uri()))


def test_credentials_go_to_their_registry_and_to_nobody_else(server: Server, other: Server) -> None:
    registry = registry_at(server.url.replace("https://", "https://ann:s3cret@"))
    server.pages["/a"] = CONTENT
    server.pages["/moved"] = redirecting(f"{other.url}/a")
    other.pages["/a"] = CONTENT
    for url in (f"{server.url}/a", f"{server.url}/moved", f"{other.url}/a"):
        download(url, registry=registry)
    assert [request.headers.get("Authorization") for request in server.requests] == [BASIC, BASIC]
    assert [request.headers.get("Authorization") for request in other.requests] == [None, None]


def test_credentials_in_netrc_go_to_their_host_only(
    server: Server, other: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = Path(os.environ["HOME"]) / ".netrc"
    netrc.write_text("machine localhost login ann password s3cret\n", encoding="ascii")
    netrc.chmod(0o600)
    server.pages["/moved"] = redirecting(f"{other.url}/a")
    other.pages["/a"] = CONTENT
    download(f"{server.url}/moved")
    assert server.requests[0].headers["Authorization"] == BASIC
    assert "Authorization" not in other.requests[0].headers


def test_no_message_has_credentials(server: Server, plain_server: Server) -> None:
    server.pages["/moved"] = redirecting(f"{plain_server.url}/a?token=s3cret")
    server.pages["/forbidden"] = lambda handler: answer(handler, 403)
    registry = registry_at(server.url.replace("https://", "https://ann:s3cret@"))
    with serving(None) as gone:
        pass
    urls = [f"{server.url}{path}?token=s3cret#s3cret" for path in ("/a", "/moved", "/forbidden")]
    urls += [
        f"https://ann:s3cret@localhost:{gone.url.rpartition(':')[2]}/a",
        "http://ann:s3cret@localhost/",
        "https://ann:s3cret@a:b/",
    ]
    for url in urls:
        with pytest.raises(FetchError) as caught:
            download(url, registry=registry, limits=ONCE)
        assert "s3cret" not in str(caught.value)
    assert "s3cret" not in "".join(traceback.format_exception_only(caught.value))


def test_a_process_that_is_killed_leaves_nothing_half(server: Server, cache_folder: Path) -> None:
    over = threading.Event()

    def stalling(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(CONTENT)))
        handler.end_headers()
        handler.wfile.write(CONTENT[:500_000])
        over.wait()

    server.pages["/a"] = stalling
    program = (
        "import sys; from winnow_ci.fetching.download import download\n"
        "download(sys.argv[1], sys.argv[2], progress=lambda *_: print('some', flush=True))"
    )
    command = [sys.executable, "-c", program, f"{server.url}/a", DIGEST]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as run:
        assert run.stdout
        run.stdout.readline()
        run.kill()
    over.set()
    assert all(name.startswith("incoming-") for name in _kept(cache_folder))
    server.pages["/a"] = CONTENT
    for path in cache_folder.glob("incoming-*"):
        os.utime(path, (0, 0))
    assert download(f"{server.url}/a", DIGEST).read_bytes() == CONTENT
    assert _kept(cache_folder) == [DIGEST]


def test_two_processes_may_fetch_the_same_at_once(server: Server, cache_folder: Path) -> None:
    both = threading.Barrier(2)

    def together(handler: BaseHTTPRequestHandler) -> None:
        both.wait(60)
        answer(handler, 200, CONTENT)

    server.pages["/a"] = together
    program = "import sys; from winnow_ci.fetching.download import download; download(sys.argv[1], sys.argv[2])"
    command = [sys.executable, "-c", program, f"{server.url}/a", DIGEST]
    runs = [subprocess.Popen(command) for _ in range(2)]
    assert [run.wait() for run in runs] == [0, 0]
    assert _kept(cache_folder) == [DIGEST]
    assert cached_file(DIGEST)


def test_a_damaged_file_of_the_cache_is_fetched_again(server: Server) -> None:
    server.pages["/a"] = CONTENT
    download(f"{server.url}/a", DIGEST).write_bytes(b"damaged")
    assert download(f"{server.url}/a", DIGEST).read_bytes() == CONTENT
    assert len(server.requests) == 2


NONSENSE = [
    b"",
    b"\0" * 100_000,
    b"HTTP/1.0 200 OK\r\n" + b"a: b\r\n" * 1000 + b"\r\n",
    b"HTTP/1.0 200 OK\r\na: " + b"b" * 100_000 + b"\r\n\r\n",
    b"HTTP/1.0 999 \xff\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\nhello",
    b"HTTP/1.0 302 Found\r\nLocation: \xff\xfe\r\n\r\n",
    b"HTTP/1.0 503 No\r\nRetry-After: \xc2\xb2\r\n\r\n",
]


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_an_answer_that_is_nonsense_is_an_error_of_ours(nonsense: bytes, server: Server, cache_folder: Path) -> None:
    server.pages["/a"] = lambda handler: handler.wfile.write(nonsense) and None
    for get in (download, web_page):
        with pytest.raises(FetchError):
            get(f"{server.url}/a", limits=ONCE)
    assert _kept(cache_folder) == []


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "gzip, gzip"])
def test_a_page_that_cannot_be_unpacked_is_an_error_of_ours(encoding: str, server: Server) -> None:
    server.pages["/a"] = lambda handler: answer(handler, 200, b"\xff" * 100, {"Content-Encoding": encoding})
    with pytest.raises(FetchError, match="/a: the connection was lost"):
        web_page(f"{server.url}/a", limits=ONCE)


@pytest.mark.parametrize(("get", "most"), [(download, 8 << 30), (web_page, 64 << 20)])
def test_how_large_a_file_and_a_page_may_be(get: object, most: int, server: Server) -> None:
    for size, problem in ((most, "lost"), (most + 1, f"larger than {most:,} bytes")):
        length = {"Content-Length": str(size)}
        server.pages["/a"] = lambda handler, length=length: answer(handler, 200, b"", length)  # type: ignore[misc]
        with pytest.raises(FetchError, match=problem):
            get(f"{server.url}/a", limits=ONCE)  # type: ignore[operator]


def test_ten_redirects_are_followed(server: Server) -> None:
    server.pages["/0"] = CONTENT
    for number in range(11):
        server.pages[f"/{number + 1}"] = redirecting(f"{server.url}/{number}")
    assert download(f"{server.url}/10").name == DIGEST
    with pytest.raises(FetchError, match="too many redirects"):
        download(f"{server.url}/11")


def test_four_tries_are_made(server: Server) -> None:
    server.pages["/a"] = lambda handler: answer(handler, 503)
    with pytest.raises(FetchError, match="tried 4×"):
        download(f"{server.url}/a", limits=DownloadLimits(pause=0.01))
    assert len(server.requests) == 4


def test_a_host_that_failed_is_asked_once_for_each_further_file_until_it_answers(server: Server) -> None:
    server.pages.update({f"/{name}": lambda handler: answer(handler, 503) for name in "abd"})
    server.pages["/c"] = CONTENT
    for name, tries in (("a", 3), ("b", 1), ("c", 1), ("d", 3)):
        before = len(server.requests)
        with nullcontext() if name == "c" else pytest.raises(FetchError, match=f"tried {tries}×"):
            download(f"{server.url}/{name}", limits=QUICKLY)
        assert len(server.requests) - before == tries


@pytest.mark.parametrize("status", [400, 401, 403, 404, 407, 408, 410, 425, 429, 451, 500, 501, 502, 503, 504, 505])
def test_which_answers_are_worth_another_try(status: int, server: Server) -> None:
    server.pages["/a"] = lambda handler: answer(handler, status)
    with pytest.raises(FetchError, match=f"the server answers {status}") as raised:
        download(f"{server.url}/a", limits=QUICKLY)
    assert len(server.requests) == (3 if status in {408, 425, 429, 500, 502, 503, 504} else 1)
    assert isinstance(raised.value, NotFoundError) == (status in {404, 410})
