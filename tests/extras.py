"""Is each extra alone enough for its part? Installs it into an empty environment and imports the part.

Run: ``make extras``, or ``python tests/extras.py NAME …`` for some. Takes minutes and package indexes, so it is no part
of the tests. ``--torch=--extra-index-url=ADDRESS`` (or ``torch@ADDRESS``) says how pip gets a build of torch for the
CPU; an environment with CUDA in it is a failure.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import tomllib
from pathlib import Path

from extra_venv import ROOT, made, run

PARTS = {
    "asgi": ["raguard.integrations.asgi"],
    "chroma": ["chromadb", "raguard.pipeline.chroma_store"],
    "client": ["httpx", "raguard.client.client"],
    "embeddings": ["bm25s", "sentence_transformers", "raguard.claims.encoders"],
    "fastapi": ["raguard.integrations.fastapi", "raguard.integrations.generic_guardrail"],
    "haystack": ["raguard.integrations.haystack"],
    "judge": ["openai", "raguard.judge.chat"],
    "langchain": ["raguard.integrations.langchain"],
    "litellm": ["raguard.integrations.litellm"],
    "llamaindex": ["raguard.integrations.llamaindex"],
    "mcp": ["mcp", "raguard.mcp"],
    "nli": ["onnxruntime", "tokenizers", "raguard.claims.cross_encoder"],
    "otel": ["opentelemetry.trace", "raguard.claims.telemetry"],
    "pdf": ["pypdf", "raguard.pipeline.pdf_pages"],
    "pgvector": ["pgvector", "psycopg", "raguard.pipeline.pgvector_store"],
    "presidio": ["presidio_analyzer", "raguard.screens.presidio"],
    "ragas": ["ragas", "raguard.metrics.ragas_metric"],
    "remote": ["bm25s", "httpx", "raguard.claims.encoders"],
    "retrieval": ["bm25s", "raguard.claims.retrieval"],
    "screens": ["phonenumbers", "stdnum", "raguard.screens.pii"],
    "serve": ["uvicorn", "raguard.service"],
}
"""For each extra the libraries and modules that it must be enough for; ``all`` must be for all of them."""
WITH_TORCH = ("embeddings", "all")
_CUDA = ("nvidia", "cuda", "triton")


def extras() -> list[str]:
    """The extras of this checkout, those for its developers left out."""
    content = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [name for name in content["project"]["optional-dependencies"] if name != "dev"]


def parts(extra: str, known: list[str]) -> list[str]:
    """What an extra must be enough for."""
    names = [name for name in known if name != "all"] if extra == "all" else [extra]
    return sorted({module for name in names for module in PARTS[name]})


def check(extra: str, known: list[str], torch: str | None) -> str:
    """Why an extra is not enough, or "" when it is."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            before = [torch] if torch is not None and extra in WITH_TORCH else []
            python = made(Path(folder), extra, *before)
            run(python, "-c", "\n".join(f"import {module}" for module in parts(extra, known)), cwd=Path(folder))
            listed = run(python, "-m", "pip", "list", "--format=freeze").lower().splitlines()
        except AssertionError as error:
            return str(error)
    return ", ".join(line for line in listed if line.startswith(_CUDA))


def main() -> int:
    """Checks the extras that are named, or all."""
    reads = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reads.add_argument("extra", nargs="*", help="the extras to check; all of them by default")
    reads.add_argument("--torch", metavar="WORD", help="what pip is told besides, to get a build of torch for the CPU")
    given, known = reads.parse_args(), extras()
    failed = []
    for extra in given.extra or known:
        why = check(extra, known, given.torch)
        print(f"{extra}: {why or 'enough'}", flush=True)
        failed += [extra] if why else []
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
