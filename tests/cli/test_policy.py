"""What a team thinks of a licence decides how a scan ends; ``tests/cases/policy`` has the levels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from support.command import build, winnow
from support.donor import write_known

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout


def test_the_licence_of_the_team_decides_on_licences_that_no_pattern_names(copied: Checkout, tmp_path: Path) -> None:
    source, reasons = write_known(tmp_path / "source"), {}
    for licence, level in (("MIT", "note"), ("GPL-3.0-only", "error"), ("BUSL-1.1", "warning"), ("ISC", "error")):
        index = tmp_path / f"{licence}.db"
        build(source, index, "--license", licence)
        rules = "{outbound: apache-2.0, deny: [ISC], default: warning}"
        copied.write(".winnow.yml", f"index: ['{index}']\npolicy: {rules}\n")
        ended = winnow("scan", "--format", "json", cwd=copied.root)
        found = ended.findings()
        assert {(one["level"], one["suppressed"]) for one in found} == {(level, None)}
        assert ended.status == int(level == "error")
        explained = winnow("explain", found[0]["id"], cwd=copied.root).output
        reasons[licence] = explained.partition("\nthe level\n")[2].splitlines()[1].strip()
        # Only a pattern denies.
        assert ("--including-denied" in explained) == (licence == "ISC")
        requires = "keep the copyright notice and the licence text\n"
        assert f"\nwhat the licence requires\n  {licence}: " in explained
        assert (f"\n  MIT: {requires}" in explained) == (licence == "MIT")
    matrix = r"\(OSADL's matrix of \d{4}-\d\d-\d\d: "
    assert re.fullmatch(rf"MIT: note, by policy.outbound: Apache-2.0 {matrix}Yes\)", reasons["MIT"])
    assert re.fullmatch(rf"GPL-3.0-only: error, by policy.outbound: Apache-2.0 {matrix}No\)", reasons["GPL-3.0-only"])
    assert re.fullmatch(rf"BUSL-1.1: warning, by policy.default: warning {matrix}Unknown\)", reasons["BUSL-1.1"])
    assert reasons["ISC"] == 'ISC: error, by policy.deny: "ISC"'
