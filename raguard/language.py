"""Which language is this text in? English unless it clearly is something else."""

from __future__ import annotations

import re
from collections import Counter

from raguard.rulebook import Rulebook
from raguard.text.folding import fold

__all__ = ["LanguageGuesser", "base_language"]

_CODE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]{2,8}){0,3}", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{1,30}")
_LETTERS = frozenset("eoy")
"""The single letters that are words; others are mostly initials, or what follows an apostrophe."""
_LOOKED_AT = 1_500
_PLAINLY = 5
"""A text of which one word in five is an English function word is English without a look at other languages."""
_IN_NAME = re.compile(
    r"(?<=\w) (?:(?:van|von|de|del|della|di|da|do|dos|das|du|des|la|le|los|las|y|al|bin)\s){1,2}"
    r"(?:(?:der|den|dem|het|la|las|los)\s)?(?=[A-Z])"
    r"|(?<=[\w,;] )(?:La|Le|Las|Los|El|Il|De|Des|Da|Du|Van|Von|Der|Den|Les)\s(?=[A-Z])"
)
"""What ties the parts of a name in any language: Johannes van der Meer, Las Vegas."""


def base_language(code: str) -> str | None:
    """The language of a code such as ``en-US``, in lower case; None when it is no code.

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
        self.scripted = frozenset(code for code, _ in self._scripts)
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
        words = self._words(head)
        if not head.isascii():
            letters = sum(map(len, words)) or 1
            for code, script in self._scripts:
                if sum(len(match) for match in script.findall(head)) * 2 > letters:
                    return code
        english = [word for word in words if word in self._stop_words["en"]]
        if english and len(english) * _PLAINLY >= len(words) and not self._shared.issuperset(english):
            return "en"
        plainly = sum(word not in self._shared for word in english)
        counts = Counter(self._words(_IN_NAME.sub(" ", head)))
        best, most, next_most = self._others(counts)
        if most >= 2 and not plainly:
            # in German prose what ties the parts of a name stands before any noun
            counts = Counter(words)
            best, most, next_most = self._others(counts)
        if most >= 3 and most > next_most and most > plainly * 1.5 + 1 and most * 8 >= counts.total():
            return best
        return "en" if plainly > most or (english and not most and len(english) * 3 >= len(words)) else None

    @staticmethod
    def _words(text: str) -> list[str]:
        """The words of ``text`` in lower case; a single letter is one where a language has it, as Spanish y."""
        words = (word.lower() for word in _WORD.findall(text))
        return [word for word in words if len(word) > 1 or word in _LETTERS]

    def _others(self, counts: Counter[str]) -> tuple[str, int, int]:
        """The language other than English with most of its words in ``counts``, how many, and those of the next."""
        held = counts.keys()
        scores = [(sum(counts[word] for word in stop & held), code) for code, stop in self._stop_words.items()]
        (next_most, _), (most, best) = sorted(score for score in scores if score[1] != "en")[-2:]
        return best, most, next_most
