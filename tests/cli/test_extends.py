"""A configuration that extends another one, at a URL: fetched once, and on a CI only because the base says so."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import pytest

from support.command import Ended, winnow
from support.donor import CHANGE
from support.https import Authority, Server, answer, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.repository import Checkout

MERGE_REQUEST = {
    "GITLAB_CI": "true",
    "CI_PIPELINE_SOURCE": "merge_request_event",
    "CI_MERGE_REQUEST_IID": "7",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
    "CI_MERGE_REQUEST_PROJECT_PATH": "octo/widget",
    "CI_PROJECT_PATH": "octo/widget",
}


class Shared(NamedTuple):
    """A repository with copies in its work tree, and a server with an index and a configuration for all."""

    checkout: Checkout
    server: Server
    known: str
    settings: dict[str, str]

    def serve(self, text: str, path: str = "/winnow.yml") -> str:
        """Publish a configuration; gives the line that extends it."""
        self.server.pages[path] = text.encode()
        digest = hashlib.sha256(text.encode()).hexdigest()
        return f"extends: {{url: '{self.server.url}{path}', sha256: '{digest}'}}\n"

    def run(self, *arguments: str, **environment: str) -> Ended:
        return winnow(*arguments, cwd=self.checkout.root, **{**self.settings, **environment})

    def scan(self, *arguments: str, **environment: str) -> Ended:
        return self.run("scan", "--format", "json", *arguments, **environment)

    def merge_request(self, *arguments: str, **environment: str) -> Ended:
        """Scan in the job of a merge request for main, as if its head were the trial merge."""
        head, base = self.checkout.git("rev-parse", "HEAD"), self.checkout.git("merge-base", "main", "HEAD")
        ids = {"CI_COMMIT_SHA": head, "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": base}
        return self.scan(*arguments, **MERGE_REQUEST, **ids, **environment)


@pytest.fixture
def shared(copied: Checkout, authority: Authority, known: Path, cache: Path) -> Iterator[Shared]:
    with serving(authority) as server:
        server.pages["/known.db"] = known.read_bytes()
        digest = hashlib.sha256(known.read_bytes()).hexdigest()
        settings = {**authority.trusted(), "WINNOW_CI_CACHE_DIR": str(cache)}
        yield Shared(copied, server, f"index: ['{server.url}/known.db#sha256={digest}']\n", settings)


@pytest.fixture
def merged(shared: Shared) -> Shared:
    """The same with the configuration on main, and the copies in a commit on a branch."""
    shared.checkout.git("stash", "--quiet", "--include-untracked")
    shared.checkout.commit({".winnow.yml": shared.serve(shared.known)})
    shared.checkout.git("switch", "--quiet", "--create", "change")
    shared.checkout.commit(dict(CHANGE))
    return shared


def levels(ended: Ended) -> set[str]:
    return {finding["level"] for finding in ended.findings()}


def test_it_is_fetched_once_and_then_needs_no_network(shared: Shared) -> None:
    shared.checkout.write(".winnow.yml", shared.serve(f"{shared.known}policy: {{warn: ['GPL-*']}}\n"))
    first = shared.scan()
    assert (first.status, levels(first), len(first.findings())) == (0, {"warning"}, 2)
    assert f"winnow-ci: looked up in {shared.server.url}/known.db, digest " in first.errors
    assert shared.server.paths() == ["/winnow.yml", "/known.db"]
    shared.server.pages.clear()
    assert levels(shared.scan()) == {"warning"}
    assert shared.server.paths() == ["/winnow.yml", "/known.db"]


def test_the_repository_adds_to_it(shared: Shared, known: Path) -> None:
    extends = shared.serve("policy: {deny: ['GPL-*']}\n")
    shared.checkout.write(".winnow.yml", f"{extends}index: ['{known}']\npolicy: {{allow: ['GPL-*'], default: allow}}\n")
    ended = shared.scan()
    assert (ended.status, levels(ended)) == (1, {"error"})
    assert all(finding["denied"] for finding in ended.findings())


def test_commands_that_scan_and_list_follow_it(shared: Shared) -> None:
    shared.checkout.write(".winnow.yml", shared.serve(shared.known))
    identity = shared.scan().findings()[0]["id"]
    assert identity in shared.run("explain", identity).output
    shared.checkout.git("add", "--all")
    assert shared.run("hook").status == 1
    assert "roads" in shared.run("index", "list").output
    assert shared.run("approve", identity, "--reason", "asked its author").status == 0
    assert "baseline: .winnow/baseline.json" in (shared.checkout.root / ".winnow.yml").read_text()
    assert {found["suppressed"] for found in shared.scan().findings() if found["id"] == identity} == {"baseline"}


def test_mistakes_name_the_shared_file_and_its_line(shared: Shared) -> None:
    shared.checkout.write(".winnow.yml", shared.serve(f"{shared.known}\npolcy: {{}}\n"))
    problem, remedy = shared.scan().complaint(2)
    assert problem == f"{shared.server.url}/winnow.yml:3: unknown key 'polcy'"
    assert remedy == "did you mean policy?"


def test_another_file_or_none_is_no_clean_scan(shared: Shared, authority: Authority) -> None:
    url = f"{shared.server.url}/winnow.yml"
    shared.checkout.write(".winnow.yml", shared.serve(shared.known))
    shared.server.pages["/winnow.yml"] = b"policy: {default: allow}\n"
    assert f".winnow.yml extends {url}: its sha256 is " in shared.scan().complaint(3)[0]
    del shared.server.pages["/winnow.yml"]
    assert shared.scan().complaint(3)[0] == f".winnow.yml extends {url}: the server answers 404"
    shared.server.pages["/winnow.yml"] = lambda handler: answer(handler, 200, b"#" * (64 * 1024 + 1))
    assert shared.scan().complaint(3)[0] == f".winnow.yml extends {url}: larger than 65,536 bytes"
    with serving(authority) as gone:
        pass
    shared.checkout.write(".winnow.yml", f"extends: {{url: '{gone.url}/winnow.yml', sha256: '{'0' * 64}'}}\n")
    problem, remedy = shared.scan().complaint(3)
    assert problem == f".winnow.yml extends {gone.url}/winnow.yml: Connection refused (tried 4×)"
    assert "network" in remedy


def test_listing_an_index_follows_no_uri_of_a_change(merged: Shared) -> None:
    ids = {"CI_COMMIT_SHA": merged.checkout.git("rev-parse", "HEAD")}
    ids["CI_MERGE_REQUEST_TARGET_BRANCH_SHA"] = merged.checkout.git("rev-parse", "main")
    assert "comes from the change" in merged.run("index", "list", **MERGE_REQUEST, **ids).complaint(3)[0]
    assert merged.server.requests == []


def test_verifying_a_proof_follows_no_uri_of_a_change(merged: Shared, tmp_path: Path) -> None:
    ours = tmp_path / "ours.yml"
    ours.write_text(f"{merged.known}\npolicy: {{default: note}}\n")
    proof = tmp_path / "proof.json"
    scan = ("scan", "--range", "main..HEAD", "--config", ours, "--format", f"in-toto:{proof}")
    assert merged.run(*scan).status == 0
    merged.server.requests.clear()
    ids = {"CI_COMMIT_SHA": merged.checkout.git("rev-parse", "HEAD")}
    ids["CI_MERGE_REQUEST_TARGET_BRANCH_SHA"] = merged.checkout.git("rev-parse", "main")
    verify = ("verify", proof, "--unsigned")
    assert "comes from the change" in merged.run(*verify, **MERGE_REQUEST, **ids).complaint(3)[0]
    assert merged.server.requests == []
    # What the job names is trusted.
    assert merged.run(*verify, "--config", ours, **MERGE_REQUEST, **ids).status == 0


# ---- on a CI ---------------------------------------------------------------------------------------------------


def test_on_a_ci_the_base_says_what_is_extended(merged: Shared) -> None:
    lenient = merged.serve(f"{merged.known}policy: {{default: allow}}\n", "/lenient.yml")
    merged.checkout.commit({".winnow.yml": lenient})
    ended = merged.merge_request()
    assert (ended.status, levels(ended)) == (1, {"error"})
    assert ended.report()["scan"]["notices"] == ["the change edits .winnow.yml: the base's version applies"]
    assert merged.server.paths() == ["/winnow.yml", "/known.db"]
    allowed = merged.merge_request("--policy-from", "head")
    assert (allowed.status, levels(allowed)) == (0, {"note"})


def test_on_a_ci_a_change_that_breaks_it_has_no_effect(merged: Shared) -> None:
    for text in ("", "extends: nowhere\n", f"extends: {{url: 'https://localhost:9/a', sha256: '{'0' * 64}'}}\n"):
        merged.checkout.commit({".winnow.yml": text})
        assert merged.merge_request().status == 1


@pytest.mark.parametrize("arguments", [("--all",), ("--staged",)])
def test_a_job_for_a_change_follows_no_uri_of_the_change(merged: Shared, arguments: tuple[str, ...]) -> None:
    merged.checkout.write(".winnow.yml", merged.serve(merged.known, "/mine.yml"))
    merged.checkout.commit()
    assert merged.merge_request(*arguments).status in {0, 1}
    assert merged.server.paths() == ["/winnow.yml", "/known.db"]
    merged.checkout.commit({".winnow.yml": merged.known.replace("/known.db", "/mine.db")})
    assert merged.merge_request(*arguments).status in {0, 1}
    assert merged.server.paths() == ["/winnow.yml", "/known.db"]
    assert "/mine.db" in merged.merge_request(*arguments, "--policy-from", "head").errors


def test_a_first_configuration_has_nobody_asked(shared: Shared) -> None:
    shared.checkout.git("switch", "--quiet", "--create", "change")
    shared.checkout.commit({".winnow.yml": shared.serve(shared.known)})
    problem, remedy = shared.merge_request().complaint(3)
    assert problem == ".winnow.yml is new in this change, so the URI in it is not followed"
    assert "the action's input index" in remedy
    assert shared.server.requests == []


def test_but_the_job_may_name_the_index(shared: Shared) -> None:
    shared.checkout.git("switch", "--quiet", "--create", "change")
    shared.checkout.commit({".winnow.yml": shared.serve(f"{shared.known}policy: {{default: allow}}\n")})
    ended = shared.merge_request("--index", shared.known.split("'")[1])
    assert (ended.status, levels(ended)) == (1, {"error"})
    assert ended.report()["scan"]["notices"] == [".winnow.yml is new: it has no effect yet"]
    assert shared.server.paths() == ["/known.db"]
