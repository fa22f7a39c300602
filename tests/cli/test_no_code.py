"""What is no code, through the real command: licences and settings make no noise, and no binary data stops a scan."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from identify.vendor.licenses import LICENSES

from support.cases import code
from support.command import build, winnow
from support.donor import PLAN, SHORTEST_ROUTE, write_known

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout

TEXTS = dict(LICENSES)
SETTINGS = code("pyproject.toml")
WORKFLOW = code("workflow.yml")
QUEUE = code("queue.js")
NETCDF = b"CDF\x01" + bytes(200)


def prose(words: int, seed: int = 1) -> str:
    """Made-up words, ten a line."""
    drawn = random.Random(seed)
    made = ["".join(drawn.choices("aeioubdfgklmnprst", k=drawn.randint(3, 9))) for _ in range(words)]
    return "\n".join(" ".join(made[at : at + 10]) for at in range(0, words, 10)) + "\n"


@pytest.fixture
def roads(tmp_path: Path) -> Path:
    """An index of a project with code, a manual, settings and licences."""
    folder = write_known(tmp_path / "roads")
    files = {
        "docs/manual.md": prose(200),
        "licenses/MIT-license.txt": TEXTS["MIT"],
        "GPL.md": TEXTS["GPL-3.0"],
        "README.md": f"# Roads\n\n{prose(30, 2)}\n## Licence\n\n{TEXTS['BSD-3-Clause']}",
        "pyproject.toml": SETTINGS,
        ".github/workflows/ci.yml": WORKFLOW,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    build(folder, tmp_path / "index.db")
    return tmp_path / "index.db"


def test_licences_and_settings_are_no_findings(checkout: Checkout, roads: Path) -> None:
    checkout.write("third-party/Apache-and-MIT.txt", TEXTS["MIT"])
    checkout.write("docs/gpl-3.md", TEXTS["GPL-3.0"])
    checkout.write("README.md", f"# Streets\n\n{prose(100, 3)}\n{TEXTS['BSD-3-Clause']}")
    checkout.write("pyproject.toml", SETTINGS.replace("roads", "streets").replace("rich", "attrs"))
    checkout.write(".github/workflows/test.yml", WORKFLOW.replace("3.12", "3.11").replace("-q", "-x"))
    ended = winnow("scan", "--index", roads, "--format", "json", cwd=checkout.root)
    assert (ended.status, ended.findings()) == (0, [])
    assert "3 files scanned, 2 skipped (2 licence text)" in ended.errors


def test_a_licence_under_an_ending_of_no_language_is_no_copied_data(tmp_path: Path, checkout: Checkout) -> None:
    folder = write_known(tmp_path / "roads")
    for name, text in (("gpl.terms", TEXTS["GPL-3.0"]), ("words.terms", prose(200))):
        (folder / name).write_text(text)
        checkout.write(f"copied/{name}", text)
    build(folder, tmp_path / "index.db")
    ended = winnow("scan", "--index", tmp_path / "index.db", "--format", "json", cwd=checkout.root)
    assert [finding["path"] for finding in ended.findings()] == ["copied/words.terms"]
    assert "1 file scanned, 1 skipped (1 licence text)" in ended.errors


def test_an_index_leaves_licences_out_and_says_so(tmp_path: Path) -> None:
    folder = write_known(tmp_path / "roads")
    (folder / "licences.txt").write_text(TEXTS["Apache-2.0"])
    assert "1 skipped (1 licence text)" in build(folder, tmp_path / "index.db").errors


@pytest.mark.parametrize(("words", "found"), [(60, ["NOTES.md"]), (59, [])])
def test_sixty_words_of_prose_are_a_copy(checkout: Checkout, roads: Path, words: int, found: list[str]) -> None:
    copied = " ".join(prose(200).split()[40 : 40 + words])
    checkout.write("NOTES.md", f"{prose(80, 4)}\n{copied}\n\n{prose(80, 5)}")
    ended = winnow("scan", "--index", roads, "--format", "json", cwd=checkout.root)
    assert [finding["path"] for finding in ended.findings()] == found
    assert {finding["kind"] for finding in ended.findings()} <= {"verbatim"}


def test_explain_says_what_counts_in_prose(checkout: Checkout, roads: Path) -> None:
    checkout.write("NOTES.md", f"{prose(80, 4)}\n{' '.join(prose(200).split()[20:120])}\n")
    (finding,) = winnow("scan", "--index", roads, "--format", "json", cwd=checkout.root).findings()
    explained = winnow("explain", finding["id"], "--index", roads, cwd=checkout.root).output
    counts = "its words equal the source's; such a copy counts if the added lines have at least\n  60 words"
    assert counts in explained


def test_prose_with_every_tenth_word_changed_is_no_copy(checkout: Checkout, roads: Path) -> None:
    copied = [f"other{at}" if at % 10 == 0 else word for at, word in enumerate(prose(200).split())]
    checkout.write("NOTES.md", " ".join(copied))
    ended = winnow("scan", "--index", roads, "--format", "json", cwd=checkout.root)
    assert (ended.status, ended.findings()) == (0, [])


def test_nothing_hides_behind_a_licence(checkout: Checkout, roads: Path) -> None:
    header = "".join(f"# {line}\n" for line in TEXTS["Apache-2.0"].splitlines())
    checkout.write("src/plan.py", f"{header}\n{PLAN}\n{SHORTEST_ROUTE.text}")
    checkout.write("docs/terms.txt", f"{TEXTS['GPL-3.0']}\n{prose(200)}")
    ended = winnow("scan", "--index", roads, "--format", "json", cwd=checkout.root)
    assert [finding["path"] for finding in ended.findings()] == ["docs/terms.txt", "src/plan.py"]


def page(text: str, script: str = "") -> str:
    """A page that shows a text in paragraphs."""
    paragraphs = "".join(f"<p class='t'>{part}</p>\n" for part in text.split("\n\n"))
    return f"<!doctype html>\n<title>Licence</title>\n<body>\n{paragraphs}<script>\n{script}</script>\n"


@pytest.mark.parametrize(
    "path", ["notice.html", "LICENSE.HTM", "docs/copyright.xhtml", "LICENSES/MIT.html", "COPYING.html.erb", "logo.svg"]
)
@pytest.mark.parametrize("text", ["", TEXTS["MIT"]])
def test_what_a_browser_runs_is_no_licence(tmp_path: Path, checkout: Checkout, path: str, text: str) -> None:
    (tmp_path / "queue").mkdir()
    (tmp_path / "queue/queue.js").write_text(QUEUE)
    build(tmp_path / "queue", tmp_path / "index.db")
    checkout.write(path, page(text, QUEUE))
    ended = winnow("scan", "--index", tmp_path / "index.db", "--format", "json", cwd=checkout.root)
    assert {finding["path"] for finding in ended.findings()} == {path}


@pytest.mark.parametrize("licence", ["MIT", "GPL-3.0", "Apache-2.0"])
def test_pages_of_licences_are_no_findings(tmp_path: Path, checkout: Checkout, licence: str) -> None:
    """Not even if the known page has another name."""
    folder = write_known(tmp_path / "roads")
    shown = page(TEXTS[licence], "window.visits = (window.visits || 0) + 1;\n")
    for name in ("LICENSE.html", "terms.html", "LICENSE.xyz"):
        (folder / name).write_text(shown)
    build(folder, tmp_path / "index.db")
    for name in ("LICENSE.html", "LICENSES/a.htm", "NOTICE.xyz"):
        checkout.write(name, shown)
    checkout.write("COPYING", TEXTS[licence])
    checkout.write("logo.svg", "<svg><path d='M0 0'/></svg>\n")
    ended = winnow("scan", "--index", tmp_path / "index.db", cwd=checkout.root)
    assert ended.status == 0
    assert "0 files scanned, 5 skipped (4 licence text, 1 data)" in ended.errors


def test_binary_data_under_a_rare_ending_does_not_stop_a_scan(checkout: Checkout, roads: Path) -> None:
    (checkout.root / "example.nc").write_bytes(NETCDF)
    (checkout.root / "libroads.so.2").write_bytes(b"\x7fELF" + bytes(100))
    ended = winnow("scan", "--index", roads, "--format", "json", cwd=checkout.root)
    assert (ended.status, ended.report()["scan"]["complete"]) == (0, True)
    assert "0 files scanned, 2 skipped (2 binary data)" in ended.errors
    explained = winnow("explain", "--skipped", "--index", roads, cwd=checkout.root).output
    assert "binary data: 2 files\n  " in explained
    (checkout.root / "example.c").write_bytes(NETCDF)
    ended = winnow("scan", "--index", roads, cwd=checkout.root)
    assert ended.status == 3
    assert "not scanned: example.c: binary content" in ended.errors


def test_text_under_a_rare_ending_is_code(checkout: Checkout, roads: Path) -> None:
    checkout.write("plan.nc", PLAN)
    ended = winnow("scan", "--index", roads, cwd=checkout.root)
    assert "1 file scanned, 0 skipped" in ended.errors


def commented(mark: str, licence: str) -> str:
    return "".join(f"{mark} {line}".rstrip() + "\n" for line in TEXTS[licence].splitlines())


HEADERS = {
    "clj": (";;", "(defn total [rows] (reduce + (map :price rows)))\n", "(def limits {:low -40 :high 60})\n"),
    "nim": ("#", "proc total(rows: seq[int]): int = sum(rows)\n", "type Station = object\n  name: string\n"),
    "pas": (
        "//",
        "procedure Add(Rows: array of Integer; var Sum: Integer);\nbegin Inc(Sum, Rows[0]); end;\n",
        "var Low, High: Real;\n",
    ),
    "bat": ("REM", "for %%F in (*.txt) do (set /a TOTAL=TOTAL+1)\n", "if %1 lss -40 (exit /b 1)\n"),
    "m4": ("dnl", "define(`total', `eval($1 + $2)')\n", "ifelse(eval(-40 < $1), 1, `ok', `bad')\n"),
}


@pytest.mark.parametrize("licence", ["MIT", "BSD-3-Clause", "Apache-2.0", "ISC"])
@pytest.mark.parametrize("ending", HEADERS)
def test_a_licence_above_other_code_is_no_finding(tmp_path: Path, ending: str, licence: str) -> None:
    """In languages of Pygments, text near code is read by the fallback tokenizer, which knows no comments."""
    mark, known, own = HEADERS[ending]
    (tmp_path / "known").mkdir()
    (tmp_path / "known" / f"known.{ending}").write_text(commented(mark, licence) + known)
    (tmp_path / f"own.{ending}").write_text(commented(mark, licence) + own)
    (tmp_path / "own.nim").write_text(commented("#", licence) + HEADERS["nim"][2])
    build(tmp_path / "known", tmp_path / "known.db")
    ended = winnow("check", "--index", "known.db", "--format", "json", f"own.{ending}", "own.nim", cwd=tmp_path)
    assert (ended.status, ended.findings()) == (0, [])


@pytest.mark.parametrize("ending", ["clj", "nim", "bat"])
def test_code_under_a_licence_in_a_comment_is_found(tmp_path: Path, ending: str) -> None:
    mark = HEADERS[ending][0]
    (tmp_path / "known").mkdir()
    (tmp_path / "known" / f"known.{ending}").write_text(SHORTEST_ROUTE.text)
    header = commented(mark, "MIT")
    quoted = "".join(f"{mark} {line}\n" for line in SHORTEST_ROUTE.text.splitlines())
    (tmp_path / f"code.{ending}").write_text(header + SHORTEST_ROUTE.text)
    (tmp_path / f"text.{ending}").write_text(header + quoted + header)
    build(tmp_path / "known", tmp_path / "known.db")
    first = header.count("\n") + 1
    # One at a time, since two changed files with the same lines make each less likely a copy.
    for name in (f"code.{ending}", f"text.{ending}"):
        (finding,) = winnow("check", "--index", "known.db", "--format", "json", name, cwd=tmp_path).findings()
        assert first - 1 <= finding["start_line"] < finding["end_line"] <= first + 25
