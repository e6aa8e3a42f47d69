"""What follows from one set of documents, whatever is answered? Gathered when it is asked for, and only once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from raguard.evidence.attributes import Attributes
from raguard.evidence.clauses import Clauses
from raguard.evidence.counts import Counts
from raguard.evidence.deadlines import Deadlines
from raguard.evidence.derivation import Derivations
from raguard.evidence.field_groups import FieldGroups
from raguard.evidence.hours import OpeningHours
from raguard.evidence.kept import gathered
from raguard.evidence.moments import Moments
from raguard.evidence.presence import Presence
from raguard.evidence.products import Products
from raguard.evidence.rates import Rates
from raguard.evidence.rivals import Rivals
from raguard.evidence.shares import Shares
from raguard.evidence.sources import Place, Sources
from raguard.evidence.spans import Spans
from raguard.evidence.statements import Denials
from raguard.evidence.tables import Tables
from raguard.evidence.taxes import Taxes
from raguard.evidence.wordings import Wordings
from raguard.knowledge import Knowledge
from raguard.reading.records import Scalar

__all__ = ["Documents"]


class Documents:
    """The documents of a case, what they are called, and all that they lead to.

    Cases over the same documents share it, also in several threads: nothing in it depends on an answer.
    """

    def __init__(self, sources: Sources, labels: Sources, known: Knowledge) -> None:
        self.sources = sources
        self.labels = labels
        """The documents' ids and metadata: an answer may cite them."""
        self._known = known

    @cached_property
    def languages(self) -> frozenset[str]:
        """The languages that they are in."""
        return frozenset([chunk.reading.lang for chunk in self.sources.chunks])

    @cached_property
    def show_languages(self) -> bool:
        """Whether each of them, and what each is called, shows its language."""
        return all(chunk.reading.shown for chunk in (*self.sources.chunks, *self.labels.chunks))

    @cached_property
    def presence(self) -> Presence:
        """Which names and words they hold."""
        return Presence(self.sources, self._known.lexicon)

    @cached_property
    def label_presence(self) -> Presence:
        """Which names and words their labels hold."""
        return Presence(self.labels, self._known.lexicon)

    @cached_property
    def rivals(self) -> Rivals:
        """The names that they hold, to compare a missing one with."""
        return Rivals(self.sources, self._known.lexicon)

    @cached_property
    def attributes(self) -> Attributes:
        """The yes-or-no fields of their records."""
        return self._known.attributes.attributes(self.sources)

    @cached_property
    def field_groups(self) -> FieldGroups:
        """The groups of yes-or-no fields of their records."""
        return FieldGroups(self._known.attributes, self.sources)

    @cached_property
    def recorded_days(self) -> Sequence[tuple[int, Place, Scalar]]:
        """What the fields of their records hold that have a day for a key."""
        return self._known.days.recorded(self.sources)

    @cached_property
    def hours(self) -> OpeningHours | None:
        """The opening hours of the one record that has some."""
        return self._known.days.hours(self.recorded_days)

    @cached_property
    def tables(self) -> Tables:
        """Their tables as rows and columns."""
        return Tables(self.sources)

    @cached_property
    def derivations(self) -> Derivations:
        """What can be computed from their numbers."""
        return Derivations(self.sources, self._known.scale_notes, self._known.nouns)

    @cached_property
    def clauses(self) -> Clauses:
        """Their clauses by their numbers."""
        return Clauses(self.sources, self._known.clauses)

    @cached_property
    def deadlines(self) -> Deadlines:
        """The days to which they lead without naming them."""
        return Deadlines(self.sources, self._known.deadlines)

    @cached_property
    def taxes(self) -> Taxes:
        """The amounts to which their taxes lead."""
        return Taxes(self.sources, self._known.tax)

    @cached_property
    def moments(self) -> Moments:
        """The moments that they name by day, time and zone."""
        return Moments(self.sources)

    @cached_property
    def shares(self) -> Shares:
        """The shares that they give as two numbers."""
        return Shares(self.sources)

    @cached_property
    def spans(self) -> Spans:
        """How long what they state by its ends lasts."""
        return Spans(self.sources, self._known.ended_at)

    @cached_property
    def rates(self) -> Rates:
        """Their amounts per month and the like."""
        return Rates(self.sources, self._known.rates)

    @cached_property
    def products(self) -> Products:
        """What they write as so many times an amount."""
        return Products(self.sources)

    @cached_property
    def counts(self) -> Counts:
        """What their counts come to."""
        return Counts(self.sources, self._known.nouns, self._known.added)

    @cached_property
    def denials(self) -> Denials:
        """Their statements that deny something."""
        return Denials(self.sources)

    @cached_property
    def wordings(self) -> Wordings:
        """The stems that they hold."""
        return Wordings(self.sources)

    @cached_property
    def open_term(self) -> Place | None:
        """Where they hold a word with an ending of an open class for the first time, such as a drug."""
        for chunk in self.sources.chunks:
            match = self._known.lexicon.open_class.search(chunk.reading.text)
            if match is not None and not self._known.lexicon.is_common(match.group().lower()):
                return Place(chunk, *match.span())
        return None

    def prepare(self) -> None:
        """Reads and gathers before there is an answer whatever one may ask for."""
        for chunk in (*self.sources.chunks, *self.labels.chunks):
            chunk.reading.prepare()
        self.sources.prepare()
        for part in gathered(self):
            gathered(part)
