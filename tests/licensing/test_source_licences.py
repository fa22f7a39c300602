"""Files with a licence that is not that of their source."""

from __future__ import annotations

import pytest

from support.licences import TEXTS, decided, file_licence
from winnow_ci.indexer.filling import canonical_licence
from winnow_ci.licensing import LicenceEvidence, SourceLicences, licence_claims

TAG = "SPDX-License-" + "Identifier:"
MIT, BSD = TEXTS["MIT"], TEXTS["BSD-3-Clause"]
DEBIAN = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
License: GPL-2+

Files: lib/*.c
 lib/sub/?.h
License: Expat
 Permission is …

Files: lib/own.c
License: BSD-3-clause
"""
REUSE = """\
version = 1
[[annotations]]
path = ["**"]
SPDX-License-Identifier = "MIT"
[[annotations]]
path = "data/*.js"
SPDX-License-Identifier = ["CC0-1.0", "ISC"]
[[annotations]]
path = "forced/**"
precedence = "override"
SPDX-License-Identifier = "0BSD"
[[annotations]]
path = "both/**"
precedence = "aggregate"
SPDX-License-Identifier = "Zlib"
"""


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        ("main.c", "", "GPL-2.0-or-later"),
        ("lib/a.c", "", "MIT"),
        ("lib/deep/a.c", "", "MIT"),
        ("lib/sub/b.h", "", "MIT"),
        ("lib/sub/bb.h", "", "GPL-2.0-or-later"),
        ("lib/own.c", "", "BSD-3-Clause"),
        ("lib/own.c", f"/* {TAG} ISC */", None),
        ("lib/own.c", f"// {TAG} ISC\n", "ISC"),
    ],
)
def test_debian_says_it_of_each_file(path: str, text: str, wanted: str | None) -> None:
    wanted = wanted or "ISC"
    assert file_licence({"debian/copyright": DEBIAN, path: text}, path) == wanted


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        ("a.js", "", "MIT"),
        ("data/a.js", "", "CC0-1.0 AND ISC"),
        ("data/deep/a.js", "", "MIT"),
        ("data/a.js", f"// {TAG} ISC\n", "ISC"),
        ("forced/deep/a.js", f"// {TAG} ISC\n", "0BSD"),
        ("both/a.js", f"// {TAG} ISC\n", "ISC AND Zlib"),
        ("both/a.js", "", "Zlib"),
        ("sub/a.js", "", "Apache-2.0"),
        ("sub/b.js", "", "MIT"),
    ],
)
def test_reuse_says_it_of_each_file(path: str, text: str, wanted: str) -> None:
    nested = '[[annotations]]\npath = "a.js"\nSPDX-License-Identifier = "Apache-2.0"\n'
    files = {"REUSE.toml": REUSE, "sub/REUSE.toml": nested, path: text}
    stated = decided(files).source
    assert stated is not None
    assert (file_licence(files, path), stated.license) == (wanted, "MIT")


def test_a_file_beside_it_counts_before_the_header() -> None:
    files = {"a.js": f"// {TAG} MIT\n", "a.js.license": f"{TAG} ISC\n", "b.js.license": "no tag"}
    assert file_licence(files, "a.js") == "ISC"
    assert file_licence({**files, "b.js": f"// {TAG} MIT\n"}, "b.js") == "MIT"


@pytest.mark.parametrize("tag", ["Proprietary", "GPL-2.0-only WITH Foo-exception", "MIT AND", "GPL"])
def test_a_header_that_is_not_understood_is_unknown(tag: str) -> None:
    assert file_licence({"LICENSE": MIT, "a.c": f"// {TAG} {tag}\n"}, "a.c") == "unknown"


@pytest.mark.parametrize(
    ("inside", "path", "wanted"),
    [
        ({"vendor/x/LICENSE": BSD}, "vendor/x/deep/a.c", "BSD-3-Clause"),
        ({"vendor/x/LICENSE": BSD}, "vendor/a.c", None),
        ({"vendor/x/LICENSE": "Ask them."}, "vendor/x/a.c", "unknown"),
        ({"vendor/x/LICENSE": MIT.replace("[fullname]", "ACME")}, "vendor/x/a.c", None),
        ({"vendor/x/package.json": '{"license": "ISC"}', "vendor/x/LICENSE": BSD}, "vendor/x/a.js", "ISC"),
        ({"vendor/x/package.json": '{"private": true}'}, "vendor/x/a.js", None),
        ({"pkg/_vendor/own-1.0.dist-info/METADATA": "License: LGPLv3\n"}, "pkg/_vendor/own/a.py", "LGPL-3.0-only"),
        ({"pkg/_vendor/own-1.0.dist-info/METADATA": "License: LGPLv3\n"}, "pkg/_vendor/other/a.py", None),
    ],
)
def test_embedded_code_has_the_licence_of_the_nearest_folder(
    inside: dict[str, str], path: str, wanted: str | None
) -> None:
    assert file_licence({"LICENSE": MIT, **inside, path: ""}, path) == wanted


def test_more_globs_than_can_be_tried_make_licences_unknown() -> None:
    globs = " ".join(f"*{number}a" for number in range(9_000))
    files = {"debian/copyright": DEBIAN + f"\nFiles: {globs}\nLicense: ISC\n"} | {f"{n}.c": "" for n in range(600)}
    assert file_licence(files, "1.c") == "unknown"


@pytest.mark.parametrize(("files", "wanted"), [(5_000, "ISC"), (5_001, "unknown")])
def test_five_million_trials_of_globs_are_made(files: int, wanted: str) -> None:
    # Each of these 1,000 globs is tried on each file.
    globs = " ".join(f"*{number}a" for number in range(999))
    text = f"{DEBIAN.partition('Files')[0]}Files: {globs} *b.c\nLicense: ISC\n"
    evidence = LicenceEvidence()
    evidence.add(licence_claims("debian/copyright", text.encode()))
    evidence.files = files
    found = SourceLicences(evidence, canonical_licence).of_file("b.c", None)
    assert (found and found.license) == wanted


def test_twenty_thousand_statements_count_those_near_the_root_first() -> None:
    evidence = LicenceEvidence()
    for number in range(20_000):
        evidence.add(licence_claims(f"a/{number:05}/package.json", b'{"license": "ISC"}'))
    evidence.add(licence_claims("package.json", b'{"license": "MIT"}'))
    licences = SourceLicences(evidence, canonical_licence)
    assert licences.source is not None
    assert licences.source.license == "MIT"
    found = [licences.of_file(f"a/{number}/x.js", None) for number in (19998, 19999)]
    assert found == [("ISC", "a/19998/package.json"), None]


NOTED = f'version = 1\n[[annotations]]\npath = "noted/**"\nSPDX-License-{"Identifier"} = "Zlib"\n'


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("a.py", ("ISC", "its header")),
        ("logo.svg", ("CC0-1.0", "logo.svg.license")),
        ("vendor/roads/b.py", ("MIT", "vendor/roads/LICENSE")),
        ("noted/c.py", ("Zlib", "REUSE.toml")),
    ],
)
def test_a_licence_of_a_file_comes_with_the_place_where_it_was_read(path: str, wanted: tuple[str, str]) -> None:
    files = {
        "a.py": f"# {TAG} ISC\n",
        "logo.svg.license": f"{TAG} CC0-1.0\n",
        "vendor/roads/LICENSE": TEXTS["MIT"],
        "REUSE.toml": NOTED,
    }
    claims = licence_claims(path, files.get(path, "").encode())
    assert decided(files).of_file(path, claims.own if claims else None) == wanted
