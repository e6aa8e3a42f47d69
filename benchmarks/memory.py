"""How much memory does a warm Verifier hold, beside spaCy with the same model, and after many answers?

It also tells how long a full garbage collection goes through what is kept by then, which every thread waits for.

python benchmarks/memory.py --answers 2000
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import machine
from fresh import ProcessError, printed
from report import append_row, positive, table

from raguard import Config
from raguard.model import find_model

_SPACY = """
import json, sys, machine, spacy
nlp = spacy.load(sys.argv[1], exclude=json.loads(sys.argv[2]))
nlp("Alice Johnson met Bertram Zweig in Paris.")
print(json.dumps([machine.resident()]))
"""
_RAGUARD = """
import gc, json, sys, time, machine
from raguard import Config, Verifier
verifier = Verifier(Config(cache_chunks=0) if sys.argv[1] == "cold" else Config())
verifier.warm_up()
held = [machine.resident()]
from inputs import invented_questions
for seed in range(int(sys.argv[2]) // 100):
    for question in invented_questions(100, 100, seed):
        verifier.verify(*question)
held.append(machine.resident())
gc.collect()
began = time.perf_counter()
gc.collect()
print(json.dumps([*held, 1000 * (time.perf_counter() - began)]))
"""
_ONLY_NER = ["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "senter"]
MODEL, WHOLE, WARM = "spaCy with the model's ner alone", "spaCy with the whole model", "raguard after warm_up()"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures each in a process of its own and prints the table; returns the exit status (2: a process failed)."""
    options = _parser().parse_args(arguments)
    try:
        held, pauses = measured(options.answers)
    except ProcessError as error:
        print(f"memory.py: {error}", file=sys.stderr)
        return 2
    place = machine.describe()
    print(machine.line(place) + "\n")
    rows = [[title, f"{megabytes:.0f}", f"{megabytes / held[MODEL]:.2f}"] for title, megabytes in held.items()]
    print(table(["process", "resident MB", "ratio"], rows))
    print("\nA full garbage collection takes:")
    for title, milliseconds in pauses.items():
        print(f"- {title}: {milliseconds:.0f} ms")
    if options.json:
        row = {"benchmark": "memory", "answers": options.answers} | place
        append_row(options.json, row | {"megabytes": held, "collection_ms": pauses})
    return 0


def measured(answers: int) -> tuple[dict[str, float], dict[str, float]]:
    """The resident megabytes of each process, and the milliseconds of a full garbage collection at the end.

    Answers are in hundreds, each with documents of its own.
    """
    package = find_model(Config()).package
    held = {
        title: _held(_SPACY, package, json.dumps(excluded))[0] for title, excluded in ((MODEL, _ONLY_NER), (WHOLE, []))
    }
    warm, cold, cold_pause = _held(_RAGUARD, "cold", str(answers))
    _, kept, kept_pause = _held(_RAGUARD, "kept", str(answers))
    nothing, default = f"after {answers:,} answers, no chunk kept", f"after {answers:,} answers, default config"
    return held | {WARM: warm, nothing: cold, default: kept}, {nothing: cold_pause, default: kept_pause}


def _held(code: str, *arguments: str) -> list[float]:
    held: list[float] = json.loads(printed(["-c", code, *arguments]))
    return held


def _hundreds(text: str) -> int:
    return -(-positive(text) // 100) * 100


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="memory.py", description="Shows the memory that raguard holds.")
    parser.add_argument(
        "--answers", type=_hundreds, default=2_000, metavar="N", help="distinct answers, in hundreds (default 2000)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row")
    return parser


if __name__ == "__main__":
    sys.exit(main())
