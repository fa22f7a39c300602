"""What a scan covered, for stderr. Every scan says it, so that a scan of nothing is not mistaken for a clean one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from winnow_ci.report import printable
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from winnow_ci.model import Fallback, Skipped
    from winnow_ci.model.findings import ScanReport

_REASONS = 5
_FILES = 10


def coverage(report: ScanReport) -> str:
    """A line on what was compared and scanned, then one for each notice and for each of the first unscanned files."""
    return "\n".join(f"winnow-ci: {line}" for line in sentences(report))


def fallback(files: Sequence[Fallback]) -> str:
    """Names the files that the fallback tokenizer had to read, with the reasons."""
    named = [f"{printable.name(file.path)} ({printable.name(file.reason)})" for file in files[:_FILES]]
    if len(files) > _FILES:
        named.append(f"and {len(files) - _FILES:,} more")
    return f"{counted(len(files), 'file')} read by the fallback tokenizer: {', '.join(named)}"


def skipped(skips: Sequence[Skipped]) -> str:
    """How many files were skipped, and why: ``3 skipped (2 data, 1 licence text)``."""
    reasons = Counter(skip.reason for skip in skips).most_common()
    text = ", ".join(f"{count:,} {reason}" for reason, count in reasons)
    return f"{len(skips):,} skipped{f' ({text})' if text else ''}"


def uncompared(files: Sequence[tuple[str, int]]) -> str:
    """How many known contents files were not compared with, as others say more about them."""
    contents = counted(sum(count for _, count in files), "known content")
    return (
        f"compared with the most telling known contents only: {counted(len(files), 'file')}"
        f" ({contents} with less in common left out)"
    )


def sentences(report: ScanReport) -> Iterator[str]:
    """What was compared and scanned, and what was not: a sentence each, made harmless."""
    skipped = [skip for skip in report.skipped if skip.state == "out-of-scope"]
    failed = [skip for skip in report.skipped if skip.state == "not-scanned"]
    counts = [f"{counted(report.files_scanned, 'file')} scanned", f"{len(skipped):,} skipped{_reasons(skipped)}"]
    if failed:
        counts.append(f"{len(failed):,} NOT scanned")
    yield f"{printable.name(report.scope.description)}: {', '.join(counts)}"
    # An index in the repository is what everybody has; of another one the reader should know which it was.
    elsewhere = (index for index in report.indexes if "://" in index.path)
    yield from (
        f"looked up in {printable.name(index.path)}, digest {printable.name(index.digest)}" for index in elsewhere
    )
    if report.existing:
        yield f"not counted: {counted(report.existing, 'copy', 'copies')} that the repository had before"
    if report.fallback:
        yield fallback(report.fallback)
    if report.unread:
        lines = sum(count for _, count in report.unread)
        yield f"text not looked at as code: {counted(lines, 'line')} in {counted(len(report.unread), 'file')}"
    if report.uncompared:
        yield uncompared(report.uncompared)
    yield from (f"notice: {printable.name(notice)}" for notice in report.all_notices)
    for skip in failed[:_FILES]:
        yield f"not scanned: {printable.name(skip.path)}: {printable.name(skip.reason)}"
    if len(failed) > _FILES:
        yield f"not scanned: and {len(failed) - _FILES:,} more"


def _reasons(skipped: list[Skipped]) -> str:
    # Sorted by number, then by name, so that the order of the files has no influence.
    counted = sorted(Counter(skip.reason for skip in skipped).items(), key=lambda item: (-item[1], item[0]))
    parts = [f"{count:,} {printable.name(reason)}" for reason, count in counted[:_REASONS]]
    if others := sum(count for _, count in counted[_REASONS:]):
        parts.append(f"{others:,} for other reasons")
    return f" ({', '.join(parts)})" if parts else ""
