"""What a file says of itself."""

from __future__ import annotations

import pytest

from winnow_ci.licensing.statements import allows_later, own_licence

# Put together, so that this file does not have them.
TAG = "SPDX-License-" + "Identifier:"
GNU = """\
/* This program is free software; you can redistribute it and/or modify it under the terms of the GNU General
 * Public License as published by the Free Software Foundation; either version 2 of the License, or (at your
 * option) any later
 * version. */
"""


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        (f"# {TAG} MIT\n", "MIT"),
        (f"#!/bin/sh\n#\n#{TAG}GPL-2.0-only WITH Linux-syscall-note\n", "GPL-2.0-only WITH Linux-syscall-note"),
        (f"/* {TAG} (MIT OR Apache-2.0) */ int a;\n", None),
        (f"/* {TAG} (MIT OR Apache-2.0) */\r\nint a;\n", "(MIT OR Apache-2.0)"),
        (f"<!-- {TAG} CC0-1.0 -->\n", "CC0-1.0"),
        (f"(* {TAG} LGPL-2.1-or-later *)\n", "LGPL-2.1-or-later"),
        (f'"""{TAG} ISC"""\n', "ISC"),
        (f"// {TAG} MIT\n// {TAG} BSD-3-Clause\n// {TAG} MIT\n", "(MIT) AND (BSD-3-Clause)"),
        (f"# Copyright 2020 A. Person {TAG} 0BSD\n", "0BSD"),
        (f'HEADER = "# {TAG} GPL-3.0-only"\n', None),
        (f"print('{TAG} ' + licence)\n", None),
        (f"# {TAG} <licence>\n", None),
        (f"# {TAG} {{licence}}\n", None),
        (f"# {TAG}\n", None),
        (f"# REUSE-IgnoreStart\n# {TAG} MIT\n# REUSE-IgnoreEnd\n# {TAG} ISC\n", "ISC"),
        ("#\n" * 8192 + f"# {TAG} MIT\n", None),
        (f"# {TAG} {'A' * 1000}\n", None),
        ("import this\n", None),
    ],
)
def test_the_tags_of_a_header_are_read_where_they_are_meant(header: str, wanted: str | None) -> None:
    assert own_licence(header.encode()) == wanted


def test_bytes_that_are_no_text_do_no_harm() -> None:
    assert own_licence(b"\xff\xfe\0 " + TAG.encode() + b" MIT\n\x80") == "MIT"


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        (GNU, True),
        (
            GNU.replace("either version 2 of the License, or (at your", "version 2 of the License").replace(
                "later", ""
            ),
            False,
        ),
        (GNU + "/* As a special exception to the GNU General Public License … */", None),
        ("# Any later version will do.\n", None),
    ],
)
def test_the_notice_of_the_gnu_licences_tells_whether_later_versions_hold(header: str, wanted: bool | None) -> None:
    assert allows_later(header.encode()) is wanted


def test_a_header_ends_after_8192_bytes() -> None:
    line = f"# {TAG} ISC".encode()
    padding = b"\n" * (8192 - len(line))
    assert [own_licence(one + line) for one in (padding, padding + b"\n")] == ["ISC", "IS"]


def test_how_many_tags_count_and_how_long_each_may_be() -> None:
    tags = [f"# {TAG} LicenseRef-{number}\n" for number in range(17)]
    assert (own_licence("".join(tags).encode()) or "").count("AND") == 15
    assert own_licence(f"# {TAG} {'A' * 500}\n".encode()) == "A" * 500
    assert own_licence(f"# {TAG} {'A' * 501}\n".encode()) is None
