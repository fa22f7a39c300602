"""``winnow-ci compare`` with revisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.command import Ended, winnow
from support.donor import LOGS, MERGE_CLOSURES, ROUTES, write_known
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Two commits: the known code, tagged; then without one file, and with part of the other."""
    checkout = Checkout.create(tmp_path / "checkout")
    write_known(checkout.root)
    checkout.commit()
    checkout.git("tag", "v1")
    (checkout.root / "roads" / "logs.py").unlink()
    checkout.commit({"roads/routes.py": MERGE_CLOSURES.text})
    return checkout


def compared(cwd: Path, *arguments: str | Path) -> dict[str, Any]:
    ended = winnow("compare", *arguments, "--json", cwd=cwd)
    assert ended.status == 0, ended
    return ended.report()


def shares(report: dict[str, Any]) -> tuple[float, float, float]:
    return tuple(report[key]["value"] for key in ("resemblance", "containment_of_a", "containment_of_b"))  # type: ignore[return-value]


def complaint(ended: Ended, status: int) -> str:
    return " ".join(ended.complaint(status))


def test_two_revisions_are_compared_as_their_folders_are(checkout: Checkout, tmp_path: Path) -> None:
    for revision in ("v1", "main"):
        checkout.git("worktree", "add", "--quiet", "--detach", str(tmp_path / revision), revision)
    folders = compared(tmp_path, "v1", "main")
    found = compared(checkout.root, "v1", "main")
    assert found["a"].pop("commit") == checkout.git("rev-parse", "v1")
    assert found["b"].pop("commit") == checkout.git("rev-parse", "main")
    assert folders["a"].pop("commit") is folders["b"].pop("commit") is None
    # Git's own file in a linked work tree is no code.
    for side in ("a", "b"):
        folders[side]["files_skipped"] = [skip for skip in folders[side]["files_skipped"] if skip["path"] != ".git"]
    assert found == folders
    assert found["pairs"][0]["stretches"]


def test_a_revision_and_a_folder(checkout: Checkout, tmp_path: Path) -> None:
    other = write_known(tmp_path / "other")
    assert shares(compared(checkout.root, "v1", other)) == (1.0, 1.0, 1.0)
    assert shares(compared(checkout.root, other / "roads", "v1:roads")) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("there", "files"),
    [
        ("v1:roads", ["logs.py", "routes.py"]),
        ("v1:roads/", ["logs.py", "routes.py"]),
        ("v1:", ["roads/logs.py", "roads/routes.py"]),
        ("main~1:roads/logs.py", ["logs.py"]),
        ("HEAD^{/change}~1:roads/logs.py", ["logs.py"]),
    ],
)
def test_a_path_of_a_revision(checkout: Checkout, there: str, files: list[str]) -> None:
    report = compared(checkout.root, there, "v1")
    assert sorted(pair["a"]["path"] for pair in report["pairs"]) == files
    assert report["a"]["name"] == there


def test_a_path_that_begins_with_a_dot_is_relative_to_the_current_folder(checkout: Checkout) -> None:
    folder = checkout.root / "roads"
    report = compared(folder, "v1:./logs.py", "v1:..")
    assert [pair["b"]["path"] for pair in report["pairs"]] == ["roads/logs.py"]
    assert compared(folder, "v1:.", "v1:roads")["a"]["files"] == 2
    assert compared(folder, "v1:roads", "v1")["a"]["files"] == 2


def test_what_is_a_folder_and_a_revision_is_the_folder(checkout: Checkout) -> None:
    checkout.write("v1/copy.py", ROUTES)
    report = compared(checkout.root, "v1", "refs/tags/v1")
    assert (report["a"]["files"], report["a"]["commit"]) == (1, None)
    assert (report["b"]["files"], report["b"]["commit"]) == (2, checkout.git("rev-parse", "v1"))
    (checkout.root / "dangling").symlink_to("nowhere")
    checkout.git("tag", "dangling")
    assert "No such file" in complaint(winnow("compare", "dangling", "v1", cwd=checkout.root), 2)


def test_all_pairs_and_base_of_a_revision(checkout: Checkout) -> None:
    checkout.commit({"two/copy.py": ROUTES, "two/other.py": ROUTES.replace("road", "street")})
    checkout.git("rm", "--quiet", "-r", "two")
    report = compared(checkout.root, "HEAD:two", "--all-pairs")
    assert [(pair["a"]["path"], pair["b"]["path"]) for pair in report["pairs"]] == [("copy.py", "other.py")]
    (pair,) = report["pairs"]
    assert sum(stretch["fingerprints"] for stretch in pair["stretches"]) == pair["shared"]
    without = winnow("compare", "v1", "v1:roads/logs.py", "--base", "v1:roads/routes.py", "--json", cwd=checkout.root)
    assert [pair["a"]["path"] for pair in without.report()["pairs"]] == ["roads/logs.py"]


def test_links_submodules_and_pointers_are_counted(checkout: Checkout) -> None:
    checkout.stage("link.py", "roads/routes.py", "120000")
    checkout.stage_id(b"module", checkout.git("rev-parse", "HEAD"), "160000")
    checkout.git("commit", "--quiet", "--message", "odd")
    checkout.git("tag", "odd")
    assert "2 skipped (1 submodule, 1 symbolic link)" in winnow("compare", "odd", "v1", cwd=checkout.root).errors
    checkout.stage("big.py", "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 9\n")
    checkout.git("commit", "--quiet", "--message", "pointer")
    ended = winnow("compare", "HEAD", "v1", cwd=checkout.root)
    assert ended.status == 3
    assert "big.py: not read: Git LFS pointer: content not fetched" in ended.errors


def test_a_bare_repository(checkout: Checkout, tmp_path: Path) -> None:
    checkout.git("clone", "--quiet", "--bare", str(checkout.root), str(tmp_path / "bare"))
    assert compared(tmp_path / "bare", "v1", "main:roads")["b"]["files"] == 1


@pytest.mark.parametrize(
    ("name", "said"), [("v1:link.py", "has a symlink"), ("\x1b[31m", "not a file, a folder or a revision")]
)
def test_what_is_not_there(checkout: Checkout, name: str, said: str) -> None:
    checkout.stage("link.py", "roads/routes.py", "120000")
    checkout.git("commit", "--quiet", "--message", "link")
    checkout.git("tag", "--force", "v1")
    ended = winnow("compare", name, "main", cwd=checkout.root)
    assert said in complaint(ended, 2)
    assert "\x1b" not in ended.errors


def test_a_shallow_clone_is_told(checkout: Checkout, tmp_path: Path) -> None:
    checkout.git("clone", "--quiet", "--depth=1", checkout.root.as_uri(), str(tmp_path / "shallow"))
    ended = winnow("compare", "HEAD~1", "HEAD", cwd=tmp_path / "shallow")
    assert "git fetch --unshallow" in complaint(ended, 2)


def test_without_a_repository(tmp_path: Path) -> None:
    write_known(tmp_path / "here")
    (tmp_path / "logs.py").write_text(LOGS)
    ended = winnow("compare", "here", "HEAD", cwd=tmp_path)
    assert "HEAD: No such file or directory, and no git repository here" in complaint(ended, 2)
