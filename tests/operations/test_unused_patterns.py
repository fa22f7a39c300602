"""Patterns that match nothing are named by a scan of everything, and only where they cannot be right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.donor import PLAN, write_known
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("known")
    source = write_known(folder / "source")
    (source / "own.py").write_text("# SPDX-License-Identifier: LicenseRef-Road-Works\n" + PLAN)
    build(source, folder / "known.db", "--license", "LicenseRef-Roads OR MIT")
    return folder / "known.db"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"src/plan.py": PLAN, "tools/x/a.py": "a = 1\n", ".gitignore": "build/\n*.log\n"})
    return checkout


def told(checkout: Checkout, known: Path, rules: str, *arguments: str) -> list[str]:
    """The notices of a scan of everything by these rules."""
    checkout.write(".winnow.yml", f"index: ['{known}']\n{rules}\n")
    ended = winnow("scan", "--exit-zero", "--format", "json", *(arguments or ("--all",)), cwd=checkout.root)
    assert ended.status == 0, ended
    return list(ended.report()["scan"]["notices"])


@pytest.mark.parametrize(
    ("rules", "notice"),
    [
        ("paths: {exclude: [vendro/]}", "paths.exclude: 'vendro/' matches no file"),
        ("paths: {exclude: [src/gen]}", "paths.exclude: 'src/gen' matches no file"),
        ("paths: {exclude: ['/plan.py']}", "paths.exclude: '/plan.py' matches no file"),
        ("paths: {exclude: ['scr/**/*.py', src/plan.py]}", "paths.exclude: 'scr/**/*.py' matches no file"),
        ("paths: {include: [src, lib]}", "paths.include: 'lib' matches no file"),
        ("boilerplate: ['tools/y/*']", "boilerplate: 'tools/y/*' matches no file"),
        ("own: ['raods*', roads]", "own: 'raods*' matches no source"),
        ("policy: {allow: [MIT, LicenseRef-Rods]}", "policy.allow: 'LicenseRef-Rods' is not the licence of any source"),
    ],
)
def test_a_pattern_that_matches_nothing_is_named(checkout: Checkout, known: Path, rules: str, notice: str) -> None:
    assert told(checkout, known, rules) == [notice]


@pytest.mark.parametrize(
    "mode", [("--staged",), ("--since", "HEAD"), ("--range", "HEAD..HEAD"), ("--all", "src")], ids=" ".join
)
def test_a_scan_of_less_does_not_know(checkout: Checkout, known: Path, mode: tuple[str, ...]) -> None:
    checkout.write("src/more.py", "a = 1\n")
    checkout.git("add", ".")
    rules = "paths: {exclude: [vendro/]}\nboilerplate: [z]\nown: [raods]\npolicy: {allow: [LicenseRef-Rods]}"
    assert told(checkout, known, rules, *mode) == []
    assert len(told(checkout, known, rules)) == 4


@pytest.mark.parametrize(
    "rules",
    [
        "paths: {exclude: [tools/, 'src/*.py', plan.py, ./src, '**']}",
        "paths: {exclude: ['**/generated/**', '*.min.js', '[a-c]*/x', 'v?ndor']}",
        "paths: {exclude: [build/, 'build/**', debug.log, x/build/y]}",
        "paths: {include: [src/**, tools]}",
        "boilerplate: [tools/x/, 'builtin:generated', {language: python, text: 'x = 1'}]",
        "own: ['road*']",
        "policy: {deny: [AGPL-*, LicenseRef-Other], warn: [LicenseRef-Other], allow: [Zlib, 'BSD-*', 'LicenseRef-B*']}",
        "policy: {allow: [licenseref-roads, LicenseRef-Road-Works]}",
    ],
)
def test_a_pattern_that_may_be_right_is_not(checkout: Checkout, known: Path, rules: str) -> None:
    assert told(checkout, known, rules) == []


def test_indexes_of_the_command_line_say_nothing_about_the_configuration(checkout: Checkout, known: Path) -> None:
    rules = "own: [raods]\npolicy: {allow: [LicenseRef-Rods]}"
    assert told(checkout, known, rules, "--all", "--index", str(known)) == []


def test_files_that_nobody_has_committed_count(checkout: Checkout, known: Path) -> None:
    checkout.write("lib/new.py", "a = 1\n")
    assert told(checkout, known, "paths: {exclude: [lib]}") == []


def test_a_link_on_the_way_is_no_trouble(checkout: Checkout, known: Path) -> None:
    (checkout.root / "link").symlink_to("src")
    assert told(checkout, known, "paths: {exclude: [link/plan.py, tools]}") == []


def test_ten_are_named(checkout: Checkout, known: Path) -> None:
    notices = told(checkout, known, f"paths: {{exclude: [{', '.join(f'x{number}' for number in range(12))}]}}")
    assert notices[9] == "paths.exclude: 'x9' matches no file"
    assert notices[10:] == ["2 more patterns match nothing"]
