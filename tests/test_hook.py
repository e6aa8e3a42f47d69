"""Does a wrapped function show what the verdict allows, and never an unchecked answer?"""

from __future__ import annotations

import asyncio
import doctest
import inspect
from collections.abc import Iterator
from pathlib import Path
from threading import get_ident
from typing import Any

import pytest

from raguard import Config, ConfigError, Document, Ruleset, Summary, Verifier, VerifyResult, Warning
from raguard.hook import NOTICE, Guarded, guarded
from raguard.result import Action, Severity

ROOT = Path(__file__).parent.parent
DOCS = ["Q2 project was delivered on June 15. Next milestone is Q4 planning."]
WRONG = "The Q2 project was delivered on September 30, 2024."
RIGHT = "The Q2 project was delivered on June 15."


class Scripted(Verifier):
    """A verifier that gives a prepared verdict and keeps what it was asked."""

    def __init__(self, answer: str, *spans: tuple[str, Severity]) -> None:
        self.config = Config()
        self.asked: list[tuple[str, Any, Any, str]] = []
        self.threads: list[int] = []
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

    def verify(self, query: Any, docs: Any, response: str, *, lang: str = "auto", history: Any = None) -> VerifyResult:
        self.asked.append(("verify", query, docs, response))
        self.threads.append(get_ident())
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
    verifier = Scripted(answer, ("May 9", "high"), ("studies show", "medium"), ("May 4", "high"), ("4", "high"))
    result = guarded(lambda query: (answer, DOCS), verifier=verifier)("?")
    assert result.answer == "From May 4 [unsupported] to May 9 [unsupported], studies show, on May 4"


def test_annotate_labels_a_span_at_the_very_end() -> None:
    verifier = Scripted("On May 9", ("May 9", "high"))
    assert guarded(lambda query: ("On May 9", DOCS), verifier=verifier)("?").answer == "On May 9 [unsupported]"


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("Run `acme 2.11` now", "Run `acme 2.11` [unsupported] now"),
        ("Run ``a ` 2.11 b`` now", "Run ``a ` 2.11 b`` [unsupported] now"),
        ("See [the notes](https://x.io/2.11/a) now", "See [the notes](https://x.io/2.11/a) [unsupported] now"),
        ("See [of 2.11, all](https://x.io) now", "See [of 2.11, all](https://x.io) [unsupported] now"),
        ("See [x](/a_(2.11)_b) now", "See [x](/a_(2.11)_b) [unsupported] now"),
        ("![in 2.11 so](a.png)", "![in 2.11 so](a.png) [unsupported]"),
        ("[in 2.11 so][1], yes", "[in 2.11 so][1] [unsupported], yes"),
        ("[![2.11](a.png)](b), yes", "[![2.11](a.png) [unsupported]](b), yes"),
        ("At https://x.io/2.11/a?b=c. So", "At https://x.io/2.11/a?b=c [unsupported]. So"),
        ("(www.x.io/a_(2.11)_b)", "(www.x.io/a_(2.11)_b [unsupported])"),
        ("**https://x.io/2.11/a**", "**https://x.io/2.11/a [unsupported]**"),
        ("<https://x.io/2.11/a>, yes", "<https://x.io/2.11/a> [unsupported], yes"),
        ('<a href="https://x.io/2.11">x</a>', '<a href="https://x.io/2.11"> [unsupported]x</a>'),
        ("In 2.11(beta)", "In 2.11 [unsupported] (beta)"),
        ("In 2.11[3]", "In 2.11 [unsupported] [3]"),
        ("**In 2.11**, 3 < 4 > 2", "**In 2.11 [unsupported]**, 3 < 4 > 2"),
        ("the `first' and 2.11,\nthe `second'", "the `first' and 2.11 [unsupported],\nthe `second'"),
    ],
)
def test_annotate_keeps_markup_whole(answer: str, shown: str) -> None:
    verifier = Scripted(answer, ("2.11", "high"))
    assert guarded(lambda query: (answer, DOCS), verifier=verifier)("?").answer == shown


def test_annotate_labels_markup_with_two_spans_once() -> None:
    answer = "See [May 4 or May 9](https://x.io), and May 5."
    verifier = Scripted(answer, ("May 4", "high"), ("May 9", "high"), ("May 5", "high"))
    shown = guarded(lambda query: (answer, DOCS), verifier=verifier)("?").answer
    assert shown == "See [May 4 or May 9](https://x.io) [unsupported], and May 5 [unsupported]."


@pytest.mark.parametrize("piece", ["[a](", "](", "`a``", "`" * 9 + "b", "<a", "http://(", "www...", "![x][", "[(" * 5])
def test_annotate_is_linear_in_hostile_markup(piece: str) -> None:
    answer = "On May 9 " + piece * (100_000 // len(piece))
    verifier = Scripted(answer, ("May 9", "high"))
    assert guarded(lambda query: (answer, DOCS), verifier=verifier)("?").answer.startswith("On May 9 [unsupported]")


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
    def nothing(answer: str, verdict: VerifyResult) -> Any:
        return None

    with pytest.raises(TypeError, match="on_review must return the text to show as a string, not NoneType"):
        guarded(wrong, on_review=nothing)("?")


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
        (["answer", DOCS, 1], r"must return a pair \(answer, docs\), not list of 3"),
        ("ab", r"must return a pair \(answer, docs\), not str"),
        (("answer", "one string"), "must return its documents as a list, not str"),
        (("answer", None), "must return its documents as a list, not NoneType"),
        (("answer", {"text": "x"}), "must return its documents as a list, not dict"),
        (("answer", [*DOCS, {"text": "x"}]), "must return strings or Documents; document 2 is dict"),
        (("answer", [None]), "must return strings or Documents; document 1 is NoneType"),
    ],
)
def test_a_wrong_return_value_is_a_clear_error(returned: tuple[str, list[str]], message: str) -> None:
    def odd(query: str) -> tuple[str, list[str]]:
        return returned

    with pytest.raises(TypeError, match=message):
        guarded(odd)("?")


def test_a_plain_function_that_returns_a_coroutine_is_a_clear_error() -> None:
    async def late(query: str) -> Any:
        return RIGHT, DOCS

    def plain(query: str) -> Any:
        return late(query)

    checked: Any = guarded(plain)
    with pytest.raises(TypeError, match="returned a coroutine; declare it with async def"):
        checked("?")


def test_a_list_of_answer_and_documents_is_a_pair_too() -> None:
    def listed(query: str) -> Any:
        return [RIGHT, tuple(DOCS)]

    checked: Any = guarded(listed)
    assert checked("When was it delivered?").answer == RIGHT


def test_an_async_function_is_checked_without_blocking_the_loop() -> None:
    verifier = Scripted(WRONG, ("September 30, 2024", "high"))

    async def answer(query: str) -> tuple[str, list[str]]:
        return WRONG, DOCS

    checked = guarded(answer, verifier=verifier)
    assert inspect.iscoroutinefunction(checked)
    result = asyncio.run(checked("When?"))
    assert result == Guarded(
        "The Q2 project was delivered on September 30, 2024 [unsupported].", verifier.verdict, WRONG
    )
    assert verifier.asked == [("verify", "When?", DOCS, WRONG)]
    assert get_ident() not in verifier.threads


def test_an_async_function_gets_a_real_verdict() -> None:
    async def answer(query: str) -> tuple[str, list[str]]:
        return WRONG, DOCS

    result = asyncio.run(guarded(answer, on_review="block")("When?"))
    assert result.answer == NOTICE


def test_an_object_with_an_async_call_is_async() -> None:
    class Answerer:
        async def __call__(self, query: str) -> tuple[str, list[str]]:
            return RIGHT, DOCS

    assert asyncio.run(guarded(Answerer())("When?")).answer == RIGHT


def test_the_question_is_the_argument_of_a_known_name_or_the_only_one() -> None:
    verifier = Scripted(RIGHT)

    def plain(question: str, *, top: int = 3) -> tuple[str, list[str]]:
        return RIGHT, DOCS[:top]

    def later(top: int, query: str = "the default") -> tuple[str, list[str]]:
        return RIGHT, DOCS[:top]

    def beside(user: str, text: str, prompt: str) -> tuple[str, list[str]]:
        return RIGHT, DOCS

    def only(wish: str, *rest: str, **more: str) -> tuple[str, list[str]]:
        return RIGHT, DOCS

    guarded(plain, verifier=verifier)("one", top=1)
    guarded(plain, verifier=verifier)(top=1, question="two")
    guarded(later, verifier=verifier)(1, "three")
    guarded(later, verifier=verifier)(1)
    guarded(beside, verifier=verifier)("ann", "a text", "four")
    guarded(only, verifier=verifier)("five", "six", query="seven")
    assert [query for _, query, _, _ in verifier.asked] == ["one", "two", "three", "the default", "four", "five"]


def test_the_option_query_names_the_argument_that_holds_the_question() -> None:
    verifier = Scripted(RIGHT)

    def topical(user: str, topic: str, query: str = "select") -> tuple[str, list[str]]:
        return RIGHT, DOCS

    def loose(*args: str, **kwargs: str) -> tuple[str, list[str]]:
        return RIGHT, DOCS

    guarded(topical, query="topic", verifier=verifier)("ann", "one")
    guarded(loose, query="topic", verifier=verifier)("ann", topic="two")
    assert [query for _, query, _, _ in verifier.asked] == ["one", "two"]
    with pytest.raises(TypeError, match=r"loose was called without topic, which holds the question"):
        guarded(loose, query="topic", verifier=verifier)("ann")
    with pytest.raises(TypeError, match=r"topical has no argument subject, which the option query names$"):
        guarded(topical, query="subject")


@pytest.mark.parametrize(
    ("fn", "taken"),
    [
        (lambda user, topic: (RIGHT, DOCS), "it takes user, topic"),
        (lambda *query: (RIGHT, DOCS), "it takes none by name"),
        (lambda **query: (RIGHT, DOCS), "it takes none by name"),
        (lambda: (RIGHT, DOCS), "it takes none by name"),
    ],
)
def test_a_function_whose_question_is_not_known_is_refused_when_it_is_wrapped(fn: Any, taken: str) -> None:
    with pytest.raises(TypeError) as caught:
        guarded(fn)
    assert str(caught.value).endswith(
        f'must take the question as an argument; {taken}; say which one it is with guarded(query="...")'
    )


def test_a_function_without_a_readable_signature_is_refused_when_it_is_wrapped() -> None:
    with pytest.raises(
        TypeError, match=r"^the arguments of max cannot be looked up; call it from a function of your own$"
    ):
        guarded(max)  # type: ignore[call-overload]


def test_the_question_of_a_method_is_found() -> None:
    verifier = Scripted(RIGHT)

    class Service:
        @guarded(verifier=verifier)
        def answer(self, question: str, *, top: int = 3) -> tuple[str, list[str]]:
            return RIGHT, DOCS[:top]

        @classmethod
        @guarded(verifier=verifier)
        def of_all(cls, question: str) -> tuple[str, list[str]]:
            return RIGHT, DOCS

        @guarded(verifier=verifier)
        def named(self, top: int, query: str) -> tuple[str, list[str]]:
            return RIGHT, DOCS[:top]

        def bare(self, question: str) -> tuple[str, list[str]]:
            return RIGHT, DOCS

    Service().answer("one", top=1)
    Service().answer(top=1, question="two")
    Service.of_all("three")
    Service().named(1, "four")
    guarded(Service().bare, verifier=verifier)("five")
    assert [query for _, query, _, _ in verifier.asked] == ["one", "two", "three", "four", "five"]


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"on_review": "warn"}, 'on_review must be "annotate", "redact", "block" or a callable, not \'warn\''),
        ({"query": 3}, "query must be the name of the argument that holds the question, not 3"),
        ({"notice": 3}, "notice must be the text to show as a string, not int"),
        ({"config": {"date_order": "dmy"}}, "config must be a Config, not dict"),
        ({"verifier": Config()}, "verifier must be a Verifier, not Config"),
        ({"verifier": Verifier(), "config": Config()}, "config must be left out when verifier is given"),
    ],
)
def test_a_bad_option_is_refused_when_the_function_is_wrapped(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        guarded(wrong, **options)
    with pytest.raises(ConfigError, match=message):
        guarded(**options)


def test_what_cannot_answer_a_question_is_refused_when_it_is_wrapped() -> None:
    with pytest.raises(TypeError, match="guarded must wrap the function that answers, not int"):
        guarded(5)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="guarded must wrap the function that answers, not str"):
        guarded(on_review="block")("annotate")  # type: ignore[call-overload]


def test_what_is_redacted_keeps_the_rest() -> None:
    def answer(query: str) -> tuple[str, list[str]]:
        return f"{RIGHT} {WRONG}", DOCS

    assert guarded(answer, on_review="redact")("When?").answer == f"{RIGHT} (unsupported text removed)"
    assert guarded(lambda query: (RIGHT, DOCS), on_review="redact")("When?").answer == RIGHT


def test_options_make_a_decorator() -> None:
    @guarded(on_review="block", notice="Ask a colleague.")
    def answer(query: str) -> tuple[str, list[str]]:
        """Answers wrongly."""
        return WRONG, DOCS

    @guarded()
    async def later(query: str) -> tuple[str, list[str]]:
        return RIGHT, DOCS

    assert answer("When?").answer == "Ask a colleague."
    assert (answer.__name__, answer.__doc__) == ("answer", "Answers wrongly.")
    assert asyncio.run(later("When was it delivered?")).answer == RIGHT


def test_an_async_callable_is_awaited_for_an_async_function() -> None:
    async def rewrite(answer: str, verdict: VerifyResult) -> str:
        return f"I do not know about {verdict.warnings[0].text}."

    async def nothing(answer: str, verdict: VerifyResult) -> Any:
        return None

    async def answer(query: str) -> tuple[str, list[str]]:
        return WRONG, DOCS

    result = asyncio.run(guarded(answer, on_review=rewrite)("When?"))
    assert result.answer == "I do not know about September 30, 2024."
    with pytest.raises(TypeError, match="on_review must return the text to show as a string, not NoneType"):
        asyncio.run(guarded(answer, on_review=nothing)("When?"))


def test_an_async_callable_is_refused_for_a_plain_function() -> None:
    async def rewrite(answer: str, verdict: VerifyResult) -> str:
        return "I do not know."

    with pytest.raises(TypeError, match="on_review is async and wrong is not; give a plain function, or declare both"):
        guarded(wrong, on_review=rewrite)  # type: ignore[arg-type]

    def hidden(answer: str, verdict: VerifyResult) -> Any:
        return rewrite(answer, verdict)

    with pytest.raises(TypeError, match="on_review returned a coroutine; it can only be awaited when the wrapped"):
        guarded(wrong, on_review=hidden)("?")


def test_the_documentation_of_the_hook_is_true() -> None:
    path = ROOT / "docs" / "hook.md"
    assert doctest.testfile(str(path), module_relative=False).failed == 0


def test_label_never_breaks_an_answer_that_is_json() -> None:
    """Of a JSON answer that needs review the notice is shown, which is text and no broken JSON."""
    checked = guarded(lambda query: ('{"price": 5}', ["price: 4"]), notice="Ask a colleague.")
    assert checked("How much?").answer == "Ask a colleague."


def test_history_option_hands_on_the_turns_before() -> None:
    """What a tool returned earlier is evidence, when the option names the argument that holds it."""

    def answer(query: str, turns: list[dict[str, str]]) -> tuple[str, list[str]]:
        return "It arrives on 4 May 2024.", ["Parcels travel by rail."]

    turns = [{"role": "tool", "content": "It arrives on 4 May 2024."}]
    assert guarded(answer)("When?", turns).verdict.action == "review"
    assert guarded(answer, history="turns")("When?", turns).verdict.action == "proceed"
    with pytest.raises(TypeError, match="has no argument past, which the option history names"):
        guarded(answer, history="past")


def test_generator_is_refused_when_it_is_wrapped() -> None:
    """A function that yields its answer in parts cannot be checked as a whole."""

    def answer(query: str) -> Iterator[str]:
        yield "It costs $5."

    with pytest.raises(TypeError, match="yields its answer in parts"):
        guarded(answer)
