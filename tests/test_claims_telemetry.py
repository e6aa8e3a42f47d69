"""Do spans, events and logs tell the numbers of a check, and never a word of what was checked?"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from raguard import Document
from raguard.claims import Context, GuardConfig, GuardEvent, HallucinationGuard, LexicalNLIScorer, NLIScore, Retriever

ANSWER = "Lisbon borders Portugal. Zebras hibernate underground. Velvet glows violet."
EVIDENCE = [Document("Lisbon borders Portugal.", id="atlas")]
QUESTION = "Which quokkas juggle?"
SECRET = "Xylophone"
WORDS = {word.lower() for text in (ANSWER, QUESTION, SECRET, EVIDENCE[0].text) for word in re.findall(r"\w{4,}", text)}


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    yield exporter
    provider.shutdown()


class Leaky(LexicalNLIScorer):
    """Raises with the text that it was given."""

    async def score(self, ctx: Context | None, premise: str, hypothesis: str) -> NLIScore:
        raise ValueError(premise + hypothesis)

    async def score_batch(self, ctx: Context | None, pairs: Sequence[tuple[str, str]]) -> Sequence[NLIScore]:
        raise ValueError(repr(pairs))


def told(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_a_check_is_one_span_with_its_numbers(spans: InMemorySpanExporter) -> None:
    HallucinationGuard(LexicalNLIScorer()).check_sync(Context(tenant_id="acme"), ANSWER, EVIDENCE, QUESTION)
    (span,) = spans.get_finished_spans()
    attributes = told(span)
    elapsed = attributes.pop("rag.guard.elapsed_ms")
    assert isinstance(elapsed, float)
    assert elapsed > 0
    assert span.name == "guard.check"
    assert attributes == {
        "rag.tenant_id": "acme",
        "rag.guard.threshold": 0.5,
        "rag.guard.action": "annotate",
        "rag.guard.scorer": "lexical",
        "rag.guard.claims_n": 3,
        "rag.guard.blocked_n": 2,
        "rag.guard.unchecked_n": 0,
        "rag.guard.verdict": "flagged",
        "rag.guard.min_entailment": 0.0,
        "rag.guard.degraded": False,
    }
    (event,) = span.events
    assert event.name == "guard.claim_blocked"
    assert dict(event.attributes or {}) == {
        "rag.guard.claims_n": 3,
        "rag.guard.blocked_n": 2,
        "rag.guard.unchecked_n": 0,
        "rag.guard.threshold": 0.5,
        "rag.guard.min_entailment": 0.0,
        "rag.guard.verdict": "flagged",
        "rag.guard.action": "annotate",
        "rag.guard.scorer": "lexical",
    }


def test_a_check_without_a_fallen_claim_has_no_event(spans: InMemorySpanExporter) -> None:
    events: list[GuardEvent] = []
    guard = HallucinationGuard(LexicalNLIScorer(), on_event=events.append)
    guard.check_sync(None, "Lisbon borders Portugal.", EVIDENCE)
    guard.check_sync(None, "Lisbon borders Portugal.", [])
    passed, unchecked = spans.get_finished_spans()
    assert (passed.events, unchecked.events, events) == ((), (), [])
    assert (told(passed)["rag.tenant_id"], told(passed)["rag.guard.verdict"]) == ("default", "pass")
    assert told(unchecked)["rag.guard.degraded"] is True
    assert "rag.guard.min_entailment" not in told(unchecked)


def test_what_a_scorer_traces_lies_within_the_check(spans: InMemorySpanExporter) -> None:
    class Tracing(LexicalNLIScorer):
        async def score_batch(self, ctx: Context | None, pairs: Sequence[tuple[str, str]]) -> Sequence[NLIScore]:
            with trace.get_tracer("scorer").start_as_current_span("model"):
                return await super().score_batch(ctx, pairs)

    async def within() -> None:
        HallucinationGuard(Tracing()).check_sync(None, ANSWER, EVIDENCE)

    asyncio.run(within())
    inner, outer = spans.get_finished_spans()
    assert (inner.name, outer.name) == ("model", "guard.check")
    assert inner.parent is not None
    assert outer.context is not None
    assert inner.parent.span_id == outer.context.span_id


@pytest.mark.parametrize("scorer", [LexicalNLIScorer(), Leaky()])
@pytest.mark.parametrize("action", ["annotate", "redact", "block"])
@pytest.mark.parametrize("retrieving", [False, True])
def test_no_word_of_what_is_checked_is_told(
    spans: InMemorySpanExporter, caplog: pytest.LogCaptureFixture, scorer: Any, action: Any, retrieving: bool
) -> None:
    caplog.set_level(logging.DEBUG)
    events: list[GuardEvent] = []

    def tell(event: GuardEvent) -> None:
        events.append(event)
        raise ValueError(SECRET)

    config = GuardConfig(action=action, on_unchecked="act")
    guard = HallucinationGuard(scorer, config=config, retriever=Retriever(EVIDENCE), on_event=tell)
    result, _ = guard.check_sync(None, ANSWER, None if retrieving else EVIDENCE, QUESTION)
    guard.check_sync(None, f"{SECRET} {SECRET} {SECRET}.", [None, {"text": SECRET.encode()}], QUESTION)  # type: ignore[list-item]
    texts = [event_text for span in spans.get_finished_spans() for event_text in (span.to_json(), repr(span.events))]
    texts += [repr(event) for event in events]
    texts += [f"{record.getMessage()} {record.exc_info} {record.exc_text}" for record in caplog.records]
    texts += [result.reason]
    assert len(spans.get_finished_spans()) == 2
    assert len(events) == 2
    found = {word for word in WORDS for text in texts if re.search(rf"\b{word}\b", text.lower())}
    assert found == set()


def test_a_check_that_ends_early_leaves_no_trace_of_what_was_raised(spans: InMemorySpanExporter) -> None:
    class Interrupted(LexicalNLIScorer):
        async def score_batch(self, ctx: Context | None, pairs: Sequence[tuple[str, str]]) -> Sequence[NLIScore]:
            checks[0].cancel(SECRET)
            return []

    async def interrupt() -> None:
        checks.append(asyncio.ensure_future(HallucinationGuard(Interrupted()).check(None, ANSWER, EVIDENCE)))
        with pytest.raises(asyncio.CancelledError):
            await checks[0]

    checks: list[asyncio.Future[Any]] = []
    asyncio.run(interrupt())
    (span,) = spans.get_finished_spans()
    assert (span.events, span.status.description, told(span)) == ((), None, {})


def test_the_callback_gets_the_numbers() -> None:
    events: list[GuardEvent] = []
    HallucinationGuard(LexicalNLIScorer(), on_event=events.append).check_sync(None, ANSWER, EVIDENCE)
    assert [dataclasses.asdict(event) for event in events] == [
        {
            "claims_n": 3,
            "blocked_n": 2,
            "unchecked_n": 0,
            "threshold": 0.5,
            "min_entailment": 0.0,
            "verdict": "flagged",
            "action": "annotate",
            "scorer": "lexical",
        }
    ]


@pytest.mark.parametrize("error", [ValueError(SECRET), SystemExit(SECRET), GeneratorExit(SECRET)])
def test_a_callback_that_fails_breaks_no_check(error: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    def fail(event: GuardEvent) -> None:
        raise error

    result, _ = HallucinationGuard(LexicalNLIScorer(), on_event=fail).check_sync(None, ANSWER, EVIDENCE)
    assert result.blocked_n == 2
    assert [record.getMessage() for record in caplog.records] == [f"on_event raised {type(error).__name__}"]


def test_a_scorer_without_a_name_is_called_by_its_class(spans: InMemorySpanExporter) -> None:
    class Nameless(LexicalNLIScorer):
        name = ""

    HallucinationGuard(Nameless()).check_sync(None, ANSWER, EVIDENCE)
    assert told(spans.get_finished_spans()[0])["rag.guard.scorer"] == "Nameless"


def test_a_check_needs_no_opentelemetry() -> None:
    code = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "from raguard.claims import HallucinationGuard, LexicalNLIScorer\n"
        "print(HallucinationGuard(LexicalNLIScorer()).check_sync(None, 'The moon is cheese.', ['Paris.'])[0].verdict)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "flagged\n"


def test_importing_the_layer_alone_loads_nothing_of_it() -> None:
    code = (
        "import raguard.claims, sys\n"
        "print([name for name in sorted(sys.modules) if name.startswith(('raguard.', 'opentelemetry', 'numpy'))])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "['raguard.claims', 'raguard.lazy']\n"


class Failing(SpanProcessor):
    """Raises when a span begins, or when it ends."""

    def __init__(self, at: str) -> None:
        self._at = at

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        if self._at == "start":
            raise ValueError(SECRET)

    def on_end(self, span: ReadableSpan) -> None:
        if self._at == "end":
            raise SystemExit(SECRET)


@pytest.mark.parametrize(("at", "kind"), [("start", "ValueError"), ("end", "SystemExit")])
def test_a_tracer_that_fails_ends_no_check(
    at: str, kind: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    checked = HallucinationGuard(LexicalNLIScorer()).check_sync(None, ANSWER, EVIDENCE)
    provider = TracerProvider()
    provider.add_span_processor(Failing(at))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    assert HallucinationGuard(LexicalNLIScorer()).check_sync(None, ANSWER, EVIDENCE) == checked
    assert [record.getMessage() for record in caplog.records] == [f"the tracer raised {kind}"]
    assert trace.get_current_span() is trace.INVALID_SPAN
