"""The parser of git's raw format refuses what it does not understand."""

from __future__ import annotations

import pytest

from winnow_ci.errors import GitError
from winnow_ci.git import raw_diff

A, B, ZERO = b"a" * 40, b"b" * 40, b"0" * 40


def header(status: bytes, old: bytes = b"100644", new: bytes = b"100644") -> bytes:
    return b":" + old + b" " + new + b" " + A + b" " + B + b" " + status + b"\0"


def records(output: bytes) -> list[bytes]:
    *fields, rest = output.split(b"\0")
    assert not rest
    return fields


def test_entries() -> None:
    output = header(b"M") + b"a\nb\0" + header(b"R090") + b":old\0new\xff\0" + header(b"T", b"120000") + b"link\0"
    assert list(raw_diff.entries(records(output))) == [
        raw_diff.RawEntry("a\nb", "M", "file", "a" * 40, "b" * 40),
        raw_diff.RawEntry("new\udcff", "R", "file", "a" * 40, "b" * 40, ":old"),
        raw_diff.RawEntry("link", "T", "file", None, "b" * 40),
    ]


def test_zeros_are_no_object() -> None:
    output = b":000000 100644 " + ZERO + b" " + ZERO + b" A\0x\0"
    assert list(raw_diff.entries(records(output))) == [raw_diff.RawEntry("x", "A", "file", None, None)]


def test_nothing() -> None:
    assert list(raw_diff.entries([])) == []


@pytest.mark.parametrize(
    "output",
    [
        header(b"M"),
        header(b"M") + b"\0",
        header(b"R100") + b"only one\0",
        header(b"X") + b"path\0",
        header(b"M", new=b"040000") + b"path\0",
        b"\0" + header(b"M") + b"path\0",
        b"warning: something\0",
        header(b"M")[:60] + b"\0path\0",
    ],
)
def test_anything_else_is_an_error(output: bytes) -> None:
    with pytest.raises(GitError, match="cannot be understood"):
        list(raw_diff.entries(records(output)))
