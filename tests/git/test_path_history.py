"""What a path was in the past, and the commit since which a file has had a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.repository import Checkout
from winnow_ci import git

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout.create(tmp_path / "checkout")


def blob(checkout: Checkout, text: str) -> str:
    (checkout.root / "blob").write_text(text)
    return checkout.git("hash-object", "blob")


def versions(repository: git.Repository, head: str, path: str, since: str | None) -> list[str]:
    """Those of one path, asked for with others."""
    found = git.versions(repository, head, ["nowhere", path, "other\nname"], since)
    assert found.keys() == {"nowhere", path, "other\nname"}
    return found[path]


@pytest.mark.parametrize("path", ["a.c", "src/[id]*.js", ":(glob)a", "ü.py", "-n"])
def test_versions_come_newest_first_from_the_commit_on(checkout: Checkout, path: str) -> None:
    first = checkout.commit({path: "one\n"})
    second = checkout.commit({"other": "x\n"})
    checkout.commit({path: "two\n"})
    checkout.git("rm", "--quiet", "--", f":(literal){path}")
    checkout.commit()
    head = checkout.commit({path: "three\n"})
    repository = git.Repository.find(checkout.root)
    one, two, three = (blob(checkout, text) for text in ("one\n", "two\n", "three\n"))
    assert versions(repository, head, path, None) == [three, two, one]
    assert versions(repository, head, path, first) == [three, two, one]
    # It was older than the commit, and still there.
    assert versions(repository, head, path, second) == [three, two, one]
    assert versions(repository, head, path, head) == [three]
    assert versions(repository, second, path, None) == [one]
    assert versions(repository, head, "nowhere", None) == []


def test_what_came_by_a_merge_was_there(checkout: Checkout) -> None:
    first = checkout.commit({"a": "one\n"})
    checkout.git("switch", "--quiet", "--create", "topic")
    checkout.commit({"b": "copy\n"})
    checkout.git("switch", "--quiet", "main")
    since = checkout.commit({"c": "x\n"})
    checkout.git("merge", "--quiet", "--no-ff", "--no-edit", "topic")
    checkout.git("rm", "--quiet", "b")
    head = checkout.commit()
    repository = git.Repository.find(checkout.root)
    assert versions(repository, head, "b", since) == [blob(checkout, "copy\n")]
    assert versions(repository, since, "b", first) == []


OLD, NEW, NEWER, NONE = (word * 32 for word in "abcd")


def test_a_mark_is_in_a_file_since_a_commit(checkout: Checkout) -> None:
    checkout.commit({"b.json": f'"{OLD}" "{NEW}"'})
    checkout.commit({"b.json": f'"{OLD}"'})
    again = checkout.commit({"b.json": f'"{OLD}"\n"{NEW}"'})
    checkout.commit({"other": NEWER})
    head = checkout.commit({"b.json": f'"{OLD}" "{NEW}" "{NEWER}" {NONE} "{NONE}0"'})
    repository = git.Repository.find(checkout.root)
    root = checkout.git("rev-list", "--max-parents=0", "HEAD")
    found = git.first_with(repository, head, "b.json", {mark.encode() for mark in (OLD, NEW, NEWER, NONE)})
    assert found == {OLD.encode(): root, NEW.encode(): again, NEWER.encode(): head}
    assert git.first_with(repository, head, "b\n", {NEW.encode()}) == {}


def test_a_file_too_large_to_be_searched_has_no_marks(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    """The author of a change may have put anything there; what it was before is not known then."""
    monkeypatch.setattr("winnow_ci.git.path_history.LARGEST", 40)
    checkout.commit({"b.json": f'"{OLD}"'})
    checkout.commit({"b.json": f'"{OLD}"       '})
    head = checkout.commit({"b.json": f'"{OLD}"\n'})
    repository = git.Repository.find(checkout.root)
    assert git.first_with(repository, head, "b.json", {OLD.encode()}) == {OLD.encode(): head}
