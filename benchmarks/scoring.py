"""How good are the warnings? Pure figures over labelled answers; nothing here reads files or prints."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias

from answers import Answer, Span

from raguard.result import SEVERITIES, Severity, VerifyResult, Warning

__all__ = [
    "ANSWER_KEYS",
    "WARNING_KEYS",
    "Figures",
    "Judged",
    "Keep",
    "at_least",
    "false_alarms",
    "figures",
    "flag_all",
    "found_by_class",
    "is_right",
    "judge",
    "longer_than",
    "missed_spans",
    "narrowed",
    "share",
    "warnings_hash",
]

Verify: TypeAlias = Callable[[str, list[str], str], VerifyResult]
Keep: TypeAlias = Callable[[Warning], bool]

_STRONG = re.compile(r"gpt-?\d|claude|gemini|llama-3", re.IGNORECASE)
_UNCHECKED = frozenset({"input_error", "check_error"})


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer with all the warnings it got, and the names of what was not checked in it."""

    answer: Answer
    warnings: tuple[Warning, ...]
    gaps: tuple[str, ...] = ()

    def unchecked(self) -> bool:
        """Whether the answer, or a part of it, could not be checked."""
        return bool(self.gaps) or any(warning.type in _UNCHECKED for warning in self.warnings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Counts over a set of answers, and the shares that follow; a share of nothing is None."""

    answers: int
    unsupported: int
    clean_flagged: int
    unsupported_flagged: int
    warnings: int = 0
    right: int = 0
    spans: int = 0
    spans_hit: int = 0

    @property
    def precision(self) -> float | None:
        """The share of warnings that are right."""
        return share(self.right, self.warnings)

    @property
    def spans_share(self) -> float | None:
        """The share of gold spans that a warning overlaps."""
        return share(self.spans_hit, self.spans)

    @property
    def clean_share(self) -> float | None:
        """The share of clean answers that are flagged."""
        return share(self.clean_flagged, self.answers - self.unsupported)

    @property
    def unsupported_share(self) -> float | None:
        """The share of unsupported answers that are flagged."""
        return share(self.unsupported_flagged, self.unsupported)

    @property
    def f1(self) -> float | None:
        """F1 of "flagged" as the verdict "unsupported", over answers."""
        return share(2 * self.unsupported_flagged, self.unsupported + self.unsupported_flagged + self.clean_flagged)

    def to_dict(self) -> dict[str, int | float | None]:
        """Counts and shares, the shares to four digits."""
        shares = ("precision", "spans_share", "clean_share", "unsupported_share", "f1")
        rounded = {name: None if (value := getattr(self, name)) is None else round(value, 4) for name in shares}
        return asdict(self) | rounded


def generator_group(answer: Answer) -> str:
    """ "strong" for answers of GPT, Claude, Gemini and Llama 3 models, "other" for the rest."""
    return "strong" if _STRONG.match(answer.model) else "other"


ANSWER_KEYS: dict[str, Callable[[Answer], str]] = {
    "task": lambda answer: answer.task,
    "generator": generator_group,
    "model": lambda answer: answer.model,
}
"""How answers are told apart in a breakdown."""

WARNING_KEYS: dict[str, Callable[[Warning], str]] = {
    "type": lambda warning: warning.type,
    "rule": lambda warning: warning.rule,
}
"""How warnings are told apart in a breakdown."""


def judge(answers: Iterable[Answer], verify: Verify) -> list[Judged]:
    """Every answer with what ``verify`` warns of."""
    judged = []
    for answer in answers:
        result = verify(answer.query, list(answer.docs), answer.response)
        judged.append(Judged(answer, tuple(result.warnings), tuple(gap.what for gap in result.unchecked)))
    return judged


def at_least(severity: Severity, type: str | None = None) -> Keep:
    """Keeps the warnings of ``severity`` or worse, of one type when it is given."""
    worse = frozenset(SEVERITIES[: SEVERITIES.index(severity) + 1])
    return lambda warning: warning.severity in worse and type in (None, warning.type)


def narrowed(keep: Keep, key: Callable[[Warning], str], name: str) -> Keep:
    """Keeps what ``keep`` keeps and whose ``key`` is ``name``."""
    return lambda warning: keep(warning) and key(warning) == name


def figures(judged: Sequence[Judged], keep: Keep) -> Figures:
    """The figures of the warnings that ``keep`` keeps.

    A warning that something could not be checked flags its answer but marks no span: it is neither right
    nor wrong.
    """
    kept = [(entry.answer, [warning for warning in entry.warnings if keep(warning)]) for entry in judged]
    marks = [(answer, [mark for mark in warnings if mark.type not in _UNCHECKED]) for answer, warnings in kept]
    flagged = [answer.label for answer, warnings in kept if warnings]
    return Figures(
        answers=len(kept),
        unsupported=sum(answer.label for answer, _ in kept),
        clean_flagged=flagged.count(False),
        unsupported_flagged=flagged.count(True),
        warnings=sum(len(warnings) for _, warnings in marks),
        right=sum(is_right(answer, warning) for answer, warnings in marks for warning in warnings),
        spans=sum(len(answer.spans or ()) for answer, _ in kept),
        spans_hit=sum(_hit(span, warnings) for answer, warnings in marks for span in answer.spans or ()),
    )


def is_right(answer: Answer, warning: Warning) -> bool:
    """Whether the warning overlaps a gold span; where a set marks none, whether the answer is unsupported."""
    if answer.spans is None:
        return answer.label
    return any(_overlap(span, warning) for span in answer.spans)


def flag_all(judged: Sequence[Judged]) -> Figures:
    """What flagging every answer would score."""
    unsupported = sum(entry.answer.label for entry in judged)
    return Figures(
        answers=len(judged),
        unsupported=unsupported,
        clean_flagged=len(judged) - unsupported,
        unsupported_flagged=unsupported,
    )


def longer_than(judged: Sequence[Judged]) -> tuple[int, Figures]:
    """The k for which "longer than k words" has the best F1 on these very answers, and what it scores."""
    lengths = sorted(((len(entry.answer.response.split()), entry.answer.label) for entry in judged), reverse=True)
    everything = flag_all(judged)
    best_words, best = 0, everything
    flagged = [0, 0]
    for place, (words, label) in enumerate(lengths[:-1]):
        flagged[label] += 1
        below = lengths[place + 1][0]
        if below == words:
            continue
        scored = Figures(
            answers=everything.answers,
            unsupported=everything.unsupported,
            clean_flagged=flagged[False],
            unsupported_flagged=flagged[True],
        )
        if (scored.f1 or 0.0) > (best.f1 or 0.0):
            best_words, best = below, scored
    return best_words, best


def found_by_class(judged: Sequence[Judged], keep: Keep) -> dict[str, tuple[int, int]]:
    """For made twins: how many each class of change has, and for how many a kept warning overlaps it."""
    counts: dict[str, tuple[int, int]] = {}
    for entry in judged:
        if entry.answer.kind is None or not entry.answer.label:
            continue
        total, found = counts.get(entry.answer.kind, (0, 0))
        hit = any(keep(warning) and is_right(entry.answer, warning) for warning in entry.warnings)
        counts[entry.answer.kind] = (total + 1, found + hit)
    return dict(sorted(counts.items()))


def false_alarms(judged: Sequence[Judged], keep: Keep) -> list[tuple[Answer, Warning]]:
    """The kept warnings that are not right, in order of the answers."""
    return [
        (entry.answer, warning)
        for entry in judged
        for warning in entry.warnings
        if keep(warning) and warning.type not in _UNCHECKED and not is_right(entry.answer, warning)
    ]


def missed_spans(judged: Sequence[Judged], keep: Keep) -> list[tuple[Answer, Span]]:
    """The gold spans that no kept warning overlaps, in order of the answers."""
    return [
        (entry.answer, span)
        for entry in judged
        for span in entry.answer.spans or ()
        if not _hit(span, [warning for warning in entry.warnings if keep(warning)])
    ]


def warnings_hash(judged: Sequence[Judged]) -> str:
    """A SHA-256 (hex) over everything that every warning says: equal for two versions that judge alike."""
    digest = hashlib.sha256()
    for entry in judged:
        line = [entry.answer.id, [asdict(warning) for warning in entry.warnings]]
        digest.update(json.dumps(line).encode() + b"\n")
    return digest.hexdigest()


def share(part: int, whole: int) -> float | None:
    """A part of a whole, None of nothing.

    >>> share(1, 4), share(0, 0)
    (0.25, None)
    """
    return part / whole if whole else None


def _overlap(span: Span, warning: Warning) -> bool:
    return max(span.start, warning.start) < min(span.end, warning.end)


def _hit(span: Span, warnings: Iterable[Warning]) -> bool:
    return any(_overlap(span, warning) for warning in warnings)
