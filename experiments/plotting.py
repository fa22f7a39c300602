"""Plots as SVG without a background, in colours that are readable on light and on dark pages."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WIDTH, HEIGHT = 800, 400
LEFT, RIGHT, TOP, BOTTOM = 84, 500, 16, 340
GREY = "#808080"
COLOURS = ("#3b82c4", "#d9722e", "#2f9e6e", "#b65fb0", "#a08a20", "#d0504f", "#808080")
TEXT = f'font-family="sans-serif" font-size="13" fill="{GREY}"'


class Curve(NamedTuple):
    """A line through points.

    Attributes:
        name: for the legend.
        points: x and y, x rising.
        dashed: a theory, not a measurement.
    """

    name: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False


class Axis(NamedTuple):
    """From values to places.

    Attributes:
        low, high: values at the ends; logarithms of them, if ``by_powers``.
        start, end: their places.
        by_powers: whether the axis is logarithmic.
    """

    low: float
    high: float
    start: float
    end: float
    by_powers: bool

    def place(self, value: float) -> float:
        amount = math.log10(value) if self.by_powers else value
        return self.start + (amount - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        if self.by_powers:
            return [10.0**power for power in range(round(self.low), round(self.high) + 1)]
        return [self.low + part * _step(self.high) for part in range(round(self.high / _step(self.high)) + 1)]


def plot(curves: Sequence[Curve], across: str, up: str, logarithmic: str = "xy") -> str:
    """Draw curves, with the names of the axes; those named in ``logarithmic`` are so, the others start at 0."""
    x = _axis([point[0] for curve in curves for point in curve.points], LEFT, RIGHT, "x" in logarithmic)
    y = _axis([point[1] for curve in curves for point in curve.points], BOTTOM, TOP, "y" in logarithmic)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(up)} by {escape(across)}</title>",
        *_grid(x, y),
        _text((LEFT + RIGHT) / 2, HEIGHT - 14, across, "middle"),
        f'<g transform="translate(18 {(TOP + BOTTOM) / 2}) rotate(-90)">{_text(0, 0, up, "middle")}</g>',
    ]
    for number, curve in enumerate(curves):
        lines += _curve(number, curve, x, y)
    return "\n".join([*lines, "</svg>", ""])


def _axis(values: Sequence[float], start: float, end: float, by_powers: bool) -> Axis:
    if by_powers:
        logs = [math.log10(value) for value in values]
        return Axis(math.floor(min(logs)), max(math.ceil(max(logs)), math.floor(min(logs)) + 1), start, end, by_powers)
    step = _step(max(values))
    return Axis(0, math.ceil(max(values) / step) * step, start, end, by_powers)


def _step(highest: float) -> float:
    """1, 2 or 5 times a power of ten, with four to ten steps up to the highest."""
    power = 10.0 ** math.floor(math.log10(highest))
    return next(power * part for part in (0.1, 0.2, 0.5, 1) if highest / (power * part) <= 10)


def _grid(x: Axis, y: Axis) -> Iterable[str]:
    for tick in x.ticks():
        yield _line(x.place(tick), TOP, x.place(tick), BOTTOM)
        yield _text(x.place(tick), BOTTOM + 20, _number(tick), "middle")
    for tick in y.ticks():
        yield _line(LEFT, y.place(tick), RIGHT, y.place(tick))
        yield _text(LEFT - 6, y.place(tick) + 4, _number(tick), "end")


def _number(value: float) -> str:
    return f"{value / 1e6:g} M" if value >= 1e6 else f"{value:,g}"


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{GREY}" stroke-opacity="0.35"/>'


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {TEXT}>{escape(text)}</text>'


def _curve(number: int, curve: Curve, x: Axis, y: Axis) -> Iterable[str]:
    dashes = ' stroke-dasharray="5 4"' if curve.dashed else ""
    stroke = f'fill="none" stroke="{COLOURS[number % len(COLOURS)]}" stroke-width="2"{dashes}'
    # Points that no eye could tell apart are one.
    path = " ".join(dict.fromkeys(f"{x.place(across):.1f},{y.place(up):.1f}" for across, up in curve.points))
    height = TOP + 12 + 24 * number
    yield f'<polyline points="{path}" {stroke}/>'
    yield f'<path d="M{RIGHT + 14} {height - 4}h24" {stroke}/>'
    yield _text(RIGHT + 44, height, curve.name)
