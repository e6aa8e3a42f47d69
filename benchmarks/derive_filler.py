"""Which words does a faithful answer bring in of its own accord? Derives rules/claims_filler.toml from such answers.

    python benchmarks/derive_filler.py DATA.jsonl… --out rules/claims_filler.toml

Counted is, over answers that are labelled supported, how many hold a word that neither their documents nor their
question hold. Leave out the set on which the claim formula is to be measured: its labels would be in the list.
"""

from __future__ import annotations

import argparse
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from answers import Answer, read_answers

from raguard.reading.claim_words import ClaimWords
from raguard.rulebook import load_rulebook
from raguard.text.folding import fold

FEWEST = 3
"""So many supported answers must bring a word in."""
ALIKE = 5
"""Words that begin with so many letters alike are not counted as brought in."""
HEAD = """# Words, by their stems, that faithful answers bring in of their own accord: they count for a third when no
# document has them.

[meta]
id = "claims"
source = "stems that at least {fewest} of {count:,} supported answers bring in, by benchmarks/derive_filler.py: {names}"
licence = "MIT; counts of words in the answers of the sets named, which have their own licences"
reviewed = 2026-11-30

[[rule]]
id = "claims.filler"
role = "filler"
accepts = ["suggest", "ensur"]
rejects = ["lobster", "octopu"]
words = '''
{words}
'''
"""


def brought_in(answer: Answer, words: ClaimWords) -> set[str]:
    """The stems of an answer's claiming words that its documents and its question lack; no names and no numbers."""
    held = {stem for text in (*answer.docs, answer.query) for stem in words.stemmed(fold(text).text)}
    beginnings = {stem[:ALIKE] for stem in held if len(stem) >= ALIKE}
    text = fold(answer.response).text
    new = (word for word in words.words(text, 0, len(text)) if word.rarity and not word.number and not word.name)
    return {word.stem for word in new if word.stem not in held and word.stem[:ALIKE] not in beginnings}


def supported(paths: Iterable[Path]) -> Iterator[Answer]:
    """The answers that are labelled supported."""
    return (answer for path in paths for answer in read_answers(path) if not answer.label)


def main() -> None:
    parser = argparse.ArgumentParser(description="Derives rules/claims_filler.toml from supported answers.")
    parser.add_argument("paths", type=Path, nargs="+", help="answer sets")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    words = ClaimWords(load_rulebook())
    answers = list(supported(options.paths))
    counts = Counter(stem for answer in answers for stem in brought_in(answer, words))
    stems = sorted(stem for stem, count in counts.items() if count >= FEWEST and stem.isascii() and stem.isalpha())
    names = ", ".join(path.stem for path in options.paths)
    block = textwrap.fill(" ".join(stems), width=118, break_long_words=False, break_on_hyphens=False)
    content = HEAD.format(fewest=FEWEST, count=len(answers), names=names, words=block)
    options.out.write_text(content, encoding="utf-8")
    print(f"{len(stems):,} stems of {len(answers):,} supported answers written to {options.out}")


if __name__ == "__main__":
    main()
