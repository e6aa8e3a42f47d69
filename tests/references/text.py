"""How is text made readable the slow way: every character looked up, every pattern tried at every place?"""

from __future__ import annotations

import re
from collections import Counter

from raguard.language import UNDETERMINED, LanguageGuesser
from raguard.lexicon import Lexicon
from raguard.reading.claim_words import _WORD, ClaimWords
from raguard.reading.quotes import _REACH, QuoteReader
from raguard.text.folding import _WIDE, _WIDTHLESS, _table
from raguard.text.markup import _DRESS
from raguard.text.outline import Outliner
from raguard.text.scripts import _CLOSE, _SCALES, _SPACED
from raguard.text.view import View
from raguard.text.words import lowered, plain_words

_RESIZED = re.compile(f"\u00ad ?\n(?=\\w)|[{_WIDTHLESS}{''.join(_WIDE)}]")
_BREAK = re.compile("(?<=[^\\W\\d_]{2})\u200b(?=\\d)|(?<=\\d)\u200b(?=[^\\W\\d_]{2})")
_BORDER = re.compile(
    f"[0-9](?=[{_CLOSE}]|[{_SPACED}]{{2}})|[{_CLOSE}](?=[0-9])"
    f"|(?<=[0-9])[{_SCALES}](?=[{_CLOSE}])|(?<=[{_CLOSE}])-(?=[0-9])"
)
_SENTENCE_END = re.compile(
    r"[.!?](?:(?<!\bNo\.(?=\s\d))(?<!\b[A-Z]\.(?=\s[a-z]))[\"')\]]{0,3}\s+|(?<=[a-z].)(?=[A-Z][a-z ]))|\n+"
)
_PARTED = re.compile(
    r"(?<![^\W_])(?P<head>[A-Za-z][a-z]{1,20})(?P<gap>-[ \t]?\n[ \t]{0,8})(?P<tail>[a-z]{2,20})(?![\w-])"
)
_CLAIM_END = re.compile(r"[.!?]{1,3}[\"')\]]{0,3}(?=\s)|\n")
_QUOTE_MARK = re.compile(r"\"|(?<!\w)'(?=\w)|(?<=[\w.,!?])'(?!\w)|[「」『』]")
_IN_NAME = re.compile(
    r"(?<=\w) (?:(?:van|von|de|del|della|di|da|do|dos|das|du|des|la|le|los|las|y|al|bin)\s){1,2}"
    r"(?:(?:der|den|dem|het|la|las|los)\s)?(?=[A-Z])"
    r"|(?<=[\w,;] )(?:La|Le|Las|Los|El|Il|De|Des|Da|Du|Van|Von|Der|Den|Les)\s(?=[A-Z])"
)


def fold(text: str) -> View:
    """The view of ``text`` by one look at each of its characters."""
    lines = _BREAK.sub(" ", text.replace("\r\n", " \n"))
    view = View(text, lines.translate(_table()))
    edits = [(match.start(), match.end(), _WIDE.get(match.group(), "")) for match in _RESIZED.finditer(view.text)]
    view = view.edit(edits) if edits else view
    ends = [
        (match.start() if match.group() == "-" else match.end(), match.end()) for match in _BORDER.finditer(view.text)
    ]
    spaces = [(start, end, " ") for start, end in ends]
    return view.edit(spaces) if spaces else view


def dress(text: str) -> list[tuple[int, int]]:
    """Where ``text`` has dress, tried at every place."""
    return [match.span() for match in _DRESS.finditer(text)]


def joins(lexicon: Lexicon, text: str) -> list[tuple[int, int, str]]:
    """The hyphens at line ends that part one word, tried at every place."""
    _, prefixes = lexicon.affixes
    found = []
    for match in _PARTED.finditer(text):
        head, tail = match["head"].lower(), match["tail"]
        if lexicon.is_common(head + tail) or not (head in prefixes or lexicon.is_base(tail)):
            found.append((*match.span("gap"), ""))
    return found


def sentence_starts(text: str) -> tuple[int, ...]:
    """Where each sentence of ``text`` begins, tried at every place."""
    return (0, *(match.end() for match in _SENTENCE_END.finditer(text) if match.end() < len(text)))


def claim_ends(text: str) -> list[tuple[int, int]]:
    """Where sentences of an answer may end, tried at every place."""
    return [match.span() for match in _CLAIM_END.finditer(text)]


def claim_sentences(outliner: Outliner, text: str) -> list[tuple[int, int]]:
    """The sentences of an answer, each full stop looked at for an abbreviation before it."""
    stops = [end for start, end in claim_ends(text) if not outliner._abbreviated(text, start)]
    spans = zip([0, *stops], [*stops, len(text)], strict=True)
    return [(start, end) for start, end in spans if text[start:end].strip()]


def quote_marks(text: str) -> list[tuple[int, int]]:
    """The quotation marks of ``text``, tried at every place."""
    return [match.span() for match in _QUOTE_MARK.finditer(text)]


def speaker(reader: QuoteReader, text: str, start: int, end: int) -> tuple[str, ...]:
    """Whom the quotation at ``start`` to ``end`` is given to, looked for behind it and before it."""
    before = text[max(0, start - _REACH) : start].rstrip("\n").rsplit("\n", 1)[-1]
    match = reader._after.match(text, end, end + _REACH) or reader._before.search(before)
    name = () if match is None else tuple(plain_words(next(filter(None, match.groups()))).split())
    return () if reader._pronouns.issuperset(name) else name


def shown_language(guesser: LanguageGuesser, text: str) -> str | None:
    """The language that a text shows when every word is counted and every script and language looked at."""
    head = text[:1_500]
    words = _words(head)
    for code, script in [*guesser._scripts, (UNDETERMINED, re.compile(f"[{_CLOSE}{_SPACED}]"))]:
        written = "".join(script.findall(head))
        rest = sum(character.isalpha() for character in head) - sum(character.isalpha() for character in written)
        if any(map(str.isalpha, written)) and len(written) > rest:
            return code
    english = [word for word in words if word in guesser.function_words("en")]
    plainly = sum(word not in guesser._shared for word in english)
    if plainly and len(english) * 5 >= len(words):
        return "en"
    counted = Counter(_words(_IN_NAME.sub(" ", head)))
    best, most, next_most = _best(guesser, counted)
    if most >= 2 and not plainly:
        counted = Counter(words)
        best, most, next_most = _best(guesser, counted)
    if most >= 3 and most > next_most and most > plainly * 1.5 + 1 and most * 8 >= counted.total():
        return best
    return "en" if plainly > most or (english and not most and len(english) * 3 >= len(words)) else None


def _words(text: str) -> list[str]:
    words = (word.lower() for word in re.findall(r"[^\W\d_]{1,30}", text))
    return [word for word in words if len(word) > 1 or word in "eoy"]


def _best(guesser: LanguageGuesser, counts: Counter[str]) -> tuple[str, int, int]:
    scores = sorted(
        (sum(counts[word] for word in guesser.function_words(code)), code) for code in guesser.codes - {"en"}
    )
    (next_most, _), (most, best) = scores[-2:]
    return best, most, next_most


def stemmed(words: ClaimWords, text: str) -> list[str]:
    """The stem of each word that the pattern finds."""
    return [words.stems[word] for word in _WORD.findall(lowered(text))]
