"""Archives that a change brings: a copy in one is found, and what cannot be read is said."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from support.donor import INNOCENT, LOGS, ROUTES
from support.hostile_archives import HOSTILE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from support.command import Ended
    from support.repository import Checkout

# Newer versions of Python warn of threads that belong to the runner of the tests.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")

READ_HERE = {"nothing.tar", "zeros.tar", "empty.zip", "no-tar.gz", "many-empty.tar.gz"}
COPY = {"pkg/plan.py": ROUTES, "pkg/greet.py": INNOCENT}


def zip_of(files: Mapping[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def tar_of(files: Mapping[str, str | bytes], packing: str = "") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=f"w:{packing}") as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            raw = content.encode() if isinstance(content, str) else content
            header = tarfile.TarInfo(name)
            header.size = len(raw)
            archive.addfile(header, io.BytesIO(raw))
    return file.getvalue()


def put(checkout: Checkout, path: str, content: bytes) -> None:
    (checkout.root / path).parent.mkdir(parents=True, exist_ok=True)
    (checkout.root / path).write_bytes(content)
    checkout.git("add", "--all")


def scanned(checkout: Checkout, known: Path, *arguments: str) -> Ended:
    return winnow("scan", *(arguments or ("--staged",)), "--index", known, "--format", "json", cwd=checkout.root)


def found_in(ended: Ended) -> list[str]:
    return sorted({finding["path"] for finding in ended.findings()})


ARCHIVES = {
    "lib/x.whl": zip_of(COPY),
    "x.jar": zip_of(COPY),
    "x.EGG": zip_of(COPY),
    "x.nupkg": zip_of(COPY),
    "x.pyz": b"#!/usr/bin/env python3\n" + zip_of(COPY),
    "x.tar": tar_of(COPY),
    "x.tar.gz": tar_of(COPY, "gz"),
    "x.tgz": tar_of(COPY, "gz"),
    "x.crate": tar_of(COPY, "gz"),
    "x.tar.bz2": tar_of(COPY, "bz2"),
    "x.tar.xz": tar_of(COPY, "xz"),
    "behind-another.whl": bz2.compress(b"nothing") + zip_of(COPY),
}


@pytest.mark.parametrize("path", ARCHIVES)
def test_a_copy_in_an_archive_is_found(checkout: Checkout, known: Path, path: str) -> None:
    put(checkout, path, ARCHIVES[path])
    ended = scanned(checkout, known)
    assert (ended.status, found_in(ended)) == (1, [f"{path}!/pkg/plan.py"])
    assert ended.report()["scan"]["files_scanned"] == 2


@pytest.mark.parametrize(
    ("path", "content", "member"),
    [
        ("plan.py.gz", gzip.compress(ROUTES.encode()), "plan.py.gz!/plan.py"),
        ("plan.py.xz", lzma.compress(ROUTES.encode()), "plan.py.xz!/plan.py"),
        ("app.jar", zip_of({"lib/x.whl": zip_of(COPY)}), "app.jar!/lib/x.whl!/pkg/plan.py"),
        ("x.gem", tar_of({"data.tar.gz": tar_of(COPY, "gz")}), "x.gem!/data.tar.gz!/pkg/plan.py"),
        ("text.gz", f"#!/bin/sh\n: <<'E'\n{ROUTES}\nE\n".encode(), "text.gz"),
    ],
)
def test_packed_files_archives_in_archives_and_what_is_none(
    checkout: Checkout, known: Path, path: str, content: bytes, member: str
) -> None:
    put(checkout, path, content)
    assert found_in(scanned(checkout, known)) == [member]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("x.7z", b"7z\xbc\xaf\x27\x1c" + bytes(40)),
        ("x.deb", b"!<arch>\n" + bytes(60)),
        ("x.rpm", b"\xed\xab\xee\xdb" + bytes(90)),
        ("cut.zip", zip_of(COPY)[:-30]),
        ("cut.tar.gz", tar_of(COPY, "gz")[:-30]),
        ("deep.zip", zip_of({"a.zip": zip_of({"b.zip": zip_of({"c.zip": zip_of(COPY)})})})),
    ],
)
def test_what_cannot_be_read_is_not_scanned(checkout: Checkout, known: Path, path: str, content: bytes) -> None:
    put(checkout, path, content)
    ended = scanned(checkout, known)
    assert (ended.status, ended.findings()) == (3, [])
    assert f"not scanned: {path}" in ended.errors
    assert scanned(checkout, known, "--staged", "--exit-zero").status == 3
    checkout.write(".winnow.yml", f"index: [{known}]\npaths: {{exclude: ['*{path[-3:]}']}}\n")
    assert winnow("scan", "--staged", cwd=checkout.root).status == 0


def test_only_what_the_old_archive_lacks_is_new(checkout: Checkout, known: Path) -> None:
    put(checkout, "x.whl", zip_of(COPY))
    put(checkout, "y.zip", zip_of(COPY))
    checkout.git("commit", "--message", "archives")
    put(checkout, "x.whl", zip_of({"moved/plan.py": ROUTES, "pkg/greet.py": f"{INNOCENT}\nx = 1\n"}))
    checkout.git("mv", "y.zip", "z.zip")
    put(checkout, "unpacked.py", ROUTES.encode())
    ended = scanned(checkout, known)
    assert (ended.status, ended.findings()) == (0, []), "in the replaced archives was all of it"
    put(checkout, "x.whl", zip_of({**COPY, "pkg/greet.py": f"{INNOCENT}\n\n{LOGS}"}))
    (finding,) = scanned(checkout, known).findings()
    assert (finding["path"], finding["start_line"] > INNOCENT.count("\n")) == ("x.whl!/pkg/greet.py", True)


def test_a_member_of_another_kind_is_new(checkout: Checkout, known: Path) -> None:
    """What was text in the old archive, or excluded there, is code now."""
    checkout.commit({".winnow.yml": "paths: {exclude: ['*/tests/**']}\n"})
    put(checkout, "x.whl", zip_of({"plan.rst": ROUTES, "tests/plan.py": ROUTES}))
    checkout.git("commit", "--message", "archive")
    put(checkout, "x.whl", zip_of({"plan.py": ROUTES}))
    assert found_in(scanned(checkout, known)) == ["x.whl!/plan.py"]


def test_rules_for_paths_hold_inside(checkout: Checkout, known: Path) -> None:
    put(checkout, "x.whl", zip_of({**COPY, "tests/plan.py": ROUTES, "a.class": b"\xca\xfe\0\0"}))
    checkout.write(".winnow.yml", f"index: [{known}]\npaths: {{exclude: ['x.whl!/pkg/**']}}\n")
    ended = winnow("scan", "--staged", cwd=checkout.root)
    assert "x.whl!/tests/plan.py" in ended.output
    assert "(2 excluded by x.whl!/pkg/**, 1 unknown language)" in ended.errors


def test_an_approved_copy_in_an_archive_does_not_approve_another(checkout: Checkout, known: Path) -> None:
    checkout.commit({".winnow.yml": f"index: [{known}]\nbaseline: baseline.json\n"})
    put(checkout, "x.whl", zip_of(COPY))
    assert winnow("scan", "--staged", "--update-baseline", cwd=checkout.root).status == 0
    checkout.git("add", "--all")
    assert winnow("scan", "--staged", cwd=checkout.root).status == 0
    checkout.git("commit", "--message", "approved")
    put(checkout, "pasted/plan.py", ROUTES.replace("roads", "streets").encode())
    assert scanned(checkout, known).status == 1
    entries = json.loads((checkout.root / "baseline.json").read_text())["entries"]
    assert [entry["path"] for entry in entries] == ["x.whl!/pkg/plan.py"]


def test_a_given_archive_is_checked(tmp_path: Path, known: Path) -> None:
    (tmp_path / "x.whl").write_bytes(zip_of(COPY))
    ended = winnow("check", "x.whl", "--index", known, "--format", "json", cwd=tmp_path)
    assert (ended.status, found_in(ended)) == (1, ["x.whl!/pkg/plan.py"])


def test_no_answer_of_the_cache_is_for_a_member(checkout: Checkout, known: Path) -> None:
    """A folder may be called like an archive, and a file in it like a member."""
    put(checkout, "x.whl!/pkg/greet.py", ROUTES.encode())
    put(checkout, "x.whl", zip_of(COPY))
    for _ in range(2):
        assert found_in(scanned(checkout, known, "--all")) == ["x.whl!/pkg/greet.py", "x.whl!/pkg/plan.py"]


def test_hostile_archives_stop_nothing_and_hide_nothing(checkout: Checkout, known: Path) -> None:
    """Each archive that an index refuses is said to be not scanned, unless it is empty or a packed file."""
    tried = [hostile for hostile in HOSTILE if hostile.name not in READ_HERE][::6]
    for number, hostile in enumerate(tried):
        put(checkout, f"{number}/{hostile.name}", hostile.make())
    put(checkout, "x.whl", zip_of(COPY))
    ended = scanned(checkout, known)
    assert "x.whl!/pkg/plan.py" in found_in(ended)
    refused = [f"winnow-ci: not scanned: {number}/" for number, one in enumerate(tried) if one.refused is not None]
    assert len(refused) > 5
    assert [place for place in refused if place not in ended.errors] == []
