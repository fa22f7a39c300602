"""``winnow-ci report``: a stored report is shown as the scan would have shown it, and shows nothing else."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from support.command import Ended, build, winnow
from support.donor import CHANGE, DISTRICTS, LOGS, MERGE_CLOSURES, ROUTES, SHORTEST_ROUTE, renamed, write_known
from support.quotations import QUOTATIONS
from support.repository import Checkout
from winnow_ci.report import FORMATS, PROOF

if TYPE_CHECKING:
    from pathlib import Path

STORED = [name for name in FORMATS if name != PROOF]
FILES = {name: f"report.{name}" for name in STORED if name not in {"text", "github"}}
"""Formats and files; annotations have a word that nobody can foresee."""
COPIES = {
    **CHANGE,
    "src/whole.py": ROUTES,
    "src/moved.py": DISTRICTS.text + "\n\n" + SHORTEST_ROUTE.text,
    "src/renamed.py": renamed(MERGE_CLOSURES.text),
    "page.html": f"<p>Words.</p>\n<script>\n{LOGS}</script>\n",
    "caf\udce9.py": SHORTEST_ROUTE.text,
    **{quotation.path: quotation.file(SHORTEST_ROUTE.text) for quotation in QUOTATIONS[:9]},
}


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same code twice, with and without its text."""
    folder = tmp_path_factory.mktemp("indexes")
    write_known(folder / "source")
    for name, options in (("plain", ()), ("text", ("--with-text",))):
        build(folder / "source", folder / f"{name}.db", "--license", "GPL-3.0-only", *options)
    return {name: folder / f"{name}.db" for name in ("plain", "text")} | {"source": folder / "source"}


def outputs(folder: Path) -> list[str]:
    folder.mkdir(exist_ok=True)
    return [
        "--format",
        "text",
        *(part for name, file in FILES.items() for part in ("--format", f"{name}:{folder}/{file}")),
    ]


def scanned(checkout: Checkout, folder: Path, index: Path, *mode: str) -> dict[str, str]:
    """Every report of a scan, by format."""
    ended = winnow("scan", *mode, "--index", index, *outputs(folder), cwd=checkout.root)
    assert ended.status == 1, ended
    return written(ended, folder)


def reported(checkout: Checkout, folder: Path, stored: Path, *options: str | Path) -> dict[str, str]:
    """The same reports of a stored one."""
    ended = winnow("report", stored, *options, *outputs(folder), cwd=checkout.root)
    assert ended.status == 0, ended
    return written(ended, folder)


def written(ended: Ended, folder: Path) -> dict[str, str]:
    files = {name: (folder / file).read_text(encoding="utf-8") for name, file in FILES.items()}
    covered = "".join(line for line in ended.errors.splitlines(keepends=True) if "winnow-ci: wrote " not in line)
    return {"text": ended.output, "covered": covered, **files}


def stored(checkout: Checkout, folder: Path, index: Path, *mode: str) -> Path:
    """A JSON report, made alone: nothing of the source's text was asked for."""
    file = folder / "stored.json"
    ended = winnow("scan", *mode, "--index", index, "--format", f"json:{file}", cwd=checkout.root)
    assert ended.status == 1, ended
    return file


def shown(checkout: Checkout, report: Path, *options: str | Path, format_name: str = "html") -> tuple[str, str]:
    """A report, and what is said of it."""
    file = report.with_suffix(f".{format_name}")
    ended = winnow("report", report, "--format", f"{format_name}:{file}", *options, cwd=checkout.root)
    assert (ended.status, ended.output) == (0, ""), ended
    return file.read_text(encoding="utf-8"), ended.errors


@pytest.mark.parametrize(
    ("name", "mode"), [("plain", "work tree"), ("text", "staged"), ("text", "commit"), ("plain", "all")]
)
def test_every_format_of_a_stored_report_is_that_of_the_scan(
    tmp_path: Path, checkout: Checkout, indexes: dict[str, Path], name: str, mode: str
) -> None:
    for path, text in COPIES.items():
        checkout.write(path.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape"), text)
    arguments: tuple[str, ...] = ()
    if mode == "staged":
        checkout.git("add", "--all")
        arguments = ("--staged",)
        checkout.write("src/plan.py", "what has become of it since\n")
    elif mode == "commit":
        checkout.commit()
        arguments = ("--range", "HEAD~1..HEAD")
        checkout.commit({"src/plan.py": "what has become of it since\n"})
        arguments = ("--range", "HEAD~2..HEAD~1")
    elif mode == "all":
        arguments = ("--all",)
    direct = scanned(checkout, tmp_path / "direct", indexes[name], *arguments)
    later = reported(checkout, tmp_path / "later", tmp_path / "direct" / FILES["json"], "--index", indexes[name])
    assert len(json.loads(direct["json"])["findings"]) > len(CHANGE)
    for format_name, text in direct.items():
        assert later[format_name] == text, format_name


def test_html_of_json_that_was_written_alone_is_that_of_the_scan(
    tmp_path: Path, copied: Checkout, indexes: dict[str, Path]
) -> None:
    for index in (indexes["plain"], indexes["text"]):
        direct = tmp_path / "direct.html"
        winnow("scan", "--index", index, "--format", f"html:{direct}", cwd=copied.root)
        html, _ = shown(copied, stored(copied, tmp_path, index), "--index", index)
        assert html == direct.read_text(encoding="utf-8")


def test_text_of_json_is_that_of_a_scan_that_writes_nothing_else(
    tmp_path: Path, copied: Checkout, indexes: dict[str, Path]
) -> None:
    for index in (indexes["plain"], indexes["text"]):
        direct = winnow("scan", "--index", index, cwd=copied.root)
        later = winnow("report", stored(copied, tmp_path, index), "--index", index, cwd=copied.root)
        assert (later.output, later.errors) == (direct.output, direct.errors)


def test_code_that_was_committed_since_is_found_in_head(
    tmp_path: Path, copied: Checkout, indexes: dict[str, Path]
) -> None:
    report = stored(copied, tmp_path, indexes["text"])
    before, _ = shown(copied, report, "--index", indexes["text"])
    copied.commit()
    (copied.root / "src/plan.py").unlink()
    assert shown(copied, report, "--index", indexes["text"])[0] == before


@pytest.mark.parametrize("text", [CHANGE["src/plan.py"] + "# one more line\n", None])
def test_other_code_than_was_scanned_is_not_shown(
    tmp_path: Path, copied: Checkout, indexes: dict[str, Path], text: str | None
) -> None:
    report = stored(copied, tmp_path, indexes["text"])
    if text is None:
        (copied.root / "src/plan.py").unlink()
    else:
        copied.write("src/plan.py", text)
    html, told = shown(copied, report, "--index", indexes["text"])
    assert "came_from" not in html
    assert "reservations" in html, "the other file is as it was"
    assert "notice: src/plan.py: changed since the scan" in told


def test_outside_of_a_repository_a_report_has_no_code(
    tmp_path: Path, copied: Checkout, indexes: dict[str, Path]
) -> None:
    report = stored(copied, tmp_path, indexes["text"])
    elsewhere = Checkout(tmp_path / "elsewhere")
    elsewhere.root.mkdir()
    html, told = shown(elsewhere, report, "--index", indexes["text"])
    assert "src/plan.py" in html
    assert "came_from" not in html
    assert "not in a repository, so no code is shown" in told


def test_a_commit_that_is_not_here_is_told(tmp_path: Path, checkout: Checkout, indexes: dict[str, Path]) -> None:
    checkout.commit(dict(CHANGE))
    report = stored(checkout, tmp_path, indexes["plain"], "--range", "HEAD~1..HEAD")
    head = checkout.git("rev-parse", "HEAD")
    report.write_text(report.read_text().replace(head, "0" * 39 + "1"))
    text, told = shown(checkout, report, "--index", indexes["plain"], format_name="markdown")
    assert "src/plan.py" in text
    assert "came_from" not in text
    assert "no code is shown: " in told


# ---- the text of the source --------------------------------------------------------------------------------------

MARK = "nobody would guess this remark"


def marked(text: str) -> str:
    """Known code with a remark, which is no token, in the middle of what is copied."""
    return text.replace("    came_from = {}\n", f"    came_from = {{}}  # {MARK}\n")


@pytest.fixture
def remarks(tmp_path: Path) -> dict[str, Path]:
    """Known code with a remark in its text, and indexes with and without that text."""
    folder = tmp_path / "known"
    write_known(folder / "source")
    (folder / "source" / "roads/routes.py").write_text(marked(ROUTES))
    (folder / "source" / "roads/logs.py").unlink()
    build(folder / "source", folder / "plain.db")
    build(folder / "source", folder / "text.db", "--with-text")
    return {"source": folder / "source", "plain": folder / "plain.db", "text": folder / "text.db"}


def test_a_source_without_text_in_the_index_leaks_nothing(
    tmp_path: Path, copied: Checkout, remarks: dict[str, Path]
) -> None:
    """Also beside another source in the same index, whose text is kept."""
    other = tmp_path / "known" / "other"
    other.mkdir()
    (other / "logs.py").write_text(LOGS.replace("broken += 1\n", "broken += 1  # of this one everybody may know\n"))
    build(other, remarks["plain"], "--with-text", name="logs")
    copied.write("src/logs.py", LOGS)
    report = stored(copied, tmp_path, remarks["plain"])
    formats = [part for name in STORED for part in ("--format", f"{name}:{tmp_path}/report.{name}")]
    ended = winnow("report", report, "--index", remarks["plain"], *formats, cwd=copied.root)
    assert MARK not in ended.errors
    for name in STORED:
        assert MARK not in (tmp_path / f"report.{name}").read_text(encoding="utf-8")
    html, told = shown(copied, report, "--index", remarks["plain"])
    assert "of this one everybody may know" in html
    assert "the text of 1 file of roads is not here" in told


def test_an_index_that_was_built_again_with_text_serves(
    tmp_path: Path, copied: Checkout, remarks: dict[str, Path]
) -> None:
    report = stored(copied, tmp_path, remarks["plain"])
    html, told = shown(copied, report, "--index", remarks["text"])
    assert MARK in html
    assert "is not the index of the scan; only files that are the same in both are used" in told


def test_a_folder_with_the_source_serves_without_an_index(
    tmp_path: Path, copied: Checkout, remarks: dict[str, Path]
) -> None:
    report = stored(copied, tmp_path, remarks["plain"])
    with_index, told = shown(copied, report, "--index", remarks["plain"], "--source", f"roads={remarks['source']}")
    assert "notice:" not in told
    html, told = shown(copied, report, "--source", f"roads={remarks['source']}")
    assert MARK in html
    assert "is missing: name the index" in told
    assert MARK in with_index
    text, _ = shown(copied, report, "--source", f"roads={remarks['source']}", format_name="text")
    assert MARK in text


def test_json_does_not_depend_on_what_else_a_scan_shows(
    tmp_path: Path, copied: Checkout, remarks: dict[str, Path]
) -> None:
    """What is missing now may be here later: it is no part of what was found."""
    alone = stored(copied, tmp_path, remarks["plain"]).read_text()
    formats = ("--format", f"json:{tmp_path}/both.json", "--format", f"html:{tmp_path}/both.html")
    ended = winnow("scan", "--index", remarks["plain"], *formats, cwd=copied.root)
    assert "is not here" in ended.errors
    assert (tmp_path / "both.json").read_text() == alone


def test_line_ends_of_the_folder_do_not_matter(tmp_path: Path, copied: Checkout, remarks: dict[str, Path]) -> None:
    report = stored(copied, tmp_path, remarks["plain"])
    for file in remarks["source"].rglob("*.py"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    html, _ = shown(copied, report, "--index", remarks["plain"], "--source", f"roads={remarks['source']}")
    assert MARK in html


@pytest.mark.parametrize("what", ["edited", "missing", "folder", "pipe", "other name"])
def test_a_folder_with_something_else_shows_nothing_of_it(
    tmp_path: Path, copied: Checkout, remarks: dict[str, Path], what: str
) -> None:
    report, file = stored(copied, tmp_path, remarks["plain"]), remarks["source"] / "roads/routes.py"
    if what == "edited":
        file.write_text(marked(ROUTES) + "# more\n")
    elif what != "other name":
        file.unlink()
    if what == "folder":
        file.mkdir()
    elif what == "pipe":
        os.mkfifo(file)
    name = "roadz" if what == "other name" else "roads"
    html, told = shown(copied, report, "--index", remarks["plain"], "--source", f"{name}={remarks['source']}")
    assert MARK not in html
    assert ("roads: roads/routes.py changed since it was indexed" in told) == (what == "edited")
    assert "the text of 1 file of roads is not here" in told


# ---- what a report names is not opened ---------------------------------------------------------------------------


def edited(report: Path, change: Any) -> Path:
    content = json.loads(report.read_text())
    change(content)
    report.write_text(json.dumps(content))
    return report


def test_an_index_in_the_repository_is_found_by_the_report(
    tmp_path: Path, copied: Checkout, remarks: dict[str, Path]
) -> None:
    inside = copied.root / "tools" / "known.db"
    inside.parent.mkdir()
    inside.write_bytes(remarks["text"].read_bytes())
    report = stored(copied, tmp_path, inside)
    assert MARK in shown(copied, report)[0]
    inside.write_bytes(remarks["plain"].read_bytes())
    html, told = shown(copied, report)
    assert MARK not in html
    assert "tools/known.db changed since the scan" in told
    inside.unlink()
    assert "tools/known.db is missing: name the index with --index" in shown(copied, report)[1]


@pytest.mark.parametrize(
    "path", ["{outside}", "../known/text.db", "tools/../../known/text.db", "tools/\0.db", "", "link.db"]
)
def test_an_index_outside_of_the_repository_is_not_opened(
    tmp_path: Path, copied: Checkout, remarks: dict[str, Path], path: str
) -> None:
    report = stored(copied, tmp_path, remarks["text"])
    (copied.root / "link.db").symlink_to(remarks["text"])
    named = path.format(outside=remarks["text"])
    edited(report, lambda content: content["scan"]["indexes"][0].update(path=named))
    html, told = shown(copied, report)
    assert MARK not in html
    assert "is missing: name the index with --index" in told


@pytest.mark.parametrize("file", ["stored.json", "./sub/../stored.json", "link.json", "hard.json"])
def test_what_is_shown_is_not_written_over(
    tmp_path: Path, copied: Checkout, remarks: dict[str, Path], file: str
) -> None:
    report = stored(copied, tmp_path, remarks["text"])
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.json").symlink_to(report)
    os.link(report, tmp_path / "hard.json")
    before = report.read_bytes()
    ended = winnow("report", report, "--format", f"html:{tmp_path}/{file}", cwd=copied.root)
    assert ended.complaint(2)[0].endswith("is the report to show, and would be overwritten")
    assert report.read_bytes() == before


def test_an_index_is_opened_once_however_often_a_report_names_it(
    tmp_path: Path, copied: Checkout, remarks: dict[str, Path]
) -> None:
    """A report of 1 MB could name 20,000, which took 2.5 GiB."""
    copied.write(".winnow/index.db", remarks["text"].read_bytes())
    report = stored(copied, tmp_path, copied.root / ".winnow/index.db")

    def forge(content: dict[str, Any]) -> None:
        (index,) = content["scan"]["indexes"]
        others = [{**index, "path": f"{'./' * number}{index['path']}"} for number in range(3_000)]
        content["scan"]["indexes"] = [{**index, "path": "x" * 9_999}, *others]

    edited(report, forge)
    html, told = shown(copied, report)
    assert MARK in html
    assert told.count("is missing: name the index with --index") == 1


@pytest.mark.parametrize("path", ["{outside}", "../secret.py", "src/../../secret.py", ".git/secret.py", "link.py"])
def test_a_file_outside_of_the_repository_is_not_read(
    tmp_path: Path, copied: Checkout, remarks: dict[str, Path], path: str
) -> None:
    """Though the report has its sha256: it may be one of a few that somebody wants to tell apart."""
    report = stored(copied, tmp_path, remarks["text"])
    secret = tmp_path / "secret.py"
    secret.write_bytes((copied.root / "src/plan.py").read_bytes())
    (copied.root / ".git/secret.py").write_bytes(secret.read_bytes())
    (copied.root / "link.py").symlink_to(secret)
    named = path.format(outside=secret)
    edited(
        report, lambda content: [one.update(path=named) for one in content["findings"] if one["path"] == "src/plan.py"]
    )
    html, told = shown(copied, report, "--index", remarks["text"])
    assert "came_from" not in html
    assert "changed since the scan" in told


FORGED: tuple[dict[str, Any], ...] = (
    {"stretches": [[0, 0, 1 << 50]]},
    {"stretches": [[1 << 50, 1 << 50, 1]]},
    {"stretches": []},
    {"stretches": [[9, 9, 9], [3, 3, 3]]},
    {"reading": {"language": "nonsense", "front_end": "python"}},
    {"reading": {"language": "python", "front_end": "nonsense"}},
    {"reading": {"language": "c", "front_end": "c"}},
    {"reading": None},
    {"known_content": None},
    {"known_content": {"key": "0" * 32, "language": "python", "front_end": "python"}},
    {"start_line": 1 << 40, "end_line": 1 << 41},
    {"alignment": [[1, 1 << 52, 1, 1 << 52]]},
    {"alignment": [[1 << 50, 1 << 52, 1, 1]]},
    {"added_lines": [[1, 1 << 52]]},
    {"tokens": 1 << 52},
    {"anchor": "", "stretches": [[0, 1 << 40, 5]]},
    {"in_text": True},
    {"identical": True},
    {"identical": True, "in_text": True, "stretches": []},
)


def test_forged_findings_are_shown_somehow(tmp_path: Path, copied: Checkout, remarks: dict[str, Path]) -> None:
    """All in one report: none keeps another from being shown."""
    report = stored(copied, tmp_path, remarks["text"])
    edited(
        report,
        lambda content: content["findings"].extend(
            {**one, **values, "id": f"{number}"}
            for number, values in enumerate(FORGED)
            for one in content["findings"][:2]
        ),
    )
    formats = [part for name in STORED for part in ("--format", f"{name}:{tmp_path}/forged.{name}")]
    assert winnow("report", report, "--index", remarks["text"], *formats, cwd=copied.root).status == 0
    assert MARK in (tmp_path / "forged.html").read_text(encoding="utf-8")
    assert MARK in shown(copied, report, "--index", remarks["text"])[0]


# ---- the command line --------------------------------------------------------------------------------------------


def test_what_an_older_report_lacks_is_told(tmp_path: Path, copied: Checkout, remarks: dict[str, Path]) -> None:
    report = stored(copied, tmp_path, remarks["text"])
    edited(report, lambda content: [one.pop("agreement") for one in content["findings"]])
    _, told = shown(copied, report, "--index", remarks["text"])
    assert f"winnow-ci: {report} was written by winnow-ci " in told
    assert "and lacks agreement: scan again to get them" in told


def test_json_stays_as_it_was_whatever_is_shown_beside_it(
    tmp_path: Path, copied: Checkout, remarks: dict[str, Path]
) -> None:
    report = stored(copied, tmp_path, remarks["plain"])
    again, options = tmp_path / "again.json", ("--source", f"roads={remarks['source']}")
    shown(copied, report, "--format", f"json:{again}", *options)
    assert again.read_text() == report.read_text()


@pytest.mark.parametrize(("index", "problem"), [("gone.db", "no index at gone.db"), ("no.json", "no.json")])
def test_an_index_that_is_none(copied: Checkout, known: Path, tmp_path: Path, index: str, problem: str) -> None:
    copied.write("no.json", "words")
    report = stored(copied, tmp_path, known)
    assert problem in winnow("report", report, "--index", index, cwd=copied.root).complaint(3)[0]
