"""How often do the screens stop an ordinary text, what do they find, and how long do they take?

python benchmarks/screens.py labelled/*.jsonl --list 20

The ordinary questions and attacks are those of tests/screen_texts/. Each data file gives its questions and documents,
each text once; whatever blocks there is listed by rule with --list, to be judged by a reader.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import machine
from report import append_row, percent, positive, table
from scoring import share

from raguard.screens import (
    Finding,
    PIIDetector,
    PresidioScreen,
    PromptInjectionFilter,
    Screen,
    ScreenSeverity,
    SensitiveDomainGuard,
)

SUITE = Path(__file__).resolve().parent.parent / "tests" / "screen_texts"
_AROUND = 60
_RUNS = 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the rates, the recall on the attacks and the times; returns 1 when an ordinary question blocks."""
    options = _parser().parse_args(arguments)
    screens: list[Screen] = [PIIDetector(), PromptInjectionFilter(), SensitiveDomainGuard()]
    if options.presidio:
        screens.append(PresidioScreen())
    place = machine.describe()
    print(machine.line(place) + "\n")
    texts = {"ordinary questions": clean_texts()} | dict(_texts_of_files(options.files))
    rows, row = [], {}
    blocked_clean = 0
    for title, of_title in texts.items():
        for screen in screens:
            found = [(text, screen.scan(text)) for text in of_title]
            blocks, warns = rate(found, ScreenSeverity.BLOCK), rate(found, ScreenSeverity.WARN)
            rows.append(
                [
                    title,
                    screen.name,
                    f"{len(of_title):,}",
                    *(f"{n} ({percent(share(n, len(of_title)))})" for n in (blocks, warns)),
                ]
            )
            row[f"{title}: {screen.name}"] = {"texts": len(of_title), "block": blocks, "warn": warns}
            blocked_clean += blocks if title == "ordinary questions" else 0
            _list(title, screen.name, found, options.list)
    print(table(["texts", "screen", "n", "block", "warn"], rows) + "\n")
    recalled = recall(screens)
    print(
        table(
            ["attacks of our own", "n", "found", "blocked"],
            [[name, *map(str, counts)] for name, counts in recalled.items()],
        )
        + "\n"
    )
    times = {screen.name: milliseconds(screen, _long_text(texts)) for screen in screens}
    print(table(["screen", "ms per 1,000 characters"], [[name, f"{ms:.3f}"] for name, ms in times.items()]))
    if options.json:
        append_row(options.json, {"benchmark": "screens"} | place | {"rates": row, "recall": recalled, "ms": times})
    return 1 if blocked_clean else 0


def clean_texts() -> list[str]:
    """The ordinary questions of the test suite."""
    lines = (SUITE / "clean.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def attacks() -> list[tuple[str, str]]:
    """The attacks of the test suite: category and text."""
    lines = (SUITE / "attacks.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t", 1) for line in lines if line.strip() and not line.startswith("#"))
    return [(category, text.replace("\\n", "\n")) for category, text in pairs]


def rate(found: Iterable[tuple[str, tuple[Finding, ...]]], severity: ScreenSeverity) -> int:
    """How many texts have a finding of ``severity`` and none that is worse, harmless ones aside."""
    worst = [
        max((list(ScreenSeverity).index(finding.severity) for finding in of_text), default=0) for _, of_text in found
    ]
    return worst.count(list(ScreenSeverity).index(severity))


def recall(screens: Sequence[Screen]) -> Mapping[str, tuple[int, int, int]]:
    """For each category: how many attacks there are, in how many something is found, and how many block."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for category, text in attacks():
        severities = {finding.severity for screen in screens for finding in screen.scan(text)} - {ScreenSeverity.PASS}
        of_category = counts[category]
        of_category[0] += 1
        of_category[1] += bool(severities)
        of_category[2] += ScreenSeverity.BLOCK in severities
    return {category: (total, found, blocked) for category, (total, found, blocked) in counts.items()}


def milliseconds(screen: Screen, text: str, clock: Callable[[], float] = time.perf_counter) -> float:
    """The least time over some runs for a thousand characters of a long ordinary text."""
    screen.scan(text)
    taken = []
    for _ in range(_RUNS):
        began = clock()
        screen.scan(text)
        taken.append(clock() - began)
    return 1_000_000 * min(taken) / len(text)


def _texts_of_files(paths: Sequence[Path]) -> Iterator[tuple[str, list[str]]]:
    plain = [path for path in paths if path.suffix != ".jsonl"]
    if plain:
        yield "text files: documents", [path.read_text(encoding="utf-8", errors="replace") for path in plain]
    for path in (path for path in paths if path.suffix == ".jsonl"):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        questions = dict.fromkeys(str(row.get("query") or row.get("question") or "") for row in rows)
        documents = dict.fromkeys(doc for row in rows for doc in row.get("docs", ()))
        yield f"{path.stem}: questions", list(questions)
        if documents:
            yield f"{path.stem}: documents", list(documents)


def _list(title: str, name: str, found: Iterable[tuple[str, tuple[Finding, ...]]], most: int) -> None:
    """Prints findings that block or warn, at most so many of a rule."""
    shown: Counter[str] = Counter()
    for text, of_text in found:
        for finding in of_text:
            if finding.severity is not ScreenSeverity.PASS and shown[finding.rule] < most:
                shown[finding.rule] += 1
                around = text[max(0, finding.start - _AROUND) : finding.end + _AROUND].replace("\n", " ")
                print(f"{title} | {name} | {finding.severity} | {finding.rule} | {finding.text!r} | {around}")


def _long_text(texts: Mapping[str, list[str]]) -> str:
    documents = [text for title, of_title in texts.items() if title.endswith("documents") for text in of_title]
    return "\n\n".join(documents or texts["ordinary questions"])[:200_000]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="screens.py", description="Rates, recall and times of the screens.")
    parser.add_argument(
        "files", type=Path, nargs="*", metavar="PATH", help="labelled answers in JSON lines; of other files the text"
    )
    parser.add_argument("--list", type=positive, default=0, metavar="N", help="print up to N findings of each rule")
    parser.add_argument("--presidio", action="store_true", help="also run Presidio with the small model")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row")
    return parser


if __name__ == "__main__":
    sys.exit(main())
