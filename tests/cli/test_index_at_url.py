"""An index at a URL: fetched once, kept, compared with its sha256 at each use, and used without a network."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from support.command import Ended, build, winnow
from support.donor import CHANGE
from support.https import Authority, Server, answer, redirecting, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import TypeAlias

    from support.repository import Checkout

    Scan: TypeAlias = Callable[..., Ended]


@pytest.fixture
def server(authority: Authority, known: Path) -> Iterator[Server]:
    with serving(authority) as found:
        found.pages["/known.db"] = known.read_bytes()
        yield found


@pytest.fixture
def sha256(known: Path) -> str:
    return hashlib.sha256(known.read_bytes()).hexdigest()


@pytest.fixture
def scan(copied: Checkout, authority: Authority, cache: Path) -> Scan:
    def run(*arguments: str, **environment: str) -> Ended:
        settings = {**authority.trusted(), "WINNOW_CI_CACHE_DIR": str(cache), **environment}
        return winnow("scan", "--format", "json", *arguments, cwd=copied.root, **settings)

    return run


def entry(server: Server, sha256: str) -> str:
    return f"{server.url}/known.db#sha256={sha256}"


def test_it_is_fetched_once_and_then_needs_no_network(
    scan: Scan, copied: Checkout, server: Server, sha256: str
) -> None:
    copied.write(".winnow.yml", f"index: [{entry(server, sha256)}]\n")
    assert [scan().status, len(scan().findings())] == [1, 2]
    assert server.paths() == ["/known.db"]
    server.pages.clear()
    # A proxy that is not there stands for a network that is not.
    offline = {"HTTPS_PROXY": "http://localhost:9", "NO_PROXY": "", "no_proxy": ""}
    assert scan(**offline).status == 1
    assert server.paths() == ["/known.db"]


def test_what_downloads_is_imported_for_a_download_only(
    scan: Scan, copied: Checkout, server: Server, sha256: str, known: Path
) -> None:
    copied.write(".winnow.yml", f"index: [{entry(server, sha256)}]\n")
    shown = {"PYTHONPROFILEIMPORTTIME": "1"}
    first, again = _imported(scan(**shown)), _imported(scan(**shown))
    copied.write(".winnow.yml", f"index: ['{known}']\n")
    local = _imported(scan(**shown))
    assert {"requests", "winnow_ci.fetching.cache"} <= first
    assert {"requests", "winnow_ci.fetching.cache"} & again == {"winnow_ci.fetching.cache"}
    assert not any(name.startswith("winnow_ci.fetching") for name in local)


def _imported(ended: Ended) -> set[str]:
    rows = (row for row in ended.errors.splitlines() if row.startswith("import time:"))
    return {row.rpartition("|")[2].strip() for row in rows}


def test_paths_and_urls_in_one_scan(scan: Scan, copied: Checkout, server: Server, sha256: str, tmp_path: Path) -> None:
    (tmp_path / "other" / "code").mkdir(parents=True)
    (tmp_path / "other" / "code" / "other.py").write_text(
        "\n".join(f"def f{n}(a, b): return [a[{n}] + b for _ in range({n})]" for n in range(9))
    )
    build(tmp_path / "other" / "code", tmp_path / "other.db")
    copied.write(".winnow.yml", f"index: ['{tmp_path}/other.db', {entry(server, sha256)}]\n")
    assert len(scan().findings()) == 2
    copied.write(".winnow.yml", f"index: [{entry(server, sha256)}, '{tmp_path}/missing.db']\n")
    assert "no index at" in scan().complaint(3)[0]


def test_what_has_another_sha256_is_refused(scan: Scan, copied: Checkout, server: Server, sha256: str) -> None:
    copied.write(".winnow.yml", f"index: [{entry(server, 'f' * 64)}]\n")
    problem, remedy = scan().complaint(3)
    assert problem == f"{server.url}/known.db: its sha256 is {sha256}, not {'f' * 64}"
    assert "find out why" in remedy


def test_a_damaged_one_in_the_cache_is_fetched_again(
    scan: Scan, copied: Checkout, server: Server, sha256: str, cache: Path
) -> None:
    copied.write(".winnow.yml", f"index: [{entry(server, sha256)}]\n")
    scan()
    (kept,) = cache.rglob(sha256)
    kept.write_bytes(kept.read_bytes()[:-1] + b"!")
    assert (scan().status, len(server.requests)) == (1, 2)
    kept.write_bytes(b"")
    server.pages.clear()
    assert scan().complaint(3)[0] == f"{server.url}/known.db: the server answers 404"


def test_without_a_network_and_not_fetched_yet_nothing_is_clean(
    scan: Scan, copied: Checkout, sha256: str, authority: Authority
) -> None:
    with serving(authority) as gone:
        pass
    copied.write(".winnow.yml", f"index: [{entry(gone, sha256)}]\n")
    problem, remedy = scan().complaint(3)
    assert problem == f"{gone.url}/known.db: Connection refused (tried 4×)"
    assert "network" in remedy


def test_a_redirect_to_http_is_refused(scan: Scan, copied: Checkout, server: Server, sha256: str) -> None:
    with serving(None) as plain:
        server.pages["/known.db"] = redirecting(f"{plain.url}/known.db")
        copied.write(".winnow.yml", f"index: [{entry(server, sha256)}]\n")
        assert "redirected to a URL that is not https" in scan().complaint(3)[0]
        assert plain.requests == []


def test_mistakes_name_the_line(scan: Scan, copied: Checkout, server: Server, sha256: str) -> None:
    copied.write(".winnow.yml", f"index:\n- {server.url}/known.db\n")
    said = f".winnow.yml:2: index: {server.url}/known.db: an index at a URL needs its sha256"
    assert scan().complaint(2)[0].endswith(said)
    copied.write(".winnow.yml", f"index:\n- http://localhost/known.db#sha256={sha256}\n")
    said = ".winnow.yml:2: index: http://localhost/known.db is not an https or postgresql URL"
    assert scan().complaint(2)[0].endswith(said)


def test_the_command_line_takes_a_url_with_its_sha256(scan: Scan, server: Server, sha256: str) -> None:
    found = scan("--index", entry(server, sha256))
    assert (found.status, len(found.findings())) == (1, 2)
    assert [index["path"] for index in found.report()["scan"]["indexes"]] == [f"{server.url}/known.db"]
    problem, remedy = scan("--index", f"{server.url}/other.db").complaint(2)
    assert problem == f"{server.url}/other.db: an index at a URL needs its sha256"
    assert "sha256sum" in remedy
    assert server.paths() == ["/known.db"]


@pytest.mark.parametrize("uri", ["postgresql://ann:swordfish@db/known#a", "https://ann:swordfish@db/known.db"])
def test_a_password_is_refused_and_not_repeated(scan: Scan, copied: Checkout, uri: str) -> None:
    for ended in (scan("--index", uri), winnow("index", "list", uri, cwd=copied.root)):
        assert ended.complaint(2)
        assert "swordfish" not in ended.errors
    copied.write(".winnow.yml", f"index: ['{uri}']\n")
    ended = scan()
    assert ".winnow.yml:1: index: " in ended.complaint(2)[0]
    assert "swordfish" not in ended.errors


def test_what_a_report_says_to_run_can_be_pasted(
    scan: Scan, copied: Checkout, server: Server, sha256: str, cache: Path
) -> None:
    uri = f"{server.url}/known.db?a=1&b=2#sha256={sha256}"
    identity = scan("--index", uri).findings()[0]["id"]
    shown = winnow("scan", "--index", uri, cwd=copied.root, WINNOW_CI_CACHE_DIR=str(cache)).output
    assert f"winnow-ci explain {identity} --index '{uri}'" in shown


def test_so_do_other_commands(scan: Scan, copied: Checkout, server: Server, sha256: str, cache: Path) -> None:
    index, environment = ("--index", entry(server, sha256)), {"WINNOW_CI_CACHE_DIR": str(cache)}
    (copied.root / "report.json").write_text(scan(*index).output)
    server.pages.clear()

    def shown(*arguments: str) -> Ended:
        return winnow(*arguments, *index, cwd=copied.root, **environment)

    identity = scan(*index).findings()[0]["id"]
    assert identity in shown("explain", identity).output
    assert shown("hook").status == 0
    copied.git("add", "--all")
    assert shown("hook").status == 1
    assert "is missing" in winnow("report", "report.json", cwd=copied.root).errors
    stored = shown("report", "report.json")
    assert (stored.status, "is missing" in stored.errors) == (0, False)
    approved = shown("approve", identity, "--reason", "asked its author")
    assert approved.status == 0
    assert identity not in {found["id"] for found in scan(*index).findings() if found["suppressed"] is None}


@pytest.mark.parametrize("action", ["list", "verify"])
def test_commands_for_an_index_take_one_at_a_url(
    action: str, copied: Checkout, server: Server, sha256: str, cache: Path, authority: Authority
) -> None:
    settings = {**authority.trusted(), "WINNOW_CI_CACHE_DIR": str(cache)}
    named = winnow("index", action, entry(server, sha256), cwd=copied.root, **settings)
    assert named.status == 0
    copied.write(".winnow.yml", f"index: [{entry(server, sha256)}]\n")
    assert winnow("index", action, cwd=copied.root, **settings).output == named.output != ""
    assert server.paths() == ["/known.db"]


def test_on_a_ci_the_base_says_which_index(scan: Scan, copied: Checkout, server: Server, sha256: str) -> None:
    copied.git("stash", "--quiet", "--include-untracked")
    copied.commit({".winnow.yml": f"index: [{entry(server, sha256)}]\n"})
    copied.git("switch", "--quiet", "--create", "change")
    mine = f"index: [https://localhost:9/mine.db#sha256={'0' * 64}]\n"
    copied.commit({**CHANGE, ".winnow.yml": mine})
    ended = scan("--range", "main...HEAD", GITHUB_ACTIONS="true")
    assert (ended.status, len(ended.findings())) == (1, 2)
    assert ended.report()["scan"]["notices"] == ["the change edits .winnow.yml: the base's version applies"]


def test_on_a_ci_nothing_is_fetched_because_a_change_says_so(
    scan: Scan, copied: Checkout, server: Server, sha256: str
) -> None:
    copied.git("switch", "--quiet", "--create", "change")
    copied.commit({".winnow.yml": f"index: [{entry(server, sha256)}]\n"})
    problem, remedy = scan("--range", "main...HEAD", GITHUB_ACTIONS="true").complaint(3)
    assert problem.startswith(".winnow.yml is new in this change, so the URI in it is not followed")
    assert "--policy-from head" in remedy
    assert server.requests == []
    assert scan("--range", "main...HEAD", "--policy-from", "head", GITHUB_ACTIONS="true").status == 1


def test_on_a_ci_what_the_cache_says_of_itself_counts_for_nothing(
    scan: Scan, copied: Checkout, server: Server, sha256: str, cache: Path
) -> None:
    copied.write(".winnow.yml", f"index: [{entry(server, sha256)}]\n")
    scan()
    (kept,) = cache.rglob(sha256)
    kept.write_bytes(kept.read_bytes()[:-1] + b"!")
    found = kept.stat()
    identity = f"{found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"
    kept.with_suffix(".seen").write_text(identity, encoding="ascii")
    scan("--all", "--policy-from", "head", GITHUB_ACTIONS="true")
    assert len(server.requests) == 2


def test_a_server_in_trouble_is_no_clean_scan(scan: Scan, copied: Checkout, server: Server, sha256: str) -> None:
    server.pages["/known.db"] = lambda handler: answer(handler, 503)
    copied.write(".winnow.yml", f"index: [{entry(server, sha256)}]\n")
    assert "the server answers 503 (tried 4×)" in scan().complaint(3)[0]
