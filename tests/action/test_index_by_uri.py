"""A first pull request: the base has no configuration, and the action's input names an index elsewhere."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, NamedTuple

import pytest

from support.action import COPY, Event, Ran, Runner, found
from support.https import Authority, Server, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.repository import Checkout


class Elsewhere(NamedTuple):
    """A runner, and a server that has the index."""

    runner: Runner
    server: Server
    uri: str
    settings: dict[str, str]

    def scan(self, clone: Checkout, index: str, commit: str = "") -> Ran:
        event = Event("pull_request", commit or self.runner.forge.merge, "refs/pull/7/merge")
        return self.runner.job(clone.root, event, {"index": index}).run("scan", **self.settings)

    def bringing(self, configuration: str) -> tuple[Checkout, str]:
        """A clone whose pull request brings a configuration as well, and its trial merge."""
        forge = self.runner.forge
        clone = self.runner.check_out(forge.merge, 2)
        clone.git("switch", "--quiet", "--detach", forge.moved_on)
        clone.git("checkout", "--quiet", forge.merge, "--", ".")
        clone.write(".winnow.yml", configuration)
        clone.git("add", "--all")
        tree = clone.git("write-tree")
        merge = clone.git("commit-tree", tree, "-p", forge.moved_on, "-p", forge.pulled, "-m", "Merge")
        clone.git("switch", "--quiet", "--detach", "--discard-changes", merge)
        return clone, merge


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def elsewhere(runner: Runner, authority: Authority, known: Path, tmp_path: Path) -> Iterator[Elsewhere]:
    with serving(authority) as server:
        server.pages["/known.db"] = known.read_bytes()
        settings = {**authority.trusted(), "WINNOW_CI_CACHE_DIR": str(tmp_path / "cache")}
        uri = f"{server.url}/known.db#sha256={hashlib.sha256(known.read_bytes()).hexdigest()}"
        yield Elsewhere(runner, server, uri, settings)


def test_it_works_and_tells_what_it_used(elsewhere: Elsewhere) -> None:
    forge = elsewhere.runner.forge
    clone = elsewhere.runner.check_out(forge.merge, 2)
    ran = elsewhere.scan(clone, f"{elsewhere.uri}\n")
    assert ran.status == 1, ran
    assert found(clone) == (forge.moved_on, forge.merge, [COPY])
    (index,) = json.loads((clone.root / "report.json").read_text())["scan"]["indexes"]
    assert index["path"] == f"{elsewhere.server.url}/known.db"
    said = f"looked up in {index['path']}, digest {index['digest']}"
    assert said in ran.log
    assert said in ran.summary


def test_what_the_pull_request_configures_counts_for_nothing(elsewhere: Elsewhere) -> None:
    with serving(None) as stranger:
        url = stranger.url.replace("http://", "https://")
        brought = f"index: ['{url}/mine.db#sha256={'0' * 64}']\nextends: {{url: '{url}/a', sha256: '{'0' * 64}'}}\n"
        clone, merge = elsewhere.bringing(f"{brought}policy: {{default: allow}}\n")
        ran = elsewhere.scan(clone, elsewhere.uri, merge)
        assert (ran.status, stranger.requests) == (1, []), ran
    assert ".winnow.yml is new: it has no effect yet" in ran.log
    assert elsewhere.server.paths() == ["/known.db"]


def test_without_the_input_nobody_is_asked(elsewhere: Elsewhere) -> None:
    clone, merge = elsewhere.bringing(f"index: ['{elsewhere.uri}']\n")
    ran = elsewhere.scan(clone, "", merge)
    assert ran.status == 3, ran
    assert ".winnow.yml is new in this change, so the URI in it is not followed" in ran.log
    assert "the action's input index" in ran.log
    assert elsewhere.server.requests == []


@pytest.mark.parametrize(
    ("cut", "status", "said"),
    [
        ("#", 2, "an index at a URL needs its sha256"),
        ("=", 2, "its sha256 must be 64 hexadecimal digits"),
    ],
)
def test_what_is_not_pinned_is_not_used(elsewhere: Elsewhere, cut: str, status: int, said: str) -> None:
    clone = elsewhere.runner.check_out(elsewhere.runner.forge.merge, 2)
    ran = elsewhere.scan(clone, elsewhere.uri.partition(cut)[0])
    assert (ran.status, said in ran.log) == (status, True), ran
    assert elsewhere.server.requests == []


def test_another_file_there_is_no_scan(elsewhere: Elsewhere) -> None:
    elsewhere.server.pages["/known.db"] = b"another"
    ran = elsewhere.scan(elsewhere.runner.check_out(elsewhere.runner.forge.merge, 2), elsewhere.uri)
    assert ran.status == 3, ran
    assert "its sha256 is" in ran.log
