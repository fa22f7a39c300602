"""Scores as text and as JSON."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from contract import LENGTHS

MANY_INNOCENT = 5  # lines of a finding that nobody copied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scoring import Outcome, Score


class Result(NamedTuple):
    """A detector on all rounds."""

    detector: str
    scores: tuple[Score, ...]
    seconds: float
    cpu_seconds: float = 0.0

    @property
    def outcomes(self) -> list[Outcome]:
        return [outcome for score in self.scores for outcome in score.outcomes]


def table(rows: Sequence[str], columns: Sequence[str], cell: Callable[[str, str], str], corner: str = "") -> str:
    content = [[corner, *columns], *([row, *(cell(row, column) for column in columns)] for row in rows)]
    widths = [max(len(line[n]) for line in content) for n in range(len(columns) + 1)]
    lines = (
        "  ".join(
            [line[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(line[1:], widths[1:], strict=True))]
        )
        for line in content
    )
    return "\n".join(lines)


def share(outcomes: Iterable[Outcome], what: Callable[[Outcome], float | None]) -> float | None:
    values = [value for value in map(what, outcomes) if value is not None]
    return sum(values) / len(values) if values else None


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def described(result: Result) -> str:
    """All tables of a detector."""
    outcomes = result.outcomes
    languages = list(dict.fromkeys(outcome.language for outcome in outcomes))
    parts = [
        f"## {result.detector}",
        "",
        in_words(result),
        "",
        by_language(outcomes, languages),
        "",
        edges([score for score in result.scores if score.outcomes]),
        "",
        _by_length(outcomes),
    ]
    for language in languages:
        own = [outcome for outcome in outcomes if outcome.language == language]
        parts += ["", _by_length(own, language)]
    return "\n".join([*parts, "", in_innocent_code(result)])


def in_words(result: Result) -> str:
    figures = sums(result)
    shares = {key: percent(value) for key, value in figures.items()}
    return (
        f"{figures['plants']} plants: recall {shares['recall']} %; pieces taken together {shares['recall_pieces']} %\n"
        f"line precision {shares['line_precision']} %, counting lines that the change does not add, too: "
        f"{shares['span_precision']} %\n"
        f"findings with {MANY_INNOCENT} and more lines beside the copy: {figures['overshooting']} of {figures['hits']} "
        f"({shares['overshoot']} %); "
        f"innocent files hit: {figures['innocent_hit']} of {figures['innocent']}\n"
        f"of the copies seen, the right file is named first for {shares['attribution']} %, "
        f"at all for {shares['attribution_any']} %\n"
        f"IoU of lines, of those found: {shares['iou']} %; {result.seconds:.0f} s"
        + (f", {result.cpu_seconds:.0f} s of processor time" if result.cpu_seconds else "")
    )


def sums(result: Result) -> dict[str, float | None]:
    outcomes, scores = result.outcomes, result.scores
    spans = [span for score in scores for span in score.spans]
    reported = sum(score.reported for score in scores)
    false = [item for score in scores for item in score.false]
    return {
        "plants": len(outcomes),
        "recall": share(outcomes, lambda one: one.found),
        "recall_pieces": share(outcomes, lambda one: one.pieces),
        "line_precision": sum(score.planted for score in scores) / reported if reported else None,
        **overshoots(spans),
        "innocent": sum(score.innocent for score in scores),
        "innocent_hit": len({(language, mutation, one.path) for language, mutation, one in false}),
        "innocent_overlaps": len(false),
        "attribution": share(outcomes, lambda one: one.attributed),
        "attribution_any": share(outcomes, lambda one: one.also),
        "iou": share(outcomes, lambda one: one.iou if one.found else None),
    }


def overshoots(spans: Sequence[tuple[int, int]]) -> dict[str, float | None]:
    """How far the overlaps that hold copied lines go beyond the copy, and how much of all overlaps is copied."""
    hits = [beside for lines, beside in spans if beside < lines]
    lines, many = sum(lines for lines, _ in spans), sum(beside >= MANY_INNOCENT for beside in hits)
    return {
        "span_precision": 1 - sum(beside for _, beside in spans) / lines if lines else None,
        "hits": len(hits),
        "overshooting": many,
        "overshoot": many / len(hits) if hits else None,
    }


def edges(scores: Sequence[Score]) -> str:
    """Line precision and overshoot by language."""
    groups: dict[str, list[Score]] = defaultdict(list)
    for one in scores:
        groups[one.outcomes[0].language].append(one)
        groups["all"].append(one)
    rows = [*sorted(groups, key="all".__eq__)]

    def cell(row: str, column: str) -> str:
        group = groups[row]
        figures = overshoots([span for one in group for span in one.spans])
        reported = sum(one.reported for one in group)
        return {
            "line precision": lambda: percent(sum(one.planted for one in group) / reported if reported else None),
            "by span": lambda: percent(figures["span_precision"]),
            "findings": lambda: str(figures["hits"]),
            f"{MANY_INNOCENT} and more beside": lambda: str(figures["overshooting"]),
            "%": lambda: percent(figures["overshoot"]),
        }[column]()

    columns = ["line precision", "by span", "findings", f"{MANY_INNOCENT} and more beside", "%"]
    return table(rows, columns, cell, "edges")


def by_language(outcomes: list[Outcome], languages: list[str]) -> str:
    groups: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for one in outcomes:
        for row in (one.mutation, "all"):
            for column in (one.language, "all"):
                groups[row, column].append(one)
    rows = [*dict.fromkeys(one.mutation for one in outcomes), "all"]

    def cell(row: str, column: str) -> str:
        group = groups[row, "all" if column in ("pieces", "IoU", "attributed") else column]
        return {
            "pieces": lambda: percent(share(group, lambda one: one.pieces)),
            "IoU": lambda: percent(share(group, lambda one: one.iou if one.found else None)),
            "attributed": lambda: percent(share(group, lambda one: one.attributed)),
        }.get(column, lambda: percent(share(group, lambda one: one.found)))()

    return table(rows, [*languages, "all", "pieces", "IoU", "attributed"], cell, "recall, %")


def _by_length(outcomes: list[Outcome], corner: str = "all languages") -> str:
    rows = [*dict.fromkeys(one.mutation for one in outcomes), "all"]

    def cell(row: str, column: str) -> str:
        group = [one for one in outcomes if row in (one.mutation, "all") and column == one.plant.length]
        return f"{sum(one.found for one in group)}/{len(group)}"

    return table(rows, LENGTHS, cell, f"found, {corner}")


def in_innocent_code(result: Result) -> str:
    rows = [item for score in result.scores for item in score.false]
    lines = [
        f"  {language}-{mutation}: {one.path}:{one.start}-{one.end}  {one.known}:{_there(one)}"
        for language, mutation, one in rows
    ]
    return "\n".join(["overlaps in innocent code:", *(lines or ["  none"])])


def _there(one: object) -> str:
    return f"{getattr(one, 'known_start', 0)}-{getattr(one, 'known_end', 0)}"


def as_json(result: Result) -> dict:
    """Sums, and the outcome of every plant."""
    return {
        "detector": result.detector,
        "seconds": round(result.seconds, 1),
        "cpu_seconds": round(result.cpu_seconds, 1),
        "sums": sums(result),
        "outcomes": [{**one._asdict(), "plant": one.plant._asdict()} for one in result.outcomes],
        "false": [
            {"language": language, "mutation": mutation, **one._asdict()}
            for score in result.scores
            for language, mutation, one in score.false
        ],
    }


def missed(result: Result) -> list[dict]:
    return [
        {
            "detector": result.detector,
            "language": one.language,
            "mutation": one.mutation,
            "length": one.plant.length,
            "changed": f"{one.plant.path}:{one.plant.start}-{one.plant.end}",
            "donor": f"{one.plant.donor}:{one.plant.donor_start}-{one.plant.donor_end}",
            "seen": one.seen,
            "pieces": one.pieces,
        }
        for one in result.outcomes
        if not one.found
    ]
