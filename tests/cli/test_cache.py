"""What a scan of everything remembers of an earlier one must never change what is reported."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from support.answers import answers_in, forget, secret_in
from support.command import LONGEST, Ended, build, command, environment, winnow
from support.donor import CHANGE, INNOCENT, MERGE_CLOSURES, PLAN, SHORTEST_ROUTE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.repository import Checkout

COPY = "src/copied.py"
COPIED = f"{PLAN}\n\n{SHORTEST_ROUTE.text}"
REPORT = ("--format", "json")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Where the user's secret is kept."""
    return tmp_path / "state"


@pytest.fixture
def scan(checkout: Checkout, known: Path, state: Path) -> Callable[..., Ended]:
    """Scans everything, and remembers."""

    def run(*arguments: str | Path, index: Path = known, **settings: str) -> Ended:
        settings = {"XDG_STATE_HOME": str(state), **settings}
        return winnow("scan", "--all", *REPORT, "--index", index, *arguments, cwd=checkout.root, **settings)

    return run


def folder(checkout: Checkout) -> Path:
    return checkout.root / ".git" / "winnow-ci"


def paths(ended: Ended) -> list[str]:
    return [finding["path"] for finding in ended.findings()]


def test_an_unchanged_repository_has_the_same_report(checkout: Checkout, scan: Callable[..., Ended]) -> None:
    checkout.commit(
        {**CHANGE, "src/__init__.py": "", "notes.unheard-of": "word\n", "a.c": "\0" * 99, "src/b.ts": INNOCENT}
    )
    first = scan()
    # Of what has no match, no language and no tokens.
    assert answers_in(checkout).stat().st_size == 32 + 20 * len(("greetings.py", "b.ts", "notes", "__init__.py"))
    again = scan()
    assert (again.status, again.output, again.errors) == (first.status, first.output, first.errors)
    assert paths(first) == ["src/bookings.py", "src/plan.py"]
    assert scan("--no-cache").output == first.output


def test_a_file_with_a_copy_in_its_text_is_looked_at_again(checkout: Checkout, scan: Callable[..., Ended]) -> None:
    quoted = "".join(f"# {line}\n" for line in SHORTEST_ROUTE.text.splitlines())
    text = f"{INNOCENT}\n{quoted}"
    checkout.commit({"only.py": quoted, "beside.py": text, "prose.md": quoted, "innocent.md": INNOCENT})
    first = scan()
    assert sorted(set(paths(first))) == ["beside.py", "only.py", "prose.md"]
    assert answers_in(checkout).exists()
    assert scan().output == first.output


def test_what_it_has_found_itself_is_not_looked_at_again(
    checkout: Checkout, scan: Callable[..., Ended], state: Path
) -> None:
    """The control of the tests below: this one shows that there is something to guard against."""
    checkout.commit({COPY: COPIED})
    assert paths(scan()) == [COPY]
    forget(checkout, COPY, secret_in(state))
    assert paths(scan()) == []
    assert paths(scan("--no-cache")) == [COPY]
    assert paths(scan(GITLAB_CI="true")) == [COPY]


def test_an_answer_of_somebody_else_is_none(checkout: Checkout, scan: Callable[..., Ended]) -> None:
    checkout.commit({COPY: COPIED})
    scan()
    forget(checkout, COPY, b"x" * 32)
    assert paths(scan()) == [COPY]


def test_another_user_of_a_clone_has_answers_of_their_own(
    checkout: Checkout, scan: Callable[..., Ended], state: Path, tmp_path: Path
) -> None:
    checkout.commit({COPY: COPIED})
    scan()
    forget(checkout, COPY, secret_in(state))
    assert paths(scan(XDG_STATE_HOME=str(tmp_path / "other"))) == [COPY]
    assert len(list(folder(checkout).iterdir())) == 2


@pytest.mark.parametrize("place", [0, 31, 32, 48, -1])
def test_a_damaged_file_is_no_answer(checkout: Checkout, scan: Callable[..., Ended], state: Path, place: int) -> None:
    checkout.commit({COPY: COPIED})
    scan()
    forget(checkout, COPY, secret_in(state))
    content = bytearray(answers_in(checkout).read_bytes())
    content[place] ^= 1
    answers_in(checkout).write_bytes(content)
    assert paths(scan()) == [COPY]


@pytest.mark.parametrize("length", [0, 20, 32, 51])
def test_nor_is_a_part_of_one(checkout: Checkout, scan: Callable[..., Ended], length: int) -> None:
    checkout.commit({COPY: COPIED})
    first = scan()
    answers_in(checkout).write_bytes(answers_in(checkout).read_bytes()[:length])
    assert scan().output == first.output


def test_a_file_that_changes_is_looked_at(checkout: Checkout, scan: Callable[..., Ended]) -> None:
    checkout.commit({"src/a.py": INNOCENT, "src/b.py": INNOCENT})
    assert paths(scan()) == []
    checkout.write("src/a.py", COPIED)
    assert paths(scan()) == ["src/a.py"]
    checkout.write("src/new.py", COPIED)
    assert paths(scan()) == ["src/a.py", "src/new.py"]
    checkout.commit()
    assert paths(scan()) == ["src/a.py", "src/new.py"]
    checkout.git("reset", "--quiet", "--hard", "HEAD~1")
    assert paths(scan()) == []


def test_a_name_has_a_say(checkout: Checkout, scan: Callable[..., Ended]) -> None:
    checkout.commit({"copied.json": COPIED, "copied.rb": COPIED})
    assert paths(scan()) == []
    checkout.git("mv", "copied.json", "copied.py")
    checkout.commit()
    assert paths(scan()) == ["copied.py"]


def test_another_index_is_another_question(
    checkout: Checkout, scan: Callable[..., Ended], known: Path, tmp_path: Path
) -> None:
    checkout.commit({COPY: COPIED})
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "greetings.py").write_text(INNOCENT)
    build(tmp_path / "other", tmp_path / "mine.db", name="greetings")
    assert paths(scan(index=tmp_path / "mine.db")) == []
    (tmp_path / "mine.db").write_bytes(known.read_bytes())
    assert paths(scan(index=tmp_path / "mine.db")) == [COPY]
    assert paths(scan("--index", tmp_path / "mine.db", index=known)) == [COPY]


@pytest.mark.parametrize(
    ("without", "with_it"),
    [
        ("languages: [c]", "languages: [python]"),
        ("report: {min_tokens: 5000, min_tokens_renamed: 5000}", "report: {min_tokens: 16}"),
        ("paths: {exclude: [src]}", "paths: {exclude: [lib]}"),
        ("boilerplate: [src/copied.py, src/same.py]", "boilerplate: []"),
        (
            f"boilerplate: [{json.dumps({'language': 'python', 'text': COPIED})}]",
            f"boilerplate: [{json.dumps({'language': 'python', 'text': INNOCENT})}]",
        ),
    ],
)
def test_another_configuration_is_another_question(
    checkout: Checkout, scan: Callable[..., Ended], without: str, with_it: str
) -> None:
    checkout.commit({COPY: COPIED})
    (checkout.root / ".winnow.yml").write_text(without)
    assert paths(scan()) == []
    (checkout.root / ".winnow.yml").write_text(with_it)
    assert paths(scan()) == [COPY]


def test_a_policy_judges_what_is_found_each_time(checkout: Checkout, scan: Callable[..., Ended]) -> None:
    checkout.commit({COPY: COPIED})
    for default, status in (("note", 0), ("error", 1), ("warning", 0)):
        (checkout.root / ".winnow.yml").write_text(f"policy: {{default: {default}}}")
        ended = scan()
        assert (ended.status, [finding["level"] for finding in ended.findings()]) == (status, [default])
    answers_in(checkout)


def test_comments_without_a_copy_are_told_each_time(checkout: Checkout, scan: Callable[..., Ended]) -> None:
    checkout.commit({"src/a.py": f"# winnow-ci: allow roads as we agreed\n{INNOCENT}"})
    first = scan()
    assert "there is no such copy" in first.output
    assert scan().output == first.output


def test_what_could_not_be_looked_at_stays_so(checkout: Checkout, scan: Callable[..., Ended]) -> None:
    checkout.commit({"src/a.py": b"\0" * 5000})
    assert [scan().status for _ in range(2)] == [3, 3]


def test_scans_at_the_same_time_do_not_meet(checkout: Checkout, known: Path, state: Path) -> None:
    checkout.commit({COPY: COPIED, **{f"src/m{number}.py": f"{INNOCENT}X = {number}\n" for number in range(50)}})
    line, env = command("scan", "--all", *REPORT, "--index", known), environment(XDG_STATE_HOME=str(state))
    running = [subprocess.Popen(line, cwd=checkout.root, env=env, stdout=subprocess.PIPE) for _ in range(4)]
    outputs = {each.communicate(timeout=LONGEST)[0] for each in running}
    assert len(outputs) == 1
    assert [finding["path"] for finding in json.loads(outputs.pop())["findings"]] == [COPY]
    assert {each.returncode for each in running} == {1}
    answers_in(checkout)


@pytest.mark.parametrize("obstacle", ["file", "link", "read-only", "no state", "a secret for all"])
def test_where_nothing_can_be_kept_it_scans_as_ever(
    checkout: Checkout, scan: Callable[..., Ended], state: Path, tmp_path: Path, obstacle: str
) -> None:
    checkout.commit({COPY: COPIED})
    settings = {}
    (elsewhere := tmp_path / "elsewhere").mkdir()
    if obstacle == "file":
        folder(checkout).write_text("mine")
    elif obstacle == "link":
        folder(checkout).symlink_to(elsewhere)
    elif obstacle == "read-only":
        (checkout.root / ".git").chmod(0o555)
    elif obstacle == "no state":
        settings["XDG_STATE_HOME"] = os.devnull
    else:
        (state / "winnow-ci").mkdir(parents=True)
        (state / "winnow-ci" / "secret").write_bytes(b"x" * 32)
    for _ in range(2):
        assert paths(ended := scan(**settings)) == [COPY]
        assert ended.status == 1
    (checkout.root / ".git").chmod(0o755)
    assert not list(elsewhere.iterdir())


def test_the_folder_may_be_deleted(checkout: Checkout, scan: Callable[..., Ended]) -> None:
    checkout.commit({COPY: COPIED})
    first = scan()
    answers_in(checkout).unlink()
    assert scan().output == first.output
    answers_in(checkout).unlink()
    folder(checkout).rmdir()
    assert scan().output == first.output


def test_a_linked_work_tree_knows_what_the_first_one_does(
    checkout: Checkout, scan: Callable[..., Ended], known: Path, state: Path
) -> None:
    checkout.commit({COPY: COPIED})
    scan()
    forget(checkout, COPY, secret_in(state))
    checkout.git("worktree", "add", "--quiet", "../linked")
    linked = checkout.root.parent / "linked"
    ended = winnow("scan", "--all", *REPORT, "--index", known, cwd=linked, XDG_STATE_HOME=str(state))
    assert paths(ended) == []


def test_a_change_is_looked_at_as_ever(
    checkout: Checkout, scan: Callable[..., Ended], known: Path, state: Path
) -> None:
    """Only scans of everything remember: a commit is not to wait for it."""
    checkout.write("src/copied.py", MERGE_CLOSURES.text)
    checkout.git("add", "--all")
    ended = winnow("scan", "--staged", *REPORT, "--index", known, cwd=checkout.root, XDG_STATE_HOME=str(state))
    assert paths(ended) == [COPY]
    assert not folder(checkout).exists()
