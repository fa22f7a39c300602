"""The licence of a source, by its metadata and its licence texts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.licences import TEXTS, decided, source_licence

if TYPE_CHECKING:
    from collections.abc import Mapping

MIT, BSD, APACHE, GPL, LGPL = (TEXTS[name] for name in ("MIT", "BSD-3-Clause", "Apache-2.0", "GPL-2.0", "LGPL-3.0"))
WHEEL = "roads-1.0.dist-info"
CORE = "Metadata-Version: 2.4\nName: roads\nVersion: 1.0\n"
DEBIAN = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
NPM = ("package.json", "ISC")
CARGO = '[package]\nlicense = "MIT"\n'
LINUX = "GPL-2.0-only WITH Linux-syscall-note"
NOTICE = "/* GNU General Public License; either version 2 of the License, or (at your option) any later version. */"
OSI = "Classifier: License :: OSI Approved"


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        (f"{WHEEL}/METADATA", f"{CORE}License-Expression: MIT OR Apache-2.0\n\nLicense: ISC", "MIT OR Apache-2.0"),
        (f"{WHEEL}/METADATA", f"{CORE}License: BSD 3-Clause\n{OSI} :: BSD License\n", "BSD-3-Clause"),
        (
            "PKG-INFO",
            f"{CORE}License: GPL\n{OSI} :: GNU General Public License v2 or later (GPLv2+)\n",
            "GPL-2.0-or-later",
        ),
        ("PKG-INFO", f"{CORE}License: UNKNOWN\n{OSI} :: ISC License (ISCL)\n", "ISC"),
        ("PKG-INFO", f"{CORE}License: {MIT.replace(chr(10), chr(10) + '        ')}\n", "MIT"),
        ("PKG-INFO", f"{CORE}License: Our own licence,\n        which is long\n{OSI} :: MIT License\n", None),
        ("roads.egg-info/PKG-INFO", f"{CORE}License: MIT\n", "MIT"),
        ("pyproject.toml", '[project]\nlicense = "Apache-2.0"\n', "Apache-2.0"),
        ("pyproject.toml", '[project]\nlicense = {text = "MIT License"}\n', "MIT"),
        ("pyproject.toml", '[tool.poetry]\nlicense = "GPL-3.0+"\n', "GPL-3.0-or-later"),
        ("pyproject.toml", '[project]\nclassifiers = ["License :: OSI Approved :: MIT License"]\n', "MIT"),
        ("package.json", '{"license": "(MIT OR GPL-3.0-or-later)"}', "MIT OR GPL-3.0-or-later"),
        ("package.json", '{"license": {"type": "BSD-3-Clause", "url": "https://example.org"}}', "BSD-3-Clause"),
        ("package.json", '{"licenses": [{"type": "MIT"}, {"type": "GPL-2.0"}]}', "MIT OR GPL-2.0-only"),
        ("package.json", '{"license": "UNLICENSED"}', None),
        ("package.json", '{"license": "BSD"}', None),
        ("Cargo.toml", '[package]\nlicense = "MIT/Apache-2.0"\n', "MIT OR Apache-2.0"),
        ("Cargo.toml", '[workspace.package]\nlicense = "MPL-2.0"\n', "MPL-2.0"),
        ("composer.json", '{"license": ["LGPL-2.1-only", "GPL-3.0-or-later"]}', "LGPL-2.1-only OR GPL-3.0-or-later"),
        ("roads.gemspec", "Gem::Specification.new do |s|\n  s.license = 'MIT'\nend\n", "MIT"),
        ("roads.gemspec", "  s.licenses = ['MIT', 'GPL-2.0']\n", None),
        ("roads.gemspec", "  s.license = File.read('LICENSE')\n", None),
        (
            "pom.xml",
            "<project><licenses><license><name>Apache License, Version 2.0</name></license></licenses></project>",
            "Apache-2.0",
        ),
        (
            "debian/copyright",
            f"{DEBIAN}\nFiles: *\nLicense: GPL-2+\n …\n\nFiles: debian/*\nLicense: Expat\n",
            "GPL-2.0-or-later",
        ),
        ("debian/copyright", "Files: *\nLicense: Expat\n", None),
    ],
)
def test_a_manifest_tells_the_licence(name: str, text: str, wanted: str | None) -> None:
    assert source_licence({name: text}) == (wanted and (wanted, name))


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"LICENSE": MIT}, ("MIT", "LICENSE")),
        ({"License.md": BSD, "LICENSE.python": "Something else"}, ("BSD-3-Clause", "License.md")),
        ({"UNLICENSE": TEXTS["Unlicense"]}, ("Unlicense", "UNLICENSE")),
        ({f"{WHEEL}/licenses/LICENSE.txt": BSD}, ("BSD-3-Clause", f"{WHEEL}/licenses/LICENSE.txt")),
        ({"LICENSE": "Ask us."}, ("unknown", "LICENSE")),
        ({"LICENSE": MIT, "COPYING": GPL}, ("unknown", "COPYING, LICENSE")),
        ({"LICENSE-MIT": MIT, "LICENSE-APACHE": APACHE}, ("MIT OR Apache-2.0", "LICENSE-APACHE, LICENSE-MIT")),
        ({"LICENSE-MIT": MIT, "LICENSE-BSD": BSD}, ("unknown", "LICENSE-BSD, LICENSE-MIT")),
        ({"COPYING": TEXTS["GPL-3.0"], "COPYING.LESSER": LGPL}, ("LGPL-3.0-only", "COPYING.LESSER")),
        ({"LICENSES/0BSD.txt": "…"}, ("0BSD", "LICENSES/0BSD.txt")),
        ({"COPYING": "SPDX-License-" + f"Identifier: {LINUX}\n"}, (LINUX, "COPYING")),
        ({"COPYING": GPL, "a.c": "int a;"}, ("GPL-2.0-only", "COPYING")),
        ({"COPYING": GPL, "a.c": NOTICE}, ("GPL-2.0-or-later", "COPYING")),
        ({"COPYING": GPL, "a.c": "/* GNU General Public License, version 2 */"}, ("GPL-2.0-only", "COPYING")),
        ({"license_check.py": MIT, "license_header": "…"}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_a_licence_text_tells_the_licence(files: Mapping[str, str], wanted: tuple[str, str] | None) -> None:
    assert source_licence(files) == wanted


def package_json(licence: str) -> str:
    return json.dumps({"license": licence})


@pytest.mark.parametrize(
    ("files", "licence", "objections"),
    [
        ({"package.json": package_json("MIT"), "LICENSE": MIT}, "MIT", ()),
        ({"package.json": package_json("GPL-2.0-or-later"), "LICENSE": GPL}, "GPL-2.0-or-later", ()),
        ({"package.json": package_json("MIT"), "LICENSE": GPL}, "MIT", (("LICENSE", "GPL-2.0-only"),)),
        ({"PKG-INFO": f"{CORE}License: MIT\n", "package.json": package_json("ISC")}, "MIT", ()),
        ({"Cargo.toml": CARGO, "package.json": package_json("ISC"), "LICENSE": MIT}, "MIT", (NPM,)),
        ({"Cargo.toml": CARGO, "package.json": package_json("ISC")}, "unknown", (("Cargo.toml", "MIT"), NPM)),
        ({"package.json": package_json("SEE LICENSE IN TERMS"), "TERMS": BSD}, None, None),
        ({"package.json": package_json("SEE LICENSE IN LICENSE-BSD"), "LICENSE-BSD": BSD}, "BSD-3-Clause", ()),
        ({"pyproject.toml": "[project]\nlicense = {file = 'COPYING'}", "COPYING": MIT}, "MIT", ()),
    ],
)  # fmt: skip
def test_who_is_believed_where_files_disagree(
    files: Mapping[str, str], licence: str | None, objections: tuple[tuple[str, str], ...] | None
) -> None:
    stated = decided(files).source
    assert (stated and stated.license, stated and stated.objections) == (licence, objections)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "[project]\nlicense = 'MIT'\n" + ".".join("a" * 50_000) + " = 1\n"),
        ("pyproject.toml", "[project]\nlicense = 'MIT'\nx = " + "[" * 3000),
        ("pyproject.toml", "[project]\nlicense = [['MIT']]\n"),
        ("pyproject.toml", "project = 3\n"),
        ("package.json", "[" * 100_000),
        ("package.json", '{"license": ' + "9" * 100_000 + "}"),
        ("package.json", '{"license": {"type": ["MIT"]}}'),
        ("package.json", '{"license": "' + "(" * 50_000 + '"}'),
        ("package.json", package_json("MIT OR " * 20_000 + "MIT")),
        ("package.json", '{"licenses": ' + json.dumps([{"type": "MIT"}] * 10_000) + "}"),
        ("package.json", '{"license": "SEE LICENSE IN ../../etc/passwd"}'),
        ("package.json", " " * 300_000 + package_json("MIT")),
        ("REUSE.toml", "annotations = [1, {path = 3}, {path = 'a', SPDX-License-Identifier = 7}]"),
        ("pom.xml", "<licenses>" + "<name>" * 40_000),
        ("PKG-INFO", "License: " + "\n  MIT" * 40_000),
        ("PKG-INFO", " \n" * 100_000),
        ("debian/copyright", DEBIAN + "\nFiles: " + "*a" * 60_000 + "\nLicense: Expat\n"),
        ("debian/copyright", DEBIAN + "\nFiles: *\nLicense: " + "Expat or " * 20_000),
        ("roads.gemspec", "s.license = " + "'" * 200_000),
        ("LICENSE.license", "\0" * 1000),
    ],
)
def test_hostile_metadata_says_nothing(name: str, text: str) -> None:
    assert source_licence({name: text}) is None or source_licence({name: text}) == ("MIT", name)


TWENTY = "0BSD AAL AFL-3.0 APSL-2.0 BSL-1.0 CDDL-1.0 ECL-2.0 EPL-1.0 EPL-2.0 EUPL-1.2 ISC MIT MPL-1.1 MPL-2.0".split()
TWENTY += "NCSA PHP-3.01 Ruby W3C WTFPL Zlib".split()
CARGO_LINE = 'license = "MIT"'


@pytest.mark.parametrize(
    ("name", "text", "longer", "licence"),
    [
        ("package.json", package_json("ISC").rjust(256 << 10), package_json("ISC").rjust((256 << 10) + 1), "ISC"),
        ("PKG-INFO", f"License: {'MIT'.ljust(200, '-')}\n", f"License: {'MIT'.ljust(201, '-')}\n", "MIT"),
        (
            "Cargo.toml",
            f"[package]\n{CARGO_LINE.ljust(4000)}\n",
            f"[package]\n{CARGO_LINE.ljust(4001)}\n",
            "MIT",
        ),
        ("x.gemspec", "s.license = " + "'MIT'".ljust(500, "#"), "s.license = " + "'MIT'".ljust(501, "#"), "MIT"),
        (
            "composer.json",
            json.dumps({"license": TWENTY}),
            json.dumps({"license": [*TWENTY, "curl"]}),
            " OR ".join(TWENTY),
        ),
        (
            "debian/copyright",
            f"{DEBIAN}\nFiles: *{' a' * 9_999}\nLicense: Expat\n",
            f"{DEBIAN}\nFiles: *{' a' * 10_000}\nLicense: Expat\n",
            "MIT",
        ),
        (
            "debian/copyright",
            f"{DEBIAN}\nFiles: * {'a' * 1024}\nLicense: Expat\n",
            f"{DEBIAN}\nFiles: * {'a' * 1025}\nLicense: Expat\n",
            "MIT",
        ),
    ],
    ids=["a file", "a name", "a line of TOML", "a line of a gem", "a list", "globs", "a glob"],
)
def test_how_much_may_be_said(name: str, text: str, longer: str, licence: str) -> None:
    assert source_licence({name: text}) == (licence, name)
    assert source_licence({name: longer}) is None
