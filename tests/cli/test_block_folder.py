"""An index in a folder of blocks on a web server: a scan fetches its head, and the blocks that it needs."""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import sqlite3
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import pytest

from support.command import Ended, build, winnow
from support.https import Authority, Server, answer, in_ranges, serving
from winnow_ci.index import WholeIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from http.server import BaseHTTPRequestHandler
    from pathlib import Path

    from support.repository import Checkout

OPERATORS = [
    *("a +", "b[0] *", "f(a) -", "-", "a.b /", "[a] @", "(a,) <<", "b >"),
    *("{a} |", "~", "1 +", "'x' %", "lambda: b if a else", "{a: 1} ^", "b[1:] //", "-f(*a) **", "a and"),
]
NOWHERE = {"HTTPS_PROXY": "http://localhost:9", "NO_PROXY": "", "no_proxy": ""}


@pytest.fixture(scope="module")
def published(known: Path, tmp_path_factory: pytest.TempPathFactory) -> Published:
    folder = tmp_path_factory.mktemp("published")
    ended = winnow("index", "publish", known, folder, cwd=folder)
    assert ended.status == 0, ended
    return Published(folder, ended.output.strip())


class Published(NamedTuple):
    folder: Path
    root: str

    @property
    def head(self) -> bytes:
        return (self.folder / f"{self.root}.head").read_bytes()

    @property
    def blocks(self) -> bytes:
        return (self.folder / f"{self.root}.blocks").read_bytes()


class Web(NamedTuple):
    """A folder of blocks on a server, and a repository whose configuration names it."""

    server: Server
    checkout: Checkout
    settings: dict[str, str]
    cache: Path
    published: Published

    def serve(self, blocks: bytes | Callable[[BaseHTTPRequestHandler], None], head: bytes | None = None) -> None:
        root = self.published.root
        self.server.pages.update({f"/known/{root}.head": head or self.published.head, f"/known/{root}.blocks": blocks})

    def scan(self, *arguments: str, **environment: str) -> Ended:
        settings = {**self.settings, **environment}
        return winnow("scan", "--format", "json", *arguments, cwd=self.checkout.root, **settings)

    def ranges(self) -> list[str]:
        """The ranges of blocks that were asked for."""
        return [one.headers["Range"] for one in self.server.requests if one.path.endswith(".blocks")]


@pytest.fixture
def web(copied: Checkout, authority: Authority, published: Published, cache: Path) -> Iterator[Web]:
    with serving(authority) as server:
        copied.write(".winnow.yml", f"index: ['{server.url}/known/#{published.root}']\n")
        settings = {**authority.trusted(), "WINNOW_CI_CACHE_DIR": str(cache)}
        web = Web(server, copied, settings, cache, published)
        web.serve(in_ranges(published.blocks))
        yield web


def without_names(ended: Ended) -> list[dict[str, object]]:
    return [{key: value for key, value in one.items() if key != "index"} for one in ended.findings()]


def test_a_scan_finds_what_it_finds_with_the_file_and_asks_for_nothing_twice(web: Web, known: Path) -> None:
    ended = web.scan()
    assert (ended.status, len(ended.findings())) == (1, 2)
    assert without_names(ended) == without_names(web.scan("--index", str(known)))
    (used,) = ended.report()["scan"]["indexes"]
    with WholeIndex(known) as index:
        assert (used["path"], used["digest"]) == (
            f"{web.server.url}/known/{web.published.root}.head",
            index.digest,
        )
    assert len(web.ranges()) == len(set(web.ranges())) > 0
    asked = len(web.server.requests)
    assert without_names(web.scan()) == without_names(ended)
    assert len(web.server.requests) == asked
    assert without_names(web.scan(**NOWHERE)) == without_names(ended)


def text_of(chance: random.Random, operators: Sequence[str], lines: int = 200) -> str:
    return "".join(f"a = {' '.join(chance.choices(operators, k=9))} b\n" for _ in range(lines))


def test_a_scan_asks_only_for_the_blocks_that_it_needs(
    checkout: Checkout, authority: Authority, cache: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    chance = random.Random(1)
    for number in range(300):
        (tmp_path / "other" / f"m{number}.py").write_text(text_of(chance, OPERATORS[:8]))
    build(tmp_path / "other", tmp_path / "other.db")
    root = winnow("index", "publish", tmp_path / "other.db", tmp_path / "web", cwd=tmp_path).output.strip()
    blocks = (tmp_path / "web" / f"{root}.blocks").read_bytes()
    with serving(authority) as server:
        head = (tmp_path / "web" / f"{root}.head").read_bytes()
        server.pages.update({f"/{root}.head": head, f"/{root}.blocks": in_ranges(blocks)})
        settings = {**authority.trusted(), "WINNOW_CI_CACHE_DIR": str(cache)}
        named = ("--format", "json", "--index", f"{server.url}/#{root}")

        def asked(text: str) -> tuple[list[str], list[int]]:
            """Where copies are found, and how many bytes are asked for each time."""
            checkout.write("new.py", text)
            before = len(server.requests)
            ended = winnow("scan", *named, cwd=checkout.root, **settings)
            spans = [re.findall(r"\d+", one.headers.get("Range", "")) for one in server.requests[before:]]
            return [one["path"] for one in ended.findings()], [
                int(span[1]) + 1 - int(span[0]) for span in spans if span
            ]

        # Thousands of hashes, in most blocks; the filter lets one of 120 through.
        found, sizes = asked(text_of(chance, OPERATORS[8:], 500))
        assert (found, 0 < sum(sizes) < len(blocks) / 5) == ([], True)
        lines = (tmp_path / "other" / "m7.py").read_text().splitlines(keepends=True)
        assert asked("".join(lines[20:40]))[0] == ["new.py"]


def broken(blocks: bytes) -> bytes:
    """The blocks with one bit of each other."""
    return bytes(byte ^ 1 for byte in blocks)


FAULTS: dict[str, tuple[Callable[[bytes], bytes | Callable[[BaseHTTPRequestHandler], None]], str]] = {
    "other bytes": (lambda blocks: in_ranges(broken(blocks)), "a part does not match the index"),
    "moved by one byte": (lambda blocks: in_ranges(b"x" + blocks), "a part does not match the index"),
    "nothing there": (lambda _: lambda handler: answer(handler, 404), "the server answers 404"),
    "forbidden": (lambda _: lambda handler: answer(handler, 403), "the server answers 403"),
    "broken server": (lambda _: lambda handler: answer(handler, 500), "the server answers 500"),
    "cut off": (lambda _: in_ranges(b""), "the server answers 416"),
    "the whole file": (lambda blocks: blocks, "the server does not send parts of a file"),
    "too much": (lambda blocks: lambda handler: answer(handler, 206, blocks * 2), "larger than"),
    "too little": (lambda _: lambda handler: answer(handler, 206, b"x"), "a part does not match the index"),
    "empty": (lambda _: lambda handler: answer(handler, 206), "a part does not match the index"),
    "breaks off": (
        lambda blocks: lambda handler: answer(handler, 206, blocks[:1], {"Content-Length": "70"}),
        "the connection was lost",
    ),
    "redirects to http": (
        lambda _: lambda handler: answer(handler, 302, b"", {"Location": "http://localhost:9/"}),
        "redirected to a URL that is not https",
    ),
    "redirects for ever": (
        lambda _: lambda handler: answer(handler, 302, b"", {"Location": handler.path}),
        "too many redirects",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_server_with_a_fault_never_gives_a_clean_scan(web: Web, fault: str) -> None:
    serve, problem = FAULTS[fault]
    web.serve(serve(web.published.blocks))
    said, remedy = web.scan().complaint(3)
    assert problem in said
    assert f"{web.server.url}/known/" in said
    assert remedy


def test_a_head_that_is_not_the_pinned_one_is_refused(web: Web) -> None:
    web.serve(in_ranges(web.published.blocks), web.published.head + b"x")
    assert "its sha256 is" in web.scan().complaint(3)[0]


def test_what_others_wrote_into_the_cache_is_not_believed(web: Web) -> None:
    first = web.scan()
    (kept,) = (web.cache / "blocks").glob("*/parts")
    kept.write_bytes(broken(kept.read_bytes()))
    assert without_names(web.scan()) == without_names(first)
    assert set(Counter(web.ranges()).values()) == {2}
    kept.unlink()
    kept.symlink_to(web.checkout.root / "README.md")
    assert "cannot write to the cache" in web.scan().complaint(3)[0]


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE part SET start = start + 1", "row 0 of the parts"),
        ("DELETE FROM part", "row 0 of the parts"),
        ("UPDATE filter SET bits = zeroblob(length(bits))", "row 0 of the filter"),
        ("UPDATE filter SET bits = x''", "row 0 of the filter"),
        ("UPDATE directory SET packs = x''", "row 0 of the directory"),
        ("UPDATE source SET license = 'MIT'", "a source"),
        ("UPDATE meta SET value = '1' WHERE key = 'bits'", "its description"),
        ("DROP TABLE filter", "its tables are not those of an index"),
        ("PRAGMA application_id = 1", "not an index"),
    ],
)
def test_a_head_with_other_rows_is_damaged(web: Web, statement: str, problem: str, tmp_path: Path) -> None:
    head = tmp_path / "head"
    head.write_bytes(web.published.head)
    with sqlite3.connect(head) as connection:
        connection.execute(statement)
    connection.close()
    root = hashlib.sha256(head.read_bytes()).hexdigest()
    pages = {f"/{root}.head": head.read_bytes(), f"/{root}.blocks": in_ranges(web.published.blocks)}
    web.server.pages.update(pages)
    assert problem in web.scan("--index", f"{web.server.url}/#{root}").complaint(3)[0]


def test_the_folder_keeps_older_versions_and_is_the_same_each_time(
    known: Path, published: Published, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "other.py").write_text("\n".join(f"def f{n}(a): return [a[{n}]]" for n in range(90)))
    build(tmp_path / "other", tmp_path / "other.db")
    roots = [
        winnow("index", "publish", one, tmp_path / "web", cwd=tmp_path).output.strip()
        for one in (known, tmp_path / "other.db", known)
    ]
    assert roots[0] == roots[2] == published.root
    names = {file.name for file in (tmp_path / "web").iterdir()}
    assert names == {f"{root}{ending}" for root in roots for ending in (".head", ".blocks")}
    assert (tmp_path / "web" / f"{published.root}.blocks").read_bytes() == published.blocks


def test_a_damaged_index_or_a_folder_that_cannot_be_written_is_refused(known: Path, tmp_path: Path) -> None:
    damaged = shutil.copy(known, tmp_path / "damaged.db")
    with sqlite3.connect(damaged) as connection:
        connection.execute("UPDATE block SET postings = x'00' WHERE id = 0")
    connection.close()
    assert "is damaged" in winnow("index", "publish", damaged, tmp_path / "web", cwd=tmp_path).complaint(3)[0]
    assert "damaged.db is not a folder" in winnow("index", "publish", known, damaged, cwd=tmp_path).complaint(2)[0]
    (tmp_path / "file").touch()
    problem, _ = winnow("index", "publish", known, tmp_path / "file", cwd=tmp_path).complaint(3)
    assert "cannot write the index into" in problem


def test_a_channel_leads_to_it_and_the_next_mirror_serves(web: Web, tmp_path: Path) -> None:
    key, root = tmp_path / "key", web.published.root
    os.spawnlp(os.P_WAIT, "ssh-keygen", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key))
    mirrors = [f"{web.server.url}/{place}/{root}.head" for place in ("down", "known")]
    signed = winnow(
        *("index", "publish", web.published.folder / f"{root}.head", tmp_path / "a.channel", "--sign", key),
        *(part for mirror in mirrors for part in ("--mirror", mirror)),
        cwd=tmp_path,
    )
    assert signed.status == 0, signed
    web.server.pages["/a.channel"] = (tmp_path / "a.channel").read_bytes()
    public = key.with_suffix(".pub").read_text().strip()
    web.checkout.write(".winnow.yml", f"index:\n- channel: {web.server.url}/a.channel\n  signers: ['{public}']\n")
    ended = web.scan()
    assert (ended.status, len(ended.findings())) == (1, 2)
    assert ended.report()["scan"]["indexes"][0]["path"] == f"{web.server.url}/a.channel"


def test_its_sources_are_listed(web: Web) -> None:
    ended = winnow("index", "list", cwd=web.checkout.root, **web.settings)
    assert (ended.status, "GPL-3.0-only" in ended.output) == (0, True)
    assert ended.output.splitlines()[-1] == f"{web.server.url}/known/{web.published.root}.head"
    refused = winnow("index", "verify", f"{web.server.url}/known/#{web.published.root}", cwd=web.checkout.root)
    assert "needs an index file" in refused.complaint(2)[0]
