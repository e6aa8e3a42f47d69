"""How much of a claim can be told by its words alone? The documented baseline: no model, no dependency, no order."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from raguard import Config
from raguard.claims.context import Context
from raguard.claims.scoring import NLILabel, NLIScore, NLIScorer

__all__ = ["LexicalNLIScorer"]

_NAMED = 8
"""How many missing words a reason names."""

# a number with its decimals, a word with its apostrophes, one character of a script that puts no spaces
_TOKEN = re.compile(
    r"\d+(?:[.,]\d+)*|[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\d_]+(?:'[^\W\d_]+)*",
)


class LexicalNLIScorer(NLIScorer):
    """Entailment is the share of the claim's content tokens that the premise carries, from 0 to 1.

    Tokens are compared without case and width; those that claim nothing by themselves do not count. A claim of nothing
    else is measured by all its tokens, and one without any token scores 0.0. Order, negation and synonyms are not seen:
    *EvidenceScorer* is the better one. The measure is K-Precision (Adlakha et al., 2024, *Evaluating Correctness and
    Faithfulness of Instruction-Following Models for Question Answering*) over content tokens.

    >>> import asyncio
    >>> asyncio.run(LexicalNLIScorer().score(None, "Paris lies on the Seine.", "Paris lies on the Rhine.")).reasons
    ('new: *rhine*',)
    """

    name = "lexical"

    async def score(self, ctx: Context | None, premise: str, hypothesis: str) -> NLIScore:
        """The share of the hypothesis' content tokens that stand in the premise."""
        return _score(frozenset(_tokens(premise)), _content(hypothesis))

    async def score_batch(self, ctx: Context | None, pairs: Sequence[tuple[str, str]]) -> Sequence[NLIScore]:
        """The same for many pairs; each text is read once."""
        held = {premise: frozenset(_tokens(premise)) for premise in {premise for premise, _ in pairs}}
        content = {hypothesis: _content(hypothesis) for hypothesis in {hypothesis for _, hypothesis in pairs}}
        return [_score(held[premise], content[hypothesis]) for premise, hypothesis in pairs]


def _content(hypothesis: str) -> list[str]:
    tokens = _tokens(hypothesis)
    return [token for token in tokens if token not in _empty_words()] or tokens


def _score(held: frozenset[str], content: list[str]) -> NLIScore:
    if not content:
        return NLIScore(NLILabel.NEUTRAL, 0.0, reasons=("it has no words to compare",))
    missing = [token for token in content if token not in held]
    share = 1 - len(missing) / len(content)
    label = NLILabel.ENTAILMENT if share >= 0.5 else NLILabel.NEUTRAL
    named = list(dict.fromkeys(missing))[:_NAMED]
    return NLIScore(label, share, reasons=(f"new: *{' '.join(named)}*",) if named else ())


def _tokens(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    return [token.removesuffix("'s") for token in _TOKEN.findall(folded)]


@cache
def _empty_words() -> frozenset[str]:
    """The words that claim nothing by themselves."""
    rulebook = Config().rulebook()
    return rulebook["claims"].words("empty") | rulebook["words"].words("function")
