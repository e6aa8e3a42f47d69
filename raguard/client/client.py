"""What can be asked of a service? What a Verifier, a claim guard and a suite of screens can be asked locally."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from raguard.addresses import Address
from raguard.client.exchange import Exchange, ServiceError, UnsendableError
from raguard.client.guard_reading import read_guard
from raguard.client.reading import failed, read_screen, read_verdict, sent_case, sent_docs
from raguard.client.shapes import UnreadableError
from raguard.documents import Document
from raguard.endpoints import checked_key, checked_seconds
from raguard.errors import ConfigError
from raguard.result import VerifyResult

if TYPE_CHECKING:
    from raguard.claims import GuardResult
    from raguard.screens import ScreenReport

__all__ = ["Client"]

_VERIFY, _BATCH, _GUARD, _SCREEN = "/v1/verify", "/v1/verify/batch", "/v1/guard", "/v1/screen"
_REFUSALS = (400, 413, 422)


class Client:
    """A service with the methods of a Verifier, for any number of threads and event loops; ``close`` it when done.

    ``url`` is the service's address, ``http+unix://%2Frun%2Fraguard.sock`` for a Unix socket. ``timeout_s`` bounds each
    request as a whole, in seconds. A proxy from the environment is used for other machines only; redirects are not
    followed. Nothing is asked twice, except over a new connection where a kept one ended before the head of an answer.
    Raises ConfigError for bad arguments, and when ``httpx`` is missing.

    ``verify`` never raises, like that of a Verifier: whatever goes wrong on the way, including refusal and overload, is
    a ``check_error``, which is high. ``guard`` and ``screen`` have no such result and raise ServiceError, so that
    nothing fails open. Where the key's policy gives no texts, matched text and evidence are cut from what was sent;
    ``facts``, pointers into JSON, and the words of suggestions, of claims' reasons and of gaps are left out.

    >>> Client("localhost:8000")
    Traceback (most recent call last):
    raguard.errors.ConfigError: url must begin with http://, https:// or http+unix://, not 'localhost://'
    """

    def __init__(self, url: str, api_key: str | None = None, *, timeout_s: float = 30.0, batch_size: int = 50) -> None:
        address = Address.read(url)
        checked_key(api_key)
        timeout_s = checked_seconds(timeout_s, "timeout_s")
        if type(batch_size) is not int or batch_size < 1:
            raise ConfigError(f"batch_size must be a whole number of cases of at least 1, not {batch_size!r}")
        self._batch = batch_size
        self._service = Exchange(address, api_key or None, timeout_s)

    def verify(
        self,
        query: str,
        retrieved_docs: Sequence[str | Document],
        llm_response: str,
        *,
        lang: str = "auto",
        history: Sequence[Mapping[str, Any]] | None = None,
    ) -> VerifyResult:
        """The verdict on one answer, as ``Verifier.verify`` gives it. Never raises."""
        try:
            case = sent_case(query, retrieved_docs, llm_response, history)
            return read_verdict(self._service.ask(_VERIFY, {**case, "lang": lang}), case)
        except Exception as error:
            return failed(error)

    async def averify(
        self,
        query: str,
        retrieved_docs: Sequence[str | Document],
        llm_response: str,
        *,
        lang: str = "auto",
        history: Sequence[Mapping[str, Any]] | None = None,
    ) -> VerifyResult:
        """``verify`` for an event loop."""
        try:
            case = sent_case(query, retrieved_docs, llm_response, history)
            return read_verdict(await self._service.aask(_VERIFY, {**case, "lang": lang}), case)
        except Exception as error:
            return failed(error)

    def verify_many(self, cases: Iterable[Mapping[str, Any]], *, lang: str = "auto") -> Iterator[VerifyResult]:
        """The verdicts on many cases ``{"query", "docs", "response"}``, lazily and in order.

        They are sent ``batch_size`` at a time; a case that cannot be sent does not affect the others.
        """
        source = iter(cases)
        while batch := list(islice(source, self._batch)):
            yield from self._verdicts(batch, lang)

    def guard(
        self,
        answer: str,
        evidence: Iterable[str | Document] | None = None,
        question: str | None = None,
        *,
        tenant_id: str | None = None,
    ) -> tuple[GuardResult, str]:
        """What the service's claim guard says of an answer, and the answer to show; raises ServiceError."""
        return read_guard(self._service.ask(_GUARD, _guarding(answer, evidence, question, tenant_id)), answer)

    async def aguard(
        self,
        answer: str,
        evidence: Iterable[str | Document] | None = None,
        question: str | None = None,
        *,
        tenant_id: str | None = None,
    ) -> tuple[GuardResult, str]:
        """``guard`` for an event loop."""
        return read_guard(await self._service.aask(_GUARD, _guarding(answer, evidence, question, tenant_id)), answer)

    def screen(self, text: str) -> ScreenReport:
        """What the service's screens say of a question or of any other text; raises ServiceError."""
        return read_screen(_part(self._service.ask(_SCREEN, {"text": text}), "text"), text)

    async def ascreen(self, text: str) -> ScreenReport:
        """``screen`` for an event loop."""
        return read_screen(_part(await self._service.aask(_SCREEN, {"text": text}), "text"), text)

    def screen_documents(self, docs: Sequence[str | Document]) -> tuple[ScreenReport, ...]:
        """A report for each document, in order; without documents nothing is asked. Raises ServiceError."""
        given = sent_docs(docs)
        return () if given == [] else _reports(self._service.ask(_SCREEN, {"docs": given}), docs)

    async def ascreen_documents(self, docs: Sequence[str | Document]) -> tuple[ScreenReport, ...]:
        """``screen_documents`` for an event loop."""
        given = sent_docs(docs)
        return () if given == [] else _reports(await self._service.aask(_SCREEN, {"docs": given}), docs)

    def close(self) -> None:
        """Ends all requests and closes the connections; the client cannot be used afterwards."""
        self._service.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)

    def _verdicts(self, cases: list[Mapping[str, Any]], lang: str) -> list[VerifyResult]:
        try:
            sent = [_sent(case) for case in cases]
            results = _part(self._service.ask(_BATCH, {"cases": sent, "lang": lang}), "results")
            if not isinstance(results, list) or len(results) != len(cases):
                raise UnreadableError("the service did not answer with a verdict for each case")
        except Exception as error:
            if len(cases) > 1 and _may_be_one(error):
                return [result for case in cases for result in self._verdicts([case], lang)]
            return [failed(error)] * len(cases)
        return [_verdict(result, case) for result, case in zip(results, sent, strict=True)]


def _may_be_one(error: Exception) -> bool:
    """Whether one case of many may be the cause, so that the others should be asked one by one."""
    if not isinstance(error, ServiceError) or isinstance(error, UnsendableError):
        return True
    return error.status in _REFUSALS


def _sent(case: Any) -> dict[str, Any]:
    # the service says what is wrong with what is not a case
    given = case if isinstance(case, Mapping) else {"docs": type(case).__name__}
    return sent_case(given.get("query", ""), given.get("docs"), given.get("response"), given.get("history"))


def _verdict(result: Any, case: Mapping[str, Any]) -> VerifyResult:
    try:
        return read_verdict(result, case)
    except UnreadableError as error:
        return failed(error)


def _guarding(answer: str, evidence: Any, question: str | None, tenant_id: str | None) -> dict[str, Any]:
    passages = evidence if evidence is None or isinstance(evidence, str | bytes) else list(evidence)
    return {
        "answer": answer,
        "evidence": None if passages is None else sent_docs(passages),
        "question": question,
        "tenant_id": tenant_id,
    }


def _part(answer: Any, key: str) -> Any:
    return answer.get(key) if isinstance(answer, dict) else None


def _reports(answer: Any, docs: Sequence[str | Document]) -> tuple[ScreenReport, ...]:
    reports = _part(answer, "docs")
    if not isinstance(reports, list) or len(reports) != len(docs):
        raise UnreadableError("the service did not answer with a report for each document")
    texts = [doc if isinstance(doc, str) else doc.text for doc in docs]
    return tuple(read_screen(report, text) for report, text in zip(reports, texts, strict=True))
