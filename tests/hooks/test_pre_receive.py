"""A server that refuses a push with findings, and keeps nothing of it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from support.donor import BASE, CHANGE, INNOCENT, PLAN, ROUTES
from support.repository import Checkout

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.findings import Findings

COPIED = CHANGE["src/plan.py"]
WHERE = ("src/plan.py", 13, 37)


@pytest.fixture
def server(tmp_path: Path, known: Path, findings: Findings, install: Callable[..., None]) -> Checkout:
    """A bare repository with our hook, configured in its own folder, that nothing has been pushed to."""
    server = Checkout.create(tmp_path / "server.git", "--bare", "--initial-branch=main")
    server.write(".winnow.yml", "index: [known.db]\n")
    server.write("known.db", known.read_bytes())
    install("pre-receive", server, "hooks")
    return server


@pytest.fixture
def client(server: Checkout, tmp_path: Path) -> Checkout:
    """A clone of it with a first commit, which was let in."""
    client = Checkout(tmp_path / "client")
    server.git("clone", "--quiet", f"file://{server.root}", str(client.root))
    client.git("switch", "--quiet", "--create", "main")
    client.commit(dict(BASE))
    client.git("push", "--quiet", "origin", "main")
    return client


def objects(server: Checkout) -> set[str]:
    """Names of the files that hold the server's objects."""
    folder = server.root / "objects"
    return {str(file.relative_to(folder)) for file in folder.rglob("*")}


def test_code_of_ones_own_is_let_in(server: Checkout, client: Checkout, findings: Findings) -> None:
    findings.reports()
    head = client.commit({"src/greetings.py": INNOCENT})
    client.git("push", "origin", "main", "main:refs/heads/topic", "main:refs/tags/v1")
    assert [report["scan"]["files_scanned"] for report in findings.reports()] == [1]
    assert server.git("rev-parse", "main", "topic", "v1").split() == [head] * 3


def test_nothing_of_a_refused_push_stays(server: Checkout, client: Checkout, findings: Findings) -> None:
    findings.reports()
    before, refs = objects(server), server.git("for-each-ref")
    client.commit({"src/greetings.py": INNOCENT})
    client.git("switch", "--quiet", "--create", "topic")
    copied = client.commit({"src/plan.py": COPIED})
    status, said = client.attempt("push", "origin", "main", "topic")
    assert status == 1
    assert "remote: src/plan.py:13-37: error: copied from roads (GPL-3.0-only)" in said
    assert said.count("pre-receive hook declined") == 2
    assert findings.lines() == {WHERE}
    assert (objects(server), server.git("for-each-ref")) == (before, refs)
    assert server.attempt("cat-file", "-e", copied)[0] != 0


def test_the_first_push_counts_as_a_whole(server: Checkout, tmp_path: Path, findings: Findings) -> None:
    client = Checkout.create(tmp_path / "client")
    head = client.commit({"src/plan.py": COPIED})
    status, said = client.attempt("push", f"file://{server.root}", "main")
    assert (status, findings.lines()) == (1, {WHERE})
    assert f"refs/heads/main ({head[:12]}) all of it: it shares no history with the other branches" in said


def test_a_push_cannot_allow_its_own_copies(server: Checkout, client: Checkout, tmp_path: Path) -> None:
    allowed = COPIED.replace("def shortest", "# winnow-ci: allow roads as we agreed\ndef shortest")
    first = Checkout.create(tmp_path / "first")
    for checkout in (client, first):
        checkout.commit({"src/plan.py": allowed})
        status, said = checkout.attempt("push", f"file://{server.root}", "HEAD:refs/heads/topic")
        assert status == 1
        assert "is part of the change, and has an effect only if the base has" in said


def test_it_advises_what_counts_on_the_server(
    server: Checkout, client: Checkout, known: Path, findings: Findings
) -> None:
    """The pusher makes the entry in a clone; whoever looks after the server puts it there."""
    base = client.git("rev-parse", "HEAD")
    head = client.commit({"src/plan.py": COPIED})
    _, said = client.attempt("push", "origin", "main")
    assert "put this above line" not in said
    assert "have the entry added to the server's baseline first." in " ".join(said.split())
    (found,) = re.findall(
        rf"to allow it:  winnow-ci approve (\w+) --reason TEXT --range {base[:12]}\.\.{head[:12]}", said
    )
    options = ("--range", f"{base[:12]}..{head[:12]}", "--index", known)
    assert winnow("approve", found, "--reason", "asked its author", *options, cwd=client.root).status == 0
    server.write("accepted.json", (client.root / ".winnow/baseline.json").read_bytes())
    server.write(".winnow.yml", "index: [known.db]\nbaseline: accepted.json\n")
    findings.reports()
    client.git("push", "origin", "main")


def test_what_the_server_has_accepted_is_let_in(server: Checkout, client: Checkout, findings: Findings) -> None:
    client.commit({"src/plan.py": COPIED})
    client.attempt("push", "origin", "main")
    (report,) = [report for report in findings.reports() if report["findings"]]
    (found,) = report["findings"]
    kept = {key: found["source"][key] for key in ("license",)} | {key: found[key] for key in ("path", "kind", "anchor")}
    entry = kept | {"source": "roads", "source_path": found["source"]["path"], "reason": "asked its author"}
    server.write("accepted.json", json.dumps({"version": 1, "entries": [entry]}))
    server.write(".winnow.yml", "index: [known.db]\nbaseline: accepted.json\n")
    client.git("push", "origin", "main")


def test_deletions_are_let_in(server: Checkout, client: Checkout, findings: Findings) -> None:
    client.git("push", "--quiet", "origin", "main:old")
    findings.reports()
    client.git("push", "origin", ":old")
    assert findings.reports() == []
    assert server.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_what_is_pushed_does_not_configure_the_server(client: Checkout, findings: Findings) -> None:
    client.write(".winnow.yml", 'index: [none.db]\npaths: {exclude: ["**"]}\npolicy: {default: allow}\n')
    client.commit({"src/plan.py": COPIED})
    status, _ = client.attempt("push", "origin", "main")
    assert (status, findings.lines()) == (1, {WHERE})
    client.write(".winnow.yml", 'boilerplate: ["lib/**"]\n')
    client.commit({"lib/routes.py": ROUTES})
    status, _ = client.attempt("push", "origin", "main")
    assert (status, len(findings.all()) > 1) == (1, True)


@pytest.mark.parametrize("step", ["as it is", "with a commit", "over the old branch"])
def test_a_copy_that_was_taken_away_again_does_not_come_back(client: Checkout, findings: Findings, step: str) -> None:
    client.git("switch", "--quiet", "--create", "topic")
    between = client.commit({"src/plan.py": COPIED})
    client.commit({"src/plan.py": PLAN})
    client.git("push", "--quiet", "origin", "topic")
    findings.reports()
    client.git("switch", "--quiet", "--create", "again", between)
    if step != "as it is":
        client.commit({"src/greetings.py": INNOCENT})
    status, _ = client.attempt("push", "--force", "origin", "again:topic" if step.startswith("over") else "again")
    assert (status, findings.lines()) == (1, {WHERE})


def test_a_branch_from_the_tip_of_another_is_not_charged_with_it(
    server: Checkout, client: Checkout, findings: Findings
) -> None:
    client.git("switch", "--quiet", "--create", "topic")
    client.commit({"src/plan.py": COPIED})
    (server.root / "hooks/pre-receive").rename(server.root / "hooks/off")
    client.git("push", "--quiet", "origin", "topic")
    (server.root / "hooks/off").rename(server.root / "hooks/pre-receive")
    findings.reports()
    client.git("push", "origin", "topic:again", "topic:refs/tags/v1")
    client.commit({"src/greetings.py": INNOCENT})
    client.git("push", "origin", "topic:more")
    assert [report["scan"]["files_scanned"] for report in findings.reports()] == [0, 1]


def test_without_an_index_nothing_is_let_in(server: Checkout, client: Checkout) -> None:
    (server.root / "known.db").unlink()
    client.commit({"src/greetings.py": INNOCENT})
    status, said = client.attempt("push", "origin", "main")
    assert status == 1
    assert "remote: winnow-ci: error: no index at " in said


def test_another_configuration_can_be_named(server: Checkout, client: Checkout, tmp_path: Path) -> None:
    (server.root / ".winnow.yml").rename(tmp_path / "all-repositories.yml")
    (server.root / "known.db").rename(tmp_path / "known.db")
    hook = server.root / "hooks/pre-receive"
    config = f"--config {tmp_path.as_posix()}/all-repositories.yml"
    hook.write_text(hook.read_text().replace("--pre-receive", f"--pre-receive {config}"), newline="\n")
    client.commit({"src/plan.py": COPIED})
    status, said = client.attempt("push", "origin", "main")
    assert (status, "1 finding (1 error)" in said) == (1, True)


def test_a_repository_with_a_work_tree(
    project: Checkout, tmp_path: Path, install: Callable[..., None], findings: Findings
) -> None:
    project.git("config", "receive.denyCurrentBranch", "ignore")
    project.git("clone", "--quiet", f"file://{project.root}", str(tmp_path / "client"))
    install("pre-receive")
    project.write(".git/.winnow.yml", "index: [../.winnow/index.db]\n")
    client = Checkout(tmp_path / "client")
    client.write(".winnow.yml", "policy: {default: allow}\n")
    client.commit({"src/plan.py": COPIED})
    status, _ = client.attempt("push", "origin", "main")
    assert (status, findings.lines()) == (1, {WHERE})
