"""What files say of licences, before anybody has judged whether it is understood."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

LARGEST_STATEMENT = 256 << 10
"""Bytes of the largest file that is looked into for what it says of other files."""

LicenceForm: TypeAlias = Literal["spdx", "name", "classifiers", "debian", "text"]

StatementKind: TypeAlias = Literal["debian", "package", "manifest", "annotations", "sidecar", "text"]


class WrittenLicence(NamedTuple):
    """A licence as it is written somewhere.

    Attributes:
        form: how to read it. ``spdx``: an expression, and what is none is not understood. ``name``: an expression or
            a name that people use. ``classifiers``: of PyPI, one a line. ``debian``: a synopsis of a Debian copyright
            file. ``text``: what a licence text was recognised as, ``GPL-2.0`` standing for either of its two readings.
        text: what is written.
    """

    form: LicenceForm
    text: str


class LicenceAnnotation(NamedTuple):
    """What a file says of some others.

    Attributes:
        globs: of the paths that it is about, relative to the folder of the statement.
        claim: their licence.
        precedence: against what a file says itself, as REUSE has it: ``closest``, ``aggregate``, ``override``.
    """

    globs: tuple[str, ...]
    claim: WrittenLicence
    precedence: str = "closest"


class LicenceStatement(NamedTuple):
    """What a file says of the licence of others.

    Attributes:
        path: of the file that says it.
        kind: how far it is believed: Debian's copyright file, a ``package``'s own metadata, another ``manifest``,
            ``annotations`` of REUSE, a ``sidecar`` of one file, the ``text`` of a licence.
        scope: what it is about: a folder, with ``/`` at its end, or everything (the empty string); of a sidecar, the
            path of the file that it stands beside.
        claims: of the licence; the first that is understood counts.
        annotations: of some of the files; the last that fits counts.
        refers: path of a licence text that tells instead.
        digest: of the words of a licence text, to know its copies.
    """

    path: str
    kind: StatementKind
    scope: str
    claims: tuple[WrittenLicence, ...] = ()
    annotations: tuple[LicenceAnnotation, ...] = ()
    refers: str | None = None
    digest: bytes = b""


class LicenceClaims(NamedTuple):
    """What a file says.

    Attributes:
        own: the licence of the file itself, as its header has it.
        later: of a file with the notice of a GNU licence, whether that allows later versions of it; else None.
        statement: what it says of other files.
    """

    own: str | None = None
    later: bool | None = None
    statement: LicenceStatement | None = None
