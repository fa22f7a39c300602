"""Findings and reports to render, and the accepted renderings of them.

``PYTHONPATH=src:tests python -m support.reports`` accepts what the formats print now: it rewrites
``tests/golden/report``. Look at the difference before committing it. Nothing in CI runs this.
"""

from __future__ import annotations

import datetime as dt
import re
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from winnow_ci import __version__
from winnow_ci.model import (
    Fallback,
    LineRange,
    Place,
    Skipped,
    Source,
    SourceFile,
)
from winnow_ci.model.findings import (
    Advice,
    Agreement,
    BaselineEntry,
    BaselineUse,
    Finding,
    ProvedCommit,
    ScanReport,
    Scope,
)
from winnow_ci.model.regions import AlignedBlock, AlignedLines, AlignedRow, MarkedPiece, SideBySide, SideLine
from winnow_ci.report import FORMATS, ReportStyle

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GOLDEN = Path(__file__).parents[1] / "golden" / "report"
STYLE = ReportStyle(guard="an-unguessable-word")
HOSTILE = "new\nline\r\t\x1b[2J\x7f\x85\u202e\u2066\u200b\ufeff\u2028\ud800\udcff::error::%0A<script>](=cmd é"

CURL = Source("curl", "8.1.0", "curl", "https://curl.se")
FORK = Source("libcurl-fork", "1.0", "MIT")
RENAMED = (
    "CURLcode set_range(Easy *easy)",
    "{",
    "  /* what to resume */",
    "\tstruct UrlState *state = &easy->state;",
    "\tstate->resume_from = easy->set.set_resume_from;",
    "",
)
EXCERPT = (
    "static CURLcode setup_range(struct Curl_easy *data)",
    "{",
    "\tstruct UrlState *s = &data->state;",
    "\ts->resume_from = data->set.set_resume_from;",
    "",
    "\tif(s->resume_from || data->set.str[STRING_SET_RANGE]) {",
)


def place(source: Source, path: str, first: int, last: int) -> Place:
    return Place(SourceFile(source, path), LineRange(first, last))


def finding(license: str = "curl", path: str = "src/a.c", first: int = 10, last: int = 42) -> Finding:  # noqa: A002
    return Finding(
        id="5f0c2d9a1b3e4f60",
        path=path,
        lines=LineRange(first, last),
        kind="verbatim",
        tokens=180,
        fingerprints=14,
        similarity=0.966,
        agreement=Agreement(174, 174),
        source=place(CURL._replace(license=license), "lib/url.c", 100, 131),
        also_in=(),
        added=(LineRange(first, last),),
        excerpt=EXCERPT,
        file_sha256="5a" * 32,
        file_sha1="c1" * 20,
        byte_range=(301, 1404),
    )


def block(
    both: AlignedLines,
    here: Sequence[str],
    there: Sequence[str],
    numbers: Iterable[tuple[int | None, int | None]] | None = None,
) -> AlignedBlock:
    """A block with the first lines of both sides, in rows of these numbers, or line by line."""
    sides = [
        {first: SideLine(first, (MarkedPiece(text, "same"),)) for first, text in enumerate(side, lines.first)}
        for side, lines in zip((here, there), both, strict=True)
    ]
    numbers = zip_longest(*sides) if numbers is None else numbers
    rows = [AlignedRow(one and sides[0][one], other and sides[1][other]) for one, other in numbers]
    return AlignedBlock(both, tuple(rows))


def _hostile() -> Finding:
    source = Source(f"evil {HOSTILE}", f"1 {HOSTILE}", "unknown", f"https://{HOSTILE}")
    return finding(path=f"src/{HOSTILE}.c", first=7, last=7)._replace(
        id="00000000000000aa",
        kind="renamed",
        tokens=1,
        similarity=0.9999,
        agreement=Agreement(1, 0, others=9_000),
        source=place(source, f"lib/{HOSTILE}.c", 3, 3),
        excerpt=(f"::error::{HOSTILE}" + "x" * 200,),
        byte_range=None,
    )


def _many() -> tuple[Finding, ...]:
    others = tuple(place(FORK, f"src/url{number}.c", 90, 121) for number in range(3))
    return (
        _hostile(),
        finding(first=980, last=1001)._replace(
            id="b",
            kind="renamed",
            level="warning",
            similarity=1.0,
            agreement=Agreement(180, 121, missing=3),
            added=(LineRange(981, 985), LineRange(990, 1001)),
        ),
        finding()._replace(also_in=others),
        finding("MIT", path="src/b.c")._replace(id="c", level="note", suppressed="policy"),
        finding("MIT", path="src/d.c")._replace(
            id="d", suppressed="inline", reason=f"asked {HOSTILE}", anchor="ab" * 16
        ),
        finding("MIT", path="src/e.c")._replace(
            id="e", level="warning", also_in=others, objection=others[2], identical=True
        ),
    )


def with_text() -> Finding:
    """A finding in an index that keeps the text of its source."""
    others = tuple((f"old{number}", f"new{number}", 1) for number in range(9))
    both = AlignedLines(LineRange(10, 42), LineRange(100, 131))
    renames = (("set_range", "setup_range", 1), ("state", "s", 2), ("easy", "data", 1), *others)
    numbers = ((10, 100), (11, 101), (None, 102), (12, 103), (13, 104), (14, 105))
    rows = block(both, EXCERPT, RENAMED, numbers)
    return finding()._replace(
        kind="renamed",
        agreement=Agreement(174, 120),
        alignment=(both,),
        beside=SideBySide((rows,), renames),
        renames=renames,
        comment=("// ", ""),
    )


def reordered() -> Finding:
    """A finding of two blocks that stand in another order in the source, of which the index keeps the text."""
    first = AlignedLines(LineRange(10, 15), LineRange(126, 131))
    second = AlignedLines(LineRange(17, 20), LineRange(100, 103))
    code = tuple(line.replace("\t", "  ") for line in EXCERPT)
    rest = ("  return CURLE_OK;", "}", "", "/* done */")
    beside = SideBySide((block(first, EXCERPT, code), block(second, rest, (*rest[:3], "/* ready */"))))
    lines = LineRange(10, 20)
    return finding()._replace(lines=lines, added=(lines,), alignment=(first, second), beside=beside)


_SCOPE = Scope("since", "3f2a1c9e0b12" + "0" * 28, None, "compared main (3f2a1c9e0b12) with the work tree")

_ENTRY = BaselineEntry("cd" * 16, f"src/{HOSTILE}", "curl", "lib/url.c", "curl", "renamed", f"asked {HOSTILE}")

CASES = {
    "none": ScanReport(_SCOPE, files_scanned=1, tokens=345, findings=()),
    "one": ScanReport(
        _SCOPE,
        files_scanned=14,
        tokens=34567,
        findings=(finding(),),
        skipped=(Skipped("a", "symbolic link", "out-of-scope"),),
    ),
    "text": ScanReport(_SCOPE, files_scanned=14, tokens=34567, findings=(with_text(),)),
    "quoted": ScanReport(
        _SCOPE,
        files_scanned=14,
        tokens=34567,
        findings=(finding()._replace(in_text=True),),
        unread=(("a.md", 90),),
        uncompared=(("a.md", 7), ("src/b.c", 1200)),
    ),
    "reordered": ScanReport(_SCOPE, files_scanned=14, tokens=34567, findings=(reordered(),)),
    "elsewhere": ScanReport(
        _SCOPE,
        files_scanned=14,
        tokens=34567,
        findings=(finding(), finding(path="src/b.c")._replace(id="c", denied=True)),
        advice=Advice(("--since", "main"), comments=False, baseline="base"),
    ),
    "many": ScanReport(
        _SCOPE,
        baseline=BaselineUse((_ENTRY,), (_ENTRY._replace(expires=dt.date(2027, 1, 31)),)),
        files_scanned=14,
        tokens=34567,
        findings=_many(),
        skipped=(
            Skipped("data.bin", "unknown language", "out-of-scope"),
            Skipped(f"big {HOSTILE}.c", "larger than 64 MiB", "not-scanned"),
            Skipped("logo.svg", "unknown language", "out-of-scope"),
            Skipped("link", "symbolic link", "out-of-scope"),
        ),
        existing=3,
        fallback=(Fallback(f"slow {HOSTILE}.scala", "not lexed within 2 s"), Fallback("src/b.c", "of some reason")),
    ),
}


def hostile(text: str) -> ScanReport:
    """A report with the text wherever a text of others can stand."""
    one = finding()
    source = one.source.file.source._replace(name=f"n{text}", version=text, license=f"l{text}", url=text or None)
    place = one.source._replace(file=one.source.file._replace(source=source, path=f"p{text}"))
    entry = _ENTRY._replace(path=text, source=text, source_path=text, license=text, reason=text)
    rows = block(AlignedLines(one.lines, one.source.lines), (text,), (f"source {text}",))
    renames = ((text, text, 2), (f"x{text}", "y", 1))
    shown = {"excerpt": (text,), "beside": SideBySide((rows,), renames), "renames": renames}
    bad = one._replace(path=text, source=place, also_in=(place,), reason=text, objection=place, **shown)
    skipped = (Skipped(text, text, "not-scanned"), Skipped(text, text, "out-of-scope"))
    fallback, use = (Fallback(text, text),), BaselineUse((entry,), (entry,), waiting=(entry,))
    advice = Advice(("--since", text), comments=False, baseline="server")
    return CASES["none"]._replace(
        findings=(bad,),
        skipped=skipped,
        baseline=use,
        fallback=fallback,
        unread=((text, 1),),
        advice=advice,
        uncompared=((text, 1),),
    )


PROVED = ProvedCommit("c" * 40, "d" * 40)
"""The commit of all cases, for formats that need one."""
PIECES = [":", "::", "#", "[", "vso[", " ", "\n", "`", "|", "]", "\\", "{", "x"]
ANY_TEXT = st.one_of(
    st.sampled_from([HOSTILE, "::error::x", ":", "  ::add-mask::x", "a##[error]b", "##vso[task]"]),
    st.sampled_from(["`|` | <b> @me #1", r"\[x\](2) {0}", "]]>", "&lt;"]),
    st.lists(st.sampled_from([":", "::", "#", "[", "vso[", " ", "\n", "`", "|", "]", "\\", "{", "x"]), max_size=8).map(
        "".join
    ),
    st.text(st.characters(min_codepoint=0), max_size=20),
)
"""Names and code that the author of a change may choose."""


def rendered(case: str, format_name: str) -> str:
    """A case in a format, the version replaced; of a page without its style and script, which no case changes."""
    text = FORMATS[format_name](CASES[case]._replace(proved=PROVED), STYLE)
    if format_name == "html":
        text = re.sub(r"<(style|script)>.*?</\1>", r"<\1>…</\1>", text, flags=re.DOTALL)
        return re.sub(r"sha256-[\w+/=]+", "sha256-…", text).replace(f"winnow-ci {__version__}", "winnow-ci VERSION")
    return re.sub(rf'("|Tool: winnow-ci-){re.escape(__version__)}"', r'\1VERSION"', text)


def golden(case: str, format_name: str) -> Path:
    """The accepted rendering."""
    return GOLDEN / f"{case}.{format_name}"


def accept() -> None:
    """Accept what the formats print now."""
    for case in CASES:
        for format_name in FORMATS:
            golden(case, format_name).write_text(rendered(case, format_name), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    accept()
