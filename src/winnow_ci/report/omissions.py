"""The files that a scan left out or could not scan, with the rule or the reason, and those read by the fallback."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from winnow_ci.report import printable, wording
from winnow_ci.report.painting import paint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from winnow_ci.model import Fallback, Skipped, SkipState
    from winnow_ci.model.findings import ScanReport
    from winnow_ci.report.shown import ReportStyle

# Up to this many files are all listed; of more, the first of each rule.
_ALL = 200
_SOME = 20

# The beginning of a reason → the rule behind it, or what to do.
_RULES = (
    (r"excluded by (.+)", r'paths.exclude: "\1" in the configuration'),
    (r"boilerplate by (.+)", r'boilerplate: "\1" in the configuration'),
    (r"not under paths\.include", "no pattern of paths.include in the configuration matches it"),
    (r"language (.+) is not among", r"languages in the configuration does not list \1"),
    (
        r"unknown language",
        "neither the end of its name nor a first line with #! tells its language; it is no known file as a whole",
    ),
    (r"licence text", "its name or its words say that it is a licence or the like, which is made to be copied"),
    (r"binary data", "its content is no text, and under its name there is mostly data"),
    (r"data", "its name says that it is data or a lock file, without code in it; it is no known file as a whole"),
    (r"binary content", "a tenth of it or more is NUL bytes, so it is not text"),
    (r"symbolic link", "it is only a path; the file that it leads to is scanned where it is"),
    (r"submodule", "it is another repository; scan it there"),
    (r"larger than", "the limit for a file; leave it out with paths.exclude if nobody wrote it"),
    (r"more than .* tokens", "the limit for a file; leave it out with paths.exclude if nobody wrote it"),
    (
        r"not lexed within",
        "the time that a lexer has for a file of this size; it was read without knowing its language",
    ),
    (r"the .+ lexer failed", "Pygments could not read it (report it there); it was read without knowing its language"),
    (r"the process of the .+ lexer was killed", "it needed too much memory; it was read without knowing its language"),
    (r"Git LFS pointer", "run git lfs pull first, or leave it out with paths.exclude"),
    (r"object .+ is missing", "fetch it first: a partial clone lacks some contents"),
    (r"conflict that is not resolved", "resolve it first"),
    (r"lies behind a symbolic link", "git has a folder there; put it back, or commit the link"),
    (r"cannot be read", "fix that, or leave it out with paths.exclude"),
    (r"not a regular file", "remove it, or leave it out with paths.exclude"),
)


def render(report: ScanReport, style: ReportStyle) -> str:
    """The files that were not scanned, by state and by reason; where there are many, the rest are counted."""
    blocks = [
        *_listed("not scanned", "error", _in_state(report, "not-scanned"), style),
        *_listed("read by the fallback tokenizer", "path", report.fallback, style),
        *_listed("out of scope", "path", _in_state(report, "out-of-scope"), style),
    ]
    if not blocks:
        return "every file of the change was looked at\n"
    return "\n\n".join(blocks) + "\n"


def _in_state(report: ScanReport, state: SkipState) -> list[Skipped]:
    return [skip for skip in report.skipped if skip.state == state]


def _listed(title: str, role: str, files: Sequence[Skipped | Fallback], style: ReportStyle) -> Iterator[str]:
    if not files:
        return
    yield f"{paint(title, role, style)}: {wording.counted(len(files), 'file')}"
    most = len(files) if len(files) <= _ALL else _SOME
    groups: dict[str, list[Skipped | Fallback]] = {}
    for file in files:
        groups.setdefault(file.reason, []).append(file)
    for reason, group in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        yield "\n".join(_group(reason, group, most, style))


def _group(reason: str, group: list[Skipped | Fallback], most: int, style: ReportStyle) -> Iterator[str]:
    yield paint(printable.name(f"{reason}: {wording.counted(len(group), 'file')}"), "path", style)
    if rule := _rule(reason):
        yield f"  {rule}"
    paths = sorted(skip.path for skip in group)
    yield from (f"    {printable.name(path)}" for path in paths[:most])
    if len(paths) > most:
        yield f"    … and {len(paths) - most:,} more; to see them, name their folders after --skipped"


def _rule(reason: str) -> str | None:
    for pattern, rule in _RULES:
        if found := re.match(pattern, reason):
            return printable.name(found.expand(rule))
    return None
