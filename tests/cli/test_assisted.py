"""Commits that a coding assistant helped to write: stricter rules, and a line in the report."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from support.donor import INNOCENT, SHORTEST_ROUTE
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


def test_what_an_archive_of_an_assistant_holds_is_its_own(branch: Checkout) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("pkg/route.py", SHORTEST_ROUTE.text)
    branch.commit({"lib.zip": packed.getvalue()}, "Add one myself")
    assert levels(branch)[:2] == (0, {"lib.zip!/pkg/route.py": "warning"})
    branch.git("commit", "--quiet", "--amend", "--message", BY_CLAUDE)
    assert levels(branch)[:2] == (1, {"lib.zip!/pkg/route.py": "error"})


def test_if_commits_are_missing_every_copy_counts(branch: Checkout, tmp_path: Path) -> None:
    branch.commit({"src/own.py": SHORTEST_ROUTE.text}, "Add one myself")
    branch.commit({"src/fine.py": INNOCENT}, "Add more")
    url = branch.root.as_uri()
    shallow = Checkout(tmp_path / "shallow")
    branch.git("clone", "--quiet", "--depth=1", "--no-single-branch", url, str(shallow.root))
    status, found, line = levels(shallow, "--range", "origin/main..HEAD")
    assert (status, found) == (1, {"src/own.py": "error"})
    assert "not all commits of the change are here" in line


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
