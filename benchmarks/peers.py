"""How do raguard and the other rule-based checkers on PyPI judge the same answers, and how long does each take?

python benchmarks/peers.py --data answers.jsonl
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import machine
from answers import Answer, DataError, read_answers, source_files
from peer import RAGUARD_PY, WORKERS, AnswerError, Package, PeerError, Worker
from report import append_row, percent, positive, table
from scoring import Figures, Judged, Verify, at_least, figures, flag_all, longer_than
from timing import Times, cold_verifier

from raguard import __version__
from raguard.result import Severity, Warning

OURS = "raguard"
PACKAGES = (
    RAGUARD_PY,
    Package("corroborate", "0.1.0", WORKERS / "ask_corroborate.py"),
    Package("grounded-check", "0.1.2", WORKERS / "ask_grounded_check.py"),
    Package("ancora-rag", "0.1.1", WORKERS / "ask_ancora_rag.py"),
    Package("hallucination-check", "0.1.0", WORKERS / "ask_hallucination_check.py"),
)
COLUMNS = (
    *("tool", "version", "marks", "span precision", "spans hit", "text marked"),
    *("answer precision", "answer recall", "clean flagged", "p50 ms", "p95 ms", "errors"),
)

Ask: TypeAlias = Callable[[Answer], tuple[float, list[Warning]]]
"""Asks about one answer: the seconds that it took and the warnings; raises PeerError."""


@dataclass(slots=True)
class Tool:
    """One of the tools, with everything it said; ``stopped`` is why it was not asked to the end."""

    name: str
    version: str
    ask: Ask
    judged: list[Judged] = field(default_factory=list)
    seconds: list[list[float]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    stopped: str | None = None


def main(
    arguments: Sequence[str] | None = None, *, packages: Sequence[Package] = PACKAGES, verify: Verify | None = None
) -> int:
    """Asks every tool about every answer and prints the table; returns the exit status (2: no data)."""
    options = _parser().parse_args(arguments)
    try:
        answers, sha256 = read_answers(options.data)[: options.limit], machine.digest(source_files(options.data))
    except DataError as error:
        print(f"peers.py: {error}", file=sys.stderr)
        return 2
    with ExitStack() as stack:
        tools, unavailable = _started(packages, verify or cold_verifier().verify, stack)
        for run in range(options.runs):
            _ask_all(tools, answers, first=run == 0)
    unavailable |= {f"{tool.name} {tool.version}": tool.stopped for tool in tools if tool.stopped}
    asked = [tool for tool in tools if not tool.stopped]
    place = machine.describe()
    _print(options.data.name, sha256, place, asked, unavailable)
    if options.json:
        row = {"benchmark": "peers", "data": options.data.name, "sha256": sha256, "runs": options.runs} | place
        append_row(options.json, row | {"tools": _row(asked), "unavailable": unavailable})
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="peers.py", description="Judges the same answers with raguard and its peers.")
    parser.add_argument("--data", type=Path, required=True, metavar="PATH", help="JSONL, HaluEval file or RAGTruth")
    parser.add_argument("--limit", type=positive, metavar="N", help="only the first N answers")
    parser.add_argument("--runs", type=positive, default=1, metavar="N", help="how often all is timed (default 1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row")
    return parser


def _started(packages: Iterable[Package], verify: Verify, stack: ExitStack) -> tuple[list[Tool], dict[str, str]]:
    """raguard and every peer that can be started, and why the others cannot."""
    tools, unavailable = [Tool(OURS, __version__, _in_process(verify))], {}
    for package in packages:
        try:
            worker = stack.enter_context(package.start())
        except PeerError as error:
            unavailable[f"{package.name} {package.version}"] = str(error)
        else:
            tools.append(Tool(package.name, worker.version, _in_worker(worker)))
    return tools, unavailable


def _in_process(verify: Verify) -> Ask:
    def ask(answer: Answer) -> tuple[float, list[Warning]]:
        docs = list(answer.docs)
        began = time.perf_counter()
        result = verify(answer.query, docs, answer.response)
        return time.perf_counter() - began, result.warnings

    return ask


def _in_worker(worker: Worker) -> Ask:
    def ask(answer: Answer) -> tuple[float, list[Warning]]:
        reply = worker.ask(answer.query, list(answer.docs), answer.response)
        return float(reply["seconds"]), worker.verdict(reply["warnings"], answer.response).warnings

    return ask


def _ask_all(tools: Sequence[Tool], answers: Sequence[Answer], *, first: bool) -> None:
    """One run: every tool on each answer in turn, who goes first changing; the first run's verdicts are kept."""
    for tool in tools:
        tool.seconds.append([])
    for place, answer in enumerate(answers):
        start = place % len(tools)
        for tool in (*tools[start:], *tools[:start]):
            if tool.stopped:
                continue
            warnings: list[Warning] = []
            try:
                seconds, warnings = tool.ask(answer)
                tool.seconds[-1].append(seconds)
            except AnswerError as error:
                if first:
                    tool.errors.append(f"{answer.id}: {error}")
            except PeerError as error:
                tool.stopped = str(error)
            if first:
                tool.judged.append(Judged(answer, tuple(warnings)))


def _print(
    name: str, sha256: str, place: Mapping[str, Any], tools: Sequence[Tool], unavailable: Mapping[str, str]
) -> None:
    judged = tools[0].judged
    everything = flag_all(judged)
    words, baseline = longer_than(judged)
    rows = [cells for tool in tools for cells in _rows_of(tool)]
    for label, scored in ((f"longer than {words} words", baseline), ("flag all", everything)):
        rows.append([label, *"–––––", *_answer_level(scored), *"–––"])
    print(f"## {name}: {everything.answers} answers, {everything.unsupported} unsupported (sha256 {sha256[:12]})\n")
    print(machine.line(place) + "\n")
    print(table(COLUMNS, rows))
    notes = [f"{tool.name} {tool.version}: {tool.errors[0]}" for tool in tools if tool.errors]
    for note in (*notes, *(f"{tool}: not measured: {why}" for tool, why in unavailable.items())):
        print(f"\n- {note}")


def _tiers(tool: Tool) -> dict[str, Severity]:
    """What a tool's rows are called: its own verdict and, if it has milder warnings, the verdict with those."""
    tiers: dict[str, Severity] = {tool.name: "high"}
    if any(warning.severity == "medium" for entry in tool.judged for warning in entry.warnings):
        tiers[f"{tool.name}, medium too"] = "medium"
    return tiers


def _rows_of(tool: Tool) -> list[list[str]]:
    rows = []
    for label, severity in _tiers(tool).items():
        scored, times = figures(tool.judged, at_least(severity)), _times(tool)
        placed = any(entry.answer.spans is not None for entry in tool.judged)
        rows.append(
            [
                label,
                tool.version,
                str(scored.warnings),
                percent(scored.precision if placed else None),
                percent(scored.spans_share),
                percent(_marked(tool.judged, severity)),
                *_answer_level(scored),
                "–" if times is None else f"{times.p50:.2f}",
                "–" if times is None else f"{times.p95:.2f}",
                str(len(tool.errors)),
            ]
        )
    return rows


def _answer_level(scored: Figures) -> list[str]:
    return [percent(_answer_precision(scored)), percent(scored.unsupported_share), percent(scored.clean_share)]


def _answer_precision(scored: Figures) -> float | None:
    """The share of flagged answers that are unsupported."""
    flagged = scored.clean_flagged + scored.unsupported_flagged
    return scored.unsupported_flagged / flagged if flagged else None


def _marked(judged: Iterable[Judged], severity: Severity) -> float | None:
    """The share of all answers' characters that stand under a mark: who marks more, hits more by chance."""
    keep = at_least(severity)
    characters = marked = 0
    for entry in judged:
        characters += len(entry.answer.response)
        kept = (range(mark.start, mark.end) for mark in entry.warnings if keep(mark))
        marked += len(set().union(*kept))
    return marked / characters if characters else None


def _times(tool: Tool) -> Times | None:
    """p50 and p95 over the runs; None when a run has fewer than two answers."""
    if min(map(len, tool.seconds)) < 2:
        return None
    return Times.middle([Times.of(run) for run in tool.seconds])


def _row(tools: Iterable[Tool]) -> dict[str, Any]:
    """Everything the table shows, for the JSON row."""
    row = {}
    for tool in tools:
        times = _times(tool)
        row[tool.name] = {
            "version": tool.version,
            "errors": tool.errors,
            "times": None if times is None else asdict(times),
            "tiers": {
                severity: (scored := figures(tool.judged, at_least(severity))).to_dict()
                | {"answer_precision": _answer_precision(scored), "text_marked": _marked(tool.judged, severity)}
                for severity in _tiers(tool).values()
            },
        }
    return row


if __name__ == "__main__":
    sys.exit(main())
