"""``winnow-ci notice`` prints what a NOTICE file has to say about copies, ready to be pasted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from support.command import build, winnow
from support.donor import LOGS, ROUTES
from winnow_ci.scanner.show import copyright_lines

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout


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
