"""Does one gate show of an answer what verdict and modes allow, and does it tell outside no more than it may?"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from raguard import Config, ConfigError, Verifier
from raguard.gate import Gate, disclosed
from raguard.modes import Modes
from raguard.showing import NOTICE, REDACTED

DOCS = ["The lease began on 4 May 2024. The rent is $900 a month."]
ANSWER = "The lease began on 9 May 2024. The rent is $900 a month."
SHADOW = Config(modes=Modes(mode="shadow", tenants={"acme": Modes()}))


@pytest.mark.parametrize(
    ("on_review", "shown"),
    [
        ("annotate", "The lease began on 9 May 2024 [unsupported]. The rent is $900 a month."),
        ("redact", f"{REDACTED} The rent is $900 a month."),
        ("block", NOTICE),
    ],
)
def test_what_needs_review_is_annotated_redacted_or_blocked(on_review: Any, shown: str) -> None:
    gated = Gate(on_review=on_review).judge("When?", DOCS, ANSWER)
    assert (gated.text, gated.original, gated.mode) == (shown, ANSWER, "enforce")
    assert [warning.text for warning in gated.enforced] == ["9 May 2024"]


@pytest.mark.parametrize("on_review", ["annotate", "redact", "block"])
def test_what_proceeds_is_shown_as_it_is(on_review: Any) -> None:
    gated = Gate(on_review=on_review).judge("When?", DOCS, "The lease began on 4 May 2024.")
    assert (gated.text, gated.enforced, gated.verdict.action) == ("The lease began on 4 May 2024.", (), "proceed")


def test_the_shadow_changes_nothing_and_tells_the_verdict() -> None:
    gate = Gate(config=SHADOW, on_review="block")
    shadow, enforced = gate.judge("When?", DOCS, ANSWER), gate.judge("When?", DOCS, ANSWER, tenant_id="acme")
    assert (shadow.text, shadow.verdict.action, shadow.mode, shadow.enforced) == (ANSWER, "review", "shadow", ())
    assert (enforced.text, enforced.verdict) == (NOTICE, shadow.verdict)


def test_what_is_not_checked_is_unchecked_in_words() -> None:
    gated = Gate(config=Config(modes=Modes(mode="off"))).judge("When?", DOCS, ANSWER)
    assert gated.text == ANSWER
    assert [(gap.what, gap.why) for gap in gated.verdict.unchecked] == [
        ("everything", "the mode is off, or the answer is not in the sample")
    ]


@pytest.mark.parametrize("answer", [None, 7, b"bytes"])
@pytest.mark.parametrize("on_review", ["annotate", "redact", "block"])
def test_an_answer_that_is_no_string_is_not_shown(answer: Any, on_review: Any) -> None:
    gated = Gate(on_review=on_review).judge("When?", DOCS, answer)
    assert (gated.original, gated.verdict.action) == ("", "review")
    assert "bytes" not in gated.text.replace("not bytes", "")


def test_whatever_the_question_is_an_answer_is_judged() -> None:
    class Unsayable:
        def __str__(self) -> str:
            raise RuntimeError

    gated = Gate(config=SHADOW, on_review="block").judge(Unsayable(), DOCS, ANSWER)  # type: ignore[arg-type]
    assert (gated.mode, gated.verdict.action, gated.text) == ("shadow", "review", ANSWER)


@pytest.mark.parametrize("tenant_id", [42, ["acme"], b"acme", True, 4.2])
def test_a_tenant_whose_id_is_no_string_is_refused_before_anything_is_shown(tenant_id: Any) -> None:
    gate = Gate(config=Config(modes=Modes(mode="off", tenants={"42": Modes()})), on_review="block")
    message = rf"^the id of a tenant must be a string \(or None for the default one\), not {type(tenant_id).__name__}$"
    for call in (gate.judge, gate.stream):
        with pytest.raises(TypeError, match=message):
            call("When?", DOCS, *([ANSWER] if call == gate.judge else []), tenant_id=tenant_id)
    with pytest.raises(TypeError, match=message):
        asyncio.run(gate.ajudge("When?", DOCS, ANSWER, tenant_id=tenant_id))
    with pytest.raises(TypeError, match=message):
        gate.settle(ANSWER, gate.verifier.skip("no reason"), tenant_id)


def test_no_tenant_is_the_default_one() -> None:
    gate = Gate(config=Config(modes=Modes(mode="off", tenants={"default": Modes()})), on_review="block")
    assert gate.judge("When?", DOCS, ANSWER, tenant_id=None).text == NOTICE
    assert gate.judge("When?", DOCS, ANSWER).text == NOTICE
    assert gate.judge("When?", DOCS, ANSWER, tenant_id="42").text == ANSWER


def test_json_is_never_broken_by_a_marker() -> None:
    answer = '{"began": "9 May 2024"}'
    assert Gate(on_review="redact").judge("When?", DOCS, answer).text == NOTICE
    assert Gate(on_review="annotate").judge("When?", DOCS, answer).text == NOTICE


def test_without_documents_nothing_is_shown_as_judged() -> None:
    gate = Gate(on_review="redact")
    assert gate.judge("When?", [], ANSWER).text == NOTICE
    assert Gate(on_review="annotate").judge("When?", [], ANSWER).text.startswith(f"{ANSWER}\n\n[not checked: ")


def test_every_sentence_with_a_warning_is_redacted_and_space_stays() -> None:
    answer = "It began on 9 May 2024.\n\nThe rent is $900 a month. It was $950 once!\n"
    shown = Gate(on_review="redact").judge("When?", DOCS, answer).text
    assert shown == f"{REDACTED}\n\nThe rent is $900 a month. {REDACTED}\n"


def test_the_async_twin_and_the_stream_show_the_same() -> None:
    gate = Gate(on_review="redact")
    assert asyncio.run(gate.ajudge("When?", DOCS, ANSWER)) == gate.judge("When?", DOCS, ANSWER)
    *_, end = gate.stream("When?", DOCS).events([ANSWER])
    assert end.shown == gate.judge("When?", DOCS, ANSWER).text  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"on_review": "show"}, "on_review must be one of annotate, redact, block, not 'show'"),
        ({"notice": 1}, "notice must be the text to show as a string, not int"),
        ({"verifier": "v"}, "verifier must be a Verifier, not str"),
        ({"verifier": Verifier(), "config": Config()}, "config must be left out when verifier is given"),
    ],
)
def test_a_bad_option_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message.partition(",")[0]):
        Gate(**options)


def test_what_is_disclosed_holds_no_word_of_the_texts() -> None:
    answer = '{"secretkey": {"began": "9 May 2024", "confidence": 0.5}, "who": "Zorblax Quibble"}'
    verdict = Verifier().verify("When?", DOCS, answer)
    told = json.dumps(disclosed(verdict))
    assert not [word for word in ("May", "2024", "secretkey", "confidence", "Zorblax", "lease", "rent") if word in told]
    assert json.loads(told)["warnings"][0] == {
        "severity": "high",
        "type": "unsupported_date",
        "rule": "date.unsupported",
        "start": 25,
        "end": 35,
        "evidence": {"doc": 0, "doc_id": None, "start": 19, "end": 29, "source": "docs"},
    }


def test_with_texts_all_of_the_verdict_is_disclosed() -> None:
    verdict = Verifier().verify("When?", DOCS, ANSWER)
    assert disclosed(verdict, texts=True) == verdict.to_dict()
