"""Commits that hide that an assistant helped, or pretend it, and histories that take a copy out of its hands."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import pytest

from support.command import LONGEST, winnow
from support.donor import SHORTEST_ROUTE
from support.repository import Checkout
from winnow_ci import git
from winnow_ci.scanner.assisted import is_assisted

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COPY = SHORTEST_ROUTE.text
RULES = "policy: {warn: ['*']}\nassisted: {policy: {deny: ['*']}}\n"
BY_CLAUDE = "Add a route\n\nAssisted-by: Claude\n"
_PERSON = b"Ada <ada@example.org> 1714564800 +0000"


class Message(NamedTuple):
    """A message of a commit, and whether it counts as assisted."""

    text: bytes
    counts: bool = True
    headers: bytes = b""


MESSAGES = {
    "trailer": Message(b"Add\n\nAssisted-by: Claude\n"),
    "in the body": Message(b"Add\n\nAssisted-by: Claude\n\n* second commit of a squash\n\nSigned-off-by: Ada\n"),
    "in a title": Message(b"Assisted-by: Claude\n"),
    "among other text": Message(b"Add\n\nAssisted-by: Claude\n" + b"text that is no trailer\n" * 20),
    "folded": Message(b"Add\n\nAssisted-by:\n Claude\n"),
    "folded by a tab": Message(b"Add\n\nAssisted-by:\r\n\tClaude\n\t and more\n"),
    "case": Message(b"Add\n\nASSISTED-BY : Claude\n"),
    "CR LF": Message(b"Add\r\n\r\nAssisted-by: Claude\r\n"),
    "no line end": Message(b"Add\n\nAssisted-by: Claude"),
    "behind a NUL": Message(b"Add\0\n\nfoo: bar\0\nAssisted-by: Claude\n"),
    "behind a cut": Message(b"Add\n\n---\nAssisted-by: Claude\n"),
    "behind scissors": Message(b"Add\n\n# ------------------------ >8 ------------------------\nAssisted-by: Claude\n"),
    "before a comment": Message(b"Add\n\nAssisted-by: Claude\n# comment\n"),
    "before conflicts": Message(b"Add\n\nAssisted-by: Claude\n\nConflicts:\n\tx\n"),
    "behind a commit": Message(b"Add\n\nfoo: x\ncommit %b\nAssisted-by: Claude\n" % (b"0" * 40)),
    "among 10,000": Message(b"Add\n\n" + b"Signed-off-by: Ada <a@b>\n" * 10_000 + b"Assisted-by: Claude\n"),
    "a megabyte": Message(b"Add\n\nAssisted-by: " + b"a " * 500_000 + b"\n"),
    "another encoding": Message(b"Add\n\nAssisted-by: Claude \xe9\n", headers=b"encoding IBM037\n"),
    "no UTF-8": Message(b"\xff\xfe\n\nAssisted-by: \xff\n"),
    "address of an assistant": Message(b"Add\n\nCo-authored-by: Ada\xe2\x80\xae <noreply@anthropic.com>\n"),
    "endless space": Message(b"Add\n\nAssisted-by" + b" " * 1_000_000 + b"x\n", counts=False),
    "endless nothing": Message(b"Add\n\nAssisted-by:" + b" " * 1_000_000 + b"\n", counts=False),
    "endless address": Message(b"Add\n\nCo-authored-by: " + b"copilot" * 150_000 + b"\n", counts=False),
    "quoted": Message(b"Explain trailers\n\n    Assisted-by: Claude\n", counts=False),
    "in a sentence": Message(b"Add\n\nNot Assisted-by: Claude\n", counts=False),
    "in a header": Message(b"Add\n", counts=False, headers=b"note x\n Assisted-by: Claude\n"),
    "by its name": Message(b"Add\n\nCo-authored-by: noreply-at-anthropic.com <ada@example.org>\n", counts=False),
}
SETTINGS = {
    "trailer.separators": "#",
    "trailer.Assisted-by.key": "Other: ",
    "trailer.ifexists": "doNothing",
    "core.commentChar": "A",
    "i18n.logOutputEncoding": "IBM037",
    "i18n.commitEncoding": "UTF-16",
    "format.pretty": "oneline",
    "color.ui": "always",
    "log.showSignature": "true",
}
"""Settings of a clone that make git see no trailer, or say it otherwise."""


def test_who_says_it_and_who_does_not(tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path)
    base = tip = checkout.commit({"a.py": "a = 1\n"})
    tree, cases = checkout.git("rev-parse", "HEAD^{tree}"), {}
    for case, (text, _, headers) in MESSAGES.items():
        commit = b"tree %b\nparent %b\nauthor %b\ncommitter %b\n%b\n%b" % (
            tree.encode(), tip.encode(), _PERSON, _PERSON, headers, text
        )  # fmt: skip
        tip = checkout.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=commit)
        cases[tip] = case
    began = time.monotonic()
    commits, _ = git.commits_since(git.Repository.find(tmp_path), base, tip)
    counted = {cases[commit.id]: any(map(is_assisted, commit.message)) for commit in commits}
    assert time.monotonic() - began < LONGEST / 10
    assert counted == {case: message.counts for case, message in MESSAGES.items()}


@pytest.fixture
def branch(tmp_path: Path, known: Path) -> Checkout:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"src/a.py": "a = 1\n", ".winnow.yml": f"index: ['{known}']\n{RULES}"})
    checkout.git("checkout", "--quiet", "-b", "work")
    return checkout


def found(checkout: Checkout) -> set[tuple[str, str]]:
    """Path and level of each finding."""
    ended = winnow("scan", "--range", "main..work", "--format", "json", cwd=checkout.root)
    assert ended.status in {0, 1}, ended
    return {(one["path"], one["level"]) for one in ended.findings()}


def test_no_setting_hides_it(branch: Checkout) -> None:
    branch.commit({"src/helped.py": COPY}, BY_CLAUDE)
    for name, value in SETTINGS.items():
        branch.git("config", name, value)
    assert found(branch) == {("src/helped.py", "error")}


def _merged(branch: Checkout) -> None:
    branch.git("checkout", "--quiet", "-b", "side")
    branch.commit({"src/b.py": COPY}, BY_CLAUDE)
    branch.git("checkout", "--quiet", "work")
    branch.commit({"src/c.py": "c = 1\n"})
    branch.git("merge", "--quiet", "--no-ff", "side", "--message", "Merge")


def _evil_merge(branch: Checkout) -> None:
    branch.git("checkout", "--quiet", "-b", "side")
    branch.commit({"src/d.py": "d = 1\n"})
    branch.git("checkout", "--quiet", "work")
    branch.commit({"src/c.py": "c = 1\n"})
    branch.git("merge", "--quiet", "--no-ff", "--no-commit", "side")
    branch.commit({"src/b.py": COPY}, BY_CLAUDE)


def _reverted_and_added_again(branch: Checkout) -> None:
    branch.commit({"src/x.py": COPY}, BY_CLAUDE)
    branch.git("revert", "--no-edit", "HEAD")
    branch.commit({"src/b.py": COPY}, "Add it myself")


def _in_pieces(branch: Checkout) -> None:
    lines = COPY.splitlines(keepends=True)
    branch.commit({"src/b.py": "".join(lines[::2])}, BY_CLAUDE)
    branch.commit({"src/b.py": COPY}, "Add the rest myself")


def _reformatted(branch: Checkout) -> None:
    branch.commit({"src/x.py": COPY}, BY_CLAUDE)
    (branch.root / "src/x.py").unlink()
    branch.commit({"src/b.py": COPY.replace("    ", "\t").replace("\n", "\r\n")}, "Indent and move")


def _from_a_file_that_is_no_code(branch: Checkout) -> None:
    branch.commit({"notes.bin": COPY}, BY_CLAUDE)
    branch.git("mv", "notes.bin", "src/b.py")
    branch.commit({}, "Rename")


def _replaced(branch: Checkout) -> None:
    helped = branch.commit({"src/b.py": COPY}, BY_CLAUDE)
    branch.git("commit", "--quiet", "--amend", "--message", "mine")
    mine = branch.git("rev-parse", "HEAD")
    branch.git("reset", "--quiet", "--hard", helped)
    branch.git("replace", helped, mine)


def _grafted(branch: Checkout) -> None:
    branch.commit({"src/b.py": COPY}, BY_CLAUDE)
    tip = branch.commit({"src/c.py": "c = 1\n"})
    (branch.root / ".git/info").mkdir(exist_ok=True)
    (branch.root / ".git/info/grafts").write_text(f"{tip} {branch.git('rev-parse', 'main')}\n")


def _falsely_shallow(branch: Checkout) -> None:
    branch.commit({"src/b.py": COPY}, BY_CLAUDE)
    (branch.root / ".git/shallow").write_text(f"{branch.commit({'src/c.py': 'c = 1'})}\n")


def _renamed_by_git(branch: Checkout) -> None:
    branch.git("config", "diff.renames", "copies")
    branch.commit({"src/x.py": COPY}, BY_CLAUDE)
    branch.git("mv", "src/x.py", "src/b.py")
    branch.commit({}, "Move")


def _among_thousands(branch: Checkout) -> None:
    branch.commit({"src/b.py": COPY}, BY_CLAUDE)
    one = b"commit refs/heads/work\ncommitter %b\ndata 19\nAssisted-by: Claude\n%bM 100644 inline f%d\ndata 1\nx\n"
    parents = [b"from refs/heads/work^0\n", *[b""] * 2999]
    stream = b"".join(one % (_PERSON, parent, number % 9) for number, parent in enumerate(parents))
    branch.git("fast-import", "--quiet", stdin=stream)


HISTORIES: list[Callable[[Checkout], None]] = [
    _merged,
    _evil_merge,
    _reverted_and_added_again,
    _in_pieces,
    _reformatted,
    _from_a_file_that_is_no_code,
    _replaced,
    _grafted,
    _falsely_shallow,
    _renamed_by_git,
    _among_thousands,
]


@pytest.mark.parametrize("history", HISTORIES, ids=lambda history: history.__name__.strip("_"))
def test_the_copy_stays_the_assistants(branch: Checkout, history: Callable[[Checkout], None]) -> None:
    history(branch)
    assert found(branch) == {("src/b.py", "error")}
