"""Does a wrapped function show what the verdict allows, and never an unchecked answer?"""

from __future__ import annotations

import asyncio
import doctest
import inspect
import sys
from pathlib import Path
from typing import Any

import pytest

from raguard import Config, ConfigError, Document, Ruleset, Summary, Verifier, VerifyResult, Warning
from raguard.hook import NOTICE, Guarded, guarded
from raguard.result import Action, Severity

ROOT = Path(__file__).parent.parent
DOCS = ["Q2 project was delivered on June 15. Next milestone is Q4 planning."]
WRONG = "The Q2 project was delivered on September 30, 2024."
RIGHT = "The Q2 project was delivered on June 15."


class Scripted:
    """A verifier that gives a prepared verdict and keeps what it was asked."""

    def __init__(self, answer: str, *spans: tuple[str, Severity]) -> None:
        self.asked: list[tuple[str, Any, Any, str]] = []
        found = [
            Warning(
                severity,
                "unsupported_date",
                text,
                f"{text} is not there.",
                at,
                at + len(text),
                "date.unsupported",
            )
            for text, severity in spans
            for at in [answer.index(text)]
        ]
        high = sum(warning.severity == "high" for warning in found)
        action: Action = "review" if high else "proceed"
        self.verdict = VerifyResult(action, found, Summary(high=high), [], [], Ruleset("0", "0" * 64))

    def verify(self, query: Any, docs: Any, response: str) -> VerifyResult:
        self.asked.append(("verify", query, docs, response))
        return self.verdict

    async def averify(self, query: Any, docs: Any, response: str) -> VerifyResult:
        self.asked.append(("averify", query, docs, response))
        return self.verdict


def wrong(query: str) -> tuple[str, list[str]]:
    """Answers wrongly."""
    return WRONG, DOCS


def right(query: str) -> tuple[str, list[str]]:
    return RIGHT, DOCS


def test_a_supported_answer_is_shown_as_it_is() -> None:
    result = guarded(right, on_review="block")("When was it delivered?")
    assert (result.answer, result.original, result.verdict.action) == (RIGHT, RIGHT, "proceed")


def test_annotate_labels_the_unsupported_span() -> None:
    result = guarded(wrong)("When was Q2 delivered?")
    assert result.answer == "The Q2 project was delivered on September 30, 2024 [unsupported]."
    assert result.original == WRONG
    assert [warning.text for warning in result.verdict.warnings] == ["September 30, 2024"]


def test_annotate_labels_high_spans_only_and_each_once() -> None:
    answer = "From May 4 to May 9, studies show, on May 4"
    verifier: Any = Scripted(answer, ("May 9", "high"), ("studies show", "medium"), ("May 4", "high"), ("4", "high"))
    result = guarded(lambda query: (answer, DOCS), verifier=verifier)("?")
    assert result.answer == "From May 4 [unsupported] to May 9 [unsupported], studies show, on May 4"


def test_annotate_labels_a_span_at_the_very_end() -> None:
    verifier: Any = Scripted("On May 9", ("May 9", "high"))
    assert guarded(lambda query: ("On May 9", DOCS), verifier=verifier)("?").answer == "On May 9 [unsupported]"


def test_annotate_says_what_was_not_checked() -> None:
    result = guarded(lambda query: (RIGHT, []))("When was it delivered?")
    assert result.verdict.action == "review"
    assert result.answer == f"{RIGHT}\n\n[not checked: {result.verdict.warnings[0].suggestion}]"


def test_block_shows_the_notice_in_place_of_the_answer() -> None:
    assert guarded(wrong, on_review="block")("?").answer == NOTICE
    result = guarded(wrong, on_review="block", notice="Ask a colleague.")("?")
    assert (result.answer, result.original) == ("Ask a colleague.", WRONG)


def test_a_callable_gets_answer_and_verdict_and_its_text_is_shown() -> None:
    seen: list[tuple[str, VerifyResult]] = []

    def rewrite(answer: str, verdict: VerifyResult) -> str:
        seen.append((answer, verdict))
        return "I do not know."

    result = guarded(wrong, on_review=rewrite)("?")
    assert (result.answer, result.original) == ("I do not know.", WRONG)
    assert seen == [(WRONG, result.verdict)]


def test_a_callable_is_not_asked_about_a_supported_answer() -> None:
    def refuse(answer: str, verdict: VerifyResult) -> str:
        raise AssertionError

    assert guarded(right, on_review=refuse)("?").answer == RIGHT


def test_what_the_callable_raises_goes_on_to_the_caller() -> None:
    def broken(answer: str, verdict: VerifyResult) -> str:
        raise LookupError("no template")

    with pytest.raises(LookupError, match="no template"):
        guarded(wrong, on_review=broken)("?")


def test_a_callable_that_returns_no_string_is_an_error() -> None:
    with pytest.raises(TypeError, match="on_review must return the text to show as a string, not NoneType"):
        guarded(wrong, on_review=lambda answer, verdict: None)("?")  # type: ignore[arg-type,return-value]


def test_what_the_function_raises_goes_on_to_the_caller() -> None:
    def broken(query: str) -> tuple[str, list[str]]:
        raise ConnectionError("model is down")

    with pytest.raises(ConnectionError, match="model is down"):
        guarded(broken)("?")


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("only the answer", r"must return a pair \(answer, docs\), not str"),
        (None, r"must return a pair \(answer, docs\), not NoneType"),
        (("answer",), r"must return a pair \(answer, docs\), not tuple of 1"),
        (("answer", DOCS, 1), r"must return a pair \(answer, docs\), not tuple of 3"),
        ((None, DOCS), "must return a string as answer, not NoneType"),
        ((b"answer", DOCS), "must return a string as answer, not bytes"),
    ],
)
def test_a_wrong_return_value_is_a_clear_error(returned: Any, message: str) -> None:
    def odd(query: str) -> Any:
        return returned

    with pytest.raises(TypeError, match=message):
        guarded(odd)("?")


def test_a_plain_function_that_returns_a_coroutine_is_a_clear_error() -> None:
    async def late(query: str) -> tuple[str, list[str]]:
        return RIGHT, DOCS

    with pytest.raises(TypeError, match="returned a coroutine; declare it with async def"):
        guarded(lambda query: late(query))("?")  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize("docs", [None, "one string", [None], 7])
def test_unusable_documents_need_review(docs: Any) -> None:
    result = guarded(lambda query: (RIGHT, docs), on_review="block")("?")
    assert result.answer == NOTICE
    assert {warning.type for warning in result.verdict.warnings} == {"input_error"}


def test_an_async_function_is_checked_without_blocking_the_loop() -> None:
    verifier: Any = Scripted(WRONG, ("September 30, 2024", "high"))

    async def answer(query: str) -> tuple[str, list[str]]:
        return WRONG, DOCS

    checked = guarded(answer, verifier=verifier)
    assert inspect.iscoroutinefunction(checked)
    result = asyncio.run(checked("When?"))  # type: ignore[arg-type]
    assert result == Guarded(
        "The Q2 project was delivered on September 30, 2024 [unsupported].", verifier.verdict, WRONG
    )
    assert verifier.asked == [("averify", "When?", DOCS, WRONG)]


def test_an_async_function_gets_a_real_verdict() -> None:
    async def answer(query: str) -> tuple[str, list[str]]:
        return WRONG, DOCS

    result = asyncio.run(guarded(answer, on_review="block")("When?"))  # type: ignore[arg-type]
    assert result.answer == NOTICE


def test_an_object_with_an_async_call_is_async() -> None:
    class Answerer:
        async def __call__(self, query: str) -> tuple[str, list[str]]:
            return RIGHT, DOCS

    assert asyncio.run(guarded(Answerer())("When?")).answer == RIGHT  # type: ignore[arg-type]


def test_the_question_is_the_argument_query_or_the_first_one() -> None:
    verifier: Any = Scripted(RIGHT)

    class Service:
        def answer(self, query: str, *, top: int = 3) -> tuple[str, list[str]]:
            return RIGHT, DOCS[:top]

        checked = guarded(answer, verifier=verifier)  # type: ignore[arg-type]

    def other(question: str, *, top: int = 3) -> tuple[str, list[str]]:
        return RIGHT, DOCS[:top]

    Service().checked("one")  # type: ignore[call-arg,arg-type]
    guarded(Service().answer, verifier=verifier)(query="two", top=1)  # type: ignore[call-arg]
    guarded(other, verifier=verifier)("three", top=1)
    guarded(other, verifier=verifier)(top=1, question="four")  # type: ignore[call-arg]
    assert [query for _, query, _, _ in verifier.asked] == ["one", "two", "three", "four"]


def test_a_call_that_does_not_fit_is_the_functions_own_error() -> None:
    with pytest.raises(TypeError, match="too many positional arguments"):
        guarded(wrong)("one", "two")  # type: ignore[call-arg]


def test_documents_keep_their_ids() -> None:
    result = guarded(lambda query: (WRONG, [Document(DOCS[0], id="status.md")]))("?")
    evidence = result.verdict.warnings[0].evidence
    assert evidence is not None
    assert evidence.doc_id == "status.md"


def test_the_wrapper_carries_name_and_docstring() -> None:
    assert (guarded(wrong).__name__, guarded(wrong).__doc__) == ("wrong", "Answers wrongly.")


def test_the_config_is_followed() -> None:
    allowed = Config(allow=("September 30, 2024",))
    assert guarded(wrong, config=allowed)("?").answer == WRONG


def test_a_bad_option_is_refused_when_the_function_is_wrapped() -> None:
    with pytest.raises(ConfigError, match='on_review must be "annotate", "block" or a callable, not \'warn\''):
        guarded(wrong, on_review="warn")  # type: ignore[call-overload]
    with pytest.raises(ConfigError, match="config must be left out when verifier is given"):
        guarded(wrong, verifier=Verifier(), config=Config())


def test_the_documentation_of_the_hook_is_true() -> None:
    path = ROOT / "docs" / "hook.md"
    assert doctest.testfile(str(path), module_relative=False).failed == 0
    route = (ROOT / "examples" / "fastapi_route.py").read_text(encoding="utf-8")
    shown = path.read_text(encoding="utf-8").rpartition("```python\n")[2].partition("```")[0]
    assert shown in route


def test_the_fastapi_route_shows_checked_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fastapi")
    from fastapi.testclient import TestClient

    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    monkeypatch.delitem(sys.modules, "fastapi_route", raising=False)
    import fastapi_route  # type: ignore[import-not-found]

    client = TestClient(fastapi_route.app)
    flagged = client.get("/ask", params={"query": "What is the Q3 2024 deadline?"}).json()
    assert flagged["answer"] == "The Q3 2024 deadline is September 30, 2024 [unsupported]."
    assert flagged["action"] == "review"
    assert flagged["warnings"][0].startswith('"September 30, 2024" not found in retrieved documents.')
    clean = client.get("/ask", params={"query": "When was Q2 delivered?"}).json()
    assert clean == {"answer": RIGHT, "action": "proceed", "warnings": []}
