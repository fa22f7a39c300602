"""Code that everybody has is no evidence, and only the configuration can declare it."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.donor import CHANGE, SHORTEST_ROUTE
from support.slow import EXPONENTIAL

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout

BUILT_IN = resources.files("winnow_ci.scanner") / "boilerplate_texts"
ENDINGS = {"javascript": "js", "python": "py", "go": "go"}
TEXTS = {
    "license-headers": {"mit", "bsd", "isc", "zlib", "apache", "gpl", "mpl", "boost", "unlicense"},
    "generated": {"typescript", "modules", "protobuf"},
}

OWN_HEADER = """\
This file is part of the Nordwind platform and contains confidential and
proprietary information of Nordwind Systems. It is furnished under an
agreement and may be used or copied only in accordance with the terms of
that agreement. No part of this file may be reproduced, stored in a
retrieval system or transmitted in any form or by any means, electronic or
mechanical, without the prior written consent of the Legal Department.
Questions (policy 7; section 12) answers Nordwind Systems (Hamburg).
"""


def test_a_text_of_the_configuration_is_no_evidence(copied: Checkout, known: Path) -> None:
    text = "".join(f"      {line}" for line in SHORTEST_ROUTE.text.splitlines(keepends=True))
    copied.write(".winnow.yml", f"boilerplate:\n  - language: python\n    text: |\n{text}")
    ended = winnow("scan", "--index", known, "--format", "json", cwd=copied.root)
    assert [finding["path"] for finding in ended.findings()] == ["src/bookings.py"]


def test_a_few_tokens_beside_boilerplate_do_not_make_it_evidence(checkout: Checkout, known: Path) -> None:
    lines = SHORTEST_ROUTE.text.splitlines(keepends=True)
    text = "".join(f"      {line}" for line in lines[:-1])
    checkout.write("src/plan.py", SHORTEST_ROUTE.text)
    checkout.write(".winnow.yml", f"boilerplate:\n  - language: python\n    text: |\n{text}")
    ended = winnow("scan", "--index", known, "--format", "json", cwd=checkout.root)
    assert (ended.status, ended.findings()) == (0, [])


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_built_in(name: str) -> None:
    assert {file.name.split(".")[0] for file in BUILT_IN.joinpath(name).iterdir()} == TEXTS[name]


def test_what_generators_write_is_no_evidence(tmp_path: Path, checkout: Checkout) -> None:
    folder = tmp_path / "known"
    folder.mkdir()
    for file in BUILT_IN.joinpath("generated").iterdir():
        stem, language = file.name.split(".")
        file_name = f"{stem}.{ENDINGS[language]}"
        (folder / file_name).write_bytes(file.read_bytes())
        checkout.write(f"docs/{file_name}", file.read_bytes())
    assert_no_evidence(folder, checkout, "builtin:generated", 3)


def test_headers_are_no_evidence_for_the_fallback_tokenizer_either(tmp_path: Path, checkout: Checkout) -> None:
    folder = tmp_path / "known"
    folder.mkdir()
    for file in BUILT_IN.joinpath("license-headers").iterdir():
        header = b"/*\n" + file.read_bytes() + b"*/\n"
        (folder / f"{file.name}.chpl").write_bytes(header + b"var a = b + 1;\n" * 20)
        if file.name in {"mit.text", "gpl.text"}:
            checkout.write(f"{file.name}.chpl", header + EXPONENTIAL)
    build(folder, tmp_path / "known.db", name="everybody")
    ended = winnow("scan", "--index", tmp_path / "known.db", "--format", "json", cwd=checkout.root)
    assert (ended.status, ended.findings()) == (0, [])
    assert "2 files read by the fallback tokenizer" in ended.errors


def test_a_company_s_own_header_is_no_evidence_if_the_configuration_has_it(tmp_path: Path, checkout: Checkout) -> None:
    """It is no known text, and the fallback tokenizer reads comments."""
    folder = tmp_path / "known"
    folder.mkdir()
    (folder / "known.chpl").write_text(f"/*\n{OWN_HEADER}*/\n" + "var a = b + 1;\n" * 20)
    checkout.write("own.chpl", f"/*\n{OWN_HEADER}*/\n".encode() + EXPONENTIAL)
    build(folder, tmp_path / "known.db", name="everybody")
    arguments = ("scan", "--index", tmp_path / "known.db", "--format", "json")
    assert [finding["path"] for finding in winnow(*arguments, cwd=checkout.root).findings()] == ["own.chpl"]
    text = "".join(f"      {line}\n" for line in OWN_HEADER.splitlines())
    checkout.write(".winnow.yml", f"boilerplate:\n  - language: text\n    text: |\n{text}")
    ended = winnow(*arguments, cwd=checkout.root)
    assert (ended.status, ended.findings()) == (0, [])


def assert_no_evidence(folder: Path, checkout: Checkout, boilerplate: str, least: int) -> None:
    """What the work tree has of a folder is found, but not as boilerplate."""
    known = folder.parent / "known.db"
    build(folder, known, name="everybody")
    arguments = ("scan", "--index", known, "--format", "json")
    assert len(winnow(*arguments, cwd=checkout.root).findings()) >= least
    checkout.write(".winnow.yml", f"boilerplate: ['{boilerplate}']\n")
    ended = winnow(*arguments, cwd=checkout.root)
    assert (ended.status, ended.findings()) == (0, [])


def test_a_mark_of_generated_code_hides_nothing(checkout: Checkout, known: Path) -> None:
    checkout.write(".winnow.yml", "boilerplate: ['builtin:generated', 'builtin:license-headers']\n")
    for path, text in CHANGE.items():
        checkout.write(path, f"# Code generated by protoc. DO NOT EDIT.\n# @generated\n{text}")
    ended = winnow("scan", "--index", known, "--format", "json", cwd=checkout.root)
    assert [finding["path"] for finding in ended.findings()] == ["src/bookings.py", "src/plan.py"]
