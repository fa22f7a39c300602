"""What a push is compared with. tests/hooks has the pushes themselves."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from support.repository import Checkout, numbered
from winnow_ci.errors import GitError
from winnow_ci.git import Repository, read_changes, received, sent, unsent

if TYPE_CHECKING:
    from pathlib import Path

ZERO = "0" * 40


def find(checkout: Checkout) -> Repository:
    return Repository.find(checkout.root)


def line_sent(checkout: Checkout, ref: str, old: str = ZERO) -> bytes:
    return f"{ref} {checkout.git('rev-parse', ref)} {ref} {old}\n".encode()


@pytest.mark.parametrize(
    "line",
    [
        "refs/heads/a",
        f"refs/heads/a {ZERO} refs/heads/a",
        f"refs/heads/a --output=x refs/heads/a {ZERO}",
        f"refs/heads/a {ZERO} refs/heads/a HEAD",
        "\x1b[31m",
        "",
    ],
)
def test_lines_that_are_none(project: Checkout, line: str) -> None:
    for compare in (lambda lines: sent(find(project), lines, "origin"), lambda lines: received(find(project), lines)):
        with pytest.raises(GitError, match=r"not a line about a pushed ref: [^\x1b]*\n"):
            compare(f"{line}\n".encode())


def test_a_revision_with_blanks(project: Checkout) -> None:
    head = project.git("rev-parse", "HEAD")
    line = f"HEAD^{{/cha nge}} {head} refs/heads/a {ZERO}\n".encode()
    (changes,) = sent(find(project), line, "origin")
    assert (changes.scope.head, len(changes.files)) == (head, 3)


@pytest.mark.skipif(os.name != "posix", reason="names are bytes there only")
def test_a_name_of_a_ref_is_made_harmless(project: Checkout) -> None:
    name = "refs/heads/\u202e\x9b::error::"
    lines = (
        name.encode() + b"\xff " + line_sent(project, "HEAD").split(b" ", 1)[1].replace(b"HEAD", b"\xe2\x80\xae\xff")
    )
    (changes,) = sent(find(project), lines, "origin")
    assert changes.scope.description.isprintable()


def test_a_remote_called_like_an_option(project: Checkout) -> None:
    (changes,) = sent(find(project), line_sent(project, "main"), "--output=x")
    assert len(changes.files) == 3
    assert not (project.root / "x").exists()


def test_many_refs_to_one_commit_are_one_comparison(project: Checkout) -> None:
    for number in range(9):
        project.git("branch", f"b{number}")
    lines = b"".join(line_sent(project, f"refs/heads/b{number}") for number in range(9))
    (changes,) = sent(find(project), lines, "origin")
    assert " and 4 more (" in changes.scope.description
    assert changes.scope.base is None


def test_refs_to_what_is_there_are_one_comparison_of_nothing(project: Checkout) -> None:
    first = project.git("rev-parse", "HEAD")
    project.commit({"a.c": "a\n"})
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    lines = line_sent(project, "main", first) + f"x {first} refs/tags/v1 {ZERO}\n".encode()
    (changes,) = sent(find(project), lines, "origin")
    assert changes.files == ()
    assert changes.scope.description == "main, refs/tags/v1: nothing new"


def test_what_was_merged_counts_only_where_both_sides_differ(project: Checkout) -> None:
    project.git("switch", "--quiet", "--create", "topic")
    project.commit({"a.c": numbered("a.c") + "topic\n", "b.c": "topic\n" + numbered("b.c")})
    project.git("update-ref", "refs/remotes/origin/topic", "HEAD")
    project.git("switch", "--quiet", "main")
    project.commit({"b.c": numbered("b.c") + "main\n", "lib/c.c": "main\n"})
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    project.git("switch", "--quiet", "topic")
    project.git("merge", "--quiet", "--no-edit", "main")
    (changes,) = sent(find(project), line_sent(project, "topic"), "origin")
    assert [file.path for file in changes.files] == ["b.c"]


def test_history_that_is_cut_off(project: Checkout, tmp_path: Path) -> None:
    project.commit({"a.c": "a\n"})
    project.git("clone", "--quiet", "--depth=1", f"file://{project.root}", str(tmp_path / "shallow"))
    shallow = Checkout(tmp_path / "shallow")
    shallow.commit({"b.c": "b\n"})
    (changes,) = sent(find(shallow), line_sent(shallow, "main"), "origin")
    assert [file.path for file in changes.files] == ["b.c"]
    shallow.git("switch", "--quiet", "--orphan", "pages")
    shallow.commit({"index.c": "i\n"})
    with pytest.raises(GitError, match="no common ancestor with origin/main in this clone"):
        sent(find(shallow), line_sent(shallow, "pages"), "origin")


def test_a_repository_of_sha_256(tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "sha256", "--object-format=sha256")
    checkout.commit({"a.c": "a\n"})
    (changes,) = sent(find(checkout), line_sent(checkout, "main", "0" * 64), "origin")
    assert [file.path for file in changes.files] == ["a.c"]
    assert sent(find(checkout), f"(delete) {'0' * 64} refs/heads/main {changes.scope.head}\n".encode(), "origin") == []


def test_content_is_that_of_the_commit(project: Checkout) -> None:
    project.commit({"a.c": "committed\n"})
    project.write("a.c", "in the work tree\n")
    changes = unsent(find(project), "HEAD", "origin")
    contents = {file.path: change for file, change in read_changes(find(project), changes.files, 2**20)}
    assert contents["a.c"].content == b"committed\n"
