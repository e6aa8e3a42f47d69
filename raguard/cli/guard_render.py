"""How does a person read what the guard found? The verdict, each claim and what speaks of it, then the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from raguard.claims.actions import BLOCK_NOTICE
from raguard.claims.verdicts import ChunkRef, ClaimStatus, ClaimVerdict, GuardResult, GuardVerdict
from raguard.text.terminals import visible

__all__ = ["render"]

_WORDS = {
    ClaimStatus.SUPPORTED: "supported",
    ClaimStatus.HALLUCINATION_FLAG: "unsupported",
    ClaimStatus.UNCHECKED: "unchecked",
}
_COLORS = {ClaimStatus.SUPPORTED: "green", ClaimStatus.HALLUCINATION_FLAG: "red", ClaimStatus.UNCHECKED: "yellow"}
_VERDICTS = {GuardVerdict.PASS: "green", GuardVerdict.FLAGGED: "yellow", GuardVerdict.BLOCKED: "red"}
_HEAD = len("unsupported  0.00  0/0  ")
_NARROW = 60
"""A terminal of fewer columns has a claim below what is found of it."""
_WIDEST = 120
"""The most columns of a claim."""
_MANY = 3
"""How many unchecked claims in a row are shown one by one when all have the same reason."""
_REFS = 3
"""How many passages are named; the others are counted."""
_LONGEST_REASON = 300


def render(output: Console, result: GuardResult, given: str, shown: str, scorer: str) -> None:
    """Prints the verdict, each claim, the settings that decided, and the answer ``shown`` in place of ``given``."""
    for line in _lines(result, given, shown, scorer, _Page(output)):
        # the answer is left to the terminal, which keeps it in one piece for whoever copies it
        output.print(line, soft_wrap=True)


class _Page:
    """How wide the lines of a claim may be, and where they begin: a file gets them whole."""

    def __init__(self, output: Console) -> None:
        self._output = output
        self.is_narrow = output.is_terminal and output.width < _NARROW
        self._indent = 2 if self.is_narrow else _HEAD
        self.room = max(1, min(output.width - self._indent, _WIDEST)) if output.is_terminal else _WIDEST

    def indented(self, text: Text) -> Iterator[Text]:
        """The lines of ``text``, as many as the terminal needs."""
        lines = text.wrap(self._output, self.room) if self._output.is_terminal else [text]
        for line in lines:
            line.rstrip()
            yield Text(" " * self._indent).append_text(line)


def _lines(result: GuardResult, given: str, shown: str, scorer: str, page: _Page) -> Iterator[Text]:
    yield Text(result.verdict.value.upper(), style=f"bold {_VERDICTS[result.verdict]}")
    yield Text(visible(result.reason))
    yield Text()
    for (status, reasons), run in groupby(result.claims, key=lambda claim: (claim.status, claim.reasons)):
        claims = list(run)
        if status is ClaimStatus.UNCHECKED and len(claims) == len(result.claims):
            # the verdict has just said why
            claims, reasons = [replace(claim, reasons=()) for claim in claims], ()
        if status is ClaimStatus.UNCHECKED and len(claims) > _MANY:
            yield _head(status, "-", "-").append(f"{len(claims):,} claims", style="not bold default")
            if reasons:
                yield from page.indented(Text(_joined(reasons)))
            continue
        for claim in claims:
            yield from _claim(claim, page)
    if result.claims:
        yield Text()
    yield Text(
        f"risk {result.risk:.2f}, threshold {result.threshold:g}, action {result.action.value}, scorer {scorer}",
        style="dim",
    )
    yield Text()
    yield Text(f"answer, {_fate(given, shown)}:", style="bold")
    yield _answer(result, given, shown)


def _claim(claim: ClaimVerdict, page: _Page) -> Iterator[Text]:
    head = _head(claim.status, "-" if claim.entailment is None else _share(claim.entailment), claim.votes)
    text = _cut(_one_line(str(claim.claim)), page.room)
    if page.is_narrow:
        head.rstrip()
        yield head
        yield from page.indented(Text(text))
    else:
        yield head.append(text, style="not bold default")
    if claim.reasons:
        # what speaks against a claim has words of it between asterisks
        is_weak = claim.supported and any(": *" in reason for reason in claim.reasons)
        yield from page.indented(Text(("weak points, " if is_weak else "") + _joined(claim.reasons)))
    if claim.evidence:
        kind = "supported by" if claim.supported else "closest" if claim.votes.startswith("0/") else "entailed by"
        yield from page.indented(Text(f"{kind}: {_named(claim.evidence)}", style="dim"))


def _share(entailment: float) -> str:
    """Two decimals, cut and not rounded: no share looks as if it reached a threshold that it falls short of.

    >>> _share(0.4999), _share(0.29), _share(1.0)
    ('0.49', '0.29', '1.00')
    """
    return f"{int(entailment * 100 + 1e-9) / 100:.2f}"


def _head(status: ClaimStatus, number: str, votes: str) -> Text:
    line = Text(f"{_WORDS[status]:11}", style=f"bold {_COLORS[status]}")
    return line.append(f"  {number:>4}  {votes:>3}  ", style="not bold default")


def _named(refs: Sequence[ChunkRef]) -> str:
    names = [_cut(_one_line(ref.id), _WIDEST) if ref.id else f"passage {ref.index + 1}" for ref in refs[:_REFS]]
    more = len(refs) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


def _joined(reasons: Sequence[str]) -> str:
    return _cut(_one_line("; ".join(reasons)), _LONGEST_REASON)


def _one_line(text: str) -> str:
    return visible(" ".join(text.split()))


def _cut(text: str, room: int) -> str:
    """``text`` in ``room`` columns: what is longer ends behind a word, with an ellipsis.

    >>> _cut("The moon is cheese.", 14), _cut("Donaudampfschiff", 6)
    ('The moon is…', 'Donau…')
    """
    if cell_len(text) <= room:
        return text
    line = Text(text)
    line.truncate(room - 1)
    head = line.plain
    end = head.rfind(" ", len(head) // 2) if not text[len(head)].isspace() else len(head)
    return (head if end < 0 else head[:end]).rstrip() + "…"


def _fate(given: str, shown: str) -> str:
    if shown == given:
        return "left whole"
    return "withheld" if shown == BLOCK_NOTICE else "redacted"


def _answer(result: GuardResult, given: str, shown: str) -> Text:
    """The answer; where it was left whole, its unsupported claims are underlined on a terminal."""
    # the line end of a text file is no part of the picture
    text = Text(visible(shown).rstrip())
    if shown == given:
        for claim in result.claims:
            if not claim.supported and claim.start is not None:
                text.stylize(f"underline {_COLORS[claim.status]}", claim.start, claim.end)
    return text
