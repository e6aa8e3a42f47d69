"""Which language is this text in? English unless it clearly is something else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from raguard.rulebook import Rulebook
from raguard.text.folding import fold
from raguard.text.scripts import other_letters
from raguard.text.words import letter_runs

__all__ = ["UNDETERMINED", "LanguageGuesser", "base_language"]

UNDETERMINED = "und"
"""The code (BCP 47, ISO 639-2) for the language of a script that no rule knows: it never is taken for English."""

_CODE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]{2,8}){0,3}", re.IGNORECASE)
_LONGEST = 30
_WORD = re.compile(rf"[^\W\d_]{{2,{_LONGEST}}}|[eoy]")
"""A word in lower case; the other single letters are mostly initials, or what follows an apostrophe."""
_LOOKED_AT = 1_500
_PLAINLY = 5
"""A text of which one word in five is an English function word is English without a look at other languages."""
_SMALL_TIES = "van|von|de|del|della|di|da|do|dos|das|du|des|la|le|los|las|y|al|bin"
_LARGE_TIES = "La|Le|Las|Los|El|Il|De|Des|Da|Du|Van|Von|Der|Den|Les"
_TIES = frozenset(f"{_SMALL_TIES}|{_LARGE_TIES}".lower().split("|"))
_IN_NAME = re.compile(
    rf"(?<=\w) (?:(?:{_SMALL_TIES})\s){{1,2}}(?:(?:der|den|dem|het|la|las|los)\s)?(?=[A-Z])"
    rf"|(?<=[\w,;] )(?:{_LARGE_TIES})\s(?=[A-Z])"
)
"""What ties the parts of a name in any language: Johannes van der Meer, Las Vegas."""


def base_language(code: str) -> str | None:
    """The language of a code such as ``en-US``, in lower case; None when it is not a code.

    >>> base_language("en-US"), base_language("EN"), base_language("?")
    ('en', 'en', None)
    """
    match = _CODE.fullmatch(code.strip())
    return match.group(1).lower() if match else None


def _folded(word: str) -> str:
    return fold(word).text


class LanguageGuesser:
    """Guesses by the script, then by the share of each language's function words."""

    def __init__(self, rulebook: Rulebook) -> None:
        rules = rulebook["languages"].rules
        self._scripts = [(str(rule.data["code"]), re.compile(rule.pattern)) for rule in rules if rule.pattern]
        # the text is folded, so are the words
        self._stop_words: dict[str, frozenset[str]] = {}
        for rule in rules:
            if rule.words:
                known = self._stop_words.get(rule.data["code"], frozenset())
                self._stop_words[rule.data["code"]] = known.union(map(_folded, rule.words))
        self._shared = frozenset().union(*(rule.words for rule in rules if rule.data.get("shared")))
        """English function words that are words of other languages too."""
        self._english = frozenset([word for word in self._stop_words["en"] if len(word) > 1])
        self._plain_english = self._english - self._shared
        self._others: dict[str, list[str]] = {}
        """The languages other than English that have a word."""
        for code, stop in self._stop_words.items():
            for word in sorted(stop) if code != "en" else ():
                self._others.setdefault(word, []).append(code)
        self.scripted = frozenset([UNDETERMINED, *(code for code, _ in self._scripts)])
        """The languages of other scripts than the Latin one."""
        self.capital_nouns = frozenset(str(rule.data["code"]) for rule in rules if rule.data.get("capital_nouns"))
        """The languages that write every noun with a capital."""
        self.codes = frozenset(self._stop_words) | self.scripted

    def function_words(self, code: str) -> frozenset[str]:
        """The small words of a language that say nothing of a text's subject; none for one told by its script."""
        return self._stop_words.get(code, frozenset())

    def guess(self, text: str, query: str = "", background: str = "") -> str:
        """The code of the language of ``text``; of what it answers when a short text does not show it (all folded).

        >>> from raguard.rulebook import load_rulebook
        >>> guesser = LanguageGuesser(load_rulebook())
        >>> guesser.guess("Le contrat a été signé par les deux parties le 12 mars.")
        'fr'
        >>> guesser.guess("59 Euro.", background="Der Preis ist nach der Prüfung mit 59 Euro bestätigt.")
        'de'
        """
        asked = f"{text}\n{query}"
        views = (text, asked, background, f"{asked}\n{background}")
        return next(filter(None, map(self.shown, views)), "en")

    def shown(self, text: str) -> str | None:
        """The code of the language that folded ``text`` shows, or None when it is too short or no prose."""
        head = text[:_LOOKED_AT]
        if head.isascii() and self._plainly_english(head):
            return "en"
        words = _words(head)
        if not head.isascii() and (code := self._script(head, words)):
            return code
        english = [word for word in words if word in self._stop_words["en"]]
        plainly = sum(word not in self._shared for word in english)
        if plainly and len(english) * _PLAINLY >= len(words):
            return "en"
        counted, (best, most, next_most) = words, ("", 0, 0)
        if not self._others.keys().isdisjoint(words):
            counted = words if _TIES.isdisjoint(words) else _words(_IN_NAME.sub(" ", head))
            best, most, next_most = self._shown_by(counted)
            if most >= 2 and not plainly:
                # in German prose what ties the parts of a name stands before any noun
                counted = words
                best, most, next_most = self._shown_by(counted)
        if most >= 3 and most > next_most and most > plainly * 1.5 + 1 and most * 8 >= len(counted):
            return best
        return "en" if plainly > most or (english and not most and len(english) * 3 >= len(words)) else None

    def _plainly_english(self, head: str) -> bool:
        """Whether an ASCII text shows at a quick look that it is English; if not, it still may be."""
        words = letter_runs(head.lower())
        # initials and halves of overlong words may be too many words here, but never too few
        most = len(words) + len(head) // _LONGEST
        english = sum(map(self._english.__contains__, words))
        return english * _PLAINLY >= most and not self._plain_english.isdisjoint(words)

    def _script(self, head: str, words: Iterable[str]) -> str | None:
        """The language of the script that most letters of ``head`` belong to; None when that is the Latin one."""
        if (len(head) - len(head.encode("ascii", "ignore"))) * 2 <= sum(map(len, words)):
            return None
        letters = sum(map(str.isalpha, head))
        if not _are_most(other_letters(head), letters):
            return None
        found = (code for code, script in self._scripts if _are_most("".join(script.findall(head)), letters))
        return next(found, UNDETERMINED)

    def _shown_by(self, words: Iterable[str]) -> tuple[str, int, int]:
        """The language other than English with most of its words among ``words``, how many, and those of the next."""
        counts = Counter(code for word in words if word in self._others for code in self._others[word])
        scores = sorted([(0, ""), (0, ""), *((count, code) for code, count in counts.items())])
        (next_most, _), (most, best) = scores[-2:]
        return best, most, next_most


def _are_most(written: str, letters: int) -> bool:
    """Whether what is ``written`` in a script, its vowel signs counted, is more than all else of so many letters."""
    own = sum(map(str.isalpha, written))
    return own > 0 and len(written) > letters - own


def _words(text: str) -> list[str]:
    """The words of ``text`` in lower case; a single letter is one where a language has it, as Spanish y."""
    return _WORD.findall(text.lower())
