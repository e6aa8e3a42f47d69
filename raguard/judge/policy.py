"""What counts as unsupported, and under which names is it told?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from raguard.judge.provider import JudgeConfigError

__all__ = ["GROUNDING_POLICY", "Policy"]

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules that a model judges by: when an answer is blocked, and the categories of what it then names.

    ``categories`` maps a name of lower-case letters, digits and underscores to a sentence on what falls under it.
    Raises JudgeConfigError.

    >>> Policy("Block an answer that names a price.", {"price": "An amount of money."}).names
    ('price',)
    """

    rules: str
    categories: Mapping[str, str] = field(hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.rules, str) or not self.rules.strip():
            raise JudgeConfigError("rules of a policy must be a text that says when an answer is blocked")
        given = self.categories
        if not isinstance(given, Mapping) or not given or not all(_is_category(name, given[name]) for name in given):
            raise JudgeConfigError("categories of a policy must map names such as wrong_date to a sentence each")
        object.__setattr__(self, "categories", dict(given))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the categories, in their order."""
        return tuple(self.categories)


def _is_category(name: object, meaning: object) -> bool:
    is_name = isinstance(name, str) and _NAME.fullmatch(name) is not None
    return is_name and isinstance(meaning, str) and bool(meaning.strip())


GROUNDING_POLICY = Policy(
    """Judge every statement of the answer by the passages alone, whatever you know yourself.
- Block when any statement is not stated in the passages and does not follow from them: one is enough, however small.
- Block when the passages say otherwise: another number, date, name, place, order, cause or condition.
- Block when the answer is surer, wider or more exact than the passages: "may" made "will", "some" made "all".
- What is true in the world but not in the passages is not supported.
- Pass what says the same in other words, what is left out, sums and differences of what is stated, greetings, and
  that the passages do not say something when they do not.""",
    {
        "contradicted": "The passages say otherwise.",
        "not_in_passages": "The passages say nothing of it.",
        "overstated": "It goes further than the passages, or is surer.",
        "misattributed": "It is said of another person, thing, place or time than in the passages.",
    },
)
"""The default: an answer passes when its passages support every statement of it."""
