"""A plot with two logarithmic axes as SVG, readable on a light and on a dark page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Points = Sequence[tuple[float, float]]

WIDTH, HEIGHT = 720, 400
# Larger numbers are written as powers.
WRITTEN_OUT = 10**6
LEFT, RIGHT, TOP, BOTTOM = 60, 470, 20, 350
COLOURS = ("#3b82c4", "#d9722e", "#2f9e6e", "#b65fb0", "#a08a20", "#c8504f")
STYLE = """\
<style>
  text { font: 12px system-ui, sans-serif; fill: #777 }
  .grid { stroke: #888; stroke-opacity: 0.4 }
  polyline { fill: none; stroke-width: 2 }
  .computed { stroke-dasharray: 5 4 }
</style>"""


class _Axis:
    """From values to places, by powers of ten."""

    def __init__(self, values: Iterable[float], start: float, end: float) -> None:
        logs = [math.log10(value) for value in values]
        self._low, self._high = math.floor(min(logs)), math.ceil(max(logs))
        self._start, self._end = start, end

    def place(self, value: float) -> float:
        share = (math.log10(value) - self._low) / max(1, self._high - self._low)
        return self._start + share * (self._end - self._start)

    def ticks(self) -> list[float]:
        return [10.0**power for power in range(self._low, self._high + 1)]


def plot(series: Mapping[str, Points], across: str, up: str, computed: Mapping[str, Points] | None = None) -> str:
    """The plot of some series of measured points, with the names of the axes.

    Args:
        series: the points of each, by name.
        across: name of the axis from left to right.
        up: name of the other axis.
        computed: what was not measured but computed, of some of the series or of others; a broken line.
    """
    computed = computed or {}
    points = [point for of_series in (*series.values(), *computed.values()) for point in of_series]
    x = _Axis((point[0] for point in points), LEFT, RIGHT)
    y = _Axis((point[1] for point in points), BOTTOM, TOP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{up} by {across}</title>",
        STYLE,
        *_grid(x, y),
        f'<text x="{(LEFT + RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{across}</text>',
        f'<text transform="translate(14 {(TOP + BOTTOM) / 2}) rotate(-90)" text-anchor="middle">{up}</text>',
    ]
    for number, name in enumerate(dict.fromkeys([*series, *computed])):
        measured, further = (
            [(x.place(size), y.place(value)) for size, value in some.get(name, ())] for some in (series, computed)
        )
        lines += [*_line(number, measured), *_computed(number, further), *_legend(number, name)]
    return "\n".join([*lines, "</svg>", ""])


def _grid(x: _Axis, y: _Axis) -> Iterable[str]:
    for tick in x.ticks():
        place = x.place(tick)
        yield f'<line class="grid" x1="{place:.0f}" x2="{place:.0f}" y1="{TOP}" y2="{BOTTOM}"/>'
        yield f'<text x="{place:.0f}" y="{BOTTOM + 18}" text-anchor="middle">{_number(tick)}</text>'
    for tick in y.ticks():
        place = y.place(tick)
        yield f'<line class="grid" x1="{LEFT}" x2="{RIGHT}" y1="{place:.0f}" y2="{place:.0f}"/>'
        yield f'<text x="{LEFT - 6}" y="{place + 4:.0f}" text-anchor="end">{tick:g}</text>'


def _number(tick: float) -> str:
    """A power of ten, as short as it is readable."""
    if tick < WRITTEN_OUT:
        return f"{tick:,.0f}"
    return f'10<tspan dy="-4" font-size="9">{math.log10(tick):.0f}</tspan>'


def _line(number: int, places: Points) -> Iterable[str]:
    colour = COLOURS[number % len(COLOURS)]
    yield f'<polyline points="{_path(places)}" stroke="{colour}"/>'
    for x, y in places:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'


def _computed(number: int, places: Points) -> Iterable[str]:
    if places:
        colour = COLOURS[number % len(COLOURS)]
        yield f'<polyline class="computed" points="{_path(places)}" stroke="{colour}"/>'


def _path(places: Points) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _legend(number: int, name: str) -> Iterable[str]:
    height = TOP + 14 + 22 * number
    yield f'<rect x="{RIGHT + 16}" y="{height - 9}" width="12" height="4" fill="{COLOURS[number % len(COLOURS)]}"/>'
    yield f'<text x="{RIGHT + 34}" y="{height}">{name.replace("`", "")}</text>'
