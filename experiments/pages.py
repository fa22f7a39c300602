"""A corpus of web pages: the HTML of eleven packages of Debian 12, pinned in ``packages.json``.

The paper took pages of the Stanford WebBase. These are 63,000 pages: prose, translations of prose, manuals, references
that a program has made, and source code made into pages. Tags and white space do not count. A character is a code
point. Nothing of a package is installed or run.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import subprocess
import sys
import tarfile
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from debian import Debian

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

PINNED = json.loads(Path(__file__).with_name("packages.json").read_text())
PAGES = (".html", ".htm", ".xhtml")
NO_TEXT = re.compile(r"(?is)<(script|style)\b.*?</\1\s*>|<!--.*?-->|<[^>]*>")


class Page(NamedTuple):
    """A page.

    Attributes:
        path: package and path in it.
        text: without tags and white space.
        size: of the file, in bytes.
    """

    path: str
    text: str
    size: int = 0

    @property
    def ids(self) -> NDArray[np.uint64]:
        """The characters: uint64, shape (n,)."""
        return np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)


class Corpus:
    """The pages, fetched when somebody asks for them."""

    def __init__(self, work: Path) -> None:
        self.work = work

    @cached_property
    def pages(self) -> list[Page]:
        """All pages, in the order of the packages; some 240 million characters."""
        debian = Debian(self.work / "apt", "deb")
        return [page for name in PINNED for page in _pages(name, _fetched(name, debian, self.work / "packages"))]

    def of(self, name: str) -> list[Page]:
        """The pages of one package."""
        return [page for page in self.pages if page.path.startswith(name + "/")]


def _fetched(name: str, debian: Debian, folder: Path) -> Path:
    version, wanted = PINNED[name]["version"], PINNED[name]["sha256"]
    archive = folder / f"{name}_{version.replace(':', '%3a')}_all.deb"
    if not archive.exists():
        print(f"fetching {archive.name}", file=sys.stderr)
        debian.download(name, version, folder)
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != wanted:
        sys.exit(f"{archive}: its sha256 is {found}\nit should be {wanted}; remove it and try again")
    return archive


def _pages(name: str, archive: Path) -> Iterator[Page]:
    with (
        subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(archive)], stdout=subprocess.PIPE) as unpacking,
        tarfile.open(fileobj=unpacking.stdout, mode="r|") as tar,
    ):
        for member in tar:
            file = tar.extractfile(member) if member.isfile() and member.name.endswith(PAGES) else None
            if file:
                yield Page(f"{name}/{member.name.removeprefix('./')}", _text(file.read()), member.size)


def _text(content: bytes) -> str:
    return "".join(html.unescape(NO_TEXT.sub(" ", content.decode("utf-8", "replace"))).split())
