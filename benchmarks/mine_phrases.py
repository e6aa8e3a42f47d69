"""How often do invented and faithful answers hold a vague phrase that nothing given to them holds?

    python benchmarks/mine_phrases.py labelled/*.jsonl            # the table: every phrase, then candidates
    python benchmarks/mine_phrases.py labelled/*.jsonl --write    # and the counts into rules/vague.toml

Reads JSONL of two forms: answers (``response``, ``label``, ``docs``, ``query``; a made twin of another
answer names it in ``pair`` and is left out) and questions with true and false answers (``question``,
``best_answer``, ``correct_answers``, ``incorrect_answers``). An answer counts once however often it is
listed, and a phrase once an answer.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raguard.checks.vague import vague_phrases
from raguard.rulebook import load_rulebook, rules_folder
from raguard.text.phrases import word_set

FEW = 3
"""A candidate seen in fewer answers than this says nothing."""
MANY_FAITHFUL = 20
"""A phrase in so many faithful answers, and in invented ones no more often, is left out of the rules."""

WORD = re.compile(r"[^\W_]{1,40}(?:['-][^\W_]{1,40}){0,5}")
NOUNS = """
accounts analysts article articles authorities belief critics data doctors documents economists estimates
evidence experts findings historians insiders legend literature media observers officials people polls
record records report reports research researchers reviews scholars scientists source sources statistics
studies study survey surveys tradition
"""
VERBS = """
agree agreed allege alleged argue argued believe believed claim claimed confirm confirmed consider
considered find found indicate indicated known mentioned noted recommend recommended report reported reveal
revealed rumored said say says show showed shown shows state stated states suggest suggested suggests think
thought
"""
SOURCE_NOUNS, REPORTING_VERBS = frozenset(NOUNS.split()), frozenset(VERBS.split())
OPENERS = frozenset({"it", "is", "was", "been", "as", "widely", "often", "generally"})

Finder = Callable[[str], Iterable[tuple[str, int, int]]]


@dataclass(frozen=True)
class Answer:
    """One labelled answer and all that was given to whoever wrote it."""

    text: str
    invented: bool
    given: str
    group: str
    """Its data set and task; the share of invented answers differs too much between them to be compared."""


@dataclass
class Seen:
    """In how many invented and faithful answers something stands, and how many invented ones chance gives."""

    hallucinated: int = 0
    faithful: int = 0
    expected: float = 0.0

    def add(self, answer: Answer, shares: Mapping[str, float]) -> None:
        self.hallucinated += answer.invented
        self.faithful += not answer.invented
        self.expected += shares[answer.group]

    @property
    def lift(self) -> float:
        """How many times more often invented answers hold it than the share of their groups explains."""
        return self.hallucinated / self.expected if self.expected else 0.0


def read_answers(paths: Iterable[Path]) -> Iterator[Answer]:
    """The answers of JSONL files, each text once a label."""
    known: set[tuple[str, bool]] = set()
    for path in paths:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                for answer in _answers(json.loads(line)):
                    if (answer.text, answer.invented) not in known:
                        known.add((answer.text, answer.invented))
                        yield answer


def _answers(entry: Mapping[str, Any]) -> Iterator[Answer]:
    if "correct_answers" in entry:
        for key, invented in (("correct_answers", False), ("incorrect_answers", True)):
            for text in entry[key]:
                yield Answer(text, invented, entry["question"], "questions")
        yield Answer(entry["best_answer"], False, entry["question"], "questions")
    elif entry.get("pair") in (None, entry.get("id")):
        given = "\n".join([*entry["docs"], entry["query"] or ""])
        yield Answer(entry["response"], bool(entry["label"]), given, f"{entry['source']} {entry['task']}")


def invented_shares(answers: Iterable[Answer]) -> dict[str, float]:
    """Which share of each group's answers is invented."""
    labels: dict[str, list[bool]] = defaultdict(list)
    for answer in answers:
        labels[answer.group].append(answer.invented)
    return {group: sum(marks) / len(marks) for group, marks in labels.items()}


def plain(text: str) -> str:
    """The words of ``text`` in lower case with one space around each.

    >>> plain("According to the\\nReport:")
    ' according to the report '
    """
    return f" {' '.join(WORD.findall(text.lower()))} "


def count(answers: Sequence[Answer], find: Finder) -> tuple[dict[str, Seen], dict[str, Seen]]:
    """How often each rule, and each phrase of it, stands in answers where nothing given holds that phrase."""
    rules: dict[str, Seen] = defaultdict(Seen)
    phrases: dict[str, Seen] = defaultdict(Seen)
    shares = invented_shares(answers)
    for answer in answers:
        hits = {(rule, plain(answer.text[start:end])) for rule, start, end in find(answer.text)}
        given = plain(answer.given) if hits else ""
        new = {(rule, phrase) for rule, phrase in hits if phrase not in given}
        for rule, phrase in new:
            phrases[f"{rule}: {phrase.strip()}"].add(answer, shares)
        for rule in {rule for rule, _ in new}:
            rules[rule].add(answer, shares)
    return rules, phrases


def candidates(answers: Sequence[Answer], find: Finder) -> dict[str, Seen]:
    """Runs of 2 to 5 words that name a source and report, that nothing given holds and that no rule finds."""
    seen: dict[str, Seen] = defaultdict(Seen)
    shares = invented_shares(answers)
    for answer in answers:
        runs = set(_runs(plain(answer.text).split()))
        given = plain(answer.given) if runs else ""
        for run in runs:
            if f" {run} " not in given:
                seen[run].add(answer, shares)
    often = {run: tally for run, tally in seen.items() if tally.hallucinated + tally.faithful >= FEW}
    return {run: tally for run, tally in often.items() if not any(True for _ in find(run))}


def _runs(words: list[str]) -> Iterator[str]:
    for start in range(len(words)):
        for size in range(2, 6):
            run = words[start : start + size]
            if len(run) == size and _reports(run):
                yield " ".join(run)


def _reports(run: list[str]) -> bool:
    """Whether a run is "according to …", a source that reports, or a belief without a believer."""
    if run[:2] == ["according", "to"]:
        return len(run) > 2 and run[-1] in SOURCE_NOUNS
    if run[0] in SOURCE_NOUNS or (len(run) > 2 and run[1] in SOURCE_NOUNS):
        return run[-1] in REPORTING_VERBS
    return run[0] in OPENERS and run[-1] in REPORTING_VERBS


def write_seen(content: str, seen: Mapping[str, Seen]) -> str:
    """The rule file ``content`` with the counts of every rule in its ``seen`` line; all else is kept."""
    blocks = re.split(r"(?m)^(?=\[\[rule\]\])", content)
    return blocks[0] + "".join(_with_counts(block, seen) for block in blocks[1:])


def _with_counts(block: str, seen: Mapping[str, Seen]) -> str:
    lines = [line for line in block.split("\n") if not line.startswith("seen = ")]
    place = next(number for number, line in enumerate(lines) if line.startswith("id = "))
    tally = seen.get(lines[place].split('"')[1], Seen())
    counts = f"seen = {{ hallucinated = {tally.hallucinated}, faithful = {tally.faithful} }}"
    return "\n".join([*lines[: place + 1], counts, *lines[place + 1 :]])


def table(title: str, rows: Mapping[str, Seen]) -> str:
    """Lines of counts and lift, most frequent first."""
    lines = [f"\n{title}\n{'invented':>9} {'faithful':>9} {'lift':>6}"]
    for name, tally in sorted(rows.items(), key=lambda row: (-row[1].hallucinated - row[1].faithful, row[0])):
        mark = "  leave out" if tally.faithful >= MANY_FAITHFUL and tally.lift < 1 else ""
        lines.append(f"{tally.hallucinated:9} {tally.faithful:9} {tally.lift:6.2f}  {name}{mark}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Counts vague phrases in labelled answers.")
    parser.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="JSONL files of labelled answers")
    parser.add_argument("--write", action="store_true", help="write the counts into rules/vague.toml")
    options = parser.parse_args()
    phrases_of_rules = vague_phrases(load_rulebook(), ())

    def find(text: str) -> Iterator[tuple[str, int, int]]:
        return ((hit.rule.id, hit.start, hit.end) for hit in phrases_of_rules.find(text, word_set(text)))

    answers = list(read_answers(options.paths))
    rules, phrases = count(answers, find)
    invented = sum(answer.invented for answer in answers)
    print(f"{invented:,} invented and {len(answers) - invented:,} faithful answers")
    print(table("rules", rules))
    print(table("phrases", phrases))
    print(table("candidates, found by no rule", candidates(answers, find)))
    if options.write:
        path = rules_folder() / "vague.toml"
        path.write_text(write_seen(path.read_text(encoding="utf-8"), rules), encoding="utf-8")
        print(f"\n{path}: counts written")


if __name__ == "__main__":
    main()
