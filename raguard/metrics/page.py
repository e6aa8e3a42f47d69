"""How do the scores of many answers look in a browser? A page in the look of the reports that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from raguard import __version__
from raguard.metrics.plots import draw
from raguard.metrics.summary import Case, MetricSummary, Summary
from raguard.report.html import Markup, page, tag

__all__ = ["to_html"]

_REASONS = 5
"""How many of the reasons for which a metric is undefined are listed."""
_COLUMNS = ("metric", "answers", "mean", "95 % interval")
_LABELLED = ("AUROC", "by length")


def to_html(summary: Summary, title: str) -> str:
    """The page of a summary; ``title`` says what was scored."""
    labelled = any(metric.labelled for metric in summary.metrics)
    body = tag(
        "main",
        _header(summary, title),
        tag(
            "section",
            tag("h2", "Means", id="means"),
            _table(summary, labelled=labelled),
            tag("p", _legend(labelled=labelled), class_="quiet"),
            aria_labelledby="means",
        ),
        *(_metric(metric, place) for place, metric in enumerate(summary.metrics, 1)),
    )
    return page(f"raguard scores: {title}", body, tag("footer", f"raguard {__version__}"), sheet="scores.css")


def _header(summary: Summary, title: str) -> Markup:
    count, marked = len(summary.slices), [each.unsupported for each in summary.slices if each.unsupported is not None]
    told = [tag("li", f"{count:,} answer{'' if count == 1 else 's'}")]
    if marked:
        told.append(tag("li", f"{len(marked):,} with a label, {sum(marked):,} of them unsupported"))
    return tag(
        "header",
        tag("p", "raguard scores", class_="brand"),
        tag("h1", title),
        tag("ul", *told, class_="counts"),
        class_="low",
    )


def _legend(*, labelled: bool) -> str:
    told = "All scores are from 0 to 1. The interval is that of the mean, by bootstrap."
    if labelled:
        told += (
            " AUROC is how well a metric tells unsupported answers from supported ones (0.5 is chance);"
            " by length is what the number of words alone comes to on the same answers."
        )
    return told


def _table(summary: Summary, *, labelled: bool) -> Markup:
    names = (*_COLUMNS, *(_LABELLED if labelled else ()))
    heads = [tag("th", name, scope="col", role="columnheader") for name in names]
    rows = [_row(metric, place, names) for place, metric in enumerate(summary.metrics, 1)]
    return tag(
        "table",
        tag("thead", tag("tr", *heads, role="row"), role="rowgroup"),
        tag("tbody", *rows, role="rowgroup"),
        role="table",
        aria_labelledby="means",
        class_="means",
    )


def _row(metric: MetricSummary, place: int, names: tuple[str, ...]) -> Markup:
    note = () if metric.higher_is_better else (tag("span", " higher is worse", class_="quiet"),)
    cells = (
        str(metric.n),
        _number(metric.mean),
        "–" if metric.low is None else f"{_number(metric.low)} to {_number(metric.high)}",
        _number(metric.auroc),
        _number(metric.length_auroc),
    )
    link = tag("a", metric.name, href=f"#metric-{place}")
    return tag(
        "tr",
        tag("th", link, *note, scope="row", role="rowheader"),
        *(
            tag("td", cell, role="cell", class_="number", data_name=name)
            for name, cell in zip(names[1:], cells, strict=False)
        ),
        role="row",
    )


def _metric(metric: MetricSummary, place: int) -> Markup:
    return tag(
        "section",
        tag("h2", metric.name, id=f"metric-{place}"),
        *_spread(metric),
        *_worst(metric),
        *_undefined(metric),
        aria_labelledby=f"metric-{place}",
        class_="metric",
    )


def _spread(metric: MetricSummary) -> Iterator[Markup]:
    if metric.mean is None:
        yield tag("p", "Undefined for every answer.", class_="quiet")
        return
    worse = "" if metric.higher_is_better else "; higher is worse"
    yield tag(
        "figure",
        draw(metric.values, metric.name, metric.mean),
        tag("figcaption", f"{metric.n:,} answers, mean {_number(metric.mean)}{worse}", class_="quiet"),
    )


def _worst(metric: MetricSummary) -> Iterator[Markup]:
    if metric.worst:
        yield tag("h3", "Worst")
        yield tag("ul", *map(_case, metric.worst), class_="cases")


def _case(case: Case) -> Markup:
    reason = (tag("span", case.reason, class_="quiet"),) if case.reason else ()
    return tag("li", tag("b", _number(case.value), class_="number"), tag("span", case.id, class_="id"), *reason)


def _undefined(metric: MetricSummary) -> Iterator[Markup]:
    reasons = list(metric.undefined.items())
    if not reasons:
        return
    total = sum(metric.undefined.values())
    yield tag("h3", f"Undefined for {total:,}")
    told = [tag("li", tag("b", f"{count:,}", class_="number"), tag("span", why)) for why, count in reasons[:_REASONS]]
    rest = sum(count for _, count in reasons[_REASONS:])
    if rest:
        told.append(tag("li", tag("b", f"{rest:,}", class_="number"), tag("span", "for other reasons")))
    yield tag("ul", *told, class_="cases")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
