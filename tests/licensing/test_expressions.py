"""Names that people give to licences."""

from __future__ import annotations

import pytest

from winnow_ci.indexer.filling import canonical_licence
from winnow_ci.licensing.expressions import (
    expression_of_classifiers,
    expression_of_name,
    expression_of_synopsis,
)
from winnow_ci.licensing.source_licences import LicenceEvidence, SourceLicences

OSI = "License :: OSI Approved"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("The MIT License (MIT)", "MIT"),
        ("Apache License, Version 2.0", "Apache-2.0"),
        ("Apache Software License 2.0", "Apache-2.0"),
        ("New BSD License", "BSD-3-Clause"),
        ("3-Clause BSD License", "BSD-3-Clause"),
        ("Simplified BSD", "BSD-2-Clause"),
        ("ISC License (ISCL)", "ISC"),
        ("Mozilla Public License 2.0 (MPL 2.0)", "MPL-2.0"),
        ("GPLv2", "GPL-2.0-only"),
        ("GPL v2+", "GPL-2.0-or-later"),
        ("GNU GPL version 3 or later", "GPL-3.0-or-later"),
        ("LGPLv2.1+", "LGPL-2.1-or-later"),
        ("GNU Lesser General Public License v3 (LGPLv3)", "LGPL-3.0-only"),
        ("GNU Affero General Public License v3 or later (AGPLv3+)", "AGPL-3.0-or-later"),
        ("zlib/libpng License", "Zlib"),
        ("CC0 1.0 Universal (CC0 1.0) Public Domain Dedication", "CC0-1.0"),
        ("The Unlicense (Unlicense)", "Unlicense"),
        ("BSD", None),
        ("GPL", None),
        ("LGPL with exceptions", None),
        ("GPL v2 with classpath exception", None),
        ("GPLv2 or GPLv3", None),
        ("Apache Software License", None),
        ("Public Domain", None),
        ("Proprietary", None),
        ("MIT, except the images", None),
        ("not MIT", None),
        ("", None),
        ("MIT " * 1000, None),
    ],
)
def test_a_name_is_taken_where_it_has_one_meaning(name: str, wanted: str | None) -> None:
    assert expression_of_name(name) == wanted


@pytest.mark.parametrize(
    ("classifiers", "wanted"),
    [
        ([f"{OSI} :: MIT License", OSI], "MIT"),
        (["Programming Language :: Python", f"{OSI} :: Python Software Foundation License"], "PSF-2.0"),
        ([f"{OSI} :: GNU General Public License v2 or later (GPLv2+)"], "GPL-2.0-or-later"),
        ([f"{OSI} :: MIT License", f"{OSI} :: Apache Software License"], None),
        ([f"{OSI} :: BSD License"], None),
        (["License :: Public Domain"], None),
        ([], None),
    ],
)
def test_classifiers_count_if_they_name_one_licence(classifiers: list[str], wanted: str | None) -> None:
    assert expression_of_classifiers(classifiers) == wanted


@pytest.mark.parametrize(
    ("synopsis", "wanted"),
    [
        ("Expat", "MIT"),
        ("GPL-2+", "GPL-2.0-or-later"),
        ("LGPL-2.1", "LGPL-2.1-only"),
        ("GFDL-NIV-1.3+", "GFDL-1.3-no-invariants-or-later"),
        ("BSD-3-clause", "BSD-3-Clause"),
        ("GPL-2 or GPL-3", "GPL-2.0-only OR GPL-3.0-only"),
        ("GPL-2+ or Artistic-2.0, and BSD-3-clause", "(GPL-2.0-or-later OR Artistic-2.0) AND BSD-3-Clause"),
        ("GPL-1+ and Expat or ISC", "(GPL-1.0-or-later AND MIT) OR ISC"),
        ("Perl", "Artistic-1.0-Perl OR GPL-1.0-or-later"),
        ("GPL-3+ with Bison exception", "GPL-3.0-or-later WITH Bison-exception-2.2"),
        ("GPL-2+ with OpenSSL exception", "LicenseRef-GPL-2.0-or-later-with-OpenSSL-exception"),
        ("GPL-3+ or Less", "GPL-3.0-or-later OR LicenseRef-Less"),
        ("public-domain", "LicenseRef-public-domain"),
        ("GPL", None),
        ("BSD", None),
        ("unknown", None),
        ("This file may be copied by whoever finds it or anything of use in it", None),
        ("", None),
        ("Expat or ", None),
        ("Expat and " * 1000, None),
    ],
)
def test_short_names_of_debian_become_those_of_spdx(synopsis: str, wanted: str | None) -> None:
    assert expression_of_synopsis(synopsis, canonical_licence) == wanted


def test_how_long_a_name_and_a_synopsis_may_be() -> None:
    assert [expression_of_name("MIT".ljust(length)) for length in (1000, 1001)] == ["MIT", None]
    choice = "Expat".ljust(10) + " or Expat" * 110
    assert len(choice) == 1000
    assert expression_of_synopsis(choice, canonical_licence) == " OR ".join(["MIT"] * 111)
    assert expression_of_synopsis(choice.replace("Expat ", "Expat  ", 1), canonical_licence) is None
    assert expression_of_synopsis("a b c d e", canonical_licence) == "LicenseRef-a-b-c-d-e"
    assert expression_of_synopsis("a b c d e f", canonical_licence) is None
    licences = SourceLicences(LicenceEvidence(), canonical_licence)
    assert licences.of_file_itself("a.c", "MIT".ljust(1000)) == ("MIT", "its header")
    assert licences.of_file_itself("a.c", "MIT".ljust(1001)) == ("unknown", "its header")
