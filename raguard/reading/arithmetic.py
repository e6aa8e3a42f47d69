"""Which arithmetic does a text show beside a number, and what does it come to?"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import NamedTuple

from raguard.values.quantities import Quantity

__all__ = ["Working", "working"]

_NUMBER = r"[$€£]?\s?\d[\d,]{0,18}(?:\.\d{1,10})?\s?(?:%|°\s?[CF]|[a-z]{1,8})?"
_EXPRESSION = rf"(?:\d{{1,4}}(?:\.\d{{1,4}})?\s?%\sof\s{_NUMBER}|{_NUMBER}(?:\s?[-+–−*×x/÷]\s?\(?{_NUMBER}\)?){{1,6}})"
_BEFORE = re.compile(rf"({_EXPRESSION})\s?(?:=|≈|equals)\s?(?:about\s|approximately\s|≈\s?)?$")
_EQUALS = re.compile(r"[=≈]|\bequals\b")
_AFTER = re.compile(
    r"(?:\s(?!and\b|or\b)[a-z/]{1,12}){0,4}"
    rf"(?:\s?\(\s?(?:i\.e\.,?\s|=\s?)?({_EXPRESSION})(?:\s(?:each|[a-z]{{1,12}}))?\s?(?:[=≈]\s?{_NUMBER})?\)"
    rf"|(?:,\si\.e\.,?\s|\s?=\s?)({_EXPRESSION})(?![\d.]|\s?=))"
)
"""$468 per year (12 × $39); $57 = $39 + $18."""
_UNCLEAR = re.compile(r"[-–−/]|\dx|\d×")
"""What may stand in brackets and be no arithmetic: a range (10–15), a fraction, a size (4x6)."""
_NOT_ARITHMETIC = re.compile(r"[$€£,\s]|%|°\s?[CF]|[a-wyz]{1,8}")
_SHARE = re.compile(r"(\d)\s?%\sof\s")
_SIGNS = str.maketrans({"–": "-", "−": "-", "×": "*", "x": "*", "÷": "/"})
_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


class Working(NamedTuple):
    """An expression beside a number, ``text[start:end]``, and what it comes to.

    An expression that is not ``certain`` may be a range or a size: it can prove its number, not disprove it.
    """

    start: int
    end: int
    result: float
    certain: bool

    def gives(self, value: Quantity) -> bool:
        """Whether it comes to ``value`` at the precision written."""
        amount, _, place = value.readings[0]
        results = (self.result, 100 * self.result) if value.kind == "percent" else (self.result,)
        return any(abs(each - amount) <= place * (0.5 + 1e-9) for each in results)


def working(text: str, start: int, end: int) -> Working | None:
    """The expression whose result ``text[start:end]`` states: before an equals sign, or in brackets after it."""
    match = _before(text, start)
    group, certain = 1, True
    if match is None:
        match = _AFTER.match(text, end)
        if match is None:
            return None
        group = match.lastindex or 1
        # "£493 (12 × £39 = £468)" tells a step, whose result stands there
        certain = not _UNCLEAR.search(match[group]) and not _EQUALS.search(text, match.end(group), match.end())
    result = _evaluate(match[group])
    return None if result is None else Working(*match.span(group), result, certain)


def _before(text: str, start: int) -> re.Match[str] | None:
    signs = list(_EQUALS.finditer(text, max(0, start - 20), start))
    if not signs:
        return None
    # an expression holds no equals sign; two may stand before its result: "= ≈ 5"
    begin, end = max(0, start - 160), max(0, signs[-1].start() - 2)
    begin = max(begin, text.rfind("=", begin, end) + 1, text.rfind("≈", begin, end) + 1)
    return _BEFORE.search(text, begin, start)


def _evaluate(expression: str) -> float | None:
    expression = _SHARE.sub(r"\1/100*", expression)
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
