"""How does a chain of LangChain check its answers? Run: python examples/langchain_chain.py "What is due in Q3 2024?"

Needs `pip install 'raguard-verify[langchain]'`.
Watch in the shadow first (RAGUARD_MODE=shadow): the chain says what it said before, and the count of warnings follows.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from raguard import Config
from raguard.gate import Gate, Gated
from raguard.integrations.langchain import gated_text
from raguard.modes import Modes

CHUNKS = [
    Document("Q2 project was delivered on June 15. Next milestone is Q4 planning.", id="status.md#1"),
    Document("The office is closed in August.", id="office.md#1"),
]

gate = Gate(config=Config(modes=Modes.read({"mode": os.environ.get("RAGUARD_MODE", "enforce")})), on_review="redact")


def retrieve(question: str) -> list[Document]:
    """Stands for a vector store: the chunks that share a word with the question."""
    words = set(question.lower().replace("?", "").split())
    return [chunk for chunk in CHUNKS if words & set(chunk.page_content.lower().split())] or CHUNKS


def model(given: dict[str, object]) -> Iterator[str]:
    """Stands for a chat model that writes its answer word by word."""
    known = "The Q2 project was delivered on June 15."
    invented = "The Q3 2024 deadline is September 30, 2024."
    answer = f"{known} {invented}" if "Q3" in str(given["question"]) else known
    yield from (f"{word} " for word in answer.split())


def watch(gated: Gated) -> None:
    """Counts and no text."""
    print(f"\n({gated.mode}: {gated.verdict.action}, high {gated.verdict.summary.high})", file=sys.stderr)


chain = (
    RunnablePassthrough.assign(context=lambda given: retrieve(given["question"]))
    | RunnablePassthrough.assign(answer=RunnableLambda(model))
    | gated_text(gate, on_result=watch)
)

if __name__ == "__main__":
    for text in chain.stream({"question": " ".join(sys.argv[1:]) or "What is due in Q3 2024?"}):
        print(text, end="", flush=True)
    print()
