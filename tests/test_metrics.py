"""Do the metrics of one answer say what they should, and nothing where there is nothing to say?"""

from __future__ import annotations

import math
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raguard import CheckedFact, ClaimsResult, Config, ConfigError, Document, RaguardError, Unchecked, Verifier, metrics
from raguard.case import Case, Finding
from raguard.checks import DEFAULT_CHECKS
from raguard.claims import CorpusChunk, chunk_corpus
from raguard.metrics import (
    METRICS,
    EvalSlice,
    Metric,
    MetricScore,
    UndefinedScoreError,
    answer_groundedness,
    citation_faithfulness,
    hallucination_risk,
    retrieval_precision,
    retrieval_recall,
    score,
)
from raguard.metrics.slices import Chunk

CALM = settings(derandomize=True, deadline=None, max_examples=60, database=None)
RENT, PETS = "The rent is $900 a month.", "Dogs and cats are not allowed in the flat."
ROOMS = [RENT, PETS]
NAMES = [metric.name for metric in METRICS]


def told(answer: str, chunks: Sequence[Chunk] = ROOMS, **parts: Any) -> EvalSlice:
    return EvalSlice(question=parts.pop("question", "What is the rent?"), answer=answer, chunks=chunks, **parts)


def values(slice: EvalSlice) -> dict[str, float | None]:
    return {each.name: each.value for each in score(slice)}


def reasons(slice: EvalSlice) -> dict[str, str]:
    return {each.name: each.reason for each in score(slice)}


class Given:
    """A metric that does what it is told."""

    def __init__(self, act: Callable[[EvalSlice], Any], name: Any = "given") -> None:
        self.act = act
        self.name = name

    def score(self, slice: EvalSlice) -> Any:
        return self.act(slice)


class TestRetrieval:
    @pytest.mark.parametrize(
        ("retrieved", "gold", "precision", "recall"),
        [
            (["a", "b"], ["a", "b"], 1.0, 1.0),
            (["a", "b", "c", "d"], ["d"], 0.25, 1.0),
            (["a"], ["a", "b"], 1.0, 0.5),
            (["a"], ["b"], 0.0, 0.0),
            (["a", "a", "b"], ["a", "a"], 0.5, 1.0),
            ([], ["a"], None, 0.0),
            (["a"], [], None, None),
            (["a"], None, None, None),
            ([], None, None, None),
        ],
    )
    def test_counts_each_id_once(
        self, retrieved: list[str], gold: list[str] | None, precision: float | None, recall: float | None
    ) -> None:
        assert retrieval_precision(retrieved, gold) == precision
        assert retrieval_recall(retrieved, gold) == recall

    def test_slice_tells_both_with_their_counts(self) -> None:
        slice = told("", [Document(RENT, id="a"), Document(PETS, id="b")], gold_chunk_ids=["a", "x", "y"])
        assert [each for each in score(slice) if each.name.startswith("retrieval")] == [
            MetricScore("retrieval_precision", 0.5, "1 of 2 retrieved chunks are gold"),
            MetricScore("retrieval_recall", 1 / 3, "1 of 3 gold chunks retrieved"),
        ]

    @pytest.mark.parametrize("gold", [None, ()])
    def test_without_gold_ids_is_undefined(self, gold: tuple[str, ...] | None) -> None:
        found = [each for each in score(told(RENT, gold_chunk_ids=gold)) if each.name.startswith("retrieval")]
        assert [(each.value, each.reason) for each in found] == [(None, "no gold chunk ids are given")] * 2

    def test_of_nothing_retrieved_is_no_precision_and_no_recall(self) -> None:
        found = score(told(RENT, [], gold_chunk_ids=["a"]))
        assert (found[0].value, found[0].reason) == (None, "nothing was retrieved")
        assert (found[1].value, found[1].reason) == (0.0, "0 of 1 gold chunks retrieved")


class TestChunkIds:
    def test_are_those_that_a_corpus_would_give(self) -> None:
        whole = chunk_corpus(ROOMS)
        assert told(RENT).chunk_ids == tuple(chunk.id for chunk in whole)
        assert told(RENT, whole).chunk_ids == tuple(chunk.id for chunk in whole)

    def test_of_documents_are_their_own(self) -> None:
        mixed: list[Chunk] = [Document(RENT, id="rent.md"), " ", Document(PETS), RENT]
        assert told(RENT, mixed).chunk_ids == (
            "rent.md",
            "doc-1",
            chunk_corpus([" ", " ", PETS])[0].id,
            chunk_corpus([" ", " ", " ", RENT])[0].id,
        )

    def test_are_handed_on_to_the_verdict(self) -> None:
        (chunk, _) = chunk_corpus(ROOMS)
        checked = told("The rent is $950.", [chunk]).checked
        assert [warning.evidence and warning.evidence.doc_id for warning in checked.warnings] == [chunk.id]

    def test_of_strings_do_not_name_them_unless_they_are_cited(self) -> None:
        (chunk, _) = chunk_corpus(ROOMS)
        assert told(RENT).documents == tuple(ROOMS)
        assert told(f"{RENT} [{chunk.id}]").documents == (Document(RENT, id=chunk.id), PETS)
        assert told(f"{RENT} [{chunk.id}]", [Document(RENT)]).documents == (Document(RENT, id=chunk.id),)


class TestFaithfulness:
    @pytest.mark.parametrize(
        ("answer", "value"),
        [
            ("The rent is $900 [1]. Dogs are not allowed in the flat [2].", 1.0),
            ("The rent is $900 [2]. Dogs are not allowed in the flat [2].", 0.5),
            ("The rent is $900 [2]. Dogs are not allowed in the flat [1].", 0.0),
            ("The rent is $900. [1] Dogs are not allowed in the flat. [1]", 0.5),
            ("The rent is $900 and dogs are not allowed in the flat [1][2].", 1.0),
            ("The rent is $900 and dogs are not allowed in the flat [1, 2].", 1.0),
            ("The rent is $900 and dogs are not allowed in the flat [2].", 0.0),
            ("According to passage 1, the rent is $900.", 1.0),
            ("According to passage 2, the rent is $900.", 0.0),
            ("The rent is $900 (passage 1).", 1.0),
            ("The rent is $900 [1]. There is a heated pool on the roof.", 1.0),
            ("The rent is $900 [1]. There is a heated pool on the roof [2].", 0.5),
            ("The rent is $900 [7].", 0.0),
            ("The rent is $900 [7]. Dogs are not allowed in the flat [2].", 0.5),
        ],
    )
    def test_is_the_share_of_citing_sentences_that_the_cited_chunks_carry(self, answer: str, value: float) -> None:
        assert citation_faithfulness(answer, ROOMS) == value
        assert values(told(answer))["citation_faithfulness"] == value

    def test_reads_the_ids_of_chunks(self) -> None:
        rent, pets = chunk_corpus(ROOMS)
        for chunks in ([rent, pets], ROOMS):
            assert citation_faithfulness(f"The rent is $900 [{rent.id}].", chunks) == 1.0
            assert citation_faithfulness(f"The rent is $900 [{pets.id}].", chunks) == 0.0
            assert citation_faithfulness(f"The rent is $900 [{rent.id[:-1]}x].", chunks) is None

    def test_id_of_no_chunk_supports_nothing(self) -> None:
        other = chunk_corpus(["Bicycles stand in the yard."])[0]
        assert citation_faithfulness(f"The rent is $900 [{other.id}].", chunk_corpus(ROOMS)) == 0.0

    def test_tells_the_copies_of_a_chunk_apart(self) -> None:
        first, pets = chunk_corpus(ROOMS)
        second = replace(pets, id=f"{first.id}::2")
        chunks = [first, second]
        assert citation_faithfulness(f"Dogs are not allowed in the flat [{second.id}].", chunks) == 1.0
        assert citation_faithfulness(f"Dogs are not allowed in the flat [{first.id}].", chunks) == 0.0

    def test_reads_names_in_brackets_and_from_metadata(self) -> None:
        chunks = [Document(RENT, id="rent.md"), Document(PETS, id="x", metadata={"title": "House rules"})]
        assert citation_faithfulness("The rent is $900 [rent.md].", chunks) == 1.0
        assert citation_faithfulness("Dogs are not allowed in the flat (House rules).", chunks) == 1.0
        assert citation_faithfulness("Dogs are not allowed in the flat (rent.md).", chunks) == 0.0

    def test_name_of_what_was_not_cited_supports_nothing(self) -> None:
        """What stands in the title of another document is not what the cited one says."""
        chunks = [Document(RENT, id="a"), Document("Bicycles stand in the yard.", metadata={"title": "Marble floors"})]
        assert citation_faithfulness("The flat has marble floors [1].", chunks) == 0.0
        assert citation_faithfulness("The flat has marble floors [2].", chunks) is not None

    def test_reads_the_sources_of_a_json_answer(self) -> None:
        answer = '{"answer": "The rent is $900 a month.", "sources": ["SOURCE"]}'
        chunks = [Document(RENT, id="rent.md"), Document(PETS, id="pets.md")]
        assert citation_faithfulness(answer.replace("SOURCE", "rent.md"), chunks) == 1.0
        assert citation_faithfulness(answer.replace("SOURCE", "pets.md"), chunks) == 0.0

    @pytest.mark.parametrize(
        ("answer", "why"),
        [
            (RENT, "the answer cites nothing"),
            ("rows[0] is $900.", "the answer cites nothing"),
            (
                "The rent is $900 [1].\n\n[1] House rules",
                "the answer explains its citations in a list of its own, which is not read",
            ),
            ("The rent is $900.\n\nSources: [1], [2]", "no sentence that makes a claim has a citation"),
            ("", "llm_response is empty; there is nothing to check"),
            (
                "Die Miete beträgt 900 Euro im Monat, und Hunde sind in der Wohnung nicht erlaubt [1].",
                "sentences are weighed as a whole in English alone",
            ),
        ],
    )
    def test_without_a_citation_that_can_be_judged_is_undefined(self, answer: str, why: str) -> None:
        found = {each.name: each for each in score(told(answer))}["citation_faithfulness"]
        assert (found.value, found.reason) == (None, why)

    def test_cited_chunk_in_another_language_is_undefined(self) -> None:
        german = "Die Miete beträgt 900 Euro im Monat, und Hunde sind in der Wohnung nicht erlaubt."
        assert citation_faithfulness("The rent is 900 euros a month [2].", [RENT, german]) is None

    @pytest.mark.parametrize("blank", [" \n", Document("")])
    def test_blank_chunk_supports_nothing(self, blank: Chunk) -> None:
        assert citation_faithfulness("The rent is $900 [2]. The rent is $900 a month [1].", [RENT, blank]) == 0.5

    def test_asks_for_no_more_than_the_sentences_that_cite(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each set of cited chunks is asked for once."""
        verifier, asked = Verifier(), list[str]()
        real = verifier.claims

        def count(query: str, docs: Any, answer: str, **options: Any) -> ClaimsResult:
            asked.append(answer)
            return real(query, docs, answer, **options)

        monkeypatch.setattr(verifier, "claims", count)
        answer = "The rent is $900 [1]. It is $900 a month [1]. Dogs are not allowed [1][2]. No cats [2]. Welcome home."
        score(told(answer, verifier=verifier))
        cited = ["The rent is $900 [1].\n\nIt is $900 a month [1].", "Dogs are not allowed [1][2].", "No cats [2]."]
        assert asked == [answer, *cited]

    def test_question_is_no_cited_chunk(self) -> None:
        answer = "Dogs are welcome in the flat [1]."
        asked = told(answer, question="Are dogs welcome in the flat?")
        assert values(asked)["citation_faithfulness"] == citation_faithfulness(answer, ROOMS) == 0.0


class TestGroundedness:
    def test_is_that_of_the_weakest_claims(self) -> None:
        slice = told("The rent is $900. There is a heated pool on the roof. Dogs are not allowed.")
        worst = sorted((claim.unsupported for claim in slice.judged.claims), reverse=True)
        assert len(worst) == 3
        expected = 1 - (worst[0] / 2 + (worst[0] + worst[1]) / 4)
        found = {each.name: each for each in score(slice)}["answer_groundedness"]
        assert found.value == pytest.approx(expected)
        assert found.value == answer_groundedness(slice.answer, ROOMS, "What is the rent?")
        assert found.reason == f"1 of 3 claims likely unsupported, the likeliest by {worst[0]:.2f}"

    def test_of_one_claim_is_its_own(self) -> None:
        (claim,) = told(RENT).judged.claims
        assert answer_groundedness(RENT, ROOMS) == pytest.approx(1 - claim.unsupported, abs=0.01)

    def test_copied_answer_is_grounded_and_an_invented_one_is_not(self) -> None:
        grounded, invented = answer_groundedness(RENT, ROOMS), answer_groundedness("A pool is on the roof.", ROOMS)
        assert grounded is not None
        assert invented is not None
        assert grounded > 0.95
        assert invented < 0.5

    def test_does_not_hold_the_words_of_the_question_against_the_answer(self) -> None:
        """A known limit: what only repeats the question is not told to be ungrounded."""
        pool = "There is a heated pool on the roof."
        asked, unasked = (answer_groundedness(pool, ROOMS, question) for question in (f"Right? {pool}", ""))
        assert asked is not None
        assert unasked is not None
        assert asked > 0.5 > unasked

    @pytest.mark.parametrize(
        ("answer", "chunks", "why"),
        [
            (RENT, [], "there is no answer or no document to judge it by"),
            ("", ROOMS, "llm_response is empty; there is nothing to check"),
            (RENT, [" "], "retrieved_docs holds only blank documents; there is nothing to check the answer against"),
            ("Yes.", ROOMS, "the answer makes no claim"),
            ("```\nrent = 900\n```", ROOMS, "all of the answer is fenced code"),
            ('{"rent": 900}', ROOMS, "the answer makes no claim"),
        ],
    )
    def test_without_a_claim_that_can_be_judged_is_undefined(self, answer: str, chunks: list[str], why: str) -> None:
        slice = told(answer, chunks)
        assert values(slice)["answer_groundedness"] is None
        assert reasons(slice)["answer_groundedness"] == why
        assert answer_groundedness(answer, chunks) is None

    def test_over_a_limit_is_undefined_and_says_so(self) -> None:
        slice = told(RENT * 3, verifier=Verifier(Config(max_response_chars=30)))
        assert values(slice)["answer_groundedness"] is None
        assert "the limit max_response_chars is 30" in reasons(slice)["answer_groundedness"]
        assert "the limit max_response_chars is 30" in reasons(slice)["number_precision"]

    def test_after_a_check_that_failed_is_undefined(self) -> None:
        def broken(case: Case) -> Any:
            raise KeyError(case.query)

        slice = told("The rent is $900 [1].", verifier=Verifier(checks=(*DEFAULT_CHECKS, broken)))
        told_reasons = reasons(slice)
        assert told_reasons["answer_groundedness"] == "a check failed (broken)"
        assert told_reasons["citation_faithfulness"] == "a check failed (broken)"
        assert "KeyError" in told_reasons["number_precision"]
        assert not [name for name, value in values(slice).items() if value is not None]
        assert "What is the rent?" not in str(told_reasons)

    def test_after_a_finding_that_could_not_be_used_is_undefined(self) -> None:
        def wrong(case: Case) -> list[Finding]:
            return [Finding("number", 0, 99_999, "supported")]

        slice = told(RENT, verifier=Verifier(checks=(*DEFAULT_CHECKS, wrong)))
        assert reasons(slice)["answer_groundedness"] == "a check failed (wrong)"
        assert values(slice)["number_precision"] is None

    def test_cited_sentences_are_not_judged_by_a_check_that_failed_on_them_alone(self) -> None:
        def broken(case: Case) -> Any:
            if len(case.sources.chunks) == 1:
                raise KeyError
            return []

        slice = told("The rent is $900 [1].", verifier=Verifier(checks=(*DEFAULT_CHECKS, broken)))
        assert reasons(slice)["citation_faithfulness"] == "a check failed (broken)"
        assert values(slice)["answer_groundedness"] is not None


class TestFacts:
    def test_counts_what_is_held_of_each_kind(self) -> None:
        docs = ["Ann Lee signed the lease on 4 May 2024 for $900 and 12 months."]
        answer = (
            "Ann Lee and Bob Fisher signed the lease on 4 May 2024 and on 9 May 2024 for $900, not $950 and 12 months."
        )
        found = values(told(answer, docs, question="Who signed?"))
        assert (found["entity_precision"], found["number_precision"], found["date_precision"]) == (0.5, 2 / 3, 0.5)

    def test_leaves_out_an_echo_and_counts_what_is_derived(self) -> None:
        fact = CheckedFact("number", "7", 0, 1, "echo")
        verdict = told(RENT).checked

        def precision(*statuses: Any) -> tuple[float | None, str]:
            facts = [replace(fact, status=status) for status in statuses]
            slice = told(RENT, verdict=replace(verdict, facts=facts))
            return values(slice)["number_precision"], reasons(slice)["number_precision"]

        assert precision("echo") == (None, "the answer tells no number that was checked")
        assert precision("echo", "supported") == (1.0, "1 of 1 held by the chunks")
        assert precision("derived", "unsupported") == (0.5, "1 of 2 held by the chunks")
        assert precision("echo", "unsupported") == (0.0, "0 of 1 held by the chunks")

    @pytest.mark.parametrize(
        ("kind", "name"),
        [
            ("name", "entity_precision"),
            ("term", "entity_precision"),
            ("money", "number_precision"),
            ("percent", "number_precision"),
            ("time", "date_precision"),
            ("relative_date", "date_precision"),
            ("quote", None),
            ("citation", None),
            ("field", None),
        ],
    )
    def test_each_kind_counts_for_one_metric_at_most(self, kind: str, name: str | None) -> None:
        verdict = replace(told(RENT).checked, facts=[CheckedFact(kind, "x", 0, 1, "supported")])
        found = values(told(RENT, verdict=verdict))
        assert [each for each in found if each.endswith("_precision") and found[each] == 1.0] == (
            [name] if name else []
        )


class TestRisk:
    @pytest.mark.parametrize(
        ("parts", "risk"),
        [
            ((1.0, 1.0, 1.0), 0.0),
            ((0.0, 0.0, 0.0), 1.0),
            ((0.5, 1.0, 0.0), 0.4),
            ((0.5, None, None), 0.5),
            ((None, 0.25, None), 0.75),
            ((None, None, 0.25), 0.75),
            ((0.5, 1.0, None), 0.25),
            ((0.4, None, 1.0), 0.4),
            ((None, None, None), None),
        ],
    )
    def test_weighs_the_parts_that_are_defined(self, parts: tuple[float | None, ...], risk: float | None) -> None:
        assert hallucination_risk(*parts) == (risk if risk is None else pytest.approx(risk, abs=1e-12))

    def test_of_a_slice_is_made_of_its_other_scores(self) -> None:
        slice = told(
            "The rent is $900 [1]. A pool is on the roof [2].",
            [Document(RENT, id="a"), Document(PETS, id="b")],
            gold_chunk_ids=["a"],
        )
        found = values(slice)
        parts = [found[name] for name in ("answer_groundedness", "citation_faithfulness", "retrieval_precision")]
        assert None not in parts
        assert found["hallucination_risk"] == hallucination_risk(*parts)
        assert score(slice)[-1].reason == "of answer_groundedness, citation_faithfulness, retrieval_precision"

    @pytest.mark.parametrize(
        "answer", ["", "Yes.", "Die Miete beträgt 900 Euro im Monat, und Hunde sind nicht erlaubt."]
    )
    def test_of_an_answer_that_nobody_judged_is_undefined_however_good_the_retrieval(self, answer: str) -> None:
        slice = told(answer, [Document(RENT, id="a")], gold_chunk_ids=["a"])
        assert values(slice)["retrieval_precision"] == 1.0
        assert score(slice)[-1] == MetricScore(
            "hallucination_risk", None, "nothing of the answer was judged", higher_is_better=False
        )

    @CALM
    @given(st.lists(st.none() | st.floats(0, 1), min_size=3, max_size=3))
    def test_lies_between_0_and_1(self, parts: list[float | None]) -> None:
        risk = hallucination_risk(*parts)
        assert (risk is None) == (parts == [None] * 3)
        if risk is not None:
            given_parts = [part for part in parts if part is not None]
            assert 1 - max(given_parts) - 1e-9 <= risk <= 1 - min(given_parts) + 1e-9
            assert 0 <= risk <= 1


class TestSlice:
    @pytest.mark.parametrize(
        ("parts", "message"),
        [
            ({"question": None}, "question must be a string, not NoneType"),
            ({"answer": b"x"}, "answer must be a string, not bytes"),
            ({"chunks": "x"}, "chunks must be a list of strings or Documents, not str; put the one text into a list"),
            ({"chunks": [None]}, "chunks[0] must be a string or a Document, not NoneType"),
            ({"gold_chunk_ids": "x"}, "gold_chunk_ids must be a list of ids, not str"),
            ({"gold_chunk_ids": 3}, "gold_chunk_ids must be a list of ids, not int"),
            ({"gold_chunk_ids": ["a", 3]}, "gold_chunk_ids[1] must be a string, not int"),
            ({"reference": 3}, "reference must be a string or None, not int"),
            ({"verdict": {}}, "verdict must be a VerifyResult or None, not dict"),
            ({"claims": []}, "claims must be a ClaimsResult or None, not list"),
            ({"verifier": Config()}, "verifier must be a Verifier or None, not Config"),
        ],
    )
    def test_part_of_a_wrong_kind_is_refused_by_its_name(self, parts: dict[str, Any], message: str) -> None:
        with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
            EvalSlice(**{"question": "", "answer": "", **parts})

    def test_two_chunks_of_one_id_are_refused(self) -> None:
        (chunk,) = chunk_corpus([RENT])
        with pytest.raises(ConfigError, match=r"^chunks\[1\] has the id of a chunk before it"):
            told(RENT, [chunk, chunk])

    def test_pays_for_one_verdict_and_the_claims_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        verifier, asked = Verifier(), list[str]()

        def counted(name: str, real: Callable[..., Any]) -> None:
            def count(*args: Any, **options: Any) -> Any:
                asked.append(name)
                return real(*args, **options)

            monkeypatch.setattr(verifier, name, count)

        counted("verify", verifier.verify)
        counted("claims", verifier.claims)
        slice = told(RENT, verifier=verifier)
        first = score(slice)
        assert sorted(asked) == ["claims", "verify"]
        assert score(slice) == first
        assert sorted(asked) == ["claims", "verify"]

    def test_takes_what_is_known_already(self) -> None:
        known = told("The rent is $950 [1].")
        nobody = Verifier()
        nobody.verify = nobody.claims = None  # type: ignore[assignment, method-assign]
        given_slice = told(known.answer, verdict=known.checked, claims=known.judged, verifier=nobody)
        found = values(given_slice)
        assert (found["number_precision"], found["answer_groundedness"]) == (0.0, values(known)["answer_groundedness"])
        assert reasons(given_slice)["citation_faithfulness"] == "the metric failed (TypeError)"

    def test_is_frozen_and_keeps_its_lists(self) -> None:
        chunks, gold = [RENT], ["a"]
        slice = told(RENT, chunks, gold_chunk_ids=gold)
        chunks.append(PETS)
        gold.append("b")
        assert (slice.chunks, slice.gold_chunk_ids) == ((RENT,), ("a",))
        with pytest.raises(AttributeError):
            slice.answer = ""  # type: ignore[misc]


class TestExtraMetrics:
    def test_stand_behind_the_built_in_ones_in_their_order(self) -> None:
        extra = [Given(lambda slice: 0.5, "b"), Given(lambda slice: len(slice.answer) / 100, "a")]
        found = score(told(RENT), extra_metrics=extra)
        assert [each.name for each in found] == [*NAMES, "b", "a"]
        assert [each.value for each in found][-2:] == [0.5, 0.25]
        assert found[:-2] == score(told(RENT))

    @pytest.mark.parametrize(
        ("act", "why"),
        [
            (lambda slice: 1 / 0, "the metric failed (ZeroDivisionError)"),
            (lambda slice: exit(), "the metric failed (SystemExit)"),
            (lambda slice: float("nan"), "the metric gave NaN"),
            (lambda slice: np.float32("nan"), "the metric gave NaN"),
            (lambda slice: math.inf, "the metric gave a number outside of 0 to 1"),
            (lambda slice: 1.0000001, "the metric gave a number outside of 0 to 1"),
            (lambda slice: -0.1, "the metric gave a number outside of 0 to 1"),
            (lambda slice: True, "the metric gave bool, no number"),
            (lambda slice: "0.5", "the metric gave str, no number"),
            (lambda slice: [0.5], "the metric gave list, no number"),
            (lambda slice: Decimal("0.5"), "the metric gave Decimal, no number"),
            (lambda slice: None, "the metric says that it is undefined"),
        ],
    )
    def test_that_fail_are_undefined_and_lose_nothing(self, act: Callable[[EvalSlice], Any], why: str) -> None:
        found = score(told(RENT), extra_metrics=[Given(act, "bad"), Given(lambda slice: 1, "good")])
        assert [(each.name, each.value, each.reason) for each in found[-2:]] == [("bad", None, why), ("good", 1.0, "")]
        assert found[:-2] == score(told(RENT))

    @pytest.mark.parametrize("number", [0, 1, 0.5, np.float64(0.5), np.float32(0.5), np.int64(1), Fraction(1, 2)])
    def test_may_give_any_real_number(self, number: Any) -> None:
        (found,) = score(told(RENT), metrics=[Given(lambda slice: number)])
        assert (found.value, type(found.value)) == (float(number), float)

    def test_that_are_async_are_undefined_and_leave_nothing_unawaited(self) -> None:
        async def later(slice: EvalSlice) -> float:
            return 0.5

        (found,) = score(told(RENT), metrics=[Given(later)])
        assert (found.value, found.reason) == (None, "the metric gave coroutine, no number")

    def test_may_say_why_they_are_undefined(self) -> None:
        def act(slice: EvalSlice) -> float:
            raise UndefinedScoreError("the tone was not measured")

        (found,) = score(told(RENT), metrics=[Given(act)])
        assert (found.value, found.reason) == (None, "the tone was not measured")
        assert issubclass(UndefinedScoreError, RaguardError)

    @pytest.mark.parametrize("name", [None, "", 3])
    def test_without_a_name_are_called_by_their_type(self, name: Any) -> None:
        assert [each.name for each in score(told(RENT), metrics=[Given(lambda slice: 1, name)])] == ["Given"]

    def test_whose_parts_raise_are_undefined(self) -> None:
        class Sly:
            @property
            def name(self) -> str:
                raise RuntimeError

            @property
            def higher_is_better(self) -> bool:
                raise OSError

            def score(self, slice: EvalSlice) -> float:
                return 1.0

        (found,) = score(told(RENT), metrics=[Sly()])
        assert found == MetricScore("Sly", None, "the metric failed (OSError)")

    def test_of_one_name_are_told_apart(self) -> None:
        twice = [Given(lambda slice: 0.25), Given(lambda slice: 0.5), Given(lambda slice: 0.75, "retrieval_recall")]
        found = score(told(RENT), extra_metrics=twice)
        assert [each.name for each in found[-3:]] == ["given", "given (2)", "retrieval_recall (2)"]

    def test_say_which_way_is_better(self) -> None:
        worse = Given(lambda slice: 0.5)
        worse.higher_is_better = False  # type: ignore[attr-defined]
        found = score(told(RENT), metrics=[worse, Given(lambda slice: 0.5)])
        assert [each.higher_is_better for each in found] == [False, True]
        assert [each.name for each in score(told(RENT)) if not each.higher_is_better] == ["hallucination_risk"]

    @pytest.mark.parametrize(
        ("metrics", "message"),
        [
            ([object()], "extra_metrics[0] must be an object with score(EvalSlice), not object"),
            ([Given], "extra_metrics[0] must be an object with score(EvalSlice), not the class Given"),
            ("tone", "extra_metrics must be a list of metrics, not str"),
            (3, "extra_metrics must be a list of metrics, not int"),
        ],
    )
    def test_that_are_none_are_refused(self, metrics: Any, message: str) -> None:
        with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
            score(told(RENT), extra_metrics=metrics)
        with pytest.raises(ConfigError, match=r"^slice must be an EvalSlice, not str$"):
            score("x")  # type: ignore[arg-type]

    def test_interrupt_goes_through(self) -> None:
        def interrupt(slice: EvalSlice) -> float:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            score(told(RENT), metrics=[Given(interrupt)])


def test_built_in_metrics_are_metrics_with_the_names_of_the_issue() -> None:
    assert NAMES == [
        "retrieval_precision",
        "retrieval_recall",
        "citation_faithfulness",
        "answer_groundedness",
        "entity_precision",
        "number_precision",
        "date_precision",
        "hallucination_risk",
    ]
    slice = told("The rent is $900 [1].", gold_chunk_ids=["x"])
    metrics: Sequence[Metric] = METRICS
    assert [metric.score(slice) for metric in metrics] == [each.value for each in score(slice)]


SENTENCE = "The rent is $900 a month . [1] [2] [9] dogs not allowed on 4 May 2024 Ann Lee ? - passage 2"
WORDS = st.sampled_from([*SENTENCE.split(), "\n"])


@CALM
@given(st.lists(WORDS, max_size=25).map(" ".join), st.lists(st.lists(WORDS, max_size=12).map(" ".join), max_size=3))
def test_scores_are_the_same_again_and_within_their_range(answer: str, chunks: list[str]) -> None:
    found = score(told(answer, chunks, gold_chunk_ids=["a"]))
    assert found == score(told(answer, chunks, gold_chunk_ids=["a"]))
    for each in found:
        assert each.value is None or 0 <= each.value <= 1
        assert each.reason


def test_threads_give_what_one_thread_gives() -> None:
    answers = [f"The rent is ${900 + number} [{number % 3}]. Dogs are not allowed [2]." for number in range(16)]
    alone = [score(told(answer)) for answer in answers]
    shared = told(answers[3])
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda answer: score(told(answer)), answers)) == alone
        assert list(threads.map(lambda _: score(shared), range(8))) == [alone[3]] * 8


def test_importing_the_package_alone_loads_nothing_of_it() -> None:
    ask = "import raguard.metrics, sys; print(*sorted(name for name in sys.modules if name.startswith('raguard')))"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["raguard", "raguard.lazy", "raguard.metrics"]


@pytest.mark.parametrize("text", ["", " ", "\ud800", "\x00", "([" * 200, "٣" * 50, "[1]" * 300, "{", "\u202e[1]"])
def test_odd_text_is_scored_without_an_exception(text: str) -> None:
    for slice in (told(text), told(RENT, [text, RENT]), told(RENT, question=text)):
        assert len(score(slice)) == len(METRICS)


def test_claims_with_gaps_of_no_weight_are_judged() -> None:
    known = told(RENT).judged
    harmless = ClaimsResult(known.claims, (Unchecked("JSON", "an object inside prose is an example and no claim"),))
    assert values(told(RENT, claims=harmless))["answer_groundedness"] == values(told(RENT))["answer_groundedness"]
    gap = ClaimsResult(known.claims, (Unchecked("claims", "span 3 is no part of the answer"),))
    assert values(told(RENT, claims=gap))["answer_groundedness"] is None


CODE, JSON = "```\nrent = 950\n```", '{"rent": 950, "pets": "yes"}'


@pytest.mark.parametrize(
    ("answer", "config", "what"),
    [
        (f"The rent is $900 a month [1].\n{CODE}", Config(), "; not wholly checked: code"),
        (f"The rent is $900 a month [1]. {JSON}", Config(), "; not wholly checked: JSON"),
        (f"The rent is $900 a month [1]. {JSON}\n{CODE}", Config(), "; not wholly checked: code, JSON"),
        (
            "The rent is $900 a month [1].",
            Config(oversize="truncate", max_document_chars=40),
            "; not wholly checked: documents",
        ),
        (
            "The rent is $900 a month [1].",
            Config(oversize="truncate", max_documents=1),
            "; not wholly checked: documents",
        ),
        ("The rent is $900 a month [1].", Config(), ""),
        ("The rent is $900 a month [1].", Config(checks=("unsupported_values", "unsupported_claims")), ""),
    ],
)
def test_what_is_left_out_beside_what_was_judged_is_told(answer: str, config: Config, what: str) -> None:
    scored = {each.name: each for each in score(told(answer, verifier=Verifier(config)))}
    ground = scored["answer_groundedness"]
    assert ground.value is not None
    assert ground.value > 0.9
    assert re.fullmatch(rf"0 of 1 claims likely unsupported, the likeliest by 0\.\d\d{re.escape(what)}", ground.reason)
    assert scored["citation_faithfulness"].reason == f"1 of 1 citing sentences carried by what they cite{what}"
    assert scored["number_precision"].reason == f"1 of 1 held by the chunks{what}"
    assert scored["date_precision"].reason == "the answer tells no date or time that was checked"


def test_an_answer_of_which_nothing_was_read_has_no_score() -> None:
    why = "all of the answer is fenced code"
    known = told(RENT)
    gap = Unchecked("everything", why)
    unread = told(
        RENT,
        verdict=replace(known.checked, unchecked=[gap]),
        claims=replace(known.judged, unchecked=(gap,)),
    )
    assert {name: value for name, value in values(unread).items() if value is not None} == {}
    for name in (
        "answer_groundedness",
        "citation_faithfulness",
        "entity_precision",
        "number_precision",
        "date_precision",
    ):
        assert reasons(unread)[name] == why
    skipped = told(RENT, verdict=Verifier().skip("the mode is off"))
    assert reasons(skipped)["number_precision"] == "the mode is off"
    code = told(CODE)
    assert [values(code)[name] for name in ("answer_groundedness", "number_precision", "hallucination_risk")] == [
        None
    ] * 3


def test_the_place_of_a_leaf_names_no_key_of_the_answer() -> None:
    found = reasons(told('{"rent": "$900", "is_our_secret": true}'))["number_precision"]
    assert found == "1 of 1 held by the chunks; not wholly checked: a leaf"


@pytest.mark.parametrize(
    "unread", ["宠物可以免费入住 [1]。", "Домашние животные разрешены [1].", "الحيوانات مسموح بها [1]."]
)
def test_sentence_in_another_script_makes_its_answer_undefined(unread: str) -> None:
    slice = told(f"The rent is $900 a month, and it is due on the first day of the month [1]. {unread}")
    found = values(slice)
    assert (found["answer_groundedness"], found["citation_faithfulness"], found["hallucination_risk"]) == (None,) * 3
    assert reasons(slice)["answer_groundedness"] in {
        "a sentence is in a script that is not read",
        "sentences are weighed as a whole in English alone",
    }


def test_answer_of_nothing_but_citing_lines_is_scored_in_time_that_grows_with_it() -> None:
    """Each citation looked up in every line would be 100 million looks."""
    assert citation_faithfulness("[^1]: x\n" * 10_000, ROOMS) is None


def test_name_in_another_script_leaves_its_answer_defined() -> None:
    found = values(told("The rent (家賃) is $900 a month [1].", ["The rent (家賃) is $900 a month."]))
    assert found["citation_faithfulness"] == 1.0
    assert found["answer_groundedness"] is not None


def test_chunks_of_a_corpus_are_scored_by_their_text() -> None:
    chunk = CorpusChunk("house.md::chunk-3::00000000", RENT, 0, "house.md", 0, len(RENT))
    found = values(told(RENT, [chunk], gold_chunk_ids=[chunk.id]))
    assert (found["retrieval_precision"], found["number_precision"]) == (1.0, 1.0)


def test_public_names_are_all_there() -> None:
    assert [name for name in metrics.__all__ if not hasattr(metrics, name)] == []
    assert set(metrics.__all__) <= set(dir(metrics))
    with pytest.raises(AttributeError, match=r"^module 'raguard.metrics' has no attribute 'tone'$"):
        _ = metrics.tone
