"""Data in an index, and the licences of sources and files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.building import build
from winnow_ci.index import WholeIndex, verify
from winnow_ci.indexer import filling
from winnow_ci.indexer.filling import BY_ARGUMENT, BY_MANIFEST, LicenceCollector
from winnow_ci.languages import DATA, FALLBACK, is_whole_data, may_be_whole_data
from winnow_ci.licensing import licence_claims
from winnow_ci.model import Source

if TYPE_CHECKING:
    from pathlib import Path

ROADS = Source("roads", license="MIT")


@pytest.fixture
def data(code: Path) -> Path:
    """A folder with two files of code and three of data, two of which are the same."""
    for number, name in enumerate(("a.json", "b.csv", "c.csv")):
        (code / name).write_text(json.dumps([min(number, 1), *range(200)]))
    return code


def test_data_has_a_row_and_no_tokens(data: Path, tmp_path: Path) -> None:
    report = build([data], tmp_path / "i.db", ROADS)
    assert (report.added.files, report.added.whole, report.added.skipped) == (2, 3, ())
    with WholeIndex(tmp_path / "i.db") as index:
        verify(index)
        rows = [index.content(content) for content in index.content_ids().tolist()]
    of_data = [row for row in rows if row.language == DATA]
    assert sorted(len(row.files) for row in of_data) == [1, 2]
    assert {(row.front_end, row.tokens, row.fingerprints) for row in of_data} == {(DATA, 0, 0)}
    assert FALLBACK not in {row.language for row in rows}


def test_an_index_of_data_alone_can_be_made_and_kept(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.json").write_text(json.dumps([*range(200)]))
    digests = {build([tmp_path / "data"], tmp_path / "i.db", ROADS).digest for _ in range(2)}
    assert len(digests) == 1
    with WholeIndex(tmp_path / "i.db") as index:
        verify(index)
        assert (index.contents, index.postings) == (1, 0)


def test_only_so_many_files_of_data_are_kept(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filling, "MOST_DATA", 1)
    report = build([data], tmp_path / "i.db", ROADS)
    assert (report.added.files, report.added.whole) == (2, 1)
    assert {skip.reason for skip in report.added.skipped} == {"data beyond 1 files"}
    with WholeIndex(tmp_path / "i.db") as index:
        verify(index)
        assert [index.content(content).language for content in index.content_ids().tolist()].count(DATA) == 1


LEAST, MOST = b"1" * 256, b"1" * (8 << 20)


@pytest.mark.parametrize(
    ("path", "content", "is_unknown", "expected"),
    [
        ("a/b.json", LEAST, False, True),
        ("B.CSV", LEAST, False, True),
        ("b.json", LEAST[1:], False, False),
        ("b.json", MOST, False, True),
        ("b.json", MOST + b"1", False, False),
        ("b.json", LEAST + b"\0", False, False),
        ("b.table", LEAST, True, True),
        ("b.table", LEAST, False, False),
        (".table", LEAST, True, False),
        ("table", LEAST, True, False),
        ("b.1", LEAST, True, False),
        (".b.json", LEAST, False, False),
        ("package-lock.json", LEAST, False, False),
        ("b.svg", LEAST, False, False),
    ],
)
def test_what_is_data_that_is_compared(path: str, content: bytes, is_unknown: bool, expected: bool) -> None:
    assert is_whole_data(path, content, is_unknown=is_unknown) == expected
    assert may_be_whole_data(path) or is_unknown or not expected


METADATA = {"pyproject.toml": '[project]\nname = "roads"\nlicense = "MIT"\n'}
MIT = "SPDX-License-Identifier: MIT\n"
HEADER = "# SPDX-License-Identifier: Apache-2.0\n"


def collected(source: Source, files: dict[str, str]) -> LicenceCollector:
    collector = LicenceCollector(source)
    for path, text in files.items():
        collector.add(licence_claims(path, text.encode()))
    return collector


def test_the_licence_is_read_and_says_where() -> None:
    found = collected(Source("roads"), METADATA).licensed()[0]
    assert (found.license, found.license_from) == ("MIT", "pyproject.toml")


def test_nothing_said_is_unknown() -> None:
    found = collected(Source("roads"), {"a.py": "a = 1\n"}).licensed()
    assert found == (Source("roads"), ())


@pytest.mark.parametrize(
    "source",
    [
        Source("roads", license="BSD-3-Clause", license_from=BY_ARGUMENT),
        Source("roads", license="unknown", license_from=BY_ARGUMENT),
        Source("roads", license="unknown", license_from=BY_MANIFEST),
        Source("roads", license="BSD-3-Clause", license_from="setup.py"),
    ],
)
def test_a_licence_that_is_known_stays(source: Source) -> None:
    assert collected(source, METADATA).licensed()[0] == source


def test_a_file_has_a_licence_of_its_own_if_it_differs() -> None:
    collector = collected(Source("roads"), {**METADATA, "a.py": HEADER})
    assert collector.own_licence("MIT", "a.py", ("Apache-2.0", None)) == ("Apache-2.0", "its header")
    assert collector.own_licence("Apache-2.0", "a.py", ("Apache-2.0", None)) is None
    assert collector.own_licence("MIT", "b.py", (None, None)) is None


def test_where_the_licence_was_given_a_folder_says_nothing_of_its_files() -> None:
    files = {"vendor/roads/LICENSE": MIT}
    given = Source("roads", license="BSD-3-Clause", license_from=BY_ARGUMENT)
    assert collected(given, files).own_licence("BSD-3-Clause", "vendor/roads/a.py", (None, None)) is None
    read = Source("roads", license="BSD-3-Clause", license_from="setup.py")
    assert collected(read, files).own_licence("BSD-3-Clause", "vendor/roads/a.py", (None, None)) == (
        "MIT",
        "vendor/roads/LICENSE",
    )
