"""Is an answer judged while it is written as it is judged when it is done, and is nothing shown that is not judged?"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raguard import Config, ConfigError, RaguardError, Verifier
from raguard.modes import Modes
from raguard.streaming import REDACTED, AnswerStream, Finished, Released, StreamEvent, Warned, Withheld

DOCS = [
    "The lease began on 4 May 2024. The rent is $900 a month, due on the 3rd. Alice Johnson signed it in Leeds.",
    "| plan | price |\n|---|---|\n| Basic | $10 |\n| Pro | $25 |",
]
ANSWER = (
    "The lease began on 4 May 2024. The rent is $950 a month, e.g. paid by Dr. Brown.\n\n"
    "1. Alice Johnson signed it. 2. It is due on the 3rd.\n\n```py\nx = 1999\n```\n"
    "| plan | price |\n|---|---|\n| Basic | $25 |\n\nIt ends on 9 May 2027!"
)
VERIFIER = Verifier()


def told(events: Sequence[StreamEvent]) -> list[str]:
    """The texts of the high warnings that the events tell."""
    return [event.warning.text for event in events if isinstance(event, Warned) and event.warning.severity == "high"]


def shown(events: Sequence[StreamEvent]) -> str:
    """What a reader sees in the end."""
    return "".join(event.text for event in events if isinstance(event, Released))


def final(events: Sequence[StreamEvent]) -> Finished:
    """The last event, which is the end."""
    assert [event for event in events if isinstance(event, Finished)] == [events[-1]]
    assert isinstance(events[-1], Finished)
    return events[-1]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that a Verifier is asked about."""
    texts: list[str] = []
    verify = Verifier.verify

    def counted(self: Verifier, query: str, docs: Sequence[str], answer: str, **options: object) -> object:
        texts.append(answer)
        return verify(self, query, docs, answer, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Verifier, "verify", counted)
    return texts


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, len(ANSWER)), max_size=12), st.sampled_from(["annotate", "redact", "block"]))
def test_the_result_is_that_of_verify_however_the_answer_is_cut(cuts: list[int], on_review: str) -> None:
    borders = [0, *sorted(cuts), len(ANSWER)]
    tokens = [ANSWER[start:end] for start, end in itertools.pairwise(borders)]
    events = list(VERIFIER.stream("When?", DOCS, on_review=on_review).events(tokens))  # type: ignore[arg-type]
    end = final(events)
    assert end.result == VERIFIER.verify("When?", DOCS, ANSWER)
    assert end.shown == shown(events)
    assert end.late == ()
    assert told(events) == ["$950", "$25", "9 May 2027"]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300), st.integers(1, 7), st.sampled_from(["annotate", "redact", "block"]))
def test_any_text_gives_the_result_of_verify_and_every_character_is_accounted_for(
    answer: str, width: int, on_review: str
) -> None:
    tokens = [answer[place : place + width] for place in range(0, len(answer), width)]
    events = list(VERIFIER.stream("When?", DOCS, on_review=on_review).events(tokens))  # type: ignore[arg-type]
    assert final(events).result == VERIFIER.verify("When?", DOCS, answer)
    places = [(event.start, event.end) for event in events if isinstance(event, Released | Withheld)]
    assert sorted({place for start, end in places for place in range(start, end)}) == list(range(len(answer)))
    if on_review == "annotate":
        assert shown(events) == answer


PIECES = (
    *(
        "The rent is $950. ",
        "It is. ",
        "1. ",
        "2. ",
        "12. ",
        "! ",
        "Dr. ",
        "e.g. ",
        "9 May 2024",
        "...",
        "\u2026 ",
        "(It. ",
    ),
    *("```\n", "```json\n", "```py\nx = 1\n", "~~~\n", "{", "[", "[1] ", '"x": 1}', "\n", "\r\n", "| a | b |\n", "- "),
    *("租金为900美元。", "”", "\u202eabc ", "بدأ 4 مايو؟ ", "है। ", "\u200b", "\ud800", "\x00", "\ufeff", "\u2028"),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12), st.integers(1, 9), st.sampled_from(["redact", "block"]))
def test_hostile_text_is_accounted_for_and_judged_as_a_whole(pieces: list[str], width: int, on_review: str) -> None:
    answer = "".join(pieces)
    tokens = [answer[place : place + width] for place in range(0, len(answer), width)]
    events = list(VERIFIER.stream("When?", DOCS, on_review=on_review).events(tokens))  # type: ignore[arg-type]
    assert final(events).result == VERIFIER.verify("When?", DOCS, answer)
    assert final(events).shown == shown(events)
    places = [(event.start, event.end) for event in events if isinstance(event, Released | Withheld)]
    assert sorted({place for start, end in places for place in range(start, end)}) == list(range(len(answer)))
    warned = [event.warning for event in events if isinstance(event, Warned) and event.warning.end]
    assert [answer[warning.start : warning.end] for warning in warned] == [warning.text for warning in warned]


def test_annotated_text_is_released_at_once_and_its_warning_when_the_sentence_is_complete() -> None:
    stream = VERIFIER.stream("When?", DOCS)
    assert stream.feed("It began on 9 ") == [Released("It began on 9 ", 0, 14)]
    assert stream.feed("May 2024.") == [Released("May 2024.", 14, 23)]
    released, warned = stream.feed(" It")
    assert released == Released(" It", 23, 26)
    assert isinstance(warned, Warned)
    assert (warned.warning.text, warned.warning.start, warned.warning.end) == ("9 May 2024", 12, 22)


def test_a_sentence_is_held_back_until_it_is_judged_and_no_longer() -> None:
    stream = VERIFIER.stream("When?", DOCS, on_review="redact")
    assert stream.feed("The rent is $900") == []
    assert stream.feed(" a month.") == []
    assert stream.feed(" It is") == [Released("The rent is $900 a month.", 0, 25)]
    assert [type(event) for event in stream.feed(" $950. ")] == [Warned, Withheld, Released]


def test_redacted_sentences_are_replaced_and_the_space_around_them_stays() -> None:
    tokens = ["It began on 4 May 2024.\n", "It ends on 9 May 2027.\n", "The rent is $900 a month."]
    end = final(list(VERIFIER.stream("When?", DOCS, on_review="redact").events(tokens)))
    assert end.shown == f"It began on 4 May 2024.\n{REDACTED}\nThe rent is $900 a month."
    assert end.result.action == "review"


def test_a_blocked_answer_shows_nothing_from_its_first_high_warning_on() -> None:
    tokens = ["It began on 4 May 2024. ", "It ends on 9 May 2027. ", "The rent is $900 a month. ", "So it is."]
    events = list(VERIFIER.stream("When?", DOCS, on_review="block").events(tokens))
    assert shown(events) == "It began on 4 May 2024."
    assert next(event for event in events if isinstance(event, Withheld)) == Withheld(23, 46)
    assert final(events).result.action == "review"


def test_medium_warnings_withhold_nothing() -> None:
    answer = "Studies show that the lease began on 4 May 2024. The rent is $900 a month."
    events = list(VERIFIER.stream("When?", DOCS, on_review="block").events([answer]))
    assert shown(events) == answer
    assert [event.warning.severity for event in events if isinstance(event, Warned)] == ["medium"]


@pytest.mark.parametrize("on_review", ["redact", "block"])
def test_in_the_shadow_nothing_is_held_back_and_warnings_are_told(on_review: str) -> None:
    verifier = Verifier(Config(modes=Modes(mode="shadow", tenants={"acme": Modes()})))
    stream = verifier.stream("When?", DOCS, on_review=on_review)  # type: ignore[arg-type]
    assert stream.feed("It began on 9 May 2024") == [Released("It began on 9 May 2024", 0, 22)]
    events = [*stream.feed(". So"), *stream.finish()]
    assert (told(events), final(events).shown) == (["9 May 2024"], "It began on 9 May 2024. So")
    own = verifier.stream("When?", DOCS, on_review=on_review, tenant_id="acme")  # type: ignore[arg-type]
    assert own.feed("It began on 9 May 2024") == []


def test_a_type_in_the_shadow_withholds_no_sentence_and_another_does() -> None:
    verifier = Verifier(Config(modes=Modes(types={"unsupported_date": "shadow"})))
    tokens = ["It began on 9 May 2024. ", "The rent is $950. ", "So."]
    events = list(verifier.stream("When?", DOCS, on_review="redact").events(tokens))
    assert told(events) == ["9 May 2024", "$950"]
    assert shown(events) == f"It began on 9 May 2024. {REDACTED} So."


def test_what_is_off_is_released_unjudged_and_the_result_says_so(asked: list[str]) -> None:
    verifier = Verifier(Config(modes=Modes(mode="off")))
    events = list(verifier.stream("When?", DOCS, on_review="block").events(["It began on 9 May 2024. ", "So."]))
    assert (shown(events), told(events), asked) == ("It began on 9 May 2024. So.", [], [])
    assert [gap.what for gap in final(events).result.unchecked] == ["everything"]


def test_the_sample_tells_streams_apart_by_their_documents() -> None:
    """The answer is not known when a stream begins, and an application may have but one question."""
    verifier = Verifier(Config(modes=Modes(sample=0.3)))
    checked = [verifier.stream("", [f"It is day {number}."], on_review="block").holds_back for number in range(1_000)]
    assert 240 < sum(checked) < 360
    again = [verifier.stream("", [f"It is day {number}."], on_review="block").holds_back for number in range(50)]
    assert again == checked[:50]


@pytest.mark.parametrize("docs", [None, "text", 7, [None, 7]])
def test_the_sample_can_be_drawn_whatever_the_documents_are(docs: Any) -> None:
    verifier = Verifier(Config(modes=Modes(sample=0.5)))
    assert isinstance(list(verifier.stream("When?", docs).events(["So."]))[-1], Finished)


def test_each_sentence_is_judged_once_and_the_whole_once_more(asked: list[str]) -> None:
    sentences = [f"The rent of flat {number} is $900 a month. " + "It is due on the 3rd. " * 20 for number in range(9)]
    text = "".join(sentences)
    list(VERIFIER.stream("When?", DOCS).events(text[place : place + 5] for place in range(0, len(text), 5)))
    assert len(asked) == 9 * 21 + 1
    assert max(map(len, asked[:-1])) <= 1_500
    assert asked[-1] == text


def test_a_short_answer_is_not_judged_again_at_its_end(asked: list[str]) -> None:
    list(VERIFIER.stream("When?", DOCS).events(["It began on 4 May 2024. ", "It is $900."]))
    assert asked == ["It began on 4 May 2024.", "It began on 4 May 2024. It is $900."]


def test_abbreviations_and_the_numbers_of_items_end_no_sentence(asked: list[str]) -> None:
    list(
        VERIFIER.stream("Who?", DOCS).events(
            ["It was Dr. Brown, e.g. today: 1. Low rent 2. High rent 3. None. ", "So."]
        )
    )
    assert asked[0] == "It was Dr. Brown, e.g. today: 1. Low rent 2. High rent 3. None."


def test_a_number_alone_is_no_sentence(asked: list[str]) -> None:
    list(VERIFIER.stream("How many?", DOCS).events(["So it is. ", "12. ", "13. ", "Low rent. "]))
    assert asked == ["So it is.", "So it is. 12. 13. Low rent.", "So it is. 12. 13. Low rent. "]


def test_a_number_that_is_no_item_ends_its_sentence() -> None:
    stream = VERIFIER.stream("How many?", ["There are 5."], on_review="redact")
    assert stream.feed("There are 5. So") == [Released("There are 5.", 0, 12)]


@pytest.mark.parametrize("opening", ["", "```json\n"])
def test_json_is_one_sentence(opening: str) -> None:
    tokens = [opening, '{"rent": "$900",', ' "ends": "9 May 2027"}', "\n```" if opening else ""]
    stream = VERIFIER.stream("When?", DOCS, on_review="redact")
    assert [stream.feed(token) for token in tokens] == [[], [], [], []]
    events = stream.finish()
    assert [type(event) for event in events] == [Warned, Withheld, Released, Finished]
    assert final(events).result == VERIFIER.verify("When?", DOCS, "".join(tokens))
    assert shown(events) == REDACTED


def test_json_that_is_supported_is_released_whole() -> None:
    end = final(list(VERIFIER.stream("", DOCS, on_review="block").events(['{"rent": ', '"$900"}'])))
    assert end.shown == '{"rent": "$900"}'


def test_an_answer_that_begins_with_code_is_judged_sentence_by_sentence() -> None:
    tokens = ["``", "`py\n", "x = 1999\n", "```\n", "It ends on 9 May", " 2027. ", "So."]
    stream = VERIFIER.stream("When?", DOCS, on_review="redact")
    released = ["".join(e.text for e in stream.feed(token) if isinstance(e, Released)) for token in tokens]
    assert released == ["", "", "```py\nx = 1999\n", "```\n", "", REDACTED, ""]


@pytest.mark.parametrize("opening", ["{", "[", '["a', "\ufeff {", "```json\n", "```\n\n["])
def test_what_may_become_json_is_held_back(opening: str) -> None:
    stream = VERIFIER.stream("When?", DOCS, on_review="redact")
    assert stream.feed(opening) == []
    assert stream.feed("\n\n") == []


def test_blank_lines_without_end_are_released() -> None:
    stream = VERIFIER.stream("When?", DOCS, on_review="redact")
    events = [event for _ in range(3_000) for event in stream.feed("\n")]
    assert shown(events) == "\n" * 3_000


def test_no_end_of_a_sentence_is_considered_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    considered: list[int] = []
    is_numeral = AnswerStream._is_numeral

    def counted(self: AnswerStream, start: int, end: int) -> bool:
        considered.append(end)
        return is_numeral(self, start, end)

    monkeypatch.setattr(AnswerStream, "_is_numeral", counted)
    list(VERIFIER.stream("When?", DOCS, on_review="redact").events(". " * 300))
    assert len(considered) == len({*considered}) > 250


def test_code_is_released_unjudged_and_what_follows_it_is_judged() -> None:
    tokens = ["Run this:\n```sh\n", "rent --from 9 May 2027\n", "```\nIt ends on 9 May 2027. ", "So."]
    events = list(VERIFIER.stream("When?", DOCS, on_review="redact").events(tokens))
    assert told(events) == ["9 May 2027"]
    assert shown(events) == f"Run this:\n```sh\nrent --from 9 May 2027\n```\n{REDACTED} So."


@pytest.mark.parametrize(
    ("code", "why"),
    [("x = 1\n" * 400, "a block longer than the context"), ("````\n```\n", "a shorter mark inside")],
)
def test_what_follows_a_block_of_code_is_always_judged(code: str, why: str) -> None:
    answer = f"Run this:\n````\n{code}````\nIt ends on 9 May 2027. So it is ``` here. It began on 9 May 2024. So."
    events = list(VERIFIER.stream("When?", DOCS, on_review="redact").events(answer.splitlines(keepends=True)))
    assert set(told(events)) == {"9 May 2027", "9 May 2024"}, why


def test_a_sentence_that_never_ends_is_judged_in_pieces() -> None:
    text = "the rent is $900 a month and " * 200
    stream = VERIFIER.stream("When?", DOCS, on_review="redact")
    events = [event for place in range(0, len(text), 10) for event in stream.feed(text[place : place + 10])]
    assert len(text) - len(shown(events)) <= 2_000
    assert shown([*events, *stream.finish()]) == text


@pytest.mark.parametrize(
    "sentence",
    ["租金为900美元。", "الإيجار 900 دولار؟", "کرایہ 900 ڈالر ہے۔", "किराया 900 डॉलर है।", "Վարձը 900 դոլար է։"],
)
def test_sentences_of_other_scripts_end_at_their_own_stops(sentence: str) -> None:
    stream = VERIFIER.stream("", [sentence], on_review="redact")
    assert stream.feed(sentence[:-1]) == []
    assert stream.feed(f"{sentence[-1]} {sentence[:4]}")[0] == Released(sentence, 0, len(sentence))


@pytest.mark.parametrize("token", [None, b"bytes", 7, ["a"]])
def test_a_token_of_another_type_releases_nothing_more_and_the_result_says_so(token: object) -> None:
    stream = VERIFIER.stream("When?", DOCS, on_review="redact")
    assert stream.feed("It began on 4 May 2024. It") == [Released("It began on 4 May 2024.", 0, 23)]
    assert stream.feed(token) == []  # type: ignore[arg-type]
    assert stream.feed(" is $900. So.") == []
    withheld, end = stream.finish()
    assert withheld == Withheld(23, 26)
    assert isinstance(end, Finished)
    assert [warning.type for warning in end.result.warnings] == ["input_error"]
    assert type(token).__name__ in end.result.warnings[0].suggestion


def test_the_end_is_the_end() -> None:
    stream = VERIFIER.stream("When?", DOCS)
    stream.finish()
    with pytest.raises(RaguardError, match="the stream has ended"):
        stream.feed("More.")
    with pytest.raises(RaguardError, match="the stream has ended"):
        stream.finish()


@pytest.mark.parametrize("on_review", ["show", None, 1])
def test_an_unknown_way_to_treat_a_sentence_is_refused(on_review: object) -> None:
    with pytest.raises(ConfigError, match="on_review must be one of annotate, redact, block"):
        VERIFIER.stream("When?", DOCS, on_review=on_review)  # type: ignore[arg-type]


@pytest.mark.parametrize("on_review", ["redact", "block"])
@pytest.mark.parametrize("docs", [[], None, "one text"])
def test_what_cannot_be_judged_is_not_shown(docs: object, on_review: str) -> None:
    tokens = ["It began on 4 May 2024. ", "It is $900. ", "So."]
    events = list(VERIFIER.stream("When?", docs, on_review=on_review).events(tokens))  # type: ignore[arg-type]
    assert "May" not in shown(events)
    assert [event.warning.type for event in events if isinstance(event, Warned)] == ["input_error"]
    assert final(events).result.action == "review"


def test_a_check_that_crashes_withholds_the_sentence() -> None:
    def broken(case: object) -> list[object]:
        raise ZeroDivisionError

    events = list(Verifier(checks=[broken]).stream("When?", DOCS, on_review="block").events(["It is. ", "So."]))  # type: ignore[list-item]
    assert shown(events) == ""
    assert final(events).result.warnings[0].type == "check_error"


def test_what_lies_beyond_the_limit_is_not_shown() -> None:
    verifier = Verifier(Config(max_response_chars=40))
    tokens = ["It began on 4 May 2024. ", "The rent is $900 a month, and so on. ", "So it is."]
    events = list(verifier.stream("When?", DOCS, on_review="redact").events(tokens))
    assert shown(events) == f"It began on 4 May 2024. {REDACTED} {REDACTED}"
    assert final(events).result == verifier.verify("When?", DOCS, "".join(tokens))


def test_an_empty_answer_is_an_error() -> None:
    (end,) = VERIFIER.stream("When?", DOCS).events([])
    assert isinstance(end, Finished)
    assert (end.shown, end.result.warnings[0].type) == ("", "input_error")


def test_an_event_loop_gets_the_same_events() -> None:
    tokens = [ANSWER[place : place + 7] for place in range(0, len(ANSWER), 7)]

    async def written() -> AsyncIterator[str]:
        for token in tokens:
            yield token

    async def consumed() -> list[StreamEvent]:
        return [event async for event in VERIFIER.stream("When?", DOCS, on_review="redact").aevents(written())]

    assert asyncio.run(consumed()) == list(VERIFIER.stream("When?", DOCS, on_review="redact").events(tokens))


def test_each_piece_is_fed_from_an_event_loop_alike() -> None:
    """What feed and finish give, without blocking the loop."""

    async def fed() -> list[Any]:
        stream = VERIFIER.stream("When?", DOCS, on_review="redact")
        events = [event for token in ("It began on 4 May", " 2024. ", "Bye.") for event in await stream.afeed(token)]
        return [*events, *await stream.afinish()]

    plain = VERIFIER.stream("When?", DOCS, on_review="redact").events(["It began on 4 May", " 2024. ", "Bye."])
    assert asyncio.run(fed()) == list(plain)


def test_what_the_tokens_raise_reaches_the_caller_and_the_stream_can_be_ended() -> None:
    def broken() -> list[str]:
        yield "It began on 9 May 2024. So"  # type: ignore[misc]
        raise ConnectionError

    stream: AnswerStream = VERIFIER.stream("When?", DOCS)
    seen: list[StreamEvent] = []
    with pytest.raises(ConnectionError):
        seen.extend(stream.events(broken()))
    assert final(stream.finish()).result.warnings[0].text == "9 May 2024"
