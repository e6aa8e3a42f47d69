"""How do the scores of a metric spread? A histogram as a drawing within a page, told in words to who cannot see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raguard.metrics.statistics import histogram
from raguard.report.html import Markup, tag

__all__ = ["draw", "tell"]

_BINS = 10
_WIDTH, _HEIGHT, _FOOT = 320, 98, 19
_GAP = 3
_ROOM = 16
"""The room above the highest bar, for its count."""


def draw(values: Sequence[float], name: str, mean: float) -> Markup:
    """The histogram of scores from 0 to 1 in ten bars, with a line at their mean; each bar has its count above it.

    >>> draw([0.05, 1.0], "tone", 0.525).count("<rect")
    2
    """
    bars = list(_bars(histogram(values, _BINS)))
    return tag(
        "svg",
        *(bar for bar, _ in bars),
        tag("line", class_="mean", x1=_number(mean * _WIDTH), x2=_number(mean * _WIDTH), y1=_ROOM, y2=_HEIGHT),
        tag("line", class_="axis", x1=0, x2=_WIDTH, y1=_HEIGHT, y2=_HEIGHT),
        *(count for _, count in bars),  # upon the line of the mean
        *(
            tag("text", label, class_="tick", x=_number(place * _WIDTH), y=_HEIGHT + _FOOT - 4, text_anchor=anchor)
            for label, place, anchor in (("0", 0.0, "start"), ("0.5", 0.5, "middle"), ("1", 1.0, "end"))
        ),
        viewBox=f"0 0 {_WIDTH} {_HEIGHT + _FOOT}",
        role="img",
        aria_label=f"{name}: {tell(values)}",
        class_="plot",
    )


def tell(values: Sequence[float]) -> str:
    """The histogram in words.

    >>> tell([0.05, 0.07, 1.0])
    '2 from 0 to 0.1, 1 from 0.9 to 1'
    """
    counts = histogram(values, _BINS)
    told = [f"{count} from {place / _BINS:g} to {(place + 1) / _BINS:g}" for place, count in enumerate(counts) if count]
    return ", ".join(told)


def _bars(counts: Sequence[int]) -> Iterator[tuple[Markup, Markup]]:
    """Each bar and its count."""
    width = _WIDTH / len(counts)
    for place, count in enumerate(counts):
        if not count:
            continue
        # a single one among thousands must still be seen
        height = max(1.5, count / max(counts) * (_HEIGHT - _ROOM))
        left, top = place * width + _GAP / 2, _HEIGHT - height
        middle = left + (width - _GAP) / 2
        yield (
            tag("rect", x=_number(left), y=_number(top), width=_number(width - _GAP), height=_number(height)),
            tag("text", str(count), x=_number(middle), y=_number(top - 3), text_anchor="middle"),
        )


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
