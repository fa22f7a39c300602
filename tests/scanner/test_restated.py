"""Code that restates or translates known code is found by its rare words, and reported as a note."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from support.building import build
from support.repository import Checkout
from winnow_ci import git
from winnow_ci.config.settings import ReportThresholds, Settings
from winnow_ci.index import WholeIndex
from winnow_ci.model import Source
from winnow_ci.scanner import scan
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from winnow_ci.model.findings import Finding

KNOWN = '''\
"""Tide gauges."""


def settle_gauges(gauge_rows, ebb_margin):
    """Level all gauges of one harbour."""
    mean_ebb = 0
    # The quay sinks by a hair each winter.
    quay_sink = 3217
    for gauge_row in gauge_rows:
        ebb_level = gauge_row.depth - quay_sink
        if ebb_level < ebb_margin:
            raise ValueError("this gauge lies above the quay")
        mean_ebb += ebb_level
    return mean_ebb / len(gauge_rows)


def spring_peak(moon_phase, shelf_slope):
    wave_front = moon_phase % 29531
    while wave_front > shelf_slope:
        wave_front -= shelf_slope
        # Springs come two days after the moon.
        if wave_front == 4093:
            break
    return wave_front * shelf_slope
'''
TRANSLATED = """\
package harbour

// Level all gauges of one harbour.
func SettleGauges(gaugeRows []Row, ebbMargin int) (int, error) {
	var meanEbb int
	const quaySink = 0xC91 // The quay sinks by a hair each winter.
	for i := 0; i < len(gaugeRows); i++ {
		ebbLevel := gaugeRows[i].depth
		ebbLevel = ebbLevel + -quaySink
		switch {
		case ebbLevel < ebbMargin:
			return 0, errors.New("this gauge lies above the quay")
		default:
			meanEbb = meanEbb + ebbLevel
		}
	}
	return meanEbb / len(gaugeRows), nil
}
"""
RESTATED = """\
class Gauges:
    def settle_gauges(self, gauge_rows, *, ebb_margin=None):
        levels = [self.ebb_level(one) for one in gauge_rows]
        bad = any(map(lambda level: level < ebb_margin, levels))
        if bad:
            print("this gauge lies above the quay", file=self.log)
            return None
        mean_ebb = sum(levels)
        return mean_ebb and mean_ebb // max(1, len(levels))

    def ebb_level(self, gauge_row):
        return gauge_row["depth"] + -1 * self.options.get("quay_sink", 3217)
"""


@pytest.fixture
def sources() -> dict[str, str]:
    """Further sources of the index, with the content of one file each."""
    return {}


@pytest.fixture
def index(tmp_path: Path, sources: dict[str, str]) -> Any:
    known = {"tides": KNOWN, "other": "def other(first, second):\n" + "    first = second(first)\n" * 30, **sources}
    for name, text in known.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.py").write_text(text)
        build([tmp_path / name], tmp_path / "known.db", Source(name, license="GPL-3.0-only"))
    with WholeIndex(tmp_path / "known.db") as found:
        yield found


@pytest.fixture
def look(tmp_path: Path, index: WholeIndex) -> Callable[..., tuple[Finding, ...]]:
    """Scans a file that a commit adds to a repository, or changes there."""

    def look(name: str, text: str, *, before: str | None = None, weak: str = "note") -> tuple[Finding, ...]:
        checkout = Checkout.create(tmp_path / "checkout")
        checkout.commit({"README.md": "Ours.\n", **({} if before is None else {name: before})})
        checkout.commit({name: text})
        repository = git.Repository.find(checkout.root)
        settings = replace(Settings(), report=ReportThresholds(weak=weak))
        return scan(repository, git.between(repository, "HEAD~1..HEAD"), [index], settings).findings

    return look


def test_a_translation_is_a_note_with_the_words_that_both_sides_have(look: Callable[..., tuple[Finding, ...]]) -> None:
    (finding,) = look("tides.go", TRANSLATED)
    assert (finding.kind, finding.strength, finding.level) == ("translated", "weak", "note")
    assert finding.source.file.path == "tides.py"
    assert {"gaugeRows", "ebbMargin", "meanEbb", "quaySink", "0xC91", "ebbLevel"} <= set(finding.words)
    assert "this gauge lies above the quay" in finding.words
    assert "Level all gauges of one harbour." in finding.words
    assert finding.agreement.verbatim is None
    assert (finding.evidence.names, finding.evidence.literals) >= (5, 1)
    assert 0 < finding.evidence.phrases < len(finding.words)
    assert finding.lines.first in range(3, 6)
    assert finding.lines.last in range(12, 18)
    assert finding.source.lines.last < KNOWN[: KNOWN.index("spring_peak")].count("\n")


def test_code_written_again_is_restated(look: Callable[..., tuple[Finding, ...]]) -> None:
    (finding,) = look("gauges.py", RESTATED)
    assert (finding.kind, finding.strength, finding.level) == ("restated", "weak", "note")
    assert {"settle_gauges", "mean_ebb", "quay_sink", "3217"} <= set(finding.words)


def test_a_copy_is_not_also_restated(look: Callable[..., tuple[Finding, ...]]) -> None:
    (finding,) = look("copied.py", KNOWN)
    assert finding.kind == "verbatim"


@pytest.mark.parametrize("sources", [{"bundle": RESTATED}])
def test_what_a_copy_from_a_bundle_restates_is_named_beside_it(look: Callable[..., tuple[Finding, ...]]) -> None:
    renamed = RESTATED.replace("levels", "heights").replace("bad", "wrong").replace("gauge_row[", "one_row[")
    copy, original = sorted(look("gauges.py", renamed), key=lambda finding: finding.kind)
    assert (copy.kind, copy.source.file.source.name) == ("renamed", "bundle")
    assert (original.kind, original.level, original.source.file.source.name) == ("restated", "note", "tides")


@pytest.mark.parametrize("sources", [{"part": re.sub(r"quay_sink|mean_ebb|ebb_level|ebb_margin|3217", "row", KNOWN)}])
def test_a_source_with_fewer_of_the_words_is_named_as_well(look: Callable[..., tuple[Finding, ...]]) -> None:
    (finding,) = look("gauges.py", RESTATED)
    assert finding.source.file.source.name == "tides"
    assert [place.file.source.name for place in finding.also_in] == ["part"]


def test_a_team_may_ask_for_errors(look: Callable[..., tuple[Finding, ...]]) -> None:
    (finding,) = look("tides.go", TRANSLATED, weak="error")
    assert (finding.level, finding.strength) == ("error", "weak")
    assert look("tides.go", TRANSLATED, weak="off") == ()


WORDS = ("gauge", "ebb", "quay", "harbour", "0xC91")


def test_other_words_are_no_evidence(look: Callable[..., tuple[Finding, ...]]) -> None:
    text = TRANSLATED
    for number, word in enumerate(WORDS):
        text = text.replace(word, f"x{number}").replace(word.capitalize(), f"X{number}")
    assert look("tides.go", text) == ()


@pytest.mark.parametrize("had_them", [True, False])
def test_words_that_the_file_had_before_are_no_evidence(
    look: Callable[..., tuple[Finding, ...]], had_them: bool
) -> None:
    names = "package a\n\nvar SettleGauges, gaugeRows, ebbMargin, meanEbb, quaySink, ebbLevel int\n"
    body = TRANSLATED[TRANSLATED.index("func ") :].replace("this gauge lies above the quay", "no")
    body = body.replace("The quay sinks by a hair each winter.", "").replace("0xC91", "9")
    start = names if had_them else "package a\n"
    assert bool(look("tides.go", f"{start}\n{body}", before=f"{start}\n")) != had_them


def test_a_row_of_words_on_one_line_is_no_evidence(look: Callable[..., tuple[Finding, ...]]) -> None:
    row = 'x = {"settleGauges": 1, "gaugeRows": 2, "ebbMargin": 3, "meanEbb": 4, "quaySink": 5, "ebbLevel": 6}\n'
    assert look("row.js", "let y = work(1, 2);\n" * 20 + row + "let z = work(2, 3);\n" * 20) == ()


def test_words_that_are_few_of_those_of_the_change_are_no_evidence(look: Callable[..., tuple[Finding, ...]]) -> None:
    """The share of the rare words of a part decides, not how many there are."""
    others = "".join(f"let zwirbel{n} = quench{n}(plinth{n}, ferrule{n});\n" for n in range(60))
    some = "let gaugeRows = work(1);\nlet ebbMargin = work(2);\n"
    assert look("own.js", others + some + others) == ()
