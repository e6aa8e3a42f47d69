"""Does the result say in words what of the answer was not read?"""

from __future__ import annotations

import pytest

from raguard import verify

DOCS = ["The depot has 49 crates and stands at https://depot.test/a."]


@pytest.mark.parametrize(
    ("response", "lang", "gaps"),
    [
        ("It has 49 crates.", "auto", []),
        ("It has 49 crates.\n```\n59\n```", "auto", ["code"]),
        ('It is <a href="https://depot.test/a?b=c">here</a>.', "auto", []),
        ('It is <a href="https://depot.test/a" title="59">here</a>.', "auto", ["attributes"]),
        ("It has <td data-n='59'>49</td> crates if a < b = c.", "auto", ["attributes"]),
        ("It has 49 crates <b free tea>.", "auto", ["attributes"]),
        ("It has <br />49 <b >crates</b>.", "auto", []),
        ('It is <a title="href=1" href="https://depot.test/a">here</a>.', "auto", ["attributes"]),
        ("It has 49 crates if a < b and c = d.", "auto", []),
        ("It has 49 crates (倉庫).", "auto", ["other scripts"]),
        ("It has 49 crates of α particles.", "auto", []),
        ('{"crates": 49}', "auto", []),
        ('{"59 crates": 49, "confidence": 0.9}', "auto", ["keys", "/confidence"]),
        ('It has 49 crates, as in {"crates": 59}.', "auto", ["JSON"]),
        ("Il a 49 caisses.", "fr", ["names", "words", "claims"]),
        ("有49个箱子。", "auto", ["names", "words", "claims"]),
    ],
)
def test_gap_of_the_answer_is_named(response: str, lang: str, gaps: list[str]) -> None:
    """Each gap is named once, and an answer without one has none."""
    assert [gap.what for gap in verify("?", DOCS, response, lang=lang).unchecked] == gaps


@pytest.mark.parametrize(
    ("query", "response", "gaps"),
    [
        ("Wann?", "Am 5. März.", ["names", "words", "claims"]),
        ("When?", "On 5 March.", []),
        ("Where?", "Los Angeles, Las Vegas, El Paso, La Jolla.", []),
    ],
)
def test_language_of_a_short_answer_is_that_of_its_documents(query: str, response: str, gaps: list[str]) -> None:
    """A short answer without function words is taken for what its documents are; names do not make a language."""
    german = "Der Mietvertrag endet nach der Kündigung am 5. März und wird nicht verlängert."
    docs = [german] if query == "Wann?" else ["The offices in Los Angeles and Las Vegas close on 5 March."]
    assert [gap.what for gap in verify(query, docs, response).unchecked] == gaps


def test_names_of_another_script_are_not_called_judged() -> None:
    """What is not even looked for is not said to be judged by presence."""
    reasons = [
        next(gap.why for gap in verify("?", DOCS, "49", lang=lang).unchecked if gap.what == "names")
        for lang in ("fr", "ru")
    ]
    assert reasons[0].startswith("judged by presence alone")
    assert reasons[1].startswith("not looked for")
