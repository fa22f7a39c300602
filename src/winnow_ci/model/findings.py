"""The findings of a scan, and the parts of its reports; lines and paths are as in ``winnow_ci.model``."""

from __future__ import annotations

import datetime as dt
from typing import Literal, TypeAlias

from winnow_ci.model import RESTATED, Fallback, Kind, Level, LineRange, Mode, Place, Skipped, Strength, Suppression
from winnow_ci.model.regions import AlignedLines, Evidence, SideBySide, Stretch, rising_blocks
from winnow_ci.named_tuples import NamedTuple


class Agreement(NamedTuple):
    """How far the tokens of a copy agree with its source; comments and white space are not tokens."""

    matched: int  # tokens of the copy with a counterpart of the same structural class
    verbatim: int | None  # those of them with the same text; None if a report of an older version does not say
    others: int = 0  # tokens on the lines of the copy that do not belong to it
    missing: int = 0  # how many more tokens the source has in the gaps between matched tokens
    in_order: bool = True  # whether the matched tokens rise in the source, too
    exact: bool = False  # whether whole texts were compared, and not one byte of each token


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
    """A region of the change with its sources, and what the policy makes of it."""

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
    added: tuple[LineRange, ...]  # its lines that the change adds
    excerpt: tuple[str, ...]  # of a shown finding: its first lines in the change
    level: Level = "error"
    suppressed: Suppression | None = None
    anchor: str = ""  # digest of the copied tokens, independent of their place
    reason: str | None = None  # why it is suppressed
    objection: Place | None = None  # a place with a licence that the policy likes less than that of ``source``
    alignment: tuple[AlignedLines, ...] = ()  # lines with matching tokens, in the order of the change
    beside: SideBySide | None = None  # of a shown finding: the change beside ``source``, if a reader is to see both
    renames: tuple[tuple[str, str, int], ...] | None = None  # as in ``SideBySide``; None without the source's text
    copyright_lines: tuple[str, ...] = ()  # at the top of ``source``'s file; of a finding shown with marks
    comment: tuple[str, str] = ("", "")  # opens and closes a comment in the file's language; empty if unknown
    identical: bool = False  # the whole file is a known one, except for line ends and a last line break
    strength: Strength = "strong"  # weak: unrelated code may have as much in common
    evidence: Evidence = Evidence()
    log_odds: float | None = None  # of a copy; None in reports of older versions
    reasons: tuple[Reason, ...] = ()  # the parts of ``log_odds``
    filter: str | None = None  # the filter that makes it weak (``scanner.attribute``)
    words: tuple[str, ...] = ()  # rare words and phrases that both sides have, of a restated or translated one
    in_text: bool = False  # quoted code, in a comment, a string or prose
    assisted: bool = False  # in code of commits that a coding assistant helped to write
    denied: bool = False  # the policy denies the licence of ``source`` by name
    file_sha256: str = ""  # of the changed file
    file_sha1: str | None = None  # SPDX asks for it
    byte_range: tuple[int, int] | None = None  # its lines as bytes of the file, from 1; None in UTF-16, or if unknown
    stretches: tuple[Stretch, ...] = ()  # the matching tokens
    expires: dt.date | None = None  # the last day on which it is suppressed
    recorded_by: str | None = None  # who recorded it in the baseline, if that says so
    recorded_on: dt.date | None = None
    reading: FileReading | None = None  # how the tokens of the change were made
    known: KnownContent | None = None  # the content of an index that has the source's tokens

    @property
    def is_accepted(self) -> bool:
        """Whether a person has decided that it may stay."""
        return self.suppressed == "inline" or (self.suppressed == "baseline" and self.reason != RECORDED)

    @property
    def block_lines(self) -> tuple[AlignedLines, ...]:
        """The lines of each block that rises on both sides; a copy in the order of its source has one."""
        whole = AlignedLines(self.lines, self.source.lines)
        if self.kind in RESTATED:
            return (whole,)
        # The comments at the front of an identical file belong to it, too, though they are no tokens.
        return (whole,) if self.identical else rising_blocks(self.alignment or (whole,))


class Decision(NamedTuple):
    """Why a copy stands in the baseline, and who put it there."""

    reason: str  # ``RECORDED`` if nobody has decided anything
    expires: dt.date | None = None  # the last day on which it may stay; None for ever
    recorded_by: str | None = None  # name and address, as git has them
    recorded_on: dt.date | None = None


class BaselineEntry(NamedTuple):
    """A copy that a team has decided to live with, or that was there before."""

    anchor: str  # of the finding
    path: str  # in the repository
    source: str
    source_path: str
    license: str
    kind: Kind
    # Those of ``Decision``.
    reason: str
    expires: dt.date | None = None
    recorded_by: str | None = None
    recorded_on: dt.date | None = None


class BaselineUse(NamedTuple):
    """The entries of a baseline that a scan could not simply apply."""

    stale: tuple[BaselineEntry, ...] = ()  # the copy is gone
    expired: tuple[BaselineEntry, ...] = ()  # the copy is there and the day has passed
    moved: tuple[tuple[BaselineEntry, str], ...] = ()  # with the path of the file that has the copy now
    waiting: tuple[BaselineEntry, ...] = ()  # the copy was never there since the entry came, according to history


class Scope(NamedTuple):
    """What a scan compared: commit ids, or None for the empty tree (``base``) and for uncommitted work (``head``)."""

    mode: Mode
    base: str | None
    head: str | None
    description: str


class Checkout(NamedTuple):
    """What was checked out where a scan ran."""

    repository: str  # the end of the address of its remote, or the name of its folder
    branch: str | None  # None if HEAD is detached
    commit: str | None  # None if there is no commit yet
    date: str | None  # of the commit: ``2026-11-28``


class AssistedWork(NamedTuple):
    """What a scan found in the commits of a change that a coding assistant helped to write."""

    commits: int
    checked: int  # those whose files could all be read
    copies: int  # findings in their code that nothing suppresses
    are_known: bool = True  # whether all commits of the change are here; if not, every copy counts as assisted


class ProvedCommit(NamedTuple):
    """A commit that has exactly what was scanned, and the id of its tree."""

    commit: str
    tree: str


class UsedIndex(NamedTuple):
    """An index that a change was looked up in: its name, and its ``IndexReader.digest``.

    The name is that of the configuration or command line, relative to the root of the repository if it is in there.
    """

    path: str
    digest: str


BaselineInForce: TypeAlias = Literal["here", "base", "server"]
"""Whose baseline judges a change: that of the work tree, of the branch that it is for, or of the server."""
RECORDED = "recorded by --update-baseline"
"""The reason of an entry of the baseline that was written with many others."""
OURS = "code of our own (own)"
"""The reason of a finding whose code our own sources have, too."""
REASON_HERE = "TEXT"
"""Stands for the reason in a printed command; ``approve`` does not accept it as one."""


class Advice(NamedTuple):
    """What the reader of the report can do about findings.

    The author of a change reads the log of a CI, but works in another clone.
    """

    options: tuple[str, ...] = ()  # with which ``explain`` and ``approve`` look at the same change in the same indexes
    comments: bool = True  # whether a comment that the reader adds above a copy would allow it
    baseline: BaselineInForce = "here"
    commands: bool = True  # whether ``explain`` and ``approve`` can look at the same change again


class ShownCode(NamedTuple):
    """How much code of a finding to find and show."""

    lines: int  # of each side, at most
    marks: bool = False  # mark single tokens, also where the text of the source is not known
    suppressed: bool = False  # show the code of suppressed findings, too


FIRST_LINES = ShownCode(lines=6)
"""What most formats show."""


class ScanReport(NamedTuple):
    """The outcome of a scan; every changed path is in exactly one of scanned and skipped."""

    scope: Scope
    files_scanned: int
    tokens: int
    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...] = ()
    notices: tuple[str, ...] = ()  # how the change was judged
    baseline: BaselineUse = BaselineUse()
    existing: int = 0  # copies that are no findings because the repository had them before
    fallback: tuple[Fallback, ...] = ()  # scanned files that the fallback tokenizer read
    unread: tuple[tuple[str, int], ...] = ()  # by path: lines of text that may be code and were not read as such
    advice: Advice = Advice()
    indexes: tuple[UsedIndex, ...] = ()
    policy_digest: str = ""  # equal for scans judged by the same rules (``scanner.settle``); empty if unknown
    model_digest: str = ""  # of the evidence model
    lacking: tuple[str, ...] = ()  # notices about code that is missing in this report, though not in the scan
    uncompared: tuple[tuple[str, int], ...] = ()  # by path: known contents with too little in common to compare
    checkout: Checkout | None = None
    proved: ProvedCommit | None = None  # if a proof was asked for
    assisted: AssistedWork | None = None  # None if the change has no such commits

    @property
    def all_notices(self) -> tuple[str, ...]:
        """The notices of the scan and of this report."""
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
