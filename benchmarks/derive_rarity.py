"""How seldom do documents hold a word? Derives rules/claims_rarity.toml from the documents of answer sets.

    python benchmarks/derive_rarity.py DATA.jsonl… --out rules/claims_rarity.toml

Counted are stems over pieces of documents, each once; no answer and no label is read. Leave out the set on which the
claim formula is to be measured.
"""

from __future__ import annotations

import argparse
import json
import math
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from raguard.reading.claim_words import ClaimWords
from raguard.rulebook import load_rulebook
from raguard.text.folding import fold

PIECE = 2_000
"""Long documents are counted in pieces of so many characters, else they hold every word."""
SHORTEST = 100
FEWEST = 3
"""A stem that fewer pieces hold is as rare as one that none does."""
STEP = 0.5
HEAD = """# How seldom documents hold a word: its stem under the rounded logarithm of all texts by those that hold it.

[meta]
id = "claims"
source = "stems counted over {count:,} pieces of documents by benchmarks/derive_rarity.py: {names}"
licence = "MIT; counts of words in the documents of the sets named, which have their own licences"
reviewed = 2026-11-30
"""
RULE = """
[[rule]]
id = "claims.rarity.{name}"
role = "rarity"
rarity = {rarity}
accepts = ["{first}"]
rejects = ["not-a-stem"]
words = '''
{words}
'''
"""


def pieces(paths: Iterable[Path]) -> Iterator[str]:
    """The documents of the sets in pieces, each text once."""
    seen = set[str]()
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            for text in json.loads(line)["docs"]:
                for start in range(0, len(text), PIECE):
                    piece = text[start : start + PIECE]
                    if len(piece) >= SHORTEST and piece not in seen:
                        seen.add(piece)
                        yield fold(piece).text


def rarities(texts: Iterable[str], words: ClaimWords) -> tuple[int, dict[float, list[str]]]:
    """How many texts there are, and the stems of each rounded rarity in nats."""
    held: Counter[str] = Counter()
    count = 0
    for text in texts:
        count += 1
        held.update(set(words.stemmed(text)))
    by_rarity: dict[float, list[str]] = defaultdict(list)
    for stem, number in sorted(held.items()):
        if number >= FEWEST and stem.isascii() and stem.isalnum():
            by_rarity[round(math.log(count / number) / STEP) * STEP].append(stem)
    return count, by_rarity


def main() -> None:
    parser = argparse.ArgumentParser(description="Derives rules/claims_rarity.toml from documents.")
    parser.add_argument("paths", type=Path, nargs="+", help="answer sets, JSON lines with docs")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    count, by_rarity = rarities(pieces(options.paths), ClaimWords(load_rulebook()))
    content = HEAD.format(count=count, names=", ".join(path.stem for path in options.paths))
    for rarity, stems in sorted(by_rarity.items()):
        name = f"{rarity:.1f}".replace(".", "_")
        block = textwrap.fill(" ".join(stems), width=118, break_long_words=False, break_on_hyphens=False)
        content += RULE.format(name=name, rarity=rarity, first=stems[0], words=block)
    options.out.write_text(content, encoding="utf-8")
    print(f"{sum(map(len, by_rarity.values())):,} stems of {count:,} pieces written to {options.out}")


if __name__ == "__main__":
    main()
