"""Was a number that no chunk states computed from what they state, and is the computation right?"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable

from raguard.case import Case, Claim, Finding
from raguard.evidence.sources import Place
from raguard.text.phrases import word_set
from raguard.values.quantities import Quantity

__all__ = ["derived"]

_NUMBER = r"[$€£]?\s?\d[\d,]{0,18}(?:\.\d{1,10})?\s?(?:%|°\s?[CF]|[a-z]{1,8})?"
_SHOWN = re.compile(
    rf"({_NUMBER}(?:\s?[-+–−*×x/÷]\s?\(?{_NUMBER}\)?){{1,6}})\s?(?:=|≈|equals)\s?(?:about\s|approximately\s|≈\s?)?$"
)
_EQUALS = re.compile(r"[=≈]|\bequals\b")
_NOT_ARITHMETIC = re.compile(r"[$€£,\s]|%|°\s?[CF]|[a-wyz]{1,8}")
_SIGNS = str.maketrans({"–": "-", "−": "-", "×": "*", "x": "*", "÷": "/"})
_LIST = re.compile(r"(?:\s[\w'-]{1,20}){1,4}?\s?(?::|\(|—|\s-|,\snamely|\sare|\sin)\s([^.;:()\n]{3,300})")
_ITEM_END = re.compile(r",\s(?:and\s|or\s)?|\s(?:and|or)\s")
_COMPARED = ("cue_difference", "cue_ratio")
"""What "530 more than" lets one compute."""
_OTHER = ("the other ", "The other ")
_SHORT_ANSWER = 100
"""Up to that many characters an answer is read with the question's words: "What is the change?" – "It is 12."."""
_NEAR = 60
"""How many characters a cue word may stand before its number."""
_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def derived(case: Case, claim: Claim) -> Finding | None:
    """The finding for a computed number: supported, derivable (low) or computed wrongly; None for any other."""
    value = claim.values[-1]
    if not isinstance(value, Quantity):
        return None
    shown = _shown_arithmetic(case, claim, value)
    if shown is not None:
        return shown
    nouns = case.known.nouns.counted(case.outline.text, claim.end)
    repeated = case.counts.listed(value, nouns)
    if repeated is not None or _counts_a_list(case, claim, value):
        return Finding(value.kind, claim.start, claim.end, "derived", place=repeated)
    place = _counted(case, claim, value, nouns) or _computed(case, value, tuple(_cues(case, claim)), nouns)
    if place is None and value.kind == "money":
        place = case.taxes.leads_to(value)
    if place is None:
        return None
    said = "It can be computed from what they say."
    # what the question counts is no evidence
    evidence = place if case.sources.hold(place) else None
    return Finding(
        value.kind, claim.start, claim.end, "derived", rule=f"{value.kind}.derivable", said=said, place=evidence
    )


def _counted(case: Case, claim: Claim, value: Quantity, nouns: frozenset[str]) -> Place | None:
    """Where the documents count what the value counts: in parts, as a set of which it is an item, or all but one."""
    text, counts = case.outline.text, case.counts
    if value.ordinal:
        start, _ = case.outline.sentence(claim.start)
        opens = text[start : claim.start].strip().lower() in ("", "the")
        return counts.of_set(value, case.known.nouns.after(text, claim.end)) if opens else None
    if text.endswith(_OTHER, 0, claim.start):
        return counts.others(value, nouns)
    return counts.total(value, nouns)


def _computed(case: Case, value: Quantity, cues: tuple[str, ...], nouns: frozenset[str]) -> Place | None:
    """Where the documents hold what the value can be computed from."""
    key = (value, cues, nouns)
    if key not in case.computed:
        from_documents = case.derivations
        case.computed[key] = (
            from_documents.years_between(value)
            or from_documents.anniversary(value)
            or from_documents.computed_from(value, cues, nouns)
        )
    return case.computed[key]


def _shown_arithmetic(case: Case, claim: Claim, value: Quantity) -> Finding | None:
    """The result behind an equals sign, recomputed; its operands are claims of their own."""
    text = case.outline.text
    signs = list(_EQUALS.finditer(text, max(0, claim.start - 20), claim.start))
    if not signs:
        return None
    # an expression holds no equals sign; two may stand before its result: "= ≈ 5"
    begin, end = max(0, claim.start - 160), max(0, signs[-1].start() - 2)
    begin = max(begin, text.rfind("=", begin, end) + 1, text.rfind("≈", begin, end) + 1)
    match = _SHOWN.search(text, begin, claim.start)
    if match is None:
        return None
    result = _evaluate(match.group(1))
    if result is None:
        return None
    amount, _, place = value.readings[0]
    results = (result, 100 * result) if value.kind == "percent" else (result,)
    if any(abs(each - amount) <= place * (0.5 + 1e-9) for each in results):
        return Finding(value.kind, claim.start, claim.end, "derived")
    said = f"{match.group(1).strip()} is {results[-1]:,.6g}."
    return Finding(value.kind, claim.start, claim.end, "unsupported", rule="arithmetic.wrong", said=said)


def _evaluate(expression: str) -> float | None:
    bare = _NOT_ARITHMETIC.sub("", expression).translate(_SIGNS)
    try:
        return _value(ast.parse(bare, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError):
        return None


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return float(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    raise ValueError(node)


def _counts_a_list(case: Case, claim: Claim, value: Quantity) -> bool:
    """Whether as many items follow as a small number says: three offices: Rome, Oslo and Lima."""
    amount = value.readings[0].amount
    match = _LIST.match(case.outline.text, claim.end)
    return 2 <= amount <= 12 and match is not None and len(_ITEM_END.split(match.group(1))) == amount


def _cues(case: Case, claim: Claim) -> list[str]:
    start, _ = case.outline.sentence(claim.start)
    text = case.outline.text[max(start, claim.start - _NEAR) : claim.end]
    if len(case.outline.text) <= _SHORT_ANSWER:
        text = f"{text}\n{case.query}"
    roles = [str(match.rule.data["role"]) for match in case.known.cues.find(text, word_set(text))]
    if case.known.compared.match(case.outline.text, claim.end):
        roles += _COMPARED
    return list(dict.fromkeys(roles))
