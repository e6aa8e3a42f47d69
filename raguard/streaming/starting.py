"""For whom is an answer streamed? By the modes of its tenant it is judged or not, and text is held back or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from raguard.documents import Document
from raguard.modes import NOT_CHECKED
from raguard.result import VerifyResult
from raguard.streaming.answer_stream import AnswerStream
from raguard.streaming.events import OnReview

if TYPE_CHECKING:
    from raguard.verifier import Verifier

__all__ = ["start"]


def start(
    verifier: Verifier, query: str, docs: Any, *, on_review: OnReview, tenant_id: str | None, **options: Any
) -> AnswerStream:
    """The stream of one answer to ``query`` over ``docs``, as ``verifier`` and the modes of the tenant will have it."""
    modes = verifier.config.modes.of(tenant_id)
    # the answer is not known yet, and many ask the same question: the documents tell streams apart
    is_checked = modes.checks(query, *_texts(docs))

    def judge(answer: str) -> VerifyResult:
        return verifier.verify(query, docs, answer, **options) if is_checked else verifier.skip(NOT_CHECKED)

    return AnswerStream(verifier, judge, on_review, modes.enforced if is_checked and modes.may_enforce else None)


def _texts(docs: object) -> list[object]:
    given = docs if isinstance(docs, list | tuple) else ()
    return [doc.text if isinstance(doc, Document) else doc for doc in given]
