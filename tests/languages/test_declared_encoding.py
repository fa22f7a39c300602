"""Encodings in which code does not look like code."""

from __future__ import annotations

import pytest

from winnow_ci.languages import Untokenizable, first_reading

HIDING = ["raw_unicode_escape", "unicode_escape", "utf-7", "rot13", "utf_16", "quopri", "punycode", "hex", "base64"]
PLAIN = [
    "utf-8",
    "latin-1",
    "cp1252",
    "iso-8859-15",
    "koi8-r",
    "gbk",
    "euc-jp",
    "big5",
    "ascii",
    "utf-8-sig",
    "mac-roman",
]


@pytest.mark.parametrize("name", HIDING)
@pytest.mark.parametrize(
    "line", ["# coding: {}\n", "#!/usr/bin/python\n# -*- coding: {} -*-\n", "\r\n  # vim: coding={}\r\n"]
)
def test_an_encoding_that_hides_code_is_not_scanned(line: str, name: str) -> None:
    with pytest.raises(Untokenizable, match=name) as raised:
        first_reading("python", f"{line.format(name)}x = 1\n".encode())
    assert raised.value.state == "not-scanned"


@pytest.mark.parametrize("name", [*PLAIN, "unheard-of", "..", "winnow_ci"])
def test_other_encodings_are_read(name: str) -> None:
    assert len(first_reading("python", f"# coding: {name}\nx = 1\n".encode()).tokens) == 3


def test_only_the_first_two_lines_declare() -> None:
    assert len(first_reading("python", b"x = 1\n\n# coding: rot13\n").tokens) == 3


def test_other_languages_declare_nothing() -> None:
    assert len(first_reading("ruby", b"# coding: rot13\nx = 1\n").tokens) == 3
