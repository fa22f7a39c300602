"""A name that means two commits is refused: whoever may push a tag can give it the name of a branch to compare with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from winnow_ci.errors import ExitStatus, GitError
from winnow_ci.git import Repository, between, checked_out, identity, resolve_revision, since

if TYPE_CHECKING:
    from support.repository import Checkout


@pytest.fixture
def topic(project: Checkout) -> Checkout:
    """A branch that has left ``main``, here and at ``origin``, with one more file."""
    project.git("update-ref", "refs/remotes/origin/main", "main")
    project.git("switch", "--quiet", "--create", "topic")
    project.commit({"copied.c": "copied\n"})
    return project


def assert_ambiguous(checkout: Checkout, name: str, *meanings: str) -> None:
    repository = Repository.find(checkout.root)
    for ask in (lambda: since(repository, name), lambda: between(repository, f"{name}...HEAD")):
        with pytest.raises(GitError, match="is ambiguous") as caught:
            ask()
        assert caught.value.exit_status == ExitStatus.CANNOT_SCAN
        assert all(meaning in caught.value.problem for meaning in meanings)


@pytest.mark.parametrize("reference", ["refs/tags/origin/main", "refs/heads/origin/main", "refs/origin/main"])
@pytest.mark.parametrize("warns", ["true", "false"])
def test_another_reference_called_as_the_branch_of_origin(topic: Checkout, reference: str, warns: str) -> None:
    topic.git("config", "core.warnAmbiguousRefs", warns)
    topic.git("update-ref", reference, "topic")
    assert_ambiguous(topic, "origin/main", reference, "refs/remotes/origin/main")


def test_a_tag_called_as_a_branch(topic: Checkout) -> None:
    topic.git("tag", "main", "topic")
    assert_ambiguous(topic, "main", "refs/tags/main", "refs/heads/main")


def test_a_tag_called_as_an_abbreviated_id(topic: Checkout) -> None:
    short = topic.git("rev-parse", "main")[:9]
    topic.git("update-ref", f"refs/tags/{short}", "topic")
    assert_ambiguous(topic, short, f"refs/tags/{short}", "an abbreviated id")


def test_a_tag_called_as_a_branch_that_only_origin_has(topic: Checkout) -> None:
    topic.git("branch", "--quiet", "--delete", "--force", "main")
    topic.git("tag", "main", "topic")
    with pytest.raises(GitError, match=r"is ambiguous: .*refs/tags/main and refs/remotes/origin/main"):
        since(Repository.find(topic.root), "main")


def test_what_always_means_itself(topic: Checkout) -> None:
    main, head = topic.git("rev-parse", "main", "topic").split()
    for reference, commit in ((f"heads/{main}", head), ("tags/HEAD", main), ("heads/refs/heads/main", head)):
        topic.git("update-ref", f"refs/{reference}", commit)
    repository = Repository.find(topic.root)
    assert [resolve_revision(repository, name) for name in (main, "HEAD", "refs/heads/main")] == [main, head, main]


def test_a_tag_beside_the_branch_that_it_was_made_of(topic: Checkout) -> None:
    topic.git("tag", "--annotate", "--message", "released", "main", "main")
    assert [file.path for file in since(Repository.find(topic.root), "main").files] == ["copied.c"]


# ---- what reports and records name -----------------------------------------------------------------------------


def test_a_checkout_has_the_name_of_its_remote_and_nothing_of_a_password(project: Checkout) -> None:
    repository = Repository.find(project.root)
    found = checked_out(repository)
    commit, date = project.git("show", "--no-patch", "--format=%H %cs").split()
    assert found == (project.root.name, "main", commit, date)
    project.git("remote", "add", "origin", "https://ada:s3cret@git.example.org/acme/harbour.git/")
    project.git("switch", "--quiet", "--detach")
    assert checked_out(repository) == ("harbour", None, commit, date)
    project.git("config", "remote.origin.url", "git@git.example.org:quay.git")
    assert checked_out(repository).repository == "quay"


def test_a_checkout_without_a_commit(checkout: Checkout) -> None:
    assert checked_out(Repository.find(checkout.root)) == (checkout.root.name, "main", None, None)


def test_who_records_is_who_git_would_write_into_a_commit(project: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    for part, value in (("NAME", "Ada Pilot"), ("EMAIL", "ada@harbour.example")):
        monkeypatch.setenv(f"GIT_AUTHOR_{part}", value)
    repository = Repository.find(project.root)
    assert identity(repository) == "Ada Pilot <ada@harbour.example>"
    monkeypatch.setenv("GIT_AUTHOR_NAME", "A" * 999)
    assert len(identity(repository) or "") == 200
    monkeypatch.delenv("GIT_AUTHOR_NAME")
    monkeypatch.delenv("GIT_AUTHOR_EMAIL")
    monkeypatch.setenv("HOME", str(project.root))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    project.git("config", "user.useConfigOnly", "true")
    assert identity(repository) is None
