"""A baseline outlives edits, and says when it no longer holds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from support.command import Ended, build, winnow
from support.donor import DISTRICTS, INNOCENT, KNOWN, MERGE_CLOSURES, PLAN, SHORTEST_ROUTE, write_known

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


def edit(checkout: Checkout, path: str, **changes: Any) -> None:
    """Change the entry of a file, as a person would."""
    content = json.loads((checkout.root / BASELINE).read_text())
    for entry in content["entries"]:
        if entry["path"] == path:
            entry.update(changes)
    checkout.write(BASELINE, json.dumps(content, indent=2))


def test_what_is_recorded_is_counted_and_not_shown(recorded: Checkout) -> None:
    ended = winnow("scan", "--all", cwd=recorded.root)
    assert (ended.status, ended.output) == (0, "no findings, 2 suppressed (2 baseline)\n")
    assert {(f["suppressed"], f["level"], f["reason"]) for f in scan(recorded, "--all").findings()} == {
        ("baseline", "error", "recorded by --update-baseline")
    }


def test_recording_twice_changes_nothing(recorded: Checkout) -> None:
    before = (recorded.root / BASELINE).read_bytes()
    ended = scan(recorded, "--all", "--update-baseline")
    assert "baseline.json: 0 added, 2 kept, 0 removed" in ended.errors
    assert (recorded.root / BASELINE).read_bytes() == before


def test_an_entry_outlives_edits_around_and_within_what_is_no_token(recorded: Checkout) -> None:
    text = SHORTEST_ROUTE.text.replace("    break\n", "    break  # there\n\n")
    inside = "".join(f"    {line}" for line in text.splitlines(keepends=True))
    recorded.write(ROUTE, f"{INNOCENT}\n\nclass Planner:\n{inside}\n\n{PLAN}")
    ended = scan(recorded, "--all")
    assert (ended.status, unsuppressed(ended), ended.report()["baseline"]["stale"]) == (0, [], [])


def test_an_entry_outlives_a_renamed_file_and_goes_along_when_recorded(recorded: Checkout) -> None:
    edit(recorded, ROUTE, reason="asked its author", expires="2999-01-01")
    recorded.git("mv", ROUTE, "src/router.py")
    recorded.commit()
    for mode in (["--all"], ["--range", "HEAD^..HEAD"], ["--since", "HEAD^"]):
        ended = scan(recorded, *mode)
        assert (ended.status, unsuppressed(ended), ended.report()["baseline"]["stale"]) == (0, [], [])
    scan(recorded, "--all", "--update-baseline")
    assert [(e["path"], e["reason"], e.get("expires")) for e in entries(recorded)][1] == (
        "src/router.py",
        "asked its author",
        "2999-01-01",
    )


def test_an_entry_outlives_a_new_version_of_its_source(recorded: Checkout, tmp_path: Path) -> None:
    newer = tmp_path / "newer"
    write_known(newer)
    (newer / "roads/routes.py").write_text(f"# 3.0\nimport this\n\n\n{KNOWN['roads/routes.py']}")
    build(newer, tmp_path / "newer.db", "--version", "3.0", "--license", "GPL-3.0-only")
    assert scan(recorded, "--all", "--index", tmp_path / "newer.db").status == 0


def test_a_copy_that_grows_and_one_elsewhere_are_new(recorded: Checkout) -> None:
    recorded.write(ROUTE, f"{PLAN}\n\n{SHORTEST_ROUTE.text}\n\n{MERGE_CLOSURES.text}")
    recorded.write("src/again.py", SHORTEST_ROUTE.text)
    assert unsuppressed(scan(recorded, "--all")) == ["src/again.py", ROUTE]


def test_another_licence_is_another_decision(recorded: Checkout, tmp_path: Path) -> None:
    build(write_known(tmp_path / "source"), tmp_path / "agpl.db", "--license", "AGPL-3.0-only")
    assert len(unsuppressed(scan(recorded, "--all", "--index", tmp_path / "agpl.db"))) == 2


def test_an_entry_that_is_over_suppresses_nothing_and_is_named(recorded: Checkout) -> None:
    edit(recorded, ROUTE, expires="2020-12-31")
    ended = scan(recorded, "--all")
    assert (ended.status, unsuppressed(ended)) == (1, [ROUTE])
    assert f"notice: baseline: the entry for {ROUTE}, from roads roads/routes.py ended on 2020-12-31" in ended.errors
    assert [(e["path"], e["expires"]) for e in ended.report()["baseline"]["expired"]] == [(ROUTE, "2020-12-31")]
    ended = scan(recorded, "--all", "--update-baseline")
    assert (ended.status, unsuppressed(ended)) == (1, [ROUTE])
    assert entries(recorded)[1]["expires"] == "2020-12-31"


def test_a_stale_entry_is_told_and_goes_when_recorded(recorded: Checkout) -> None:
    recorded.write(ROUTE, PLAN)
    ended = scan(recorded, "--all")
    assert ended.status == 0
    assert f"notice: baseline: the entry for {ROUTE}, from roads roads/routes.py matches nothing" in ended.errors
    assert [entry["path"] for entry in ended.report()["baseline"]["stale"]] == [ROUTE]
    ended = scan(recorded, "--all", "--update-baseline")
    assert "baseline.json: 0 added, 1 kept, 1 removed" in ended.errors
    assert "matches nothing" not in ended.errors
    assert [entry["path"] for entry in entries(recorded)] == ["src/bookings.py"]


def test_an_entry_of_a_deleted_file_goes(recorded: Checkout) -> None:
    (recorded.root / ROUTE).unlink()
    scan(recorded, "--all", "--update-baseline")
    assert [entry["path"] for entry in entries(recorded)] == ["src/bookings.py"]


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


def test_a_copy_made_twice_in_a_file_is_one_entry(recorded: Checkout) -> None:
    recorded.write(ROUTE, f"{SHORTEST_ROUTE.text}\n\n{PLAN}\n\n{SHORTEST_ROUTE.text}")
    scan(recorded, "--all", "--update-baseline")
    assert len(entries(recorded)) == 2
    assert scan(recorded, "--all").status == 0


def test_an_update_makes_its_place(copied: Checkout, known: Path) -> None:
    """What ``winnow-ci init`` writes names no baseline."""
    written = "# ours\nreport: {min_tokens: 16}  # ours"
    copied.write(".winnow.yml", written)
    ended = winnow("scan", "--index", known, "--update-baseline", cwd=copied.root)
    assert ended.status == 0
    assert "winnow-ci: .winnow.yml: now names the baseline\n" in ended.errors
    assert (copied.root / ".winnow.yml").read_text() == f"{written}\n{CONFIGURATION}"
    assert len(entries(copied)) == 2
    assert winnow("scan", "--index", known, cwd=copied.root).status == 0


def test_an_update_needs_a_place(copied: Checkout, known: Path, tmp_path: Path) -> None:
    copied.write(".winnow.yml", CONFIGURATION)
    (copied.root / ".winnow").symlink_to(tmp_path)
    problem, _ = winnow("scan", "--index", known, "--update-baseline", cwd=copied.root).last_words()
    assert "symbolic link" in problem
    assert not (tmp_path / "baseline.json").exists()


def test_a_mistake_names_its_line_and_nothing_is_written(recorded: Checkout) -> None:
    text = (recorded.root / BASELINE).read_text()
    recorded.write(BASELINE, text.replace('"reason"', '"raison"', 1))
    problem, remedy = scan(recorded, "--all", "--update-baseline").complaint(2)
    assert problem.endswith("baseline.json:4: unknown key 'raison'")
    assert remedy == "did you mean reason?"
    assert "raison" in (recorded.root / BASELINE).read_text()


def test_on_a_ci_the_baseline_is_that_of_the_base(recorded: Checkout) -> None:
    recorded.git("switch", "--quiet", "--create", "change")
    recorded.commit({"src/again.py": DISTRICTS.text})
    scan(recorded, "--all", "--update-baseline")
    recorded.commit()
    mode = ("--range", "main...change")
    assert unsuppressed(scan(recorded, *mode)) == []
    ended = scan(recorded, *mode, GITHUB_ACTIONS="true")
    assert (ended.status, unsuppressed(ended)) == (1, ["src/again.py"])
    assert "the change edits .winnow/baseline.json: the base's version applies" in ended.report()["scan"]["notices"]
    problem, remedy = scan(recorded, *mode, "--update-baseline", GITHUB_ACTIONS="true").complaint(2)
    assert "the base's baseline applies" in problem
    assert "--policy-from head" in remedy


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


def test_what_is_an_error_by_default_alone_is_recorded_and_counted_by_source(copied: Checkout, known: Path) -> None:
    copied.write(".winnow.yml", f"index: ['{known}']\n{CONFIGURATION}policy: {{deny: [unknown], default: error}}\n")
    ended = scan(copied, "--update-baseline")
    assert (ended.status, len(entries(copied))) == (0, 2)
    assert "baseline.json: 2 added, 0 kept, 0 removed\n  2 from roads (GPL-3.0-only)\n" in ended.errors


def test_including_denied_is_for_an_update(copied: Checkout, known: Path) -> None:
    problem, remedy = scan(copied, "--index", known, "--including-denied").complaint(2)
    assert "--including-denied is for --update-baseline" in problem
    assert "add --update-baseline" in remedy
