"""How is a judged answer shown in a browser? One page that needs nothing else: no script, no font, no network.

The evidence of a mark stands behind it in a note that the style sheet opens while the mark is pointed at, focused or
tapped. A plain string is escaped wherever it is put into the page; only what ``tag`` made is markup.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from raguard.report.marks import NAMES, MarkedSpan, Passage, Report, clip, emphasis, numbered, segments, shown

__all__ = ["Markup", "page", "tag", "to_html"]

_AT_ONCE = 2
"""How many passages of a finding are shown without unfolding the rest."""
_VOID = ("br", "meta")


class Markup(str):
    """Markup that goes into a page as it stands; any other string is escaped."""

    __slots__ = ()


def tag(name: str, /, *children: str, **attributes: str | int | None) -> Markup:
    """An element; children that are not Markup are escaped, and so is every attribute; None leaves an attribute out.

    >>> tag("p", "1 < 2", tag("br"), class_="sum", aria_label='"quoted"')
    '<p class="sum" aria-label="&quot;quoted&quot;">1 &lt; 2<br></p>'
    """
    inside = "".join(child if isinstance(child, Markup) else escape(shown(child)) for child in children)
    pairs = [(key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items() if value is not None]
    head = "".join([name, *(f' {key}="{escape(shown(str(value)))}"' for key, value in pairs)])
    return Markup(f"<{head}>{inside}" + ("" if name in _VOID else f"</{name}>"))


def to_html(report: Report) -> str:
    """``report`` as one HTML page, to be encoded as UTF-8."""
    title = f"raguard report: {report.verdict.lower()}"
    return page(title, tag("main", *_parts(report)), tag("footer", report.footer))


def page(title: str, *body: Markup, sheet: str | None = None) -> str:
    """A whole page that may load and run nothing; ``sheet`` is a file of this package with further styles.

    >>> page("rent", tag("main", "$900"))[-38:]
    '<body><main>$900</main></body></html>\\n'
    """
    style = _style("page.css") + ("" if sheet is None else f"\n{_style(sheet)}")
    policy = (
        f"default-src 'none'; style-src 'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        tag("style", Markup(style)),
    )
    return f"<!doctype html>\n{tag('html', head, tag('body', *body), lang='en')}\n"


@cache
def _style(name: str) -> str:
    return files("raguard.report").joinpath(name).read_text(encoding="utf-8").strip()


def _parts(report: Report) -> Iterator[Markup]:
    numbers = numbered(report.spans)
    yield _header(report)
    if report.text is not None:
        yield tag(
            "section",
            tag("h2", report.title, id="answer"),
            _legend(report),
            tag("div", *_answer(report, report.text, numbers), class_="answer", lang=""),
            tag("p", report.unmarked, class_="quiet"),
            aria_labelledby="answer",
        )
    listed = [(number, report.spans[index]) for index, number in numbers.items()]
    yield tag("section", tag("h2", report.heading, id="findings"), _table(report, listed), aria_labelledby="findings")
    gaps = [tag("li", clip(gap)) for gap in report.gaps]
    yield tag(
        "section",
        tag("h2", "Not checked", id="gaps"),
        tag("ul", *gaps, class_="gaps") if gaps else tag("p", report.complete, class_="quiet"),
        aria_labelledby="gaps",
    )


def _header(report: Report) -> Markup:
    counts = [tag("li", count) for count in report.counts]
    return tag(
        "header",
        tag("p", "raguard report", class_="brand"),
        tag("h1", report.verdict),
        tag("p", report.told, class_="told"),
        tag("ul", *counts, class_="counts"),
        class_=report.tone,
    )


def _legend(report: Report) -> Markup:
    kinds = [tag("li", tag("span", text, class_=f"mark {kind}")) for kind, text in report.legend.items()]
    return tag("ul", *kinds, class_="legend", aria_label="What the marks mean")


def _answer(report: Report, text: str, numbers: dict[int, int]) -> Iterator[Markup | str]:
    for place, segment in enumerate(segments(report.spans, len(text))):
        words = text[segment.start : segment.end]
        if not segment.spans:
            yield words
            continue
        covering = [report.spans[index] for index in segment.spans]
        ending = [str(numbers[i]) for i in segment.spans if i in numbers and report.spans[i].end == segment.end]
        kind, note = covering[0].kind, f"note{place}"
        told = [_told(span, numbers.get(index)) for index, span in zip(segment.spans, covering, strict=True)]
        look = {"class_": f"mark {kind}", "data_numbers": " ".join(ending) or None}
        yield tag(
            "div",
            tag("mark", words, id=f"mark{place}", tabindex=0, aria_describedby=note, **look),
            tag("div", *told, id=note, class_=f"note {kind}", role="note", lang="en"),
            class_="place",
        )


def _told(span: MarkedSpan, number: int | None) -> Markup:
    """One span as its note tells it."""
    link = () if number is None else (tag("a", f"No. {number} below", href=f"#row{number}"),)
    return tag(
        "div", tag("p", _badge(span), tag("b", span.title), *link, class_="head"), *_details(span), class_="told"
    )


def _badge(span: MarkedSpan) -> Markup:
    return tag("span", NAMES[span.kind], class_=f"badge {span.kind}")


def _details(span: MarkedSpan) -> Iterator[Markup]:
    for line in span.lines:
        parts = emphasis(line)
        yield tag("p", line) if parts is None else tag("p", parts[0], tag("em", parts[1]))
    for entry in span.passages[:_AT_ONCE]:
        yield _passage(entry)
    more = span.passages[_AT_ONCE:]
    if more:
        yield tag("details", tag("summary", f"{len(more)} more"), *map(_passage, more))
    if span.origin:
        yield tag("p", span.origin, class_="quiet")


def _passage(entry: Passage) -> Markup:
    source = tag("p", entry.source, class_="source")
    if not entry.text:
        return tag("div", source, class_="evidence")
    around = entry.before or entry.after
    text = tag("b", entry.text) if around else entry.text
    quote = tag("p", entry.before, text, entry.after, class_="quote" if around else "quote whole", lang="")
    return tag("div", source, quote, class_="evidence")


def _table(report: Report, listed: list[tuple[int, MarkedSpan]]) -> Markup:
    if not listed:
        return tag("p", "None.", class_="quiet")
    first = _first_marks(report)
    names = [tag("th", name, scope="col", role="columnheader") for name in ("No.", "Mark", "In the answer", "Finding")]
    rows = [_row(number, span, first.get(id(span))) for number, span in listed]
    return tag(
        "table",
        tag("thead", tag("tr", *names, role="row"), role="rowgroup"),
        tag("tbody", *rows, role="rowgroup"),
        role="table",
        aria_labelledby="findings",
    )


def _first_marks(report: Report) -> dict[int, str]:
    """The anchor of the first mark of each span, by the span's identity."""
    anchors: dict[int, str] = {}
    if report.text is not None:
        for place, segment in enumerate(segments(report.spans, len(report.text))):
            for index in segment.spans:
                anchors.setdefault(id(report.spans[index]), f"mark{place}")
    return anchors


def _row(number: int, span: MarkedSpan, anchor: str | None) -> Markup:
    words = clip(span.text, 300)
    quoted = (
        tag("a", words, href=f"#{anchor}", lang="") if anchor else tag("span", words or "the whole answer", lang="")
    )
    return tag(
        "tr",
        tag("td", str(number), role="cell", class_="number"),
        tag("td", _badge(span), role="cell"),
        tag("td", quoted, role="cell", class_="words"),
        tag("td", tag("b", span.title), *_details(span), role="cell", class_="finding"),
        id=f"row{number}",
        role="row",
    )
