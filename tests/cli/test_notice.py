"""``winnow-ci notice`` prints what a NOTICE file has to say about copies, ready to be pasted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from support.command import build, winnow
from support.donor import LOGS, ROUTES, write_known
from winnow_ci.scanner.show import copyright_lines

if TYPE_CHECKING:
    from pathlib import Path

    from support.manifest import Project
    from support.repository import Checkout

HOLDER = "Copyright (c) 2012 Ada <ada@example.org> ``` *and* others"
WHOLE = f"# SPDX-FileCopyrightText: 1999 Grace\n{LOGS}"
BEGINNING = """\
## `roads 2.1`

- from: <https://example.org/roads>
- licence: `MIT`
- requires: MIT: keep the copyright notice and the licence text
- copy: `lib/whole.py:1-30` from `roads/logs.py`
- copy: `src/bookings.py:4-17` from `roads/routes.py`
- copy: `src/plan.py:13-37` from `roads/routes.py`
"""


def with_holders(folder: Path, *options: str) -> Path:
    """An index of the source, whose files name their holders."""
    write_known(folder / "source")
    (folder / "source" / "roads" / "routes.py").write_text(f"# {HOLDER}\n{ROUTES}")
    (folder / "source" / "roads" / "logs.py").write_text(WHOLE)
    described = ("--version", "2.1", "--license", "MIT", "--url", "https://example.org/roads")
    build(folder / "source", folder / "known.db", *described, *options)
    return folder / "known.db"


def test_copies_with_the_lines_of_copyright_that_are_at_hand(copied: Checkout, tmp_path: Path) -> None:
    copied.write("lib/whole.py", WHOLE)
    known = winnow("notice", "--index", with_holders(tmp_path / "a", "--with-text"), cwd=copied.root)
    assert known.status == 0
    assert known.output == f"{BEGINNING}\n````\nSPDX-FileCopyrightText: 1999 Grace\n{HOLDER}\n````\n"
    # Of a file that is the same as the source's, the text is here; of the other, nobody has it.
    unknown = winnow("notice", "--index", with_holders(tmp_path / "b"), cwd=copied.root)
    see = "- copyright: see <https://example.org/roads>\n"
    assert unknown.output == f"{BEGINNING}{see}\n```\nSPDX-FileCopyrightText: 1999 Grace\n```\n"


def test_accepted_copies_are_named(copied: Checkout, known: Path) -> None:
    copied.write(".winnow.yml", "policy: {allow: ['*']}\n")
    assert winnow("scan", "--index", known, cwd=copied.root).output == "no findings, 2 suppressed\n"
    assert winnow("notice", "--index", known, cwd=copied.root).output.count("- copy: ") == 2
    assert winnow("notice", "src/plan.py", "--index", known, cwd=copied.root).output.count("- copy: ") == 1


@pytest.mark.parametrize("rule", ["report: {cut: 20}", "boilerplate: [src]", "own: [ours]", "own: [roads, ours]"])
def test_weak_findings_and_our_own_code_are_not(copied: Checkout, known: Path, tmp_path: Path, rule: str) -> None:
    build(write_known(tmp_path / "ours"), tmp_path / "ours.db", name="ours")
    copied.write(".winnow.yml", rule)
    ended = winnow("notice", "--index", known, "--index", tmp_path / "ours.db", cwd=copied.root)
    assert (ended.status, ended.output) == (0, "")
    assert "winnow-ci: no copies, so there is nothing to say in a NOTICE file\n" in ended.errors


def test_each_source_has_a_section_and_its_name_is_no_markup(copied: Checkout, tmp_path: Path) -> None:
    for folder, name, licence, text in (("a", "zoo", "LicenseRef-x", ROUTES), ("b", "`<b>", "ISC OR MIT", LOGS)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}.py").write_text(text)
        build(tmp_path / folder, tmp_path / f"{folder}.db", "--license", licence, name=name)
    copied.write("src/logs.py", LOGS)
    indexes = ("--index", tmp_path / "a.db", "--index", tmp_path / "b.db")
    text = winnow("notice", *indexes, cwd=copied.root).output
    assert [line for line in text.splitlines() if line.startswith("#")] == ["## `\\x60\\x3cb>`", "## `zoo`"]
    assert "\n- requires: ISC: keep the" in text
    assert "\n- requires: MIT: keep the" in text
    assert "\n- licence: `LicenseRef-x`\n- requires: not known here: read the licence\n" in text
    assert "\n- copyright: not known\n" in text
    assert not [token for token in MarkdownIt().parse(text) if token.type.startswith("html")]


def test_after_an_incomplete_scan_a_notice_may_be_missing(copied: Checkout, known: Path) -> None:
    copied.write("src/large.py", "x = 1\n" * 12_000_000)
    ended = winnow("notice", "--index", known, cwd=copied.root)
    assert ended.status == 3
    assert ended.output.count("- copy: ") == 2


def test_the_sources_of_a_lock(project: Project) -> None:
    project.declare("{path: ../../roads, license: MIT}", "{path: ../../logs-1.0.tar.gz, name: logs, version: '1.0'}")
    problem, remedy = winnow("notice", "--manifest", project.manifest, cwd=project.root).complaint(2)
    assert problem.endswith("sources.lock does not exist")
    assert remedy.startswith("write it: winnow-ci index sync --manifest ")
    project.synced()
    ended = winnow("notice", "--manifest", project.manifest, cwd=project.root)
    assert ended.output == "- `logs 1.0`, `unknown`, not known\n- `roads`, `MIT`, not known\n"
    problem, _ = winnow("notice", "--manifest", project.manifest, "--all", cwd=project.root).complaint(2)
    assert problem == "--manifest lists a lock, and scans nothing"


@pytest.mark.parametrize(
    ("line", "holder"),
    [
        ("/* Copyright (C) 1996 - 2023, Daniel, et al. */", "Copyright (C) 1996 - 2023, Daniel, et al."),
        (" * Copyright 2019 The Authors", "Copyright 2019 The Authors"),
        ("// Copyright The Kubernetes Authors.", "Copyright The Kubernetes Authors."),
        ("<!-- © 2020 Müller -->", "© 2020 Müller"),
        ("-- (c) 2001 Bob", "(c) 2001 Bob"),
        ("# copyright notice and this permission notice shall", None),
        ("# COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM", None),
        ("# Copyright Holder means", None),
        ("    AUTHORS OR COPYRIGHT HOLDERS", None),
    ],
)
def test_what_is_a_line_of_copyright(line: str, holder: str | None) -> None:
    assert copyright_lines(f"x\n{line}\ny\n".encode()) == ((holder,) if holder else ())
