"""How true the model is: what it finds of plants, how much is false, and how well its log-odds are calibrated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from examples import all_examples

from winnow_ci.report.shown import GENERATED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from examples import Part
    from fitting import Fitted


def figures(parts: Sequence[Part], found: Fitted, cuts: tuple[float, float]) -> Iterator[str]:
    """Lines of two tables in Markdown: by language, and by decile of probability."""
    yield "| language | plants | found % | as errors % | lines, unrelated | false errors a million | false notes |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    languages = sorted({part.language for part in parts})
    for name in (*languages, "all"):
        own = [part for part in parts if name in {part.language, "all"}]
        yield _row(name, own, found, cuts)
    framework = [part for part in parts if part.kind == "framework"]
    errors, _, lines = _false(framework, found, cuts)
    yield f"\nUsers of a framework against it: {lines:,} lines, {_million(errors, lines)} false errors a million."
    yield from _deciles(parts, found)


def _row(name: str, parts: Sequence[Part], found: Fitted, cuts: tuple[float, float]) -> str:
    plants = sum(part.plants for part in parts)
    report, error = (_found(parts, found, cut) for cut in cuts)
    errors, notes, lines = _false([part for part in parts if part.kind == "unrelated"], found, cuts)
    shares = [f"{100 * count / plants:.1f}" if plants else "" for count in (report, error)]
    false = [_million(count, lines) if lines else "" for count in (errors, notes)]
    return f"| {name} | {plants} | {' | '.join(shares)} | {lines:,} | {' | '.join(false)} |"


def _found(parts: Sequence[Part], found: Fitted, cut: float) -> int:
    """How many plants have a true finding of these log-odds; each changed file has one plant."""
    files = 0
    for part in parts:
        copies = [one for one in part.examples if part.kind == "plants" and one.label == "copy"]
        odds = found.log_odds(copies)
        files += len({one.place.partition(":")[0] for one, own in zip(copies, odds, strict=True) if own >= cut})
    return files


def _false(parts: Sequence[Part], found: Fitted, cuts: tuple[float, float]) -> tuple[int, int, int]:
    """How many false findings are errors, and how many notes; and of how many lines."""
    false = [one for one in all_examples(parts) if one.label == "false" and one.filter != GENERATED]
    odds, weak = found.log_odds(false), np.array([one.filter is not None for one in false], np.bool_)
    errors = int(((odds >= cuts[1]) & ~weak).sum())
    return errors, int((odds >= cuts[0]).sum()) - errors, sum(part.lines for part in parts)


def _million(count: int, lines: int) -> str:
    return f"{1e6 * count / lines:.1f}" if lines else ""


def _deciles(parts: Sequence[Part], found: Fitted) -> Iterator[str]:
    examples = [one for one in all_examples(parts) if one.filter is None]
    likely = 1 / (1 + np.exp(-found.log_odds(examples)))
    copies = np.array([one.label == "copy" for one in examples])
    yield "\n| probability | findings | true % |\n|---|---:|---:|"
    for tenth in range(10):
        own = copies[(likely * 10).astype(int).clip(0, 9) == tenth]
        yield f"| {tenth / 10} to {(tenth + 1) / 10} | {len(own)} | {100 * own.mean():.0f} |" if len(own) else ""
