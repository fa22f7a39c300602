"""Commits that a coding assistant helped to write: stricter rules, and a line in the report."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from support.donor import INNOCENT, MERGE_CLOSURES, SHORTEST_ROUTE
from support.repository import Checkout
from winnow_ci.scanner.assisted import is_assisted

if TYPE_CHECKING:
    from pathlib import Path

LENIENT = "policy: {warn: ['*']}\n"
STRICT = LENIENT + "assisted: {policy: {deny: ['GPL-*'], default: warning}}\n"
BY_CLAUDE = "Add a route\n\nCo-authored-by: Claude <noreply@anthropic.com>\n"


@pytest.fixture
def branch(checkout: Checkout, known: Path) -> Checkout:
    checkout.commit({".winnow.yml": f"index: ['{known}']\n{STRICT}"})
    checkout.git("checkout", "--quiet", "-b", "work")
    return checkout


def levels(checkout: Checkout, *options: str) -> tuple[int, dict[str, str], str]:
    """Status, path → level of each finding, and what standard error says of assisted commits."""
    ended = winnow("scan", *(options or ("--since", "main")), "--format", "json", cwd=checkout.root)
    line = "".join(line for line in ended.errors.splitlines() if "AI-assisted" in line or "all commits" in line)
    return ended.status, {found["path"]: found["level"] for found in ended.findings()}, line


def test_only_the_copies_of_an_assistant_fail(branch: Checkout) -> None:
    branch.commit({"src/own.py": MERGE_CLOSURES.text}, "Add one myself")
    branch.commit({"src/helped.py": SHORTEST_ROUTE.text}, BY_CLAUDE)
    branch.commit({"src/fine.py": INNOCENT}, BY_CLAUDE)
    status, found, line = levels(branch)
    assert found == {"src/own.py": "warning", "src/helped.py": "error"}
    assert (status, line) == (1, "winnow-ci: AI-assisted commits: 2, checked: 2, copies: 1")
    assert levels(branch, "--range", "main..work") == (status, found, line)


def test_a_copy_that_a_person_moved_later_still_counts(branch: Checkout) -> None:
    branch.commit({"src/helped.py": SHORTEST_ROUTE.text}, BY_CLAUDE)
    branch.git("mv", "src/helped.py", "src/moved.py")
    branch.commit({}, "Move it")
    assert levels(branch)[:2] == (1, {"src/moved.py": "error"})


def test_what_an_archive_of_an_assistant_holds_is_its_own(branch: Checkout) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("pkg/route.py", SHORTEST_ROUTE.text)
    branch.commit({"lib.zip": packed.getvalue()}, "Add one myself")
    assert levels(branch)[:2] == (0, {"lib.zip!/pkg/route.py": "warning"})
    branch.git("commit", "--quiet", "--amend", "--message", BY_CLAUDE)
    assert levels(branch)[:2] == (1, {"lib.zip!/pkg/route.py": "error"})


def test_an_assistant_that_only_touches_a_copy_did_not_bring_it(branch: Checkout) -> None:
    branch.commit({"src/own.py": SHORTEST_ROUTE.text}, "Add one myself")
    branch.commit({"src/own.py": f"{SHORTEST_ROUTE.text}\nprint(1)\n"}, BY_CLAUDE)
    assert levels(branch)[:2] == (0, {"src/own.py": "warning"})


def test_a_trailer_makes_nothing_milder(checkout: Checkout, known: Path) -> None:
    checkout.commit({".winnow.yml": f"index: ['{known}']\nassisted: {{policy: {{allow: ['*']}}}}\n"})
    checkout.git("checkout", "--quiet", "-b", "work")
    checkout.commit({"src/helped.py": SHORTEST_ROUTE.text}, BY_CLAUDE)
    assert levels(checkout)[:2] == (1, {"src/helped.py": "error"})


def test_a_comment_does_not_allow_what_is_denied_to_an_assistant(branch: Checkout) -> None:
    allowed = f"# winnow-ci: allow roads our own port\n{SHORTEST_ROUTE.text}"
    branch.commit({"src/helped.py": allowed}, BY_CLAUDE)
    assert levels(branch)[0] == 1
    approved = winnow("approve", "--source", "roads", "--reason", "our own port", "--since", "main", cwd=branch.root)
    assert "--including-denied" in approved.errors
    assert levels(branch)[0] == 1
    branch.git("commit", "--quiet", "--amend", "--message", "Add one myself")
    assert levels(branch)[0] == 0


def test_if_commits_are_missing_every_copy_counts(branch: Checkout, tmp_path: Path) -> None:
    branch.commit({"src/own.py": SHORTEST_ROUTE.text}, "Add one myself")
    branch.commit({"src/fine.py": INNOCENT}, "Add more")
    url = branch.root.as_uri()
    shallow = Checkout(tmp_path / "shallow")
    branch.git("clone", "--quiet", "--depth=1", "--no-single-branch", url, str(shallow.root))
    status, found, line = levels(shallow, "--range", "origin/main..HEAD")
    assert (status, found) == (1, {"src/own.py": "error"})
    assert "not all commits of the change are here" in line


def test_weak_findings_of_an_assistant_can_be_more(branch: Checkout, known: Path) -> None:
    branch.write(".winnow.yml", f"index: ['{known}']\nreport: {{cut: 20}}\n")
    branch.commit({"src/helped.py": SHORTEST_ROUTE.text}, BY_CLAUDE)
    assert levels(branch)[1] == {"src/helped.py": "note"}
    branch.write(".winnow.yml", f"index: ['{known}']\nreport: {{cut: 20}}\nassisted: {{weak: warning}}\n")
    assert levels(branch)[1] == {"src/helped.py": "warning"}
    branch.write(".winnow.yml", f"index: ['{known}']\nreport: {{cut: 20, weak: 'off'}}\nassisted: {{weak: error}}\n")
    assert levels(branch)[:2] == (1, {"src/helped.py": "error"})


@pytest.mark.parametrize(
    ("trailer", "expected"),
    [
        ("Assisted-by: Claude:claude-opus-5 coccinelle", True),
        ("generated-by: ChatGPT", True),
        ("Co-Authored-By: Claude <noreply@anthropic.com>", True),
        ("Co-authored-by: Copilot <198982749+Copilot@users.noreply.github.com>", True),
        ("Co-authored-by: Cursor <cursoragent@cursor.com>", True),
        ("Co-authored-by: aider (gpt-5) <noreply@aider.chat>", True),
        (
            "Co-authored-by: devin-ai-integration[bot] <158243242+devin-ai-integration[bot]@users.noreply.github.com>",
            True,
        ),
        ("Co-authored-by: Claude Monet <claude@example.org>", False),
        ("Co-authored-by: Gemini Ganesan <gemini@example.org>", False),
        ("Signed-off-by: Claude <noreply@anthropic.com>", False),
        ("Assisted-by:", False),
        ("Not-assisted-by: Claude", False),
    ],
)
def test_who_counts_as_an_assistant(trailer: str, expected: bool) -> None:
    assert is_assisted(trailer) is expected
