"""How long does the language model take for a text, in numpy and by spaCy itself, and do they ever differ?

python benchmarks/entities.py
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

import machine
from answers import DataError
from inputs import invented_questions, read_questions
from invented import LENGTHS
from report import append_row, positive, table
from timing import Question, Timer, Times, interleaved, ratios, steady

from raguard.config import Config
from raguard.model import find_model
from raguard.ner import EntityRuntime
from raguard.ner.zone import RenewedZone

Entities: TypeAlias = Callable[[str], list[tuple[int, int, str]]]
NUMPY, STOCK = "numpy", "spaCy"
HEADERS = ("input", "texts", "entities", "differing", "p50 ms", "p95 ms", "spaCy p50", "spaCy p95", "ratio")


def main(arguments: Sequence[str] | None = None) -> int:
    """Times both on every answer in turn and prints the table; returns the exit status (1: they differ, 2: no data)."""
    options = _parser().parse_args(arguments)
    try:
        inputs = {path.name: read_questions(path, options.limit) for path in options.data} or _made(options.answers)
    except DataError as error:
        print(f"entities.py: {error}", file=sys.stderr)
        return 2
    runtime = EntityRuntime(_pipeline())
    both: dict[str, Entities] = {NUMPY: runtime.entities, STOCK: _stock(_pipeline())}
    rows = {title: _measured(questions, both) for title, questions in inputs.items()}
    place = machine.describe()
    print(machine.line(place))
    print(f"entities: {runtime.description}\n")
    print(table(HEADERS, map(_cells, rows, rows.values())))
    if options.json:
        append_row(options.json, {"benchmark": "entities", "runtime": runtime.description} | place | {"inputs": rows})
    return 1 if any(row["differing"] for row in rows.values()) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="entities.py", description="Times and compares the entities of answers.")
    parser.add_argument(
        "--data",
        type=Path,
        action="append",
        default=[],
        metavar="PATH",
        help="these answers, not invented ones (repeat)",
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="only the first N answers of each PATH")
    parser.add_argument("--answers", type=positive, default=60, metavar="N", help="invented answers per length (60)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row")
    return parser


def _made(count: int) -> dict[str, list[Question]]:
    return {f"{words} words": invented_questions(words, count) for words in LENGTHS}


def _pipeline() -> Any:
    import spacy

    unused = ["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "senter"]
    return spacy.load(find_model(Config()).package, exclude=unused)


def _stock(nlp: Any) -> Entities:
    zone = RenewedZone(nlp)

    def entities(text: str) -> list[tuple[int, int, str]]:
        zone.enter(text)
        return [(ent.start_char, ent.end_char, ent.label_) for ent in nlp(text).ents]

    return entities


def _measured(questions: Sequence[Question], both: dict[str, Entities]) -> dict[str, Any]:
    """The figures of one input; the texts are read once before, so that neither is timed on its first ones."""
    found = [{name: entities(answer) for name, entities in both.items()} for _, _, answer in questions]
    with steady():
        seconds = interleaved(questions, {name: _timer(entities) for name, entities in both.items()})
    (ratio, *_) = ratios([seconds[NUMPY]], [seconds[STOCK]])["pairs"]
    return {
        "texts": len(questions),
        "entities": sum(len(each[STOCK]) for each in found),
        "differing": sum(each[NUMPY] != each[STOCK] for each in found),
        "times": {name: asdict(Times.of(taken)) for name, taken in seconds.items()},
        "ratio": ratio,
    }


def _timer(entities: Entities) -> Timer:
    def measure(question: Question) -> float:
        began = time.perf_counter()
        entities(question[2])
        return time.perf_counter() - began

    return measure


def _cells(title: str, row: dict[str, Any]) -> list[str]:
    times = [f"{row['times'][name][share]:.2f}" for name in (NUMPY, STOCK) for share in ("p50", "p95")]
    return [title, *(str(row[key]) for key in ("texts", "entities", "differing")), *times, f"{row['ratio']:.1f}"]


if __name__ == "__main__":
    sys.exit(main())
