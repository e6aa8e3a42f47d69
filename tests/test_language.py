"""Is a text in a script without rules never taken for English, and is whatever is Latin?"""

from __future__ import annotations

import unicodedata

import pytest

from raguard import Verifier
from raguard.language import UNDETERMINED, LanguageGuesser
from raguard.rulebook import load_rulebook
from raguard.text.folding import fold
from raguard.text.scripts import other_letters

RULES = load_rulebook()["languages"].rules
GUESSER = LanguageGuesser(load_rulebook())
VERIFIER = Verifier()
SCRIPTS = [(str(rule.data["code"]), text) for rule in RULES if rule.pattern for text in rule.accepts]
WITHOUT_RULES = ["ꤊꤢ꤬ꤛꤢ꤭ ꤜꤟꤤ꤬", "𐌲𐌿𐍄𐌹𐍃𐌺", "ⲧⲙⲛⲧⲣⲙⲛⲕⲏⲙⲉ", "ꃅꯃꯩꯇꯩꯂꯣꯟ"]
LATIN = [
    "Hợp đồng thuê nhà được ký vào tháng ba năm nay.",
    "ɪntəˈnæʃənəl fəˈnɛtɪk ˈælfəbɛt ʃ θ ŋ",
    "ꜩ ꟻ ⱥ ꬲ ﬁ ﬂ ﬆ",
    "ｆｕｌｌ ｗｉｄｔｈ",
    "Ⓛⓔⓔⓓⓢ 🅛🅔🅔🅓🅢 ⒧⒠⒠⒟⒮",
    "𝑥 ≤ 𝐴𝑦 ∑ ∂ ℝ ℵ 𝛼 𝛽",
    "E = 5 α",
    "5 µm, 3 Ω, 40 K",
    "🚀🎉👍🏽 🇬🇧",
    "┌──┐ │ a │ └──┘",
    "「a」、。 ・ Item 〜 〒",
    "①②③ ½ ² Ⅷ ㊿",
    "฿100 ৳200 ៛300",
    "Dhaka (ঢাকা)",
    "Tbilisi is written თბილისი.",
]
GEORGIAN = "ხელშეკრულება გაფორმდა თბილისში და მოქმედებს ორი წლის განმავლობაში."
OTHER_GEORGIAN = "ბინის ქირა იზრდება ყოველწლიურად და ძაღლები არ დაიშვება."
LATIN_BLOCKS = [
    range(0x41, 0x300),
    range(0x374, 0x375),
    range(0x1D00, 0x1DC0),
    range(0x1E00, 0x1F00),
    range(0x2070, 0x2190),
    range(0x2C60, 0x2C80),
    range(0x2E2F, 0x2E30),
    range(0xA700, 0xA800),
    range(0xAB30, 0xAB70),
    range(0xFB00, 0xFB07),
    range(0xFF21, 0xFF5B),
    range(0x10780, 0x107C0),
    range(0x1D400, 0x1D800),
    range(0x1DF00, 0x1E000),
    range(0x1EE00, 0x1EF00),
]
"""Where letters are Latin, modifiers of these, numerals or signs of units and of mathematics."""


def shown(text: str) -> str | None:
    return GUESSER.shown(fold(text).text)


@pytest.mark.parametrize(("code", "text"), SCRIPTS)
def test_script_with_a_rule_tells_its_language(code: str, text: str) -> None:
    assert shown(text) == shown(f"{text} (A4)") == code


@pytest.mark.parametrize("text", WITHOUT_RULES)
def test_script_without_a_rule_is_undetermined(text: str) -> None:
    assert shown(text) == UNDETERMINED == "und"
    assert GUESSER.guess(fold(text).text, background="The contract was signed in March by both of them.") == "und"


def test_mixed_scripts_of_which_none_has_most_letters_are_undetermined() -> None:
    assert shown("Москва กรุงเทพ 한국어를") == "und"
    assert shown("Москва и Київ กรุงเทพ") == "ru"


@pytest.mark.parametrize("text", LATIN)
def test_letters_of_latin_script_and_symbols_are_no_other_language(text: str) -> None:
    assert shown(text) in (None, "en")


def test_other_letters_are_those_of_every_script_but_the_latin_one() -> None:
    """Letters of no script, or of several, are none either: modifiers, signs of units and of mathematics."""
    letters = [code for code in range(0x110000) if unicodedata.category(chr(code))[0] == "L"]
    others = {code for code in letters if other_letters(chr(code))}
    assert len(others) > 100_000
    assert not any(unicodedata.name(chr(code), "").startswith("LATIN ") for code in others)
    assert [hex(code) for code in letters if code not in others.union(*LATIN_BLOCKS)] == []


@pytest.mark.parametrize(
    ("answer", "language"),
    [
        (GEORGIAN, '"ka"'),
        ("ஒப்பந்தம் சென்னையில் கையெழுத்தானது மற்றும் இரண்டு ஆண்டுகள் செல்லுபடியாகும்.", '"ta"'),
        ("ውሉ በአዲስ አበባ ተፈርሟል እና ለሁለት ዓመታት ይቆያል።", '"am"'),
        (WITHOUT_RULES[0], "an undetermined language"),
    ],
)
def test_answer_in_such_a_script_is_not_judged_by_english_rules(answer: str, language: str) -> None:
    for docs in ([answer], [OTHER_GEORGIAN], ["The contract was signed in Leeds and runs for two years."]):
        verdict = VERIFIER.verify("?", docs, answer)
        assert (verdict.action, verdict.warnings) == ("proceed", [])
        gaps = {gap.what: gap.why for gap in verdict.unchecked}
        assert list(gaps) == ["names", "words", "claims"]
        assert gaps["names"] == f"not looked for: no model for {language}"
        assert gaps["words"].endswith(f" are not read in {language}")
        claims = VERIFIER.claims("?", docs, answer)
        assert (claims.claims, [gap.what for gap in claims.unchecked]) == ((), ["names", "words", "claims"])


def test_english_answer_with_a_foreign_name_is_judged() -> None:
    docs, answer = ["The contract was signed in Tbilisi."], "The contract was signed in Batumi (ბათუმი) by Karen Blake."
    verdict = VERIFIER.verify("?", docs, answer)
    assert {warning.text for warning in verdict.warnings} >= {"Karen Blake"}
    assert [gap.what for gap in verdict.unchecked] == ["other scripts"]
    assert VERIFIER.claims("?", docs, answer).claims


def test_undetermined_language_can_be_given() -> None:
    verdict = VERIFIER.verify("?", [GEORGIAN], GEORGIAN, lang="und")
    assert (verdict.action, [gap.what for gap in verdict.unchecked]) == ("proceed", ["names", "words", "claims"])
