"""What do curves look like side by side? A plain SVG file, readable on light and dark backgrounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Panel", "svg"]

Point = tuple[float, float]

_WIDTH, _HEIGHT = 400, 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 22, 48, 40
_PANELS_IN_A_ROW = 2
_STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #444; }
  text.title { font-weight: 600; fill: #222; }
  .grid { stroke: #ddd; }
  .curve { fill: none; stroke-width: 2; }
  .linear { stroke: #999; stroke-dasharray: 4 4; }
  .c0 { stroke: #0b62b0; } text.f0 { fill: #0b62b0; }
  .c1 { stroke: #c2410c; } text.f1 { fill: #c2410c; }
  @media (prefers-color-scheme: dark) {
    text { fill: #bbb; } text.title { fill: #eee; } .grid { stroke: #3a3a3a; } .linear { stroke: #888; }
    .c0 { stroke: #6cb6ff; } text.f0 { fill: #6cb6ff; }
    .c1 { stroke: #ff9b5e; } text.f1 { fill: #ff9b5e; }
  }
"""
"""Colors for light backgrounds, and others where the reader's are dark."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One diagram: curves by name over a shared axis; ``log`` tells whether that axis is logarithmic, y always is."""

    title: str
    note: str
    axis: str
    curves: Mapping[str, Sequence[Point]]
    log: bool = True


def svg(panels: Sequence[Panel], unit: str) -> str:
    """The panels as one SVG text; y values are in ``unit``. A dashed line shows what would be linear."""
    rows = -(-len(panels) // _PANELS_IN_A_ROW)
    width, height = _WIDTH * min(len(panels), _PANELS_IN_A_ROW), _HEIGHT * rows
    drawn = "\n".join(
        f'<g transform="translate({place % _PANELS_IN_A_ROW * _WIDTH} {place // _PANELS_IN_A_ROW * _HEIGHT})">\n'
        + "\n".join(_panel(panel, unit))
        + "\n</g>"
        for place, panel in enumerate(panels)
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
    return f"{head}\n<style>{_STYLE}</style>\n{drawn}\n</svg>\n"


def _panel(panel: Panel, unit: str) -> list[str]:
    points = [point for curve in panel.curves.values() for point in curve]
    xs, ys = sorted({x for x, _ in points}), [y for _, y in points]
    y_ticks = _decades(min(ys), max(ys))
    across = _scale(xs[0], xs[-1], _LEFT, _WIDTH - _RIGHT, log=panel.log)
    up = _scale(y_ticks[0], y_ticks[-1], _HEIGHT - _BOTTOM, _TOP, log=True)
    lines = [
        f'<text class="title" x="{_LEFT}" y="16">{escape(panel.title)}</text>',
        f'<text x="{_LEFT}" y="32">{escape(panel.note)}</text>',
    ]
    for tick in y_ticks:
        lines += [
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{up(tick)}" y2="{up(tick)}"/>',
            f'<text x="{_LEFT - 6}" y="{up(tick) + 4:.1f}" text-anchor="end">{_short(tick)} {escape(unit)}</text>',
        ]
    for tick in _decades(xs[0], xs[-1], inside=True) if panel.log else xs:
        lines.append(
            f'<text x="{across(tick)}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="middle">{_short(tick)}</text>'
        )
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    lines.append(f'<text x="{middle}" y="{_HEIGHT - 6}" text-anchor="middle">{escape(panel.axis)}</text>')
    if panel.log:
        lines.append(_linear(max(panel.curves.values(), key=len), across, up, y_ticks))
    for number, (name, curve) in enumerate(panel.curves.items()):
        path = " ".join(f"{across(x)},{up(y)}" for x, y in curve)
        beside = _WIDTH - _RIGHT - 40 * (len(panel.curves) - 1 - number)
        lines += [
            f'<polyline class="curve c{number}" points="{path}"/>',
            f'<text class="f{number}" x="{beside}" y="16" text-anchor="end">{escape(name)}</text>',
        ]
    return lines


def _linear(
    curve: Sequence[Point], across: Callable[[float], float], up: Callable[[float], float], y_ticks: Sequence[float]
) -> str:
    """The line through a curve's last point along which time is proportional, as far down as the diagram goes."""
    (first_x, _), (last_x, last_y) = curve[0], curve[-1]
    low_x = max(first_x, last_x * y_ticks[0] / last_y)
    low_y = last_y * low_x / last_x
    ends = f'x1="{across(low_x)}" y1="{up(low_y)}" x2="{across(last_x)}" y2="{up(last_y)}"'
    return f'<line class="linear" {ends}/>'


def _scale(low: float, high: float, start: float, end: float, *, log: bool) -> Callable[[float], float]:
    """Where a value between ``low`` and ``high`` stands between ``start`` and ``end``."""

    def measure(value: float) -> float:
        return math.log(value) if log else value

    span = measure(high) - measure(low) or 1.0

    def place(value: float) -> float:
        return round(start + (measure(value) - measure(low)) / span * (end - start), 1)

    return place


def _decades(low: float, high: float, *, inside: bool = False) -> list[float]:
    """The powers of ten around a range, or those inside it.

    >>> _decades(3, 70), _decades(3, 170, inside=True)
    ([1.0, 10.0, 100.0], [10.0, 100.0])
    """
    first, last = math.log10(low), math.log10(high)
    if inside:
        return [10.0**power for power in range(math.ceil(first), math.floor(last) + 1)]
    return [10.0**power for power in range(math.floor(first), max(math.ceil(last), math.floor(first) + 1) + 1)]


def _short(value: float) -> str:
    """A tick's number as short as it goes: 0.1, 10, 1,000.

    >>> _short(0.1), _short(1000.0)
    ('0.1', '1,000')
    """
    return f"{value:,.0f}" if value >= 1 or value == 0 else f"{value:g}"
