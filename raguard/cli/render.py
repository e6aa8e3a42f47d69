"""How does a person read a verdict? The answer with its flagged spans marked, then each warning.

With styles a span is underlined in the color of its severity; without them (no terminal, NO_COLOR,
--no-color) a line of marks stands under it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from raguard import CheckedFact, Document, Evidence, VerifyResult, Warning
from raguard.result import Severity
from raguard.text.terminals import visible

__all__ = ["console", "render"]

_COLORS: dict[Severity, str] = {"high": "red", "medium": "yellow", "low": "cyan"}
_MARKS: dict[Severity, str] = {"high": "^", "medium": "~", "low": "."}
_CONTEXT = 60


def console(*, no_color: bool = False) -> Console:
    """Standard output, with styles where it can show them and the user wants them."""
    plain = no_color or bool(os.environ.get("NO_COLOR"))
    return Console(color_system=None if plain else "auto", highlight=False, markup=False, emoji=False)


def render(output: Console, result: VerifyResult, docs: Sequence[str | Document], response: str) -> None:
    """Prints the verdict, the marked answer, each warning, what was not checked, and a summary line."""
    styled = output.color_system is not None
    # the line end of a text file is no part of the picture
    for line in _lines(result, docs, visible(response).rstrip(), styled):
        output.print(line, soft_wrap=not styled)


def _lines(result: VerifyResult, docs: Sequence[str | Document], response: str, styled: bool) -> Iterator[Text]:
    yield Text(result.action.upper(), style="bold red" if result.action == "review" else "bold green")
    yield Text()
    yield from _styled(response, result.warnings) if styled else _marked(response, result.warnings)
    yield Text()
    for warning in result.warnings:
        yield from _warning(warning, docs)
        yield Text()
    for gap in result.unchecked:
        yield Text(f"not checked: {visible(gap.what)}: {visible(gap.why)}", style="yellow")
    yield Text(_summary(result), style="bold")


def _styled(response: str, warnings: Sequence[Warning]) -> Iterator[Text]:
    text = Text(response)
    for warning in warnings:
        text.stylize(f"underline {_COLORS[warning.severity]}", warning.start, warning.end)
    yield text


def _marked(response: str, warnings: Sequence[Warning]) -> Iterator[Text]:
    marks: dict[int, str] = {}
    for warning in reversed(warnings):
        marks.update(dict.fromkeys(range(warning.start, warning.end), _MARKS[warning.severity]))
    start = 0
    for line in response.split("\n"):
        yield Text(line)
        places = enumerate(line, start)
        under = "".join("\t" if char == "\t" else marks.get(at, " ") * cell_len(char) for at, char in places)
        if under.strip():
            yield Text(under.rstrip())
        start += len(line) + 1


def _warning(warning: Warning, docs: Sequence[str | Document]) -> Iterator[Text]:
    head = Text(f"{warning.severity:6} ", style=f"bold {_COLORS[warning.severity]}")
    head.append(warning.type, style="bold")
    if warning.end > warning.start:
        head.append(f' "{_excerpt(warning.text)}" at {warning.start}-{warning.end}', style="not bold")
    yield head
    yield Text(f"       {visible(warning.suggestion)}")
    if warning.evidence is not None:
        yield _evidence(warning.evidence, docs[warning.evidence.doc])
    yield Text(f"       rule {warning.rule}", style="dim")


def _evidence(evidence: Evidence, doc: str | Document) -> Text:
    """The evidence in brackets between what stands around it in its document."""
    text = doc.text if isinstance(doc, Document) else doc
    first, last = max(0, evidence.start - _CONTEXT), min(len(text), evidence.end + _CONTEXT)
    name = f"document {evidence.doc + 1}" + (f" ({_excerpt(evidence.doc_id)})" if evidence.doc_id else "")
    line = Text(f"       {name}: ")
    line.append(("…" if first else "") + _excerpt(text[first : evidence.start]), style="dim")
    line.append(f"[{_excerpt(text[evidence.start : evidence.end])}]", style="bold")
    line.append(_excerpt(text[evidence.end : last]) + ("…" if last < len(text) else ""), style="dim")
    return line


def _excerpt(text: str) -> str:
    return visible(text.replace("\n", " ").replace("\t", " "))


def _summary(result: VerifyResult) -> str:
    counts = result.summary
    return (
        f"{counts.high} high, {counts.medium} medium, {counts.low} low; {_facts(result.facts)}; "
        f"rules {result.ruleset.version} {result.ruleset.hash[:12]}"
    )


def _facts(facts: Sequence[CheckedFact]) -> str:
    supported = sum(fact.status == "supported" for fact in facts)
    return f"{len(facts)} {'fact' if len(facts) == 1 else 'facts'} checked, {supported} supported"
