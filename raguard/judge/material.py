"""What of the input can be judged? Types, sizes and broken text; what cannot is said in words, never raised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raguard.documents import Document, read_document
from raguard.judge.prompting import Material

__all__ = ["admitted"]


def admitted(answer: object, passages: object, question: object, *, most: int) -> Material | str:
    """What is judged, without blank passages, or why nothing is; ``most`` bounds all texts together, in characters.

    >>> admitted("It is $900.", ["The rent is $900.", " "], None, most=100)
    Material(answer='It is $900.', passages=('The rent is $900.',), question=None)
    >>> admitted("It is $900.", [], None, most=100)
    'there are no passages to judge by'
    """
    if not isinstance(answer, str):
        return f"the answer must be a string, not {type(answer).__name__}"
    if not (question is None or isinstance(question, str)):
        return f"the question must be a string or None, not {type(question).__name__}"
    texts = _texts(passages)
    if isinstance(texts, str):
        return texts
    if _is_blank(answer):
        return "the answer is empty"
    texts = [text for text in texts if not _is_blank(text)]
    if not texts:
        return "there are no passages to judge by"
    size = sum(map(len, (answer, question or "", *texts)))
    if size > most:
        return f"the texts have {size:,} characters, and max_chars is {most:,}"
    asked = None if question is None or _is_blank(question) else _valid(question)
    return Material(_valid(answer), tuple(map(_valid, texts)), asked)


def _texts(passages: object) -> list[str] | str:
    if isinstance(passages, str | bytes) or not isinstance(passages, Sequence):
        return f"the passages must be a list of strings or Documents, not {type(passages).__name__}"
    texts = []
    for number, passage in enumerate(passages, start=1):
        text: Any = read_document(passage)
        text = text.text if isinstance(text, Document) else text
        if not isinstance(text, str):
            return f"passage {number} must be a string or a Document, not {type(passage).__name__}"
        texts.append(text)
    return texts


def _is_blank(text: str) -> bool:
    """Whether nothing in it is seen: spaces, control characters and what has no width."""
    return not any(letter.isprintable() and letter != " " for letter in text)


def _valid(text: str) -> str:
    """The text with a question mark for each lone surrogate, which no server can read."""
    return text.encode("utf-8", "replace").decode("utf-8")
