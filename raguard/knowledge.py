"""What is known before any case arrives? All that the rules and the config say, built once for many cases."""

from __future__ import annotations

import re
from collections.abc import Iterable

from raguard.config import Config
from raguard.evidence.attributes import AttributeReader
from raguard.evidence.chunk import Readers
from raguard.evidence.claim_weights import ClaimWeights
from raguard.evidence.derivation import CUES, CUES_AFTER
from raguard.evidence.hours import DayReader
from raguard.evidence.row_names import RowNames
from raguard.language import LanguageGuesser
from raguard.lexicon import Lexicon
from raguard.reading import readers
from raguard.reading.citations import CitationReader
from raguard.reading.claim_words import ClaimWords
from raguard.reading.clauses import ClauseReader
from raguard.reading.deadlines import DeadlineReader
from raguard.reading.denials import DenialReader
from raguard.reading.hour_ends import HourEndReader
from raguard.reading.item_numbers import ItemNumbers
from raguard.reading.leaves import LeafReader
from raguard.reading.nouns import Nouns
from raguard.reading.number_doubts import NumberDoubts
from raguard.reading.openness import OpennessReader
from raguard.reading.polarity import PolarityReader
from raguard.reading.prohibitions import ProhibitionReader
from raguard.reading.quotes import QuoteReader
from raguard.reading.rates import RateReader
from raguard.reading.statements import StatementReader
from raguard.reading.translation import translated_languages
from raguard.reading.wholes import WholeReader
from raguard.rulebook import Rule, Rulebook
from raguard.text.exclusions import ExclusionReader
from raguard.text.folding import fold
from raguard.text.hyphens import HyphenJoiner
from raguard.text.outline import Outliner
from raguard.text.phrases import Phrases, Places
from raguard.text.words import plain_words
from raguard.values.dates import DateValue
from raguard.values.zones import offsets
from raguard.verdict_rules import VerdictRules

__all__ = ["Knowledge", "plain"]


class Knowledge:
    """The readers and word lists of one config; every case shares them and nothing changes them.

    A new reader that a check needs is one line here.
    """

    def __init__(self, config: Config) -> None:
        """Raises RuleError when the rules of the config's folder cannot be used."""
        rulebook = config.rulebook()
        numbers = rulebook["numbers"]
        self.config = config
        self.allowed = frozenset(plain(fold(term).text) for term in config.allow)
        self.lexicon = Lexicon(rulebook, [[fold(name).text for name in group] for group in config.aliases])
        self.units = frozenset(form.lower() for rule in rulebook["units"].rules for form in rule.forms if len(form) > 2)
        self.languages = LanguageGuesser(rulebook)
        self.outliner = Outliner(rulebook)
        self.readers = Readers(
            self.languages,
            HyphenJoiner(self.lexicon),
            readers(rulebook, config.date_order),
            StatementReader(rulebook),
            QuoteReader(rulebook),
            ClaimWords(rulebook),
        )
        self.allowed_stems = frozenset([stem for term in self.allowed for stem in self.readers.claims.stemmed(term)])
        """The words of the terms that the config never flags."""
        self.claim_weights = ClaimWeights(rulebook)
        self.verdicts = VerdictRules(rulebook)
        self.translated = translated_languages(rulebook)
        self.doubts = NumberDoubts(rulebook)
        self.item_numbers = ItemNumbers(rulebook)
        self.citations = CitationReader(rulebook, config.citations)
        self.clauses = ClauseReader(rulebook)
        self.deadlines = DeadlineReader(rulebook, config.today())
        self.holidays = {
            plain_words(form): DateValue.day(None, *divmod(rule.data["number"], 100))
            for rule in rulebook["dates"].role("holiday")
            for form in rule.forms
        }
        self.week_parts = {divmod(rule.data["number"], 10): rule.forms for rule in rulebook["dates"].role("week_part")}
        """The words for some days of the week, by the first and the last of them (Monday is 0)."""
        self.ended_at = rulebook["dates"].pattern("ended_at")
        self.lengths_away = rulebook["dates"].pattern("length_away")
        self.lengths_back, self.lengths_on = (rulebook["dates"].pattern(f"length_{way}") for way in ("back", "on"))
        self.zones = offsets(config.timezone) if config.timezone else ()
        self.denials = DenialReader(rulebook)
        self.prohibitions = ProhibitionReader(rulebook)
        self.exclusions = ExclusionReader(rulebook)
        self.leaves = LeafReader(rulebook)
        self.attributes = AttributeReader(rulebook)
        self.polarity = PolarityReader(rulebook)
        self.wholes = WholeReader(rulebook)
        self.days = DayReader(rulebook)
        self.openness = OpennessReader(rulebook)
        self.hour_ends = HourEndReader(rulebook)
        self.cues = Phrases([rule for cue in CUES for rule in numbers.role(cue)])
        self.nouns = Nouns(rulebook)
        self.rates = RateReader(rulebook)
        self.added = numbers.forms("added")
        self.tax = numbers.pattern("tax")
        self.moved, self.moved_behind = numbers.pattern("moved"), numbers.pattern("moved_behind")
        self.share_concluded = numbers.pattern("share_concluded")
        self.share_concluded_behind = numbers.pattern("share_concluded_behind")
        self.paid = numbers.pattern("paid")
        self.cues_after = [
            (cue, re.compile(rule.pattern or "", re.IGNORECASE))
            for role, cues in CUES_AFTER.items()
            for rule in numbers.role(role)
            for cue in cues
        ]
        self.scale_notes = Phrases(numbers.role("scale_note"))
        self.row_names = RowNames(rulebook, self.lexicon)
        self.vague = _vague_phrases(rulebook, config.vague_phrases)

    def sentence_ends(self, text: str) -> list[int]:
        """Where the sentences of a text end; what stands behind the last end may go on."""
        view = fold(text)
        return [view.origin(end) for end in self.outliner.ends(Places(view.text))]

    def prepare(self) -> None:
        """Compiles now what else the first few hundred answers would compile bit by bit."""
        for phrases in (self.cues, self.scale_notes, self.vague, self.outliner):
            phrases.prepare()


def plain(text: str) -> str:
    """Folded ``text`` without case and with single spaces, as the terms that a config allows are compared.

    >>> plain("ACME\\n Cloud")
    'acme cloud'
    """
    return " ".join(text.casefold().split())


def _vague_phrases(rulebook: Rulebook, own: Iterable[str]) -> Phrases:
    """The phrases of the family ``vague`` and the config's own ones, which the rule ``vague.own`` names."""
    rules = list(rulebook["vague"].rules)
    if own := tuple(own):
        rules.append(Rule("vague.own", forms=tuple(fold(phrase).text for phrase in own)))
    return Phrases(rules, whole_words=True)
