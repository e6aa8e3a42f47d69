"""What does ``raguard score`` do? Scores the answers of a file, shows what they come to, holds it against before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from raguard import ConfigError, Verifier
from raguard.cli.guard_page import refuse_place, refuse_shared, write_page
from raguard.cli.inputs import STDIN, InputError, not_json, read_text
from raguard.cli.output import complain, say_drawn, say_json
from raguard.cli.score_inputs import Fault, read_slices
from raguard.cli.status import INPUT_ERROR, OK, REVIEW
from raguard.metrics.built_in import METRICS, BuiltInMetric
from raguard.metrics.comparing import FewerAnswers, Regression, fewer_answers, regressions
from raguard.metrics.scoring import score
from raguard.metrics.summary import ScoredSlice, Summary, summarize

__all__ = ["ScoreRequest", "score_file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRequest:
    """What the command line says, as it says it; None and the empty list where it is silent."""

    file: str
    names: Sequence[str]
    limit: int | None
    worst: int
    baseline: Path | None
    tolerance: float
    html: Path | None
    out: Path | None
    as_json: bool
    no_color: bool


def score_file(given: ScoreRequest, verifier: Verifier) -> int:
    """Prints what the answers of a file come to; returns 1 where a metric is worse than the baseline, 2 for bad lines.

    Raises RaguardError, in one sentence, where nothing can be scored.
    """
    metrics = _chosen(given.names)
    for option, place in (("--html", given.html), ("--out", given.out)):
        if place is not None:
            refuse_place(place, option)
            refuse_shared(place, option, {"the file of the answers": given.file, "the baseline": given.baseline})
    if given.out is not None:
        refuse_shared(given.out, "--out", {"the page of --html": given.html})
    old = None if given.baseline is None else _baseline(given.baseline)
    name = "standard input" if given.file == STDIN else given.file
    scored, faults = _scored(given, verifier, metrics)
    for fault in faults:
        complain(f"{name}: line {fault.line}: {fault.why}")
    if not scored:
        raise InputError(f"{name}: holds no answer that can be scored")
    summary = summarize(scored, worst=given.worst)
    worse, fewer = ([], []) if old is None else _compared(old, summary, given)
    told = {**summary.to_dict(), "faults": [{"line": fault.line, "why": fault.why} for fault in faults]}
    if old is not None:
        told["regressions"] = [
            {"name": each.name, "before": each.before, "after": each.after, "tolerance": given.tolerance}
            for each in worse
        ]
        told["fewer_answers"] = [asdict(each) for each in fewer]
    lost = _write(given, summary, told, Path(name).name)
    _show(given, summary, told)
    against = [f"worse than {given.baseline}: {each}" for each in worse]
    against += [f"fewer answers than {given.baseline}: {each}" for each in fewer]
    for sentence in (*against, *lost):
        complain(" ".join(sentence.split()))
    if lost or faults:
        return INPUT_ERROR
    return REVIEW if worse else OK


def _chosen(names: Sequence[str]) -> tuple[BuiltInMetric, ...]:
    known = {metric.name: metric for metric in METRICS}
    for name in names:
        if name not in known:
            raise InputError(f"--metric: {name} is none; give one of {', '.join(known)}")
    return tuple(metric for metric in METRICS if not names or metric.name in names)


def _baseline(path: Path) -> Any:
    try:
        return json.loads(read_text(str(path), "the scores of before"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"--baseline: {path}: {not_json(error)}") from error


def _compared(old: Any, summary: Summary, given: ScoreRequest) -> tuple[list[Regression], list[FewerAnswers]]:
    """The metrics that are worse than before, and those that are defined for fewer answers."""
    if given.names and isinstance(old, dict) and isinstance(old.get("metrics"), list):
        # what was not asked for is not missing
        asked = [each for each in old["metrics"] if not isinstance(each, dict) or each.get("name") in given.names]
        old = {**old, "metrics": asked}
    try:
        return regressions(old, summary, given.tolerance), fewer_answers(old, summary)
    except ConfigError as error:
        raise InputError(f"--baseline: {given.baseline}: {error}") from error


def _scored(
    given: ScoreRequest, verifier: Verifier, metrics: Sequence[BuiltInMetric]
) -> tuple[list[ScoredSlice], list[Fault]]:
    scored: list[ScoredSlice] = []
    faults: list[Fault] = []
    for entry in read_slices(given.file, verifier):
        if isinstance(entry, Fault):
            faults.append(entry)
            continue
        words = len(entry.slice.answer.split())
        scored.append(ScoredSlice(entry.id, score(entry.slice, metrics=metrics), words, entry.unsupported))
        if len(scored) == given.limit:
            break
    return scored, faults


def _write(given: ScoreRequest, summary: Summary, told: Any, title: str) -> list[str]:
    """Writes the files that are asked for; returns why one cannot be written."""
    lost = []
    if given.html is not None:
        lost.append(write_page(given.html, summary.to_html(title)))
    if given.out is not None:
        lost.append(write_page(given.out, json.dumps(told, ensure_ascii=False, indent=2) + "\n", "--out"))
    return [sentence for sentence in lost if sentence is not None]


def _show(given: ScoreRequest, summary: Summary, told: Any) -> None:
    if given.as_json:
        say_json(told)
        return
    from raguard.cli.render import console
    from raguard.cli.score_render import render

    output = console(no_color=given.no_color)
    say_drawn(output, lambda: render(output, summary))
