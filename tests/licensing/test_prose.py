"""Prose about a licence: in the place of its text, above and below it, and in the headers of files."""

from __future__ import annotations

import pytest

from support.licences import TEXTS, decided, file_licence, source_licence
from winnow_ci.licensing.licence_texts import read_prose, recognise
from winnow_ci.licensing.statements import header_notice, licence_claims

MIT, BSD, APACHE, GPL = (TEXTS[name] for name in ("MIT", "BSD-3-Clause", "Apache-2.0", "GPL-2.0"))
CODE = "docs/conf.py"
NAMED = "# License\n\n*roads* is licensed under the [MIT](https://example.org/licenses/mit/) license.\n"
CREDITS = "\nA full list of contributors is on the [site](https://example.org/x?v=3MNVP9-hg).\n"
INDENTED, BSD_INDENTED = ("".join(f"    {line}\n" for line in text.splitlines()) for text in (MIT, BSD))
WRAPPED = "License\n-------\n\nUnder the terms of the `MIT`_ license, roads is free and open source software.\n\n"
WRAPPED += f".. code-block:: text\n\n{INDENTED}"
TIDE = "Roads is made by the office of Quillmouth and its friends.\nThe tables were measured by them.\n\n"
ONLY = (
    "Roads is distributed under version 2 of the General Public License (included\nin its entirety, below).  Version 2 "
    "is the only version of this license which\nthis version of roads may be distributed under.\n\n"
)
THIS = (
    "roads is Copyright (C) the roads contributors,\nunless otherwise stated. See the AUTHORS file for details.\n\n"
    "Note that the only valid version of the GPL as far as this project\nis concerned is _this_ particular version of "
    "the license (ie v2, not\nv2.2 or v3.x or whatever), unless explicitly otherwise stated.\n\nLINKING EXCEPTION\n\n"
)
LINKING = (
    "In addition to the permissions in the GNU General Public License, the authors give you unlimited permission to "
    "link the compiled version of this library into combinations with other programs, and to distribute those "
    "combinations without any restriction coming from the use of this file.\n\n"
)


@pytest.mark.parametrize(
    ("document", "wanted"),
    [
        (NAMED, "MIT"),
        (NAMED + CREDITS, "MIT"),
        ("# Licence\n\nroads is licensed under the MIT License.\n", "MIT"),
        ("# License\n\n```{include} ../LICENSE\n\n```\n", "BSD-3-Clause"),
        ("License\n=======\n\n.. literalinclude:: ../LICENSE\n    :language: text\n", "BSD-3-Clause"),
        ("# License\n\nThe full text is in [LICENSE](../LICENSE).\n", "BSD-3-Clause"),
        (WRAPPED, "MIT"),
        (f"# License\n\nThis is the text:\n\n```text\n{MIT}```\n", "MIT"),
        ("roads is under the GNU General Public License, version 2.", "GPL-2.0-only"),
        ("roads is under the GPLv3 or later.", "GPL-3.0-or-later"),
        ("Under the terms of the GPL Version 2 or later (the 'GPL').\nFor more see COPYING.GPL.", "GPL-2.0-or-later"),
        ("Copyright 2020 ACME. All rights reserved.\n\nLicensed under the Mozilla Public License, v. 2.0.", "MPL-2.0"),
        ("You can redistribute it under the GPL, version 2. It may be used under the GPL, version 2.", "GPL-2.0-only"),
        (TIDE + APACHE, "Apache-2.0"),
        (APACHE + "\n\n----\n\nThe pictures were drawn by Ada, and are part of this work.\n", "Apache-2.0"),
        (APACHE + "\n\nThe bundled zlib has a license of its own:\n\nYou may not sell it.\n", "Apache-2.0"),
        (ONLY + GPL, "GPL-2.0-only"),
        (ONLY + LINKING + GPL, "GPL-2.0-only WITH GCC-exception-2.0"),
        (THIS + LINKING + GPL, "GPL-2.0-only WITH GCC-exception-2.0"),
        (APACHE + "\n\nRoads Submodules:\n\nRoads includes submodules. Your use is subject to terms.\n", "Apache-2.0"),
        (f"{TIDE}Roads is under the GPL, version 2 or any later version.\n\n{TIDE}{GPL}", "GPL-2.0-or-later"),
    ],
)  # fmt: skip
def test_what_a_person_understands_at_once(document: str, wanted: str) -> None:
    files = {"LICENSE": BSD, "docs/LICENSE.md": document, CODE: "x = 1\n"}
    assert file_licence(files, CODE) == wanted


@pytest.mark.parametrize(
    "document",
    [
        "# License\n\nThis documentation is under CC BY-SA 4.0, the code is licensed under the MIT License.\n",
        "# License\n\nThe code is licensed under the MIT License, the documentation of it under that of ACME.\n",
        "# License\n\nroads is licensed under the MIT License, except for the fonts.\n",
        "# License\n\nroads is licensed under the MIT License. You must not sell it.\n",
        "# License\n\nroads may not be redistributed under the MIT License.\n",
        "# MIT License\n\nCopyright ACME. All rights reserved.\n",
        f"Copyright (c) 2020 ACME. Commercial use is prohibited.\n\n{MIT}",
        "Copyright (c) 2020 ACME. Never sell it.\nLicensed under the MIT license.\n",
        "# License\n\nroads is MIT. Ask ACME by mail, contact@acme.example, for a key.\n",
        "# License\n\nroads is licensed under the MIT License and the ACME Source License.\n",
        "# License\n\nroads is licensed under the MIT License with the Commons Clause.\n",
        "# License\n\nroads is licensed under the MIT license or the Apache License 2.0.\n",
        "# License\n\nroads is licensed under the GNU General Public License.\n",
        "# License\n\nThis is the license of roads, the property of ACME.\n",
        "# License\n\nSee the lawyers of ACME.\n",
        "# License\n\n```{include} ../COPYRIGHT\n```\n",
        "# License\n\n```{include} ../../LICENSE\n```\n",
        f"# MIT License\n\n{MIT.replace('without restriction', 'for noncommercial tests')}\n",
        f"{TIDE}It is under the ISC license.\n\n{MIT}",
        f"{TIDE}{ONLY}{TEXTS['GPL-3.0']}",
        f"{LINKING.replace('combinations with', 'noncommercial')}\n\n{GPL}",
        f"{APACHE}\n\nThe tables that are bundled must not be sold.\n",
        f"{LINKING}\n\nroads is under the MIT license.",
        "# MIT License\n\nDieses Programm darf jeder nur mit unserer schriftlichen Genehmigung an andere verkaufen.\n",
        "# MIT License\n\n\u672c\u8f6f\u4ef6\u4ec5\u4f9b\u5185\u90e8\u4f7f\u7528\u3002\n",
        NAMED + "\nThis is of the people, for the people, by the people. " * 40,
        "",
    ],
)
def test_what_says_more_is_not_understood(document: str) -> None:
    assert file_licence({"LICENSE": BSD, "docs/license.md": document, CODE: "x = 1\n"}, CODE) == "unknown"


@pytest.mark.parametrize("removed", range(8))
@pytest.mark.parametrize("licence", sorted(set(TEXTS) - {"WTFPL", "Unlicense", "0BSD"}))
def test_a_licence_with_a_part_taken_out_is_no_prose(licence: str, removed: int) -> None:
    """Each eighth of each text in turn; what is left allows or forbids something."""
    lines = TEXTS[licence].splitlines()
    cut = lines[: removed * len(lines) // 8] + lines[(removed + 1) * len(lines) // 8 :]
    text = f"# {licence} License\n\nroads is under the ISC License.\n\n" + "\n".join(cut)
    assert read_prose(text) is None
    # The first lines are title and holders, and those of NCSA are many.
    assert removed == 0 or (licence, removed) == ("NCSA", 1) or recognise(text.encode()) is None


def test_embedded_code_keeps_its_licence() -> None:
    inner = "vendor/tracks/a.c"
    files = {"LICENSE": MIT, "vendor/tracks/LICENSE": GPL, inner: ""}
    for place in ("vendor", "vendor/tracks/docs", "docs"):
        assert file_licence({**files, f"{place}/LICENSE.md": NAMED}, inner) == "GPL-2.0-only"
    assert file_licence({**files, "vendor/tracks/LICENSE.md": NAMED}, inner) == "unknown"
    agreeing = "# License\n\ntracks is under the [GPL](LICENSE), version 2.\n"
    assert file_licence({**files, "vendor/tracks/LICENSE.md": agreeing}, inner) == "GPL-2.0-only"


@pytest.mark.parametrize(
    "text",
    [f * (60_000 // len(f)) for f in ("```\n", "](a", ".. include:: ", "`", "under the ", "version 2 of ", "a. ")],
)
def test_hostile_prose_is_read_in_a_moment(text: str) -> None:
    licence_claims("LICENSE.md", text.encode())
    licence_claims("a.c", (text[:4000] + " licensed under the MIT license").encode())


GNU = "# You can modify it under\n# the terms of the GNU {} as published by the Free\n# Software Foundation{}\n"
LATER = "; either version 2 of the License, or\n# (at your option) any later version."


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        (GNU.format("General Public License", LATER), "GPL-2.0-or-later"),
        (GNU.format("Affero General Public License", ", version 3."), "AGPL-3.0-only"),
        ("# Licensed under GPLv2 or later, see file LICENSE in this source tree.\n", "GPL-2.0-or-later"),
        ('/* Licensed under the Apache License,\n * Version 2.0 (the "License"); you may not use it. */', "Apache-2.0"),
        ("// This file is subject to the terms of the Mozilla Public License, v. 2.0.\n", "MPL-2.0"),
        ("# Licensed under the MIT license or the Apache License, Version 2.0.\n", None),
        ("# Released under the MIT license.\n# Released under the ISC license.\n", None),
        ("# This file includes code of tracks, which is licensed under the MIT license.\n", None),
        ("# Licensed under the GPL.\n", None),
        ("# As a special exception, this is licensed under the GPLv2.\n", None),
        ("x = 1\n" * 2000 + "# Licensed under the MIT license.\n", None),
    ],
)  # fmt: skip
def test_a_notice_in_a_header_names_a_licence(header: str, wanted: str | None) -> None:
    assert header_notice(header.encode()) == wanted


def test_a_notice_counts_where_nothing_else_is_stated() -> None:
    def licence_of(files: dict[str, str]) -> str | None:
        claims = licence_claims("a.c", files["a.c"].encode())
        found = decided(files).of_file("a.c", claims and claims.own, claims and claims.notice)
        return found and found.license

    noted = {"a.c": "/* Licensed under GPLv2 or later. */"}
    assert [licence_of(noted), source_licence(noted)] == ["GPL-2.0-or-later", None]
    assert licence_of({**noted, "LICENSE": "Ask us."}) is None
    assert licence_of({**noted, "LICENSE": MIT}) is None
    assert licence_of({"a.c": f"// SPDX-License-{'Identifier'}: Foo\n// Licensed under GPLv2.\n"}) == "unknown"
