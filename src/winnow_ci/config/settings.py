"""What a configuration file can say, and the defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from winnow_ci.named_tuples import NamedTuple
from winnow_ci.policy.patterns import PathPatterns, SourcePatterns
from winnow_ci.start_up import field, record, replace

if TYPE_CHECKING:
    from pathlib import Path

    from winnow_ci.config.index_reference import IndexReference, PinnedFile
    from winnow_ci.model import Level, Selection
    from winnow_ci.policy.allow_comments import CommentTrust
    from winnow_ci.policy.license_policy import LicensePolicy


class ReportThresholds(NamedTuple):
    """What is reported, and how loudly.

    Attributes:
        min_tokens, min_tokens_renamed: the shortest copies of each kind, in tokens.
        weak: the highest level of weak findings; "off" leaves them out.
        cut: log-odds of a copy from which a finding is strong; None for that of the evidence model.
    """

    min_tokens: int = 16
    min_tokens_renamed: int = 16
    weak: Level | Literal["off"] = "note"
    cut: float | None = None


BUILTINS = ("license-headers", "generated")
"""The names that ``builtin:`` boilerplate can have."""


class Snippet(NamedTuple):
    """Code that everybody has; the language by its canonical name."""

    language: str
    text: str


class SharedConfiguration(NamedTuple):
    """The text of a configuration that others extend, and what messages call it."""

    text: bytes
    origin: str


@record(frozen=True, slots=True)
class Settings:
    """The settings of a repository.

    Attributes:
        index: index files, folders of them (``index_files``), or indexes that a URI names.
        k, w, selection: what the index must have been built with; None takes it from the index.
        languages: languages that are scanned, by their canonical names; None for all.
        include: files that are scanned; None for all.
        exclude: files that are left out even so.
        boilerplate: files of code that everybody has.
        snippets: texts of code that everybody has.
        builtins: names of our own texts of such code.
        policy: the level of a finding by its licence; None makes every finding an error.
        report: what is too short to report.
        own: sources whose code is ours.
        baseline: file of the copies that may stay.
        extends: the configuration that this one adds to.
        inline: which comments may suppress a finding; None also trusts those of the change, unless it is judged by the
            rules of its base.
    """

    index: tuple[IndexReference, ...] = ()
    k: int | None = None
    w: int | None = None
    selection: Selection | None = None
    languages: tuple[str, ...] | None = None
    include: PathPatterns | None = None
    exclude: PathPatterns = field(default_factory=PathPatterns)
    boilerplate: PathPatterns = field(default_factory=PathPatterns)
    policy: LicensePolicy | None = None
    report: ReportThresholds = field(default_factory=ReportThresholds)
    own: SourcePatterns = field(default_factory=SourcePatterns)
    baseline: Path | None = None
    inline: CommentTrust | None = None
    snippets: tuple[Snippet, ...] = ()
    builtins: tuple[str, ...] = ()
    extends: PinnedFile | None = None

    def below(self, folder: str) -> Settings:
        """The same with patterns of paths relative to the root, if these are relative to a folder of it."""
        include = self.include.below(folder) if self.include else None
        exclude, boilerplate = self.exclude.below(folder), self.boilerplate.below(folder)
        return replace(self, include=include, exclude=exclude, boilerplate=boilerplate) if folder else self

    @property
    def parameters(self) -> dict[str, int | str]:
        """Which of k, w and selection are set, by the names of ``model.Parameters``."""
        found = {"k": self.k, "w": self.w, "selection": self.selection}
        return {name: value for name, value in found.items() if value is not None}
