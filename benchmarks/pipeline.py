"""Does a question find its own chunks, by each way of retrieval, and how long does a whole run take?

Without data the questions are those of evals/, with gold chunk ids, and the whole pipeline runs: screens, retrieval,
the extractive provider, verifier, claim guard and metrics. With ``--data``, a file of labelled answers, each question
looks for the documents that it was answered from among the documents of all questions, whole and without their ids, and
the extractive provider answers it from them.

python benchmarks/pipeline.py
python benchmarks/pipeline.py --data halueval_qa.jsonl
python benchmarks/pipeline.py --data halueval_qa.jsonl --model models/all-MiniLM-L6-v2
"""

from __future__ import annotations

import argparse
import json
import runpy
import statistics
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import machine
from report import append_row, percent, positive, table
from timing import Times, steady

from raguard.claims.retrieval import ChunkFinder
from raguard.pipeline import (
    NO_ANSWER,
    Chunker,
    Embedder,
    ExtractiveProvider,
    HashingEmbedder,
    MemoryStore,
    Raguard,
    RunReport,
    VectorRetriever,
)
from raguard.pipeline.retrieving import retriever_of
from raguard.testing import HashingEncoder

EVALS = Path(__file__).parent.parent / "evals" / "run.py"
WAYS = ("counts", "vectors", "words", "hybrid")
"""How chunks are found; "counts" are the plain counts of hashed words, a baseline for "vectors"."""
MODEL_WAYS = {"vectors of the model": "vectors", "hybrid with the model": "hybrid"}
"""What is asked too where a model is named, and which way of retrieval it is."""
_WHOLE = 10_000_000
"""So many characters of a chunk keep every document whole."""
_AVERAGED = ("retrieval_recall", "retrieval_precision", "citation_faithfulness", "answer_groundedness")


class Question(NamedTuple):
    """A question, and the places of the documents, or the ids of the chunks, that it should find."""

    text: str
    gold: frozenset[Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the tables; returns the exit status."""
    options = _parser().parse_args(arguments)
    place = machine.describe()
    print(machine.line(place) + "\n")
    row: dict[str, Any] = {"benchmark": "pipeline", "top_k": options.top_k}
    if options.data:
        model = None if options.model is None else _sentence_model(options.model)
        row |= {"data": options.data.name, "found": _own_documents(options.data, options.top_k, model)}
    else:
        row |= _whole_runs(options.top_k, options.rounds)
    if options.json:
        append_row(options.json, row | place)
    return 0


def _sentence_model(folder: Path) -> Embedder:
    from sentence_transformers import SentenceTransformer  # type: ignore[import-not-found, unused-ignore]

    model: Embedder = SentenceTransformer(str(folder), local_files_only=True)
    return model


def _own_documents(path: Path, top_k: int, model: Embedder | None) -> dict[str, Any]:
    """How often each way finds the documents of a question first, and among the first ``top_k``."""
    documents, questions = read(path)
    print(f"{path.name}: {len(questions)} questions, {len(documents)} documents\n")
    figures: dict[str, Any] = {}
    for way in (*WAYS, *(MODEL_WAYS if model is not None else ())):
        retriever = over(documents, way, model)
        first, recall = found(retriever, questions, top_k)
        figures[way] = {"first": first, "recall": recall}
    rows = [[way, percent(told["first"]), percent(told["recall"])] for way, told in figures.items()]
    print(table(["found by", "first", f"recall at {top_k}"], rows) + "\n")
    right = right_answers(path)
    told = quoting(over(documents, "vectors"), documents, questions, right, top_k)
    print(f"the extractive provider on {len(right)} questions with an answer labelled right: {told}")
    return {**figures, "extractive": told}


def _whole_runs(top_k: int, rounds: int) -> dict[str, Any]:
    """The scores and times of the pipeline over the questions of evals/."""
    evals = runpy.run_path(str(EVALS))
    questions = [Question(each["question"], frozenset(each["gold_chunk_ids"] or ())) for each in evals["questions"]()]
    made: Any = None
    scores: dict[str, Any] = {}
    for way in reversed(WAYS[1:]):
        chunker = Chunker(evals["SIZE"], overlap=0)
        made = Raguard.from_documents(evals["handbook"](), chunker=chunker, retrieval=way, top_k=top_k)
        reports = [made.run(each.text, sorted(each.gold) or None) for each in questions]
        scores[way] = averages(reports)
    print(f"{len(questions)} questions of evals/, {top_k} chunks each\n")
    rows = [[way, *(percent(told[name]) for name in (*_AVERAGED, "pass"))] for way, told in scores.items()]
    print(table(["found by", "recall", "precision", "faithfulness", "groundedness", "pass"], rows) + "\n")
    times = timed(made, questions, rounds)
    rows = [[stage, f"{each.p50:.2f}", f"{each.p95:.2f}"] for stage, each in times.items()]
    print(table(["stage", "p50 ms", "p95 ms"], rows))
    return {"scores": scores, "ms": {stage: asdict(each) for stage, each in times.items()}}


def read(path: Path) -> tuple[list[str], list[Question]]:
    """The distinct documents of all questions, and each distinct question with the places of its own."""
    places: dict[str, int] = {}
    gold: dict[str, set[int]] = {}
    with path.open(encoding="utf-8") as lines:
        for case in map(json.loads, lines):
            texts = (each if isinstance(each, str) else each["text"] for each in case["docs"])
            own = {places.setdefault(text, len(places)) for text in texts if text.strip()}
            gold.setdefault(case["query"], set()).update(own)
    return list(places), [Question(text, frozenset(own)) for text, own in gold.items() if text.strip() and own]


def over(documents: Sequence[str], way: str, model: Embedder | None = None) -> ChunkFinder:
    """A retriever over whole documents, in memory."""
    if way in MODEL_WAYS:
        return retriever_of(documents, Chunker(_WHOLE, 0), model, None, MODEL_WAYS[way])
    if way != "counts":
        return retriever_of(documents, Chunker(_WHOLE, 0), None, None, way)
    counted = VectorRetriever(HashingEncoder(HashingEmbedder().width), MemoryStore())
    counted.add(Chunker(_WHOLE, 0).chunk(documents))
    return counted


def found(retriever: ChunkFinder, questions: Sequence[Question], top_k: int) -> tuple[float, float]:
    """The share of questions whose first chunk is of an own document, and the mean recall among ``top_k``."""
    firsts, recalls = [], []
    for question in questions:
        places = [each.chunk.document for each in retriever.retrieve(question.text, top_k)]
        firsts.append(bool(places) and places[0] in question.gold)
        recalls.append(len(question.gold & set(places)) / min(len(question.gold), top_k))
    return statistics.mean(firsts), statistics.mean(recalls)


def right_answers(path: Path) -> dict[str, str]:
    """An answer that is labelled right for each question that has one."""
    with path.open(encoding="utf-8") as lines:
        cases = [case for case in map(json.loads, lines) if case["label"] is False and case["response"].strip()]
    return {case["query"]: case["response"] for case in cases}


def quoting(
    retriever: ChunkFinder,
    documents: Sequence[str],
    questions: Sequence[Question],
    right: Mapping[str, str],
    top_k: int,
) -> dict[str, int]:
    """How often the extractive provider quotes the words of a right answer, and how often it says that there is none.

    "refused of others" is how often it does so where all its chunks are documents of other questions.
    """
    provider, chunks = ExtractiveProvider(), Chunker(_WHOLE, 0).chunk(documents)
    counts: Counter[str] = Counter()
    for question in questions:
        if question.text not in right:
            continue
        answer = provider.generate(question.text, [each.chunk for each in retriever.retrieve(question.text, top_k)])
        counts["quoted"] += right[question.text].strip(" .").lower() in answer.lower()
        counts["refused"] += answer == NO_ANSWER
        start = max(question.gold) + 1
        others = [chunks[place % len(chunks)] for place in range(start, start + len(chunks))]
        strange = [chunk for chunk in others if chunk.document not in question.gold][:top_k]
        counts["refused of others"] += provider.generate(question.text, strange) == NO_ANSWER
    return dict(counts)


def averages(reports: Sequence[RunReport]) -> dict[str, float | None]:
    """The mean of each metric over the reports for which it is defined, and the share of those that pass."""
    told: dict[str, float | None] = {"pass": statistics.mean(report.state == "pass" for report in reports)}
    for name in _AVERAGED:
        values = [value for report in reports if (value := report.scores.get(name)) is not None]
        told[name] = statistics.mean(values) if values else None
    return told


def timed(pipeline: Raguard, questions: Sequence[Question], rounds: int) -> dict[str, Times]:
    """The times of each stage of a run, of "total", all stages, and of "run", what the caller waits for."""
    seconds: dict[str, list[float]] = {}
    with steady():
        for _ in range(rounds):
            for question in questions:
                began = time.perf_counter()
                report = pipeline.run(question.text, sorted(question.gold) or None)
                seconds.setdefault("run", []).append(time.perf_counter() - began)
                for stage, took in report.timings.items():
                    seconds.setdefault(stage, []).append(took / 1000)
    return {stage: Times.of(each) for stage, each in seconds.items()}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="pipeline.py", description="Runs the pipeline offline, and times it.")
    parser.add_argument(
        "--data", type=Path, metavar="FILE", help="answers in JSON Lines: only retrieval, over their docs"
    )
    parser.add_argument(
        "--model", type=Path, metavar="FOLDER", help="with --data: a sentence-transformers model, as one way more"
    )
    parser.add_argument("--top-k", type=positive, default=5, metavar="K", help="chunks for each question (default 5)")
    parser.add_argument("--rounds", type=positive, default=10, metavar="N", help="how often each is asked (default 10)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row")
    return parser


if __name__ == "__main__":
    sys.exit(main())
