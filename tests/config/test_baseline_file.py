"""The file that lists accepted copies: written by a program, edited and merged by people."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.config.baseline import baseline_text, parse_baseline
from winnow_ci.errors import ConfigError, ExitStatus
from winnow_ci.model.findings import BaselineEntry

ENTRY = BaselineEntry("0" * 32, "src/a.c", "curl", "lib/url.c", "curl", "verbatim", "asked its author")
TEXTS = st.text(min_size=1, max_size=20).filter(str.strip)


def text_of(**changes: Any) -> bytes:
    """A baseline of two entries, the second of which is changed; None drops a key."""
    values = json.loads(baseline_text((ENTRY,)))["entries"][0]
    second = {key: value for key, value in {**values, "path": "src/b.c", **changes}.items() if value is not None}
    return json.dumps({"version": 1, "entries": [values, second]}, indent=2).encode()


def complaint(text: bytes) -> tuple[str, str]:
    with pytest.raises(ConfigError) as caught:
        parse_baseline(text, "b.json")
    assert caught.value.exit_status == ExitStatus.USAGE
    assert str(caught.value).count("\n") == 1
    return caught.value.problem, caught.value.remedy


ENTRIES = st.lists(
    st.builds(
        BaselineEntry,
        st.text("0123456789abcdef", min_size=32, max_size=32),
        st.sampled_from(["a.c", "sr\udcffc/é.c", "..a/b"]),
        TEXTS,
        TEXTS,
        TEXTS,
        st.sampled_from(["verbatim", "renamed"]),
        TEXTS,
        st.none() | st.dates(),
        recorded_by=st.none() | TEXTS,
        recorded_on=st.none() | st.dates(),
    ),
    max_size=4,
    unique_by=lambda entry: (entry.path, entry.anchor, entry.source, entry.license),
)


@given(ENTRIES)
def test_what_is_written_is_read(entries: list[BaselineEntry]) -> None:
    event(f"entries: {min(len(entries), 2)}, a day: {any(entry.expires for entry in entries)}")
    assert parse_baseline(baseline_text(tuple(entries)).encode(), "b.json") == tuple(entries)


def test_an_entry_reads_well_in_a_diff() -> None:
    text = baseline_text((ENTRY, BaselineEntry(*"fpsqlkr", expires=dt.date(2027, 1, 31))))  # type: ignore[arg-type]
    lines = text.splitlines()
    assert lines[4:12] == [
        '      "path": "src/a.c",',
        '      "source": "curl",',
        '      "source_path": "lib/url.c",',
        '      "license": "curl",',
        '      "kind": "verbatim",',
        f'      "anchor": "{"0" * 32}",',
        '      "reason": "asked its author"',
        "    },",
    ]
    assert '      "expires": "2027-01-31"' in lines


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (text_of(path="x" * 4097), 13, "path is longer than 4,096"),
        (text_of().replace(b"    {\n", b"=======\n    {\n", 1), 4, "merge conflict"),
        (b"\n\xff", 2, "not valid UTF-8"),
        (b"", 1, "not valid JSON"),
        (b'{"version": 1, "entries": ' + b"[" * 100_000, 1, "nested too deeply"),
        (b'{"version": ' + b"9" * 5000 + b', "entries": []}', 1, "b.json:1: "),
    ],
)
def test_mistakes_in_the_file_name_their_line(text: bytes, line: int, problem: str) -> None:
    """The others are in ``tests/config/mistakes``."""
    said, _ = complaint(text)
    assert said.startswith(f"b.json:{line}: ")
    assert problem in said


def test_the_longest_texts_are_read() -> None:
    longest = parse_baseline(text_of(path="x" * 4096, reason="x" * 500), "b.json")[1]
    assert (len(longest.path), len(longest.reason)) == (4096, 500)


def test_larger_files_are_refused() -> None:
    text = baseline_text((ENTRY,)).encode()
    assert parse_baseline(text.ljust(16 << 20), "b.json") == (ENTRY,)
    assert "larger than 16 MiB" in complaint(b" " * ((16 << 20) + 1))[0]
