"""``winnow-ci index build`` from what a git repository has stored."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from support.command import Ended, build, winnow
from support.donor import INNOCENT, LOGS, ROUTES, write_known
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 12345\n"


def digest(ended: Ended) -> str:
    assert ended.status == 0, ended
    return ended.output.rsplit(maxsplit=1)[-1]


def stored(place: Path, index: Path, *options: str | Path, name: str = "roads", **settings: str) -> Ended:
    command = ("index", "build", place, "--output", index, "--name", name, *options)
    return winnow(*command, cwd=index.parent, **settings)


def sources(index: Path) -> list[tuple[str, str | None, int]]:
    report = winnow("index", "list", index, "--json", cwd=index.parent).report()
    return [(one["name"], one["version"], one["files"]) for one in report["sources"]]


def scanned(index: Path, folder: Path, text: str) -> list[dict[str, object]]:
    checkout = Checkout.create(folder)
    checkout.commit({"a.txt": "a\n"})
    checkout.write("mine.py", text)
    ended = winnow("scan", "--all", "--index", index, "--format", "json", cwd=checkout.root)
    assert ended.status == 1, ended
    return ended.findings()


@pytest.fixture
def known(tmp_path: Path) -> Checkout:
    """The known code, committed."""
    checkout = Checkout.create(tmp_path / "known")
    write_known(checkout.root)
    checkout.commit()
    return checkout


@pytest.fixture
def released(known: Checkout) -> Checkout:
    """Three versions of it, of which the second changes one of two files, and the third adds one."""
    known.git("tag", "v1.0")
    known.commit({"roads/logs.py": LOGS.replace("limit=1000", "limit=2000")})
    known.git("tag", "--annotate", "--message", "second", "v1.1")
    known.commit({"roads/greetings.py": INNOCENT})
    known.git("tag", "--annotate", "--message", "third", "once")
    known.git("tag", "--annotate", "--message", "third, signed off", "roads-1.2", "once")
    known.git("tag", "--delete", "once")
    return known


@pytest.mark.parametrize("bare", [False, True])
def test_a_revision_gives_the_index_that_a_folder_of_its_files_gives(
    tmp_path: Path, known: Checkout, bare: bool
) -> None:
    place = known.root
    if bare:
        place = tmp_path / "known.git"
        known.git("clone", "--quiet", "--bare", str(known.root), str(place))
    wanted = build(write_known(tmp_path / "folder"), tmp_path / "i.db", "--with-text")
    known.commit({"roads/later.py": ROUTES.replace("road", "street")})
    found = stored(place, tmp_path / "j.db", "--revision", "main" if bare else "main~1", "--with-text")
    assert digest(found) == digest(wanted)
    assert found.errors == wanted.errors


def test_workers_make_no_difference(tmp_path: Path, known: Checkout) -> None:
    for number in range(200):
        text = ROUTES.replace("route", f"way{number}").replace("road", f"street{number}")
        known.write(f"roads/copy{number}.py", text * (1 + (1 << 22) // 200 // len(text)))
    known.commit()
    found = stored(known.root, tmp_path / "i.db", "--revision", "HEAD")
    assert digest(found) == digest(build(known.root, tmp_path / "j.db"))


def test_blobs_count_and_not_what_attributes_and_filters_make_of_them(tmp_path: Path, known: Checkout) -> None:
    mark = tmp_path / "ran"
    known.write("roads/kept.py", "VERSION = '$Format:%H$ $Id$'\r\n" + ROUTES.replace("road", "street"))
    known.write("roads/ignored.py", ROUTES.replace("road", "path"))
    known.commit()
    wanted = digest(build(known.root, tmp_path / "i.db"))
    attributes = "*.py text eol=lf ident export-subst filter=bad diff=bad working-tree-encoding=UTF-16\n"
    known.stage(".gitattributes", attributes + "ignored.py export-ignore\n")
    known.git("commit", "--quiet", "--message", "attributes")
    known.write(".gitattributes", attributes)
    for setting in ("filter.bad.smudge", "filter.bad.clean", "filter.bad.process", "diff.bad.textconv"):
        known.git("config", setting, f"touch {mark}; cat")
    known.git("config", "core.fsmonitor", f"touch {mark}")
    known.git("config", "filter.bad.required", "true")
    found = stored(known.root, tmp_path / "j.db", "--revision", "HEAD")
    assert digest(found) == wanted
    assert not mark.exists()


def test_links_submodules_pointers_and_left_out_folders_are_not_read(tmp_path: Path, known: Checkout) -> None:
    wanted = digest(build(known.root, tmp_path / "i.db"))
    known.stage("link.py", "roads/routes.py", "120000")
    known.stage_id(b"module", known.git("rev-parse", "HEAD"), "160000")
    known.stage("large.py", POINTER)
    known.stage("node_modules/other.py", ROUTES.replace("road", "street"))
    known.git("commit", "--quiet", "--message", "odd")
    found = stored(known.root, tmp_path / "j.db", "--revision", "HEAD")
    assert digest(found) == wanted
    assert "3 skipped (1 Git LFS pointer: content not fetched, 1 submodule, 1 symbolic link)" in found.errors


def test_names_are_bytes(tmp_path: Path, known: Checkout) -> None:
    names = [b"\xff.py", b"a\nb.py", b"-x.py", b":(top)x.py", b"\x1b[31m.py", b"tab\t.py", b"..py"]
    for number, name in enumerate(names):
        known.stage(name, ROUTES.replace("road", f"street{number}"))
    known.git("commit", "--quiet", "--message", "odd")
    assert "9 files indexed" in stored(known.root, tmp_path / "i.db", "--revision", "HEAD").errors


def test_what_git_would_not_make_is_contained(tmp_path: Path, known: Checkout) -> None:
    blobs = [known.blob(ROUTES.replace("road", f"street{number}")) for number in range(3)]
    named = [(b"..", blobs[0]), (b"a.py", blobs[1]), (b"a.py", blobs[2])]
    tree = b"".join(b"100644 %b\0%b" % (name, bytes.fromhex(blob)) for name, blob in named)
    tree_id = known.git("hash-object", "-t", "tree", "-w", "--stdin", "--literally", stdin=tree)
    commit = known.git("commit-tree", "-m", "odd", tree_id)
    found = stored(known.root, tmp_path / "i.db", "--revision", commit)
    assert found.status == 0, found
    assert "another file of the same path" in found.errors


def test_a_tree_that_lists_for_ever_is_refused(tmp_path: Path, known: Checkout) -> None:
    tree = f"100644 blob {known.blob('x = 1')}\tf\0"
    for _ in range(12):
        tree_id = known.git("mktree", "-z", stdin=tree.encode())
        tree = "".join(f"040000 tree {tree_id}\t{number}\0" for number in range(10))
    commit = known.git("commit-tree", "-m", "bomb", known.git("mktree", "-z", stdin=tree.encode()))
    problem, _ = stored(known.root, tmp_path / "i.db", "--revision", commit).complaint(3)
    assert re.search(r"[0-9a-f]{12} has more than (1,000,000 entries|5,000,000 paths, or .* deep)$", problem)
    assert not (tmp_path / "i.db").exists()


def test_one_blob_as_many_files_is_refused(tmp_path: Path, known: Checkout) -> None:
    blob = known.blob(b"x = 1\n" * ((60 << 20) // 6))
    tree = "".join(f"100644 blob {blob}\t{number}.py\0" for number in range(300))
    commit = known.git("commit-tree", "-m", "bomb", known.git("mktree", "-z", stdin=tree.encode()))
    problem, _ = stored(known.root, tmp_path / "i.db", "--revision", commit).complaint(3)
    assert problem.endswith(f"{commit[:12]} has more than 16 GiB")
    problem, _ = winnow("compare", commit, "HEAD", cwd=known.root).complaint(3)
    assert problem == f"{commit} has more than 16 GiB"


def test_what_is_too_large_is_not_read(tmp_path: Path, known: Checkout) -> None:
    known.commit({"roads/large.py": b"x = 1\n" * ((64 << 20) // 6 + 1)})
    found = stored(known.root, tmp_path / "i.db", "--revision", "HEAD")
    assert "2 files indexed (0 with contents known before), 1 skipped (1 larger than 64 MiB)" in found.errors


@pytest.mark.parametrize("revision", ["nothing", "--output=x", "", "HEAD:roads", "^HEAD", "HEAD..HEAD"])
def test_an_unknown_revision_is_an_error(tmp_path: Path, known: Checkout, revision: str) -> None:
    problem, _ = stored(known.root, tmp_path / "i.db", f"--revision={revision}").complaint(3)
    assert problem.startswith("unknown revision: ")
    assert [path.name for path in tmp_path.iterdir()] == ["known"]


def test_a_folder_within_a_repository_is_not_taken_for_it(tmp_path: Path, known: Checkout) -> None:
    problem, remedy = stored(known.root / "roads", tmp_path / "i.db", "--revision", "HEAD").complaint(3)
    assert "is not a repository, but a folder within" in problem
    assert str(known.root) in remedy


def test_a_partial_clone_is_an_error(tmp_path: Path, known: Checkout) -> None:
    known.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "partial"
    known.git("clone", "--quiet", "--bare", "--filter=blob:none", f"file://{known.root}", str(clone))
    problem, remedy = stored(clone, tmp_path / "i.db", "--revision", "HEAD").complaint(3)
    assert "is missing from this clone" in problem
    assert "--filter" in remedy


def test_a_bare_repository_that_is_named_is_no_surprise(tmp_path: Path, known: Checkout) -> None:
    known.git("clone", "--quiet", "--bare", str(known.root), str(tmp_path / "bare"))
    known.git("config", "--global", "safe.bareRepository", "explicit")
    assert "2 files indexed" in stored(tmp_path / "bare", tmp_path / "i.db", "--revision", "HEAD").errors


def test_another_repository_than_the_hooks_own_is_read(tmp_path: Path, known: Checkout) -> None:
    own = Checkout.create(tmp_path / "own")
    own.commit({"a.txt": "a\n"})
    variables = {
        "GIT_DIR": str(own.root / ".git"),
        "GIT_INDEX_FILE": str(own.root / ".git" / "index"),
        "GIT_OBJECT_DIRECTORY": str(own.root / ".git" / "objects"),
    }
    command = ("index", "build", known.root, "--revision", "main", "--name", "roads", "--output", tmp_path / "i.db")
    before = (own.root / ".git" / "index").read_bytes()
    found = winnow(*command, cwd=own.root, **variables)
    assert "2 files indexed" in found.errors
    assert (own.root / ".git" / "index").read_bytes() == before


def test_each_tag_is_a_version(tmp_path: Path, released: Checkout) -> None:
    index = tmp_path / "i.db"
    built = stored(released.root, index, "--all-tags")
    assert "roads: 3 versions with 4 files indexed (0 with contents known before), 0 skipped" in built.errors
    assert sources(index) == [("roads@1.0", "1.0", 2), ("roads@1.1", "1.1", 2), ("roads@1.2", "1.2", 3)]
    assert winnow("index", "verify", index, cwd=tmp_path).status == 0


def test_identical_contents_are_stored_once(tmp_path: Path, released: Checkout) -> None:
    stored(released.root, tmp_path / "i.db", "--all-tags")
    every = winnow("index", "list", tmp_path / "i.db", "--json", cwd=tmp_path).report()
    for tag in ("v1.0", "v1.1", "roads-1.2"):
        assert stored(released.root, tmp_path / "j.db", "--revision", tag, name=tag).status == 0
    each = winnow("index", "list", tmp_path / "j.db", "--json", cwd=tmp_path).report()
    assert (every["contents"], every["fingerprints"]) == (each["contents"], each["fingerprints"])
    assert every["contents"] == 4


def test_reports_name_project_and_version(tmp_path: Path, released: Checkout) -> None:
    stored(released.root, tmp_path / "i.db", "--all-tags", "--license", "GPL-3.0-only")
    (finding,) = scanned(tmp_path / "i.db", tmp_path / "checkout", ROUTES)
    assert isinstance(finding["source"], dict)
    assert (finding["source"]["name"], finding["source"]["version"]) == ("roads", "1.2")
    assert isinstance(finding["also_in"], list)
    assert [(one["name"], one["version"]) for one in finding["also_in"]] == [("roads", "1.1"), ("roads", "1.0")]


def test_rules_about_the_project_count_for_its_versions(tmp_path: Path, released: Checkout) -> None:
    stored(released.root, tmp_path / "i.db", "--all-tags")
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({".winnow.yml": "own: [roads]\n"})
    checkout.write("mine.py", ROUTES)
    assert winnow("scan", "--all", "--index", tmp_path / "i.db", cwd=checkout.root).status == 0


def test_a_baseline_outlives_a_new_version(tmp_path: Path, released: Checkout) -> None:
    index = tmp_path / "i.db"
    stored(released.root, index, "--all-tags")
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"mine.py": ROUTES, ".winnow.yml": "baseline: .winnow/baseline.json\n"})
    updated = winnow("scan", "--all", "--index", index, "--update-baseline", cwd=checkout.root)
    assert updated.status == 0, updated
    released.commit({"roads/more.py": LOGS})
    released.git("tag", "v2.0")
    stored(released.root, index, "--all-tags")
    again = winnow("scan", "--all", "--index", index, cwd=checkout.root)
    assert again.status == 0, again
    assert "stale" not in again.errors


def test_the_tags_of_today_replace_those_of_yesterday(tmp_path: Path, released: Checkout) -> None:
    index = tmp_path / "i.db"
    build(write_known(tmp_path / "folder"), index, name="roads")
    build(write_known(tmp_path / "folder"), index, name="roads@home")
    stored(released.root, index, "--all-tags")
    released.git("tag", "--delete", "v1.0")
    again = stored(released.root, index, "--all-tags")
    assert "2 versions with 3 files indexed (3 with contents known before)" in again.errors
    names = [name for name, _, _ in sources(index)]
    assert names == ["roads", "roads@1.1", "roads@1.2", "roads@home"]


def test_tags_that_are_no_versions_are_said(tmp_path: Path, released: Checkout) -> None:
    released.git("tag", "key", released.blob("a key"))
    released.git("tag", "--annotate", "--message", "tree", "tree", "HEAD^{tree}")
    released.commit({"README": "Soon.\n"})
    found = stored(released.root, tmp_path / "i.db", "--all-tags")
    assert "3 versions" in found.errors
    assert "2 tag of something other than a commit" in found.errors


def test_a_repository_without_tags_is_an_error(tmp_path: Path, known: Checkout) -> None:
    problem, remedy = stored(known.root, tmp_path / "i.db", "--all-tags").complaint(3)
    assert problem.endswith("has no tags of commits")
    assert "git fetch --tags" in remedy


def test_usage(tmp_path: Path, known: Checkout) -> None:
    two = ("index", "build", known.root, known.root, "--revision", "HEAD", "--name", "roads", "--output", "i.db")
    problem, _ = winnow(*two, cwd=tmp_path).complaint(2)
    assert "take one git repository, not 2 folders" in problem
    problem, _ = stored(known.root, tmp_path / "i.db", "--all-tags", "--version", "1").complaint(2)
    assert "gets the name of its tag" in problem


def test_a_repository_of_somebody_else_is_refused(tmp_path: Path, known: Checkout) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give files away")
    for path in (known.root, known.root / ".git"):
        os.chown(path, 12345, 12345)
    problem, remedy = stored(known.root, tmp_path / "i.db", "--revision", "HEAD").complaint(3)
    assert "dubious ownership" in problem
    assert "safe.directory" in remedy


def test_versions_of_a_project_are_removed_by_one_name(tmp_path: Path, released: Checkout) -> None:
    index = tmp_path / "i.db"
    build(write_known(tmp_path / "folder"), index, name="other")
    before = index.read_bytes()
    stored(released.root, index, "--all-tags")
    assert winnow("index", "remove", index, "roads@1.1", cwd=tmp_path).status == 0
    assert [name for name, _, _ in sources(index)] == ["other", "roads@1.0", "roads@1.2"]
    assert winnow("index", "remove", index, "roads", cwd=tmp_path).status == 0
    assert index.read_bytes() == before


def test_what_all_versions_share_is_no_boilerplate(tmp_path: Path, released: Checkout) -> None:
    index = tmp_path / "i.db"
    stored(released.root, index, "--all-tags")
    assert "shared by" not in winnow("index", "verify", index, cwd=tmp_path).output
