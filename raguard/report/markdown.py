"""How is a judged answer shown in Markdown? As a report that reads well raw, and out of which no text breaks.

Text of others is escaped character by character, so that it is shown as it is: it opens no heading, list, link, code,
table or tag, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from raguard.report.marks import NAMES, MarkedSpan, Passage, Report, clip, emphasis, numbered, segments, shown

__all__ = ["escaped", "to_markdown"]

_PASSAGES = 3
"""How many passages a finding shows."""

# braces are for templates, the pipe, tildes and dollars for tables, strikes and formulas, :// and www. for bare links
_SPECIAL = re.compile(r"[\\`*_\[\]<>{}&|~$]|:(?=//)|(?<=www)\.", re.IGNORECASE)
# what opens a block at the beginning of a line: the number of a list, or a mark that is not escaped yet
_OPENING = re.compile(r"\d{1,9}(?=[.)])|(?=[#+=:-])")
_SPACES = re.compile(r"^ |(?<=[ \u00a0]) ")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def to_markdown(report: Report) -> str:
    """``report`` as CommonMark that ends with a line feed."""
    return "\n".join(_lines(report)) + "\n"


def escaped(text: str) -> str:
    """``text`` on one line, as Markdown that shows it as it is behind the beginning of a line.

    >>> print(escaped("a|b *c*\\nd <e>"))
    a\\|b \\*c\\* d \\<e\\>
    """
    return _SPECIAL.sub(r"\\\g<0>", " ".join(shown(text).split()))


def _lines(report: Report) -> Iterator[str]:
    yield from (
        f"# {escaped(report.verdict)}",
        "",
        _line(report.told),
        "",
        " · ".join(map(escaped, report.counts)),
        "",
    )
    numbers = numbered(report.spans)
    if report.text is not None:
        yield from (f"## {escaped(report.title)}", "", *_quoted(_marked(report.text, report.spans, numbers)), "")
        if any(report.spans[index].kind != "supported" for index in numbers):
            yield from ("⟦Brackets⟧ hold what is not known to be supported, with its number below.", "")
    yield from (f"## {escaped(report.heading)}", "")
    for index, number in numbers.items():
        yield from _finding(number, report.spans[index])
    if not numbers:
        yield from ("None.", "")
    gaps = [f"- {_line(gap)}" for gap in report.gaps]
    yield from ("## Not checked", "", *(gaps or [_line(report.complete)]), "", _line(report.footer))


def _marked(text: str, spans: Sequence[MarkedSpan], numbers: Mapping[int, int]) -> str:
    """The text, escaped but for line ends, with brackets around what is listed and its number behind them."""
    parts: list[str] = []
    for segment in segments(spans, len(text)):
        inside = [index for index in segment.spans if index in numbers and spans[index].kind != "supported"]
        closing = [str(numbers[index]).translate(_RAISED) for index in inside if spans[index].end == segment.end]
        parts.extend("⟦" for index in inside if spans[index].start == segment.start)
        parts.append(_SPECIAL.sub(r"\\\g<0>", shown(text[segment.start : segment.end])))
        parts.extend(f"⟧{number}" for number in closing)
    return "".join(parts)


def _quoted(text: str) -> Iterator[str]:
    """Escaped text as a quotation that keeps its lines and its spaces."""
    for line in text.expandtabs(4).split("\n"):
        kept = _SPACES.sub("\u00a0", _begun(line))
        yield f"> {kept}  " if line.strip(" ") else ">"


def _line(text: str) -> str:
    """A sentence, escaped, for a line of its own."""
    return _begun(escaped(clip(text)))


def _reason(line: str) -> str:
    """A line on a span, its words between asterisks as emphasis."""
    parts = emphasis(line)
    return _line(line) if parts is None else f"{_line(parts[0])} *{escaped(clip(parts[1]))}*"


def _begun(line: str) -> str:
    """An escaped line that opens no block where it stands at the beginning of one."""
    opened = _OPENING.match(line)
    return line if opened is None else f"{opened[0]}\\{line[opened.end() :]}"


def _finding(number: int, span: MarkedSpan) -> Iterator[str]:
    """One entry of an ordered list; what stands below its first line is indented into it."""
    words = escaped(clip(span.text, 300))
    indent = " " * len(f"{number}. ")
    yield f"{number}. **{NAMES[span.kind]}** · {escaped(span.title)}" + (f": “{words}”" if words else "")
    parts = [_reason(line) for line in span.lines]
    parts.extend(f"> {_passage(passage)}" for passage in span.passages[:_PASSAGES])
    if len(span.passages) > _PASSAGES:
        parts.append(f"and {len(span.passages) - _PASSAGES} more")
    if span.origin:
        parts.append(_line(span.origin))
    for part in parts:
        yield from ("", f"{indent}{part}")
    yield ""


def _passage(passage: Passage) -> str:
    if not passage.text:
        return escaped(passage.source)
    around = bool(passage.before or passage.after)
    text = f"{passage.before}⟦{passage.text}⟧{passage.after}" if around else passage.text
    return f"{escaped(passage.source)}: {escaped(text)}"
