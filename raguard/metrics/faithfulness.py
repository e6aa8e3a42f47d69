"""Do the chunks that a sentence cites support what it says?

Each sentence with a citation is compared with the chunks that it cites, with no others, and not with the question.
Sentences without a citation are not counted: groundedness tells whether these are supported at all.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from raguard import CheckedClaim, ClaimsResult, Document, Verifier
from raguard.metrics.gaps import left_out, unjudged
from raguard.metrics.slices import Chunk, EvalSlice, Explained

__all__ = ["citation_faithfulness", "faithfulness_of"]

_BETWEEN = "\n\n"
_LIKELY = 0.5

Cited = frozenset[int]


def citation_faithfulness(answer: str, chunks: Sequence[Chunk], *, verifier: Verifier | None = None) -> float | None:
    """The share of the citing sentences that are supported by the chunks they cite, taken together: from 0 to 1.

    A citation leads to a chunk by its number, from one ("[2]", "passage 2"), or by its id or the title, file or address
    in its metadata; one that leads to no chunk supports nothing. None where the answer cites nothing or could not be
    judged (see ``answer_groundedness``). Raises ConfigError for parts of the wrong kind.

    >>> rooms = ["The rent is $900 a month.", "Pets are not allowed."]
    >>> citation_faithfulness("The rent is $900 [1]. Pets are not allowed [2].", rooms)
    1.0
    >>> citation_faithfulness("The rent is $900 [2]. Pets are not allowed [2].", rooms)
    0.5
    >>> citation_faithfulness("The rent is $900.", rooms) is None
    True
    """
    slice = EvalSlice(question="", answer=answer, chunks=chunks, verifier=verifier)
    return faithfulness_of(slice)[0]


def faithfulness_of(slice: EvalSlice) -> Explained:
    """The faithfulness of a slice's citations, and what it rests on."""
    claims = slice.judged
    why = unjudged(claims)
    if why is not None:
        return None, why
    if not claims.citations:
        return None, "the answer cites nothing"
    citing = _citing(claims)
    if not citing:
        if any(citation.docs is None for citation in claims.citations):
            return None, "the answer explains its citations in a list of its own, which is not read"
        return None, "no sentence that makes a claim has a citation"
    by_cited: dict[Cited, list[CheckedClaim]] = {}
    for claim, cited in citing:
        by_cited.setdefault(cited, []).append(claim)
    carried = 0
    for cited, together in by_cited.items():
        chances = _unsupported(slice, together, cited)
        if isinstance(chances, str):
            return None, chances
        carried += sum(chance <= _LIKELY for chance in chances)
    found = f"{carried} of {len(citing)} citing sentences carried by what they cite"
    return carried / len(citing), f"{found}{left_out(claims.unchecked)}"


def _citing(claims: ClaimsResult) -> list[tuple[CheckedClaim, Cited]]:
    """Each claim that cites, with the places of all chunks that it cites, empty where it leads to none."""
    ordered = sorted(claims.claims, key=lambda claim: (claim.start, claim.end))
    starts = [claim.start for claim in ordered]
    # where the claims up to each one have ended, so that an answer full of citations is not gone through for each
    ends = list(accumulate((claim.end for claim in ordered), max))
    cited: list[set[int] | None] = [None] * len(ordered)
    for citation in claims.citations:
        if citation.docs is None:
            continue
        begin, end = citation.about
        for place in range(bisect_right(ends, begin), bisect_left(starts, end)):
            if ordered[place].end > begin:
                cited[place] = (cited[place] or set()).union(citation.docs)
    return [(claim, frozenset(docs)) for claim, docs in zip(ordered, cited, strict=True) if docs is not None]


def _unsupported(slice: EvalSlice, claims: Sequence[CheckedClaim], cited: Cited) -> list[float] | str:
    """How likely each claim is unsupported by the cited chunks alone, or why nobody can say."""
    # what is not cited is blank, so that numbers still count the same chunks
    docs = [entry if place in cited else "" for place, entry in enumerate(slice.documents)]
    if not any(map(_tells, docs)):
        return [1.0] * len(claims)
    starts = accumulate((len(claim.text) + len(_BETWEEN) for claim in claims), initial=0)
    spans = [(start, start + len(claim.text)) for start, claim in zip(starts, claims, strict=False)]
    text = _BETWEEN.join(claim.text for claim in claims)
    # a chunk does not carry what the question alone says, so that is not told;
    # a few words may look like another language, but the answer as a whole was read as English
    judged = slice.reader.claims("", docs, text, spans=spans, lang="en")
    why = unjudged(judged)
    if why is not None:
        return why
    found = {claim.start: claim.unsupported for claim in judged.claims}
    return [found.get(start, 1.0) for start, _ in spans]


def _tells(document: str | Document) -> bool:
    """Whether a document holds more than white space."""
    return bool((document if isinstance(document, str) else document.text).strip())
