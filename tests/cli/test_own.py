"""Sources that are our own, and code that stands under more than one licence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import Ended, build, winnow
from support.donor import KNOWN, MERGE_CLOSURES, SHORTEST_ROUTE, write_known
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

FORK = "GPL-3.0-only"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A repository with two copies; ``acme-maps`` has both, ``fork`` as well, ``half`` has one of them."""
    index = tmp_path / "known.db"
    build(write_known(tmp_path / "ours"), index, "--license", "MIT", name="acme-maps")
    theirs = write_known(tmp_path / "theirs")
    (theirs / "roads/routes.py").write_text(f"# a fork\n{KNOWN['roads/routes.py']}")
    build(theirs, index, "--license", FORK, name="fork")
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"src/route.py": SHORTEST_ROUTE.text, "src/merge.py": MERGE_CLOSURES.text})
    return checkout


def scan(checkout: Checkout, configuration: str, *arguments: str | Path) -> Ended:
    checkout.write(".winnow.yml", f"index: [../known.db]\n{configuration}\n")
    return winnow("scan", "--all", "--format", "json", *arguments, cwd=checkout.root)


def test_our_own_code_is_ours_whoever_took_it(checkout: Checkout) -> None:
    ended = scan(checkout, "own: ['acme-*']")
    assert ended.status == 0
    assert [(f["suppressed"], f["reason"], f["source"]["name"], f["also_in"]) for f in ended.findings()] == [
        ("policy", "code of our own (own)", "fork", []),
        ("policy", "code of our own (own)", "fork", []),
    ]


def test_what_only_we_have_is_no_finding(checkout: Checkout) -> None:
    assert scan(checkout, "own: [acme-maps, fork]").findings() == []


def test_what_we_have_a_part_of_only_came_from_elsewhere(checkout: Checkout, tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.mkdir()
    (part / "a.py").write_text("".join(SHORTEST_ROUTE.text.splitlines(keepends=True)[:15]))
    build(part, tmp_path / "known.db", name="acme-part")
    found = scan(checkout, "own: [acme-part]").findings()
    assert [finding["suppressed"] for finding in found] == [None, None]
    assert "acme-part" not in {place["name"] for finding in found for place in finding["also_in"]}


def test_without_own_both_are_named(checkout: Checkout) -> None:
    names = {(f["source"]["name"], *(place["name"] for place in f["also_in"])) for f in scan(checkout, "").findings()}
    assert names == {("acme-maps", "fork")}


@pytest.mark.parametrize(
    ("policy", "status", "level", "suppressed", "objection"),
    [
        ("{allow: [MIT], deny: ['GPL-*']}", 0, "warning", None, "fork"),
        ("{allow: [MIT], warn: ['GPL-*']}", 0, "note", "policy", None),
        ("{allow: [MIT, 'GPL-*']}", 0, "note", "policy", None),
        ("{deny: [MIT], allow: ['GPL-*']}", 1, "error", None, None),
        ("{default: note, deny: ['GPL-*']}", 0, "warning", None, "fork"),
    ],
)
def test_an_allowed_source_does_not_hide_a_denied_one(
    checkout: Checkout, *, policy: str, status: int, level: str, suppressed: str | None, objection: str | None
) -> None:
    ended = scan(checkout, f"policy: {policy}")
    assert ended.status == status
    for finding in ended.findings():
        assert (finding["level"], finding["suppressed"]) == (level, suppressed)
        assert (finding["objection"] and finding["objection"]["name"]) == objection


def test_the_report_names_the_denied_source(checkout: Checkout) -> None:
    scan(checkout, "policy: {allow: [MIT], deny: ['GPL-*']}")
    ended = winnow("scan", "--all", cwd=checkout.root)
    assert "src/route.py:1-25: warning: copied from acme-maps (MIT), roads/routes.py:18-42" in ended.output
    assert "also in fork (GPL-3.0-only), roads/routes.py:19-43, which the policy denies" in ended.output
