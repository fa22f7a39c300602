"""The files of an archive that people have written: read from it directly, nothing is unpacked or run."""

from __future__ import annotations

import re
import tarfile
import zipfile
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

from winnow_ci.evidence.weights import LEARNT
from winnow_ci.languages import front_end_of, language_of

MOST_BYTES = 300_000
LONGEST_LINES = 200  # on average; code that is minified has longer ones
# Folders and files with other projects' code, some of which is in the projects of benchmarks/quality too, with a second
# build of the same code, with data, or with declarations made from code.
NOT_OWN = re.compile(
    r"/(_?vendor(ed)?|third[_-]?party|externals?|node_modules|bundled|contrib|deps|gnulib\w*|\w*zlib|gzip|xdiff|asm"
    r"|gcimporter|syscall|umd|amd|_?cjs|commonjs|_?es5|esm5|fesm\d*|locales?|i18n)/"
    r"|/(_?distro|six|_?typing_extensions)\.py$|/(mini-gmp|(sys-)?tree|getopt\w*|md5\w*)\.[ch]$"
    r"|/(searchtools|jquery.*)\.js$|\.min\.\w+$|\.d\.[cm]?ts$"
    r"|/(ltmain\.sh|libtoolize(\.in)?|install-sh|config\.(guess|sub|rpath)|depcomp|missing|mkinstalldirs|ylwrap|test-driver"
    r"|compile|ar-lib|mdate-sh|py-compile|elisp-comp|bootstrap|gradlew|mvnw|gitlog-to-changelog)$",
    re.IGNORECASE,
)
GENERATED = re.compile(
    rb"@generated|(code|file|automatically|was) generated|generated (by|from|automatically)|do not (edit|modify)",
    re.IGNORECASE,
)


class Source(NamedTuple):
    """A file.

    Attributes:
        language: as ``language_of`` has it.
        front_end: that reads it.
        content: its bytes.
    """

    language: str
    front_end: str
    content: bytes


def sources(archive: Path) -> Iterator[Source]:
    """Files of an archive that a learnt front end reads, without generated, minified, huge and borrowed ones."""
    for path, content in _members(archive):
        language = language_of(path, content)
        front_end = front_end_of(language).name if language else None
        if language and front_end in LEARNT and not _is_machine_made(content):
            yield Source(language, front_end, content)


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    if archive.suffix in {".whl", ".zip", ".jar"}:
        with zipfile.ZipFile(archive) as zipped:
            for info in zipped.infolist():
                if not info.is_dir() and _is_own(info.filename, info.file_size):
                    yield info.filename, zipped.read(info)
        return
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile() and _is_own(member.name, member.size):
                file = tar.extractfile(member)
                yield member.name, file.read() if file else b""


def _is_own(path: str, size: int) -> bool:
    return 0 < size <= MOST_BYTES and not NOT_OWN.search("/" + path)


def _is_machine_made(content: bytes) -> bool:
    minified = len(content) > LONGEST_LINES * (content.count(b"\n") + 1)
    return minified or GENERATED.search(content[:1000]) is not None
