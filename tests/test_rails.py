"""Do several rails together pass only what each has passed, within their budget, whatever one of them does?"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest
import rails as rails_figures

import raguard
from raguard import Case, Config, ConfigError, Document, Verifier, verify
from raguard.claims import Context, GuardConfig, HallucinationGuard, LexicalNLIScorer, NLIScore, NLIScorer
from raguard.rails import (
    Decision,
    GuardRail,
    JudgeRail,
    PartialDecision,
    Rails,
    RailsDecision,
    VerifyRail,
    asking,
)

QUERY, DOCS = "When did it close?", ["The audit closed on 4 May 2024. The rent is $900 a month."]
GOOD, BAD = "The audit closed on 4 May 2024.", "The audit closed on 9 May 2024."
INVENTED = "There is a heated pool on the roof."
SECRET = "Karen Blake"
PASS = Decision("pass", "fine")


class Says:
    """A rail that says what it is told to, and keeps what it was asked."""

    def __init__(self, name: str, said: Any = PASS, cost_ms: float | None = 50) -> None:
        self.name = name
        self.said = said
        self.asked: list[tuple[Any, Any, Any]] = []
        if cost_ms is not None:
            self.cost_ms = cost_ms

    def decide(self, query: Any, docs: Any, answer: Any) -> Any:
        self.asked.append((query, docs, answer))
        return self.said() if callable(self.said) else self.said


class SaysLater(Says):
    """The same, async."""

    async def decide(self, query: Any, docs: Any, answer: Any) -> Any:
        await asyncio.sleep(0)
        said = super().decide(query, docs, answer)
        return await said if asyncio.iscoroutine(said) else said


class Judge:
    """What a GroundingJudge offers."""

    name = "grounding"
    offline = False

    def __init__(self, said: Decision = PASS) -> None:
        self.said = said
        self.asked: list[tuple[Any, ...]] = []

    def decide(self, answer: Any, passages: Any, question: Any = None, *, tenant_id: str = "default") -> Decision:
        self.asked.append(("decide", answer, passages, question, tenant_id))
        return self.said

    async def adecide(
        self, answer: Any, passages: Any, question: Any = None, *, tenant_id: str = "default"
    ) -> Decision:
        self.asked.append(("adecide", answer, passages, question, tenant_id))
        return self.said


class GroundingJudge(Judge):
    """Of the room whose name tells what it is."""


GroundingJudge.__module__ = "raguard.judge.grounding"


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """What hanging rails wait for; it opens when the test is over, so that no thread is left."""
    event = threading.Event()
    yield event
    event.set()


def decide(rails: Rails, answer: Any = GOOD, docs: Any = None, query: Any = QUERY) -> RailsDecision:
    return rails.decide(query, DOCS if docs is None else docs, answer)


def decide_in_a_loop(rails: Rails, answer: Any = GOOD, docs: Any = None, query: Any = QUERY) -> RailsDecision:
    return asyncio.run(rails.adecide(query, DOCS if docs is None else docs, answer))


def decide_within_a_loop(rails: Rails, answer: Any = GOOD, docs: Any = None, query: Any = QUERY) -> RailsDecision:
    """The twin that is not async, called where a loop runs."""

    async def call() -> RailsDecision:
        return decide(rails, answer, docs, query)

    return asyncio.run(call())


def wait_for_rails() -> None:
    """Until every thread of a rail that was left behind has ended."""
    for thread in threading.enumerate():
        if thread.name == "raguard-rail":
            thread.join(30)


BOTH = pytest.mark.parametrize("ask", [decide, decide_in_a_loop, decide_within_a_loop])


def states(decision: RailsDecision) -> list[tuple[str, str]]:
    return [(name, one.state) for name, one in decision.decisions]


# ── what follows from the rails ──


@BOTH
def test_rails_pass_only_what_each_of_them_passes(ask: Callable[..., RailsDecision]) -> None:
    told = ask(Rails([HallucinationGuard(), verify, Says("own")]))
    assert (told.state, told.reason, told.rail) == ("pass", "all 3 rails pass", "own")
    assert states(told) == [("verify", "pass"), ("claim_guard", "pass"), ("own", "pass")]
    assert (told.unchecked, told.not_asked, told.categories) == ((), (), ())


@BOTH
def test_a_block_settles_it_and_dearer_rails_are_not_asked(ask: Callable[..., RailsDecision]) -> None:
    dear = Says("dear", cost_ms=900)
    told = ask(Rails([dear, HallucinationGuard(), verify]), BAD)
    assert (told.state, told.rail, told.categories) == ("block", "verify", ("unsupported_date",))
    assert told.reason == "verify blocks: 1 high warning: unsupported_date (date.unsupported)"
    assert (states(told), told.not_asked) == ([("verify", "block")], ("claim_guard", "dear"))
    assert (told.unchecked, dear.asked) == ((), [])


@BOTH
def test_unchecked_beats_pass_and_dearer_rails_are_asked_all_the_same(ask: Callable[..., RailsDecision]) -> None:
    rails = Rails([Says("lame", Decision("unchecked", "no idea", ("odd",), "m", 0.0, "hm")), Says("last")])
    told = ask(rails)
    assert (told.state, told.rail, told.reason) == ("unchecked", "lame", "lame is unchecked: no idea")
    assert (told.categories, told.model, told.raw) == (("odd",), "m", "hm")
    assert (told.unchecked, states(told)) == (("lame: no idea",), [("lame", "unchecked"), ("last", "pass")])


@BOTH
def test_a_block_beats_unchecked_which_is_still_told(ask: Callable[..., RailsDecision]) -> None:
    told = ask(Rails([Says("lame", Decision("unchecked", "no idea")), Says("strict", Decision("block", "no", ("c",)))]))
    assert (told.state, told.rail, told.reason, told.categories) == ("block", "strict", "strict blocks: no", ("c",))
    assert told.unchecked == ("lame: no idea",)


def test_several_unchecked_rails_are_counted_and_the_first_one_is_named() -> None:
    rails = Rails([Says(name, Decision("unchecked", f"{name} is ill")) for name in "abc"])
    told = decide(rails)
    assert told.reason == "a is unchecked: a is ill (2 more unchecked)"
    assert told.unchecked == ("a: a is ill", "b: b is ill", "c: c is ill")


def test_a_single_rail_says_why_it_passes() -> None:
    told = decide(Rails([verify]))
    assert (told.state, told.rail, told.reason) == ("pass", "verify", "verify passes: no high warning")


def test_model_and_raw_are_those_of_the_rail_that_decides() -> None:
    told = decide(Rails([Says("model", Decision("pass", "fine", (), "m-1", 12.5, "yes"))]))
    assert (told.model, told.raw, told.decisions[0][1].latency_ms) == ("m-1", "yes", 12.5)


# ── order ──


def test_rails_are_asked_from_cheap_to_dear_and_equals_in_the_order_given() -> None:
    parts = [JudgeRail(Judge()), Says("b", cost_ms=7), HallucinationGuard(), Says("a", cost_ms=7), verify]
    assert Rails(parts).order == ("verify", "b", "a", "claim_guard", "grounding")
    assert Rails(parts[::-1]).order == ("verify", "a", "b", "claim_guard", "grounding")


def test_a_rail_that_tells_no_cost_stands_between_claim_guard_and_judge() -> None:
    rails = Rails([JudgeRail(Judge()), Says("own", cost_ms=None), HallucinationGuard(), verify])
    assert rails.order == ("verify", "claim_guard", "own", "grounding")
    assert Rails([VerifyRail(cost_ms=500), Says("own", cost_ms=None)]).order == ("own", "verify")


def test_rails_are_a_rail_whose_cost_is_that_of_all() -> None:
    inner = Rails([Says("a", cost_ms=30), Says("b", cost_ms=40)], name="inner")
    assert (inner.cost_ms, Rails([Says("c", cost_ms=71), inner, Says("d", cost_ms=69)]).order) == (
        70,
        ("d", "inner", "c"),
    )


# ── what a Verifier says ──


@pytest.mark.parametrize("verifier", [verify, Verifier(), VerifyRail(Verifier(), name="verify")])
def test_a_verifier_blocks_by_a_high_warning_and_passes_without(verifier: Any) -> None:
    assert [decide(Rails([verifier]), answer).state for answer in (BAD, GOOD)] == ["block", "pass"]


def test_a_medium_warning_is_no_block() -> None:
    config = Config(severity={"unsupported_date": "medium"})
    assert decide(Rails([Verifier(config)]), BAD).state == "pass"


def test_the_reason_counts_warnings_and_names_types_and_rules_but_no_text() -> None:
    told = VerifyRail().decide(QUERY, DOCS, f"{BAD[:-1]} and on 7 June 2019 for $5,000, by {SECRET}.")
    assert told.reason == (
        "4 high warnings: unsupported_date, missing_entity (date.unsupported, money.unsupported, name.absent)"
    )
    assert told.categories == ("unsupported_date", "missing_entity")


@pytest.mark.parametrize(
    ("query", "docs", "answer", "reason"),
    [
        (QUERY, [], GOOD, "retrieved_docs is empty; there is nothing to check the answer against"),
        (
            QUERY,
            "one text",
            GOOD,
            "retrieved_docs must be a list of strings or Documents, not str; put the one text into a list",
        ),
        (QUERY, DOCS, "", "llm_response is empty; there is nothing to check"),
        (7, DOCS, GOOD, "query must be a string, not int"),
        (QUERY, DOCS, None, "llm_response must be a string, not NoneType"),
    ],
)
def test_an_answer_that_cannot_be_checked_is_unchecked(query: Any, docs: Any, answer: Any, reason: str) -> None:
    told = Rails([verify]).decide(query, docs, answer)
    assert (told.state, told.categories) == ("unchecked", ("input_error",))
    assert told.reason == f"verify is unchecked: {reason}"
    assert told.unchecked[0] == f"verify: {reason}"


def test_a_warning_about_the_answer_blocks_and_an_error_beside_it_is_told() -> None:
    told = Rails([verify]).decide(7, DOCS, BAD)  # type: ignore[arg-type]
    assert (told.state, told.categories) == ("block", ("unsupported_date",))
    assert told.unchecked == ("verify: query must be a string, not int",)


def test_a_check_that_fails_leaves_the_answer_unchecked() -> None:
    def broken(case: Case) -> Any:
        raise ValueError(SECRET)

    told = decide(Rails([Verifier(checks=[broken])]))
    assert (told.state, told.categories) == ("unchecked", ("check_error",))
    assert told.reason == "verify is unchecked: The check broken failed (ValueError); its part was not checked"
    assert told.unchecked[-1] == "verify: broken: the check failed"


def test_nothing_checked_is_no_pass_when_the_config_skips_answers_without_documents() -> None:
    told = decide(Rails([Verifier(Config(no_documents="skip"))]), docs=[])
    assert (told.state, told.categories) == ("unchecked", ())
    assert told.reason == "verify is unchecked: nothing was checked: no documents were retrieved"


def test_nothing_checked_is_no_pass_when_no_check_runs() -> None:
    assert decide(Rails([Verifier(checks=[])])).reason == "verify is unchecked: nothing was checked: no check runs"
    assert decide(Rails([Verifier(Config(checks=("unsupported_values",)))])).state == "pass"


def test_a_pass_tells_what_the_result_calls_unchecked() -> None:
    told = decide(Rails([verify]), f"{GOOD}\n\n```\ncode = 1\n```\n")
    assert (told.state, told.unchecked) == ("pass", ("verify: code: fenced code blocks are no claims",))


# ── what a claim guard says ──


@pytest.mark.parametrize("action", ["annotate", "redact", "block"])
def test_a_claim_guard_blocks_by_an_unsupported_claim_whatever_its_action_is(action: str) -> None:
    guard = HallucinationGuard(LexicalNLIScorer(), config=GuardConfig(action=action))  # type: ignore[arg-type]
    told = decide(Rails([guard]), f"{GOOD} {INVENTED}")
    assert (told.state, told.rail, told.categories) == ("block", "claim_guard", ("unsupported_claim",))
    assert told.reason == "claim_guard blocks: 1 of 2 judged claims is unsupported at a threshold of 0.5"
    assert (told.unchecked, decide(Rails([guard])).state) == ((), "pass")


def test_a_claim_guard_with_short_claims_passes_and_tells_of_them() -> None:
    told = decide(Rails([HallucinationGuard(LexicalNLIScorer())]), f"{GOOD} It is so.")
    assert (told.state, told.reason) == ("pass", "claim_guard passes: the one judged claim is supported")
    assert told.unchecked == ("claim_guard: 1 claim was not checked: too short to be judged",)


@pytest.mark.parametrize(
    ("answer", "docs", "reason"),
    [
        (GOOD, [], "No claim was judged. 1 claim was not checked: there is no evidence"),
        ("Yes.", DOCS, "No claim was judged. 1 claim was not checked: too short to be judged"),
        ("...", DOCS, "The answer makes no claim"),
        (None, DOCS, "Nothing was checked: the answer is NoneType, not a string. The answer is withheld"),
        (
            GOOD,
            [*DOCS, 7],
            "1 judged claim is supported. Not used: passage 2 of the evidence is int, not a string or a Document",
        ),
    ],
)
def test_a_claim_guard_that_is_degraded_or_judged_nothing_is_unchecked(answer: Any, docs: Any, reason: str) -> None:
    told = decide(Rails([HallucinationGuard(LexicalNLIScorer())]), answer, docs)
    assert (told.state, told.reason) == ("unchecked", f"claim_guard is unchecked: {reason}")
    assert told.unchecked == (f"claim_guard: {reason}",)


class FailsOn(LexicalNLIScorer):
    """Raises for one claim."""

    def __init__(self, claim: str) -> None:
        self.claim = claim

    async def score_batch(self, ctx: Context | None, pairs: Sequence[tuple[str, str]]) -> Sequence[NLIScore]:
        return await NLIScorer.score_batch(self, ctx, pairs)

    async def score(self, ctx: Context | None, premise: str, hypothesis: str) -> NLIScore:
        if hypothesis == self.claim:
            raise ValueError(SECRET)
        return await super().score(ctx, premise, hypothesis)


def test_a_scorer_that_fails_leaves_the_answer_unchecked_or_blocked_as_the_config_says() -> None:
    flags, acts = (
        decide(
            Rails([HallucinationGuard(FailsOn(INVENTED), config=GuardConfig(on_unchecked=so))]), f"{GOOD} {INVENTED}"
        )
        for so in ("flag", "act")
    )
    fault = "1 judged claim is supported. 1 claim was not checked: the scorer raised ValueError"
    assert (flags.state, flags.reason) == ("unchecked", f"claim_guard is unchecked: {fault}")
    assert (acts.state, acts.categories) == ("block", ("unchecked_claim",))
    assert acts.reason == "claim_guard blocks: 1 claim was not checked, which counts as unsupported"
    assert acts.unchecked == (f"claim_guard: {fault}",)


def test_unsupported_and_unchecked_claims_are_told_apart() -> None:
    guard = HallucinationGuard(FailsOn(GOOD), config=GuardConfig(on_unchecked="act"))
    told = decide(Rails([guard]), f"{GOOD} {INVENTED}")
    assert told.categories == ("unsupported_claim", "unchecked_claim")
    assert told.reason == (
        "claim_guard blocks: 1 of 1 judged claim is unsupported at a threshold of 0.5, "
        "and 1 claim was not checked, which counts as unsupported"
    )


def test_the_tenant_decides_the_guards_threshold() -> None:
    config = GuardConfig(per_tenant_thresholds={"bank": 1.0}, threshold=0.3)
    guard = HallucinationGuard(LexicalNLIScorer(), config=config)
    answer = "The audit closed on 4 May 2024 in Rome."
    assert decide(Rails([guard]), answer).state == "pass"
    assert decide(Rails([guard], tenant_id="bank"), answer).state == "block"
    assert decide(Rails([GuardRail(guard, tenant_id="bank")]), answer).state == "block"


# ── what a judge is asked ──


def test_a_judge_is_asked_with_answer_passages_question_and_tenant() -> None:
    judge = GroundingJudge()
    rails = Rails([judge], tenant_id="acme")
    assert (decide(rails).state, decide_in_a_loop(rails).state) == ("pass", "pass")
    assert judge.asked == [(how, GOOD, DOCS, QUERY, "acme") for how in ("decide", "adecide")]


@pytest.mark.parametrize("ask", [decide, decide_in_a_loop])
def test_a_judge_that_can_be_bounded_gets_what_is_left_and_a_fault_of_that_stays_small(
    ask: Callable[..., RailsDecision],
) -> None:
    given: list[float] = []

    class Bounded(GroundingJudge):
        def within(self, seconds: float) -> Judge:
            given.append(seconds)
            if len(given) > 1:
                raise ValueError(SECRET)
            return Judge(Decision("pass", "bounded"))

    rails = Rails([Bounded(Decision("pass", "unbounded"))])
    assert ask(rails).reason == "grounding passes: unbounded"
    assert ask(rails.within(60_000)).reason == "grounding passes: bounded"
    assert 0 < given[0] <= 60
    assert ask(rails.within(60_000)).reason == "grounding is unchecked: it raised ValueError"


def test_a_judge_comes_last_and_only_when_nothing_cheaper_blocks() -> None:
    judge = GroundingJudge(Decision("block", "the passages do not say so", ("unsupported",), "m-1"))
    rails = Rails([judge, verify])
    assert (decide(rails, BAD).rail, judge.asked) == ("verify", [])
    told = decide(rails)
    assert (told.state, told.rail, told.model) == ("block", "grounding", "m-1")


# ── time ──


@BOTH
def test_a_rail_that_hangs_is_unchecked_and_the_next_one_is_not_asked(
    ask: Callable[..., RailsDecision], gate: threading.Event
) -> None:
    after = Says("after")
    told = ask(Rails([Says("hangs", gate.wait), after], budget_ms=60))
    assert (told.state, told.rail, after.asked) == ("unchecked", "hangs", [])
    assert told.unchecked == ("hangs: it took too long", "after: it was not asked: no time was left")
    assert states(told) == [("hangs", "unchecked"), ("after", "unchecked")]
    assert told.not_asked == ()


@BOTH
def test_an_async_rail_that_hangs_is_unchecked_and_is_cancelled(
    ask: Callable[..., RailsDecision], monkeypatch: pytest.MonkeyPatch
) -> None:
    # a rail whose thread begins when the time is up is not begun at all
    monkeypatch.setattr(asking, "perf_counter", lambda: 0.0)
    ended = threading.Event()

    async def hang() -> Any:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            ended.set()

    told = ask(Rails([SaysLater("hangs", hang)], budget_ms=60))
    assert (told.state, told.unchecked) == ("unchecked", ("hangs: it took too long",))
    assert ended.wait(30)


@pytest.mark.parametrize("ask", [decide, decide_in_a_loop])
def test_what_a_late_rail_would_await_is_not_begun(ask: Callable[..., RailsDecision], gate: threading.Event) -> None:
    begun: list[bool] = []

    async def later() -> Decision:
        begun.append(True)
        return PASS

    def slow() -> Any:
        gate.wait()
        return later()

    assert ask(Rails([Says("slow", slow)], budget_ms=60)).unchecked == ("slow: it took too long",)
    gate.set()
    wait_for_rails()
    assert begun == []


def test_what_a_late_rail_would_await_is_not_begun_in_a_loop_that_goes_on(gate: threading.Event) -> None:
    begun: list[bool] = []

    async def later() -> Decision:
        begun.append(True)
        return PASS

    def slow() -> Any:
        gate.wait()
        return later()

    async def work() -> RailsDecision:
        told = await Rails([Says("slow", slow)], budget_ms=60).adecide(QUERY, DOCS, GOOD)
        gate.set()
        wait_for_rails()
        await asyncio.sleep(0)
        return told

    assert (asyncio.run(work()).unchecked, begun) == (("slow: it took too long",), [])


@BOTH
def test_a_rail_that_answers_in_time_is_taken_whatever_the_budget(ask: Callable[..., RailsDecision]) -> None:
    rails = Rails([verify, HallucinationGuard(), Says("own"), SaysLater("later")], budget_ms=1e300)
    assert ask(rails).state == "pass"
    assert (ask(rails, BAD).state, ask(rails, BAD).rail) == ("block", "verify")


def test_what_blocked_before_the_time_was_up_stays_a_block(gate: threading.Event) -> None:
    rails = Rails([Says("hangs", gate.wait, 900), verify], budget_ms=60_000)
    assert (decide(rails, BAD).state, decide(rails, BAD).not_asked) == ("block", ("hangs",))


@pytest.mark.parametrize("ask", [decide, decide_in_a_loop])
def test_a_rail_that_hangs_for_good_is_no_longer_asked(
    ask: Callable[..., RailsDecision], gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "_MOST_LATE", 2)
    hangs = Says("hangs", gate.wait)
    rails = Rails([hangs], budget_ms=60_000)
    told = [ask(rails.within(30)).unchecked[0] for _ in range(3)]
    assert told[:2] == ["hangs: it took too long"] * 2
    assert told[2] == "hangs: it was not asked: 2 earlier answers still keep it busy"
    gate.set()
    wait_for_rails()
    assert len(hangs.asked) == 2
    hangs.said = PASS
    assert (ask(rails).state, len(hangs.asked)) == ("pass", 3)


def test_nested_rails_get_what_is_left_and_ask_no_further_when_it_is_used_up(gate: threading.Event) -> None:
    ended = threading.Event()
    dearer = Says("dearer", cost_ms=60)

    class Watched(Rails):
        def decide(self, query: Any, docs: Any, answer: Any) -> RailsDecision:
            try:
                return super().decide(query, docs, answer)
            finally:
                ended.set()

    inner = Watched([Says("hangs", gate.wait), dearer], name="inner")
    told = decide(Rails([inner], budget_ms=60))
    assert (told.state, told.rail) == ("unchecked", "inner")
    assert (ended.wait(30), dearer.asked, inner.budget_ms) == (True, [], None)


def test_the_shorter_of_two_budgets_counts() -> None:
    rails = Rails([verify], budget_ms=50)
    assert [rails.within(ms).budget_ms for ms in (20, 80)] == [20, 50]
    assert (Rails([verify]).within(80).budget_ms, rails.budget_ms, rails.within(20).order) == (80, 50, ("verify",))


def test_without_a_budget_rails_are_asked_in_the_callers_thread_and_with_one_in_another() -> None:
    seen: list[bool] = []

    def where() -> Decision:
        seen.append(threading.current_thread() is threading.main_thread())
        return PASS

    for budget_ms in (None, 60_000):
        assert decide(Rails([Says("own", where)], budget_ms=budget_ms)).state == "pass"
    assert decide_in_a_loop(Rails([Says("own", where)])).state == "pass"
    assert seen == [True, False, False]


def test_a_rail_that_hangs_does_not_hold_the_program_at_its_end() -> None:
    code = """
import asyncio, threading
from raguard.rails import Rails
class Hangs:
    name = "hangs"
    def decide(self, query, docs, answer):
        threading.Event().wait()
rails = Rails([Hangs()], budget_ms=30)
print(rails.decide("", [], "").state, asyncio.run(rails.adecide("", [], "")).state)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.stderr, run.returncode) == ("unchecked unchecked\n", "", 0)


@pytest.mark.parametrize("ask", [decide, decide_in_a_loop])
def test_no_thread_to_be_had_leaves_the_answer_unchecked(
    ask: Callable[..., RailsDecision], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    rails = Rails([Says("own")], budget_ms=60_000)
    monkeypatch.setattr(asking.Thread, "start", refuse)
    assert ask(rails).unchecked == ("own: it was not asked: no thread can be started",)
    monkeypatch.undo()
    assert ask(rails).state == "pass"


# ── faults ──


class Unwell(BaseException):
    """What an extension may raise: no Exception."""


def raises(error: BaseException) -> Callable[[], Any]:
    def fault() -> Any:
        raise error

    return fault


def forged(**values: Any) -> Decision:
    """A decision that went past its check."""
    decision = PartialDecision("pass", "fine")
    for name, value in values.items():
        object.__setattr__(decision, name, value)
    return decision


class Lying(Decision):
    """Reads as another state each time, or breaks."""

    @property
    def state(self) -> Any:  # type: ignore[override]
        raise ZeroDivisionError(SECRET)


class OddText(str):
    def __str__(self) -> str:
        return SECRET


UNUSABLE = "it returned a Decision that holds what cannot be used"
FAULTS: list[tuple[str, Any, str]] = [
    ("exception", raises(ValueError(SECRET)), "it raised ValueError"),
    ("exit", raises(SystemExit(SECRET)), "it raised SystemExit"),
    ("panic", raises(Unwell(SECRET)), "it raised Unwell"),
    ("generator exit", raises(GeneratorExit()), "it raised GeneratorExit"),
    ("stop", raises(StopIteration(PASS)), "it raised StopIteration"),
    ("none", None, "it returned NoneType in place of a Decision"),
    ("text", "pass", "it returned str in place of a Decision"),
    ("true", True, "it returned bool in place of a Decision"),
    ("class", lambda: Decision, "it returned type in place of a Decision"),
    ("state", forged(state="fine"), UNUSABLE),
    ("no state", forged(state=None), UNUSABLE),
    ("no reason", forged(reason=None), UNUSABLE),
    ("categories", forged(categories="abc"), UNUSABLE),
    ("category", forged(categories=(7,)), UNUSABLE),
    ("model", forged(model=7), UNUSABLE),
    ("raw", forged(raw=b"x"), UNUSABLE),
    ("latency", forged(latency_ms="soon"), UNUSABLE),
    ("unchecked", forged(unchecked="abc"), UNUSABLE),
    ("lies", lambda: object.__new__(Lying), UNUSABLE),
]


@BOTH
@pytest.mark.parametrize("budget_ms", [None, 60_000])
@pytest.mark.parametrize("kind", [Says, SaysLater])
@pytest.mark.parametrize(("said", "why"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_a_fault_of_a_rail_leaves_it_unchecked_and_is_told_by_its_type(
    said: Any, why: str, kind: type[Says], budget_ms: float | None, ask: Callable[..., RailsDecision]
) -> None:
    if kind is SaysLater and why == "it raised StopIteration":
        why = "it raised RuntimeError"  # what Python makes of it in a coroutine
    told = ask(Rails([kind("odd", said), Says("after")], budget_ms=budget_ms))
    assert (told.state, told.unchecked, told.rail) == ("unchecked", (f"odd: {why}",), "odd")
    assert states(told) == [("odd", "unchecked"), ("after", "pass")]
    assert SECRET not in json.dumps(told.to_dict())


@BOTH
@pytest.mark.parametrize("budget_ms", [None, 60_000])
def test_a_rail_that_is_cancelled_from_inside_is_unchecked(
    budget_ms: float | None, ask: Callable[..., RailsDecision]
) -> None:
    async def cancelled() -> Any:
        future = asyncio.get_running_loop().create_future()
        future.cancel()
        await future

    told = ask(Rails([SaysLater("odd", cancelled)], budget_ms=budget_ms))
    assert told.unchecked == ("odd: it was cancelled",)


@pytest.mark.parametrize("budget_ms", [None, 60_000])
def test_an_interrupt_from_the_keyboard_goes_on_to_the_caller(budget_ms: float | None) -> None:
    rails = Rails([Says("stops", raises(KeyboardInterrupt()))], budget_ms=budget_ms)
    with pytest.raises(KeyboardInterrupt):
        decide(rails)
    with pytest.raises(KeyboardInterrupt):
        decide_in_a_loop(rails)


def test_an_interrupt_while_a_decision_is_read_goes_on_to_the_caller() -> None:
    class Stops(Decision):
        @property
        def state(self) -> Any:  # type: ignore[override]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decide(Rails([Says("stops", lambda: object.__new__(Stops))]))


def test_a_function_that_tells_nothing_of_its_arguments_is_asked_and_its_fault_told() -> None:
    class Odd:
        name = "odd"
        decide = staticmethod(max)

    assert decide(Rails([Odd()])).unchecked == ("odd: it raised TypeError",)


def test_a_caller_that_is_cancelled_waits_no_longer(gate: threading.Event) -> None:
    async def give_up() -> bool:
        started = asyncio.Event()
        loop = asyncio.get_running_loop()

        def hang() -> None:
            loop.call_soon_threadsafe(started.set)
            gate.wait()

        task = asyncio.ensure_future(Rails([Says("hangs", hang)]).adecide(QUERY, DOCS, GOOD))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return task.cancelled()

    assert asyncio.run(give_up())


def test_a_plain_function_that_returns_a_coroutine_is_awaited() -> None:
    async def later() -> Decision:
        await asyncio.sleep(0)
        return PASS

    for budget_ms in (None, 60_000):
        rails = Rails([Says("own", later)], budget_ms=budget_ms)
        assert [ask(rails).state for ask in (decide, decide_in_a_loop, decide_within_a_loop)] == ["pass"] * 3


def test_a_rail_that_changes_its_documents_changes_them_for_no_other() -> None:
    given = [*DOCS]

    class Greedy(Says):
        def decide(self, query: Any, docs: Any, answer: Any) -> Any:
            docs[:] = [answer]
            return PASS

    told = decide(Rails([Greedy("greedy", cost_ms=0), verify]), BAD, given)
    assert (told.state, told.rail, given) == ("block", "verify", DOCS)


def test_what_a_rail_returned_is_kept_as_plain_values_that_it_cannot_change_any_more() -> None:
    mine = forged(reason=OddText("fine"), latency_ms=float("nan"))
    told = decide(Rails([Says("own", mine)]))
    object.__setattr__(mine, "state", "block")
    kept = told.decisions[0][1]
    assert (kept.state, kept.reason, type(kept.reason)) == ("pass", "fine", str)
    assert 0 < kept.latency_ms < 60_000


# ── nested, shared, plain ──


@BOTH
def test_nested_rails_tell_the_names_of_both(ask: Callable[..., RailsDecision]) -> None:
    lame = Says("lame", Decision("unchecked", "no idea"))
    inner = Rails([lame, Says("fine")], name="inner")
    told = ask(Rails([verify, inner]))
    assert (told.state, told.rail) == ("unchecked", "inner")
    assert told.unchecked == ("inner: lame: no idea",)
    nested = told.decisions[1][1]
    assert isinstance(nested, RailsDecision)
    assert (nested.rail, states(nested)) == ("lame", [("lame", "unchecked"), ("fine", "pass")])


@BOTH
@pytest.mark.parametrize("budget_ms", [None, 60_000])
def test_one_object_serves_many_threads(budget_ms: float | None, ask: Callable[..., RailsDecision]) -> None:
    rails = Rails([verify, HallucinationGuard(), SaysLater("later")], budget_ms=budget_ms)
    gate = threading.Barrier(8)
    answers = [GOOD, BAD, INVENTED, ""]

    def work() -> list[tuple[str, str]]:
        gate.wait()
        return [(told.state, told.rail) for told in (ask(rails, answer) for answer in answers * 5)]

    with ThreadPoolExecutor(8) as pool:
        found = [future.result() for future in [pool.submit(work) for _ in range(8)]]
    alone = [(told.state, told.rail) for told in (decide(rails, answer) for answer in answers)]
    assert [state for state, _ in alone] == ["pass", "block", "block", "unchecked"]
    assert found == [alone * 5] * 8


def test_many_answers_are_decided_at_once_in_one_loop() -> None:
    rails = Rails([verify, HallucinationGuard(), SaysLater("later")])

    async def work() -> list[str]:
        waiting: list[Awaitable[RailsDecision]] = [rails.adecide(QUERY, DOCS, answer) for answer in (GOOD, BAD) * 10]
        return [told.state for told in await asyncio.gather(*waiting)]

    assert asyncio.run(work()) == ["pass", "block"] * 10


def test_the_loop_goes_on_while_a_rail_that_is_not_async_works() -> None:
    went_on = threading.Event()

    async def work() -> RailsDecision:
        task = asyncio.ensure_future(
            Rails([Says("waits", lambda: PASS if went_on.wait(30) else None)]).adecide("", [], "")
        )
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_soon(went_on.set)
        return await task

    assert asyncio.run(work()).state == "pass"


def test_rails_see_the_variables_of_their_caller() -> None:
    request: ContextVar[str] = ContextVar("request")
    request.set("r-1")
    for budget_ms in (None, 60_000):
        rails = Rails([Says("own", lambda: Decision("pass", request.get()))], budget_ms=budget_ms)
        assert [ask(rails).reason for ask in (decide, decide_in_a_loop)] == ["own passes: r-1"] * 2


def test_rails_take_documents_and_tuples_as_they_come() -> None:
    docs = (Document(DOCS[0], id="audit.md"), "Pets are welcome.")
    own = Says("own")
    assert decide(Rails([verify, HallucinationGuard(), own]), docs=docs).state == "pass"
    assert own.asked == [(QUERY, docs, GOOD)]


def test_a_decision_is_json_all_the_way_down() -> None:
    inner = Rails([Says("own", Decision("pass", "fine", ("c",), "m-1", 3.5, "yes"))], name="inner")
    told = json.loads(json.dumps(decide(Rails([verify, inner])).to_dict(), allow_nan=False))
    of_verify, of_inner = told["decisions"]
    assert list(told) == [
        "state",
        "reason",
        "categories",
        "model",
        "latency_ms",
        "raw",
        "unchecked",
        "rail",
        "decisions",
        "not_asked",
    ]
    assert (told["state"], told["rail"], told["model"], told["raw"]) == ("pass", "inner", "m-1", "yes")
    assert (of_verify["name"], of_verify["state"], of_verify["unchecked"]) == ("verify", "pass", [])
    assert (of_inner["name"], of_inner["rail"], of_inner["decisions"][0]["latency_ms"]) == ("inner", "own", 3.5)


def test_a_decision_cannot_be_changed() -> None:
    told = decide(Rails([verify]))
    with pytest.raises(AttributeError):
        told.state = "pass"  # type: ignore[misc]


# ── what cannot be used ──


class Nameless:
    def decide(self, query: Any, docs: Any, answer: Any) -> Decision:
        return PASS


class Backward(Nameless):
    name = "backward"

    def decide(self, answer: Any, passages: Any, question: Any = None) -> Decision:
        return PASS


class Broken(Nameless):
    @property
    def name(self) -> str:
        raise ValueError(SECRET)


DUE = "it must be raguard.verify, a Verifier, a HallucinationGuard, a GroundingJudge, or an object with name and decide"


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([], "parts must be a list of at least one rail, not an empty one"),
        ((), "parts must be a list of at least one rail, not an empty one"),
        (verify, "parts must be a list of at least one rail, not function"),
        ([verify, "verify"], f"parts[1] is str: {DUE}"),
        ([None], f"parts[0] is NoneType: {DUE}"),
        ([lambda query, docs, answer: PASS], f"parts[0] is function: {DUE}"),
        ([Verifier], "parts[0] is the class Verifier: give an instance of it"),
        ([Nameless()], "parts[0] is Nameless: name must be a string that is not blank, not NoneType"),
        ([Says(" ")], "parts[0] is Says: name must be a string that is not blank, not str"),
        ([Broken()], "parts[0] is Broken: its name cannot be read (ValueError)"),
        (
            [Backward()],
            "parts[0] is Backward: its decide takes the answer first, as a judge does: give JudgeRail of it",
        ),
        ([Says("a", cost_ms=-1)], "parts[0] is Says: cost_ms must be a number of milliseconds of at least 0, not -1"),
        (
            [Says("a", cost_ms=True)],
            "parts[0] is Says: cost_ms must be a number of milliseconds of at least 0, not True",
        ),
        (
            [VerifyRail(cost_ms=float("nan"))],
            "parts[0] is VerifyRail: cost_ms must be a number of milliseconds of at least 0, not nan",
        ),
        ([verify, Verifier()], "two parts have the name 'verify'; give one another: VerifyRail(verifier, name=...)"),
    ],
)
def test_parts_that_are_no_rails_are_refused(parts: Any, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        Rails(parts)
    assert str(refused.value) == said


@pytest.mark.parametrize("budget_ms", [0, -1, True, "50", float("nan"), float("inf")])
def test_a_budget_that_is_none_is_refused(budget_ms: Any) -> None:
    said = f"budget_ms must be a number of milliseconds above 0 or None, not {budget_ms!r}"
    with pytest.raises(ConfigError) as refused:
        Rails([verify], budget_ms=budget_ms)
    assert str(refused.value) == said
    assert Rails([verify], budget_ms=0.5).budget_ms == 0.5


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: Rails([verify], name=""), "name must be a string that is not blank, not str"),
        (lambda: Rails([verify], tenant_id=""), "tenant_id must be a string that is not empty, not str"),
        (lambda: VerifyRail(Config()), "verifier must be raguard.verify or a Verifier, not Config"),  # type: ignore[arg-type]
        (lambda: GuardRail(verify), "guard must be a HallucinationGuard, not function"),  # type: ignore[arg-type]
        (lambda: GuardRail(HallucinationGuard), "guard must be a HallucinationGuard, not the class HallucinationGuard"),  # type: ignore[arg-type]
        (
            lambda: GuardRail(HallucinationGuard(), tenant_id=7),  # type: ignore[arg-type]
            "tenant_id must be a string that is not empty, not int",
        ),
        (lambda: JudgeRail(Says("a")), "judge must have decide and adecide as a GroundingJudge has, not Says"),
        (lambda: JudgeRail(Judge(), name=" "), "name must be a string that is not blank, not str"),
    ],
)
def test_what_an_adapter_cannot_use_is_refused(build: Callable[[], Any], said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        build()
    assert str(refused.value) == said


def test_two_verifiers_go_together_under_two_names() -> None:
    quiet = Verifier(Config(severity={"unsupported_date": "low"}))
    told = decide(Rails([VerifyRail(quiet, name="quiet"), verify]), BAD)
    assert states(told) == [("quiet", "pass"), ("verify", "block")]


def test_public_names_are_sorted_and_come_when_they_are_asked_for() -> None:
    names = raguard.rails.__all__
    assert names == sorted(names)
    assert all(getattr(raguard.rails, name).__name__ == name for name in names if name != "State")
    assert {*names} <= {*dir(raguard.rails)}
    with pytest.raises(AttributeError, match=r"module 'raguard\.rails' has no attribute 'rail'"):
        raguard.rails.rail  # type: ignore[attr-defined]  # noqa: B018


def test_what_gives_way_cannot_be_finished_without_a_loop() -> None:
    async def gives_way() -> None:
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="must not give way"):
        asking.finished(gives_way())


# ── what the benchmark says ──


def test_the_benchmark_times_every_way_to_ask_and_writes_a_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = tmp_path / "row.json"
    assert rails_figures.main(["--answers", "2", "--runs", "1", "--json", str(row)]) == 0
    ways = ["Rails([verifier])", "with budget_ms", "adecide", "with a claim guard"]
    written = json.loads(row.read_text(encoding="utf-8"))
    assert (written["benchmark"], list(written["groups"])) == ("rails", ["30 words", "100 words", "250 words"])
    assert all(list(group) == ways for group in written["groups"].values())
    assert list(written["own_us"]) == ["without a budget", "with one"]
    printed = capsys.readouterr().out
    assert [printed.count(f" {way} ") for way in ways] == [3] * 4


def test_what_rails_add_is_the_median_over_the_questions() -> None:
    alone, rails = [[0.001, 0.002], [0.003, 0.001]], [[0.002, 0.004], [0.006, 0.001]]
    assert rails_figures._added_ms(alone, rails) == 1.5
