"""How long does it take to index a corpus, and to find and score the evidence of one claim?

The documents are invented, of 5,000 characters each, and cut into chunks; the claims are facts that they carry, each in
other words and each asked once. The vectors are those of ``raguard.testing.HashingEncoder``: a real encoder adds its
own time to the index and to each claim.

python benchmarks/retrieval.py --chunks 10000
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import machine
from invented import shaped
from report import append_row, percent, positive, table
from timing import Times, steady

from raguard import claims as layer
from raguard.claims import CorpusChunk, NLIScorer, Retriever, chunk_corpus, split_into_claims
from raguard.claims.scoring import EvidenceReader
from raguard.testing import HashingEncoder

MODES: Sequence[Literal["bm25", "cosine", "hybrid"]] = ("bm25", "cosine", "hybrid")
SCORERS: Mapping[str, str] = {"none": "", "lexical": "LexicalNLIScorer", "evidence": "EvidenceScorer"}
"""Which scorers can be named; with "none" the evidence is only found."""
_DOCUMENT, _CHUNKS_PER_DOCUMENT = 5_000, 5
_WORDS_PER_CLAIM = 16
_WIDTH = 384
_THRESHOLD = 0.2
"""Counts of words are less alike than the vectors of a model."""
_SUPPORTED = 0.5


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints how long indexing and asking take; returns the exit status."""
    options = _parser().parse_args(arguments)
    documents, claims = corpus(options.chunks, options.claims)
    place = machine.describe()
    print(machine.line(place) + "\n")
    chunks, indexes, seconds = indexed(documents, options.chunks)
    print(f"{len(chunks):,} chunks of {sum(len(chunk.text) for chunk in chunks) // len(chunks):,} characters\n")
    print(table(["indexing", "seconds"], [[step, f"{taken:.2f}"] for step, taken in seconds.items()]) + "\n")
    figures: dict[str, dict[str, Any]] = {}
    for mode, retriever in indexes.items():
        for name in options.scorer:
            times, supported = asked(retriever, claims, scorer(name), options.top_k)
            figures[f"{mode}, scored by {name}" if SCORERS[name] else mode] = {**asdict(times), "supported": supported}
    rows = [
        [title, *(f"{row[key]:.2f}" for key in ("p50", "p95", "longest")), percent(row["supported"])]
        for title, row in figures.items()
    ]
    print(f"{len(claims)} claims, {options.top_k} chunks each\n")
    print(table(["one claim", "p50 ms", "p95 ms", "longest ms", "supported"], rows))
    if options.json:
        row = {"benchmark": "retrieval", "chunks": len(chunks), "claims": len(claims), "top_k": options.top_k}
        append_row(options.json, row | place | {"seconds": seconds, "ms": figures})
    return 0


def corpus(chunks: int, claims: int) -> tuple[tuple[str, ...], list[str]]:
    """Documents that make at least so many chunks, and so many claims that they carry."""
    # a chunk is seldom filled, so that a document makes more of them than fit by their number of characters
    sizes = (_DOCUMENT,) * -(-chunks // _CHUNKS_PER_DOCUMENT)
    (case,) = shaped(claims * _WORDS_PER_CLAIM, sizes, 1)
    return case.docs, [str(claim) for claim in split_into_claims(case.response)][:claims]


def indexed(documents: Sequence[str], count: int) -> tuple[list[CorpusChunk], dict[str, Retriever], dict[str, float]]:
    """The first ``count`` chunks, a retriever of each mode over them, and the seconds that each step took."""
    seconds: dict[str, float] = {}
    began = time.perf_counter()
    chunks = chunk_corpus(documents)[:count]
    seconds["cutting into chunks"] = time.perf_counter() - began
    indexes: dict[str, Retriever] = {}
    for mode in MODES:
        began = time.perf_counter()
        indexes[mode] = Retriever(chunks, encoder=HashingEncoder(_WIDTH), mode=mode, cosine_threshold=_THRESHOLD)
        seconds[mode] = time.perf_counter() - began
    return chunks, indexes, seconds


def scorer(name: str) -> NLIScorer | None:
    """The scorer of a name; None for "none"."""
    return getattr(layer, SCORERS[name])() if SCORERS[name] else None


def asked(
    retriever: Retriever, claims: Sequence[str], scorer: NLIScorer | None, top_k: int
) -> tuple[Times, float | None]:
    """The times of finding and scoring the evidence of each claim, and the share of claims that it carries."""
    seconds: list[float] = []
    supported = 0
    with asyncio.Runner() as runner, steady():
        # what is loaded once is no part of a claim's time
        runner.run(_best(scorer, claims[0], [claims[0]]))
        for claim in claims:
            began = time.perf_counter()
            passages = [found.chunk.text for found in retriever.retrieve(claim, top_k)]
            best = runner.run(_best(scorer, claim, passages))
            seconds.append(time.perf_counter() - began)
            supported += best >= _SUPPORTED
    return Times.of(seconds), supported / len(claims) if scorer else None


async def _best(scorer: Any, claim: str, passages: list[str]) -> float:
    """The highest entailment of a claim by its passages."""
    if scorer is None or not passages:
        return 0.0
    if isinstance(scorer, EvidenceReader):
        scores = await scorer.score_claims(None, [claim], passages)
    else:
        scores = await scorer.score_batch(None, [(passage, claim) for passage in passages])
    return max(score.entailment for score in scores)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="retrieval.py", description="Times the index of a corpus and its questions.")
    parser.add_argument("--chunks", type=positive, default=10_000, metavar="N", help="how many (default 10000)")
    parser.add_argument("--claims", type=positive, default=300, metavar="N", help="how many, at least 2 (default 300)")
    parser.add_argument("--top-k", type=positive, default=5, metavar="K", help="chunks for each claim (default 5)")
    parser.add_argument("--scorer", nargs="+", choices=list(SCORERS), default=list(SCORERS), help="default: all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row")
    return parser


if __name__ == "__main__":
    sys.exit(main())
