"""The sources as they are published, and a wheel of the kernel for machines without one.

A published winnow-ci asks for its kernel, and a checkout does not: there is a time in which no index has the kernel
that it needs. So the requirement is written into a copy of the sources, and the sdist has it like any other.

The kernel has wheels for most machines, and an empty one for all others: pip and uv take the wheel that says most of
the machine. Markers of a requirement could not do that. They know nothing of musl, or of Pythons without the GIL.
"""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import tarfile
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

DEPENDENCIES = "\ndependencies = [\n"
EXTRA = r'^kernel = \[("[^"]+")\]$'
WHEEL = "Wheel-Version: 1.0\nGenerator: tools/release\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
NOTICES = ("LICENSE", "THIRD-PARTY.txt")


def stage(root: Path, folder: Path) -> None:
    """Write what is in git's index to a folder, and have it ask for the kernel."""
    folder.mkdir(parents=True)
    command = ["git", "checkout-index", "--all", f"--prefix={folder.resolve()}/"]
    subprocess.run(command, cwd=root, check=True)
    project = folder / "pyproject.toml"
    text = project.read_text(encoding="utf-8")
    (kernel,) = re.findall(EXTRA, text, re.MULTILINE)
    before, found, after = text.partition(DEPENDENCIES)
    assert found
    project.write_text(f"{before}{found}    {kernel},\n{after}", encoding="utf-8")


def write_plain_wheel(sdist: Path) -> None:
    """Write a wheel without any module beside a sdist."""
    name = sdist.name.removesuffix(".tar.gz")
    with tarfile.open(sdist) as opened:
        metadata, *notices = (opened.extractfile(f"{name}/{file}").read() for file in ("PKG-INFO", *NOTICES))  # type: ignore[union-attr]
    texts = {f"licenses/{file}": text for file, text in zip(NOTICES, notices, strict=True)}
    members = {"METADATA": metadata, "WHEEL": WHEEL.encode(), **texts}
    info = f"{name}.dist-info"
    rows = [f"{info}/{file},{row(content)}\n" for file, content in members.items()]
    members["RECORD"] = "".join([*rows, f"{info}/RECORD,,\n"]).encode()
    with zipfile.ZipFile(sdist.with_name(f"{name}-py3-none-any.whl"), "w", zipfile.ZIP_DEFLATED) as wheel:
        for file, content in members.items():
            wheel.writestr(zipfile.ZipInfo(f"{info}/{file}"), content)


def row(content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"sha256={digest},{len(content)}"
