"""A file that is a known one as a whole is found, whatever it holds, and called so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.number_tables import FORMS, random_numbers, table

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout

# Nothing in it says anything.
DULL = "int table[] = {\n" + "".join(f"    {number},\n" for number in range(60)) + "};\n"
# One token fewer than the least.
SHORT = "int t[] = {" + "1, " * 15 + "1};"
LONGER = SHORT.replace("}", ",}")


def index_of(tmp_path: Path, files: dict[str, str | bytes]) -> Path:
    source = tmp_path / "source"
    source.mkdir()
    for name, text in files.items():
        (source / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    build(source, tmp_path / "known.db")
    return tmp_path / "known.db"


def found(checkout: Checkout, index: Path, *options: str) -> list[tuple[str, int, int, bool, str, int, int]]:
    ended = winnow("scan", "--index", index, "--format", "json", *options, cwd=checkout.root)
    assert ended.status in (0, 1), ended
    keys, of_source = ("path", "start_line", "end_line", "identical"), ("path", "start_line", "end_line")
    return [
        (*(one[key] for key in keys), *(one["source"][key] for key in of_source))  # type: ignore[misc]
        for one in ended.findings()
    ]


@pytest.mark.parametrize("ending", FORMS)
def test_a_table_copied_as_a_file_is_identical(checkout: Checkout, tmp_path: Path, ending: str) -> None:
    text = "\n" + table(ending, "known", random_numbers(1))
    index = index_of(tmp_path, {f"known.{ending}": text})
    checkout.write(f"own.{ending}", text)
    lines = text.count("\n")
    assert found(checkout, index) == [(f"own.{ending}", 1, lines, True, f"known.{ending}", 1, lines)]


@pytest.mark.parametrize(
    "text", [DULL, DULL.replace("\n", "\r\n"), DULL.rstrip("\n"), DULL.replace("\n", "\r\n").rstrip(), f"{DULL}\n\n"]
)
@pytest.mark.parametrize("known", [DULL, DULL.replace("\n", "\r\n"), DULL.rstrip("\n")])
def test_line_ends_and_a_last_line_break_do_not_matter(
    checkout: Checkout, tmp_path: Path, text: str, known: str
) -> None:
    index = index_of(tmp_path, {"known.c": known})
    checkout.write("own.c", text)
    ((path, first, last, identical, *_),) = found(checkout, index)
    assert (path, first, identical) == ("own.c", 1, True)
    assert last in (62, 64)


def test_any_other_difference_does(checkout: Checkout, tmp_path: Path) -> None:
    index = index_of(tmp_path, {"known.c": DULL})
    for number, text in enumerate((DULL.replace("59", "58"), DULL.replace("    ", "\t"), f"/* ours */\n{DULL}")):
        checkout.write(f"own{number}.c", text)
    assert found(checkout, index) == []


def test_short_files_say_nothing(checkout: Checkout, tmp_path: Path) -> None:
    index = index_of(tmp_path, {"short.c": SHORT, "longer.c": LONGER})
    checkout.write("short.c", SHORT)
    assert found(checkout, index) == []
    checkout.write("longer.c", LONGER)
    assert [path for path, *_ in found(checkout, index)] == ["longer.c"]


def test_a_file_has_to_have_as_many_tokens_as_any_copy(checkout: Checkout, tmp_path: Path) -> None:
    index = index_of(tmp_path, {"known.c": DULL})
    checkout.write("own.c", DULL)
    for least, expected in ((128, 1), (129, 0)):
        checkout.write(".winnow.yml", f"report: {{min_tokens: {least}}}\n")
        assert len(found(checkout, index)) == expected


def test_only_what_the_change_adds_counts(checkout: Checkout, tmp_path: Path) -> None:
    index = index_of(tmp_path, {"known.c": DULL})
    checkout.commit({"edited.c": DULL.replace("59", "60"), "moved.c": DULL})
    checkout.write("edited.c", DULL)
    checkout.git("mv", "moved.c", "elsewhere.c")
    checkout.write("again.c", DULL)
    assert found(checkout, index, "--staged") == []
    assert found(checkout, index, "--since", "HEAD") == []
    assert len(found(checkout, index, "--all")) == 3


def test_boilerplate_is_not_reported(checkout: Checkout, tmp_path: Path) -> None:
    index = index_of(tmp_path, {"known.c": DULL})
    build(tmp_path / "source", index, "--boilerplate", name="everybodys")
    checkout.write("own.c", DULL)
    assert found(checkout, index) == []


def test_reports_say_that_the_file_is_identical(checkout: Checkout, tmp_path: Path) -> None:
    index = index_of(tmp_path, {"known.c": DULL})
    checkout.write("own.c", DULL)
    text = winnow("scan", "--index", index, cwd=checkout.root).output
    assert "own.c:1-62: error: copied from roads (unknown licence), known.c:1-62" in text
    assert "  identical file, 128 tokens; more: winnow-ci explain " in text
    (finding,) = winnow("scan", "--index", index, "--format", "json", cwd=checkout.root).findings()
    told = winnow("explain", finding["id"], "--index", index, cwd=checkout.root).output
    assert "the whole file equals the source's, except for line endings and a final line break" in told
    assert finding["similarity"] == 1
    assert finding["kind"] == "verbatim"
