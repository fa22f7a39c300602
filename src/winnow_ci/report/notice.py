"""Write Markdown for a NOTICE file: what copied code requires, a section for each source.

Names of others stand in code spans, and lines of copyright in fences, where nothing is markup (``markdown``).
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from winnow_ci.model.findings import OURS, ShownCode
from winnow_ci.report import addresses, printable, wording
from winnow_ci.report.markdown import fenced, span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from winnow_ci.model import Source
    from winnow_ci.model.findings import Finding

WITH_COPYRIGHT = ShownCode(lines=1, marks=True)


def is_attributed(finding: Finding) -> bool:
    """Whether a notice names a finding: a strong one, unless everybody has its code or it is ours."""
    return finding.strength == "strong" and finding.suppressed != "boilerplate" and finding.reason != OURS


def render(findings: Iterable[Finding], requirements: Callable[[str], Sequence[str]]) -> str:
    """A section for each source and licence, by name; ``requirements`` says what an expression requires."""

    def place(finding: Finding) -> tuple[object, ...]:
        return *_key(finding), finding.path, finding.lines

    groups = groupby(sorted(findings, key=place), _key)
    return "\n".join("\n".join(_section(list(group), requirements)) for _, group in groups)


def _key(finding: Finding) -> tuple[str, str, str]:
    source = finding.source.file.source
    return source.name, source.version or "", source.license


def _section(findings: Sequence[Finding], requirements: Callable[[str], Sequence[str]]) -> Iterator[str]:
    source = findings[0].source.file.source
    yield f"## {span(_versioned(source))}\n"
    yield f"- from: {_address(source)}"
    yield f"- licence: {span(source.license)}"
    for text in requirements(source.license) or ["not known here: read the licence"]:
        yield f"- requires: {printable.name(text)}"
    for one in findings:
        yield f"- copy: {span(wording.located(one.path, one.lines))} from {span(one.source.file.path)}"
    lines = dict.fromkeys(line for one in findings for line in one.copyright_lines)
    if not all(one.copyright_lines for one in findings):
        yield f"- copyright: see {_address(source)}"
    yield f"\n{fenced(map(printable.name, lines))}\n" if lines else ""


def listed_sources(sources: Iterable[Source]) -> str:
    """A line for each source: name, version, licence and address."""
    lines = (f"- {span(_versioned(one))}, {span(one.license)}, {_address(one)}\n" for one in sources)
    return "".join(lines)


def _versioned(source: Source) -> str:
    return f"{source.name} {source.version}" if source.version else source.name


def _address(source: Source) -> str:
    address = addresses.of_source(source)
    return f"<{address}>" if address else span(source.url or source.purl or "an unknown address")
