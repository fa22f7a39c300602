"""JSON says what a scan went by: which content, which indexes, which rules."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from support.command import winnow
from support.donor import CHANGE

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout

ENTRY = {
    "path": "src/other.py",
    "source": "roads",
    "source_path": "roads/routes.py",
    "license": "GPL-3.0-only",
    "kind": "verbatim",
    "anchor": "ab" * 16,
    "reason": "it is ours",
}


def scanned(checkout: Checkout, *arguments: str | Path, cwd: Path | None = None, **settings: str) -> dict[str, Any]:
    ended = winnow("scan", *arguments, "--format", "json", cwd=cwd or checkout.root, **settings)
    assert ended.status == 1, ended
    return ended.report()


def configured(checkout: Checkout, index: Path, text: str = "") -> dict[str, Any]:
    checkout.write(".winnow.yml", f"index: [{index}]\n{text}")
    return scanned(checkout)["scan"]  # type: ignore[no-any-return]


def test_findings_have_the_digests_of_their_files_and_their_bytes(copied: Checkout, known: Path) -> None:
    for finding in scanned(copied, "--index", known)["findings"]:
        content = (copied.root / finding["path"]).read_bytes()
        assert finding["file_sha256"] == hashlib.sha256(content).hexdigest()
        assert finding["file_sha1"] == hashlib.sha1(content).hexdigest()
        lines = content.splitlines(keepends=True)[finding["start_line"] - 1 : finding["end_line"]]
        first, last = finding["byte_range"]
        assert content[first - 1 : last] == b"".join(lines)


def test_the_sha256_is_that_of_the_content_that_was_scanned(copied: Checkout, known: Path) -> None:
    """What is staged, and not what has become of the file since."""
    staged = (copied.root / "src/plan.py").read_bytes()
    copied.git("add", "--all")
    copied.write("src/plan.py", "nothing\n")
    report = scanned(copied, "--staged", "--index", known)
    assert {one["file_sha256"] for one in report["findings"] if one["path"] == "src/plan.py"} == {
        hashlib.sha256(staged).hexdigest()
    }


def test_indexes_are_named_as_people_name_them_with_their_digests(copied: Checkout, known: Path) -> None:
    inside = copied.root / "tools" / "known.db"
    inside.parent.mkdir()
    inside.write_bytes(known.read_bytes())
    (digest,) = (line.rpartition(" ")[2] for line in listed(known) if " digest " in line)
    for arguments, cwd, path in (
        (("--index", known), None, known.as_posix()),
        (("--index", inside), None, "tools/known.db"),
        (("--index", "known.db"), inside.parent, "tools/known.db"),
        (("--index", inside.parent), None, "tools/known.db"),
    ):
        report = scanned(copied, *arguments, cwd=cwd)
        assert report["scan"]["indexes"] == [{"path": path, "digest": digest}]


def listed(index: Path) -> list[str]:
    return winnow("index", "list", index, cwd=index.parent).output.splitlines()


def test_an_index_of_the_base_has_its_name_in_the_repository(checkout: Checkout, known: Path) -> None:
    """It is read from a copy in a folder that is gone afterwards."""
    checkout.commit({".winnow.yml": "index: [known.db]\n", "known.db": known.read_bytes()})
    for path, text in {**CHANGE, "known.db": "an edit"}.items():
        checkout.write(path, text)
    report = scanned(checkout, "--policy-from", "base", "--since", "main")
    assert [index["path"] for index in report["scan"]["indexes"]] == ["known.db"]


def test_the_policy_digest_is_equal_for_equal_rules(copied: Checkout, known: Path, tmp_path: Path) -> None:
    plain = configured(copied, known)
    assert plain["policy_digest"] == configured(copied, known, "# a comment\nreport: {weak: note}\n")["policy_digest"]
    other = tmp_path / "elsewhere.db"
    other.write_bytes(known.read_bytes())
    assert plain["policy_digest"] == configured(copied, other)["policy_digest"]
    (copied.root / ".winnow.yml").unlink()
    assert plain["policy_digest"] == scanned(copied, "--index", known)["scan"]["policy_digest"]


@pytest.mark.parametrize(
    "rule",
    [
        "policy: {deny: ['AGPL-*']}",
        "policy: {warn: ['AGPL-*']}",
        "policy: {allow: ['AGPL-*']}",
        "policy: {default: note}",
        "policy: {outbound: MIT}",
        "report: {min_tokens: 17}",
        "report: {min_tokens_renamed: 17}",
        "report: {weak: warning}",
        "languages: [python]",
        "paths: {include: ['src/**']}",
        "paths: {exclude: ['docs/**']}",
        "own: [acme]",
        "suppressions: {inline: base}",
        "boilerplate: ['docs/**']",
        "boilerplate: ['builtin:generated']",
        "boilerplate: [{language: python, text: 'x = 1'}]",
        "baseline: baseline.json",
    ],
)
def test_the_policy_digest_is_another_for_each_other_rule(copied: Checkout, known: Path, rule: str) -> None:
    copied.write("docs/notes.py", "print(1)\n")
    copied.write("baseline.json", json.dumps({"version": 1, "entries": [ENTRY]}))
    level = "note" if rule.startswith("policy: {default") else "error"
    before = configured(copied, known)["policy_digest"]
    copied.write(".winnow.yml", f"index: [{known}]\n{rule}\n")
    ended = winnow("scan", "--format", "json", cwd=copied.root)
    assert ended.status == (0 if level == "note" else 1), ended
    assert ended.report()["scan"]["policy_digest"] != before


def test_the_policy_digest_depends_on_what_boilerplate_and_baseline_say(copied: Checkout, known: Path) -> None:
    rules, seen = "boilerplate: ['docs/**']\nbaseline: baseline.json\n", set()
    for code, reason in (("1", "a"), ("2", "a"), ("2", "b")):
        copied.write("docs/notes.py", f"print({code})\n")
        copied.write("baseline.json", json.dumps({"version": 1, "entries": [{**ENTRY, "reason": reason}]}))
        seen.add(configured(copied, known, rules)["policy_digest"])
    assert len(seen) == 3
