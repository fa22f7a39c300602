"""Read paragraphs of Debian's control files: a ``.dsc``, the entries of ``Sources``, a copyright file.

The format is deb822 (https://manpages.debian.org/deb822); only the parts that we need are read. Of the libraries for
it, python-debian is under the GPL; debian-inspector (Apache-2.0, BSD-3-Clause and MIT) silently merges repeated fields,
but a list of files and hashes with a repeated field must be refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from winnow_ci.named_tuples import NamedTuple

_ARMOUR = b"-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE = b"-----BEGIN PGP SIGNATURE-----"
_FILENAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+~_%-]{0,254}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SIZE = re.compile(r"[0-9]{1,18}", re.ASCII)


class ListedFile(NamedTuple):
    """A file of a source package: its name without a folder, its size in bytes, and its sha256."""

    filename: str
    size: int
    sha256: str


def paragraph(content: bytes) -> dict[str, str]:
    """Return the fields of the first paragraph, by name in lower case; line feeds join the lines of a field.

    A signature around it is removed without being checked. Another text, or a field twice, is a ``ValueError``.
    """
    if content.lstrip().startswith(_ARMOUR):
        # The signed text follows the first empty line; dashes at the beginning of its lines are escaped.
        signed = re.sub(rb"\r\n", b"\n", content).partition(b"\n\n")[2]
        content = re.sub(rb"(?m)^- ", b"", signed.partition(_SIGNATURE)[0])
    fields: dict[str, str] = {}
    for first, *others in next(_fields(content.decode("utf-8", "surrogateescape")), ()):
        name, colon, value = first.partition(":")
        if not colon or not name or name[0] in " \t-":
            raise ValueError(f"{first[:80]!r} is not a field")
        if name.lower() in fields:
            raise ValueError(f"it has {name.lower()[:80]!r} more than once")
        fields[name.lower()] = "\n".join([value.strip(), *others])
    if not fields:
        raise ValueError("it is empty")
    return fields


def paragraphs(text: str) -> Iterator[dict[str, str]]:
    """Yield the fields of each paragraph of a file that people write by hand, by name in lower case.

    Nothing is refused: a repeated field has the lines of all its occurrences.
    """
    for fields in _fields(text):
        lines: dict[str, list[str]] = {}
        for first, *others in fields:
            name, _, value = first.partition(":")
            lines.setdefault(name.lower(), []).extend([value.strip(), *others])
        yield {name: "\n".join(found) for name, found in lines.items()}


def _fields(text: str) -> Iterator[list[list[str]]]:
    """The lines of each field of each paragraph, without comments; all but the first are stripped."""
    fields: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        if not line.strip():
            if fields:
                yield fields
            fields = []
        elif line[0] in " \t" and fields:
            fields[-1].append(line.strip())
        else:
            fields.append([line])
    if fields:
        yield fields


def listed_files(fields: dict[str, str]) -> tuple[ListedFile, ...]:
    """Return the files of ``Checksums-Sha256``, in its order; none, or an invalid row, is a ``ValueError``."""
    files = []
    for row in (line.split() for line in fields.get("checksums-sha256", "").splitlines() if line):
        if len(row) != 3 or not _SHA256.fullmatch(row[0]) or not _SIZE.fullmatch(row[1]):
            raise ValueError(f"{' '.join(row)[:120]!r} is not a sha256, size and file name")
        if not _FILENAME.fullmatch(row[2]):
            raise ValueError(f"{row[2][:120]!r} is not the name of a file next to it")
        files.append(ListedFile(row[2], int(row[1]), row[0]))
    if not files:
        raise ValueError("it lists no files with their sha256")
    if len({file.filename for file in files}) != len(files):
        raise ValueError("it lists the same file twice")
    return tuple(files)
