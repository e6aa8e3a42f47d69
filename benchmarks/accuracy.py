"""How many warnings are right, how many spans do they hit, and how often is a clean answer flagged?

python benchmarks/accuracy.py answers.jsonl --list-false
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import machine
from answers import Answer, DataError, read_answers, read_ragtruth, source_files
from peer import Peer, PeerError
from report import COLUMNS, append_row, cells, false_list, missed_list, percent, positive, table
from scoring import (
    ANSWER_KEYS,
    WARNING_KEYS,
    Figures,
    Judged,
    Keep,
    Verify,
    at_least,
    false_alarms,
    figures,
    flag_all,
    found_by_class,
    judge,
    longer_than,
    missed_spans,
    narrowed,
    warnings_hash,
)

from raguard import Verifier
from raguard.result import SEVERITIES, Severity

DEFAULT_BREAKDOWNS = ("task", "generator", "type")
NOTHING_NEW = ("negation-added", "negation-dropped", "number-swapped-in-documents")
"""Classes of made twins whose change brings in no new value; "changed values" leaves them out."""


def main(arguments: Sequence[str] | None = None, *, verify: Verify | None = None) -> int:
    """Scores every data set named; returns the exit status (2 when data or peer cannot be used)."""
    options = _parser().parse_args(arguments)
    try:
        sets = _data_sets(options)
        with ExitStack() as stack:
            judge_with = verify or _verify(options, stack)
            everything: list[Judged] = []
            for name, files, answers in sets:
                judged = judge(answers, judge_with)
                _score(name, files, judged, options)
                everything += judged
    except (DataError, PeerError) as error:
        print(f"accuracy.py: {error}", file=sys.stderr)
        return 2
    if len(sets) > 1:
        print(f"warnings of all {len(sets)} sets in this order: sha256 {warnings_hash(everything)}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="accuracy.py", description="Scores raguard on labelled answers.")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="JSONL, HaluEval file or RAGTruth folder")
    parser.add_argument("--ragtruth", nargs=2, type=Path, metavar=("RESPONSE", "SOURCE"), help="RAGTruth's two files")
    parser.add_argument("--split", choices=("train", "test"), help="only this part of RAGTruth as published")
    parser.add_argument("--severity", choices=SEVERITIES, help="only this tier (or worse); high and medium otherwise")
    parser.add_argument("--type", help="only warnings of this type")
    parser.add_argument(
        "--by", action="append", choices=[*ANSWER_KEYS, *WARNING_KEYS], help="break down by this (repeat)"
    )
    parser.add_argument("--list-false", action="store_true", help="list every false alarm of the last tier shown")
    parser.add_argument("--list-missed", action="store_true", help="list every missed span of the last tier shown")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row per data set")
    parser.add_argument("--limit", type=positive, metavar="N", help="only the first N answers of each data set")
    parser.add_argument("--peer", action="store_true", help="score raguard-py 0.1.1 instead of raguard")
    parser.add_argument("--peer-venv", type=Path, metavar="DIR", help="where raguard-py is or will be installed")
    return parser


def _data_sets(options: argparse.Namespace) -> list[tuple[str, tuple[Path, ...], list[Answer]]]:
    """Name, files and answers of everything that was named; all is read before anything is scored."""
    sets = [
        (path.name, source_files(path), read_answers(path, split=options.split)[: options.limit])
        for path in options.paths
    ]
    if options.ragtruth:
        files = tuple(options.ragtruth)
        sets.append(("RAGTruth", files, read_ragtruth(*files, split=options.split)[: options.limit]))
    if not sets:
        raise DataError("no data named; give a PATH or --ragtruth RESPONSE SOURCE")
    for name, _, answers in sets:
        if not answers:
            raise DataError(f"{name}: holds no answers of the part {options.split}")
    return sets


def _verify(options: argparse.Namespace, stack: ExitStack) -> Verify:
    if options.peer:
        return stack.enter_context(Peer(options.peer_venv)).verify
    return Verifier().verify


def _score(name: str, files: tuple[Path, ...], judged: list[Judged], options: argparse.Namespace) -> None:
    """Prints the tables of one data set and writes its row."""
    tiers = _tiers(options)
    sha256 = machine.digest(files)
    overall = flag_all(judged)
    print(f"## {name}: {overall.answers} answers, {overall.unsupported} unsupported (sha256 {sha256[:12]})\n")
    print(f"warnings: sha256 {warnings_hash(judged)}\n")
    unchecked = sum(entry.unchecked() for entry in judged)
    if unchecked:
        gaps = Counter(gap for entry in judged for gap in entry.gaps)
        named = ", ".join(f"{gap} {count}" for gap, count in gaps.most_common()) or "see their error warnings"
        print(f"{unchecked} answers could not be checked, or not fully: {named}\n")
    words, baseline = longer_than(judged)
    rows = [[tier, *cells(figures(judged, keep))] for tier, keep in tiers.items()]
    for label, scored in ((f"longer than {words} words", baseline), ("flag all", overall)):
        rows.append([label, *cells(scored, baseline=True)])
    print(table(["tier", *COLUMNS], rows) + "\n")

    if any(entry.answer.kind for entry in judged):
        _print_classes(judged, tiers)
    for key in options.by or DEFAULT_BREAKDOWNS:
        _print_breakdown(key, judged, tiers)
    last = list(tiers.values())[-1]
    if options.list_false:
        print(false_list(false_alarms(judged, last)) + "\n")
    if options.list_missed:
        print(missed_list(missed_spans(judged, last)) + "\n")
    if options.json:
        row = {"benchmark": "accuracy", "subject": "raguard-py" if options.peer else "raguard", "data": name}
        append_row(options.json, row | {"sha256": sha256} | machine.describe() | _row(judged, tiers))


def _tiers(options: argparse.Namespace) -> dict[str, Keep]:
    chosen: list[Severity] = [options.severity] if options.severity else ["high", "medium"]
    return {"+".join(SEVERITIES[: SEVERITIES.index(last) + 1]): at_least(last, options.type) for last in chosen}


def _breakdown(key: str, judged: list[Judged], keep: Keep) -> dict[str, tuple[list[Judged], Figures]]:
    """Per value of the key the answers concerned and the figures, in alphabetical order."""
    if key in ANSWER_KEYS:
        of_answer = ANSWER_KEYS[key]
        groups: dict[str, list[Judged]] = {}
        for entry in judged:
            groups.setdefault(of_answer(entry.answer), []).append(entry)
        return {name: (group, figures(group, keep)) for name, group in sorted(groups.items())}
    of_warning = WARNING_KEYS[key]
    names = sorted({of_warning(warning) for entry in judged for warning in entry.warnings if keep(warning)})
    return {name: (judged, figures(judged, narrowed(keep, of_warning, name))) for name in names}


def _print_breakdown(key: str, judged: list[Judged], tiers: dict[str, Keep]) -> None:
    """One table; by task and the like each group has its own length baseline beside it."""
    baselines = key in ANSWER_KEYS
    rows = []
    for tier, keep in tiers.items():
        for name, (group, scored) in _breakdown(key, judged, keep).items():
            row = [name, tier, *cells(scored)]
            if baselines:
                words, length = longer_than(group)
                row.append(f"{length.f1 or 0:.3f} (> {words})")
            rows.append(row)
    headers = [key, "tier", *COLUMNS, *(["length F1 (words)"] if baselines else [])]
    print(table(headers, rows) + "\n")


def _print_classes(judged: list[Judged], tiers: dict[str, Keep]) -> None:
    rows = []
    for tier, keep in tiers.items():
        classes = found_by_class(judged, keep)
        rows += [[name, tier, str(total), percent(found / total)] for name, (total, found) in classes.items()]
        total, found = _changed_values(classes)
        rows.append(["changed values", tier, str(total), percent(found / total if total else None)])
    print(table(["class", "tier", "answers", "found"], rows) + "\n")


def _changed_values(classes: dict[str, tuple[int, int]]) -> tuple[int, int]:
    counts = [count for name, count in classes.items() if name not in NOTHING_NEW]
    return sum(total for total, _ in counts), sum(found for _, found in counts)


def _row(judged: list[Judged], tiers: dict[str, Keep]) -> dict[str, Any]:
    """Everything the tables can show, for the JSON row."""
    words, length = longer_than(judged)
    return {
        "unchecked": sum(entry.unchecked() for entry in judged),
        "warnings_sha256": warnings_hash(judged),
        "tiers": {
            tier: figures(judged, keep).to_dict()
            | {"found_by_class": found_by_class(judged, keep)}
            | {
                f"by_{key}": {name: scored.to_dict() for name, (_, scored) in _breakdown(key, judged, keep).items()}
                for key in (*ANSWER_KEYS, *WARNING_KEYS)
            }
            for tier, keep in tiers.items()
        },
        "longer_than": {"words": words} | length.to_dict(),
        "flag_all": flag_all(judged).to_dict(),
    }


if __name__ == "__main__":
    sys.exit(main())
