"""Does a fault of a scorer, an extractor or a retriever stay small, and is what it left unjudged never supported?"""

from __future__ import annotations

import asyncio
import gc
import math
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from clocks import IdleLoop, StandingLoop

from raguard import ConfigError, RaguardError
from raguard.claims import (
    BLOCK_NOTICE,
    ClaimExtractor,
    Context,
    EncoderError,
    EvidenceScorer,
    GuardConfig,
    HallucinationGuard,
    LexicalNLIScorer,
    NLILabel,
    NLIScore,
    NLIScorer,
    NoopNLIScorer,
    Retriever,
)

PARIS, MOON, MARS = "Paris is the capital of France.", "The moon is made of cheese.", "Mars is a large red planet."
ANSWER = f"{PARIS} {MOON} {MARS}"
EVIDENCE = ["Paris is the capital of France, on the Seine.", "Nothing is known of Mars."]
TEXT = f"{ANSWER} {' '.join(EVIDENCE)}"


def forged(entailment: Any) -> NLIScore:
    """A score that went past its own checks."""
    score = NLIScore(NLILabel.ENTAILMENT, 1.0)
    object.__setattr__(score, "entailment", entailment)
    return score


async def hang() -> Any:
    await asyncio.get_running_loop().create_future()


async def hang_on() -> Any:
    """Hangs even when it is cancelled once."""
    try:
        await hang()
    except asyncio.CancelledError:
        await asyncio.sleep(0)
        raise ValueError(MOON) from None


def raises(error: BaseException) -> Callable[[], Any]:
    def fault() -> Any:
        raise error

    return fault


class Unwell(BaseException):
    """What an extension may raise: no Exception."""


async def cancelled() -> Any:
    future = asyncio.get_running_loop().create_future()
    future.cancel()
    await future


class OddInt(int):
    """A whole number that breaks when it is compared."""

    def __ge__(self, other: object) -> bool:
        raise ZeroDivisionError(MOON)


class OddFloat(float):
    def __float__(self) -> float:
        raise Unwell(MOON)


def with_evidence(*indices: int) -> NLIScore:
    score = forged(1.0)
    object.__setattr__(score, "evidence", indices)
    return score


FAULTS: list[tuple[str, Callable[[], Any], str]] = [
    ("exception", raises(ValueError(MOON)), "raised ValueError"),
    ("exit", raises(SystemExit(MOON)), "raised SystemExit"),
    ("panic", raises(Unwell(MOON)), "raised Unwell"),
    ("generator exit", raises(GeneratorExit()), "raised GeneratorExit"),
    ("cancelled inside", cancelled, "was cancelled"),
    ("raises cancelled", raises(asyncio.CancelledError(MOON)), "was cancelled"),
    ("core error", raises(RaguardError(MOON)), "raised RaguardError"),
    ("config error", raises(ConfigError(MOON)), "raised ConfigError"),
    ("encoder error", raises(EncoderError(MOON)), "raised EncoderError"),
    ("odd index", lambda: with_evidence(OddInt(0)), "returned a score outside of its range"),
    ("odd number", lambda: forged(OddFloat(1.0)), "returned a score outside of its range"),
    ("hang", hang, "took too long"),
    ("hang on", hang_on, "took too long"),
    ("none", lambda: None, "returned NoneType in place of a score"),
    ("number", lambda: 1.0, "returned float in place of a score"),
    ("nan", lambda: forged(math.nan), "returned a score outside of its range"),
    ("too large", lambda: forged(1.5), "returned a score outside of its range"),
    ("text", lambda: forged(MOON), "returned a score outside of its range"),
    ("built with nan", lambda: NLIScore(NLILabel.ENTAILMENT, math.nan), "raised ValueError"),
]


class FailsOn(LexicalNLIScorer):
    """Does something else for pairs with one claim."""

    def __init__(self, claim: str, fault: Callable[[], Any]) -> None:
        self.claim = claim
        self.fault = fault

    async def score_batch(self, ctx: Context | None, pairs: Sequence[tuple[str, str]]) -> Sequence[NLIScore]:
        return await NLIScorer.score_batch(self, ctx, pairs)

    async def score(self, ctx: Context | None, premise: str, hypothesis: str) -> NLIScore:
        if hypothesis == self.claim:
            value: Any = self.fault()
            return await value if asyncio.iscoroutine(value) else value
        return await super().score(ctx, premise, hypothesis)


class FailsInReading(FailsOn):
    """The same for a scorer of the whole evidence."""

    async def score_claims(self, ctx: Context | None, claims: Sequence[str], evidence: Any) -> Sequence[NLIScore]:
        premise = getattr(evidence[0], "text", evidence[0])
        return [await self.score(ctx, premise, claim) for claim in claims]


class Batch(NoopNLIScorer):
    """Returns something else for every batch."""

    def __init__(self, returned: Callable[[int], Any]) -> None:
        self.returned = returned
        self.calls: list[int] = []

    async def score_batch(self, ctx: Context | None, pairs: Sequence[tuple[str, str]]) -> Any:
        self.calls.append(len(pairs))
        return self.returned(len(pairs))


def check(scorer: Any, **settings: Any) -> Any:
    return checked(HallucinationGuard(scorer, config=GuardConfig(**settings)), EVIDENCE)


def checked(guard: HallucinationGuard, evidence: Any = None) -> Any:
    """What a guard says; its time is up when nothing but what hangs is left."""
    with patch.object(asyncio, "new_event_loop", IdleLoop):
        return guard.check_sync(None, ANSWER, evidence)


def tell(result: Any) -> list[tuple[str, tuple[str, ...]]]:
    return [(claim.status.value, claim.reasons if claim.status == "unchecked" else ()) for claim in result.claims]


@pytest.mark.parametrize("kind", [FailsOn, FailsInReading])
@pytest.mark.parametrize(("fault", "why"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_a_fault_in_one_claim_leaves_the_others_judged(kind: type[FailsOn], fault: Callable[[], Any], why: str) -> None:
    result, answer = check(kind(MOON, fault), action="block")
    assert tell(result) == [("supported", ()), ("unchecked", (f"the scorer {why}",)), ("hallucination_flag", ())]
    assert (result.unchecked_n, result.blocked_n, result.degraded, answer) == (1, 1, True, BLOCK_NOTICE)
    assert MOON not in result.reason


@pytest.mark.parametrize(("fault", "why"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_a_fault_in_every_claim_is_no_pass(fault: Callable[[], Any], why: str) -> None:
    class Failing(NLIScorer):
        async def score(self, ctx: Context | None, premise: str, hypothesis: str) -> NLIScore:
            value: Any = fault()
            return await value if asyncio.iscoroutine(value) else value

    result, answer = check(Failing(), action="redact")
    assert tell(result) == [("unchecked", (f"the scorer {why}",))] * 3
    assert (result.verdict, answer, result.risk) == ("flagged", ANSWER, 0.0)
    assert result.reason == f"No claim was judged. 3 claims were not checked: the scorer {why}."


@pytest.mark.parametrize(
    ("returned", "why"),
    [
        (lambda count: None, "returned NoneType in place of a list of scores"),
        (lambda count: "x" * count, "returned str in place of a list of scores"),
        (lambda count: {}, "returned dict in place of a list of scores"),
        (lambda count: [], "returned 0 scores for 2"),
        (lambda count: [NLIScore(NLILabel.ENTAILMENT, 1.0)] * (count + 1), "returned 3 scores for 2"),
        (lambda count: [1.0] * count, "returned float in place of a score"),
    ],
)
def test_a_batch_of_the_wrong_kind_or_length_is_asked_again_and_then_unchecked(
    returned: Callable[[int], Any], why: str
) -> None:
    scorer = Batch(returned)
    result, _ = check(scorer)
    assert scorer.calls == [6, 2, 2, 2]
    assert tell(result) == [("unchecked", (f"the scorer {why}",))] * 3


def test_a_batch_that_fails_only_once_costs_nothing() -> None:
    scorer = Batch(lambda count: [NLIScore(NLILabel.ENTAILMENT, 1.0)] * (count if count == 2 else 1))
    result, _ = check(scorer)
    assert (scorer.calls, result.verdict, result.degraded) == ([6, 2, 2, 2], "pass", False)


def test_a_batch_that_works_is_asked_once() -> None:
    scorer = Batch(lambda count: tuple([NLIScore(NLILabel.ENTAILMENT, 1.0)] * count))
    assert (check(scorer)[0].verdict, scorer.calls) == ("pass", [6])


def test_unchecked_claims_are_treated_as_unsupported_when_the_config_says_so() -> None:
    result, answer = check(FailsOn(MOON, raises(ValueError())), action="redact", on_unchecked="act")
    assert (result.verdict, result.blocked_n, result.unchecked_n) == ("blocked", 2, 1)
    assert answer == f"{PARIS} (unsupported claim removed)"


def test_a_fault_in_one_retrieved_claim_leaves_the_others_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    async def at_once(call: Callable[[], Any]) -> Any:
        return call()

    # else the loop would have nothing to do while a thread searches
    monkeypatch.setattr(asyncio, "to_thread", at_once)
    for kind in (FailsOn, FailsInReading):
        result, _ = checked(HallucinationGuard(kind(MOON, hang), retriever=Retriever([*EVIDENCE, "The moon is far."])))
        assert tell(result)[:2] == [("supported", ()), ("unchecked", ("the scorer took too long",))]
        assert result.claims[2].status != "unchecked"


class Extracting(ClaimExtractor):
    def __init__(self, fault: Callable[[], Any]) -> None:
        self.fault = fault

    async def extract(self, ctx: Context | None, answer: str) -> Any:
        value: Any = self.fault()
        return await value if asyncio.iscoroutine(value) else value


class Unreadable(Sequence[str]):
    """A list that breaks when it is read."""

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: Any) -> Any:
        raise ZeroDivisionError(MOON)


class OddClaim(str):
    @property
    def start(self) -> int:
        raise Unwell(MOON)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (raises(ValueError(MOON)), "the extractor raised ValueError"),
        (raises(SystemExit()), "the extractor raised SystemExit"),
        (hang, "the extractor took too long"),
        (lambda: None, "the extractor returned NoneType in place of a list of claims"),
        (lambda: MOON, "the extractor returned str in place of a list of claims"),
        (lambda: [MOON, None], "the extractor returned NoneType in place of a claim"),
        (list, "no claim was found in it"),
        (lambda: [" "], "no claim was found in it"),
        (cancelled, "the extractor was cancelled"),
        (lambda: Unreadable(), "the extractor raised ZeroDivisionError"),
        (lambda: [OddClaim(MOON)], "the extractor raised Unwell"),
    ],
)
def test_a_fault_of_the_extractor_leaves_the_whole_answer_unchecked(fault: Callable[[], Any], why: str) -> None:
    for on_unchecked, verdict, shown in (("flag", "flagged", ANSWER), ("act", "blocked", BLOCK_NOTICE)):
        config = GuardConfig(action="block", on_unchecked=on_unchecked)  # type: ignore[arg-type]
        result, answer = checked(HallucinationGuard(NoopNLIScorer(), Extracting(fault), config), EVIDENCE)
        assert tell(result) == [("unchecked", (why,))]
        assert (result.verdict, result.degraded, answer) == (verdict, True, shown)
        assert MOON not in result.reason


def chunk(text: Any = PARIS, id: Any = None, index: Any = None) -> Any:
    return SimpleNamespace(chunk=SimpleNamespace(text=text, id=id), index=index, score=1.0)


def test_a_claim_that_breaks_when_it_is_used_is_read_as_a_plain_string() -> None:
    class Lingering(str):
        def __str__(self) -> Any:
            return self

        def strip(self, *given: Any) -> Any:
            raise Unwell(MOON)

    guard = HallucinationGuard(LexicalNLIScorer(), Extracting(lambda: [Lingering(PARIS)]))
    result, _ = guard.check_sync(None, PARIS, EVIDENCE)
    assert (result.verdict, type(result.claims[0].claim)) == ("pass", str)


class Finding:
    """A retriever that does something else for one claim."""

    def __init__(self, fault: Callable[[], Any]) -> None:
        self.inner = Retriever(EVIDENCE)
        self.fault = fault

    def retrieve(self, text: str, top_k: int = 5) -> Any:
        return self.fault() if text == MOON else self.inner.retrieve(text, top_k)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (raises(ValueError(MOON)), "raised ValueError"),
        (raises(SystemExit()), "raised SystemExit"),
        (lambda: None, "raised TypeError"),
        (lambda: [MOON], "raised AttributeError"),
        (raises(Unwell(MOON)), "raised Unwell"),
        (raises(asyncio.CancelledError(MOON)), "raised CancelledError"),
        (lambda: [chunk(text=5)], "returned a chunk with a text that is int, not a string"),
        (lambda: [chunk(id=5)], "returned a chunk with an id that is int, not a string"),
        (lambda: [chunk(index="0")], "returned a chunk with an index that is str, not a whole number"),
    ],
)
def test_a_fault_of_the_retriever_leaves_the_others_judged(fault: Callable[[], Any], why: str) -> None:
    retriever: Any = Finding(fault)
    result, _ = HallucinationGuard(LexicalNLIScorer(), retriever=retriever).check_sync(None, ANSWER)
    assert tell(result)[:2] == [("supported", ()), ("unchecked", (f"the retriever {why}",))]
    assert (result.claims[2].status, result.degraded) == ("hallucination_flag", True)


def test_more_chunks_than_were_asked_for_are_cut() -> None:
    finding: Any = SimpleNamespace(retrieve=lambda text, top_k: (chunk(index=number) for number in range(top_k + 7)))
    for top_k in (1, 3):
        guard = HallucinationGuard(LexicalNLIScorer(), config=GuardConfig(top_k=top_k), retriever=finding)
        assert guard.check_sync(None, PARIS)[0].claims[0].votes == f"{top_k}/{top_k}"


def test_a_retriever_begins_no_claim_after_its_time() -> None:
    asked: list[str] = []
    threads: list[threading.Thread] = []
    begun, ended = threading.Event(), threading.Event()

    def retrieve(text: str, top_k: int) -> list[Any]:
        asked.append(text)
        if text == MOON:
            threads.append(threading.current_thread())
            begun.set()
            ended.wait(60)
        return [chunk()]

    finding: Any = SimpleNamespace(retrieve=retrieve)
    guard = HallucinationGuard(LexicalNLIScorer(), config=GuardConfig(timeout_s=0.05), retriever=finding)
    with patch.object(asyncio, "new_event_loop", lambda: StandingLoop(begun)):
        result, _ = guard.check_sync(None, ANSWER)
    ended.set()
    (thread,) = threads
    thread.join()
    assert tell(result) == [("supported", ()), *[("unchecked", ("the retriever took too long",))] * 2]
    assert asked == [PARIS, MOON]


def breaking(error: BaseException | None = None) -> Iterator[str]:
    yield EVIDENCE[0]
    raise error or OSError(MOON)


@pytest.mark.parametrize(
    ("evidence", "fault"),
    [
        (EVIDENCE[0], "the evidence is str, not a list of passages"),
        (EVIDENCE[0].encode(), "the evidence is bytes, not a list of passages"),
        ({"text": EVIDENCE[0]}, "the evidence is dict, not a list of passages"),
        (5, "the evidence is int, not a list of passages"),
        ([None], "passage 1 of the evidence is NoneType, not a string or a Document"),
        ([{"text": 5}], "passage 1 of the evidence has a text that is int, not a string"),
        ([{"text": "x", "id": 5}], "passage 1 of the evidence has an id that is int, not a string"),
    ],
)
def test_evidence_that_cannot_be_read_is_named_and_supports_nothing(evidence: Any, fault: str) -> None:
    result, answer = HallucinationGuard(NoopNLIScorer()).check_sync(None, PARIS, evidence)
    assert tell(result) == [("unchecked", ("there is no evidence",))]
    assert (result.verdict, answer) == ("flagged", PARIS)
    assert result.reason.endswith(f"Not used: {fault}.")


def test_broken_passages_are_left_out_and_the_others_read() -> None:
    evidence: Any = [None, EVIDENCE[0], 5]
    result, _ = HallucinationGuard(LexicalNLIScorer()).check_sync(None, PARIS, evidence)
    assert (result.claims[0].supported, result.claims[0].votes, result.claims[0].evidence[0].index) == (True, "1/1", 1)
    assert (result.verdict, result.degraded, result.blocked_n) == ("flagged", True, 0)
    assert result.reason == (
        "1 judged claim is supported. Not used: passage 1 of the evidence is NoneType, not a string or a Document; "
        "passage 3 of the evidence is int, not a string or a Document."
    )


@pytest.mark.parametrize("error", [OSError(MOON), SystemExit(MOON), Unwell(MOON), GeneratorExit(MOON)])
def test_evidence_that_ends_early_is_read_as_far_as_it_goes(error: BaseException) -> None:
    result, _ = HallucinationGuard(LexicalNLIScorer()).check_sync(None, PARIS, breaking(error))
    assert (result.claims[0].supported, result.degraded) == (True, True)
    kind = type(error).__name__
    assert result.reason.endswith(f"Not used: the evidence could not be read to its end (it raised {kind}).")


def test_an_interrupt_while_evidence_is_read_goes_on_to_the_caller() -> None:
    with pytest.raises(KeyboardInterrupt):
        HallucinationGuard(LexicalNLIScorer()).check_sync(None, PARIS, breaking(KeyboardInterrupt()))


def test_evidence_that_cannot_be_begun_or_whose_passage_breaks_is_named() -> None:
    class Odd:
        @property  # type: ignore[misc]
        def __class__(self) -> Any:
            raise Unwell(MOON)

    odd: Any = Odd()
    result, _ = HallucinationGuard(LexicalNLIScorer()).check_sync(None, PARIS, odd)
    assert result.reason.endswith("Not used: the evidence could not be read (it raised Unwell).")
    result, _ = HallucinationGuard(LexicalNLIScorer()).check_sync(None, PARIS, [odd, EVIDENCE[0]])
    assert result.reason.endswith("Not used: passage 1 of the evidence could not be read (it raised Unwell).")
    assert result.claims[0].supported


def test_passages_that_cannot_be_read_flag_the_answer_and_cut_nothing_out_of_it() -> None:
    config = GuardConfig(action="redact", on_unchecked="act")  # type: ignore[arg-type]
    evidence: Any = [EVIDENCE[0], 5]
    result, answer = HallucinationGuard(LexicalNLIScorer(), config=config).check_sync(None, PARIS, evidence)
    assert (result.verdict, result.degraded, answer) == ("flagged", True, PARIS)
    result, answer = HallucinationGuard(LexicalNLIScorer(), config=config).check_sync(None, PARIS, evidence[1:])
    assert (result.verdict, answer) == ("blocked", "(unsupported claim removed)")


@pytest.mark.parametrize("answer", [None, 5, b"Paris", ["Paris"]])
def test_an_answer_that_is_no_string_is_withheld(answer: Any) -> None:
    result, shown = HallucinationGuard(NoopNLIScorer()).check_sync(None, answer, EVIDENCE)
    assert (shown, result.verdict, result.degraded, result.claims) == (BLOCK_NOTICE, "blocked", True, ())
    assert result.reason == (
        f"Nothing was checked: the answer is {type(answer).__name__}, not a string. The answer is withheld."
    )


def test_a_context_or_question_of_the_wrong_type_is_no_pass() -> None:
    guard = HallucinationGuard(NoopNLIScorer())
    context: Any = {"tenant_id": "acme"}
    result, shown = guard.check_sync(context, PARIS, EVIDENCE)
    assert (tell(result), result.verdict, shown) == (
        [("unchecked", ("the context is dict, not a Context",))],
        "flagged",
        PARIS,
    )
    question: Any = b"Where?"
    result, _ = guard.check_sync(None, PARIS, EVIDENCE, question)
    assert (result.verdict, result.reason) == (
        "flagged",
        "1 judged claim is supported. Not used: the question is bytes, not a string.",
    )


@pytest.mark.parametrize(
    "text", ["\ud800 is made of cheese \udfff.", "\x00 null and void, it is.", "ﷺ‮ turned around, it is.", "漢" * 40]
)
def test_broken_text_is_judged_like_any_other(text: str) -> None:
    guard = HallucinationGuard(LexicalNLIScorer(), config=GuardConfig(action="redact"))  # type: ignore[arg-type]
    assert guard.check_sync(None, text, [text])[0].verdict == "pass"
    result, shown = guard.check_sync(None, text, EVIDENCE)
    assert result.verdict == "blocked"
    assert "(unsupported claim removed)" in shown


def test_interrupts_go_on_to_the_caller() -> None:
    with pytest.raises(KeyboardInterrupt):
        check(FailsOn(MOON, raises(KeyboardInterrupt())))


@pytest.mark.parametrize("name", ["name", "wants_question", "score_claims"])
def test_a_scorer_whose_properties_break_is_asked_for_scores_all_the_same(name: str) -> None:
    def broken(self: Any) -> Any:
        raise Unwell(MOON)

    scorer = type("Odd", (LexicalNLIScorer,), {name: property(broken)})()
    question = "Where is Paris?"
    assert HallucinationGuard(scorer).check_sync(None, PARIS, EVIDENCE, question)[0].verdict == "pass"


def test_properties_that_are_no_plain_values_count_as_unset() -> None:
    class Undecided:
        def __bool__(self) -> bool:
            raise ValueError(MOON)

    class Odd(LexicalNLIScorer):
        name: Any = Undecided()
        wants_question: Any = Undecided()
        score_claims = Undecided()

    assert HallucinationGuard(Odd()).check_sync(None, PARIS, EVIDENCE, "Where?")[0].verdict == "pass"


def test_what_a_scorer_of_raguard_refuses_is_told_in_words() -> None:
    told = {
        "unchecked": ("the scorer said: claims cannot be scored: sentences are weighed as a whole in English alone",)
    }
    german, evidence = "Die Miete ist 500.", ["Die Miete ist $900."]
    for lang, expected in (("auto", {}), ("de", told), ("de-AT", told)):
        claim = HallucinationGuard(EvidenceScorer(lang=lang)).check_sync(None, german, evidence)[0].claims[0]
        assert ({claim.status.value: claim.reasons} if claim.status == "unchecked" else {}) == expected


def test_a_language_that_is_not_known_is_refused_and_not_taken_for_english() -> None:
    claim = HallucinationGuard(EvidenceScorer(lang="xx")).check_sync(None, PARIS, EVIDENCE)[0].claims[0]
    assert claim.status == "unchecked"
    assert claim.reasons[0].startswith('the scorer said: claims cannot be scored: lang must be "auto" or one of am, ')


def test_a_check_that_is_cancelled_cancels_its_scorer() -> None:
    ended: list[str] = []

    class Slow(NoopNLIScorer):
        async def score_batch(self, ctx: Context | None, pairs: Sequence[tuple[str, str]]) -> Sequence[NLIScore]:
            try:
                started.set()
                return [await hang() for _ in pairs]
            finally:
                ended.append("cancelled")

    started = asyncio.Event()

    async def cancelled() -> None:
        task = asyncio.ensure_future(HallucinationGuard(Slow()).check(None, ANSWER, EVIDENCE))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0)
        assert ended == ["cancelled"]

    asyncio.run(cancelled())


class InThread(NoopNLIScorer):
    """Waits in a thread for what comes after the check."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.threads: list[threading.Thread] = []
        self.ended: list[bool] = []

    def wait(self) -> None:
        self.threads.append(threading.current_thread())
        self.begun.set()
        self.ended.append(self.go_on.wait(60))

    async def score_batch(self, ctx: Context | None, pairs: Sequence[tuple[str, str]]) -> Sequence[NLIScore]:
        waiting = asyncio.get_running_loop().run_in_executor(None, self.wait)
        # no time passes meanwhile
        assert self.begun.wait(60)
        await waiting
        return await super().score_batch(ctx, pairs)


class Stubborn(NoopNLIScorer):
    """Never ends, however often it is cancelled."""

    async def score_batch(self, ctx: Context | None, pairs: Sequence[tuple[str, str]]) -> Sequence[NLIScore]:
        while True:
            try:
                await hang()
            except asyncio.CancelledError:
                continue


def within_a_loop(scorer: NLIScorer) -> Any:
    async def within() -> Any:
        return check(scorer)

    return asyncio.run(within())


@pytest.mark.parametrize("run", [check, within_a_loop], ids=["plain", "in loop"])
def test_check_sync_waits_for_no_thread_and_no_task_that_is_left_behind(
    run: Callable[[NLIScorer], Any], caplog: pytest.LogCaptureFixture
) -> None:
    late = [("unchecked", ("the scorer took too long",))] * 3
    scorer = InThread()
    result, _ = run(scorer)
    assert (tell(result), scorer.ended) == (late, [])
    scorer.go_on.set()
    for thread in scorer.threads:
        thread.join()
    assert set(scorer.ended) == {True}
    assert tell(run(Stubborn())[0]) == late
    gc.collect()
    assert caplog.records == []


def test_check_sync_lets_what_is_left_behind_end() -> None:
    ended: list[str] = []

    async def aside() -> None:
        try:
            await hang()
        finally:
            await asyncio.sleep(0)
            ended.append("task")

    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            ended.append("generator")

    class Untidy(LexicalNLIScorer):
        async def score_batch(self, ctx: Context | None, pairs: Sequence[tuple[str, str]]) -> Sequence[NLIScore]:
            self.left = asyncio.ensure_future(aside()), numbers()
            await anext(self.left[1])
            return await super().score_batch(ctx, pairs)

    assert check(Untidy())[0].degraded is False
    assert ended == ["task", "generator"]


def test_check_sync_sees_the_variables_of_its_caller() -> None:
    tenant: ContextVar[str] = ContextVar("tenant")
    seen: list[str] = []

    class Looking(NoopNLIScorer):
        async def score_batch(self, ctx: Context | None, pairs: Sequence[tuple[str, str]]) -> Sequence[NLIScore]:
            seen.append(await asyncio.to_thread(tenant.get))
            return await super().score_batch(ctx, pairs)

    for run in (check, within_a_loop):
        tenant.set(run.__name__)
        run(Looking())
    assert seen == ["check", "within_a_loop"]


def test_words_within_a_tag_are_not_taken_for_claims_of_nothing() -> None:
    answer = f"{PARIS}\n\n<b free beer>\n\n<b >Hello!</b>"
    result, _ = HallucinationGuard(EvidenceScorer()).check_sync(None, answer, EVIDENCE)
    told = [(claim.claim, claim.entailment, claim.reasons) for claim in result.claims if claim.entailment < 0.5]
    assert told == [("<b free beer>", 0.0, ("nothing is read of the words within an HTML tag",))]
