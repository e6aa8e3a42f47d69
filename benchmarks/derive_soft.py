"""Which words put a thing in other words rather than bring in a new one? Derives rules/claims_soft.toml from WordNet.

    apt-get install wordnet-base
    python benchmarks/derive_soft.py --wordnet /usr/share/wordnet --out rules/claims_soft.toml

Verbs of saying, thinking and feeling, adverbs, and nouns of thought, talk and events: a faithful answer brings them in
of its own accord, where an invented one brings in things, amounts and names. A word counts by the senses in which it is
met most (WordNet's counts over tagged texts). The same WordNet gives the same file.
"""

from __future__ import annotations

import argparse
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from raguard.reading.claim_words import ClaimWords
from raguard.rulebook import load_rulebook

PARTS = ("noun", "verb", "adj", "adv")
SOFT = frozenset({2, 9, 10, 11, 12, 26, 31, 32, 36, 37, 39, 41, 42})
"""WordNet's lexicographer files (lexnames(5WN)): adv.all; noun.cognition, .communication, .event, .feeling, .state;
verb.cognition, .communication, .creation, .emotion, .perception, .social, .stative."""
THINGS = frozenset({3, 5, 6, 8, 13, 15, 17, 19, 20, 22, 23, 25, 27, 28, 34})
"""noun.Tops, .animal, .artifact, .body, .food, .location, .object, .phenomenon, .plant, .process, .quantity, .shape,
.substance, .time; verb.consumption."""
UNSEEN = 0.1
"""What a common word counts for in its first sense when no tagged text has it."""
HEAD = """# Words, by their stems, that put things in other words: they count for half when the documents lack them.

[meta]
id = "claims"
source = "WordNet 3.0 (Debian wordnet-base), lexicographer files and sense counts, by benchmarks/derive_soft.py"
licence = "WordNet 3.0 (permissive; the notice stands at the end of this file)"
reviewed = 2026-11-30

[[rule]]
id = "claims.soft"
role = "soft"
accepts = ["believ", "sudden"]
rejects = ["lobster", "cave"]
words = '''
{words}
'''

{notice}
"""


NOTICE = """
WordNet Release 3.0 This software and database is being provided to you, the LICENSEE, by Princeton University under
the following license. By obtaining, using and/or copying this software and database, you agree that you have read,
understood, and will comply with these terms and conditions.: Permission to use, copy, modify and distribute this
software and database and its documentation for any purpose and without fee or royalty is hereby granted, provided
that you agree to comply with the following copyright notice and statements, including the disclaimer, and that the
same appear on ALL copies of the software, database and documentation, including modifications that you make for
internal use or for distribution. WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved. THIS
SOFTWARE AND DATABASE IS PROVIDED "AS IS" AND PRINCETON UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES, EXPRESS
OR IMPLIED. BY WAY OF EXAMPLE, BUT NOT LIMITATION, PRINCETON UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES OF
MERCHANTABILITY OR FITNESS FOR ANY PARTICULAR PURPOSE OR THAT THE USE OF THE LICENSED SOFTWARE, DATABASE OR
DOCUMENTATION WILL NOT INFRINGE ANY THIRD PARTY PATENTS, COPYRIGHTS, TRADEMARKS OR OTHER RIGHTS. The name of
Princeton University or Princeton may not be used in advertising or publicity pertaining to distribution of the
software and/or database. Title to copyright in this software, database and any associated documentation shall at
all times remain with Princeton University and LICENSEE agrees to preserve same.
"""


def notice() -> str:
    """WordNet's notice as the comment that stands at the end of what is derived from it."""
    return textwrap.fill(" ".join(NOTICE.split()), width=118, initial_indent="# ", subsequent_indent="# ")


def tagged(folder: Path) -> Iterator[tuple[str, int, float]]:
    """Each lemma of one word with a lexicographer file and how often tagged texts have it so."""
    for line in (folder / "cntlist.rev").read_text(encoding="ascii").splitlines():
        key, _, count = line.split()
        lemma, _, sense = key.partition("%")
        if lemma.isalpha() and lemma.islower():
            yield lemma, int(sense.split(":")[1]), float(count)


def listed(folder: Path, common: frozenset[str]) -> Iterator[tuple[str, int, float]]:
    """Each common lemma with the lexicographer file of its first sense, for each part of speech."""
    for part in PARTS:
        files = {}
        for line in (folder / f"data.{part}").read_text(encoding="latin-1").splitlines():
            if not line.startswith(" "):
                offset, file, _ = line.split(None, 2)
                files[offset] = int(file)
        for line in (folder / f"index.{part}").read_text(encoding="latin-1").splitlines():
            fields = line.split()
            if not line.startswith(" ") and fields[0] in common:
                yield fields[0], files[fields[6 + int(fields[3])]], UNSEEN


def soft_stems(folder: Path, words: ClaimWords, common: frozenset[str]) -> list[str]:
    """The stems whose words are met as soft ones more often than as others, sorted."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for lemma, file, count in (*tagged(folder), *listed(folder, common)):
        kind = "soft" if file in SOFT else "thing" if file in THINGS else "other"
        counts[words.stems[lemma]][kind] += count
    return sorted(stem for stem, kinds in counts.items() if kinds.most_common(1)[0][0] == "soft")


def main() -> None:
    parser = argparse.ArgumentParser(description="Derives rules/claims_soft.toml from WordNet.")
    parser.add_argument("--wordnet", type=Path, required=True, help="the folder of WordNet's database files")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    rulebook = load_rulebook()
    stems = soft_stems(options.wordnet, ClaimWords(rulebook), rulebook["words"].words("common"))
    block = textwrap.fill(" ".join(stems), width=118, break_long_words=False, break_on_hyphens=False)
    options.out.write_text(HEAD.replace("{words}", block).replace("{notice}", notice()), encoding="utf-8")
    print(f"{len(stems):,} stems written to {options.out}")


if __name__ == "__main__":
    main()
