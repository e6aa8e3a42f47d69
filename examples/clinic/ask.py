"""A clinic answers questions from its leaflets: offline, with every stage told. Run it: python examples/clinic/ask.py

The domain is sensitive, so the screens run in sensitive mode: who asks for a dose, a diagnosis or help in a crisis, and
who writes personal data into a question, gets no generated answer. One "document" is a guest book that anybody can
write into.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from raguard import Raguard
from raguard.claims import CorpusChunk
from raguard.pipeline import RunReport, load_documents
from raguard.screens import GuardrailSuite

LEAFLETS = Path(__file__).parent / "leaflets"
QUESTIONS = (
    "When are visiting hours?",
    "When may I drive again after my knee surgery?",
    "What does the car park cost an hour?",
    "How many mg of ibuprofen should I take for my knee?",
    "I am ann.lee@acme.com, when are my stitches taken out?",
    "Is there a swimming pool?",
)


def invented(question: str, chunks: Sequence[CorpusChunk]) -> str:
    """What a language model might make up: right words, wrong hours."""
    return "Visiting hours are from 2 pm to 9 pm on every day of the week [1]."


def reports() -> Iterator[RunReport]:
    """The report on each question, and at last on an invented answer to the first."""
    documents, screens = load_documents(LEAFLETS), GuardrailSuite(sensitive_mode=True)
    clinic = Raguard.from_documents(documents, screens=screens, top_k=3)
    yield from map(clinic.run, QUESTIONS)
    yield Raguard.from_documents(documents, screens=screens, top_k=3, provider=invented).run(QUESTIONS[0])


if __name__ == "__main__":
    print("\n\n".join(map(str, reports())))
