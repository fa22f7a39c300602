"""The same change gives the same findings, whichever way it is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.command import winnow
from support.donor import CHANGE
from support.findings import Findings, summary
from support.repository import Checkout

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_hooks_and_scans_agree(
    checked: Checkout, findings: Findings, install: Callable[..., None], tmp_path: Path
) -> None:
    def scan(*mode: str) -> list[tuple[str, str, int, int, str]]:
        return summary(winnow("scan", *mode, "--format", "json", cwd=checked.root).report())

    Checkout.create(tmp_path / "remote", "--bare")
    checked.git("remote", "add", "origin", f"file://{tmp_path}/remote")
    checked.git("push", "--quiet", "--no-verify", "origin", "main")
    checked.git("switch", "--quiet", "--create", "topic")
    for path, text in CHANGE.items():
        checked.write(path, text)
    expected = scan("--since", "main")
    assert {(path, first, last, level) for _, path, first, last, level in expected} == {
        ("src/bookings.py", 4, 17, "error"),
        ("src/plan.py", 13, 37, "error"),
    }

    checked.git("add", "--all")
    answers = {"scan --staged": scan("--staged")}
    assert checked.attempt("commit", "-m", "x")[0] == 1
    answers["pre-commit: commit"] = findings.all()
    by_pre_commit = (checked.root / ".git/hooks/pre-commit").read_text()
    install("pre-commit")
    assert checked.attempt("commit", "-m", "x")[0] == 1
    answers["hooks/pre-commit"] = findings.all()
    checked.write(".git/hooks/pre-commit", by_pre_commit)

    checked.git("commit", "--quiet", "--no-verify", "-m", "x")
    answers["scan --range"] = scan("--range", "main..topic")
    assert checked.attempt("push", "origin", "topic")[0] == 1
    answers["pre-commit: push"] = findings.all()
    install("pre-push")
    assert checked.attempt("push", "origin", "topic")[0] == 1
    answers["hooks/pre-push"] = findings.all()
    settings = {"PRE_COMMIT": "1", "PRE_COMMIT_FROM_REF": "main", "PRE_COMMIT_TO_REF": "topic"}
    ended = winnow("hook", "--format", "json", "--", *CHANGE, cwd=checked.root, **settings)
    answers["hook FILE... between two revisions"] = summary(ended.report())

    bare = Checkout(tmp_path / "remote")
    bare.write(".winnow.yml", f"index: ['{checked.root}/.winnow/index.db']\n")
    install("pre-receive", bare, "hooks")
    assert checked.attempt("push", "--no-verify", "origin", "topic")[0] == 1
    answers["hooks/pre-receive"] = findings.all()
    assert answers == dict.fromkeys(answers, expected)
