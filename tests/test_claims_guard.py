"""Does a guard judge every claim, act as it is told, and never let a claim pass that nobody looked at?"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import pickle
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from raguard import Document, claims
from raguard.claims import (
    BLOCK_NOTICE,
    REDACTION_MARKER,
    ChunkRef,
    Claim,
    ClaimExtractor,
    ClaimStatus,
    ClaimVerdict,
    Context,
    GuardAction,
    GuardConfig,
    GuardResult,
    GuardVerdict,
    HallucinationGuard,
    LexicalNLIScorer,
    NLILabel,
    NLIScore,
    NLIScorer,
    NoopNLIScorer,
    Retrieved,
    Retriever,
    SentenceClaimExtractor,
    chunk_corpus,
)

PARIS, MOON = "Paris is the capital of France.", "The moon is made of cheese."
ANSWER = f"{PARIS} {MOON}"
EVIDENCE = ["Paris is the capital of France, on the Seine."]


class Listed(ClaimExtractor):
    """Gives the claims that it was built with."""

    def __init__(self, *claims: str) -> None:
        self.claims = claims

    async def extract(self, ctx: Context | None, answer: str) -> Sequence[str]:
        return self.claims


class Scripted(NLIScorer):
    """Scores by a table of premises; keeps what it was asked."""

    def __init__(self, scores: dict[str, float], wants_question: bool = False) -> None:
        self.scores = scores
        self.wants_question = wants_question
        self.asked: list[tuple[str, str]] = []
        self.contexts: list[Context | None] = []
        self.batches = 0

    async def score(self, ctx: Context | None, premise: str, hypothesis: str) -> NLIScore:
        self.asked.append((premise, hypothesis))
        self.contexts.append(ctx)
        entailment = self.scores.get(premise, 0.0)
        return NLIScore(
            NLILabel.ENTAILMENT if entailment >= 0.5 else NLILabel.NEUTRAL, entailment, reasons=(f"by {entailment}",)
        )

    async def score_batch(self, ctx: Context | None, pairs: Sequence[tuple[str, str]]) -> Sequence[NLIScore]:
        self.batches += 1
        return await super().score_batch(ctx, pairs)


class Whole(Scripted):
    """Reads all evidence at once."""

    def __init__(self, score: NLIScore, scores: dict[str, float] | None = None) -> None:
        super().__init__(scores or {})
        self.score_of_all = score
        self.calls: list[tuple[list[str], list[str | Document], str | None]] = []

    async def score_claims(
        self, ctx: Context | None, claims: Sequence[str], evidence: Sequence[str | Document]
    ) -> Sequence[NLIScore]:
        self.calls.append((list(claims), list(evidence), ctx.question if ctx else None))
        return [self.score_of_all for _ in claims]


def guard(
    scorer: NLIScorer | None = None, *, extractor: ClaimExtractor | None = None, **settings: Any
) -> HallucinationGuard:
    return HallucinationGuard(scorer or LexicalNLIScorer(), extractor=extractor, config=GuardConfig(**settings))


def statuses(result: GuardResult) -> list[str]:
    return [claim.status.value for claim in result.claims]


def test_the_documented_example_behaves_as_written() -> None:
    checker = HallucinationGuard(
        scorer=LexicalNLIScorer(),
        extractor=SentenceClaimExtractor(),
        config=GuardConfig(threshold=0.5, action=GuardAction.ANNOTATE),
    )
    result, answer = asyncio.run(
        checker.check(Context(tenant_id="acme"), answer=ANSWER, evidence=EVIDENCE, question=None)
    )
    assert (result.verdict, result.blocked_n, answer) == (GuardVerdict.FLAGGED, 1, ANSWER)
    assert result == GuardResult(
        verdict=GuardVerdict.FLAGGED,
        action=GuardAction.ANNOTATE,
        threshold=0.5,
        claims_n=2,
        blocked_n=1,
        unchecked_n=0,
        claims=(
            ClaimVerdict(
                claim=PARIS,
                status=ClaimStatus.SUPPORTED,
                label=NLILabel.ENTAILMENT,
                entailment=1.0,
                support_score=1.0,
                supported=True,
                start=0,
                end=31,
                evidence=(ChunkRef(0),),
                votes="1/1",
                reasons=(),
            ),
            ClaimVerdict(
                claim=MOON,
                status=ClaimStatus.HALLUCINATION_FLAG,
                label=NLILabel.NEUTRAL,
                entailment=0.0,
                support_score=0.0,
                supported=False,
                start=32,
                end=59,
                evidence=(ChunkRef(0),),
                votes="0/1",
                reasons=("new: *moon made cheese*",),
            ),
        ),
        reason="1 of 2 judged claims is unsupported at a threshold of 0.5.",
        risk=0.75,
        degraded=False,
    )
    assert result.min_entailment == 0.0


@pytest.mark.parametrize(
    ("action", "verdict", "shown"),
    [
        ("annotate", "flagged", ANSWER),
        ("redact", "blocked", f"{PARIS} {REDACTION_MARKER}"),
        ("block", "blocked", BLOCK_NOTICE),
    ],
)
def test_the_action_decides_what_is_shown(action: str, verdict: str, shown: str) -> None:
    result, answer = guard(action=action).check_sync(None, ANSWER, EVIDENCE)
    assert (result.verdict.value, result.action.value, result.blocked_n, answer) == (verdict, action, 1, shown)


@pytest.mark.parametrize("action", ["annotate", "redact", "block"])
def test_a_supported_answer_is_shown_whatever_the_action(action: str) -> None:
    result, answer = guard(action=action).check_sync(None, PARIS, EVIDENCE)
    assert (result.verdict, result.reason, result.risk, answer) == ("pass", "1 judged claim is supported.", 0.0, PARIS)


def test_noop_supports_everything() -> None:
    result, _ = guard(NoopNLIScorer()).check_sync(None, ANSWER, EVIDENCE)
    assert (result.verdict, statuses(result), result.reason) == (
        "pass",
        ["supported", "supported"],
        "All 2 judged claims are supported.",
    )


def test_each_tenant_has_its_threshold() -> None:
    checker = guard(threshold=0.5, per_tenant_thresholds={"strict": 0.8})
    verdicts = {
        tenant: checker.check_sync(Context(tenant), "Paris is the lovely capital.", EVIDENCE)[0]
        for tenant in ("strict", "acme")
    }
    assert {tenant: (result.threshold, result.blocked_n) for tenant, result in verdicts.items()} == {
        "strict": (0.8, 1),
        "acme": (0.5, 0),
    }


def test_the_threshold_itself_supports() -> None:
    scorer = Scripted({"a": 0.7})
    assert guard(scorer, threshold=0.7).check_sync(None, PARIS, ["a"])[0].verdict == "pass"
    assert guard(scorer, threshold=0.7000001).check_sync(None, PARIS, ["a"])[0].verdict == "flagged"


def test_the_best_passage_wins_and_all_that_entail_are_named() -> None:
    scorer = Scripted({"a": 0.6, "b": 0.2, "c": 0.9, "d": 0.6})
    evidence: list[str | Document] = ["a", Document("b", id="B"), Document("c", id="C"), "d"]
    result, _ = guard(scorer).check_sync(None, PARIS, evidence)
    claim = result.claims[0]
    assert (claim.entailment, claim.support_score, claim.votes) == (0.9, 0.9, "3/4")
    assert claim.evidence == (ChunkRef(2, "C"), ChunkRef(0), ChunkRef(3))
    assert claim.reasons == ("by 0.9",)
    assert scorer.batches == 1


def test_the_nearest_passage_is_named_when_none_entails() -> None:
    claim = guard(Scripted({"a": 0.1, "b": 0.3, "c": 0.3})).check_sync(None, PARIS, ["a", "b", "c"])[0].claims[0]
    assert (claim.evidence, claim.votes, claim.supported) == ((ChunkRef(1),), "0/3", False)


@pytest.mark.parametrize(
    ("votes", "supported", "support"), [(1, True, 0.9), (2, True, 0.75), (3, False, 0.6), (9, False, 0.45)]
)
def test_votes_count_as_far_as_there_are_passages(votes: int, supported: bool, support: float) -> None:
    scorer = Scripted({"a": 0.9, "b": 0.6, "c": 0.3})
    claim = guard(scorer, min_entail_votes=votes).check_sync(None, PARIS, ["a", "b", "c", "d"])[0].claims[0]
    assert (claim.supported, claim.votes) == (supported, "2/4")
    assert claim.support_score == pytest.approx(support)
    due = f"2 of 4 passages entail it by 0.5, {min(votes, 4)} must"
    assert claim.reasons == (("by 0.9",) if supported else (due, "by 0.9"))
    assert guard(scorer, min_entail_votes=votes).check_sync(None, PARIS, ["a"])[0].verdict == "pass"


def test_a_threshold_of_its_own_decides_who_votes() -> None:
    scorer = Scripted({"a": 0.9, "b": 0.4})
    for entail_threshold, votes, supported in ((None, "1/2", False), (0.4, "2/2", True), (0.95, "0/2", False)):
        checker = guard(scorer, min_entail_votes=2, entail_threshold=entail_threshold)
        claim = checker.check_sync(None, PARIS, ["a", "b"])[0].claims[0]
        assert (claim.votes, claim.supported) == (votes, supported)


def test_a_scorer_of_the_whole_evidence_is_preferred() -> None:
    scorer = Whole(NLIScore(NLILabel.ENTAILMENT, 0.8, reasons=("joined",), evidence=(2, 0)))
    evidence: list[str | Document] = ["a", "b", Document("c", id="C")]
    result, _ = guard(scorer).check_sync(None, ANSWER, evidence, question="Where?")
    assert scorer.calls == [([PARIS, MOON], evidence, "Where?")]
    assert scorer.asked == []
    claim = result.claims[0]
    assert (claim.supported, claim.entailment, claim.support_score, claim.votes) == (True, 0.8, 0.8, "2/3")
    assert (claim.evidence, claim.reasons) == ((ChunkRef(2, "C"), ChunkRef(0)), ("joined",))


@pytest.mark.parametrize(
    ("named", "entail_threshold", "votes", "supported"),
    [
        ((), None, "0/3", True),
        ((1,), None, "1/3", True),
        ((2, 0, 1), None, "3/3", True),
        ((1, 1), 0.8, "1/3", True),
        ((1,), 0.9, "0/3", False),
        ((), 0.9, "0/3", False),
    ],
)
def test_the_whole_evidence_decides_and_only_passages_that_it_names_vote(
    named: tuple[int, ...], entail_threshold: float | None, votes: str, supported: bool
) -> None:
    scorer = Whole(NLIScore(NLILabel.ENTAILMENT, 0.8, evidence=named))
    checker = guard(scorer, entail_threshold=entail_threshold)
    claim = checker.check_sync(None, PARIS, ["a", "b", "c"])[0].claims[0]
    assert (claim.votes, claim.supported, scorer.asked) == (votes, supported, [])
    assert claim.evidence == tuple(map(ChunkRef, dict.fromkeys(named)))
    assert claim.reasons == (() if supported else ("the evidence does not entail it by 0.9",))


def test_passages_vote_by_pairs_beside_a_score_of_the_whole_evidence() -> None:
    scorer = Whole(NLIScore(NLILabel.ENTAILMENT, 0.8), {"a": 0.9, "b": 0.6})
    claim = guard(scorer, min_entail_votes=2).check_sync(None, PARIS, ["a", "b", "c"])[0].claims[0]
    assert (claim.entailment, claim.support_score, claim.votes, claim.supported) == (0.8, 0.75, "2/3", True)
    claim = guard(scorer, min_entail_votes=3).check_sync(None, PARIS, ["a", "b", "c"])[0].claims[0]
    assert (claim.entailment, claim.votes, claim.supported) == (0.8, "2/3", False)


def test_a_scorer_that_names_a_passage_that_was_not_given_is_not_believed() -> None:
    result, _ = guard(Whole(NLIScore(NLILabel.ENTAILMENT, 1.0, evidence=(1,)))).check_sync(None, PARIS, ["a"])
    assert (result.verdict, result.claims[0].reasons) == ("flagged", ("the scorer named a passage that was not given",))


@pytest.mark.parametrize(
    ("wants", "aware", "premise", "handed_on"),
    [
        (True, True, "Question: Which?\nContext: a", "Which?"),
        (False, True, "a", "Which?"),
        (True, False, "a", None),
    ],
)
def test_the_question_shapes_the_premise_for_scorers_that_want_it(
    wants: bool, aware: bool, premise: str, handed_on: str | None
) -> None:
    scorer = Scripted({}, wants)
    guard(scorer, question_aware=aware).check_sync(Context("acme", "r1"), PARIS, ["a"], question="Which?")
    assert scorer.asked == [(premise, PARIS)]
    assert scorer.contexts == [Context("acme", "r1", handed_on)]


def test_a_question_of_the_context_counts_unless_another_is_asked() -> None:
    scorer = Scripted({}, wants_question=True)
    for question, asked in ((None, "Who?"), ("Which?", "Which?")):
        guard(scorer).check_sync(Context(question="Who?"), PARIS, ["a"], question=question)
        assert scorer.asked[-1][0] == f"Question: {asked}\nContext: a"


def test_short_claims_are_unchecked_and_excused_beside_others() -> None:
    result, answer = guard(action="block").check_sync(None, f"Yes, it is. {PARIS}", EVIDENCE)
    assert (statuses(result), result.verdict, result.degraded) == (["unchecked", "supported"], "pass", False)
    assert (result.claims[0].reasons, result.claims[0].supported) == (("too short to be judged",), False)
    assert result.reason == "1 judged claim is supported. 1 claim was not checked: too short to be judged."
    assert answer.startswith("Yes")


def test_an_answer_of_short_claims_alone_is_no_pass() -> None:
    result, answer = guard(action="block").check_sync(None, "Yes, it is.", EVIDENCE)
    assert (result.verdict, result.degraded, result.unchecked_n, answer) == ("flagged", True, 1, "Yes, it is.")
    assert guard(action="block", on_unchecked="act").check_sync(None, "Yes, it is.", EVIDENCE)[1] == BLOCK_NOTICE
    assert guard(min_claim_chars=0).check_sync(None, "Yes, it is.", ["Yes, it is so."])[0].verdict == "pass"


def test_claims_beyond_the_limit_are_unchecked_and_degrade_the_check() -> None:
    answer = f"Yes. {PARIS} {PARIS} {MOON}"
    result, shown = guard(max_claims=2, action="redact").check_sync(None, answer, EVIDENCE)
    assert statuses(result) == ["unchecked", "supported", "supported", "unchecked"]
    assert result.claims[3].reasons == ("beyond max_claims",)
    assert (result.verdict, result.degraded, result.blocked_n, shown) == ("flagged", True, 0, answer)
    result, shown = guard(max_claims=2, action="redact", on_unchecked="act").check_sync(None, answer, EVIDENCE)
    assert (result.verdict, result.blocked_n, result.unchecked_n) == ("blocked", 1, 2)
    assert shown == f"Yes. {PARIS} {PARIS} {REDACTION_MARKER}"
    assert guard(max_claims=3).check_sync(None, answer, EVIDENCE)[0].degraded is False


@pytest.mark.parametrize("evidence", [None, [], (), iter([]), ["", " \n"]])
def test_without_evidence_nothing_is_supported(evidence: Any) -> None:
    result, answer = guard(NoopNLIScorer(), action="block").check_sync(None, ANSWER, evidence)
    assert (statuses(result), result.verdict, result.degraded) == (["unchecked"] * 2, "flagged", True)
    assert result.reason == "No claim was judged. 2 claims were not checked: there is no evidence."
    assert (answer, result.risk, result.min_entailment) == (ANSWER, 0.0, None)


def test_evidence_may_be_any_finite_iterable_and_hold_mappings() -> None:
    evidence = (entry for entry in ["nothing", {"text": EVIDENCE[0], "id": "a.md"}, " "])
    claim = guard().check_sync(None, PARIS, evidence)[0].claims[0]  # type: ignore[arg-type]
    assert (claim.evidence, claim.votes) == ((ChunkRef(1, "a.md"),), "1/2")


def test_an_answer_without_a_claim_passes_only_when_it_holds_no_word() -> None:
    for answer, verdict in (("", "pass"), (" \n- …", "pass"), ("```\nx = 1\n```", "flagged")):
        result, shown = guard(action="block").check_sync(None, answer, EVIDENCE)
        assert (result.verdict, shown) == (verdict, answer)
    assert guard().check_sync(None, "", EVIDENCE)[0].reason == "The answer makes no claim."


def test_plain_claims_are_found_in_the_answer_in_order() -> None:
    answer = f"{MOON} {PARIS} {MOON}"
    result, shown = guard(extractor=Listed(MOON, PARIS, MOON), action="redact").check_sync(None, answer, EVIDENCE)
    assert [(claim.start, claim.end) for claim in result.claims] == [(0, 27), (28, 59), (60, 87)]
    assert shown == f"{REDACTION_MARKER} {PARIS} {REDACTION_MARKER}"


def test_a_claim_that_is_named_once_is_cut_out_wherever_it_stands() -> None:
    answer = f"{MOON} {PARIS} {MOON}"
    result, shown = guard(extractor=Listed(MOON, PARIS), action="redact").check_sync(None, answer, EVIDENCE)
    assert (result.blocked_n, shown) == (1, f"{REDACTION_MARKER} {PARIS} {REDACTION_MARKER}")
    longer = f"We know that {PARIS}"
    _, shown = guard(extractor=Listed("that Paris is the capital", longer), action="redact").check_sync(
        None, longer, ["nothing", "We know Paris, the capital of France."]
    )
    assert shown == longer


def test_a_claim_at_a_wrong_place_is_looked_for() -> None:
    extractor = Listed(Claim(MOON, start=0, end=27), Claim(PARIS, start=-5, end=9_000))
    result, _ = guard(extractor=extractor).check_sync(None, ANSWER, EVIDENCE)
    assert [(claim.start, claim.end) for claim in result.claims] == [(32, 59), (0, 31)]


def test_an_unsupported_claim_that_cannot_be_cut_out_withholds_the_answer() -> None:
    extractor = Listed(PARIS, "Cheese is what the moon is made of.")
    result, shown = guard(extractor=extractor, action="redact").check_sync(None, ANSWER, EVIDENCE)
    assert (result.verdict, shown) == ("blocked", BLOCK_NOTICE)
    assert result.reason.endswith("The answer is withheld: what falls short does not stand in it word for word.")
    assert (result.claims[1].start, result.claims[1].end) == (None, None)
    extractor = Listed("The capital of France is Paris.", MOON)
    _, shown = guard(extractor=extractor, action="redact").check_sync(None, ANSWER, EVIDENCE)
    assert shown == f"{PARIS} {REDACTION_MARKER}"


@pytest.mark.parametrize(
    ("scores", "risk"), [([0.9, 0.4, 0.2, 0.7], 0.5 * 0.8 + 0.5 * 0.7), ([0.25], 0.75), ([1.0, 1.0], 0.0)]
)
def test_risk_is_half_the_worst_and_half_the_mean_of_the_two_worst(scores: list[float], risk: float) -> None:
    listed = [f"Claim {number} is {score}, so." for number, score in enumerate(scores)]

    class ByClaim(NLIScorer):
        async def score(self, ctx: Context | None, premise: str, hypothesis: str) -> NLIScore:
            return NLIScore(NLILabel.NEUTRAL, float(hypothesis.split(" is ")[1].removesuffix(", so.")))

    result, _ = guard(ByClaim(), extractor=Listed(*listed)).check_sync(None, " ".join(listed), ["a"])
    assert result.risk == pytest.approx(risk)
    assert result.min_entailment == min(scores)


def test_a_retriever_finds_the_evidence_of_each_claim() -> None:
    corpus = ["The Seine runs through Paris.", PARIS, "Cheese smells old."]
    checker = HallucinationGuard.from_documents(
        [Document(text, id=f"d{number}") for number, text in enumerate(corpus)], scorer=LexicalNLIScorer()
    )
    assert isinstance(checker.retriever, Retriever)
    result, _ = checker.check_sync(None, f"{PARIS} Zebras hibernate underground.")
    paris, zebras = result.claims
    assert (paris.supported, paris.votes, paris.evidence[0].index) == (True, "1/2", 1)
    assert (paris.evidence[0].id or "").startswith("d1::chunk-0::")
    assert (zebras.status, zebras.entailment, zebras.votes) == ("hallucination_flag", 0.0, "0/0")
    assert (zebras.evidence, zebras.reasons, result.degraded) == ((), ("no chunk speaks of it",), False)


def test_chunks_of_any_size_overlap_by_a_fifth_unless_told_otherwise() -> None:
    corpus = [" ".join(f"Room {number} is on floor {number}." for number in range(60))]
    for size, given, overlap in ((100, None, 20), (200, None, 40), (1_000, None, 200), (100, 0, 0), (100, 50, 50)):
        checker = HallucinationGuard.from_documents(corpus, scorer=LexicalNLIScorer(), size=size, overlap=given)
        assert isinstance(checker.retriever, Retriever)
        assert list(checker.retriever.chunks) == chunk_corpus(corpus, size, overlap)


def test_anything_that_retrieves_is_a_retriever() -> None:
    class Last:
        """Finds the last chunk, whatever is asked."""

        def retrieve(self, text: str, top_k: int, /) -> list[Retrieved]:
            return [Retrieved(chunk_corpus(["Cheese smells old.", PARIS])[1], 1.0)]

    paris, moon = HallucinationGuard(LexicalNLIScorer(), retriever=Last()).check_sync(None, ANSWER)[0].claims
    assert (paris.supported, paris.evidence[0].index, moon.supported) == (True, 0, False)
    assert (paris.evidence[0].id or "").startswith("doc-1::chunk-0::")


def test_only_the_best_chunks_are_read_and_they_vote() -> None:
    corpus = [f"Paris is the capital of France, says book {number}." for number in range(4)]
    for top_k, votes, given in ((2, 2, "2/2"), (3, 9, "3/3")):
        checker = HallucinationGuard.from_documents(
            corpus, scorer=LexicalNLIScorer(), config=GuardConfig(top_k=top_k, min_entail_votes=votes)
        )
        claim = checker.check_sync(None, PARIS)[0].claims[0]
        assert (claim.votes, claim.supported) == (given, True)


def test_evidence_given_with_an_answer_takes_the_place_of_the_corpus() -> None:
    checker = HallucinationGuard.from_documents(["The moon is made of cheese."], scorer=LexicalNLIScorer())
    assert statuses(checker.check_sync(None, ANSWER)[0]) == ["hallucination_flag", "supported"]
    assert statuses(checker.check_sync(None, ANSWER, EVIDENCE)[0]) == ["supported", "hallucination_flag"]
    assert statuses(checker.check_sync(None, ANSWER, [])[0]) == ["unchecked", "unchecked"]


def test_chunks_of_a_corpus_do_not_add_up_for_a_scorer_of_the_whole_evidence() -> None:
    scorer = Whole(NLIScore(NLILabel.ENTAILMENT, 1.0, evidence=(0, 1)), {PARIS: 0.2})
    retriever = Retriever([PARIS, "Paris lies on the Seine."])
    given, _ = HallucinationGuard(scorer).check_sync(None, PARIS, [chunk.text for chunk in retriever.chunks])
    found, _ = HallucinationGuard(scorer, retriever=retriever).check_sync(None, PARIS)
    assert (statuses(given), len(scorer.calls)) == (["supported"], 1)
    assert (statuses(found), found.claims[0].entailment) == (["hallucination_flag"], 0.2)


def test_an_encoder_finds_chunks_behind_its_threshold() -> None:
    class Flags:
        def encode(self, texts: list[str]) -> list[list[float]]:
            return [[float("Paris" in text), float("moon" in text), 0.1] for text in texts]

    for mode, verdict in (("cosine", "hallucination_flag"), ("hybrid", "hallucination_flag")):
        checker = HallucinationGuard.from_documents(
            EVIDENCE,
            encoder=Flags(),
            scorer=LexicalNLIScorer(),
            mode=mode,  # type: ignore[arg-type]
        )
        assert statuses(checker.check_sync(None, ANSWER)[0]) == ["supported", verdict]


def test_check_sync_works_inside_of_a_running_loop() -> None:
    async def within() -> tuple[GuardResult, str]:
        return guard(action="redact").check_sync(None, ANSWER, EVIDENCE)

    assert asyncio.run(within()) == guard(action="redact").check_sync(None, ANSWER, EVIDENCE)


def test_one_guard_serves_fifty_checks_at_once() -> None:
    checker = guard(action="redact")
    answers = [f"{PARIS} The moon number {number} is made of cheese." for number in range(50)]

    async def all_of_them() -> list[tuple[GuardResult, str]]:
        return await asyncio.gather(*(checker.check(None, answer, EVIDENCE) for answer in answers))

    results = asyncio.run(all_of_them())
    assert [shown for _, shown in results] == [f"{PARIS} {REDACTION_MARKER}"] * 50
    assert [result.claims[1].claim for result, _ in results] == [answer[len(PARIS) + 1 :] for answer in answers]


def test_one_guard_serves_many_threads() -> None:
    checker = HallucinationGuard.from_documents(EVIDENCE, scorer=LexicalNLIScorer())
    gate = threading.Barrier(8)

    def check(number: int) -> list[str]:
        gate.wait()
        return statuses(checker.check_sync(Context(f"tenant{number}"), ANSWER)[0])

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(check, range(8))) == [["supported", "hallucination_flag"]] * 8


def test_health_is_what_the_scorer_says() -> None:
    class Ill(NoopNLIScorer):
        async def health(self) -> bool:
            return False

    class Broken(NoopNLIScorer):
        async def health(self) -> bool:
            raise OSError

    healths = [asyncio.run(guard(scorer).health()) for scorer in (NoopNLIScorer(), Ill(), Broken())]
    assert healths == [True, False, False]


def test_a_result_is_frozen_pickles_and_is_plain_json() -> None:
    result, _ = guard().check_sync(None, ANSWER, [Document(EVIDENCE[0], id="a.md")])
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.verdict = GuardVerdict.PASS  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(result)) == result
    plain = result.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert list(plain) == [*(field.name for field in dataclasses.fields(GuardResult)), "min_entailment"]
    assert list(plain["claims"][0]) == [field.name for field in dataclasses.fields(ClaimVerdict)]
    assert plain["claims"][0]["evidence"] == [{"index": 0, "id": "a.md"}]
    assert type(plain["claims"][0]["claim"]) is str


@pytest.mark.parametrize(
    ("premise", "hypothesis", "entailment"),
    [
        ("Paris lies on the Seine.", "PARIS lies on the Seine", 1.0),
        ("Paris lies on the Seine.", "Paris lies on the Rhine.", 2 / 3),
        ("The fee is 3.50 euros.", "It is 3 euros.", 0.5),
        ("It’s Paris’s fee.", "the fee of Paris", 1.0),
        ("ｆｅｅ", "fee", 1.0),
        ("It was not so.", "It was not so.", 1.0),
        ("It was so.", "It was not so.", 0.75),
        ("東京は首都です", "東京は", 1.0),
        ("", "Paris", 0.0),
        ("?!", "?!", 0.0),
    ],
)
def test_lexical_entailment_is_the_share_of_content_tokens(premise: str, hypothesis: str, entailment: float) -> None:
    score = asyncio.run(LexicalNLIScorer().score(None, premise, hypothesis))
    assert score.entailment == pytest.approx(entailment)
    assert score.label == ("entailment" if entailment >= 0.5 else "neutral")
    assert asyncio.run(LexicalNLIScorer().score_batch(None, [(premise, hypothesis)])) == [score]


def test_a_result_is_made_of_the_promised_fields_alone() -> None:
    promised = ["verdict", "action", "threshold", "claims_n", "blocked_n", "unchecked_n", "claims", "reason", "risk"]
    values = (GuardVerdict.PASS, GuardAction.ANNOTATE, 0.5, 0, 0, 0, (), "The answer makes no claim.", 0.0)
    result = GuardResult(**dict(zip(promised, values, strict=True)))  # type: ignore[arg-type]
    assert result == GuardResult(*values) == GuardResult(*values, degraded=False)
    assert result != GuardResult(*values, degraded=True)


def test_every_promised_name_is_public() -> None:
    promised = """HallucinationGuard GuardConfig GuardAction GuardVerdict GuardResult GuardEvent ClaimVerdict
        ClaimStatus NLIScorer NLIScore NLILabel NoopNLIScorer LexicalNLIScorer EvidenceScorer CrossEncoderScorer
        ClaimExtractor SentenceClaimExtractor split_into_claims Retriever RemoteEncoder
        REDACTION_MARKER BLOCK_NOTICE Context"""
    beside = """ChunkFinder ChunkRef Claim CorpusChunk Encoder EncoderError EvidenceReader Granularity Mode OnEvent
        Progress Retrieved chunk_corpus"""
    assert {*promised.split(), *beside.split()} == {*claims.__all__} <= {*dir(claims)}
    assert all(hasattr(claims, name) for name in claims.__all__)
    with pytest.raises(AttributeError, match=r"module 'raguard\.claims' has no attribute 'Gard'"):
        claims.Gard  # noqa: B018
