"""Which irregular forms belong to which word? Derives rules/claims_forms.toml from WordNet's lists of exceptions.

    apt-get install wordnet-base
    python benchmarks/derive_forms.py --wordnet /usr/share/wordnet --out rules/claims_forms.toml

Kept are forms of common words that cutting off endings does not lead to their word.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from derive_soft import notice

from raguard.reading.claim_words import ClaimWords
from raguard.rulebook import load_rulebook
from raguard.text.stems import Stems

HEAD = """# Irregular forms under the word that they belong to.

[meta]
id = "claims"
source = "WordNet 3.0 (Debian wordnet-base), the exceptions of verbs and nouns, by benchmarks/derive_forms.py"
licence = "WordNet 3.0 (permissive; the notice stands at the end of this file)"
reviewed = 2026-11-30

[[rule]]
id = "claims.form"
role = "form"
accepts = ["taken", "children", "ran"]
rejects = ["take", "child", "lobster"]
"""


def exceptions(folder: Path) -> Iterator[tuple[str, str]]:
    """Each irregular form of a verb or noun with its word; where a form has several the first one."""
    seen = set[str]()
    for part in ("verb", "noun"):
        for line in (folder / f"{part}.exc").read_text(encoding="ascii").splitlines():
            form, word = line.split()[:2]
            if form not in seen and form.isalpha() and word.isalpha():
                seen.add(form)
                yield form, word


def irregular(folder: Path, stems: Stems, common: frozenset[str]) -> dict[str, list[str]]:
    """The forms of each common word that its stem does not tell."""
    found: dict[str, list[str]] = {}
    for form, word in exceptions(folder):
        if {form, word} <= common and form != word and stems[form] != stems[word]:
            found.setdefault(word, []).append(form)
    return dict(sorted(found.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description="Derives rules/claims_forms.toml from WordNet.")
    parser.add_argument("--wordnet", type=Path, required=True, help="the folder of WordNet's database files")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    rulebook = load_rulebook()
    bare = Stems(ClaimWords.endings(rulebook), {})
    found = irregular(options.wordnet, bare, rulebook["words"].words("common"))
    lines = [f"forms_of.{word} = [{', '.join(f'{form!r}' for form in forms)}]" for word, forms in found.items()]
    content = HEAD + "\n".join(lines).replace("'", '"') + f"\n\n{notice()}\n"
    options.out.write_text(content, encoding="utf-8")
    print(f"{sum(map(len, found.values())):,} forms of {len(found):,} words written to {options.out}")


if __name__ == "__main__":
    main()
