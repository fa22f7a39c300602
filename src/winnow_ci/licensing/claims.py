"""What files state of licences, before anybody has judged whether it is understood."""

from __future__ import annotations

from typing import Literal, TypeAlias

from winnow_ci.named_tuples import NamedTuple

LARGEST_STATEMENT = 256 << 10
"""Bytes of the largest file that is read for what it states of other files."""

MOST_GLOBS = 10_000
LONGEST_GLOB = 1024

LicenceForm: TypeAlias = Literal["spdx", "name", "classifiers", "debian", "text"]

StatementKind: TypeAlias = Literal["debian", "package", "manifest", "annotations", "sidecar", "text"]


class WrittenLicence(NamedTuple):
    """A licence as it is written somewhere.

    Attributes:
        form: how to read it. ``spdx``: an SPDX expression, not understood if it is not one. ``name``: an expression
            or a name that people use. ``classifiers``: of PyPI, one a line. ``debian``: the synopsis of a Debian
            copyright file. ``text``: which text was recognised, where ``GPL-2.0`` stands for either of its readings.
        text: what is written.
    """

    form: LicenceForm
    text: str


class LicenceDocument(NamedTuple):
    """What a document says of licences.

    Attributes:
        includes: paths of the files that it shows.
        links: paths of the files that it links to.
        texts: names of the licences whose texts it has.
        named: words and numbers that name licences.
    """

    includes: tuple[str, ...]
    links: tuple[str, ...]
    texts: tuple[str, ...]
    named: tuple[str, ...]


class LicenceAnnotation(NamedTuple):
    """What a file states of some other files.

    Attributes:
        globs: of the paths that it is about, relative to the folder of the statement.
        licence: of these files.
        precedence: over what a file states itself, as in REUSE: ``closest``, ``aggregate``, ``override``.
    """

    globs: tuple[str, ...]
    licence: WrittenLicence
    precedence: str = "closest"


class LicenceStatement(NamedTuple):
    """What a file states of the licence of other files.

    Attributes:
        path: of the file that states it.
        kind: how far it is believed: Debian's copyright file, a ``package``'s own metadata, another ``manifest``,
            ``annotations`` of REUSE, the ``sidecar`` of one file, the ``text`` of a licence.
        scope: what it is about: a folder, with ``/`` at its end, or everything (the empty string). For a sidecar, the
            path of the file that it belongs to.
        licences: the first that is understood counts.
        annotations: the last that matches a file counts.
        refers: path of the licence text that it refers to instead.
        digest: of the words of a licence text, to recognise copies of it.
        document: what it says if it is not a licence text, but a document about licences.
    """

    path: str
    kind: StatementKind
    scope: str
    licences: tuple[WrittenLicence, ...] = ()
    annotations: tuple[LicenceAnnotation, ...] = ()
    refers: str | None = None
    digest: bytes = b""
    document: LicenceDocument | None = None


class LicenceClaims(NamedTuple):
    """What a file states of licences.

    Attributes:
        own: its own licence, as its header has it.
        later: whether its notice of a GNU licence allows later versions; None if it has no such notice.
        statement: what it states of other files.
    """

    own: str | None = None
    later: bool | None = None
    statement: LicenceStatement | None = None


def annotating(
    path: str,
    kind: StatementKind,
    scope: str,
    annotations: tuple[LicenceAnnotation, ...],
    everything: frozenset[str],
    header: tuple[WrittenLicence, ...] = (),
) -> LicenceStatement:
    """A statement of annotations; without any if they have more or longer globs than are tried.

    Args:
        path: of the file.
        kind: of the statement.
        scope: of the statement.
        annotations: in the order of the file.
        everything: globs that match all files. The last annotation with one of them is about the whole scope.
        header: the licence that the file states for all that it does not list.
    """
    globs = [glob for one in annotations for glob in one.globs]
    if len(globs) > MOST_GLOBS or any(len(glob) > LONGEST_GLOB for glob in globs):
        return LicenceStatement(path, kind, scope)
    whole = [one.licence for one in annotations if not everything.isdisjoint(one.globs)]
    return LicenceStatement(path, kind, scope, (*whole[-1:], *header), annotations)
