"""A document about a licence leaves its folder the licence that it has; a licence in the place of one does not."""

from __future__ import annotations

import pytest

from support.licences import TEXTS, decided, file_licence
from winnow_ci.licensing.licence_texts import licence_document

MIT, BSD, GPL, LGPL = (TEXTS[name] for name in ("MIT", "BSD-3-Clause", "GPL-2.0", "LGPL-3.0"))
CODE = "docs/conf.py"
NAMED = "# License\n\n*roads* is licensed under the [MIT](https://example.org/licenses/mit/) license.\n"
CREDITS = """
A full list of contributors is on the [site](https://example.org/x?v=3MNVP9-hg).

It is the successor of tracks: subclassing is bad, except when it is not needed for this.
""".replace("is not needed for this", "is of value")
INDENTED, BSD_INDENTED = ("".join(f"    {line}\n" for line in text.splitlines()) for text in (MIT, BSD))
WRAPPED = "License\n-------\n\nUnder the terms of the `MIT`_ license, roads is free and open source software.\n\n"
WRAPPED += f".. code-block:: text\n\n{INDENTED}"


def of_docs(document: str, name: str = "docs/license.md", root: str = MIT, **others: str) -> str | None:
    """The licence of a file of documentation beside a document; None for that of the source."""
    return file_licence({"LICENSE": root, name: document, CODE: "x = 1\n", **others}, CODE)


@pytest.mark.parametrize(
    ("document", "name"),
    [
        (NAMED, "docs/license.md"),
        (NAMED + CREDITS, "docs/license.md"),
        ("# License\n\n```{include} ../LICENSE\n\n```\n", "docs/license.md"),
        (
            "---\norphan: true\n---\n\n# MIT License\n\n```{literalinclude} ../LICENSE\n---\n---\n```\n",
            "docs/LICENSE.md",
        ),
        ("License\n=======\n\n.. include:: ../LICENSE\n", "docs/license.rst"),
        ("License\n=======\n\n.. literalinclude:::: ../LICENSE\n    :language: text\n", "docs/license.rst"),
        ("# License\n\nThe full text is in [LICENSE](../LICENSE).\n", "docs/license.md"),
        (WRAPPED, "docs/license.rst"),
        (f"# License\n\nThis is the text:\n\n```text\n{MIT}```\n", "docs/license.md"),
        ("# Licence\n\nroads is licensed under the MIT License.\n", "docs/licence.markdown"),
    ],
)
def test_a_document_about_the_licence_of_the_source_adds_nothing(document: str, name: str) -> None:
    assert of_docs(document, name) is None


@pytest.mark.parametrize(
    "document",
    [
        "# License\n\nThis documentation is under CC BY-SA 4.0, the code is licensed under the MIT License.\n",
        "# License\n\nThe code is licensed under the MIT License, the documentation of it under that of ACME.\n",
        "# License\n\nroads is licensed under the MIT License, except for the fonts.\n",
        "# License\n\nroads is licensed under the MIT License. You must not sell it.\n",
        "# MIT License\n\nCopyright ACME. All rights reserved.\n",
        "# License\n\nroads is MIT. Ask ACME by mail, contact@acme.example, for a key.\n",
        "# License\n\nroads is licensed under the MIT License and the ACME Source License.\n",
        "# License\n\nroads is licensed under the MIT License with the Commons Clause.\n",
        "# License\n\nroads is licensed under the GNU General Public License.\n",
        "# License\n\nroads is licensed under the terms of the Apache License 2.0.\n",
        "# License\n\nThis is the license of roads, the property of ACME.\n",
        "# License\n\nSee the lawyers of ACME.\n",
        "# License\n\n```{include} ../COPYRIGHT\n```\n",
        "# License\n\n```{include} ../../LICENSE\n```\n",
        WRAPPED.replace(INDENTED, BSD_INDENTED),
        f"# MIT License\n\n{MIT.replace('without restriction', 'for noncommercial tests')}\n",
        "# MIT License\n\nDieses Programm darf jeder nur mit unserer schriftlichen Genehmigung an andere verkaufen.\n",
        "# MIT License\n\n\u672c\u8f6f\u4ef6\u4ec5\u4f9b\u5185\u90e8\u4f7f\u7528\u3002\n",
        NAMED + "\nThis is of the people, for the people, by the people. " * 40,
        "",
    ],
)
def test_what_says_more_is_a_licence_that_is_not_recognised(document: str) -> None:
    assert of_docs(document) == "unknown"


@pytest.mark.parametrize("name", ["LICENSE", "LICENSE.txt", "COPYING", "COPYING.md"])
def test_a_file_that_stands_for_a_licence_is_no_document(name: str) -> None:
    assert of_docs(NAMED, f"docs/{name}") == "unknown"


@pytest.mark.parametrize("removed", range(8))
@pytest.mark.parametrize("licence", sorted(set(TEXTS) - {"WTFPL", "Unlicense", "0BSD"}))
def test_a_licence_with_a_part_taken_out_is_no_document(licence: str, removed: int) -> None:
    """Each eighth of each text in turn; what is left allows or forbids something."""
    lines = TEXTS[licence].splitlines()
    cut = lines[: removed * len(lines) // 8] + lines[(removed + 1) * len(lines) // 8 :]
    text = f"# {licence} License\n\n" + "\n".join(cut)
    found = licence_document("docs/license.md", text.encode())
    assert found is None or found.texts


@pytest.mark.parametrize(
    ("root", "document", "wanted"),
    [
        (GPL, "roads is under the GNU General Public License, version 2.", None),
        (GPL, "roads is under the GPLv2.", None),
        (GPL, "roads is under the GPLv3.", "unknown"),
        (GPL, "roads is under the GNU Lesser General Public License.", "unknown"),
        (LGPL, "roads is under the GNU Lesser General Public License.", None),
        (LGPL, "roads is under the GNU General Public License.", "unknown"),
        (BSD, "roads is under the three-clause BSD license.", None),
        (BSD, "roads is under the BSD-2-Clause license.", "unknown"),
    ],
)
def test_versions_and_families_must_agree(root: str, document: str, wanted: str | None) -> None:
    assert of_docs(f"# License\n\n{document}\n", root=root) == wanted


def test_one_side_of_a_choice_is_not_the_choice() -> None:
    both = {"LICENSE-MIT": MIT, "LICENSE-APACHE": TEXTS["Apache-2.0"], CODE: ""}
    one = {**both, "docs/license.md": NAMED}
    assert file_licence(one, CODE) == "unknown"
    two = {**both, "docs/license.md": "# License\n\nUnder the MIT license or the Apache License 2.0.\n"}
    assert file_licence(two, CODE) is None


def test_a_document_takes_no_licence_away() -> None:
    """Embedded code keeps its own licence, whatever somebody writes beside it or above it."""
    inner = "vendor/tracks/a.c"
    files = {"LICENSE": MIT, "vendor/tracks/LICENSE": GPL, inner: ""}
    assert file_licence(files, inner) == "GPL-2.0-only"
    for place in ("vendor", "vendor/tracks/docs", "docs"):
        assert file_licence({**files, f"{place}/LICENSE.md": NAMED}, inner) == "GPL-2.0-only"
    assert file_licence({**files, "vendor/tracks/LICENSE.md": NAMED}, inner) == "unknown"
    agreeing = "# License\n\ntracks is under the [GPL](LICENSE), version 2.\n"
    assert file_licence({**files, "vendor/tracks/LICENSE.md": agreeing}, inner) == "GPL-2.0-only"


def test_a_document_in_embedded_code_is_about_that_code() -> None:
    files = {"LICENSE": MIT, "vendor/tracks/LICENSE": GPL, "vendor/tracks/docs/license.md": NAMED}
    assert file_licence({**files, "vendor/tracks/docs/a.py": ""}, "vendor/tracks/docs/a.py") == "unknown"


def test_a_document_alone_states_no_licence() -> None:
    stated = decided({"license.md": NAMED}).source
    assert stated is not None
    assert stated.license == "unknown"
    beside = decided({"LICENSE": MIT, "license.md": NAMED}).source
    assert beside is not None
    assert (beside.license, beside.origin) == ("MIT", ("LICENSE",))


@pytest.mark.parametrize(
    "text", ["```\n" * 16_000, " x\n\n" * 16_000, "](a" * 20_000, ".. include:: " * 4_000, "1." * 30_000, "`" * 65_000]
)
def test_hostile_documents_are_read_in_a_moment(text: str) -> None:
    licence_document("docs/license.md", text.encode()[: 64 << 10])


def test_longer_files_are_no_documents() -> None:
    text = NAMED.encode()
    assert licence_document("docs/license.md", text.ljust(64 << 10)) is not None
    assert licence_document("docs/license.md", text.ljust((64 << 10) + 1)) is None
