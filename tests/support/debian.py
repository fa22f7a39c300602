"""Source packages of Debian, and mirrors of them, as folders."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def tarball(members: Mapping[str, bytes]) -> bytes:
    """A ``tar.gz``."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        for name, content in members.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            tar.addfile(about, io.BytesIO(content))
    return gzip.compress(file.getvalue(), mtime=0)


def checksums(files: Mapping[str, bytes]) -> str:
    """Lines of ``Checksums-Sha256``."""
    return "".join(f" {hashlib.sha256(c).hexdigest()} {len(c)} {name}\n" for name, c in files.items())


def dsc(files: Mapping[str, bytes], form: str = "3.0 (quilt)", name: str = "hello", version: str = "1.0-1") -> bytes:
    """A ``.dsc`` of those files."""
    head = f"Format: {form}\nSource: {name}\nBinary: {name}\nVersion: {version}\nMaintainer: \N{SNOWMAN} <a@b>\n"
    return f"{head}Files:\n{_md5(files)}Checksums-Sha256:\n{checksums(files)}".encode()


def _md5(files: Mapping[str, bytes]) -> str:
    return "".join(f" {hashlib.md5(c).hexdigest()} {len(c)} {name}\n" for name, c in files.items())


class Source(NamedTuple):
    """A source package."""

    name: str
    version: str
    files: dict[str, bytes]


def source(name: str, version: str, code: bytes) -> Source:
    """A source package with one file of code, and packaging."""
    plain = version.partition(":")[2] or version
    upstream = plain.rpartition("-")[0]
    files = {
        f"{name}_{upstream}.orig.tar.gz": tarball({f"{name}-{upstream}/{name}.c": code}),
        f"{name}_{plain}.debian.tar.gz": tarball(
            {"debian/rules": b"#!/usr/bin/make -f\n", "debian/control": b"Source: x\n"}
        ),
    }
    return Source(name, version, {f"{name}_{plain}.dsc": dsc(files, name=name, version=version), **files})


def publish(root: Path, suite: str, *sources: Source, origin: str = "Winnow") -> None:
    """Put sources into a mirror, as what a release consists of."""
    listed = []
    for one in sources:
        pool = root / "pool" / one.name
        pool.mkdir(parents=True, exist_ok=True)
        for name, content in one.files.items():
            (pool / name).write_bytes(content)
        head = f"Package: {one.name}\nBinary: {one.name}\nVersion: {one.version}\nFormat: 3.0 (quilt)\n"
        listed.append(
            f"{head}Directory: pool/{one.name}\nFiles:\n{_md5(one.files)}Checksums-Sha256:\n{checksums(one.files)}"
        )
    index = "\n".join(listed).encode()
    release = root / "dists" / suite
    for path, content in {"main/source/Sources": index, "main/binary-amd64/Packages": b""}.items():
        (release / path).parent.mkdir(parents=True, exist_ok=True)
        (release / path).write_bytes(content)
    head = f"Origin: {origin}\nSuite: {suite}\nCodename: {suite}\nArchitectures: amd64\nComponents: main\n"
    hashes = checksums({"main/source/Sources": index, "main/binary-amd64/Packages": b""})
    date = "Date: Sat, 01 Jan 2022 00:00:00 UTC\n"
    (release / "Release").write_text(f"{head}{date}SHA256:\n{hashes}")
