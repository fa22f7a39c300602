"""What `make dist` builds has all that is needed and nothing else, and is the same each time."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING

import winnow_ci
from support.distributions import ROOT, build, tracked

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout

NAME = f"winnow_ci-{winnow_ci.__version__}"
INFO = {f"{NAME}.dist-info/{file}" for file in ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")}


def unpacked(archive: Path) -> set[str]:
    """The files of a sdist, without its folder."""
    with tarfile.open(archive) as opened:
        return {member.name.partition("/")[2] for member in opened if member.isfile()}


def test_a_wheel_has_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
    assert len(names) == len(set(names))
    manifests = {f"winnow_ci/config/{path}" for path in tracked("indexes") if path.endswith(".yml")}
    assert set(names) - INFO == {path.removeprefix("src/") for path in tracked("src")} | manifests
    assert set(names) >= INFO | {"winnow_ci/py.typed", "winnow_ci/evidence/grams.npy"}


def test_a_sdist_has_what_builds_it_and_what_one_reads(sdist: Path) -> None:
    files = {"pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", ".gitignore"}
    assert unpacked(sdist) - {"PKG-INFO"} == files | tracked("src", "docs", "hooks", "indexes")


def test_the_same_bytes_come_from_another_folder_and_without_git(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    for path in {"pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", ".gitignore"} | tracked(
        "src", "docs", "hooks", "indexes"
    ):
        (tmp_path / "copy" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / "copy" / path)
    build(tmp_path / "copy", tmp_path / "dist")
    for first in (sdist, wheel):
        assert (tmp_path / "dist" / first.name).read_bytes() == first.read_bytes(), first.name


def test_registries_take_them(sdist: Path, wheel: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", sdist, wheel], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_links_of_the_description_lead_to_the_repository_at_this_version(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        text = opened.read(f"{NAME}.dist-info/METADATA").decode()
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert all(link.startswith(("https://", "#")) for link in links), links
    pinned = [link for link in links if f"/v{winnow_ci.__version__}/" in link]
    assert {link.split("/")[5] for link in pinned} == {"blob", "raw"}
    assert len(pinned) == len(re.findall(r"\]\((?!https:|#)", (ROOT / "README.md").read_text(encoding="utf-8")))


def test_a_sdist_of_the_kernel_has_its_sources(released: Checkout) -> None:
    (sdist,) = (released.root / "dist").glob("winnow_ci_kernel-*.tar.gz")
    assert unpacked(sdist) - {"PKG-INFO", "Cargo.lock"} == {path.removeprefix("kernel/") for path in tracked("kernel")}
