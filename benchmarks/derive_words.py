"""Which English words are no proper names? Derives the rule ``words.common`` from SCOWL word lists.

    apt-get install wamerican-small wbritish-small
    cd /usr/share/dict && python …/benchmarks/derive_words.py --out …/rules/words.toml \\
        --words american-english-small british-english-small

Only the word list of that rule is rewritten, everything else is kept. The same lists give the same file.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterable
from pathlib import Path

WIDTH = 110
ONE_LETTER = frozenset("ai")

NAMES_FIRST = """
aline bob carol chad curt dick don dons eddy eve gale harry jack jay lance maria mars matt mike nestle
newton nick pat patty peter peters rainier rob robin roger sally sue thatcher tommy trump twitter vic victor
wade warren wick
"""
"""Words that a reader meets almost only as names when they are capitalised; their plain sense is rare."""

ROMAN = "ii iii iv vi vii viii ix xi xii xiii xiv xv xvi xvii xviii xix xx xxi xxii xxiii xxiv xxv"
"""Roman numerals, which the lists hold in lower case; they have a rule of their own."""

LEFT_OUT = frozenset(f"{NAMES_FIRST} {ROMAN}".split())

BLOCK = re.compile(r"""(?<=\nid = "words\.common"\n)((?:[^\n\[][^\n]*\n)*?words = '{3}\n)[^']*(?='{3})""")


def common_words(entries: Iterable[str]) -> list[str]:
    """The lower-case words of plain letters among the entries of word lists, sorted; no names or numerals."""
    return sorted({entry for entry in map(str.strip, entries) if _is_common(entry)})


def _is_common(entry: str) -> bool:
    if not (entry.isascii() and entry.isalpha() and entry.islower()):
        return False
    if len(entry) == 1:
        return entry in ONE_LETTER
    return entry not in LEFT_OUT


def rewrite(content: str, words: Iterable[str]) -> str:
    """The rule file ``content`` with the list of ``words.common`` replaced; ValueError without one."""
    block = textwrap.fill(" ".join(words), width=WIDTH, break_long_words=False, break_on_hyphens=False)
    rewritten, count = BLOCK.subn(lambda match: f"{match[1]}{block}\n", content)
    if count != 1:
        raise ValueError("found no rule words.common with a list words = '''…''' after its other keys")
    return rewritten


def main() -> None:
    parser = argparse.ArgumentParser(description="Derives the rule words.common from SCOWL word lists.")
    parser.add_argument("--words", type=Path, nargs="+", required=True, help="SCOWL lists, one word a line")
    parser.add_argument("--out", type=Path, required=True, help="the rule file to rewrite")
    options = parser.parse_args()
    words = common_words(line for path in options.words for line in path.read_text(encoding="utf-8").splitlines())
    options.out.write_text(rewrite(options.out.read_text(encoding="utf-8"), words), encoding="utf-8")
    print(f"{options.out}: words.common holds {len(words):,} words from {len(options.words)} lists")


if __name__ == "__main__":
    main()
