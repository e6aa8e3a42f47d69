"""What did the screens say of the question and of the chunks, and is it a report at all?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from raguard.claims.asking import Fault, read
from raguard.screens.report import ScreenReport

__all__ = ["Screened", "Screens", "read_report", "read_reports"]


class Screens(Protocol):
    """Whatever looks at a question and at documents before they are processed, as a ``GuardrailSuite`` does.

    >>> class Open:
    ...     def check(self, text):
    ...         return ScreenReport()
    ...     def check_documents(self, docs):
    ...         return tuple(ScreenReport() for _ in docs)
    >>> Open().check("What is the fee?").passed
    True
    """

    def check(self, text: str, /) -> ScreenReport:
        """The report on a question."""
        ...

    def check_documents(self, docs: Sequence[str], /) -> Sequence[ScreenReport]:
        """A report on each document, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Screened:
    """The reports of the screens on a question, and on each retrieved chunk; None on what they have not told of.

    >>> Screened(ScreenReport(), (ScreenReport(unchecked=("too long",)),)).gaps
    ('the chunks were not screened in full',)
    """

    question: ScreenReport | None = None
    chunks: tuple[ScreenReport, ...] | None = None
    """In the order of ``RunReport.found``, which is also what a finding's ``doc`` counts."""

    @property
    def reports(self) -> tuple[ScreenReport, ...]:
        """All reports, that on the question first."""
        return (*(() if self.question is None else (self.question,)), *(self.chunks or ()))

    @property
    def gaps(self) -> tuple[str, ...]:
        """What was not screened, or not by every screen, in sentences."""
        parts = (
            ("question was", None if self.question is None else (self.question,)),
            ("chunks were", self.chunks),
        )
        return tuple(
            f"the {part} not screened" if reports is None else f"the {part} not screened in full"
            for part, reports in parts
            if reports is None or any(report.unchecked for report in reports)
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, strings, numbers and None; it holds the words that were found."""
        return {
            "question": None if self.question is None else self.question.to_dict(),
            "chunks": None if self.chunks is None else [report.to_dict() for report in self.chunks],
        }


def read_report(returned: Any) -> ScreenReport | Fault:
    """What screens returned of one text, or why it is not a report.

    >>> read_report(True)
    Fault(why='returned bool in place of a ScreenReport')
    """
    if not isinstance(returned, ScreenReport):
        return Fault(f"returned {type(returned).__name__} in place of a ScreenReport")
    # what holds no findings raises wherever somebody looks at them
    if isinstance(read(returned.to_dict), Fault):
        return Fault("returned a ScreenReport that cannot be read")
    return returned


def read_reports(returned: Any, count: int) -> tuple[ScreenReport, ...] | Fault:
    """What screens returned of so many documents, or why these are no reports on them.

    >>> read_reports((ScreenReport(),), 2)
    Fault(why='returned 1 reports on 2 chunks')
    """
    if isinstance(returned, str) or not isinstance(returned, Sequence):
        return Fault(f"returned {type(returned).__name__} in place of a list of reports")
    reports = tuple(map(read_report, returned))
    faults = [report for report in reports if isinstance(report, Fault)]
    if faults:
        return faults[0]
    if len(reports) != count:
        return Fault(f"returned {len(reports)} reports on {count} chunks")
    return tuple(report for report in reports if not isinstance(report, Fault))
