"""What do checks get to ask? One case: the answer in reading form, what the documents say, what is known of words."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Literal, NamedTuple, Protocol

from raguard.evidence.counts import Counts
from raguard.evidence.documents import Documents
from raguard.evidence.moments import dated_times
from raguard.evidence.references import References
from raguard.evidence.sources import Place, Sources
from raguard.knowledge import Knowledge, plain
from raguard.model import Entity
from raguard.reading import read
from raguard.reading.arithmetic import Working, working
from raguard.reading.citations import Mark
from raguard.reading.clauses import Reference
from raguard.reading.deadlines import Deadline
from raguard.result import FactStatus, Unchecked
from raguard.text.blanks import blank, merge
from raguard.text.outline import Outline
from raguard.text.spoken import Spoken
from raguard.text.structured import Leaf, Structure
from raguard.text.view import View
from raguard.values.clock import ClockValue
from raguard.values.dates import DateValue
from raguard.values.identifiers import Identifier
from raguard.values.quantities import Quantity
from raguard.values.value import Fact, Value

__all__ = ["Case", "Check", "Claim", "Finding", "FindingStatus"]

_MOST_TIMES = 20


@dataclass(frozen=True, slots=True)
class Claim:
    """A span of the answer and the values that it may state: a bare 1998 is a year or a count, and either will do."""

    values: tuple[Value, ...]
    start: int
    end: int


FindingStatus = FactStatus | Literal["flagged"]


class Finding(NamedTuple):
    """What a check says of one span of the answer (offsets of the case's view).

    With the id of a rule it becomes a warning; without one it is a fact that the documents support. ``said`` is how the
    suggestion continues after naming the span, ``place`` is the nearest thing that the documents say. The status
    "flagged" is for what is not a fact, such as a vague phrase.
    """

    kind: str
    start: int
    end: int
    status: FindingStatus
    rule: str | None = None
    said: str = ""
    place: Place | None = None


@dataclass(eq=False)
class Case:
    """One query, its documents and the answer, checked and folded. Checks read it and change nothing."""

    query: str
    lang: str
    view: View
    outline: Outline
    documents: Documents
    """The documents and what follows from them."""
    asked: Sources
    """The question and what the user wrote before."""
    references: References
    marks: tuple[Mark, ...]
    """Where the answer cites documents."""
    structure: Structure | None
    """The leaves of an answer that is JSON; None for prose."""
    currencies: tuple[Leaf, ...]
    """Those of its leaves that name a currency."""
    known: Knowledge
    see: Callable[[str], Sequence[Entity]] | None
    """The language model; None where there is none for the language."""
    findings: list[Finding] = field(default_factory=list)
    """What the checks that ran before have found."""
    computed: dict[tuple[Value, tuple[str, ...], frozenset[str]], Place | None] = field(default_factory=dict)
    """Which values were computed from the documents already, so that a repeated one costs nothing."""

    @cached_property
    def _read(self) -> tuple[list[Fact], str]:
        return read(self.outline.claims, self.known.readers.values, lang=self.lang)

    @cached_property
    def claims(self) -> list[Claim]:
        """What the answer states, in order of position; a number that may be a year or a time is that first."""
        moments = {
            (fact.start, fact.end): fact.value
            for fact in self._read[0]
            if fact.tentative and fact.value.axis in ("date", "clock")
        }
        claims = []
        for fact in self._read[0]:
            if not fact.tentative and not (isinstance(fact.value, Identifier) and fact.value.placeholder):
                moment = moments.get((fact.start, fact.end))
                values = (fact.value,) if moment is None else (moment, fact.value)
                claims.append(Claim(values, fact.start, fact.end))
        return claims

    def claims_within(self, start: int, end: int) -> list[Claim]:
        """The claims that begin at ``start`` or behind it and before ``end``."""
        first, last = (bisect_left(self.claims, place, key=attrgetter("start")) for place in (start, end))
        return self.claims[first:last]

    @cached_property
    def spoken(self) -> Spoken:
        """The words of the answer by their sentences."""
        return Spoken(self.outline.text, self.outline.sentences)

    @cached_property
    def workings(self) -> dict[Claim, Working]:
        """The numbers of the answer beside which it shows arithmetic."""
        found = ((claim, working(self.outline.text, claim.start, claim.end)) for claim in self.claims)
        return {claim: shown for claim, shown in found if shown is not None}

    @cached_property
    def proved(self) -> dict[float, Quantity]:
        """The numbers of the answer that the arithmetic beside them comes to, by their amount."""
        shown = ((claim.values[-1], working) for claim, working in self.workings.items())
        return {
            value.readings[0].amount: value
            for value, working in shown
            if isinstance(value, Quantity) and working.gives(value)
        }

    def works_with(self, claim: Claim) -> bool:
        """Whether the claim is an operand of arithmetic that the answer shows."""
        ends = bisect_right(self._working_ends, claim.start)
        return ends < len(self._working_ends) and self._working_starts[ends] <= claim.start

    @cached_property
    def _working_ends(self) -> list[int]:
        return sorted(working.end for working in self.workings.values())

    @cached_property
    def _working_starts(self) -> list[int]:
        return sorted(working.start for working in self.workings.values())

    @cached_property
    def named_clauses(self) -> list[Reference]:
        """The clauses that the answer points at by their numbers."""
        return self.known.clauses.find(self.outline.claims)

    @property
    def facts(self) -> list[Fact]:
        """Every value that the answer states, certain or tentative."""
        return self._read[0]

    @cached_property
    def told_deadlines(self) -> dict[int, Deadline]:
        """The days that the answer reckons, by where it does so."""
        return {told.start: told for told in self.known.deadlines.find(self.outline.text, self.facts)}

    @cached_property
    def told_days(self) -> frozenset[DateValue]:
        """The days to which these lead, also without their year."""
        days = [told.day for told in self.told_deadlines.values() if told.day is not None]
        return frozenset([*days, *(plain for day in days if (plain := day.without_year()) is not None)])

    @cached_property
    def told_moments(self) -> dict[DateValue, tuple[ClockValue, ...]]:
        """The days of the answer with the times in a zone that stand beside them."""
        found: dict[DateValue, tuple[ClockValue, ...]] = {}
        for _, day, time in dated_times(self.outline.text, self.facts):
            found[day] = (*found.get(day, ())[:_MOST_TIMES], time)
        return found

    @cached_property
    def asked_counts(self) -> Counts:
        """What the question counts."""
        return Counts(self.asked, self.known.nouns, self.known.added)

    @property
    def sources(self) -> Sources:
        """What the documents state."""
        return self.documents.sources

    @property
    def labels(self) -> Sources:
        """What the documents' ids and metadata state."""
        return self.documents.labels

    @cached_property
    def crosses(self) -> bool:
        """Whether a document is in another language than the answer: values compare, words do not."""
        return not self.documents.languages <= {self.lang}

    @cached_property
    def rest(self) -> str:
        """The answer's text with every value and the words for clauses blanked out: where names are looked for."""
        return blank(self._read[1], merge((named.opens, named.start) for named in self.named_clauses))

    def denied(self, start: int, end: int) -> bool:
        """Whether the span stands in a clause that says it is absent from the documents."""
        return self.outline.denied(start, end)

    def allowed(self, start: int, end: int) -> bool:
        """Whether the span is a term that the config never flags."""
        return bool(self.known.allowed) and plain(self.view.text[start:end]) in self.known.allowed


class Check(Protocol):
    """Asks a case one question; its ``__name__`` is the check's name in the config and in errors."""

    __name__: str

    def __call__(self, case: Case, /) -> Iterable[Finding | Unchecked]:
        """What the check finds; every finding names its rule or says that the span is supported.

        What the check cannot judge it yields as Unchecked.
        """
        ...
