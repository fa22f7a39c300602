"""Report what a scan covered, and which files it left out.

Every scan says on stderr what it covered, so that a scan of nothing is not mistaken for a clean one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from winnow_ci.model import Fallback, Skipped
from winnow_ci.model.findings import ScanReport
from winnow_ci.report.printable import name
from winnow_ci.report.shown import ReportStyle, by_key, not_scanned, paint, with_rest
from winnow_ci.report.wording import counted

_REASONS = 5
_FILES = 10
# Up to this many left-out files are all listed; of more, the first of each rule.
_ALL = 200
_SOME = 20


def coverage(report: ScanReport) -> str:
    """What a scan prints about itself: a line for each sentence."""
    return "\n".join(f"winnow-ci: {line}" for line in coverage_sentences(report))


def coverage_sentences(report: ScanReport) -> Iterator[str]:
    """What was compared and scanned, and what was not: a sentence each, made harmless."""
    skipped = [skip for skip in report.skipped if skip.state == "out-of-scope"]
    failed = not_scanned(report)
    scanned = f"{counted(report.files_scanned, 'file')} scanned, {skipped_files(skipped, _REASONS)}"
    yield f"{name(report.scope.description)}: {scanned}{f', {len(failed):,} NOT scanned' if failed else ''}"
    # An index in the repository is what everybody has; of another one the reader should know which it was.
    elsewhere = (index for index in report.indexes if "://" in index.path)
    yield from (f"looked up in {name(index.path)}, digest {name(index.digest)}" for index in elsewhere)
    if work := report.assisted:
        yield f"AI-assisted commits: {work.commits:,}, checked: {work.checked:,}, copies: {work.copies:,}"
        if not work.are_known:
            yield "not all commits of the change are here, so every copy counts as assisted: set `fetch-depth: 0`"
    if report.existing:
        yield f"not counted: {counted(report.existing, 'copy', 'copies')} that the repository already had"
    if report.fallback:
        yield fallback_files(report.fallback)
    if report.unread:
        lines = sum(count for _, count in report.unread)
        yield f"text not read as code: {counted(lines, 'line')} in {counted(len(report.unread), 'file')}"
    if report.uncompared:
        left_out = (
            f"{counted(sum(count for _, count in report.uncompared), 'known content')} with less in common left out"
        )
        files = counted(len(report.uncompared), "file")
        yield f"compared only with the known files that share most: {files} ({left_out})"
    yield from (f"notice: {name(notice)}" for notice in report.all_notices)
    named = with_rest((f"{name(skip.path)}: {name(skip.reason)}" for skip in failed), _FILES)
    yield from (f"not scanned: {one}" for one in named)


def fallback_files(files: Sequence[Fallback]) -> str:
    """Names the files that the fallback tokenizer had to read, with the reasons."""
    named = with_rest((f"{name(file.path)} ({name(file.reason)})" for file in files), _FILES)
    return f"{counted(len(files), 'file')} read by the fallback tokenizer: {', '.join(named)}"


def skipped_files(skips: Sequence[Skipped], most: int | None = None) -> str:
    """How many files were skipped, and the most frequent reasons: ``3 skipped (2 data, 1 licence text)``."""
    # Sorted by number, then by name, so that the order of the files has no influence.
    reasons = sorted(Counter(skip.reason for skip in skips).items(), key=lambda item: (-item[1], item[0]))
    parts = [f"{count:,} {name(reason)}" for reason, count in reasons[:most]]
    if others := len(skips) - sum(count for _, count in reasons[:most]):
        parts.append(f"{others:,} for other reasons")
    return f"{len(skips):,} skipped" + (f" ({', '.join(parts)})" if parts else "")


# The beginning of a reason → the rule behind it, or what to do.
_RULES = (
    (r"excluded by (.+)", r'paths.exclude: "\1" in the configuration'),
    (r"boilerplate by (.+)", r'boilerplate: "\1" in the configuration'),
    (r"not under paths\.include", "no pattern of paths.include in the configuration matches it"),
    (r"language (.+) is not among", r"languages in the configuration does not list \1"),
    (r"unknown language", "neither its extension nor a #! line shows its language; no known file equals it"),
    (r"licence text", "its name or words show that it is a licence or a similar text, which everybody copies"),
    (r"binary data", "its content is not text, and files with such a name are mostly data"),
    (r"data", "its name is that of data or of a lock file without code; no known file equals it"),
    (r"binary content", "at least a tenth of it is NUL bytes, so it is not text"),
    (r"symbolic link", "it is only a path; its target is scanned in its own place"),
    (r"submodule", "it is another repository; scan it there"),
    (r"larger than|more than .* tokens", "too large for one file; if it is generated, leave it out with paths.exclude"),
    (r"not lexed within", "the lexer ran out of time; the fallback tokenizer read it"),
    (r"the .+ lexer failed", "Pygments could not read it (please report it there); the fallback tokenizer read it"),
    (r"the process of the .+ lexer was killed", "it needed too much memory; the fallback tokenizer read it"),
    (r"Git LFS pointer", "run git lfs pull first, or leave it out with paths.exclude"),
    (r"object .+ is missing", "fetch it first: a partial clone lacks some contents"),
    (r"unresolved conflict", "resolve it first"),
    (r"lies behind a symbolic link", "git has a folder there; restore it, or commit the link"),
    (r"cannot be read", "fix that, or leave it out with paths.exclude"),
    (r"not a regular file", "remove it, or leave it out with paths.exclude"),
)


def left_out_files(report: ScanReport, style: ReportStyle) -> str:
    """The files that were not scanned or read by the fallback, by state and reason; of many, the rest are counted."""
    out_of_scope = [skip for skip in report.skipped if skip.state == "out-of-scope"]
    blocks = [
        *_files_of_state("not scanned", "error", not_scanned(report), style),
        *_files_of_state("read by the fallback tokenizer", "path", report.fallback, style),
        *_files_of_state("out of scope", "path", out_of_scope, style),
    ]
    return "\n\n".join(blocks or ["every file of the change was scanned"]) + "\n"


def _files_of_state(title: str, role: str, files: Sequence[Skipped | Fallback], style: ReportStyle) -> Iterator[str]:
    if not files:
        return
    yield f"{paint(title, role, style)}: {counted(len(files), 'file')}"
    most = len(files) if len(files) <= _ALL else _SOME
    groups = by_key(sorted(files, key=lambda file: file.path), lambda file: file.reason)
    for reason, alike in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        yield "\n".join(_files_of_reason(reason, [file.path for file in alike], most, style))


def _files_of_reason(reason: str, paths: list[str], most: int, style: ReportStyle) -> Iterator[str]:
    yield paint(name(f"{reason}: {counted(len(paths), 'file')}"), "path", style)
    matches = ((re.match(pattern, reason), rule) for pattern, rule in _RULES)
    yield from [f"  {name(match.expand(rule))}" for match, rule in matches if match][:1]
    yield from (f"    {name(path)}" for path in paths[:most])
    if len(paths) > most:
        yield f"    … and {len(paths) - most:,} more; to list them, name their folders after --skipped"
