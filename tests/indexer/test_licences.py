"""Under which licence a source and its files are, once all files have been read."""

from __future__ import annotations

import pytest

from winnow_ci.indexer.licences import ARGUMENT, MANIFEST, LicenceCollector
from winnow_ci.licensing import licence_claims
from winnow_ci.model import Source

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
        Source("roads", license="BSD-3-Clause", license_from=ARGUMENT),
        Source("roads", license="unknown", license_from=ARGUMENT),
        Source("roads", license="unknown", license_from=MANIFEST),
        Source("roads", license="BSD-3-Clause", license_from="setup.py"),
    ],
)
def test_a_licence_that_is_known_stays(source: Source) -> None:
    assert collected(source, METADATA).licensed()[0] == source


def test_a_file_has_a_licence_of_its_own_if_it_differs() -> None:
    collector = collected(Source("roads"), {**METADATA, "a.py": HEADER})
    assert collector.own_licence("MIT", "a.py", "Apache-2.0") == ("Apache-2.0", "its header")
    assert collector.own_licence("Apache-2.0", "a.py", "Apache-2.0") is None
    assert collector.own_licence("MIT", "b.py", None) is None


def test_where_the_licence_was_given_a_folder_says_nothing_of_its_files() -> None:
    files = {"vendor/roads/LICENSE": MIT}
    given = Source("roads", license="BSD-3-Clause", license_from=ARGUMENT)
    assert collected(given, files).own_licence("BSD-3-Clause", "vendor/roads/a.py", None) is None
    read = Source("roads", license="BSD-3-Clause", license_from="setup.py")
    assert collected(read, files).own_licence("BSD-3-Clause", "vendor/roads/a.py", None) == (
        "MIT",
        "vendor/roads/LICENSE",
    )
