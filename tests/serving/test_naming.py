"""An index on a server, named wherever an index is named, by each command that scans or lists."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.command import Ended, winnow
from support.donor import BASE, CHANGE
from support.https import Authority, serving
from support.repository import Checkout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.served import Published

ROOT = Path(__file__).parents[2]
FOUND = 3
MERGED = {
    "GITLAB_CI": "true",
    "CI_PIPELINE_SOURCE": "merge_request_event",
    "CI_MERGE_REQUEST_IID": "7",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
    "CI_MERGE_REQUEST_PROJECT_PATH": "octo/widget",
    "CI_PROJECT_PATH": "octo/widget",
}


@pytest.fixture
def copied(tmp_path: Path) -> Checkout:
    """A repository with copies that are staged; a test may do with it what it likes."""
    made = Checkout.create(tmp_path / "checkout")
    made.commit(dict(BASE))
    for path, text in CHANGE.items():
        made.write(path, text)
    made.git("add", "--all")
    return made


def scan(checkout: Checkout, *arguments: str, **settings: str) -> Ended:
    return winnow("scan", "--format", "json", *arguments, cwd=checkout.root, **settings)


def seen(ended: Ended) -> list[tuple[object, ...]]:
    return [(one["id"], one["path"], one["start_line"], one["end_line"], one["level"]) for one in ended.findings()]


@contextmanager
def listening() -> Iterator[tuple[str, list[socket.socket]]]:
    """A host of a stranger: its address, and whoever has come."""
    come: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield f"127.0.0.1:{server.getsockname()[1]}", come
        with suppress(BlockingIOError):
            while True:
                come.append(server.accept()[0])
    for one in come:
        one.close()


def test_wherever_it_is_named_the_findings_are_those_of_the_file(
    published: Published, copied: Checkout, tmp_path: Path
) -> None:
    expected = seen(scan(copied, "--index", str(published.file)))
    assert len(expected) == FOUND
    named = scan(copied, "--index", published.uri)
    assert (named.status, seen(named)) == (1, expected)
    copied.write(".winnow.yml", f"index: ['{published.uri}']\n")
    assert seen(scan(copied)) == expected
    (used,) = scan(copied).report()["scan"]["indexes"]
    assert used == {"path": used["path"], "digest": published.root}
    assert used["path"].startswith("postgresql://")
    assert "scanner" not in used["path"]
    authority = Authority(tmp_path)
    with serving(authority) as server:
        server.pages["/winnow.yml"] = f"index: ['{published.uri}']\n".encode()
        digest = hashlib.sha256(server.pages["/winnow.yml"]).hexdigest()
        copied.write(".winnow.yml", f"extends: {{url: '{server.url}/winnow.yml', sha256: '{digest}'}}\n")
        assert seen(scan(copied, **authority.trusted(), WINNOW_CI_CACHE_DIR=str(tmp_path / "cache"))) == expected


def test_commands_that_scan_take_it(published: Published, copied: Checkout) -> None:
    index = ("--index", published.uri)
    report = scan(copied, *index)
    identity = report.findings()[0]["id"]
    copied.write("report.json", report.output)

    def ran(*arguments: str) -> Ended:
        return winnow(*arguments, *index, cwd=copied.root)

    assert identity in ran("explain", identity).output
    assert ran("hook").status == 1
    stored = ran("report", "report.json")
    assert (stored.status, "is not here" in stored.errors) == (0, False)
    assert ran("approve", identity, "--reason", "asked its author").status == 0
    assert {one["suppressed"] for one in scan(copied, *index).findings()} == {"baseline", None}


def test_a_commit_is_looked_up(published: Published, copied: Checkout) -> None:
    copied.write(".winnow.yml", f"index: ['{published.uri}']\n")
    shutil.copy(ROOT / "hooks" / "pre-commit", copied.root / ".git" / "hooks")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    status, said = copied.attempt("commit", "--message", "copies", PATH=path)
    assert status != 0
    assert said.count("error: copied") == FOUND
    # Without its key, nothing is looked up and nothing passes.
    status, said = copied.attempt("commit", "--message", "copies", PATH=path, WINNOW_CI_INDEX_KEY="")
    assert (status != 0, "WINNOW_CI_INDEX_KEY" in said) == (True, True)


@pytest.mark.parametrize("is_pinned", [True, False])
def test_it_is_listed_with_the_name_to_pin_it_by(published: Published, tmp_path: Path, is_pinned: bool) -> None:
    uri = published.uri if is_pinned else published.database.uri()
    listed = winnow("index", "list", uri, cwd=tmp_path)
    assert listed.status == 0, listed
    assert "roads" in listed.output
    assert "GPL-3.0-only" in listed.output
    assert listed.output.splitlines()[-1] == published.uri.replace("scanner@", "")
    document = json.loads(winnow("index", "list", uri, "--json", cwd=tmp_path).output)
    assert document["digest"] == published.root
    assert [source["name"] for source in document["sources"]] == ["other", "roads"]


def test_what_is_current_is_the_newest_under_our_key(published: Published, tmp_path: Path) -> None:
    with published.database.copy("current") as database:
        older = published.root
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "a.py").write_text("\n".join(f"def f{n}(a): return a[{n}] + {n}" for n in range(30)))
        made = ("index", "build", "other", "--output", "b.db", "--name", "other")
        assert winnow(*made, cwd=tmp_path).status == 0
        newer = database.publish(tmp_path / "b.db")
        listed = winnow("index", "list", database.uri(), cwd=tmp_path).output
        assert (f"@{newer}" in listed, f"@{older}" in listed) == (True, False)
        said = winnow("index", "list", f"{database.uri()}#nowhere", cwd=tmp_path).complaint(3)
        assert "nowhere" in said[0]


def test_what_reads_all_of_it_needs_the_file(published: Published, tmp_path: Path) -> None:
    for arguments in (["verify"], ["list", "--licences"]):
        said = winnow("index", *arguments, published.uri, cwd=tmp_path).complaint(2)
        assert "an index on a server" in said[0]


# ---- on a CI ---------------------------------------------------------------------------------------------------


def merge_request(checkout: Checkout, *arguments: str, **settings: str) -> Ended:
    head, base = checkout.git("rev-parse", "HEAD"), checkout.git("merge-base", "main", "HEAD")
    ids = {"CI_COMMIT_SHA": head, "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": base}
    return scan(checkout, *arguments, **MERGED, **ids, **settings)


def test_a_change_makes_a_ci_connect_to_nobody(published: Published, copied: Checkout) -> None:
    copied.git("stash", "--quiet")
    copied.commit({".winnow.yml": f"index: ['{published.uri}']\n"})
    copied.git("switch", "--quiet", "--create", "change")
    with listening() as (address, come):
        theirs = f"index: ['postgresql://scanner@{address}/{published.database.name}#default@{published.root}']\n"
        copied.commit({**CHANGE, ".winnow.yml": theirs})
        ended = merge_request(copied)
        assert (ended.status, len(ended.findings())) == (1, FOUND)
        everything = merge_request(copied, "--all")
        assert (everything.status, everything.report()["scan"]["indexes"]) == (1, ended.report()["scan"]["indexes"])
    assert come == []


def test_of_a_first_configuration_nobody_is_asked_but_the_job_may_name_the_index(
    published: Published, copied: Checkout
) -> None:
    copied.git("stash", "--quiet")
    copied.git("switch", "--quiet", "--create", "change")
    with listening() as (address, come):
        theirs = f"index: ['postgresql://scanner@{address}/known#default@{published.root}']\n"
        copied.commit({**CHANGE, ".winnow.yml": theirs})
        assert (
            ".winnow.yml is new in this change, so the URI in it is not followed"
            in merge_request(copied).complaint(3)[0]
        )
        ended = merge_request(copied, "--index", published.uri)
        assert (ended.status, len(ended.findings())) == (1, FOUND)
        assert f"digest {published.root}" in ended.errors
    assert come == []
    with listening() as (address, come):
        merge_request(
            copied, "--index", f"postgresql://scanner@{address}/known#default@{published.root}", PGCONNECT_TIMEOUT="2"
        )
    # So that the test would notice.
    assert come != []
