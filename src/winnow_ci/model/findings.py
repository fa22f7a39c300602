"""What a scan finds, and what its reports are made of.

Lines, paths and arrays are as in ``winnow_ci.model``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.model.advice import Advice
from winnow_ci.model.regions import AlignedLines, Evidence, rising_blocks
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    import datetime as dt

    from winnow_ci.model import (
        Fallback,
        Kind,
        Level,
        LineRange,
        Mode,
        Place,
        Skipped,
        Strength,
        Suppression,
    )
    from winnow_ci.model.regions import Stretch
    from winnow_ci.model.side_by_side import SideBySide


class Agreement(NamedTuple):
    """How far the tokens of a copy are those of its source; comments and white space are no tokens.

    Attributes:
        matched: tokens of the copy with a counterpart of the same structural class.
        verbatim: those of them that have its text; None if a report of an older version does not say how many.
        others: tokens on the lines of the copy that do not belong to it.
        missing: how many more tokens the source has in the gaps between matched tokens.
        in_order: whether the matched tokens rise in the source, too.
        exact: whether whole texts were compared, and not one byte of each token.
    """

    matched: int
    verbatim: int | None
    others: int = 0
    missing: int = 0
    in_order: bool = True
    exact: bool = False


class FileReading(NamedTuple):
    """How a file was cut into tokens: its language, and the name of the front end."""

    language: str
    front_end: str


class Reason(NamedTuple):
    """What one feature of a match adds to the log-odds that it is a copy (``evidence.model``)."""

    feature: str
    value: float
    log_odds: float


class KnownContent(NamedTuple):
    """A content of an index: its key there (hexadecimal; ``index.content_key``), and how it was read."""

    key: str
    reading: FileReading


class Finding(NamedTuple):
    """A region of the change with its sources, and what the policy makes of it.

    ``added`` holds the lines of it that the change adds. ``anchor`` is a digest of the copied tokens, wherever they
    stand. ``reason`` says why somebody suppressed the finding, ``expires`` until which day. ``objection`` is
    another place of the same code, with a licence that the policy denies while it accepts that of ``source``.
    ``denied`` says that the policy names the licence of ``source`` itself among those that it denies. ``alignment``
    has the lines with matching tokens, in the order of the change; lines without any divide it. ``identical`` says
    that the whole file is a known one, but for line ends and a last line break. ``in_text`` says that it is quoted
    code: it stands in a comment, a string or prose. ``file_sha256`` is that of the changed file. ``evidence`` is
    what speaks for a copy, and ``strength`` says whether that is more than unrelated code has in common; ``log_odds``
    are those of a copy (None in reports of older versions), and ``reasons`` what adds to them. ``filter`` names the
    filter that makes it weak (``scanner.filters``).
    ``stretches`` are the tokens that match, ``reading`` says how those of the change were made, and ``known`` which
    content of an index has the others.
    A finding that is shown has more:

    Attributes:
        excerpt: its first lines in the change.
        beside: the change beside ``source``, if a reader is to see both.
        renames: names of the source, their names in the change, and how often; the most frequent first. None if the
            text of the source is not known.
        comment: what opens and closes a comment in the language of the changed file; empty if unknown.
    """

    id: str
    path: str
    lines: LineRange
    kind: Kind
    tokens: int
    fingerprints: int
    similarity: float
    agreement: Agreement
    source: Place
    also_in: tuple[Place, ...]
    added: tuple[LineRange, ...]
    excerpt: tuple[str, ...]
    level: Level = "error"
    suppressed: Suppression | None = None
    anchor: str = ""
    reason: str | None = None
    objection: Place | None = None
    alignment: tuple[AlignedLines, ...] = ()
    beside: SideBySide | None = None
    renames: tuple[tuple[str, str, int], ...] | None = None
    comment: tuple[str, str] = ("", "")
    identical: bool = False
    strength: Strength = "strong"
    evidence: Evidence = Evidence()
    log_odds: float | None = None
    reasons: tuple[Reason, ...] = ()
    filter: str | None = None
    in_text: bool = False
    denied: bool = False
    file_sha256: str = ""
    stretches: tuple[Stretch, ...] = ()
    expires: dt.date | None = None
    reading: FileReading | None = None
    known: KnownContent | None = None

    @property
    def block_lines(self) -> tuple[AlignedLines, ...]:
        """The lines of each block that rises on both sides; a copy in the order of its source has one."""
        whole = AlignedLines(self.lines, self.source.lines)
        # The comments at the front of an identical file belong to it, too, though they are no tokens.
        return (whole,) if self.identical else rising_blocks(self.alignment or (whole,))


class BaselineEntry(NamedTuple):
    """A copy that a team has decided to live with.

    Attributes:
        anchor: anchor of the finding.
        path: the file of the repository.
        source, source_path, license: what it was copied from.
        kind: kind of the finding.
        reason: why it may stay.
        expires: the last day on which it may stay; None for ever.
    """

    anchor: str
    path: str
    source: str
    source_path: str
    license: str
    kind: Kind
    reason: str
    expires: dt.date | None = None


class BaselineUse(NamedTuple):
    """What a scan found out about a baseline's entries.

    Attributes:
        stale: entries whose copy is gone.
        waiting: entries whose copy has never been there since they came, as far as history tells.
        expired: entries whose copy is there and whose day has passed.
        moved: entries whose copy is in another file now, with the path of that file.
    """

    stale: tuple[BaselineEntry, ...] = ()
    expired: tuple[BaselineEntry, ...] = ()
    moved: tuple[tuple[BaselineEntry, str], ...] = ()
    waiting: tuple[BaselineEntry, ...] = ()


class Scope(NamedTuple):
    """What a scan compared: commit ids, or None for the empty tree (``base``) and for uncommitted work (``head``)."""

    mode: Mode
    base: str | None
    head: str | None
    description: str


class UsedIndex(NamedTuple):
    """An index that a change was looked up in.

    Attributes:
        path: as the configuration or the command line names it, from the root of the repository on if it lies there.
        digest: ``IndexReader.digest``.
    """

    path: str
    digest: str


class ScanReport(NamedTuple):
    """The outcome of a scan; every changed path is in exactly one of scanned and skipped.

    ``notices`` say what a person should know about how the change was judged. ``existing`` counts the copies that are
    no findings because the repository had them before. ``fallback`` holds the scanned files that the fallback tokenizer
    read. ``unread`` counts, by path, lines of text that may be code and were not read as such. ``advice`` is what can
    be done about the findings. ``policy_digest`` is equal for scans that were judged by the same rules
    (``scanner.rules_digest``), and empty if unknown; ``model_digest`` is that of the evidence model. ``lacking`` has
    notices about code that a reader should see and that is not here, which depends on the report and not on the scan.
    ``uncompared`` counts, by path, the contents of indexes that have something in common with a file, but so little
    that it was not compared with them. ``passed_over`` counts the files whose smallest fingerprints were in no index,
    so that their other fingerprints were not looked up.
    """

    scope: Scope
    files_scanned: int
    tokens: int
    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...] = ()
    notices: tuple[str, ...] = ()
    baseline: BaselineUse = BaselineUse()
    existing: int = 0
    fallback: tuple[Fallback, ...] = ()
    unread: tuple[tuple[str, int], ...] = ()
    advice: Advice = Advice()
    indexes: tuple[UsedIndex, ...] = ()
    policy_digest: str = ""
    model_digest: str = ""
    lacking: tuple[str, ...] = ()
    uncompared: tuple[tuple[str, int], ...] = ()
    passed_over: int = 0

    @property
    def all_notices(self) -> tuple[str, ...]:
        """What a person should know of the scan and of this report."""
        return (*self.notices, *self.lacking)

    @property
    def complete(self) -> bool:
        """Whether everything in scope was looked at."""
        return all(skip.state == "out-of-scope" for skip in self.skipped)

    def count(self, level: Level) -> int:
        """Number of findings of a level that nothing suppresses."""
        return sum(finding.level == level and finding.suppressed is None for finding in self.findings)

    @property
    def failed(self) -> bool:
        """Whether the policy fails on a finding."""
        return self.count("error") > 0
