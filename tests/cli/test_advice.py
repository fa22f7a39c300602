"""What a report advises is true where it is read: its commands can be given, and its comments count."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from support.command import Ended, winnow
from support.donor import CHANGE
from winnow_ci.model.findings import REASON_HERE

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout

PLAN = "src/plan.py"


@pytest.fixture
def change(copied: Checkout, known: Path) -> Checkout:
    """A branch with copies: one of them in a commit, both in the git index; the configuration names the index."""
    copied.git("switch", "--quiet", "--create", "topic")
    copied.write(".winnow.yml", f"index: ['{known}']\n")
    copied.git("add", ".winnow.yml", "src/bookings.py")
    copied.git("commit", "--quiet", "--message", "one")
    copied.git("add", ".")
    return copied


def advised(ended: Ended, verb: str) -> list[list[str]]:
    """The commands that a text report advises, without the name of the program, with a reason put in."""
    found = re.findall(rf"winnow-ci ({verb} .*)$", ended.output, re.MULTILINE)
    return [["ours" if word == REASON_HERE else word for word in shlex.split(line)] for line in found]


def options(ended: Ended) -> set[tuple[str, ...]]:
    """The options of the commands on findings: they agree."""
    return {tuple(arguments[2:]) for arguments in advised(ended, "explain")}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("scan", ""),
        ("scan src", ""),
        ("scan --since main", "--since main"),
        ("scan --staged", "--staged"),
        ("scan --range main..HEAD", "--range main..HEAD"),
        ("scan --all", "--all"),
        ("scan --all --config .winnow.yml", "--all --config .winnow.yml"),
        ("hook", "--staged"),
        (f"hook -- {PLAN}", "--staged"),
        (f"hook -- {PLAN} src/bookings.py", "--all"),
        ("hook --pre-push", "--range OLD..NEW"),
    ],
)
def test_the_command_that_is_printed_explains_the_finding(change: Checkout, arguments: str, expected: str) -> None:
    ended = winnow(*arguments.split(), cwd=change.root)
    assert ended.status == 1, ended
    old, new = (change.git("rev-parse", revision)[:12] for revision in ("main", "HEAD"))
    assert options(ended) == {tuple(expected.replace("OLD", old).replace("NEW", new).split())}
    headings = re.findall(r"^\S+: error: .*$", ended.output, re.MULTILINE)
    for command, heading in zip(advised(ended, "explain"), headings, strict=True):
        explained = winnow(*command, cwd=change.root)
        assert (explained.status, explained.output.splitlines()[0]) == (0, heading)


def test_an_index_that_was_named_is_named_again(change: Checkout, known: Path, tmp_path: Path) -> None:
    (tmp_path / "two words.db").write_bytes(known.read_bytes())
    ended = winnow("scan", "--staged", "--index", tmp_path / "two words.db", cwd=change.root)
    (command,) = advised(ended, "explain")
    assert command[2:] == ["--staged", "--index", (tmp_path / "two words.db").as_posix()]
    assert winnow(*command, cwd=change.root).status == 0


def test_where_a_comment_counts_it_is_advised_and_passes(change: Checkout) -> None:
    ended = winnow("scan", "--staged", cwd=change.root)
    (line,) = re.findall(r"put this above line 13:  (# winnow-ci: allow roads) <reason>$", ended.output, re.MULTILINE)
    lines = (change.root / PLAN).read_text().splitlines(keepends=True)
    change.write(PLAN, "".join([*lines[:12], f"{line} its author said so\n", *lines[12:]]))
    change.git("add", PLAN)
    assert winnow("scan", "--staged", cwd=change.root).status == 0


@pytest.mark.parametrize(
    ("rules", "arguments", "says"),
    [
        ("", "--range main..HEAD --policy-from base", "merge the baseline first."),
        ("suppressions: {inline: never}\n", "--range main..HEAD", ""),
        ("suppressions: {inline: never}\n", "--range main..HEAD --policy-from base", "merge the baseline first"),
    ],
)
def test_where_no_comment_counts_the_command_is_advised(
    checkout: Checkout, known: Path, rules: str, arguments: str, says: str
) -> None:
    checkout.commit({".winnow.yml": f"index: ['{known}']\n{rules}"})
    checkout.git("switch", "--quiet", "--create", "topic")
    checkout.commit({PLAN: CHANGE[PLAN]})
    ended = winnow("scan", *arguments.split(), cwd=checkout.root)
    assert (ended.status, "put this above" in ended.output) == (1, False)
    assert says in ended.output
    (command,) = advised(ended, "approve")
    assert winnow(*command, cwd=checkout.root).status == 0


def test_where_the_rules_trust_a_change_its_comments_are_advised_on_a_ci_too(checkout: Checkout, known: Path) -> None:
    checkout.commit({".winnow.yml": f"index: ['{known}']\nsuppressions: {{inline: always}}\n"})
    checkout.git("switch", "--quiet", "--create", "topic")
    checkout.commit({PLAN: CHANGE[PLAN]})
    ended = winnow("scan", "--range", "main..HEAD", cwd=checkout.root, GITHUB_ACTIONS="true")
    assert "put this above line 13:" in ended.output
    assert "docs/ci.md" not in ended.output


def test_paths_of_a_ci_s_machine_are_not_advised(change: Checkout, known: Path) -> None:
    mode = ("--range", "main..HEAD")
    asked = ("scan", *mode, "--index", known, "--index", "known.db")
    change.write("known.db", known.read_bytes())
    with_its_rules = winnow(*asked, "--policy-from", "head", cwd=change.root, GITHUB_ACTIONS="true")
    assert options(with_its_rules) == {mode}
    # Nothing of a first configuration counts where the job names an index.
    assert options(winnow(*asked, cwd=change.root, GITHUB_ACTIONS="true")) == {(*mode, "--index", "known.db")}
    change.git("rm", "--quiet", "--force", ".winnow.yml")
    change.git("commit", "--quiet", "--message", "no configuration")
    assert options(winnow(*asked, cwd=change.root, GITHUB_ACTIONS="true")) == {(*mode, "--index", "known.db")}
    assert options(winnow(*asked, cwd=change.root)) == {(*mode, "--index", known.as_posix(), "--index", "known.db")}


def test_what_denies_a_copy_is_in_the_command(change: Checkout, known: Path) -> None:
    change.write(".winnow.yml", f"index: ['{known}']\npolicy: {{deny: ['GPL-*']}}\nsuppressions: {{inline: never}}\n")
    ended = winnow("scan", "--staged", cwd=change.root)
    (command,) = advised(ended, "approve")
    assert "--including-denied" in command
    assert winnow(*command, cwd=change.root).status == 0
    assert winnow("scan", "--staged", cwd=change.root).status == 0
