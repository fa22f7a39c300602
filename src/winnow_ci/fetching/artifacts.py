"""What a source consists of, exactly."""

from __future__ import annotations

from typing import NamedTuple


class Artifact(NamedTuple):
    """A file that a source consists of, pinned.

    Attributes:
        filename: as its registry calls it; a name without a folder.
        sha256: of its content, 64 lower-case hexadecimal digits.
    """

    filename: str
    sha256: str


class ResolvedSource(NamedTuple):
    """What a package URL, or the URL of an archive, stands for.

    Attributes:
        name: of the package.
        version: exact; None if there is none.
        artifacts: all the files of it that are read, in an order that is always the same.
    """

    name: str
    version: str | None
    artifacts: tuple[Artifact, ...]
