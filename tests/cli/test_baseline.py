"""A baseline outlives edits, and says when it no longer holds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from support.command import Ended, build, winnow
from support.donor import KNOWN

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout

CONFIGURATION = "baseline: .winnow/baseline.json\n"
BASELINE = ".winnow/baseline.json"
ROUTE = "src/plan.py"


@pytest.fixture
def recorded(copied: Checkout, known: Path) -> Checkout:
    """A repository whose two copies are in the baseline, with everything committed."""
    copied.write(".winnow.yml", f"index: ['{known}']\n{CONFIGURATION}")
    assert scan(copied, "--update-baseline").status == 0
    copied.commit()
    return copied


def scan(checkout: Checkout, *arguments: str | Path, **environment: str) -> Ended:
    return winnow("scan", "--format", "json", *arguments, cwd=checkout.root, **environment)


def unsuppressed(ended: Ended) -> list[str]:
    return [finding["path"] for finding in ended.findings() if finding["suppressed"] is None]


def entries(checkout: Checkout) -> list[dict[str, Any]]:
    return list(json.loads((checkout.root / BASELINE).read_text())["entries"])


@pytest.mark.parametrize(
    "arguments",
    [("--staged",), ("--range", "HEAD..HEAD"), ("--all", "src/greetings.py"), ("--since", "HEAD"), ("--all",)],
)
def test_a_scan_drops_nothing_that_it_could_not_see(
    recorded: Checkout, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "logs.py").write_text(KNOWN["roads/logs.py"])
    build(other, tmp_path / "other.db", name="logs")
    recorded.write(ROUTE, f"# one more line\n{(recorded.root / ROUTE).read_text()}")
    recorded.git("add", ".")
    # The index does not know what is in the baseline, where the scan would see everything else.
    index = ("--index", tmp_path / "other.db") if arguments == ("--all",) else ()
    before = (recorded.root / BASELINE).read_bytes()
    ended = scan(recorded, *arguments, *index, "--update-baseline")
    assert (ended.status, ended.report()["baseline"]["stale"]) == (0, [])
    assert (recorded.root / BASELINE).read_bytes() == before


def test_an_update_needs_a_place(copied: Checkout, known: Path, tmp_path: Path) -> None:
    copied.write(".winnow.yml", CONFIGURATION)
    (copied.root / ".winnow").symlink_to(tmp_path)
    problem, _ = winnow("scan", "--index", known, "--update-baseline", cwd=copied.root).last_words()
    assert "symbolic link" in problem
    assert not (tmp_path / "baseline.json").exists()


def test_what_deny_names_is_not_recorded(copied: Checkout, known: Path, tmp_path: Path) -> None:
    """One copy has a source that is denied first, the other one that is denied beside an accepted one."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "logs.py").write_text(KNOWN["roads/logs.py"])
    copied.write("src/logs.py", KNOWN["roads/logs.py"])
    build(other, tmp_path / "other.db", "--license", "MIT", name="logs")
    rules = f"index: ['{known}', '{tmp_path / 'other.db'}']\n{CONFIGURATION}policy: {{allow: [MIT], warn: ['GPL-*']"
    copied.write(".winnow.yml", f"{rules}, deny: [GPL-3.0-only]}}\n")
    before = scan(copied, "--all")
    ended = scan(copied, "--all", "--update-baseline")
    assert entries(copied) == []
    assert (ended.status, unsuppressed(ended)) == (1, unsuppressed(before))
    lines = ended.errors.splitlines()
    at = lines.index(f"winnow-ci: {BASELINE}: 0 added, 0 kept, 0 removed")
    assert lines[at + 1].startswith(f"winnow-ci: {len(before.findings())} not recorded, because policy.deny names ")
    named = [line.split()[0] for line in lines[at + 2 :] if line.startswith("  ")]
    assert named == [finding["id"] for finding in before.findings()]
    assert all(line.endswith(" from roads (GPL-3.0-only)") for line in lines[at + 2 :] if line.startswith("  "))

    ended = scan(copied, "--all", "--update-baseline", "--including-denied")
    assert (ended.status, unsuppressed(ended), len(entries(copied))) == (0, [], len(before.findings()))
    assert "not recorded" not in ended.errors
    ended = scan(copied, "--all", "--update-baseline")
    assert f"0 added, {len(before.findings())} kept" in ended.errors
