"""Files without code, by their names, and binary data, by its content."""

from __future__ import annotations

import struct

import pytest

from winnow_ci.languages import is_binary_data, is_data, language_of, may_have_language
from winnow_ci.languages.language_detection import MOSTLY_DATA, PROSE
from winnow_ci.languages.normalisation import is_binary

NETCDF = b"CDF\x01" + struct.pack(">6i", 0, 10, 1, 4, 0x74696D65, 0) + struct.pack(">20d", *range(20))
COMPRESSED = b"\x89HDF\r\n\x1a\n\0" + bytes(range(1, 256)) * 4
NESC = b"module Blink { uses interface Leds; }\nimplementation { int on; }\n"


@pytest.mark.parametrize(
    "path", ["package-lock.json", "Cargo.lock", "go.sum", "a.min.js.map", "x/A.CSV", "pnpm-lock.yaml"]
)
def test_data_by_name(path: str) -> None:
    assert is_data(path)
    assert not may_have_language(path)


@pytest.mark.parametrize("path", ["json", "csv.c", "a.yml", "pyproject.toml"])
def test_what_is_no_data_by_name(path: str) -> None:
    assert not is_data(path)


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("example.nc", NETCDF),
        ("packed.nc", COMPRESSED),
        ("a.bc", b"BC\xc0\xde5\x14\0\0"),
        ("libz.so.1", b"\x7fELF\x02\x01\x01\0\0\0"),
        ("notes.txt", b"\0" * 20),
        ("image.md", COMPRESSED),
        ("a.yaml", NETCDF),
    ],
)
def test_binary_content_under_a_rare_or_wordy_name_is_data(path: str, content: bytes) -> None:
    language = language_of(path, content)
    assert language is not None
    assert is_binary_data(path, language, content)


@pytest.mark.parametrize(
    ("path", "language"), [("a.c", "c"), ("a.py", "python"), ("a.ts", "typescript"), ("a.cr", "cr")]
)
@pytest.mark.parametrize("content", [NETCDF, COMPRESSED])
def test_binary_content_under_the_name_of_code_may_be_code(path: str, language: str, content: bytes) -> None:
    assert language_of(path, content) == language
    assert not is_binary_data(path, language, content)


@pytest.mark.parametrize(
    ("path", "content", "language"),
    [
        ("a.nc", NESC, "nesc"),
        # One NUL byte makes no data of a text.
        ("a.nc", NESC + b"\0", "nesc"),
        ("a.nc", NESC.decode().encode("utf-16"), "nesc"),
        ("a.nc", "// na\u00efve\n".encode("latin-1"), "nesc"),
        ("a.1", b".TH A 1\n", "groff"),
        ("a.txt", "Zeilen".encode("utf-16-le"), "text"),
        ("a.x", b"", "logos"),
    ],
)
def test_text_is_read_under_every_name(path: str, content: bytes, language: str) -> None:
    assert language_of(path, content) == language
    assert not is_binary_data(path, language, content)


@pytest.mark.parametrize("ending", sorted(MOSTLY_DATA))
def test_each_of_these_endings_has_a_language(ending: str) -> None:
    """Else it would be of no use here; and none of them is prose."""
    assert language_of(f"a{ending}", b"") not in {None, *PROSE}


@pytest.mark.parametrize(
    ("content", "binary"),
    [
        (b"", False),
        (b"text", False),
        (b"\xff\xfe", False),
        (b"nine byte\0", True),
        (b"ten bytes \0", False),
        (b"ten bytes\xe9\0", True),
        ("ten bytes \u00e9\0".encode(), False),
    ],
)
def test_binary_content_has_many_nul_bytes_or_is_no_utf_8(content: bytes, binary: bool) -> None:
    assert is_binary(content) is binary
