"""How well do retrieval and stored answers do on a tenants' handbook? A set to try the metrics and a pipeline on.

    python evals/run.py                                  # the table
    python evals/run.py --cases cases.jsonl              # the retrieved chunks with each answer, for raguard score

For each question the chunks are found by BM25 (extra: retrieval), and the stored answer is scored with them. Six of the
answers are wrong on purpose; their label is true.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from raguard import ConfigError, Document
from raguard.claims import Retriever, chunk_corpus
from raguard.cli import main as raguard

HERE = Path(__file__).parent
SIZE, TOP_K = 400, 3


def handbook() -> list[Document]:
    """The documents of the handbook."""
    read = json.loads((HERE / "handbook.json").read_text(encoding="utf-8"))
    return [Document(entry["text"], id=entry["id"]) for entry in read]


def questions() -> list[dict[str, Any]]:
    """The questions with their stored answers, gold chunk ids and labels."""
    lines = (HERE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def cases(top_k: int = TOP_K) -> Iterator[dict[str, Any]]:
    """Each question with the chunks that are found for it, as ``raguard score`` reads them."""
    retriever = Retriever(chunk_corpus(handbook(), SIZE, overlap=0))
    for question in questions():
        found = retriever.retrieve(question["question"], top_k)
        yield {**question, "chunks": [{"id": each.chunk.id, "text": each.chunk.text} for each in found]}


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; options that it does not know go to ``raguard score``, whose exit status it returns."""
    parser = argparse.ArgumentParser(description="Scores the stored answers to questions about a handbook.")
    parser.add_argument("--top-k", type=int, default=TOP_K, help="how many chunks a question gets")
    parser.add_argument("--cases", type=Path, help="keep the cases in this file")
    options, rest = parser.parse_known_args(arguments)
    if options.top_k < 1:
        parser.error("--top-k must be a whole number of at least 1")
    try:
        lines = "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in cases(options.top_k))
    except ConfigError as error:
        parser.error(str(error))
    with TemporaryDirectory() as folder:
        path = options.cases or Path(folder, "handbook.jsonl")
        try:
            path.write_text(lines, encoding="utf-8")
        except OSError as error:
            parser.error(f"--cases: {path}: cannot be written: {error.strerror}")
        return raguard(["score", str(path), *rest])


if __name__ == "__main__":
    sys.exit(main())
