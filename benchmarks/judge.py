"""How well does a language model behind an endpoint judge labelled answers, and how often does it give no verdict?

What is unchecked is counted apart, by its reason: it is neither a pass nor a block, and no figure of the verdicts
counts it. Beside the judge stands what the length of the answers alone would say of the very same ones.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from answers import Answer, DataError, read_answers, source_files
from claim_model import auroc
from machine import describe, digest, line
from report import append_row, number, percent, positive, table
from scoring import share
from timing import percentile

from raguard import ConfigError
from raguard.judge import Control, GroundingJudge, Provider, injected_spans
from raguard.rails import Decision

__all__ = ["Outcome", "Verdicts", "by_length", "decided", "main", "only_model", "reasons", "verdicts"]

KEY = "RAGUARD_JUDGE_KEY"
FIGURES = ("answers", "flagged", "precision", "recall", "f1", "balanced", "clean_flagged")
HEADERS = ("judged by", "answers", "flagged", "precision", "recall", "F1", "balanced accuracy", "clean flagged")


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer and what the judge decided on it."""

    answer: Answer
    decision: Decision

    @property
    def is_judged(self) -> bool:
        return self.decision.state != "unchecked"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Counts of verdicts on labelled answers, "flagged" being the verdict "unsupported"; a share of nothing is None."""

    right: int
    false: int
    missed: int
    clean: int
    """Supported answers that are not flagged."""

    @property
    def answers(self) -> int:
        return self.right + self.false + self.missed + self.clean

    @property
    def precision(self) -> float | None:
        return share(self.right, self.right + self.false)

    @property
    def recall(self) -> float | None:
        return share(self.right, self.right + self.missed)

    @property
    def f1(self) -> float | None:
        return share(2 * self.right, 2 * self.right + self.false + self.missed)

    @property
    def clean_flagged(self) -> float | None:
        return share(self.false, self.false + self.clean)

    @property
    def balanced(self) -> float | None:
        """The mean of the shares of unsupported and of supported answers that are judged right."""
        if self.recall is None or self.clean_flagged is None:
            return None
        return (self.recall + 1 - self.clean_flagged) / 2

    @property
    def flagged(self) -> int:
        return self.right + self.false

    def cells(self, name: str) -> list[str]:
        """One row of the table."""
        numbers = [percent(self.precision), percent(self.recall), number(self.f1), number(self.balanced)]
        return [name, str(self.answers), str(self.flagged), *numbers, percent(self.clean_flagged)]

    def figures(self) -> dict[str, float | None]:
        """The same as numbers."""
        return {name: getattr(self, name) for name in FIGURES}


def verdicts(pairs: Iterable[tuple[bool, bool]]) -> Verdicts:
    """The counts of (flagged, unsupported) pairs.

    >>> verdicts([(True, True), (True, False), (False, True), (False, False), (False, False)])
    Verdicts(right=1, false=1, missed=1, clean=2)
    """
    counts = Counter(pairs)
    return Verdicts(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


def by_length(answers: Sequence[Answer]) -> tuple[int, Verdicts]:
    """Flagging by length alone: the number of words with the best F1 for these very answers, and its verdicts."""
    sizes = [len(answer.response.split()) for answer in answers]
    ways = [
        (words, verdicts((size > words, answer.label) for size, answer in zip(sizes, answers, strict=True)))
        for words in sorted({0, *sizes})
    ]
    return max(ways, key=lambda way: (way[1].f1 or 0.0, -way[0]))


def reasons(outcomes: Iterable[Outcome]) -> Counter[str]:
    """How often which reason left an answer unchecked."""
    return Counter(outcome.decision.reason for outcome in outcomes if not outcome.is_judged)


async def decided(judge: GroundingJudge, answers: Sequence[Answer], at_once: int) -> list[Outcome]:
    """The decision on each answer, in order, at most ``at_once`` under way at the same time."""
    free = asyncio.Semaphore(at_once)

    async def one(answer: Answer) -> Outcome:
        async with free:
            return Outcome(answer, await judge.adecide(answer.response, answer.docs, answer.query or None))

    return list(await asyncio.gather(*map(one, answers)))


def only_model(provider: Provider) -> str:
    """The name of the one model that an endpoint lists; DataError when it lists none or several, or lists nothing."""
    import openai

    try:
        with openai.OpenAI(
            base_url=provider.base_url, api_key=provider.api_key or "none", max_retries=0, timeout=30.0
        ) as client:
            names = [model.id for model in client.models.list().data]
    except (openai.OpenAIError, ValueError, TypeError) as error:
        raise DataError(f"the models of the endpoint cannot be listed ({type(error).__name__}); give --model") from None
    if len(names) != 1:
        raise DataError(f"the endpoint lists {len(names)} models; give --model")
    return names[0]


def _judges(outcomes: Sequence[Outcome]) -> dict[str, Verdicts]:
    """The verdicts of the judge on what it judged, and of those that stand beside it on the very same answers."""
    judged = [outcome for outcome in outcomes if outcome.is_judged]
    answers = [outcome.answer for outcome in judged]
    found = verdicts((outcome.decision.state == "block", outcome.answer.label) for outcome in judged)
    if not answers:
        return {"the judge": found}
    words, length = by_length(answers)
    flag_all = verdicts((True, answer.label) for answer in answers)
    return {"the judge": found, f"longer than {words} words": length, "flag all": flag_all}


def _table(judges: Mapping[str, Verdicts]) -> str:
    return table(HEADERS, [found.cells(name) for name, found in judges.items()])


def _length_auroc(answers: Sequence[Answer]) -> float | None:
    labels = [answer.label for answer in answers]
    return auroc(labels, [len(answer.response.split()) for answer in answers]) if len(set(labels)) == 2 else None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-url", required=True, help="the endpoint, as in http://localhost:11434/v1")
    parser.add_argument("--model", help="the name of the model there; by default the only one that it lists")
    parser.add_argument("--data", type=Path, required=True, help="labelled answers in a form that README.md describes")
    parser.add_argument("--key-variable", default=KEY, help=f"the environment variable that holds the key ({KEY})")
    parser.add_argument("--limit", type=positive, help="judge only so many answers, from the beginning")
    parser.add_argument("--at-once", type=positive, default=4, help="so many requests at the same time, at most 32")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for one answer")
    parser.add_argument("--max-tokens", type=positive, default=1200, help="the budget of a reply")
    parser.add_argument("--max-chars", type=positive, default=100_000, help="longer texts are unchecked")
    parser.add_argument(
        "--control", choices=get_args(Control), default="named", help="which passes to ask for once more"
    )
    parser.add_argument("--no-screen", action="store_true", help="look for no instructions in the texts")
    parser.add_argument("--list-wrong", action="store_true", help="name the answers that are judged wrong, and why")
    parser.add_argument("--json", type=Path, help="append the figures as one JSON row")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        answers = read_answers(options.data)[: options.limit]
        provider = Provider(options.base_url, os.environ.get(options.key_variable) or None)
        model = options.model or only_model(provider)
        judge = GroundingJudge(
            provider,
            model,
            timeout_s=options.timeout,
            max_tokens=options.max_tokens,
            max_chars=options.max_chars,
            control=options.control,
            screen=None if options.no_screen else injected_spans,
        )
    except (DataError, ConfigError) as error:
        parser.error(str(error))
    # beyond its threads a judge lets answers wait within their time
    outcomes = asyncio.run(decided(judge, answers, min(options.at_once, 32)))
    _tell(outcomes, model, options)


def _tell(outcomes: Sequence[Outcome], model: str, options: argparse.Namespace) -> None:
    judged = [outcome for outcome in outcomes if outcome.is_judged]
    print(line(describe()))
    print(f"{options.data.name}, model {model}: {len(outcomes)} answers, {len(judged)} judged\n")
    judges = _judges(outcomes)
    print(_table(judges))
    by_task = {
        task: [o for o in outcomes if o.answer.task == task] for task in sorted({o.answer.task for o in outcomes})
    }
    if len(by_task) > 1:
        for task, group in by_task.items():
            print(f"\n{task}\n{_table(_judges(group))}")
    length = _length_auroc([outcome.answer for outcome in judged])
    print(f"\nlength alone, AUROC over the judged answers: {number(length)}")
    why = reasons(outcomes)
    print(f"\nunchecked: {sum(why.values())} of {len(outcomes)}")
    print("\n".join(f"{count:6}  {reason}" for reason, count in why.most_common()))
    times = [outcome.decision.latency_ms / 1000 for outcome in outcomes]
    spread = {f"p{rank}_ms": percentile(times, rank) for rank in (50, 95)} if len(times) > 1 else {}
    print("".join(f"\n{name} {value:.1f}" for name, value in spread.items()))
    if options.list_wrong:
        print("\n" + "\n".join(_wrong(judged)))
    if options.json:
        row = {**describe(), "data": digest(source_files(options.data)), "model": model}
        figures = {name: found.figures() for name, found in judges.items()}
        append_row(options.json, {**row, "figures": figures, "unchecked": dict(why), "length_auroc": length, **spread})


def _wrong(judged: Iterable[Outcome]) -> list[str]:
    return [
        f"{outcome.answer.id}  {outcome.decision.state}  {outcome.decision.reason}"
        for outcome in judged
        if (outcome.decision.state == "block") != outcome.answer.label
    ]


if __name__ == "__main__":
    main()
