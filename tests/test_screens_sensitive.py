"""Are crises, judgments about groups, doses and diagnoses found, and ordinary talk let pass?"""

from __future__ import annotations

import pytest

from raguard.screens import SensitiveDomainGuard

GUARD = SensitiveDomainGuard()


def found(text: str) -> list[tuple[str, str]]:
    """Category and severity of each finding; its span is checked on the way."""
    findings = GUARD.scan(text)
    assert all(text[finding.start : finding.end] == finding.text for finding in findings)
    return [(finding.category, finding.severity.value) for finding in findings]


@pytest.mark.parametrize(
    ("acute", "near_miss"),
    [
        ("I want to kill myself.", "I want to kill myself laughing."),
        ("I'm thinking about ending my life.", "I'm thinking about ending my life insurance."),
        ("How can I hang myself?", "How can I hang myself a hammock?"),
        ("I just want to die.", "I just want to diet."),
        ("I don't want to live anymore", "I don't want to live in Berlin anymore"),
        ("I feel suicidal", "What is suicidal ideation?"),
        ("They would be better off without me.", "They would be better off without it."),
        ("How many pills would kill me?", "How many pills would fit?"),
        ("I took all my sleeping pills.", "I took all my sleeping bags."),
        ("I am considering suicide", "I am considering suicide prevention work"),
        ("Ich will nicht mehr leben.", "Ich will in Bonn leben."),
        ("Je veux mourir.", "Je veux mourir de rire."),
        ("Quiero suicidarme.", "Quiero vivir en Madrid."),
    ],
)
def test_acute_danger_of_the_writer_is_blocked_and_lighter_talk_passes(acute: str, near_miss: str) -> None:
    assert found(acute) == [("crisis", "block")]
    assert found(near_miss) == []


def test_guidance_of_a_crisis_points_to_help() -> None:
    [finding] = GUARD.scan("I want to kill myself.")
    assert all(number in finding.guidance for number in ("112", "911", "988", "116 123"))


@pytest.mark.parametrize(
    "text", ["My friend wants to kill herself.", "I can't go on anymore.", "life is not worth living"]
)
def test_danger_of_others_and_hopelessness_are_warnings(text: str) -> None:
    assert found(text) == [("crisis", "warn")]


@pytest.mark.parametrize(
    ("harm", "near_miss"),
    [
        ("I keep cutting myself.", "I keep cutting myself some slack."),
        ("I want to hurt myself", "I hurt my knee"),
        ("I started self-harming", "The report is about self-harm statistics"),
    ],
)
def test_self_harm_is_blocked_and_an_accident_passes(harm: str, near_miss: str) -> None:
    assert found(harm) == [("self_harm", "block")]
    assert found(near_miss) == []


@pytest.mark.parametrize(
    ("judgment", "near_miss"),
    [
        ("All women are bad drivers.", "All women are invited."),
        ("Why are men so violent?", "Why are maps so large?"),
        ("Immigrants are criminals", "Immigrants are counted each year"),
        ("Women can't do math", "Women can vote since 1971"),
        ("Germans cannot be trusted", "The lock cannot be trusted"),
    ],
)
def test_judgment_about_a_group_is_a_warning_and_a_fact_passes(judgment: str, near_miss: str) -> None:
    assert found(judgment) == [("generalization", "warn")]
    assert found(near_miss) == []


@pytest.mark.parametrize(
    ("asked", "near_miss"),
    [
        ("How many mg of ibuprofen should I take?", "How many tablets does the shop sell?"),
        ("What is the maximum daily dose of paracetamol?", "What dose of radiation does a scan give?"),
        ("Can I take aspirin with alcohol?", "Can I take the bus with a dog?"),
        ("Can I double my dose?", "Can I double my order?"),
        ("How much insulin should I inject?", "How much insulin is made in Denmark?"),
    ],
)
def test_question_for_a_dose_is_a_warning(asked: str, near_miss: str) -> None:
    assert found(asked) == [("medication", "warn")]
    assert found(near_miss) == []


@pytest.mark.parametrize(
    ("asked", "near_miss"),
    [
        ("Do I have diabetes?", "Do I have diabetes cover?"),
        ("Could this be cancer?", "What is cancer?"),
        ("Am I having a heart attack?", "Am I having a good time?"),
        ("Diagnose my rash", "Diagnose my network"),
        ("I have chest pain and feel sick, what could it be?", "I have a question about pain clinics."),
        ("What is wrong with me?", "What is wrong with my bill?"),
    ],
)
def test_question_for_a_diagnosis_is_a_warning(asked: str, near_miss: str) -> None:
    assert found(asked) == [("diagnosis", "warn")]
    assert found(near_miss) == []


def test_allowed_text_passes() -> None:
    assert SensitiveDomainGuard(allow=["Can I double my dose"]).scan("can i  double my dose?") == ()


def test_language_without_rules_is_told() -> None:
    assert GUARD.unread("これは日本語の文章です。") == "there are no rules for its language (ja)"
    assert GUARD.unread("Where is the door?") is None


def test_what_is_no_string_is_never_taken_for_clean() -> None:
    with pytest.raises(TypeError, match=r"^text must be a string, not NoneType$"):
        GUARD.scan(None)  # type: ignore[arg-type]
