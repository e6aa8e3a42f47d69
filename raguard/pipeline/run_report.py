"""What became of one question, from its screening to its scores? Frozen, plain data that everybody only reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from raguard import VerifyResult
from raguard.claims.chunking import CorpusChunk
from raguard.claims.retrieval import Retrieved
from raguard.claims.verdicts import GuardResult
from raguard.metrics.metric import MetricScore
from raguard.pipeline.screening import Screened
from raguard.rails.decision import State
from raguard.rails.settling import RailsDecision
from raguard.result import readable_json
from raguard.text.terminals import visible

__all__ = ["RunReport"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """One run of a pipeline.

    ``state`` sums it up in one word: "pass" only when the question and the chunks were screened and every rail passed
    the answer; "block" when the question or the answer was blocked; otherwise "unchecked". ``reason`` says why in a
    sentence, without any text of question, chunks or answer.

    >>> from raguard.pipeline import Raguard
    >>> report = Raguard.from_documents(["The fee is $5 a month."]).run("What is the monthly fee?")
    >>> report.answer, report.blocked, report.scores["answer_groundedness"] > 0.5
    ('The fee is $5 a month [1].', False, True)
    """

    question: str
    answer: str | None = None
    """What the provider wrote; None when it was not asked or gave no answer. All verdicts and scores are about it."""
    shown: str | None = None
    """What the claim guard leaves of the answer, the same when its action is to annotate."""
    chunks: tuple[CorpusChunk, ...] = ()
    """What the provider was given, in order: ``[1]`` in the answer is the first."""
    found: tuple[Retrieved, ...] = ()
    """What was retrieved, best first, before chunks were left out or reordered."""
    left_out: tuple[str, ...] = ()
    """The ids of the chunks that the screens have blocked."""
    metrics: tuple[MetricScore, ...] = ()
    verdict: VerifyResult | None = None
    claims: GuardResult | None = None
    decision: RailsDecision | None = None
    """May the answer be shown? What verifier, claim guard and the other rails say together."""
    screens: Screened = field(default_factory=Screened)
    blocked: bool = False
    """Whether the screens blocked the question: then nothing was retrieved, and no part was asked."""
    errors: tuple[str, ...] = ()
    """What went wrong, a sentence for each stage."""
    timings: Mapping[str, float] = field(default_factory=dict)
    """The milliseconds of each stage that ran, and of the whole run as "total"."""

    @property
    def state(self) -> State:
        """What came of it in one word."""
        return self._outcome[0]

    @property
    def reason(self) -> str:
        """Why, in a sentence."""
        return self._outcome[1]

    @property
    def scores(self) -> dict[str, float | None]:
        """The value of each metric by its name; None where it is undefined."""
        return {score.name: score.value for score in self.metrics}

    @property
    def _outcome(self) -> tuple[State, str]:
        if self.blocked:
            return "block", "the question was blocked by the screens"
        if self.decision is not None and self.decision.state == "block":
            return "block", self.decision.reason
        gaps = list(self.errors)
        if self.answer is None and not gaps:
            gaps.append("there is no answer")
        gaps += self.screens.gaps
        if self.decision is None:
            gaps.append("the answer was not checked")
        elif self.decision.state == "unchecked":
            gaps.append(self.decision.reason)
        return ("unchecked", gaps[0]) if gaps or self.decision is None else ("pass", self.decision.reason)

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, strings, numbers and None, as ``json.dumps`` takes them; it holds all texts.

        >>> RunReport(question="What is the fee?").to_dict()["state"]
        'unchecked'
        """
        return {
            "question": self.question,
            "state": self.state,
            "reason": self.reason,
            "answer": self.answer,
            "shown": self.shown,
            "blocked": self.blocked,
            "chunks": [asdict(chunk) for chunk in self.chunks],
            "found": [{"id": each.chunk.id, "score": each.score} for each in self.found],
            "left_out": list(self.left_out),
            "metrics": [asdict(score) for score in self.metrics],
            "verdict": None if self.verdict is None else self.verdict.to_dict(),
            "claims": None if self.claims is None else self.claims.to_dict(),
            "decision": None if self.decision is None else self.decision.to_dict(),
            "screens": self.screens.to_dict(),
            "errors": list(self.errors),
            "timings": dict(self.timings),
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """``to_dict()`` as JSON; characters outside ASCII stay readable, broken surrogates are escaped."""
        return readable_json(self.to_dict(), indent)

    def __str__(self) -> str:
        """A few lines to read, harmless to a terminal: the outcome, the answer with its sources, findings, scores."""
        lines = [f"Q: {self.question}", f"{self.state}: {self.reason}"]
        if self.answer is not None:
            lines.append(f"A: {self.answer}")
        lines += (f"   [{number}] {chunk.id}" for number, chunk in enumerate(self.chunks, 1))
        findings = [finding for report in self.screens.reports for finding in report.findings]
        lines += (f"   {each.severity.value}: {each.rule} ({each.guidance})" for each in findings)
        if self.left_out:
            lines.append(f"   left out: {', '.join(self.left_out)}")
        defined = [f"{score.name} {score.value:.2f}" for score in self.metrics if score.value is not None]
        if defined:
            lines.append(f"   {', '.join(defined)}")
        lines += (f"   not done: {error}" for error in self.errors if error != self.reason)
        # no text of a case can pass for a line of the report
        return "\n".join(visible(line).replace("\n", "\n      ") for line in lines)
