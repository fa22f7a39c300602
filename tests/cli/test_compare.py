"""``winnow-ci compare``: two bodies of code, or all files of a folder, as a user sees it."""

from __future__ import annotations

import json
import os
import random
import re
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from support.command import Ended, winnow
from support.donor import ROUTES
from support.slow import EXPONENTIAL
from support.windows import HERE


def function(seed: int, lines: int = 30) -> str:
    """Code that has nothing to do with that of another seed."""
    choose = random.Random(seed)

    def value(depth: int) -> str:
        operator = choose.choice("+ - * / // % ** @ & | ^ << >> < > <= >= == != and or is in".split())
        kind = choose.randrange(7) if depth else 0
        one, other = (value(depth - 1), value(depth - 1)) if kind else ("", "")
        shapes = (
            f"{choose.choice('abcdefgh')}{choose.randrange(1000)}",
            f"{one} {operator} {other}",
            f"({one}, {other})",
            f"[{one}, *{other}]",
            f"f({one}, {other})",
            f"({one})[{other}]",
            f"-({one} if {other} else 0)",
        )
        return shapes[kind]

    body = "\n".join(f"    x{choose.randrange(100)} = {value(3)}" for _ in range(lines))
    return f"def name{seed}():\n{body}\n\n\n"


def write(folder: Path, **texts: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def compared(*arguments: str | Path, cwd: Path) -> dict[str, Any]:
    ended = winnow("compare", *arguments, "--json", cwd=cwd)
    assert ended.status == 0, ended
    return ended.report()


def names(report: dict[str, Any]) -> list[tuple[str, str]]:
    return [(pair["a"]["path"], pair["b"]["path"]) for pair in report["pairs"]]


@pytest.fixture
def crowd(tmp_path: Path) -> Path:
    """Thirty files, of which three pairs are related: a whole file, a half and a function."""
    folder = write(
        tmp_path / "crowd", **{f"other{n}": function(100 + 2 * n) + function(101 + 2 * n) for n in range(24)}
    )
    copied = {n: function(n, (90, 45, 30)[n]) for n in range(3)}
    write(folder, whole_a=copied[0], whole_b=copied[0].replace("x8", "y"))
    write(folder, half_a=copied[1] + function(11, 45), half_b=function(12, 60) + copied[1])
    lines = copied[2].splitlines(keepends=True)
    write(folder, part_a=copied[2] + function(13), part_b=function(14) + "".join(lines[:30]) + function(15))
    return folder


def test_the_related_files_of_a_set_are_named_first(crowd: Path) -> None:
    report = compared(crowd, "--all-pairs", cwd=crowd)
    assert names(report)[:3] == [("whole_a.py", "whole_b.py"), ("half_a.py", "half_b.py"), ("part_a.py", "part_b.py")]
    whole, half, part = report["pairs"][:3]
    assert min(whole["a"]["share"], whole["b"]["share"]) > 0.9
    assert half["a"]["share"] == pytest.approx(0.5, abs=0.1)
    assert min(half["verbatim"], part["verbatim"]) > 0.9
    longest = max(half["stretches"], key=lambda stretch: stretch["fingerprints"])
    assert longest["a"]["start_line"] <= 3
    assert 64 <= longest["b"]["start_line"] <= 67
    assert report["set"]["files"] == 30


def test_the_related_modules_of_pythons_own_library_are_named_first(tmp_path: Path) -> None:
    related = {
        ("asyncio/proactor_events.py", "asyncio/selector_events.py"),
        ("encodings/utf_16.py", "encodings/utf_32.py"),
    }
    related |= {("bz2.py", "lzma.py")}
    others = (
        "argparse ast calendar csv difflib fractions heapq locale mimetypes pickle queue random shlex statistics uuid"
    )
    library = Path(sysconfig.get_path("stdlib"))
    for path in [*(path for pair in related for path in pair), *(f"{module}.py" for module in others.split())]:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes((library / path).read_bytes())
    assert set(names(compared(tmp_path, "--all-pairs", cwd=tmp_path))[:3]) == related


def test_people_get_a_table(crowd: Path) -> None:
    ended = winnow("compare", crowd, "--all-pairs", "--top", "2", cwd=crowd)
    assert ended.status == 0
    table = ended.output.splitlines()
    assert table[2].split() == "WEIGHT SHARED VERBATIM OF A OF B LONGEST IN A IN B EQUAL RENAMED WORDS A B".split()
    assert table[3].split()[-2:] == ["whole_a.py", "whole_b.py"]
    assert re.search(r"pairs? of files with at least 4 fingerprints in common", table[5])
    assert "30 files read, 0 skipped" in ended.errors


def test_the_base_does_not_count(crowd: Path, tmp_path: Path) -> None:
    base = write(tmp_path / "base", given=function(0, 90))
    related = names(compared(crowd, "--all-pairs", "--base", base, cwd=crowd))
    assert ("half_a.py", "half_b.py") in related
    assert ("whole_a.py", "whole_b.py") not in related
    as_file = compared(crowd, "--all-pairs", "--base", base / "given.py", cwd=crowd)
    assert names(as_file) == related


def test_what_too_many_files_have_makes_no_pairs_and_that_is_said(tmp_path: Path) -> None:
    same = function(1)
    folder = write(tmp_path / "set", **{f"f{n}": same for n in range(11)})
    report = compared(folder, "--all-pairs", cwd=tmp_path)
    assert names(report) == []
    assert report["fingerprints_of_too_many_files"] > 10
    assert (
        "in more than 10 files left out (--most-files)" in winnow("compare", folder, "--all-pairs", cwd=tmp_path).output
    )
    assert compared(folder, "--all-pairs", "--most-files", "11", cwd=tmp_path)["pairs_found"] == 55


def test_two_folders(tmp_path: Path) -> None:
    write(tmp_path / "a", routes=ROUTES, own=function(1))
    write(tmp_path / "b", moved=function(2) + ROUTES)
    report = compared("a", "b", cwd=tmp_path)
    assert names(report) == [("routes.py", "moved.py")]
    assert (report["a"]["name"], report["a"]["files"], report["b"]["files"]) == ("a", 2, 1)
    assert 0 < report["resemblance"]["value"] < report["containment_of_a"]["value"] < 1
    assert report["resemblance"]["error"] == 0


def test_two_files_and_how_much_of_each_is_in_the_other(tmp_path: Path) -> None:
    folder = write(tmp_path / "set", part=ROUTES, whole=ROUTES + function(3, 80))
    ended = winnow("compare", folder / "part.py", folder / "whole.py", cwd=tmp_path)
    assert re.search(r"^containment of A  0\.9\d\d|^containment of A  1\.000", ended.output, re.MULTILINE)
    report = compared(folder / "part.py", folder / "part.py", cwd=tmp_path)
    assert [report[key]["value"] for key in ("resemblance", "containment_of_a", "containment_of_b")] == [1, 1, 1]


def test_a_sketch_estimates_and_says_how_well(tmp_path: Path) -> None:
    many = [function(n) for n in range(60)]
    write(tmp_path / "a", code="".join(many[:40]))
    write(tmp_path / "b", code="".join(many[20:]))
    whole, part = (compared("a", "b", *sketch, cwd=tmp_path) for sketch in ((), ("--sketch", "50")))
    truth, estimate = whole["resemblance"], part["resemblance"]
    assert truth["value"] == pytest.approx(1 / 3, abs=0.05)
    assert 0.04 < estimate["error"] < 0.08
    assert abs(estimate["value"] - truth["value"]) < 3 * estimate["error"]
    assert re.search(
        r"resemblance +0\.\d{3} ± 0\.0\d\d", winnow("compare", "a", "b", "--sketch", "50", cwd=tmp_path).output
    )


def test_names_are_shown_harmless(tmp_path: Path) -> None:
    hostile = "\x1b[2J::error::x\n\u202e.py"
    for folder in ("a", "b"):
        write(tmp_path / folder)
        (tmp_path / folder / hostile).write_text(ROUTES)
        (tmp_path / folder / "\x1b[1m\n::error::x.c").write_bytes(b"\0\0\0")
    both = (winnow("compare", "a", "b", cwd=tmp_path), winnow("compare", "a", "--all-pairs", "--json", cwd=tmp_path))
    for ended in both:
        assert ended.status == 3, "what is called code and looks binary was not read"
        for text in (ended.output, ended.errors):
            assert "\x1b" not in text
            assert "\u202e" not in text
            assert not re.search("^::", text, re.MULTILINE)
    assert "\\x1b[2J::error::x\\n\\u202e.py" in both[0].output
    assert "not read" in both[0].errors


def test_what_only_the_fallback_tokenizer_could_read_is_named(tmp_path: Path) -> None:
    write(tmp_path / "set", code=ROUTES)
    (tmp_path / "set" / "odd.chpl").write_bytes(EXPONENTIAL)
    ended = winnow("compare", "set", "--all-pairs", "--json", cwd=tmp_path)
    assert ended.status == 0
    assert "1 file read by the fallback tokenizer: odd.chpl" in ended.errors
    assert [file["path"] for file in ended.report()["set"]["files_fallback"]] == ["odd.chpl"]


def complaint(ended: Ended, status: int) -> str:
    return " ".join(ended.complaint(status))


@pytest.mark.skipif(HERE, reason="makes a pipe")
def test_a_pipe_cannot_be_compared(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert "is not a file or folder" in complaint(winnow("compare", "fifo", "fifo", cwd=tmp_path), 2)


def test_parameters_come_from_options_or_from_the_configuration(tmp_path: Path) -> None:
    write(tmp_path / "a", code=ROUTES)
    (tmp_path / ".winnow.yml").write_text("k: 20\nw: 5\n")
    report = compared("a", "a", "-w", "1", cwd=tmp_path)
    assert report["parameters"] == {"k": 20, "w": 1, "selection": "robust"}
    assert json.dumps(report)


def test_a_page_has_the_pairs_side_by_side(tmp_path: Path) -> None:
    write(tmp_path, a=ROUTES, b=ROUTES.replace("roads", "streets"), c=function(1))
    page = tmp_path / "page.html"
    ended = winnow("compare", "a.py", "b.py", "--format", f"html:{page}", cwd=tmp_path)
    assert ended.status == 0, ended
    assert "resemblance" in ended.output
    html = page.read_text(encoding="utf-8")
    assert "<bdi>roads</bdi> | <bdi>streets</bdi>" in html
    again = tmp_path / "again.html"
    winnow("compare", "a.py", "b.py", "--json", "--format", f"html:{again}", cwd=tmp_path)
    assert again.read_text(encoding="utf-8") == html
